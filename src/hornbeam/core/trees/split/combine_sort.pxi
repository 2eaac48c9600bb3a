# Part of combine.pyx: sorting entries by key: merge sort for few, radix sort for many.


cdef inline uint64_t digits_of(double key) noexcept nogil:
    """An integer with the same order as the keys."""
    cdef uint64_t bits
    memcpy(&bits, &key, sizeof(double))
    return bits ^ ((<uint64_t>0 - (bits >> 63)) | (<uint64_t>1 << 63))


cdef void sort_by_merging(Search* search, int64_t n) noexcept nogil:
    cdef Entry* other = search.entries
    search.entries = <Entry*>hb_merge_sort(search.entries, search.spare, n, sizeof(Entry))
    if search.entries != other:
        search.spare = other


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
            continue  # all equal
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
    """Sort by key; stable."""
    if search.given.n_rows > RADIX_FROM and n > RADIX_FROM:
        sort_by_digits(search, n)
    elif n > 1:
        sort_by_merging(search, n)
