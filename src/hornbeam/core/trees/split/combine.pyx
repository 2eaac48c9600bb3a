"""Cut a weighted sum of numeric columns: a search column by column, then terms that contribute little are dropped.

As in Breiman, Friedman, Olshen and Stone (1984), 5.2.2. Columns are scaled by median and quartiles. The search starts
from the best cut of one column. Given the current split v <= c, it searches for every column x in turn, and for three
shifts g, the best d of v - d (x + g) <= c: a row changes sides where d passes (v - c) / (x + g), so one sort and one
pass try them all. Then the cut is updated, and so on until a cycle gains little. In backward elimination, the term
whose removal costs least is dropped, as long as that is little compared with the best term's contribution; the rest is
searched once more, converted back to the columns' own scales, and cut.

A cycle takes time in proportion to columns times n log n. The same rows give the same split on every machine.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.string cimport memcpy, memset

from hornbeam.core.base.enums cimport DEVIATION, is_number
from hornbeam.core.trees.split.cuts import CRITERIA
from hornbeam.core.base.logarithm cimport hb_fill_log_tables
from hornbeam.core.rows.sort cimport hb_merge_sort, hb_radix_sort
from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.trees.split.impurity cimport impurity, stats_weight

hb_fill_log_tables()

cdef enum:
    MOST_CYCLES = 20
    RADIX_FROM = 600  # more entries than this are sorted by digits
    DIGITS = 6
    BITS = 11

cdef double LITTLE = 1e-3  # the search ends after a cycle that adds at most this fraction of the total gain
cdef double FAR = 1e8  # coefficients this much greater than all others are not tried

cdef struct Entry:
    double key
    int32_t row
    int32_t way  # 1: the row goes low after the key; -1: it goes high


cdef struct Search:
    const Combining* given
    Entry* entries
    Entry* spare
    double* sums  # by row: the current sum, on the common scale
    double* center  # by column
    double* scale  # by column; 0: not used
    double* coefficient  # by column, on the common scale
    double* kept  # by column: a copy
    double* low  # statistics of the rows that go low
    double* total
    double* parts  # two sets of statistics: those above, without negative rounding
    double* parent_fractions
    uint32_t* counters
    double origin  # subtracted from a numeric target
    double least  # minimum weight of a branch
    double slack  # impurities closer than this are equal
    double cut
    double left  # impurity left by the current split


cdef int64_t combination_memory(int64_t n_rows, int n_columns, int n_stats) noexcept nogil:
    cdef int64_t counters = (DIGITS << BITS) // 2 if n_rows > RADIX_FROM else 0
    return 5 * n_rows + 4 * n_columns + 5 * n_stats + counters


cdef void sort_entries(Search* search, int64_t n) noexcept nogil:
    """Sort by key; stable."""
    cdef Entry* other = search.entries
    if search.given.n_rows > RADIX_FROM and n > RADIX_FROM:
        search.entries = <Entry*>hb_radix_sort(search.entries, search.spare, n, sizeof(Entry), True, 0, BITS, DIGITS,
                                               search.counters)
    elif n > 1:
        search.entries = <Entry*>hb_merge_sort(search.entries, search.spare, n, sizeof(Entry))
    if search.entries != other:
        search.spare = other


# ---- statistics ----------------------------------------------------------------------------------------------------


cdef inline void add_row(const Search* search, double* stats, int64_t row, double sign) noexcept nogil:
    cdef const Combining* given = search.given
    cdef double weight = sign if given.weights == NULL else sign * given.weights[row], value
    if given.labels != NULL:
        stats[given.labels[row]] += weight
    else:
        value = given.target[row] - search.origin
        stats[0] += weight
        stats[1] += weight * value
        stats[2] += weight * value * value


cdef inline double impurity_of(const Search* search, const double* stats) noexcept nogil:
    return impurity(search.given.criterion, stats, search.given.n_stats, search.parent_fractions, search.given.loss)


cdef double impurity_left(const Search* search) noexcept nogil:
    """The impurity left with the rows of `low` on one side; INFINITY if a side has too little weight."""
    cdef int n_stats = search.given.n_stats, k
    cdef double* one = search.parts
    cdef double* other = search.parts + n_stats
    for k in range(n_stats):
        one[k] = search.low[k]
        other[k] = search.total[k] - search.low[k]
        if search.given.labels != NULL:
            one[k] = one[k] if one[k] > 0.0 else 0.0
            other[k] = other[k] if other[k] > 0.0 else 0.0
    if (stats_weight(search.given.criterion, one, n_stats) < search.least
            or stats_weight(search.given.criterion, other, n_stats) < search.least):
        return INFINITY
    return impurity_of(search, one) + impurity_of(search, other)


cdef inline double between(double low, double high) noexcept nogil:
    """A number in [low, high)."""
    cdef double middle = 0.5 * low + 0.5 * high
    return middle if low <= middle < high else low


cdef double scan(Search* search, int64_t n, double limit, double* found) noexcept nogil:
    """Pass over the sorted entries; returns the least impurity below `limit` (or `limit`), and the keys around it."""
    cdef const Entry* entry = search.entries
    cdef double best = limit, here
    cdef int64_t i
    for i in range(n - 1):
        add_row(search, search.low, entry[i].row, entry[i].way)
        if entry[i].key < entry[i + 1].key:
            here = impurity_left(search)
            if here < best - search.slack or (best == INFINITY and here < best):
                best = here
                found[0] = between(entry[i].key, entry[i + 1].key)
    return best


cdef double cut_keys(Search* search, double* found) noexcept nogil:
    """The best cut of the keys, one entry per row; they are sorted by this function."""
    sort_entries(search, search.given.n_rows)
    memset(search.low, 0, search.given.n_stats * sizeof(double))
    return scan(search, search.given.n_rows, INFINITY, found)


cdef void put_keys(Search* search, const double* keys) noexcept nogil:
    cdef int64_t i
    for i in range(search.given.n_rows):
        search.entries[i].key = keys[i] + 0.0  # turn -0.0 into 0.0
        search.entries[i].row = <int32_t>i
        search.entries[i].way = 1


# ---- the steps -----------------------------------------------------------------------------------------------------


cdef void open_search(Search* search, const Combining* given, double* memory) noexcept nogil:
    cdef int64_t n = given.n_rows, i
    cdef int n_stats = given.n_stats, k
    cdef double weight = 0.0, w
    search.given = given
    search.entries = <Entry*>memory
    search.spare = search.entries + n
    memory += 4 * n
    search.sums = memory
    search.center = search.sums + n
    search.scale = search.center + given.n_columns
    search.coefficient = search.scale + given.n_columns
    search.kept = search.coefficient + given.n_columns
    search.low = search.kept + given.n_columns
    search.total = search.low + n_stats
    search.parts = search.total + n_stats
    search.parent_fractions = search.parts + 2 * n_stats
    search.counters = <uint32_t*>(search.parent_fractions + n_stats)
    search.origin = 0.0
    if given.labels == NULL:
        for i in range(n):
            w = 1.0 if given.weights == NULL else given.weights[i]
            search.origin += w * given.target[i]
            weight += w
        search.origin = search.origin / weight if weight > 0.0 else 0.0
    memset(search.total, 0, n_stats * sizeof(double))
    for i in range(n):
        add_row(search, search.total, i, 1.0)
    weight = stats_weight(given.criterion, search.total, n_stats)
    for k in range(n_stats):
        search.parent_fractions[k] = search.total[k] / weight if weight > 0.0 else 0.0
    search.least = given.min_branch - SLACK if given.min_branch > 2 * SLACK else SLACK
    # A square root amplifies small rounding errors.
    search.slack = fabs(impurity_of(search, search.total)) + (0.0 if is_number(given.criterion) else weight)
    search.slack *= 1e-7 if given.criterion == DEVIATION else 1e-12


cdef void set_scale(Search* search, int column) noexcept nogil:
    """Median and spread of a column, whose sorted values are in the entries."""
    cdef const Combining* given = search.given
    cdef double weight = stats_weight(given.criterion, search.total, given.n_stats), passed = 0.0, spread
    cdef double quarter[3]
    cdef int64_t i
    cdef int k = 0
    for i in range(given.n_rows):
        passed += 1.0 if given.weights == NULL else given.weights[search.entries[i].row]
        while k < 3 and passed >= 0.25 * (k + 1) * weight * (1.0 - 1e-12):
            quarter[k] = search.entries[i].key
            k += 1
    while k < 3:
        quarter[k] = search.entries[given.n_rows - 1].key
        k += 1
    spread = quarter[2] - quarter[0]
    if spread <= 0.0:
        spread = search.entries[given.n_rows - 1].key - search.entries[0].key
    search.center[column] = quarter[1]
    search.scale[column] = 1.0 / spread if spread > 0.0 and isfinite(1.0 / spread) else 0.0


cdef int best_column(Search* search, double* cut) noexcept nogil:
    """The column with the best single cut, or -1; its cut on its own scale. Stores the impurity left in the search."""
    cdef const Combining* given = search.given
    cdef double here, found = 0.0
    cdef int m, best = -1
    search.left = INFINITY
    for m in range(given.n_columns):
        put_keys(search, given.values + m * given.n_rows)
        here = cut_keys(search, &found)
        set_scale(search, m)
        if here < search.left - search.slack or (best < 0 and here < INFINITY):
            search.left = here
            cut[0] = found
            best = m
    return best


cdef void sum_up(Search* search) noexcept nogil:
    """Recompute sums from the coefficients, because steps accumulate rounding errors."""
    cdef const Combining* given = search.given
    cdef const double* values
    cdef double times, center
    cdef int64_t i
    cdef int m
    memset(search.sums, 0, given.n_rows * sizeof(double))
    for m in range(given.n_columns):
        if search.coefficient[m] != 0.0:
            values = given.values + m * given.n_rows
            times = search.coefficient[m] * search.scale[m]
            center = search.center[m]
            for i in range(given.n_rows):
                search.sums[i] += times * (values[i] - center)


cdef void set_cut(Search* search) noexcept nogil:
    put_keys(search, search.sums)
    search.left = cut_keys(search, &search.cut)


cdef bint try_column(Search* search, int m, double shift, double* step) noexcept nogil:
    """The best d of sums - d (x + shift) <= cut, if it is better than the current split."""
    cdef const Combining* given = search.given
    cdef const double* values = given.values + m * given.n_rows
    cdef double scale = search.scale[m], center = search.center[m], x, above, ratio, best
    cdef int64_t i, n = 0
    cdef int32_t way
    memset(search.low, 0, given.n_stats * sizeof(double))
    for i in range(given.n_rows):
        x = (values[i] - center) * scale + shift
        above = search.sums[i] - search.cut
        if x == 0.0:
            if above <= 0.0:
                add_row(search, search.low, i, 1.0)
            continue
        ratio = above / x
        way = 1 if x > 0.0 else -1
        if not fabs(ratio) < FAR:  # stays on its side for every d that is tried
            if (ratio < 0.0) == (way > 0):
                add_row(search, search.low, i, 1.0)
            continue
        if way < 0:
            add_row(search, search.low, i, 1.0)
        search.entries[n].key = ratio + 0.0
        search.entries[n].row = <int32_t>i
        search.entries[n].way = way
        n += 1
    sort_entries(search, n)
    best = scan(search, n, search.left, step)
    if best < search.left:
        search.left = best
        return True
    return False


cdef void take_step(Search* search, int m, double shift, double step) noexcept nogil:
    """Change one coefficient and the cut, and normalize the coefficients to length 1."""
    cdef const Combining* given = search.given
    cdef const double* values = given.values + m * given.n_rows
    cdef double scale = search.scale[m], center = search.center[m], length = 0.0
    cdef int64_t i
    cdef int other
    search.coefficient[m] -= step
    search.cut += step * shift
    for other in range(given.n_columns):
        length += search.coefficient[other] * search.coefficient[other]
    length = 1.0 / sqrt(length) if length > 1e-24 else 1.0
    for other in range(given.n_columns):
        search.coefficient[other] *= length
    if fabs(search.coefficient[m]) < 1e-12:
        search.coefficient[m] = 0.0
    search.cut *= length
    for i in range(given.n_rows):
        search.sums[i] = (search.sums[i] - step * (values[i] - center) * scale) * length


cdef void cycle(Search* search, double root) noexcept nogil:
    """Search a better coefficient for every column in turn, until that gains little; skips columns of scale 0."""
    cdef double shifts[3]
    cdef double before, step = 0.0, best_step, best_shift
    cdef int m, s, _n
    cdef bint better
    shifts[0], shifts[1], shifts[2] = 0.0, -0.25, 0.25
    for _n in range(MOST_CYCLES):
        before = search.left
        for m in range(search.given.n_columns):
            if search.scale[m] == 0.0:
                continue
            if stopping():
                return
            better = False
            best_step = best_shift = 0.0
            for s in range(3):
                if try_column(search, m, shifts[s], &step):
                    better = True
                    best_step, best_shift = step, shifts[s]
            if better:
                take_step(search, m, best_shift, best_step)
        sum_up(search)
        set_cut(search)
        if not (before - search.left > LITTLE * (root - before) + search.slack):
            break


cdef int drop_terms(Search* search) noexcept nogil:
    """Drop the least useful term while it contributes little beside the best one; returns how many remain."""
    cdef const Combining* given = search.given
    cdef const double* values
    cdef double cost, least, most, times, found = 0.0
    cdef int64_t i
    cdef int m, n_terms, worst, dropped = 0
    while True:
        n_terms, worst = 0, -1
        least, most = INFINITY, -INFINITY
        for m in range(given.n_columns):
            if search.coefficient[m] == 0.0:
                search.scale[m] = 0.0
                continue
            if stopping():
                return dropped
            n_terms += 1
            values = given.values + m * given.n_rows
            times = search.coefficient[m] * search.scale[m]
            put_keys(search, search.sums)
            for i in range(given.n_rows):
                search.entries[i].key = search.sums[i] - times * (values[i] - search.center[m]) + 0.0
            cost = cut_keys(search, &found) - search.left
            if cost < least:
                least = cost
                worst = m
            if cost > most:
                most = cost
        if n_terms < 2 or not least <= given.least_share * most:
            return dropped
        search.coefficient[worst] = 0.0
        sum_up(search)
        set_cut(search)
        dropped += 1


cdef bint to_own_scales(Search* search, double* coefficients, double* cut) noexcept nogil:
    """Coefficients for the unscaled columns, the first one 1, and the best cut of that sum; False: there is none.

    `coefficients` is written only if this returns True; `search.left` is then the impurity left.
    """
    cdef const Combining* given = search.given
    cdef const double* values
    cdef double first = 0.0, found = 0.0
    cdef int64_t i
    cdef int m, n_terms = 0
    memset(search.sums, 0, given.n_rows * sizeof(double))
    for m in range(given.n_columns):
        search.kept[m] = search.coefficient[m] * search.scale[m]
        if search.kept[m] == 0.0:
            continue
        if first == 0.0:
            first = search.kept[m]
        search.kept[m] /= first
        if not isfinite(search.kept[m]) or search.kept[m] == 0.0:
            return False
        n_terms += 1
        values = given.values + m * given.n_rows
        for i in range(given.n_rows):
            search.sums[i] += search.kept[m] * values[i]
    if n_terms < 2:
        return False
    for i in range(given.n_rows):
        if not isfinite(search.sums[i]):
            return False
    put_keys(search, search.sums)
    search.left = cut_keys(search, &found)
    memcpy(coefficients, search.kept, given.n_columns * sizeof(double))
    cut[0] = found
    return True


cdef double best_combination(const Combining* given, double* memory, double* coefficients, double* cut) noexcept nogil:
    cdef Search search
    cdef double single, root, found = 0.0
    cdef int m, first, usable = 0
    memset(coefficients, 0, given.n_columns * sizeof(double))
    cut[0] = 0.0
    if given.n_rows < 2:
        return INFINITY
    open_search(&search, given, memory)
    root = impurity_of(&search, search.total)
    first = best_column(&search, cut)
    if first < 0:
        return INFINITY
    coefficients[first] = 1.0
    single = search.left
    for m in range(given.n_columns):
        usable += search.scale[m] != 0.0
        search.coefficient[m] = 0.0
    if usable < 2 or search.scale[first] == 0.0:
        return single
    search.coefficient[first] = 1.0
    search.cut = (cut[0] - search.center[first]) * search.scale[first]
    sum_up(&search)
    cycle(&search, root)
    if drop_terms(&search):
        cycle(&search, root)
    memcpy(search.center, coefficients, given.n_columns * sizeof(double))  # the centers are no longer needed
    if to_own_scales(&search, coefficients, &found) and search.left < single - search.slack:
        cut[0] = found
        return search.left
    memcpy(coefficients, search.center, given.n_columns * sizeof(double))
    return single


include "combine_from_python.pxi"
