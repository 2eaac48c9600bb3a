# Part of grower.pyx: best-first growth: the leaf with the greatest gain is split first.


cdef void sift_up(Waiting* heap, int64_t place) noexcept nogil:
    cdef Waiting moved = heap[place]
    cdef int64_t above
    while place > 0:
        above = (place - 1) >> 1
        if not ahead(&moved, &heap[above]):
            break
        heap[place] = heap[above]
        place = above
    heap[place] = moved


cdef void sift_down(Waiting* heap, int64_t n) noexcept nogil:
    """Remove the first entry: the last takes its place and sinks."""
    cdef Waiting moved = heap[n]
    cdef int64_t place = 0, below_it
    while True:
        below_it = 2 * place + 1
        if below_it >= n:
            break
        if below_it + 1 < n and ahead(&heap[below_it + 1], &heap[below_it]):
            below_it += 1
        if not ahead(&heap[below_it], &moved):
            break
        heap[place] = heap[below_it]
        place = below_it
    heap[place] = moved


cdef inline bint ahead(const Waiting* one, const Waiting* other) noexcept nogil:
    """Whether one split has the greater gain; the older node wins ties."""
    if one.found.score != other.found.score:
        return one.found.score > other.found.score
    return one.task.node < other.task.node


cdef int wait_for(Tally* width, const Job* job, Room* room, Task task, Waiting* heap, int64_t* n) noexcept nogil:
    """Add a node that can be split to the queue."""
    cdef Waiting* entry = &heap[n[0]]
    entry.task = task
    entry.task.n_constant = 0  # the list of constant columns is valid only during depth-first growth
    entry.codes = NULL
    if not examine(width, job, room, &entry.task, &entry.found):
        return DONE
    if entry.found.n_codes:
        entry.codes = <int32_t*>malloc(entry.found.n_codes * sizeof(int32_t))
        if not entry.codes:
            return NO_MEMORY
        memcpy(entry.codes, room.best_codes, entry.found.n_codes * sizeof(int32_t))
    n[0] += 1
    sift_up(heap, n[0] - 1)
    return DONE


cdef int grow_best_first(Tally* width, const Job* job, Room* room, Task root) noexcept nogil:
    """Split the leaf with the greatest gain until the maximum number of leaves is reached."""
    cdef Waiting* heap = <Waiting*>malloc((job.max_leaves + 2) * sizeof(Waiting))
    cdef Task children[2]
    cdef Waiting chosen
    cdef int64_t n = 0, n_leaves = 1, i
    cdef int status
    if not heap:
        return NO_MEMORY
    status = wait_for(width, job, room, root, heap, &n)
    while status == DONE and n and n_leaves < job.max_leaves:
        chosen = heap[0]
        n -= 1
        sift_down(heap, n)
        if chosen.codes != NULL:
            memcpy(room.best_codes, chosen.codes, chosen.found.n_codes * sizeof(int32_t))
            free(chosen.codes)
        status = divide(job, room, &chosen.task, &chosen.found, children)
        n_leaves += 1
        if n_leaves == job.max_leaves:
            break
        if stopping():
            status = CANCELLED
        for i in range(2):
            if status == DONE:
                status = wait_for(width, job, room, children[i], heap, &n)
    for i in range(n):
        free(heap[i].codes)
    free(heap)
    return status
