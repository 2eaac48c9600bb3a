# Part of cover.pyx: the rows that a rule covers, listed by every column, and the best condition on them.
#
# An entry of a list is that of the trees' lists (trees/split/scan.pxd), for two classes: 1 is the rule's, 0 all others.
# If every row counts once, scanning a list reads nothing but the list.

cdef struct Lists:
    int64_t n_rows
    uint32_t* rows  # without flags for values
    int64_t* sizes
    uint32_t** entries  # of every numeric column, by ascending value; then a sentinel that counts as another value
    uint64_t* bits  # bitmap of positions, if few rows are listed; and a bitmap of its nonzero words
    uint64_t* upper_bits
    uint8_t* state  # by row: marks for `keep_marked`: bit 0: in the rule, bit 2: of its class; all zero between calls


cdef struct Scratch:  # by category; -1: missing
    double* code_p
    double* code_t
    uint32_t* table  # counts of rows by category and class, from the missing value on; and as many to work with
    uint8_t* mixed  # whether it has rows of other classes


# ---- which rows are listed ----


cdef void mark_rows(const Field* field, Lists* lists, int label, double* p, double* t) noexcept nogil:
    """Mark rows and their class, and sum their weights; many rows are sorted, since memory is then read faster.
    """
    cdef int64_t i, n = 0, n_of_class = 0
    cdef uint32_t row, of_class
    for i in range(lists.n_rows):
        row = lists.rows[i]
        of_class = field.classes[row] == label
        n_of_class += of_class
        lists.state[row] = <uint8_t>(1 | (of_class << 2))
        lists.rows[i] = (row << ROW_SHIFT) | (of_class << 2)
    if lists.n_rows > field.n_rows >> 4:
        i = 0
        while n < lists.n_rows and i < field.n_rows:
            lists.rows[n] = (<uint32_t>i << ROW_SHIFT) | (lists.state[i] & 4)
            n += lists.state[i] & 1
            i += 1
    p[0], t[0] = n_of_class, lists.n_rows
    if field.weights == NULL:
        return
    p[0] = t[0] = 0.0
    for i in range(lists.n_rows):
        row = lists.rows[i] >> ROW_SHIFT
        t[0] += field.weights[row]
        p[0] += field.weights[row] * ((lists.rows[i] >> 2) & 1)


cdef void unmark_rows(Lists* lists) noexcept nogil:
    cdef int64_t i
    for i in range(lists.n_rows):
        lists.state[lists.rows[i] >> ROW_SHIFT] = 0


cdef void list_column(const Field* field, Lists* lists, int64_t at) noexcept nogil:
    """Make the list of a numeric column from the marked rows."""
    cdef const Column* column = &field.columns[at]
    cdef const uint32_t* known = column.entries if field.indexed else column.left
    cdef int64_t n, n_known = column.n_places if field.indexed else column.n_left
    if lists.n_rows * 2 < n_known:
        n = list_few(field, lists, at)
    else:  # read every remaining row
        n = keep_marked(known, n_known, lists.state, ROW_SHIFT, True, lists.entries[at])
    lists.sizes[at] = n
    lists.entries[at][n] = STEPS


cdef int64_t list_few(const Field* field, Lists* lists, int64_t at) noexcept nogil:
    """The same with a bitmap of positions and one of its nonzero words, read in order; returns how many."""
    cdef const Column* column = &field.columns[at]
    cdef const double* values = column.values
    cdef const uint32_t* place_of = column.place
    cdef uint64_t* bits = lists.bits
    cdef uint64_t* upper_bits = lists.upper_bits
    cdef uint32_t* entries = lists.entries[at]
    cdef uint32_t row, place
    cdef int64_t i, word, above, n = 0
    cdef uint64_t words, places
    cdef double before = 0.0
    for i in range(lists.n_rows):
        row = lists.rows[i] >> ROW_SHIFT
        if values[row] == values[row]:
            place = place_of[row]
            bits[place >> 6] |= <uint64_t>1 << (place & 63)
            upper_bits[place >> 12] |= <uint64_t>1 << ((place >> 6) & 63)
    for above in range((column.n_places >> 12) + 1):
        words, upper_bits[above] = upper_bits[above], 0
        while words:
            word = (above << 6) + hb_lowest_bit(words)
            words &= words - 1
            places, bits[word] = bits[word], 0
            while places:
                i = (word << 6) + hb_lowest_bit(places)
                places &= places - 1
                row = column.entries[i] >> ROW_SHIFT
                entries[n] = (row << ROW_SHIFT) | (lists.state[row] & 4) | (STEPS if values[row] != before else 0)
                before = values[row]
                n += 1
    return n


cdef void sift_column(Lists* lists, int64_t at) noexcept nogil:
    """Keep the entries of rows that are still marked; changes of value are preserved."""
    lists.sizes[at] = keep_marked(lists.entries[at], lists.sizes[at], lists.state, ROW_SHIFT, False, lists.entries[at])
    lists.entries[at][lists.sizes[at]] = STEPS


# ---- the best condition ----


cdef void offer_sides(
    const uint32_t* entries, const double* values, const Search* search, int64_t at,  # IN
    int64_t first, int64_t stop, int64_t n,  # IN: entries with the value next to the cuts; and all entries
    double above_p, double above_t, double below_p, double below_t,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """Offer the cuts before and after a value.

    If only an improvement counts, a cut below or above all values is offered too: it excludes missing values.
    """
    cdef Best* to
    if first > 0 or search.strict:
        to = winner(search, above_p, above_t, best)
        if to != NULL:
            fill(to, at, IS_AT_LEAST, 0, 0)
            to.low, to.high = values[entries[max(first - 1, 0)] >> ROW_SHIFT], values[entries[stop - 1] >> ROW_SHIFT]
    if stop < n or search.strict:
        to = winner(search, below_p, below_t, best)
        if to != NULL:
            fill(to, at, IS_BELOW, 0, 0)
            to.low, to.high = values[entries[stop - 1] >> ROW_SHIFT], values[entries[min(stop, n - 1)] >> ROW_SHIFT]


cdef void scan_list(
    const Field* field, const Lists* lists, const Search* search, int64_t at,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """Offer the cuts of a numeric column next to values of the class; any other cut keeps more rows of other classes.
    """
    cdef const uint32_t* entries = lists.entries[at]
    cdef const double* values = field.columns[at].values
    cdef int64_t i, p, known_p = <int64_t>search.whole_p, above_p, first, n = lists.sizes[at]
    cdef bint every = search.pool != NULL
    # most cuts are ruled out here
    cdef bint by_share = search.measure == BY_SHARE and not every
    cdef bint by_gain = search.measure != BY_SHARE and not every and (search.strict or best.score > 0.0)
    cdef double added = search.added, rate = search.rate, bar = best.score * BAR
    cdef double above, above_t, below, below_t
    cdef uint32_t entry
    if field.weights != NULL:
        scan_weights(field, lists, search, at, best)
        return
    if n < lists.n_rows:
        known_p = 0
        for i in range(n):
            known_p += (entries[i] >> 2) & 1
    above_p, i = known_p, 0
    while i < n:
        first, p, entry = i, 0, entries[i]
        while True:
            p += (entry >> 2) & 1
            i += 1
            entry = entries[i]
            if entry & 1:
                break
        if p or every:
            above, above_t, below, below_t = above_p, n - first, known_p - above_p + p, i
            if not (
                by_gain and gains_less(above, above_t, added, rate, bar, True)
                and gains_less(below, below_t, added, rate, bar, True)
            ) and not (
                by_share and not greater_share(above, above_t, best.p, best.t, 0.0)
                and not greater_share(below, below_t, best.p, best.t, 0.0)
            ):
                offer_sides(entries, values, search, at, first, i, n, above, above_t, below, below_t, best)
                bar = best.score * BAR
                by_gain |= search.measure != BY_SHARE and not every and best.score > 0.0
        above_p -= p
    if search.own_missing and n < search.whole_t:
        fill(winner(search, search.whole_p - known_p, search.whole_t - n, best), at, IS_MISSING, 0, 0)


cdef void scan_weights(
    const Field* field, const Lists* lists, const Search* search, int64_t at,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """The same if rows have weights.

    The order of additions matters only if weights are not integers, and then only for ties.
    """
    cdef const uint32_t* entries = lists.entries[at]
    cdef const double* weights = field.weights
    cdef int64_t i = 0, first, n = lists.sizes[at]
    cdef double known_p = search.whole_p, known_t = search.whole_t, above_p, above_t, below_p = 0.0, below_t = 0.0
    cdef double p, t, weight
    if n < lists.n_rows or not search.strict:
        known_p = known_t = 0.0
        for i in range(n):
            weight = weights[entries[i] >> ROW_SHIFT]
            known_t += weight
            known_p += weight * ((entries[i] >> 2) & 1)
        i = 0
    above_p, above_t = known_p, known_t
    while i < n:
        first = i
        p, t = (0.0, 0.0) if search.strict else (below_p, below_t)
        while True:
            weight = weights[entries[i] >> ROW_SHIFT]
            t += weight
            p += weight * ((entries[i] >> 2) & 1)
            i += 1
            if entries[i] & 1:
                break
        if search.strict:
            below_p, below_t = below_p + p, below_t + t
        else:
            below_p, below_t, p, t = p, t, p - below_p, t - below_t
        if p > 0.0 or search.pool != NULL:
            offer_sides(entries, field.columns[at].values, search, at, first, i, n, above_p, above_t, below_p, below_t,
                        best)
        above_p, above_t = (above_p - p, above_t - t) if search.strict else (known_p - below_p, known_t - below_t)
    if search.own_missing and known_t < search.whole_t * NEAR:
        fill(winner(search, search.whole_p - known_p, search.whole_t - known_t, best), at, IS_MISSING, 0, 0)


cdef void count_codes(
    const Field* field, const Column* column, const Lists* lists,  # IN
    Scratch* scratch,  # OUT
) noexcept nogil:
    """Weights of every category among the rows listed."""
    cdef double* code_p = scratch.code_p
    cdef double* code_t = scratch.code_t
    cdef const uint32_t* counts = scratch.table + 2  # after those of the missing value
    cdef const int32_t* codes = column.codes
    cdef const uint32_t* rows = lists.rows
    cdef int64_t i, k = column.n_codes
    cdef double weight
    if field.weights == NULL:
        count_rows(rows, lists.n_rows, codes, True, -1, 1, scratch.table, 2 * (k + 1))
        for i in range(-1, k):
            code_t[i] = <double>counts[2 * i] + <double>counts[2 * i + 1]
            code_p[i] = <double>counts[2 * i + 1]
        return
    memset(code_p - 1, 0, (k + 1) * sizeof(double))
    memset(code_t - 1, 0, (k + 1) * sizeof(double))
    for i in range(lists.n_rows):
        weight = field.weights[rows[i] >> ROW_SHIFT]
        code_t[codes[rows[i] >> ROW_SHIFT]] += weight
        code_p[codes[rows[i] >> ROW_SHIFT]] += weight * ((rows[i] >> 2) & 1)


cdef void scan_codes(
    const Field* field, const Search* search, int64_t at,  # IN
    Scratch* scratch, Best* best,  # IN, OUT
) noexcept nogil:
    """Offer the categories of a nominal column, and sets of them, using the counted weights."""
    cdef const double* code_p = scratch.code_p
    cdef const double* code_t = scratch.code_t
    cdef int64_t code, n_codes = field.columns[at].n_codes
    cdef double whole = search.whole_t * NEAR
    for code in range(n_codes):
        if code_t[code] >= whole and not search.idle:
            return  # all rows have one category
        fill(winner(search, code_p[code], code_t[code], best), at, IS_IN, code, 1)
    if search.own_missing and code_t[-1] < whole:
        fill(winner(search, code_p[-1], code_t[-1], best), at, IS_MISSING, 0, 0)
    if search.sets:
        scan_sets(search, at, &field.columns[at], scratch, best)
    if search.leave_out:
        scan_others(search, at, n_codes, scratch, best)


cdef void scan_sets(
    const Search* search, int64_t at, const Column* column,  # IN
    Scratch* scratch, Best* best,  # IN, OUT
) noexcept nogil:
    """Offer sets of categories: the best set of k has the k with the greatest fractions of the class."""
    cdef const double* code_p = scratch.code_p
    cdef const double* code_t = scratch.code_t
    cdef int32_t* ranked = column.ranked
    cdef int64_t i, j, code, n_ranked = 0
    cdef double p = 0.0, t = 0.0
    for code in range(column.n_codes):
        if code_p[code] <= search.least:
            continue
        j = n_ranked
        while j > 0 and code_p[ranked[j - 1]] * code_t[code] < code_p[code] * code_t[ranked[j - 1]]:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = <int32_t>code
        n_ranked += 1
    for i in range(n_ranked):
        p += code_p[ranked[i]]
        t += code_t[ranked[i]]
        if i > 0 and t < search.whole_t * NEAR:
            fill(winner(search, p, t, best), at, IS_IN, 0, i + 1)


cdef void scan_others(
    const Search* search, int64_t at, int64_t n_codes, const Scratch* scratch,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """Offer to leave one category out; with two categories, "not a" is "b"."""
    cdef int64_t code, present = 0
    cdef double all_t = 0.0, all_p = 0.0
    for code in range(n_codes):
        present += scratch.code_t[code] > 0.0
        all_t += scratch.code_t[code]
        all_p += scratch.code_p[code]
    if present < 3:
        return
    for code in range(n_codes):
        if scratch.code_t[code] > 0.0 and scratch.code_p[code] < all_p:
            fill(winner(search, all_p - scratch.code_p[code], all_t - scratch.code_t[code], best), at, IS_NOT_IN,
                 code, 1)


cdef void search_lists(
    const Field* field, const Search* search, const uint8_t* used, bint fresh,  # IN
    Lists* lists, Scratch* scratch, Best* best,  # IN, OUT
) noexcept nogil:
    """The best condition among the marked rows; `fresh`: lists must be made, else narrowed."""
    cdef int64_t at
    for at in range(field.n_columns):
        if field.columns[at].n_codes == 0:
            if fresh:
                list_column(field, lists, at)
            else:
                sift_column(lists, at)
            if lists.sizes[at]:
                scan_list(field, lists, search, at, best)
        elif not used[at]:
            count_codes(field, &field.columns[at], lists, scratch)
            scan_codes(field, search, at, scratch, best)
