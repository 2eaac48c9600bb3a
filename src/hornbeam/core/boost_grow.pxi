# Part of boost.pyx: a tree, the leaf with the greatest gain split first.


cdef int add_nodes(Job* job, int64_t count) noexcept nogil:
    """Room for some more nodes; 1 where memory runs out."""
    cdef Node* nodes
    cdef int32_t* heap
    if job.n_nodes + count > job.room:
        nodes = <Node*>realloc(job.nodes, (2 * job.room + count) * sizeof(Node))
        if nodes == NULL:
            return 1
        job.nodes = nodes
        heap = <int32_t*>realloc(job.heap, (2 * job.room + count) * sizeof(int32_t))
        if heap == NULL:
            return 1
        job.heap = heap
        job.room = 2 * job.room + count
    memset(job.nodes + job.n_nodes, 0, count * sizeof(Node))
    job.n_nodes += count
    return 0


# ---- memory for sums ----


cdef int32_t take_slot(Job* job) noexcept nogil:
    """Memory for a node's sums; NO_SLOT where it has none, and its children are counted both."""
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


# ---- two siblings: sums and splits ----


cdef const uint32_t* rows_of(const Job* job, const Node* node) noexcept nogil:
    return NULL if job.in_order and node.n_rows == job.n_rows else job.rows + node.begin


cdef void add_up(Job* job, const Node* node, int number, int64_t* sums) noexcept nogil:
    """One's part of a node's rows, into sums that are zero before."""
    cdef int64_t first = node.n_rows * number // job.team, end = node.n_rows * (number + 1) // job.team
    cdef const uint32_t* rows = rows_of(job, node)
    memset(sums, 0, <int64_t>job.n_groups * BINS * sizeof(int64_t))
    hb_sum(job.records, job.stride, job.n_groups, job.words, NULL if rows == NULL else rows + first, first,
           end - first, sums)


cdef void join(Job* job, int32_t g, int64_t* sums) noexcept nogil:
    """Everyone's sums of a byte into those of number 0."""
    cdef int number
    cdef int32_t b, n = job.groups[g].n_codes
    cdef const int64_t* other
    for number in range(1, job.team):
        other = job.scratch[number].private_sums + <int64_t>g * BINS
        for b in range(n):
            sums[b] += other[b]


cdef void siblings_work(void* what, int number) noexcept nogil:
    """Sums of one or two nodes, then their best splits, bytes and wide columns shared out."""
    cdef Job* job = <Job*>what
    cdef Scratch* scratch = &job.scratch[number]
    cdef int32_t item, b, which, n_items = job.n_groups + job.n_columns
    cdef int64_t* small
    cdef int64_t* large
    cdef double parent[2]
    for which in range(2):
        scratch.best[which].gain = 0.0
        scratch.best[which].column = -1
        if job.pair[which] >= 0:
            parent[which] = worth_of_node(job, &job.nodes[job.pair[which]])
    for which in range(2):
        if job.pair[which] < 0 or (which == 1 and job.subtract):
            continue
        add_up(job, &job.nodes[job.pair[which]], number,
               job.pair_sums[which] if number == 0 else scratch.private_sums)
        if job.team > 1:
            hb_crew_meet(job.crew)
            for item in range(job.n_groups):
                if item % job.team == number:
                    join(job, item, job.pair_sums[which] + <int64_t>item * BINS)
            hb_crew_meet(job.crew)
    while True:
        item = hb_crew_next(&job.counter)
        if item >= n_items:
            break
        if item < job.n_groups:
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
    """Weight of the rows that take the first branch of a node's split."""
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
    """The best of what everyone found, made sure of; 1 where memory runs out."""
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
    """Sums and splits of two children (or of the root alone); `slot`: their parent's sums, which the larger takes."""
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
    if not job.wanted[1]:  # then only the smaller one's own
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
        # the last two slots are nobody's for long
        job.pair_sums[which] = job.slots[job.most_slots + which] if node.slot == NO_SLOT else job.slots[node.slot]
        if not (which == 1 and job.subtract):
            most += node.n_rows * max(job.n_groups, 1)
    job.team = 1 if most < ALONE_CELLS else job.crew.size
    job.counter = 0
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


# ---- rows to branches ----


cdef void sides(const Job* job, const Node* node, uint8_t* side) noexcept nogil:
    """The branch of every code of the column that a node asks for."""
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
    """One's part of a node's rows to two places, then both to where they belong."""
    cdef Job* job = <Job*>what
    cdef const Node* node = &job.nodes[job.pair[0]]
    cdef int64_t n = node.n_rows, first = n * number // job.team, end = n * (number + 1) // job.team
    cdef int64_t before = node.begin, after = node.begin, kept
    cdef int other
    kept = part_rows(job, job.rows + node.begin + first, end - first, job.stay + first, job.spare + first)
    job.part_counts[number] = kept
    hb_crew_meet(job.crew)
    for other in range(job.team):
        after += job.part_counts[other]
        if other < number:
            before += job.part_counts[other]
    for other in range(number):
        after += (n * (other + 1) // job.team - n * other // job.team) - job.part_counts[other]
    memcpy(job.rows + before, job.stay + first, kept * sizeof(uint32_t))
    memcpy(job.rows + after, job.spare + first, (end - first - kept) * sizeof(uint32_t))


cdef int64_t divide(Job* job, int32_t number) noexcept nogil:
    """Send a node's rows to its branches; gives how many take the first."""
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
        hb_crew_run(job.crew, part_work, job)
        for other in range(job.team):
            kept += job.part_counts[other]
        return kept
    kept = part_rows(job, rows, node.n_rows, rows, job.spare)
    memcpy(rows + kept, job.spare, (node.n_rows - kept) * sizeof(uint32_t))
    return kept


cdef void limit_children(const Job* job, const Node* node, Node* one, Node* other) noexcept nogil:
    """Hand limits down: below a monotone split, neither side may pass the middle."""
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
    """Give a node its children, and find out how they would be split unless no leaf may be added any more."""
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
    node.open = False
    node.gain = 0.5 * node.split.gain * job.gradient_unit * job.gradient_unit / job.curve_unit
    one.begin = node.begin
    one.n_rows = kept
    one.total = node.split.first_sum
    other.begin = node.begin + kept
    other.n_rows = node.n_rows - kept
    other.total = node.total - one.total
    one.depth = other.depth = node.depth + 1
    one.first_child = other.first_child = -1
    one.open = other.open = True
    if job.weight == NULL:
        one.weight = <double>kept
    else:  # the smaller one's rows are looked at
        one.weight = weight_of_rows(job, one) if 2 * kept <= node.n_rows else node.weight - weight_of_rows(job, other)
    other.weight = node.weight - one.weight
    limit_children(job, node, one, other)
    if node.split.missing < 0:  # none is missing here: one that comes later takes the heavier branch
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
    """Grow a tree from the rows in Job.rows; 1 where memory runs out."""
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
    root.open = True
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
    return 0
