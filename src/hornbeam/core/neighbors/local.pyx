"""Locally weighted regression: distances become weights, and one linear regression is solved for every query row.

Sums of squares are taken about the weighted means, to keep precision; the equations are solved by Cholesky's
method, and a column that the others (nearly) determine gets no slope. Query rows are independent: threads share them.
"""

from libc.math cimport INFINITY, NAN, exp, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hornbeam.core.base.interrupt cimport poll, stopping

cdef extern from "hornbeam/core/neighbors/local_loops.h":
    enum:
        HB_L_ROWS
    void hb_l_squares(const double* weighted, const double* plain, int p, double* square) noexcept nogil
    void hb_l_tricube(double* away, const double* own, double wide, int64_t n) noexcept nogil

cdef enum:
    BINS = 1024
    FEW_ROWS = 256  # too few for counting by bins
    SAMPLE = 256  # rows from which the distance of the nearest is estimated
    UNIFORM = 0
    INVERSE = 1
    GAUSSIAN = 2
    TRIANGULAR = 3
    EPANECHNIKOV = 4
    TRICUBE = 5

cdef double NEARLY_ZERO = 1e-6  # nearer rows count as this fraction of the bandwidth, if the weight is 1 / d
cdef double DETERMINED = 1e-10  # a column is determined if the others leave at most this fraction of its variance
cdef double BEYOND = 1.0001  # so that the row that defines the bandwidth has a weight above 0


cdef inline double weight_at(int kernel, double u) noexcept nogil:
    cdef double rest
    if kernel == INVERSE:
        return 1.0 / (u if u > NEARLY_ZERO else NEARLY_ZERO)
    if kernel == GAUSSIAN:
        return exp(-0.5 * u * u)
    if u >= 1.0 and kernel != UNIFORM:
        return 0.0
    if kernel == TRIANGULAR:
        return 1.0 - u
    if kernel == EPANECHNIKOV:
        return 1.0 - u * u
    if kernel == TRICUBE:
        rest = 1.0 - u * u * u
        return rest * rest * rest
    return 1.0 if u <= 1.0 else 0.0


cdef double kth_smallest(double* values, int64_t n, int64_t k) noexcept nogil:
    """The k-th smallest, counted from 0; reorders the values."""
    cdef int64_t low = 0, high = n - 1, i, j
    cdef double pivot, swap
    while low < high:
        pivot = values[low + ((high - low) >> 1)]
        i = low
        j = high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                swap = values[i]
                values[i] = values[j]
                values[j] = swap
                i += 1
                j -= 1
        if k <= j:
            high = j
        elif k >= i:
            low = i
        else:
            break
    return values[k]


cdef double kth_of(double* values, int64_t n, int64_t k, double greatest) noexcept nogil:
    """The same for values from 0 to `greatest`: they are counted by bin, and only one bin is searched."""
    cdef int64_t[BINS] counts
    cdef double scale = (BINS - 1) / greatest if greatest > 0.0 else 0.0
    cdef int64_t i, before = 0, kept = 0, bin = 0
    if n < FEW_ROWS or not scale < INFINITY or k == n - 1:
        return greatest if k == n - 1 else kth_smallest(values, n, k)
    for i in range(BINS):
        counts[i] = 0
    for i in range(n):
        counts[<int64_t>(values[i] * scale)] += 1
    while before + counts[bin] <= k:
        before += counts[bin]
        bin += 1
    for i in range(n):  # branchless: values of the bin come first
        values[kept] = values[i]
        kept += <int64_t>(values[i] * scale) == bin
    return kth_smallest(values, kept, k - before)


cdef double kth_of_few(const double* values, double* spare, int64_t n, int64_t k) noexcept nogil:
    """The k-th smallest if k is far below n: a sample shows which are too large; NaN if the sample was misleading."""
    cdef int64_t i, step = n // SAMPLE, sampled = 0, kept = 0
    cdef double limit
    for i in range(SAMPLE):
        spare[sampled] = values[i * step]
        sampled += values[i * step] < INFINITY  # skip unknown distances
    if sampled == 0:
        return NAN
    limit = kth_smallest(spare, sampled, min(sampled - 1, 3 * k * sampled // (2 * n) + SAMPLE // 32))
    for i in range(n):  # branchless
        spare[kept] = values[i]
        kept += values[i] <= limit
    return kth_smallest(spare, kept, k) if k < kept else NAN


cdef double reach_of(const double* away, const double* own, bint alike, double* spare, int64_t n,
                     double k) noexcept nogil:
    """The distance within which rows have the weight k; if zero, the smallest distance above zero."""
    cdef int64_t i, known = 0, low = 0, high, middle
    cdef double reach, least = INFINITY, greatest = 0.0, total = 0.0, weight
    if alike and n >= 8 * SAMPLE and 8 * k <= n:
        reach = kth_of_few(away, spare, n, <int64_t>k - 1)
        if reach > 0.0:
            return reach
    for i in range(n):
        if away[i] == away[i] and away[i] < INFINITY:
            spare[known] = away[i]
            greatest = away[i] if away[i] > greatest else greatest
            known += 1
            total += own[i]
    if known == 0:
        return 0.0
    if total == known:  # nearly always: every row counts once
        reach = kth_of(spare, known, <int64_t>(k if k < known else known) - 1, greatest)
    else:
        high = known - 1
        reach = kth_smallest(spare, known, high)
        while low < high:
            middle = (low + high) >> 1
            reach = kth_smallest(spare, known, middle)
            weight = 0.0
            for i in range(n):
                if away[i] <= reach:
                    weight += own[i]
            if weight >= k:
                high = middle
            else:
                low = middle + 1
        reach = kth_smallest(spare, known, low)
    if reach == 0.0:
        for i in range(n):
            if 0.0 < away[i] < least:
                least = away[i]
        # only rows at distance zero count: rows exactly at the reach have no weight
        return least / (BEYOND * BEYOND) if least < INFINITY else 1.0
    return reach


cdef bint weigh(double* away, const double* own, int kernel, double wide, int64_t n) noexcept nogil:
    """Turn one row's distances into weights; returns whether any is above zero."""
    cdef int64_t i
    if not wide > 0.0:
        return False
    if kernel == TRICUBE:
        hb_l_tricube(away, own, wide, n)
    else:
        for i in range(n):
            away[i] = own[i] * weight_at(kernel, away[i] / wide) if away[i] == away[i] else 0.0
    for i in range(n):
        if away[i] > 0.0:
            return True
    return False


cdef bint weigh_near(double* away, const double* own, int kernel, double wide, double* spare, int64_t* near,
                     int64_t n) noexcept nogil:
    """The same for squared distances and a kernel that ends at the reach, where most rows have no weight."""
    cdef int64_t i, n_near = 0
    cdef bint any_weight = False
    for i in range(n):  # branchless
        spare[n_near] = away[i]
        near[n_near] = i
        n_near += away[i] < wide * wide
    memset(away, 0, n * sizeof(double))
    for i in range(n_near):
        away[near[i]] = own[near[i]] * weight_at(kernel, sqrt(spare[i]) / wide)
        any_weight |= away[near[i]] > 0.0
    return any_weight


def weights(
    double[:, ::1] away,  # IN, OUT: (query rows, kept rows): distances become weights
    const double[::1] own,  # IN: weights of the kept rows
    int kernel,
    double reach,  # the distance at which kernels end; 0: that of the k-th nearest row
    double k,  # a weight, if rows have weights
    bint squared,  # whether squared distances are given, for a kernel that ends at the reach
    int64_t first,
    int64_t last,
):
    """Turn distances into weights; 0 for a row without a common known value (NaN)."""
    cdef int64_t n = away.shape[1], row, i
    cdef double wide
    cdef bint alike = True, some  # whether every row counts once; whether any has weight
    cdef double* spare = <double*>malloc((n + 1) * sizeof(double))
    cdef int64_t* near = <int64_t*>malloc((n + 1) * sizeof(int64_t))
    if spare == NULL or near == NULL:
        free(spare)
        free(near)
        raise MemoryError
    with nogil:
        for i in range(n):
            alike = alike and own[i] == 1.0
        for row in range(first, last):
            if stopping():
                break
            wide = reach
            if not reach > 0.0:
                wide = reach_of(&away[row, 0], &own[0], alike, spare, n, k)
                wide = BEYOND * (sqrt(wide) if squared else wide)
            if squared:
                some = weigh_near(&away[row, 0], &own[0], kernel, wide, spare, near, n)
            else:
                some = weigh(&away[row, 0], &own[0], kernel, wide, n)
            if not some:  # no row is near enough: all rows get equal weights
                for i in range(n):
                    away[row, i] = own[i]
    free(spare)
    free(near)
    poll()


cdef struct Work:  # memory of one regression with p columns
    int64_t* near  # rows with a weight
    double* mean
    double* product
    double* slope
    double* square
    double* gram  # (p + 1, p + 1): the target comes last
    double* plain  # (p + 1, HB_L_ROWS)
    double* weighted


cdef void solve(int p, double ridge, Work* w) noexcept nogil:
    """Compute the slopes by Cholesky's method, in place; a zero on the diagonal means a column left out."""
    cdef int i, j, m
    cdef double part, whole
    cdef double* square = w.square
    for i in range(p):
        w.product[i] = w.gram[p * (p + 1) + i]
        for j in range(i + 1):
            square[i * p + j] = w.gram[i * (p + 1) + j]
    for i in range(p):
        whole = square[i * p + i] + ridge
        for j in range(i):
            part = square[i * p + j]
            for m in range(j):
                part -= square[i * p + m] * square[j * p + m]
            square[i * p + j] = part / square[j * p + j] if square[j * p + j] > 0.0 else 0.0
        part = whole
        for m in range(i):
            part -= square[i * p + m] * square[i * p + m]
        square[i * p + i] = sqrt(part) if part > DETERMINED * whole and part > 0.0 else 0.0
    for i in range(p):
        part = w.product[i]
        for m in range(i):
            part -= square[i * p + m] * w.slope[m]
        w.slope[i] = part / square[i * p + i] if square[i * p + i] > 0.0 else 0.0
    for i in range(p - 1, -1, -1):
        part = w.slope[i]
        for m in range(i + 1, p):
            part -= square[m * p + i] * w.slope[m]
        w.slope[i] = part / square[i * p + i] if square[i * p + i] > 0.0 else 0.0


cdef double predict(const double* x, const double* y, const double* weight, const double* query, int64_t n, int p,
                    double ridge, bint by_weight, Work* w) noexcept nogil:
    """The value at `query` of the weighted regression of y on the p columns of x."""
    cdef int64_t row, n_near = 0, at, start = 0, size
    cdef int i
    cdef double total = 0.0, center = 0.0, off, base = 0.0
    for i in range(p):
        w.mean[i] = 0.0
    for i in range((p + 1) * (p + 1)):
        w.gram[i] = 0.0
    for row in range(n):  # branchless, because the branch would be unpredictable
        w.near[n_near] = row
        n_near += weight[row] > 0.0
    if n_near > 0:  # so that the mean of equal numbers is exactly that number
        base = y[w.near[0]]
    for at in range(n_near):
        row = w.near[at]
        total += weight[row]
        center += weight[row] * (y[row] - base)
        for i in range(p):
            w.mean[i] += weight[row] * x[row * p + i]
    center = base + center / total
    for i in range(p):
        w.mean[i] /= total
    while start < n_near:
        size = min(<int64_t>HB_L_ROWS, n_near - start)
        for at in range(size):
            row = w.near[start + at]
            for i in range(p):
                off = x[row * p + i] - w.mean[i]
                w.plain[i * HB_L_ROWS + at] = off
                w.weighted[i * HB_L_ROWS + at] = weight[row] * off
            off = y[row] - center
            w.plain[p * HB_L_ROWS + at] = off
            w.weighted[p * HB_L_ROWS + at] = weight[row] * off
        for i in range(p + 1):
            for at in range(size, HB_L_ROWS):
                w.plain[i * HB_L_ROWS + at] = w.weighted[i * HB_L_ROWS + at] = 0.0
        hb_l_squares(w.weighted, w.plain, p + 1, w.gram)
        start += size
    solve(p, ridge * total if by_weight else ridge, w)
    for i in range(p):
        center += w.slope[i] * (query[i] - w.mean[i])
    return center


def regressions(
    const double[:, ::1] x,  # IN: (kept rows, columns)
    const double[::1] y,  # IN
    const double[:, ::1] weight,  # IN: (query rows, kept rows)
    const double[:, ::1] queries,  # IN: (query rows, columns)
    double ridge,
    bint by_weight,  # whether the ridge is multiplied by the weight of the rows
    int64_t first,
    int64_t last,
    double[::1] out,  # OUT: predictions
):
    """Predict the query rows from `first` to `last`."""
    cdef int64_t n = x.shape[0], row
    cdef int p = <int>x.shape[1]
    cdef double* memory = <double*>malloc((p * p + 3 * p + (p + 1) * (p + 1 + 2 * HB_L_ROWS)) * sizeof(double))
    cdef const double* at_x
    cdef const double* query
    cdef Work work
    work.near = <int64_t*>malloc((n + 1) * sizeof(int64_t))
    if memory == NULL or work.near == NULL:
        free(memory)
        free(work.near)
        raise MemoryError
    work.mean, work.product, work.slope, work.square = memory, memory + p, memory + 2 * p, memory + 3 * p
    work.gram = work.square + p * p
    work.plain = work.gram + (p + 1) * (p + 1)
    work.weighted = work.plain + (p + 1) * HB_L_ROWS
    with nogil:
        for row in range(first, last):
            if stopping():
                break
            at_x = &x[0, 0] if p > 0 else NULL
            query = &queries[row, 0] if p > 0 else NULL
            out[row] = predict(at_x, &y[0], &weight[row, 0], query, n, p, ridge, by_weight, &work)
    free(memory)
    free(work.near)
    poll()
