# Which rows grow a rule and which prune it: shuffled class by class and dealt out, by a generator of 48 bits.

cdef uint64_t MULTIPLIER = 0x5DEECE66D
cdef uint64_t MASK = (<uint64_t>1 << 48) - 1


cdef inline uint64_t _draw(uint64_t* state, uint64_t below) noexcept nogil:
    """A whole number below a bound, by 31 bits of a linear congruential generator."""
    cdef uint64_t bits, value
    while True:
        state[0] = (state[0] * MULTIPLIER + 11) & MASK
        bits = state[0] >> 17
        if below & (below - 1) == 0:
            return (below * bits) >> 31
        value = bits % below
        # the last, incomplete run of numbers is refused, or small ones would come too often
        if bits - value + below - 1 < <uint64_t>1 << 31:
            return value


def deal(const int32_t[::1] rows, const int32_t[::1] groups, int64_t n_groups, int64_t folds, uint64_t[::1] state):
    """Rows, shuffled within their groups, in as many parts as there are folds, each with its share of every group.

    Parameters
    ----------
    rows : int32 array
    groups : int32 array
        The group of every row of the table.
    n_groups, folds : int
    state : uint64 array of one
        Of the generator; advanced.
    """
    cdef int64_t i, j, k, g, n = rows.shape[0], first, place
    cdef int32_t row
    dealt_array = np.empty(n, np.int32)
    cdef int32_t[::1] dealt = dealt_array
    cdef int32_t[::1] grouped = np.empty(n, np.int32)
    cdef int64_t[::1] start = np.zeros(n_groups + 1, np.int64)
    cdef int64_t[::1] filled = np.zeros(n_groups + 1, np.int64)
    cdef uint64_t random = state[0]
    with nogil:
        for i in range(n):
            start[groups[rows[i]] + 1] += 1
        for g in range(n_groups):
            start[g + 1] += start[g]
        for i in range(n):
            g = groups[rows[i]]
            grouped[start[g] + filled[g]] = rows[i]
            filled[g] += 1
        for g in range(n_groups):
            first = start[g]
            for j in range(start[g + 1] - first - 1, 0, -1):
                k = <int64_t>_draw(&random, <uint64_t>(j + 1))
                row = grouped[first + j]
                grouped[first + j] = grouped[first + k]
                grouped[first + k] = row
        place = 0
        for k in range(folds):
            i = k
            while i < n:
                dealt[place] = grouped[i]
                place += 1
                i += folds
    state[0] = random
    return dealt_array
