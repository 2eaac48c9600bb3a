# Part of boost.pyx: two siblings, their sums by bin and their best splits.


cdef int pieces_of(const Job* job, int64_t n_rows) noexcept nogil:
    """Into how many pieces a node's rows are divided: several per thread, so that no thread waits long for the last."""
    if job.team == 1:
        return 1
    return <int>max(1, min(min(n_rows // PIECE, 4 * job.team), MOST_PIECES))


cdef const uint32_t* rows_of(const Job* job, const Node* node) noexcept nogil:
    return NULL if job.in_order and node.n_rows == job.n_rows else job.rows + node.begin


cdef int64_t* sums_of(const Job* job, int32_t which, int number) noexcept nogil:
    """The sums to which a thread adds a node's rows."""
    if number == 0:
        return job.pair_sums[which]
    return job.scratch[number].private_sums + which * (job.slot_size // <int64_t>sizeof(int64_t))


cdef void add_up(Job* job, int32_t which, int number) noexcept nogil:
    """Count pieces of a node's rows until all are done."""
    cdef const Node* node = &job.nodes[job.pair[which]]
    cdef const uint32_t* rows = rows_of(job, node)
    cdef const uint32_t* own = NULL
    cdef int64_t* sums = sums_of(job, which, number)
    cdef int64_t first, end
    cdef int piece, n_pieces = job.n_pieces[which]
    while True:
        piece = hb_crew_next(&job.piece_counter[which])
        if piece >= n_pieces:
            break
        if not job.took_part[which][number]:
            job.took_part[which][number] = True
            memset(sums, 0, <int64_t>job.n_groups * BINS * sizeof(int64_t))
        first = node.n_rows * piece // n_pieces
        end = node.n_rows * (piece + 1) // n_pieces
        if rows != NULL:
            own = rows + first
        hb_sum(job.records, job.stride, job.n_groups, job.words, own, first, end - first, sums)
        hb_crew_done(&job.pieces_done[which])
    hb_crew_wait(&job.pieces_done[which], n_pieces)


cdef void join(const Job* job, int32_t which, int32_t g) noexcept nogil:
    """Add every thread's sums of a byte to those of thread 0."""
    cdef int64_t* sums = job.pair_sums[which] + <int64_t>g * BINS
    cdef const int64_t* other
    cdef int32_t b, n = job.groups[g].n_codes
    cdef int number
    if not job.took_part[which][0]:
        memset(sums, 0, n * sizeof(int64_t))
    for number in range(1, job.team):
        if job.took_part[which][number]:
            other = sums_of(job, which, number) + <int64_t>g * BINS
            for b in range(n):
                sums[b] += other[b]


cdef inline bint is_counted(const Job* job, int32_t which) noexcept nogil:
    return job.pair[which] >= 0 and not (which == 1 and job.subtract)


cdef void siblings_work(void* what, int number) noexcept nogil:
    """Compute sums of one or two nodes, then their best splits; threads share the bytes and wide columns."""
    cdef Job* job = <Job*>what
    cdef Scratch* scratch = &job.scratch[number]
    cdef int32_t item, b, which, n_items = job.n_groups + job.n_columns
    cdef int64_t* small
    cdef int64_t* large
    cdef double parent[2]
    for which in range(2):
        if job.pair[which] >= 0:
            parent[which] = worth_of_node(job, &job.nodes[job.pair[which]])
    for which in range(2):
        if is_counted(job, which):
            add_up(job, which, number)
    while True:
        item = hb_crew_next(&job.counter)
        if item >= n_items:
            break
        if item < job.n_groups:
            for which in range(2):
                if is_counted(job, which):
                    join(job, which, item)
            small = job.pair_sums[0] + <int64_t>item * BINS
            large = job.pair_sums[1] + <int64_t>item * BINS
            if job.subtract:
                for b in range(job.groups[item].n_codes):
                    large[b] -= small[b]
            if job.wanted[0]:
                search_group(job, scratch, 0, item, small, parent[0])
            if job.wanted[1]:
                search_group(job, scratch, 1, item, large, parent[1])
            continue
        item -= job.n_groups
        if job.columns[item].wide == NULL or not job.active[item]:
            continue
        for which in range(2):
            if job.wanted[which]:
                search_wide(job, scratch, which, item, parent[which])


cdef double weight_of_branch(const Job* job, const Node* node) noexcept nogil:
    """The weight of the rows that take the first branch of a node's split."""
    cdef const uint32_t* rows = job.rows + node.begin
    cdef const Column* column = &job.columns[node.split.column]
    cdef uint8_t side[BINS]
    cdef double weight = 0.0
    cdef int64_t i
    if column.wide != NULL:
        for i in range(node.n_rows):
            if node.wide_side[column.wide[rows[i]]] == 0:
                weight += 1.0 if job.weight == NULL else job.weight[rows[i]]
        return weight
    sides(job, node, side)
    for i in range(node.n_rows):
        if side[column.codes[rows[i]]] == 0:
            weight += 1.0 if job.weight == NULL else job.weight[rows[i]]
    return weight


cdef int decide(Job* job, int32_t which) noexcept nogil:
    """Take the best split found by all threads and verify it; returns 1 if memory runs out."""
    cdef Node* node = &job.nodes[job.pair[which]]
    cdef Split* found
    cdef double weight, first, rest
    cdef int number
    node.split = job.scratch[0].best[which]
    for number in range(1, job.team):
        found = &job.scratch[number].best[which]
        if takes_over(found.gain, found.column, &node.split):
            node.split = found[0]
    if node.split.column < 0:
        return 0
    if job.columns[node.split.column].wide != NULL and name_wide_set(job, &job.scratch[0], node):
        return 1
    first = <double>curve_of(node.split.first_sum)
    rest = <double>curve_of(node.total) - first
    if first >= job.sure and rest >= job.sure:
        return 0
    weight = weight_of_branch(job, node)
    if weight >= job.min_weight and node.weight - weight >= job.min_weight:
        return 0
    free(node.wide_side)
    node.wide_side = NULL
    search_exactly(job, &job.scratch[0], which, &node.split)
    if node.split.column >= 0 and job.columns[node.split.column].wide != NULL:
        return name_wide_set(job, &job.scratch[0], node)
    return 0


cdef int open_pair(Job* job, int32_t first, int32_t second, int32_t slot) noexcept nogil:
    """Compute sums and splits of two children (or of the root); `slot`: the parent's sums, reused by the larger."""
    cdef int32_t number, which
    cdef int64_t most = 0
    cdef Node* node
    cdef bint any_wanted = False
    job.pair[0], job.pair[1] = first, second
    if second >= 0 and job.nodes[second].n_rows < job.nodes[first].n_rows:
        job.pair[0], job.pair[1] = second, first
    for which in range(2):
        job.wanted[which] = False
        if job.pair[which] >= 0:
            node = &job.nodes[job.pair[which]]
            node.slot = NO_SLOT
            job.wanted[which] = (node.n_rows > 1 and node.weight >= 2 * job.min_weight
                                 and (job.max_depth < 0 or node.depth < job.max_depth))
            any_wanted = any_wanted or job.wanted[which]
    if not any_wanted:
        if slot != NO_SLOT:
            job.free_slots[job.n_free] = slot
            job.n_free += 1
        return 0
    job.subtract = slot != NO_SLOT
    if not job.subtract and not job.wanted[0]:
        job.pair[0] = -1
    if not job.wanted[1]:  # then only the smaller child is searched
        if slot != NO_SLOT:
            job.free_slots[job.n_free] = slot
            job.n_free += 1
        job.subtract = False
        job.pair[1] = -1
    for which in range(2):
        if job.pair[which] < 0:
            continue
        node = &job.nodes[job.pair[which]]
        node.slot = slot if which == 1 and job.subtract else take_slot(job)
        # the last two slots are used only briefly
        job.pair_sums[which] = job.slots[job.most_slots + which] if node.slot == NO_SLOT else job.slots[node.slot]
        if is_counted(job, which):
            most += node.n_rows * max(job.n_groups, 1)
    job.team = 1 if most < ALONE_CELLS else job.crew.size
    job.counter = 0
    for which in range(2):
        job.piece_counter[which] = job.pieces_done[which] = 0
        if job.pair[which] >= 0:
            job.n_pieces[which] = pieces_of(job, job.nodes[job.pair[which]].n_rows)
        for number in range(job.team):
            job.took_part[which][number] = False
            job.scratch[number].best[which].gain = 0.0
            job.scratch[number].best[which].column = -1
    memset(job.column_gain[0], 0, 2 * job.n_columns * sizeof(double))
    if job.team == 1:
        siblings_work(job, 0)
    else:
        hb_crew_run(job.crew, siblings_work, job)
    for which in range(2):
        number = job.pair[which]
        if number < 0:
            continue
        if job.wanted[which] and decide(job, which):
            return 1
        node = &job.nodes[number]
        if not job.wanted[which] or node.split.column < 0 or not node.split.gain > job.min_gain:
            give_slot(job, node)
        else:
            push(job, number)
    return 0
