# The nearest rows: a tile of rows is compared with one block of others at a time, so that the block stays in the cache.

cdef enum:
    TILE = 16

cdef struct Candidate:
    double distance
    int64_t row

cdef struct Search:
    double* heap  # the k smallest distances so far, the largest first
    int64_t n_heap
    Candidate* found  # by row; `room` of them, and as many again for sorting
    int64_t n_found
    int64_t room


cdef void sink(double* heap, int64_t n, int64_t place) noexcept nogil:
    cdef int64_t child
    cdef double held = heap[place]
    while True:
        child = 2 * place + 1
        if child >= n:
            break
        if child + 1 < n and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= held:
            break
        heap[place] = heap[child]
        place = child
    heap[place] = held


cdef void note_distance(Search* s, double d, int64_t k) noexcept nogil:
    cdef int64_t place, parent
    if s.n_heap < k:
        place = s.n_heap
        s.n_heap += 1
        while place > 0:
            parent = (place - 1) // 2
            if s.heap[parent] >= d:
                break
            s.heap[place] = s.heap[parent]
            place = parent
        s.heap[place] = d
    elif d < s.heap[0]:
        s.heap[0] = d
        sink(s.heap, k, 0)


cdef bint note(Search* s, double d, int64_t row, int64_t k, bint all_tied) noexcept nogil:
    """Keep a row that may be among the nearest; False if memory runs out."""
    cdef int64_t i, kept
    if s.n_heap == k and (d > s.heap[0] or (d == s.heap[0] and not all_tied)):
        return True
    note_distance(s, d, k)
    if s.n_found == s.room:
        kept = 0  # drop those that are too far by now
        for i in range(s.n_found):
            if s.found[i].distance <= s.heap[0] or s.n_heap < k:
                s.found[kept] = s.found[i]
                kept += 1
        s.n_found = kept
        if 2 * kept > s.room:
            if not hb_resize(&s.found, 4 * s.room * sizeof(Candidate)):
                return False
            s.room *= 2
    s.found[s.n_found].distance = d
    s.found[s.n_found].row = row
    s.n_found += 1
    return True


cdef void finish(Search* s, int64_t k, bint all_tied) noexcept nogil:
    cdef int64_t i, kept = 0
    cdef void* sorted_rows
    for i in range(s.n_found):
        if s.found[i].distance <= s.heap[0]:
            s.found[kept] = s.found[i]
            kept += 1
    sorted_rows = hb_merge_sort(s.found, s.found + s.room, kept, sizeof(Candidate))  # ties stay ordered by row
    if sorted_rows != <void*>s.found:
        memcpy(s.found, sorted_rows, kept * sizeof(Candidate))
    s.n_found = kept if all_tied or kept < k else k


cdef bint ask(const Measure* m, const Rows* a, const int64_t* skip, int64_t first, int64_t n_asking, const Rows* b,
              int64_t k, bint all_tied, bint rooted, Search* searches) noexcept nogil:
    cdef int64_t block, start, n, t, j
    cdef double sums[BLOCK]
    cdef double known[BLOCK]
    cdef Search* s
    for block in range((b.n_rows + BLOCK - 1) // BLOCK):
        start = block * BLOCK
        n = min(<int64_t>BLOCK, b.n_rows - start)
        for t in range(n_asking):
            s = &searches[t]
            sums_of(m, a, first + t, b, start, n, sums, known)
            if rooted and m.squared:
                hb_d_roots(sums, n)
            for j in range(n):
                if s.n_heap == k and sums[j] > s.heap[0]:
                    continue
                if skip != NULL and skip[first + t] == start + j:
                    continue
                if not note(s, sums[j], start + j, k, all_tied):
                    return False
    for t in range(n_asking):
        finish(&searches[t], k, all_tied)
    return True


def nearest(Columns columns, a_numbers, a_codes, a_complete, b_numbers, b_codes, b_complete, const int64_t[::1] skip,
            int64_t k, bint all_tied, bint rooted):
    """The k nearest rows of b for every row of a, by distance and then by row.

    With `all_tied`, all rows at the distance of the k-th are returned; otherwise only the first of them. `skip` has,
    for every row of a, a row of b that does not count (-1: none), or is empty. With `rooted`, ties are those of rooted
    distances. Returns where each row's neighbors begin, the rows and the distances.
    """
    cdef Rows a = rows_of(a_numbers, a_codes, a_complete), b = rows_of(b_numbers, b_codes, b_complete)
    cdef const Measure* m = &columns.measure
    cdef const int64_t* skipped = &skip[0] if skip.shape[0] else NULL
    cdef int64_t tile, first, t, j, n, total, n_asking
    cdef bint right = True
    cdef Search searches[TILE]
    cdef int64_t[::1] rows
    cdef double[::1] distances
    start_array = np.zeros(a.n_rows + 1, np.int64)
    cdef int64_t[::1] start = start_array
    pieces = []
    for t in range(TILE):
        searches[t].heap = <double*>malloc(k * sizeof(double))
        searches[t].room = 2 * k + 64
        searches[t].found = <Candidate*>malloc(2 * searches[t].room * sizeof(Candidate))
        right = right and searches[t].heap != NULL and searches[t].found != NULL
    try:
        for tile in range((a.n_rows + TILE - 1) // TILE):
            first = tile * TILE
            n_asking = min(<int64_t>TILE, a.n_rows - first)
            poll()
            if right:
                with nogil:
                    for t in range(TILE):
                        searches[t].n_heap = searches[t].n_found = 0
                    right = ask(m, &a, skipped, first, n_asking, &b, k, all_tied, rooted, searches)
            if not right:
                raise MemoryError
            total = 0
            for t in range(n_asking):
                total += searches[t].n_found
            row_array, distance_array = np.empty(total, np.int64), np.empty(total)
            rows, distances = row_array, distance_array
            n = 0
            for t in range(n_asking):
                for j in range(searches[t].n_found):
                    rows[n] = searches[t].found[j].row
                    distances[n] = searches[t].found[j].distance
                    n += 1
                start[first + t + 1] = start[first + t] + searches[t].n_found
            pieces.append((row_array, distance_array))
    finally:
        for t in range(TILE):
            free(searches[t].heap)
            free(searches[t].found)
    found = np.concatenate([piece[0] for piece in pieces] or [np.empty(0, np.int64)])
    far = np.concatenate([piece[1] for piece in pieces] or [np.empty(0)])
    return start_array, found, np.sqrt(far) if m.squared and not rooted else far
