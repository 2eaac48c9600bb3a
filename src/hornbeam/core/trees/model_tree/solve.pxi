# Sums of products of a set of rows, and the equation solved from them.

cdef double FULL = 1e300  # the estimated error of an equation with as many parameters as rows


cdef struct Sums:
    double weight
    double* mean  # inputs, then the target
    double* products  # size x size, lower triangle, about the means
    uint8_t* below  # which inputs are tested at or below the node


cdef struct Work:
    int64_t n_inputs, size
    const double* values  # rows x inputs
    const double* target
    const double* weights  # NULL: every row counts once
    double tolerance
    double* matrix  # for sweeping
    double* coefficient  # of the chosen inputs
    int32_t* chosen  # inputs that may be in the equation; at the end, those that are
    uint8_t* kept  # which of them still are
    double* centered


cdef struct Store:
    int32_t* input
    double* coefficient
    int64_t used, room


cdef bint make_room(Store* store, int64_t more) noexcept nogil:
    cdef int64_t room = store.room
    if store.used + more <= room:
        return True
    while room < store.used + more:
        room = 2 * room + 64
    if not hb_resize(&store.input, room * sizeof(int32_t)) or not hb_resize(&store.coefficient, room * sizeof(double)):
        return False
    store.room = room
    return True


cdef void sum_rows(const Work* work, int64_t first, int64_t after, Sums* sums) noexcept nogil:
    """Sums of a block of rows: means first, then products about them."""
    cdef int64_t i, j, k, p = work.n_inputs, size = work.size
    cdef double weight, x
    cdef const double* row
    cdef double* line
    sums.weight = 0
    memset(sums.mean, 0, size * sizeof(double))
    memset(sums.products, 0, size * size * sizeof(double))
    memset(sums.below, 0, p)
    for i in range(first, after):
        weight = 1.0 if work.weights == NULL else work.weights[i]
        sums.weight += weight
        row = work.values + i * p
        for j in range(p):
            sums.mean[j] += weight * row[j]
        sums.mean[p] += weight * work.target[i]
    for j in range(size):
        sums.mean[j] /= sums.weight
    for i in range(first, after):
        weight = 1.0 if work.weights == NULL else work.weights[i]
        row = work.values + i * p
        for j in range(p):
            work.centered[j] = row[j] - sums.mean[j]
        work.centered[p] = work.target[i] - sums.mean[p]
        for j in range(size):
            x = weight * work.centered[j]
            line = sums.products + j * size
            for k in range(j + 1):
                line[k] += x * work.centered[k]


cdef void join(const Work* work, Sums* one, const Sums* other) noexcept nogil:
    """Combine the second set's sums with the first's."""
    cdef int64_t j, k, size = work.size
    cdef double whole = one.weight + other.weight, x
    cdef double both = one.weight * (other.weight / whole)
    cdef double* line
    cdef const double* added
    for j in range(size):
        work.centered[j] = other.mean[j] - one.mean[j]
    for j in range(size):
        x = both * work.centered[j]
        line = one.products + j * size
        added = other.products + j * size
        for k in range(j + 1):
            line[k] += added[k] + x * work.centered[k]
    for j in range(size):
        one.mean[j] += work.centered[j] * (other.weight / whole)
    one.weight = whole
    for j in range(work.n_inputs):
        one.below[j] |= other.below[j]


cdef inline void sweep(double* matrix, int64_t size, int64_t pivot, double sign) noexcept nogil:
    """Sweep a symmetric matrix on one index; with sign -1, undo that.

    After inputs are swept, their block contains minus its inverse, the target's row the coefficients, and its corner
    the squared error.
    """
    cdef int64_t i, j
    cdef double* own = matrix + pivot * size
    cdef double* line
    cdef double d = own[pivot], x
    for i in range(size):
        line = matrix + i * size
        x = line[pivot] / d
        if i == pivot or x == 0.0:
            continue
        for j in range(size):
            line[j] -= x * own[j]
    for j in range(size):
        own[j] = sign * own[j] / d
        matrix[j * size + pivot] = own[j]
    own[pivot] = -1.0 / d


cdef double grows_by(double weight, double parameters, double share, double overfull) noexcept nogil:
    """By how much errors grow on new rows: (n + share v) / (n - v) (Quinlan 1992, with a share of 1)."""
    return (weight + share * parameters) / (weight - parameters) if weight > parameters else overfull


cdef int64_t load(Work* work, const Sums* sums, int64_t n) noexcept nogil:
    """Copy the sums of the chosen inputs and the target to the matrix; returns its size."""
    cdef int64_t j, k, size = n + 1
    cdef int64_t a, b
    for j in range(size):
        a = work.chosen[j] if j < n else work.n_inputs
        for k in range(j + 1):
            b = work.chosen[k] if k < n else work.n_inputs
            work.matrix[j * size + k] = sums.products[a * work.size + b]
            work.matrix[k * size + j] = work.matrix[j * size + k]
    return size


cdef int64_t solve(
    Work* work, const Sums* sums, const uint8_t* below, const int32_t* above,  # IN
    double* intercept,  # OUT
) noexcept nogil:
    """Choose inputs and find their coefficients; returns how many there are."""
    cdef int64_t p = work.n_inputs, n = 0, size, j, k, worst, left = 0
    cdef double least, change, squares, noise, now, then
    cdef double* m = work.matrix
    for j in range(p):
        if (below[j] or above[j] > 0) and sums.products[j * work.size + j] > 1e-12 * sums.weight:
            work.chosen[n] = <int32_t>j
            n += 1
    size = load(work, sums, n)
    noise = 1e-14 * m[n * size + n]
    # inputs determined by the previous ones are left out
    for j in range(n):
        work.kept[j] = m[j * size + j] > work.tolerance * sums.products[work.chosen[j] * (work.size + 1)]
        if work.kept[j]:
            sweep(m, size, j, 1.0)
            left += 1
    # drop the least useful input as long as the estimated error falls
    while left:
        worst, least = -1, 0.0
        for j in range(n):
            if work.kept[j]:
                change = m[j * size + n] * m[j * size + n] / -m[j * size + j]
                if worst < 0 or change < least:
                    worst, least = j, change
        squares = max(m[n * size + n], noise)
        now = sqrt(squares) * grows_by(sums.weight, left + 1, 0.0, FULL)
        then = sqrt(squares + max(least, 0.0)) * grows_by(sums.weight, left, 0.0, FULL)
        if then > now:
            break
        sweep(m, size, worst, -1.0)
        work.kept[worst] = False
        left -= 1
    k = 0
    for j in range(n):
        if work.kept[j]:
            work.chosen[k] = work.chosen[j]
            k += 1
    if k < n:  # solve again, without the rounding errors of many sweeps
        size = load(work, sums, k)
        for j in range(k):
            sweep(m, size, j, 1.0)
    intercept[0] = sums.mean[p]
    for j in range(k):
        work.coefficient[j] = m[j * size + k]
        intercept[0] -= work.coefficient[j] * sums.mean[work.chosen[j]]
    return k


cdef void errors_of(
    const Work* work, int64_t first, int64_t after, int64_t n, double intercept,  # IN
    double* absolute, double* squared,  # OUT, weighted sums
) noexcept nogil:
    cdef int64_t i, j
    cdef double prediction, weight
    cdef const double* row
    absolute[0] = squared[0] = 0
    for i in range(first, after):
        row = work.values + i * work.n_inputs
        prediction = intercept - work.target[i]
        for j in range(n):
            prediction += work.coefficient[j] * row[work.chosen[j]]
        weight = 1.0 if work.weights == NULL else work.weights[i]
        absolute[0] += weight * fabs(prediction)
        squared[0] += weight * prediction * prediction
