# Part of combine.pyx: sorting entries by key, few by merging, many by digits.


cdef inline uint64_t digits_of(double key) noexcept nogil:
    """A whole number that is ordered as the keys are."""
    cdef uint64_t bits
    memcpy(&bits, &key, sizeof(double))
    return bits ^ ((<uint64_t>0 - (bits >> 63)) | (<uint64_t>1 << 63))


cdef void sort_by_merging(Search* search, int64_t n) noexcept nogil:
    cdef Entry* source = search.entries
    cdef Entry* place = search.spare
    cdef Entry* other
    cdef Entry entry
    cdef int64_t start = 0, i, j, middle, stop, width = RUN, out
    while start < n:
        for i in range(start + 1, min(start + RUN, n)):
            entry = source[i]
            j = i
            while j > start and source[j - 1].key > entry.key:
                source[j] = source[j - 1]
                j -= 1
            source[j] = entry
        start += RUN
    while width < n:
        start = 0
        while start < n:
            middle = min(start + width, n)
            stop = min(middle + width, n)
            i, j = start, middle
            for out in range(start, stop):
                if i < middle and (j >= stop or source[i].key <= source[j].key):
                    place[out] = source[i]
                    i += 1
                else:
                    place[out] = source[j]
                    j += 1
            start = stop
        other = source
        source = place
        place = other
        width *= 2
    search.entries = source
    search.spare = place


cdef void sort_by_digits(Search* search, int64_t n) noexcept nogil:
    cdef int32_t* counters = search.counters
    cdef int32_t* counter
    cdef Entry* other
    cdef uint64_t digits, mask = (1 << BITS) - 1
    cdef int32_t before, count
    cdef int64_t i
    cdef int d, value
    memset(counters, 0, DIGITS * (1 << BITS) * sizeof(int32_t))
    for i in range(n):
        digits = digits_of(search.entries[i].key)
        for d in range(DIGITS):
            counters[(d << BITS) + ((digits >> (d * BITS)) & mask)] += 1
    for d in range(DIGITS):
        counter = counters + (d << BITS)
        if counter[(digits_of(search.entries[0].key) >> (d * BITS)) & mask] == n:
            continue  # all alike
        before = 0
        for value in range(1 << BITS):
            count = counter[value]
            counter[value] = before
            before += count
        for i in range(n):
            value = <int>((digits_of(search.entries[i].key) >> (d * BITS)) & mask)
            search.spare[counter[value]] = search.entries[i]
            counter[value] += 1
        other = search.entries
        search.entries = search.spare
        search.spare = other


cdef void sort_entries(Search* search, int64_t n) noexcept nogil:
    """By key; equal keys stay in order."""
    if search.given.n_rows > RADIX_FROM and n > RADIX_FROM:
        sort_by_digits(search, n)
    elif n > 1:
        sort_by_merging(search, n)
