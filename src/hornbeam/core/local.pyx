"""Locally weighted regression: distances become weights, and one linear regression is solved for every row asked about.

Sums of squares are taken about the weighted means, so that they keep their digits; equations are solved by Cholesky's
method, and a column that the others (nearly) determine gets no slope. Rows asked about are independent: threads share
them out.
"""

from libc.math cimport INFINITY, exp, sqrt
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

cdef enum:
    UNIFORM = 0
    INVERSE = 1
    GAUSSIAN = 2
    TRIANGULAR = 3
    EPANECHNIKOV = 4
    TRICUBE = 5

cdef double NEARLY_ZERO = 1e-6  # a row nearer than this share of the reach counts as that far, where weight is 1 / d
cdef double DETERMINED = 1e-10  # a column of which the others leave no more than this share
cdef double BEYOND = 1.0001  # the row that gives the reach counts too, if next to nothing


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
    """The k-th smallest, from 0; the values are put in another order."""
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


cdef double reach_of(const double* away, const double* own, double* spare, int64_t n, double k) noexcept nogil:
    """The distance within which rows have the weight k; of the nearest not at distance zero, where it would be zero."""
    cdef int64_t i, known = 0, low = 0, high, middle
    cdef double reach, least = INFINITY, total = 0.0, weight
    for i in range(n):
        if away[i] == away[i] and away[i] < INFINITY:
            spare[known] = away[i]
            known += 1
            total += own[i]
    if known == 0:
        return 0.0
    if total == known:  # nearly always: every row counts once
        reach = kth_smallest(spare, known, <int64_t>(k if k < known else known) - 1)
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
        for i in range(known):
            if 0.0 < spare[i] < least:
                least = spare[i]
        # only the rows at distance zero count: what lies at the reach itself has no weight
        return least / BEYOND if least < INFINITY else 1.0
    return reach


def weights(
    double[:, ::1] away,  # IN, OUT: (rows asked about, kept rows): distances become weights
    const double[::1] own,  # IN: weights of the kept rows
    int kernel,
    double reach,  # the distance at which kernels end; 0: that of the k-th nearest row
    double k,  # a weight, where rows have weights of their own
    int64_t first,
    int64_t last,
):
    """Turn distances into weights; a row that nothing is known in common with (NaN) has none."""
    cdef int64_t n = away.shape[1], row, i
    cdef double wide, total
    cdef double* spare = <double*>malloc((n if n > 0 else 1) * sizeof(double))
    if spare == NULL:
        raise MemoryError
    with nogil:
        for row in range(first, last):
            wide = reach if reach > 0.0 else BEYOND * reach_of(&away[row, 0], &own[0], spare, n, k)
            total = 0.0
            for i in range(n):
                if wide > 0.0 and away[row, i] == away[row, i]:
                    away[row, i] = own[i] * weight_at(kernel, away[row, i] / wide)
                else:
                    away[row, i] = 0.0
                total += away[row, i]
            if not total > 0.0:  # no row near enough: all say the same
                for i in range(n):
                    away[row, i] = own[i]
    free(spare)


cdef double answer(
    const double* x, const double* y, const double* weight, const double* asked, int64_t n, int p, double ridge,
    int64_t* near, double* mean, double* square, double* product, double* slope,
) noexcept nogil:
    """The value at `asked` of the weighted regression of y on the columns of x, a row of x being p numbers."""
    cdef int64_t row, n_near = 0, at
    cdef int i, j, m
    cdef double total = 0.0, centre = 0.0, off, part, whole
    for i in range(p):
        mean[i] = product[i] = 0.0
        for j in range(p):
            square[i * p + j] = 0.0
    for row in range(n):  # without a branch: which rows count is anyone's guess
        near[n_near] = row
        n_near += weight[row] > 0.0
    for at in range(n_near):
        row = near[at]
        total += weight[row]
        centre += weight[row] * y[row]
        for i in range(p):
            mean[i] += weight[row] * x[row * p + i]
    centre /= total
    for i in range(p):
        mean[i] /= total
    for at in range(n_near):
        row = near[at]
        off = y[row] - centre
        for i in range(p):
            slope[i] = x[row * p + i] - mean[i]
        for i in range(p):
            part = weight[row] * slope[i]
            product[i] += part * off
            for j in range(i + 1):
                square[i * p + j] += part * slope[j]
    # Cholesky: a lower triangle in place; a zero on the diagonal marks a column left out
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
        part = product[i]
        for m in range(i):
            part -= square[i * p + m] * slope[m]
        slope[i] = part / square[i * p + i] if square[i * p + i] > 0.0 else 0.0
    for i in range(p - 1, -1, -1):
        part = slope[i]
        for m in range(i + 1, p):
            part -= square[m * p + i] * slope[m]
        slope[i] = part / square[i * p + i] if square[i * p + i] > 0.0 else 0.0
    for i in range(p):
        centre += slope[i] * (asked[i] - mean[i])
    return centre


def regressions(
    const double[:, ::1] x,  # IN: (kept rows, columns)
    const double[::1] y,  # IN
    const double[:, ::1] weight,  # IN: (rows asked about, kept rows)
    const double[:, ::1] asked,  # IN: (rows asked about, columns)
    double ridge,
    int64_t first,
    int64_t last,
    double[::1] out,  # OUT: answers
):
    """Answer some of the rows asked about."""
    cdef int64_t n = x.shape[0], row
    cdef int p = <int>x.shape[1]
    cdef double* memory = <double*>malloc((p * p + 3 * p + 1) * sizeof(double))
    cdef const double* at_x
    cdef const double* at_asked
    cdef int64_t* near = <int64_t*>malloc((n + 1) * sizeof(int64_t))
    if memory == NULL or near == NULL:
        free(memory)
        free(near)
        raise MemoryError
    with nogil:
        for row in range(first, last):
            at_x = &x[0, 0] if p > 0 else NULL
            at_asked = &asked[row, 0] if p > 0 else NULL
            out[row] = answer(
                at_x, &y[0], &weight[row, 0], at_asked, n, p, ridge,
                near, memory, memory + 3 * p, memory + p, memory + 2 * p,
            )
    free(memory)
    free(near)
