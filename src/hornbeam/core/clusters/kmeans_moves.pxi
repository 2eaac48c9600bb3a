# Part of kmeans.pyx: single rows moved between clusters; each move updates the centers of both.

cdef struct Sides:  # sums by cluster; columns of numbers, then categories
    int64_t k, d, m
    double* means  # (clusters, numbers)
    double* known
    double* counts  # (clusters, all categories)
    double* top  # (clusters, nominal columns): the greatest count
    const int64_t* start
    const double* cost


cdef inline double greatest(const double* counts, int64_t first, int64_t last) noexcept nogil:
    cdef double top = 0.0
    cdef int64_t c
    for c in range(first, last):
        top = max(top, counts[c])
    return top


cdef double growth(const Sides* s, int64_t cluster, const double* x, const int32_t* codes, double w) noexcept nogil:
    """How much the error of a cluster grows with one more row; with a negative weight, with one fewer."""
    cdef double total = 0.0, held, apart, top, count
    cdef int64_t j, place, all_codes = s.start[s.m]
    for j in range(s.d):
        held = s.known[cluster * s.d + j]
        if x[j] == x[j] and held + w > 0.0:
            apart = x[j] - s.means[cluster * s.d + j]
            total += w * held / (held + w) * (apart * apart)
    for j in range(s.m):
        if codes[j] < 0:
            continue
        place = cluster * all_codes + s.start[j] + codes[j]
        count, top = s.counts[place], s.top[cluster * s.m + j]
        if w > 0.0:
            total += s.cost[j] * (w - (max(top, count + w) - top))
        elif count < top:
            total += s.cost[j] * w
        else:  # the most frequent category: another may take its place
            s.counts[place] = count + w
            held = greatest(s.counts + cluster * all_codes, s.start[j], s.start[j + 1])
            s.counts[place] = count
            total += s.cost[j] * (w - (held - top))
    return total


cdef void put(const Sides* s, int64_t cluster, const double* x, const int32_t* codes, double w) noexcept nogil:
    """Add a row to a cluster; with a negative weight, remove it."""
    cdef int64_t j, all_codes = s.start[s.m]
    cdef double held
    for j in range(s.d):
        if x[j] == x[j]:
            held = s.known[cluster * s.d + j] + w
            s.known[cluster * s.d + j] = held
            if held > 0.0:
                s.means[cluster * s.d + j] += w / held * (x[j] - s.means[cluster * s.d + j])
    for j in range(s.m):
        if codes[j] >= 0:
            s.counts[cluster * all_codes + s.start[j] + codes[j]] += w
            s.top[cluster * s.m + j] = greatest(s.counts + cluster * all_codes, s.start[j], s.start[j + 1])


def move_rows(const double[:, ::1] numbers, const int32_t[:, ::1] codes, const double[::1] weights,
              const double[::1] code_weights, const int64_t[::1] start, double[:, ::1] means, double[:, ::1] known,
              double[:, ::1] counts, double[:, ::1] top, int32_t[::1] labels, int64_t passes):
    """Move rows to clusters where they add less error than in their own, for at most `passes` passes.

    `known` has the weights of known numbers, `counts` those of categories (column j's at `start[j]`), `top` the
    greatest of each column; all are changed, as are the labels. No cluster loses its last row. Returns the number of
    moves.
    """
    cdef Sides s
    cdef int64_t i, c, best, made = 0, before = -1, n = labels.shape[0]
    cdef double lost, least, gain, w
    cdef double nothing = 0.0
    cdef int32_t no_code = 0
    cdef const double* x
    cdef const int32_t* code
    cdef int64_t[::1] rows = np.bincount(labels, minlength=means.shape[0]).astype(np.int64)
    s.k, s.d, s.m = means.shape[0], numbers.shape[1], codes.shape[1]
    s.means = &means[0, 0] if s.d else &nothing
    s.known = &known[0, 0] if s.d else &nothing
    s.counts = &counts[0, 0] if counts.shape[1] else &nothing
    s.top = &top[0, 0] if s.m else &nothing
    s.cost = &code_weights[0] if s.m else &nothing
    s.start = &start[0]
    with nogil:
        while made > before and passes > 0:
            before = made
            passes -= 1
            for i in range(n):
                if i % POLLED == 0:
                    poll()
                if rows[labels[i]] < 2:
                    continue
                x = &numbers[i, 0] if s.d else &nothing
                code = &codes[i, 0] if s.m else &no_code
                w = weights[i]
                lost = -growth(&s, labels[i], x, code, -w)
                best, least = -1, lost - 1e-10 * lost
                for c in range(s.k):
                    if c != labels[i]:
                        gain = growth(&s, c, x, code, w)
                        if gain < least:
                            best, least = c, gain
                if best >= 0:
                    put(&s, labels[i], x, code, -w)
                    put(&s, best, x, code, w)
                    rows[labels[i]] -= 1
                    rows[best] += 1
                    labels[i] = <int32_t>best
                    made += 1
    return made
