# The best condition on one column, from a sorted list of the rule's rows or from counts; and lists cut down.

cdef bint _scan(const uint32_t* entries, int64_t n, const double* values, const double* weights, bint complete,
                double of_positive, double all_weight, Best* best) noexcept nogil:
    """Try every value of a numeric column as the least or greatest that passes; whether one is the best so far.

    Only values of a row of the class can win: next to them, a rule that leaves out other rows is better.
    """
    cdef int64_t i = 0
    cdef double low_positive = 0.0, low = 0.0, high_positive = of_positive, high = all_weight, block_positive, block
    cdef double weight
    cdef uint32_t entry
    cdef bint found = False
    if not complete:
        high_positive = high = 0.0
        for i in range(n):
            entry = entries[i]
            weight = 1.0 if weights == NULL else weights[entry >> 2]
            high += weight
            high_positive += weight * ((entry >> 1) & 1)
        i = 0
    while i < n:
        block_positive = block = 0.0
        while True:
            entry = entries[i]
            weight = 1.0 if weights == NULL else weights[entry >> 2]
            block += weight
            block_positive += weight * ((entry >> 1) & 1)
            i += 1
            if i == n or entries[i] & 1:
                break
        low += block
        if block_positive > 0.0:
            low_positive += block_positive
            if _better(best, high_positive, high):
                best.kind, best.value, found = ABOVE, values[entry >> 2], True
            if _better(best, low_positive, low):
                best.kind, best.value, found = BELOW, values[entry >> 2], True
            high_positive -= block_positive
        high -= block
    return found


cdef bint _compare(const double* covered, const double* positive, int64_t n_codes, Best* best) noexcept nogil:
    """Try every category of a nominal column; whether one is the best so far."""
    cdef int64_t code
    cdef bint found = False
    for code in range(n_codes):
        if positive[code] > 0.0 and _better(best, positive[code], covered[code]):
            best.kind, best.value, found = SAME, <double>code, True
    return found


cdef int64_t _sift(uint32_t* entries, int64_t count, const uint8_t* state, uint32_t wanted) noexcept nogil:
    """Keep a list's entries of marked rows (or of the others); a change of value stays one. How many are left."""
    cdef int64_t i, n = 0
    cdef uint32_t entry, keep, pending = 0
    for i in range(count):
        entry = entries[i]
        keep = (state[entry >> 2] & 1) ^ wanted ^ 1
        pending |= entry & 1
        entries[n] = (entry & <uint32_t>0xfffffffe) | pending
        n += keep
        pending &= ~keep
    return n
