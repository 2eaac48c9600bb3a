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


cdef bint _compare_others(const double* covered, const double* positive, int64_t n_codes, Best* best) noexcept nogil:
    """Try every category of a nominal column as the one to leave out; whether one is the best so far."""
    cdef int64_t code, present = 0
    cdef double all_covered = 0.0, all_positive = 0.0
    cdef bint found = False
    for code in range(n_codes):
        present += covered[code] > 0.0
        all_covered += covered[code]
        all_positive += positive[code]
    if present < 3:  # what two leave, one of them says
        return False
    for code in range(n_codes):
        if covered[code] > 0.0 and positive[code] < all_positive and _better(
            best, all_positive - positive[code], all_covered - covered[code]
        ):
            best.kind, best.value, found = OTHER, <double>code, True
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


cdef int64_t _filter(const double* values, const int32_t* codes, int32_t kind, double value, int32_t* rows,
                     int64_t n) noexcept nogil:
    """Leave those of some rows that meet a condition, in their order; how many. No branch depends on the data."""
    cdef int64_t i, kept = 0
    cdef int32_t row, code
    if kind == SAME:
        code = <int32_t>value
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += codes[row] == code
    elif kind == OTHER:
        code = <int32_t>value
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += (codes[row] != code) & (codes[row] >= 0)
    elif kind == BELOW:
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += values[row] <= value
    else:
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += values[row] >= value
    return kept
