# Part of boost.pyx: grow a tree; the leaf with the greatest gain is split first.


cdef int add_nodes(Job* job, int64_t count) noexcept nogil:
    """Make room for more nodes; returns 1 if memory runs out."""
    cdef int64_t room = 2 * job.room + count
    if job.n_nodes + count > job.room:
        if not hb_resize(&job.nodes, room * sizeof(Node)) or not hb_resize(&job.heap, room * sizeof(int32_t)):
            return 1
        job.room = room
    memset(job.nodes + job.n_nodes, 0, count * sizeof(Node))
    job.n_nodes += count
    return 0


# ---- memory for sums ----


cdef int32_t take_slot(Job* job) noexcept nogil:
    """Memory for a node's sums; NO_SLOT if there is none left; both of its children are then counted."""
    if job.n_free:
        job.n_free -= 1
        return job.free_slots[job.n_free]
    if job.n_slots == job.most_slots:
        return NO_SLOT
    job.slots[job.n_slots] = <int64_t*>hb_take(job.slot_size)
    if job.slots[job.n_slots] == NULL:
        return NO_SLOT
    job.n_slots += 1
    return job.n_slots - 1


cdef void give_slot(Job* job, Node* node) noexcept nogil:
    if node.slot != NO_SLOT:
        job.free_slots[job.n_free] = node.slot
        job.n_free += 1
    node.slot = NO_SLOT


# ---- leaves in the order of their gains ----


cdef inline bint comes_first(const Job* job, int32_t one, int32_t other) noexcept nogil:
    if job.nodes[one].split.gain != job.nodes[other].split.gain:
        return job.nodes[one].split.gain > job.nodes[other].split.gain
    return one < other


cdef void push(Job* job, int32_t node) noexcept nogil:
    cdef int64_t place = job.n_heap, above
    job.n_heap += 1
    while place > 0:
        above = (place - 1) // 2
        if comes_first(job, job.heap[above], node):
            break
        job.heap[place] = job.heap[above]
        place = above
    job.heap[place] = node


cdef int32_t pop(Job* job) noexcept nogil:
    cdef int32_t top = job.heap[0], last
    cdef int64_t place = 0, below
    job.n_heap -= 1
    last = job.heap[job.n_heap]
    while 2 * place + 1 < job.n_heap:
        below = 2 * place + 1
        if below + 1 < job.n_heap and comes_first(job, job.heap[below + 1], job.heap[below]):
            below += 1
        if comes_first(job, last, job.heap[below]):
            break
        job.heap[place] = job.heap[below]
        place = below
    if job.n_heap:
        job.heap[place] = last
    return top


# ---- rows to branches ----


cdef void sides(const Job* job, const Node* node, uint8_t* side) noexcept nogil:
    """Find the branch of every code of the column that a node tests."""
    cdef const Column* column = &job.columns[node.split.column]
    cdef int32_t code
    for code in range(column.n_codes):
        if column.nominal:
            side[code] = not (node.split.codes[code >> 6] >> (code & 63)) & 1
        else:
            side[code] = code > node.split.cut
    if column.n_codes < BINS:
        side[column.n_codes] = node.split.missing


cdef int64_t part_rows(const Job* job, uint32_t* rows, int64_t n, uint32_t* stay, uint32_t* spare) noexcept nogil:
    cdef const Column* column = &job.columns[job.split_column]
    if column.wide != NULL:
        return hb_part_wide(rows, n, stay, spare, column.wide, job.side)
    return hb_part(rows, n, stay, spare, column.codes, job.side)


cdef void part_work(void* what, int number) noexcept nogil:
    """Move pieces of a node's rows to two buffers, then both to their final position."""
    cdef Job* job = <Job*>what
    cdef const Node* node = &job.nodes[job.pair[0]]
    cdef int64_t n = node.n_rows, first, size, before, after
    cdef int piece, other, n_pieces = job.n_pieces[0]
    while True:
        piece = hb_crew_next(&job.piece_counter[0])
        if piece >= n_pieces:
            break
        first = n * piece // n_pieces
        size = n * (piece + 1) // n_pieces - first
        job.part_counts[piece] = part_rows(job, job.rows + node.begin + first, size, job.stay + first,
                                           job.spare + first)
        hb_crew_done(&job.pieces_done[0])
    hb_crew_wait(&job.pieces_done[0], n_pieces)
    while True:
        piece = hb_crew_next(&job.piece_counter[1])
        if piece >= n_pieces:
            break
        first = n * piece // n_pieces
        size = n * (piece + 1) // n_pieces - first
        before = node.begin
        for other in range(piece):
            before += job.part_counts[other]
        after = node.begin + first - (before - node.begin)
        for other in range(n_pieces):
            after += job.part_counts[other]
        memcpy(job.rows + before, job.stay + first, job.part_counts[piece] * sizeof(uint32_t))
        memcpy(job.rows + after, job.spare + first, (size - job.part_counts[piece]) * sizeof(uint32_t))


cdef int64_t divide(Job* job, int32_t number) noexcept nogil:
    """Send a node's rows to its branches; returns how many take the first."""
    cdef Node* node = &job.nodes[number]
    cdef uint8_t side[BINS]
    cdef uint32_t* rows = job.rows + node.begin
    cdef int64_t kept = 0
    cdef int other
    job.split_column = node.split.column
    job.pair[0] = number
    if node.wide_side != NULL:
        job.side = node.wide_side
    else:
        sides(job, node, side)
        job.side = side
    job.team = 1 if node.n_rows < ALONE_CELLS else job.crew.size
    if job.team > 1:
        job.n_pieces[0] = pieces_of(job, node.n_rows)
        job.piece_counter[0] = job.piece_counter[1] = job.pieces_done[0] = 0
        hb_crew_run(job.crew, part_work, job)
        for other in range(job.n_pieces[0]):
            kept += job.part_counts[other]
        return kept
    kept = part_rows(job, rows, node.n_rows, rows, job.spare)
    memcpy(rows + kept, job.spare, (node.n_rows - kept) * sizeof(uint32_t))
    return kept


cdef void limit_children(const Job* job, const Node* node, Node* one, Node* other) noexcept nogil:
    """Pass limits down: below a monotone split, neither side may cross the midpoint."""
    cdef double unit = job.gradient_unit / job.curve_unit, middle
    cdef int32_t monotone = job.columns[node.split.column].monotone
    one.low = other.low = node.low
    one.high = other.high = node.high
    if not monotone:
        return
    middle = 0.5 * unit * (
        best_value(<double>gradient_of(one.total), <double>curve_of(one.total), job.l1, job.l2,
                   node.low / unit, node.high / unit)
        + best_value(<double>gradient_of(other.total), <double>curve_of(other.total), job.l1, job.l2,
                     node.low / unit, node.high / unit))
    middle = min(max(middle, node.low), node.high)
    if monotone > 0:
        one.high = middle
        other.low = middle
    else:
        one.low = middle
        other.high = middle


cdef double weight_of_rows(const Job* job, const Node* node) noexcept nogil:
    cdef const uint32_t* rows = job.rows + node.begin
    cdef double weight = 0.0
    cdef int64_t i
    if job.weight == NULL:
        return <double>node.n_rows
    for i in range(node.n_rows):
        weight += job.weight[rows[i]]
    return weight


cdef int split_node(Job* job, int32_t number, bint last) noexcept nogil:
    """Create a node's children, and search their splits unless the maximum number of leaves is reached."""
    cdef int32_t first = <int32_t>job.n_nodes, slot
    cdef int64_t kept
    cdef Node* node
    cdef Node* one
    cdef Node* other
    if add_nodes(job, 2):
        return 1
    kept = divide(job, number)
    node = &job.nodes[number]
    one = &job.nodes[first]
    other = &job.nodes[first + 1]
    node.first_child = first
    node.gain = 0.5 * node.split.gain * job.gradient_unit * job.gradient_unit / job.curve_unit
    one.begin = node.begin
    one.n_rows = kept
    one.total = node.split.first_sum
    other.begin = node.begin + kept
    other.n_rows = node.n_rows - kept
    other.total = node.total - one.total
    one.depth = other.depth = node.depth + 1
    one.first_child = other.first_child = -1
    if job.weight == NULL:
        one.weight = <double>kept
    else:  # read the rows of the smaller child
        one.weight = weight_of_rows(job, one) if 2 * kept <= node.n_rows else node.weight - weight_of_rows(job, other)
    other.weight = node.weight - one.weight
    limit_children(job, node, one, other)
    if node.split.missing < 0:  # no value is missing here: missing values in new rows take the heavier branch
        node.split.missing = other.weight > one.weight
    slot = node.slot
    node.slot = NO_SLOT
    if last:
        one.slot = other.slot = NO_SLOT
        if slot != NO_SLOT:
            job.free_slots[job.n_free] = slot
            job.n_free += 1
        return 0
    return open_pair(job, first, first + 1, slot)


cdef int grow_tree(Job* job) noexcept nogil:
    """Grow a tree from the rows in Job.rows; returns 1 if memory runs out, INTERRUPTED if it should stop."""
    cdef int64_t n_leaves = 1, i
    cdef Node* root
    for i in range(job.n_nodes):
        free(job.nodes[i].wide_side)
        job.nodes[i].wide_side = NULL
    job.n_nodes = job.n_heap = 0
    job.n_free = job.n_slots
    for i in range(job.n_slots):
        job.free_slots[i] = <int32_t>i
    if add_nodes(job, 1):
        return 1
    root = &job.nodes[0]
    root.n_rows = job.n_used
    root.first_child = -1
    root.low = -INFINITY
    root.high = INFINITY
    root.slot = NO_SLOT
    root.weight = weight_of_rows(job, root)
    root.total = job.all_total
    if not job.in_order:
        root.total = 0
        for i in range(job.n_used):
            root.total += job.words[job.rows[i]]
    if job.max_leaves > 1 and open_pair(job, 0, -1, NO_SLOT):
        return 1
    while job.n_heap and n_leaves < job.max_leaves:
        n_leaves += 1
        if split_node(job, pop(job), n_leaves == job.max_leaves):
            return 1
        if stopping():
            return INTERRUPTED
    return 0
