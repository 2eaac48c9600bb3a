# Part of solve.pyx: a cache of rows of kernel values in one block of memory; the least recently used row is evicted
# first. A slot holds the values of one row with those at the first `filled` positions. The slots are as long as the
# number of active rows: when that changes, the number of slots changes too.

cdef struct Cache:
    float* memory
    int64_t room  # floats
    int64_t length  # of a slot
    int64_t n_slots
    int64_t most_slots
    int64_t* slot_of  # by position; -1: none
    int64_t* held  # by slot: the position of its row; -1: none
    int64_t* filled
    int64_t* newer  # a ring; its ends are at index `most_slots`
    int64_t* older


cdef void unlink_slot(Cache* cache, int64_t slot) noexcept nogil:
    cache.newer[cache.older[slot]] = cache.newer[slot]
    cache.older[cache.newer[slot]] = cache.older[slot]


cdef void link_newest(Cache* cache, int64_t slot) noexcept nogil:
    cdef int64_t end = cache.most_slots, newest = cache.older[end]
    cache.older[end] = slot
    cache.newer[slot] = end
    cache.older[slot] = newest
    cache.newer[newest] = slot


cdef void link_oldest(Cache* cache, int64_t slot) noexcept nogil:
    cdef int64_t end = cache.most_slots, oldest = cache.newer[end]
    cache.newer[end] = slot
    cache.older[slot] = end
    cache.newer[slot] = oldest
    cache.older[oldest] = slot


cdef void lay_out(Cache* cache, int64_t length) noexcept nogil:
    """Change the length of slots; their contents must have been moved before."""
    cdef int64_t slot, n_slots = min(cache.room // length, cache.most_slots)
    for slot in range(n_slots, cache.n_slots):
        if cache.held[slot] >= 0:
            cache.slot_of[cache.held[slot]] = -1
        unlink_slot(cache, slot)
    for slot in range(cache.n_slots, n_slots):
        cache.held[slot] = -1
        cache.filled[slot] = 0
        link_oldest(cache, slot)
    cache.n_slots = n_slots
    cache.length = length


cdef int64_t take_slot(Cache* cache, int64_t position) noexcept nogil:
    """The slot of a row, now the most recently used; the caller must fill in missing values."""
    cdef int64_t slot = cache.slot_of[position]
    if slot < 0:
        slot = cache.newer[cache.most_slots]
        if cache.held[slot] >= 0:
            cache.slot_of[cache.held[slot]] = -1
        cache.held[slot] = position
        cache.filled[slot] = 0
        cache.slot_of[position] = slot
    unlink_slot(cache, slot)
    link_newest(cache, slot)
    return slot


cdef int64_t count_below(const int64_t* sorted, int64_t n, int64_t bound) noexcept nogil:
    cdef int64_t low = 0, high = n, middle
    while low < high:
        middle = (low + high) // 2
        if sorted[middle] < bound:
            low = middle + 1
        else:
            high = middle
    return low


cdef void narrow_cache(Cache* cache, const int64_t* kept, int64_t n_kept, const int64_t* new_place) noexcept nogil:
    """Keep the values at positions `kept`, in that order; rows that are no longer active are dropped."""
    cdef int64_t slot, k, old, n, length = whole_tiles(n_kept) * HB_TILE
    cdef float* source
    cdef float* goal
    for slot in range(cache.n_slots):
        old = cache.held[slot]
        if old < 0:
            continue
        if new_place[old] >= n_kept:
            cache.held[slot] = -1
            cache.filled[slot] = 0
            unlink_slot(cache, slot)
            link_oldest(cache, slot)
            continue
        cache.held[slot] = new_place[old]
        n = count_below(kept, n_kept, cache.filled[slot])
        source = cache.memory + slot * cache.length
        goal = cache.memory + slot * length  # never after the position it is read from
        for k in range(n):
            goal[k] = source[kept[k]]
        cache.filled[slot] = n
    lay_out(cache, length)


cdef void widen_cache(Cache* cache, int64_t n) noexcept nogil:
    """Make room for more values per row; rows that no longer fit are dropped."""
    cdef int64_t slot, length = whole_tiles(n) * HB_TILE
    cdef int64_t n_slots = min(cache.room // length, cache.most_slots)
    for slot in range(min(n_slots, cache.n_slots) - 1, -1, -1):
        if cache.filled[slot] > 0:
            memmove(
                cache.memory + slot * length, cache.memory + slot * cache.length,
                <size_t>cache.filled[slot] * sizeof(float),
            )
    lay_out(cache, length)
