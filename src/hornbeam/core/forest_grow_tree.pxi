# Part of forest_grow.pyx: from the rows drawn to a tree.


cdef int64_t draw_rows(const Job* job, Room* room, uint64_t tree) noexcept nogil:
    """Draw a tree's rows; how many there are, each once."""
    cdef int64_t i, n = 0, row
    cdef uint64_t state = mix(job.seed, tree, 0)
    if not job.bootstrap and job.n_drawn == job.n_rows:
        for i in range(job.n_rows):
            room.rows[i] = <uint32_t>i
            room.counts[i] = 1
        n = job.n_rows
    elif job.bootstrap:
        memset(room.counts, 0, job.n_rows * sizeof(int32_t))
        for i in range(job.n_drawn):
            room.counts[below(next_word(&state), job.n_rows)] += 1
        for i in range(job.n_rows):
            room.rows[n] = <uint32_t>i
            n += room.counts[i] > 0
    else:  # without repetition: each row is taken with the chance that is left
        for i in range(job.n_rows):
            row = below(next_word(&state), job.n_rows - i) < job.n_drawn - n
            room.counts[i] = <int32_t>row
            room.rows[n] = <uint32_t>i
            n += row
    if job.weights != NULL:
        for i in range(job.n_rows):
            room.weights[i] = room.counts[i] * job.weights[i]
    if job.count_bits:
        for i in range(n):
            row = room.rows[i]
            room.packed[row] = <int64_t>rint(job.numbers[row] * job.scale) * room.counts[row]
            room.packed[row] = room.packed[row] * (<int64_t>1 << job.count_bits) + room.counts[row]
    return n


cdef int64_t add_nodes(Nodes* nodes, int64_t count, const Job* job) noexcept nogil:
    """Make room for nodes; the number of the first, or -1 where memory is out."""
    cdef int64_t first = nodes.n, room, n_answers = max(job.n_classes, 1)
    if first + count > nodes.room:
        room = max(<int64_t>1024, nodes.room * 2)
        nodes.feature = <int32_t*>realloc(nodes.feature, room * sizeof(int32_t))
        nodes.cut = <int32_t*>realloc(nodes.cut, room * sizeof(int32_t))
        nodes.threshold = <double*>realloc(nodes.threshold, room * sizeof(double))
        nodes.first_child = <int32_t*>realloc(nodes.first_child, room * sizeof(int32_t))
        nodes.missing = <int8_t*>realloc(nodes.missing, room)
        nodes.set_stop = <int64_t*>realloc(nodes.set_stop, room * sizeof(int64_t))
        nodes.weight = <float*>realloc(nodes.weight, room * sizeof(float))
        nodes.value = <float*>realloc(nodes.value, room * n_answers * sizeof(float))
        nodes.gain = <float*>realloc(nodes.gain, room * sizeof(float))
        nodes.sums = <double*>realloc(nodes.sums, room * job.width * sizeof(double))
        if (
            not nodes.feature or not nodes.cut or not nodes.threshold or not nodes.first_child or not nodes.missing
            or not nodes.set_stop or not nodes.weight or not nodes.value or not nodes.gain or not nodes.sums
        ):
            return -1
        nodes.room = room
    nodes.n += count
    return first


cdef void make_leaf(const Job* job, Nodes* nodes, int64_t node) noexcept nogil:
    """Write what a node answers by its sums; it is a leaf for the time being."""
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


cdef bint is_pure(const Job* job, const View* view, const uint32_t* rows, int64_t n, const double* sums) noexcept nogil:
    """Whether a node's rows have the same target."""
    cdef int32_t k
    cdef int n_present = 0
    cdef int64_t i
    if job.n_classes:
        for k in range(job.n_classes):
            n_present += sums[k] > 0.0
        return n_present < 2
    for i in range(1, n):
        if view.numbers[rows[i]] != view.numbers[rows[0]]:
            return False
    return True


cdef void set_sides(const Job* job, Room* room, const Found* found, bint back) noexcept nogil:
    """The branch of every code of a narrow column; of a wide one with names, of those that leave the second branch.

    Those of a wide column are set `back` afterwards: its categories may be more than the node's rows.
    """
    cdef int32_t n_bins = job.n_bins[found.feature], i
    cdef bint named = job.nominal[found.feature]
    if job.wide[found.feature] == NULL and not back:
        for i in range(n_bins):
            room.side[i] = named or i > found.cut
        if n_bins < MOST_CODES:
            room.side[n_bins] = <uint8_t>found.missing
    if named and job.wide[found.feature] != NULL:
        for i in range(found.n_codes):
            room.wide_side[room.best_codes[i]] = back
    elif named:
        for i in range(found.n_codes):
            room.side[room.best_codes[i]] = 0


cdef int64_t part(const Job* job, const View* view, Room* room, const Task* task, const Found* found) noexcept nogil:
    """Send a node's rows to the branches, in order; where the second branch begins."""
    cdef uint32_t* rows = room.rows
    cdef uint32_t* spare = room.spare
    cdef int64_t i, low = task.begin, high = 0, stride = job.stride
    cdef int32_t feature = found.feature, n_bins = job.n_bins[found.feature], code
    cdef uint32_t row
    cdef uint8_t side
    cdef const uint8_t* codes
    cdef const int32_t* wide = job.wide[feature]
    cdef const double* values
    cdef bint by_value
    set_sides(job, room, found, False)
    if wide != NULL:
        for i in range(task.begin, task.end):
            row = rows[i]
            code = wide[row if view.origin == NULL else view.origin[row]]
            side = <uint8_t>found.missing
            if code != n_bins:
                side = room.wide_side[code] if job.nominal[feature] else code > found.cut
            rows[low] = row
            spare[high] = row
            low += 1 - side
            high += side
        set_sides(job, room, found, True)
    else:
        if view.codes != NULL:
            codes, stride = view.codes + <int64_t>feature * view.n_rows, 1
        else:
            codes = view.records + feature
        values = job.values[feature]
        by_value = values != NULL and found.low < found.high and not job.nominal[feature]
        if by_value:  # rows in the bins beside the cut
            room.side[found.low] = room.side[found.high] = 2
        for i in range(task.begin, task.end):
            row = rows[i]
            side = room.side[codes[row * stride]]
            if by_value and side == 2:
                side = values[row if view.origin == NULL else view.origin[row]] > found.threshold
            rows[low] = row
            spare[high] = row
            low += 1 - side
            high += side
    memcpy(rows + low, spare, high * sizeof(uint32_t))
    return low


cdef void sum_branches(const Job* job, const View* view, Room* room, const Task* task, int64_t middle,
                       int64_t first) noexcept nogil:
    """The sums of both branches: of the one with fewer rows, and what it leaves of the node's."""
    cdef Nodes* nodes = &room.nodes
    cdef const double* whole = nodes.sums + <int64_t>task.node * job.width
    cdef int smaller = 0 if middle - task.begin <= task.end - middle else 1
    cdef double* sums = nodes.sums + (first + smaller) * job.width
    cdef double* others = nodes.sums + (first + 1 - smaller) * job.width
    cdef int32_t k
    cdef int64_t edges[3]
    edges[0], edges[1], edges[2] = task.begin, middle, task.end
    sum_rows(job, view, room.rows, edges[smaller], edges[smaller + 1], sums)
    if job.n_classes and job.weights != NULL:  # a class that is not there must not weigh what rounding leaves
        sum_rows(job, view, room.rows, edges[1 - smaller], edges[2 - smaller], others)
        return
    for k in range(job.width):
        others[k] = whole[k] - sums[k]


cdef void sum_rows(const Job* job, const View* view, const uint32_t* rows, int64_t begin, int64_t end,
                   double* sums) noexcept nogil:
    cdef int64_t i
    memset(sums, 0, job.width * sizeof(double))
    for i in range(begin, end):
        add_row(job, view, rows[i], sums)


cdef int keep_split(const Job* job, Room* room, const Found* found, int64_t node) noexcept nogil:
    """Write a node's split; NO_MEMORY or DONE."""
    cdef Nodes* nodes = &room.nodes
    nodes.feature[node] = found.feature
    nodes.missing[node] = <int8_t>found.missing
    nodes.gain[node] = <float>found.score
    if not job.nominal[found.feature]:
        nodes.cut[node] = found.cut
        nodes.threshold[node] = found.threshold
        return DONE
    if nodes.n_codes + found.n_codes > nodes.codes_room:
        nodes.codes_room = max(<int64_t>256, 2 * (nodes.n_codes + found.n_codes))
        nodes.codes = <int32_t*>realloc(nodes.codes, nodes.codes_room * sizeof(int32_t))
        if not nodes.codes:
            return NO_MEMORY
    memcpy(nodes.codes + nodes.n_codes, room.best_codes, found.n_codes * sizeof(int32_t))
    nodes.n_codes += found.n_codes
    nodes.cut[node] = found.n_codes
    nodes.set_stop[node] = nodes.n_codes
    return DONE


cdef bint examine(Tally* width, const Job* job, const View* view, Room* room, Task* task, Found* found) noexcept nogil:
    """Look for a node's split; whether there is one."""
    cdef int64_t n = task.end - task.begin
    cdef double weight
    found.feature = -1
    if n < 2 or task.depth >= job.max_depth:
        return False
    memcpy(room.total, room.nodes.sums + <int64_t>task.node * job.width, job.width * sizeof(double))
    weight = weight_of(job, room.total)
    if weight < job.min_split or weight < 2 * job.min_leaf:
        return False
    if is_pure(job, view, room.rows + task.begin, n, room.total):
        return False
    search(width, job, view, room, task, found)
    if found.feature < 0:
        return False
    if not job.nominal[found.feature]:
        refine(job, view, room, task, found)
    found.score -= mass(job, room.total, weight)
    return True


cdef int divide(const Job* job, const View* view, Room* room, const Task* task, const Found* found,
                Task* children) noexcept nogil:
    """Split a node; NO_MEMORY or DONE."""
    cdef Nodes* nodes = &room.nodes
    cdef int64_t first, middle
    cdef int c
    middle = part(job, view, room, task, found)
    first = add_nodes(nodes, 2, job)
    if first < 0 or keep_split(job, room, found, task.node) == NO_MEMORY:
        return NO_MEMORY
    nodes.first_child[task.node] = <int32_t>first
    sum_branches(job, view, room, task, middle, first)
    for c in range(2):
        make_leaf(job, nodes, first + c)
        children[c].node = <int32_t>(first + c)
        children[c].depth = task.depth + 1
        children[c].n_constant = task.n_constant
        children[c].begin = task.begin if c == 0 else middle
        children[c].end = middle if c == 0 else task.end
    return DONE


cdef int copy_view(const Job* job, const View* view, Room* room, const Task* task, View* copy) noexcept nogil:
    """Lay a node's rows close together, numbered from 0; its slice of the row list is renumbered."""
    cdef int64_t n = task.end - task.begin, i, row
    cdef uint8_t* records = <uint8_t*>malloc(n * job.stride)
    cdef int32_t* labels = <int32_t*>malloc(n * sizeof(int32_t))
    cdef double* numbers = <double*>malloc(n * sizeof(double))
    cdef int32_t* counts = <int32_t*>malloc(n * sizeof(int32_t))
    cdef double* weights = NULL
    cdef int64_t* packed = NULL
    cdef uint32_t* origin = <uint32_t*>malloc(n * sizeof(uint32_t))
    cdef uint32_t* rows = room.rows + task.begin
    if view.weights != NULL:
        weights = <double*>malloc(n * sizeof(double))
    if job.count_bits:
        packed = <int64_t*>malloc(n * sizeof(int64_t))
    copy.codes = NULL
    copy.n_rows = n
    copy.records, copy.labels, copy.numbers, copy.counts = records, labels, numbers, counts
    copy.weights, copy.packed, copy.origin = weights, packed, origin
    copy.level = view.level + 1
    if not records or not labels or not numbers or not counts or not origin:
        return NO_MEMORY
    if (view.weights != NULL and not weights) or (job.count_bits and not packed):
        return NO_MEMORY
    for i in range(n):
        row = rows[i]
        memcpy(records + i * job.stride, view.records + row * job.stride, job.stride)
        counts[i] = view.counts[row]
        origin[i] = <uint32_t>row if view.origin == NULL else view.origin[row]
        if job.n_classes:
            labels[i] = view.labels[row]
        else:
            numbers[i] = view.numbers[row]
        if weights != NULL:
            weights[i] = view.weights[row]
        if packed != NULL:
            packed[i] = view.packed[row]
        rows[i] = <uint32_t>i
    return DONE


cdef void free_view(View* copy) noexcept nogil:
    free(<void*>copy.records)
    free(<void*>copy.labels)
    free(<void*>copy.numbers)
    free(<void*>copy.counts)
    free(<void*>copy.weights)
    free(<void*>copy.packed)
    free(<void*>copy.origin)


cdef int grow_below(Tally* width, const Job* job, const View* view, Room* room, Task root, Task* stack) noexcept nogil:
    """Grow everything below a node, depth first."""
    cdef int64_t n_waiting = 1, copied_bytes = COPY_BYTES if view.level == 0 else CLOSE_BYTES, n
    cdef Task task
    cdef Task children[2]
    cdef Found found
    cdef View copy
    cdef int status
    stack[0] = root
    while n_waiting:
        n_waiting -= 1
        task = stack[n_waiting]
        n = task.end - task.begin
        if view.level < 2 and n < view.n_rows and n > 2 and n * job.stride <= copied_bytes:
            status = copy_view(job, view, room, &task, &copy)
            if status == DONE:
                status = grow_below(width, job, &copy, room, task, stack + n_waiting)
            free_view(&copy)
            if status != DONE:
                return status
            continue
        if job.cancelled[0]:
            return CANCELLED
        if examine(width, job, view, room, &task, &found):
            if divide(job, view, room, &task, &found, children) == NO_MEMORY:
                return NO_MEMORY
            # the smaller one first: then no more than log2 n wait
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
    cdef View view
    cdef Task root
    cdef Task stack[256]  # more than two for every halving of 2**32 rows, at three levels
    cdef int64_t n = draw_rows(job, room, tree), i
    cdef int32_t place, feature
    room.random = mix(job.seed, tree, 1)
    for i in range(job.n_features):
        room.order[i] = <int32_t>i
    for i in range(job.n_pool if job.n_pool < job.n_features else 0):  # the columns that this tree may use
        place = <int32_t>(i + below(next_word(&room.random), job.n_features - i))
        feature = room.order[place]
        room.order[place] = room.order[i]
        room.order[i] = feature
    view.codes, view.n_rows, view.records, view.labels = job.codes, job.n_rows, job.records, job.labels
    view.numbers, view.counts, view.origin, view.level = job.numbers, room.counts, NULL, 0
    view.weights = room.weights if job.weights != NULL else NULL
    view.packed = room.packed
    if add_nodes(&room.nodes, 1, job) < 0:
        return NO_MEMORY
    sum_rows(job, &view, room.rows, 0, n, room.nodes.sums)
    make_leaf(job, &room.nodes, 0)
    root.node, root.depth, root.n_constant, root.begin, root.end = 0, 0, 0, 0, n
    if job.max_leaves > 0:
        return grow_best_first(width, job, &view, room, root)
    return grow_below(width, job, &view, room, root, stack)
