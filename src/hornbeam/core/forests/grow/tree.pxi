# Part of grower.pyx: from the sampled rows to a tree.


cdef int64_t add_nodes(Nodes* nodes, int64_t count, const Job* job) noexcept nogil:
    """Make room for nodes; returns the number of the first, or -1 if memory runs out."""
    cdef int64_t first = nodes.n, room, n_outputs = max(job.n_classes, 1)
    if first + count > nodes.room:
        room = max(<int64_t>1024, nodes.room * 2)
        if (
            not hb_resize(&nodes.feature, room * sizeof(int32_t))
            or not hb_resize(&nodes.cut, room * sizeof(int32_t))
            or not hb_resize(&nodes.threshold, room * sizeof(double))
            or not hb_resize(&nodes.first_child, room * sizeof(int32_t))
            or not hb_resize(&nodes.missing, room)
            or not hb_resize(&nodes.set_stop, room * sizeof(int64_t))
            or not hb_resize(&nodes.weight, room * sizeof(float))
            or not hb_resize(&nodes.value, room * n_outputs * sizeof(float))
            or not hb_resize(&nodes.gain, room * sizeof(float))
            or not hb_resize(&nodes.sums, room * job.width * sizeof(double))
        ):
            return -1
        nodes.room = room
    nodes.n += count
    return first


cdef void make_leaf(const Job* job, Nodes* nodes, int64_t node) noexcept nogil:
    """Store a node's prediction from its sums; the node starts as a leaf."""
    cdef const double* sums = nodes.sums + node * job.width
    cdef double weight = weight_of(job, sums)
    cdef int32_t k
    nodes.feature[node] = -1
    nodes.first_child[node] = -1
    nodes.cut[node] = 0
    nodes.threshold[node] = 0.0
    nodes.missing[node] = 0
    nodes.set_stop[node] = 0
    nodes.gain[node] = 0.0
    nodes.weight[node] = <float>weight
    if job.n_classes == 0:
        nodes.value[node] = <float>(sums[1] / weight)
        return
    for k in range(job.n_classes):
        nodes.value[node * job.n_classes + k] = <float>(sums[k] / weight)


cdef bint is_pure(const Job* job, const uint8_t* records, int64_t n, const double* sums) noexcept nogil:
    """Whether a node's rows have the same target."""
    cdef int32_t k
    cdef int n_present = 0
    cdef int64_t i
    if job.n_classes:
        for k in range(job.n_classes):
            n_present += sums[k] > 0.0
        return n_present < 2
    for i in range(1, n):
        if number_of(job, records + i * job.size) != number_of(job, records):
            return False
    return True


cdef int keep_split(const Job* job, Room* room, const Found* found, int64_t node) noexcept nogil:
    """Store a node's split; returns NO_MEMORY or DONE."""
    cdef Nodes* nodes = &room.nodes
    nodes.feature[node] = found.feature
    nodes.missing[node] = <int8_t>found.missing
    nodes.gain[node] = <float>found.score
    if not job.nominal[found.feature]:
        nodes.cut[node] = found.cut
        nodes.threshold[node] = found.threshold
        # beyond the last bin there are only missing values
        if job.values[found.feature] == NULL and found.cut < job.n_bins[found.feature] - 1:
            nodes.threshold[node] = job.cuts[found.feature][found.cut]
        return DONE
    if nodes.n_codes + found.n_codes > nodes.codes_room:
        nodes.codes_room = max(<int64_t>256, 2 * (nodes.n_codes + found.n_codes))
        if not hb_resize(&nodes.codes, nodes.codes_room * sizeof(int32_t)):
            return NO_MEMORY
    memcpy(nodes.codes + nodes.n_codes, room.best_codes, found.n_codes * sizeof(int32_t))
    nodes.n_codes += found.n_codes
    nodes.cut[node] = found.n_codes
    nodes.set_stop[node] = nodes.n_codes
    return DONE


cdef bint examine(Tally* width, const Job* job, Room* room, Task* task, Found* found) noexcept nogil:
    """Search a node's split; returns whether there is one."""
    cdef int64_t n = task.end - task.begin
    cdef double weight
    found.feature = -1
    if n < 2 or task.depth >= job.max_depth:
        return False
    memcpy(room.total, room.nodes.sums + <int64_t>task.node * job.width, job.width * sizeof(double))
    weight = weight_of(job, room.total)
    if weight < job.min_split or weight < 2 * job.min_leaf:
        return False
    if is_pure(job, room.records + task.begin * job.size, n, room.total):
        return False
    search(width, job, room, task, found)
    if found.feature < 0:
        return False
    found.score -= mass(job, room.total, weight)
    return True


cdef int divide(const Job* job, Room* room, const Task* task, Found* found, Task* children) noexcept nogil:
    """Split a node; returns NO_MEMORY or DONE."""
    cdef Nodes* nodes = &room.nodes
    cdef int64_t first = add_nodes(nodes, 2, job), middle
    cdef int c
    if first < 0:
        return NO_MEMORY
    if task.end - task.begin == 2 and is_plain(job, found.feature) and found.low < found.high:
        middle = part_pair(job, room, task, found, nodes.sums + first * job.width)
    else:
        middle = part(job, room, task, found, nodes.sums + first * job.width)
    if keep_split(job, room, found, task.node) == NO_MEMORY:
        return NO_MEMORY
    nodes.first_child[task.node] = <int32_t>first
    for c in range(2):
        make_leaf(job, nodes, first + c)
        children[c].node = <int32_t>(first + c)
        children[c].depth = task.depth + 1
        children[c].n_constant = task.n_constant
        children[c].begin = task.begin if c == 0 else middle
        children[c].end = middle if c == 0 else task.end
    return DONE


cdef int grow_below(Tally* width, const Job* job, Room* room, Task root) noexcept nogil:
    """Grow everything below a node, depth first."""
    cdef Task stack[128]  # more than two for every halving of 2**32 rows
    cdef int64_t n_waiting = 1
    cdef Task task
    cdef Task children[2]
    cdef Found found
    stack[0] = root
    while n_waiting:
        n_waiting -= 1
        task = stack[n_waiting]
        if task.end - task.begin > FEWEST_POLLED and stopping():
            return CANCELLED
        if examine(width, job, room, &task, &found):
            if divide(job, room, &task, &found, children) == NO_MEMORY:
                return NO_MEMORY
            # the smaller one first, so that at most log2 n nodes wait
            if children[0].end - children[0].begin <= children[1].end - children[1].begin:
                stack[n_waiting] = children[1]
                stack[n_waiting + 1] = children[0]
            else:
                stack[n_waiting] = children[0]
                stack[n_waiting + 1] = children[1]
            n_waiting += 2
    return DONE


cdef int grow_tree(Tally* width, const Job* job, Room* room, uint64_t tree) noexcept nogil:
    """Draw rows, and grow a tree on them."""
    cdef Task root
    cdef int64_t n = draw_rows(job, room, tree), i
    cdef int32_t place, feature
    cdef int status
    if make_room(job, room, n) == NO_MEMORY or add_nodes(&room.nodes, 1, job) < 0:
        return NO_MEMORY
    write_records(job, room)
    room.random = mix(job.seed, tree, 1)
    for i in range(job.n_features):
        room.order[i] = <int32_t>i
    for i in range(job.n_pool if job.n_pool < job.n_features else 0):  # the columns that this tree may use
        place = <int32_t>(i + below(next_word(&room.random), job.n_features - i))
        feature = room.order[place]
        room.order[place] = room.order[i]
        room.order[i] = feature
    sum_rows(job, room.records, n, room.nodes.sums)
    make_leaf(job, &room.nodes, 0)
    root.node, root.depth, root.n_constant, root.begin, root.end = 0, 0, 0, 0, n
    if job.max_leaves > 0:
        status = grow_best_first(width, job, room, root)
    else:
        status = grow_below(width, job, room, root)
    set_pair_cuts(room)
    return status


cdef int make_room(const Job* job, Room* room, int64_t n) noexcept nogil:
    """Allocate memory for this many records, and some spare for the next tree; returns NO_MEMORY or DONE."""
    cdef int64_t most = min(job.n_rows, n + n // SPARE_SHARE), wide
    if n <= room.n_records:
        return DONE
    wide = most if job.any_wide else 1
    hb_pool_free(&room.record_pool)
    room.n_records = 0
    room.records = <uint8_t*>hb_pool_add(&room.record_pool, hb_take(most * job.size))
    room.spare = <uint8_t*>hb_pool_add(&room.record_pool, hb_take(most * job.size))
    room.near = <int32_t*>hb_pool_add(&room.record_pool, hb_take(most * sizeof(int32_t)))
    room.near_spare = <int32_t*>hb_pool_add(&room.record_pool, hb_take(most * sizeof(int32_t)))
    room.near_value = <double*>hb_pool_add(&room.record_pool, hb_take(most * sizeof(double)))
    room.runs = hb_pool_add(
        &room.record_pool, hb_take(min(wide, <int64_t>max(job.most_codes, MOST_CODES)) * job.width * sizeof(double)))
    room.keys = <uint64_t*>hb_pool_add(&room.record_pool, hb_take(wide * sizeof(uint64_t)))
    room.other_keys = <uint64_t*>hb_pool_add(&room.record_pool, hb_take(wide * sizeof(uint64_t)))
    if (
        not room.records or not room.spare or not room.near or not room.near_spare or not room.near_value
        or not room.runs or not room.keys or not room.other_keys
    ):
        return NO_MEMORY
    room.n_records = most
    return DONE
