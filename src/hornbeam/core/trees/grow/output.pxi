# Part of grow.pyx: classes that own memory, and the output as NumPy arrays.

import numpy as np


cdef void free_buffer(NodeBuffer* buffer) noexcept nogil:
    free(buffer.nodes)
    free(buffer.splits)
    free(buffer.counts)
    free(buffer.limits)
    free(buffer.extra)
    free(buffer.surrogates)


cdef class Worker:
    """One thread's workspace."""

    cdef Workspace work
    cdef NodeBuffer buffer
    cdef TraceBuffer trace

    def __dealloc__(self):
        hb_pool_free(&self.work.pool)
        free_buffer(&self.buffer)
        free_buffer(&self.trace.described)
        free(self.trace.extra_start)
        free(self.trace.n_extra)
        free(self.trace.node)
        free(self.trace.candidates)
        free(self.trace.cuts)


cdef class Subtree:
    """A node and its lists, to be grown as one task into its own buffer of nodes."""

    cdef Frame frame
    cdef NodeBuffer buffer

    def __dealloc__(self):
        free(self.frame.memory)
        free(self.frame.local_weight)
        free_buffer(&self.buffer)


cdef entries_of(Entry* width, const Frame* frame, int j):
    """A copy of one of a frame's lists."""
    cdef Entry[::1] copied = np.empty(frame.lengths[j], np.uint32 if Entry is uint32_t else np.uint64)
    if frame.lengths[j]:
        memcpy(&copied[0], frame.lists[j], frame.lengths[j] * sizeof(Entry))
    return np.asarray(copied)


cdef class Division:
    """A node and its children while lists are divided. Every thread that works on it holds a reference, so that nothing
    is freed too early when the work is interrupted.
    """

    cdef Subtree parent
    cdef list subtrees
    cdef Frame* children
    cdef int n_branches
    cdef int stays

    def __dealloc__(self):
        free(self.children)


cdef struct Flat:  # the arrays of a grown tree, by node and by split; NULL if absent
    int64_t* rows
    double* weight
    double* share
    double* value
    int32_t* parent
    int32_t* first_child
    int32_t* n_children
    int32_t* label
    int32_t* split
    int32_t* missing
    int32_t* came_from  # the buffer that a node comes from
    double* cut
    double* score
    double* decrease
    int32_t* column
    int8_t* kind
    int8_t* flipped
    int32_t* category
    int32_t* n_extra
    int64_t* extra_start
    double* average_gain
    int64_t n_nodes
    int n_values  # of a node
    NodeBuffer** buffers  # the first is that of the whole tree, the others of subtrees grown separately
    int64_t* extra_before  # by buffer
    int32_t** numbers  # by buffer: the new number of each node, if needed


cdef void number_nodes(Flat* flat, int n_classes, int32_t* waiting) noexcept nogil:
    """Number the nodes in the order of a depth-first walk, and store them."""
    cdef int32_t* waiting_old = waiting
    cdef int32_t* waiting_new = waiting + flat.n_nodes
    cdef int32_t* waiting_tree = waiting_new + flat.n_nodes
    cdef int64_t depth = 1, new, old, next_new = 1
    cdef int tree, b
    cdef NodeBuffer* buffer
    cdef const GrownNode* node
    waiting_old[0] = waiting_new[0] = waiting_tree[0] = 0
    flat.parent[0] = -1
    while depth:
        depth -= 1
        old = waiting_old[depth]
        new = waiting_new[depth]
        tree = waiting_tree[depth]
        if flat.numbers[tree] != NULL:
            flat.numbers[tree][old] = <int32_t>new
        if flat.buffers[tree].nodes[old].graft >= 0 and tree == 0:
            tree = flat.buffers[tree].nodes[old].graft + 1
            old = 0
            if flat.numbers[tree] != NULL:
                flat.numbers[tree][old] = <int32_t>new
        buffer = flat.buffers[tree]
        node = &buffer.nodes[old]
        flat.label[new] = node.label
        flat.rows[new] = node.rows
        flat.weight[new] = node.weight
        flat.share[new] = node.share
        memcpy(flat.value + new * flat.n_values, buffer.counts + old * n_classes, flat.n_values * sizeof(double))
        flat.n_children[new] = node.n_children
        flat.first_child[new] = flat.split[new] = -1
        if flat.missing != NULL:
            flat.missing[new] = -1
        if node.n_children:
            flat.split[new] = node.split  # preliminary: `number_splits` renumbers it
            if flat.came_from != NULL:
                flat.came_from[new] = tree
            flat.first_child[new] = <int32_t>next_new
            for b in range(node.n_children - 1, -1, -1):
                flat.parent[next_new + b] = <int32_t>new
                waiting_old[depth] = node.first_child + b
                waiting_new[depth] = <int32_t>(next_new + b)
                waiting_tree[depth] = tree
                depth += 1
            next_new += node.n_children


cdef void number_splits(Flat* flat, const Column* columns) noexcept nogil:
    """Number the splits in the order of their nodes, and store them."""
    cdef int64_t new, place = 0
    cdef int tree
    cdef const GrownSplit* split
    for new in range(flat.n_nodes):
        if flat.n_children[new] == 0:
            continue
        tree = flat.came_from[new] if flat.came_from != NULL else 0
        split = &flat.buffers[tree].splits[flat.split[new]]
        flat.split[new] = <int32_t>place
        if flat.missing != NULL:
            flat.missing[new] = split.missing
        if flat.flipped != NULL:
            flat.flipped[place] = split.flipped
        if flat.n_extra != NULL:
            flat.n_extra[place] = split.n_extra if split.n_extra != LATER else 0
            flat.extra_start[place] = split.extra_start + flat.extra_before[tree]
        flat.column[place] = split.column
        flat.kind[place] = split.kind
        if flat.category != NULL:
            flat.category[place] = split.category
        flat.cut[place] = split.place.cut
        if split.n_extra == LATER:  # scattered in memory, so all are looked up here together
            flat.cut[place] = middle_of(columns[split.column].values[split.place.rows[0]],
                                        columns[split.column].values[split.place.rows[1]])
        flat.score[place] = split.score
        flat.decrease[place] = split.decrease
        if flat.average_gain != NULL:
            flat.average_gain[place] = split.average_gain
        place += 1


cdef dict new_arrays(const Choices* choices, Worker lead, int64_t n_nodes, int64_t n_splits, bint described,
                     bint grafted):
    """Arrays for the nodes and splits of a tree, by name; None if a tree with these choices does not need it."""
    cdef int n_values = 3 if choices.regression else choices.n_classes  # for a number: weight, center, squared distance
    cdef bint averaged = choices.average_filter or lead.work.trace != NULL
    # all in one block: a large block uses large pages
    arrays = dict(zip(
        ("rows", "weight", "share", "value", "cut", "score", "decrease", "parent", "first_child", "n_children",
         "label", "split", "column", "kind"),
        carved(
            (n_nodes, np.int64), (n_nodes, np.float64), (n_nodes, np.float64), (n_nodes * n_values, np.float64),
            (n_splits, np.float64), (n_splits, np.float64), (n_splits, np.float64), (n_nodes, np.int32),
            (n_nodes, np.int32), (n_nodes, np.int32), (n_nodes, np.int32), (n_nodes, np.int32), (n_splits, np.int32),
            (n_splits, np.int8),
        ),
    ))
    for name, count, kind in (
        ("missing", n_nodes if choices.missing != IN_PIECES else 0, np.int32),
        ("came_from", n_nodes if grafted else 0, np.int32),
        ("flipped", n_splits if choices.order_by_target else 0, np.int8),
        ("category", n_splits if choices.nominal == ONE_VS_REST else 0, np.int32),
        ("n_extra", n_splits if described else 0, np.int32),
        ("extra_start", n_splits if described else 0, np.int64),
        ("average_gain", n_splits if averaged else 0, np.float64),
    ):
        arrays[name] = np.empty(count, kind) if count else None
    return arrays


cdef point_to(Flat* flat, dict arrays):
    """Set the pointers of a Flat to its arrays."""
    flat.rows = <int64_t*>data_of(arrays["rows"])
    flat.weight = <double*>data_of(arrays["weight"])
    flat.share = <double*>data_of(arrays["share"])
    flat.value = <double*>data_of(arrays["value"])
    flat.parent = <int32_t*>data_of(arrays["parent"])
    flat.first_child = <int32_t*>data_of(arrays["first_child"])
    flat.n_children = <int32_t*>data_of(arrays["n_children"])
    flat.label = <int32_t*>data_of(arrays["label"])
    flat.split = <int32_t*>data_of(arrays["split"])
    flat.missing = <int32_t*>data_of(arrays["missing"])
    flat.came_from = <int32_t*>data_of(arrays["came_from"])
    flat.cut = <double*>data_of(arrays["cut"])
    flat.score = <double*>data_of(arrays["score"])
    flat.decrease = <double*>data_of(arrays["decrease"])
    flat.column = <int32_t*>data_of(arrays["column"])
    flat.kind = <int8_t*>data_of(arrays["kind"])
    flat.flipped = <int8_t*>data_of(arrays["flipped"])
    flat.category = <int32_t*>data_of(arrays["category"])
    flat.n_extra = <int32_t*>data_of(arrays["n_extra"])
    flat.extra_start = <int64_t*>data_of(arrays["extra_start"])
    flat.average_gain = <double*>data_of(arrays["average_gain"])


cdef flatten(const Choices* choices, const Column* columns, int n_columns, Worker lead, list subtrees):
    """The grown tree as arrays by name, with nodes and splits in the order of a depth-first walk."""
    cdef int64_t n_nodes = lead.buffer.n, n_splits = lead.buffer.n_splits
    cdef int k, n_buffers = len(subtrees) + 1
    cdef bint described = lead.buffer.n_extra > 0
    cdef Subtree subtree
    cdef Flat flat
    cdef int32_t* waiting = NULL
    for subtree in subtrees:
        n_nodes += subtree.buffer.n - 1
        n_splits += subtree.buffer.n_splits
        described |= subtree.buffer.n_extra > 0
    arrays = new_arrays(choices, lead, n_nodes, n_splits, described, n_buffers > 1)
    point_to(&flat, arrays)
    flat.n_nodes = n_nodes
    flat.n_values = 3 if choices.regression else choices.n_classes
    memory = np.zeros(3 * n_buffers, np.int64)  # for the pointers and numbers below
    flat.buffers = <NodeBuffer**>data_of(memory)
    flat.extra_before = <int64_t*>flat.buffers + n_buffers
    flat.numbers = <int32_t**>(flat.extra_before + n_buffers)
    flat.buffers[0] = &lead.buffer
    for k, subtree in enumerate(subtrees):
        flat.buffers[k + 1] = &subtree.buffer
        flat.extra_before[k + 1] = flat.extra_before[k] + flat.buffers[k].n_extra
    numbers = [
        np.empty(max(flat.buffers[k].n, 1), np.int32)
        if choices.missing == BY_SURROGATE or (k == 0 and lead.work.trace != NULL) else None
        for k in range(n_buffers)
    ]
    for k in range(n_buffers):
        flat.numbers[k] = <int32_t*>data_of(numbers[k])
    waiting = <int32_t*>take(NULL, 3 * n_nodes, sizeof(int32_t))
    with nogil:
        number_nodes(&flat, choices.n_classes, waiting)
        number_splits(&flat, columns)
    free(waiting)
    del arrays["came_from"]
    arrays["value"] = arrays["value"].reshape(n_nodes, flat.n_values)
    surrogates = [surrogates_of(flat.buffers[k], numbers[k], flat.extra_before[k]) for k in range(n_buffers)]
    arrays["extra"] = np.concatenate([extra_of(flat.buffers[k]) for k in range(n_buffers)])
    arrays["surrogates"] = {name: np.concatenate([part[name] for part in surrogates]) for name in surrogates[0]}
    arrays["candidates"] = candidates_of(n_columns, lead, numbers[0])
    return arrays


def carved(*parts):
    """Make arrays of these lengths and types, the widest first, in one block."""
    sizes = [count * np.dtype(kind).itemsize for count, kind in parts]
    block = np.empty(sum(sizes), np.uint8)
    ends = np.cumsum(sizes).tolist()
    return [block[end - size:end].view(kind) for end, size, (_, kind) in zip(ends, sizes, parts)]


cdef void* data_of(array) except? NULL:
    """A pointer to an array's values; NULL if there is no array."""
    cdef unsigned char[::1] values
    if array is None or len(array) == 0:
        return NULL
    values = array.view(np.uint8)
    return &values[0]


cdef extra_of(const NodeBuffer* buffer):
    cdef double[::1] extra = np.zeros(buffer.n_extra)
    if buffer.n_extra:
        memcpy(&extra[0], buffer.extra, buffer.n_extra * sizeof(double))
    return np.asarray(extra)


cdef surrogates_of(const NodeBuffer* buffer, numbers, int64_t extra_before):
    """The surrogates of a buffer's nodes, as arrays."""
    cdef int64_t n = buffer.n_surrogates, i
    cdef const int32_t[::1] number = np.empty(0, np.int32) if numbers is None else numbers
    cdef int32_t[::1] node = np.zeros(n, np.int32), column = np.zeros(n, np.int32), kind = np.zeros(n, np.int32)
    cdef int32_t[::1] flipped = np.zeros(n, np.int32), n_extra = np.zeros(n, np.int32)
    cdef int64_t[::1] extra_start = np.zeros(n, np.int64)
    cdef double[::1] cut = np.zeros(n), agreement = np.zeros(n), adjusted = np.zeros(n)
    for i in range(n):
        node[i] = number[buffer.surrogates[i].node]
        column[i] = buffer.surrogates[i].column
        kind[i] = buffer.surrogates[i].kind
        flipped[i] = buffer.surrogates[i].flipped
        n_extra[i] = buffer.surrogates[i].n_extra
        extra_start[i] = buffer.surrogates[i].extra_start + extra_before
        cut[i] = buffer.surrogates[i].cut
        agreement[i] = buffer.surrogates[i].agreement
        adjusted[i] = buffer.surrogates[i].adjusted
    return {
        "node": np.asarray(node), "column": np.asarray(column), "kind": np.asarray(kind),
        "flipped": np.asarray(flipped), "n_extra": np.asarray(n_extra), "extra_start": np.asarray(extra_start),
        "cut": np.asarray(cut), "agreement": np.asarray(agreement), "adjusted": np.asarray(adjusted),
    }


cdef candidates_of(int n_columns, Worker lead, number):
    """Every column's candidate at every node examined, as arrays of nodes x columns; None if not kept."""
    cdef TraceBuffer* trace = &lead.trace
    cdef int64_t n = trace.n, i
    if lead.work.trace == NULL:
        return None
    cdef int32_t[::1] node = np.zeros(n, np.int32)
    cdef int32_t[::1] n_cuts = np.zeros(n * n_columns, np.int32), code = np.zeros(n * n_columns, np.int32)
    cdef signed char[::1] verdict = np.zeros(n * n_columns, np.int8)
    cdef double[::1] gain = np.zeros(n * n_columns), charge = np.zeros(n * n_columns)
    cdef double[::1] split_information = np.zeros(n * n_columns), score = np.zeros(n * n_columns)
    cdef double[::1] cut = np.zeros(n * n_columns)
    cdef int32_t[::1] n_extra = np.zeros(n * n_columns, np.int32), n_branches = np.zeros(n * n_columns, np.int32)
    cdef int64_t[::1] extra_start = np.zeros(n * n_columns, np.int64)
    for i in range(n):
        node[i] = trace.node[i]
    for i in range(n * n_columns):
        verdict[i] = trace.candidates[i].verdict
        n_cuts[i] = trace.candidates[i].n_cuts
        code[i] = trace.candidates[i].code
        gain[i] = trace.candidates[i].gain
        charge[i] = trace.candidates[i].charge
        split_information[i] = trace.candidates[i].split_information
        score[i] = trace.candidates[i].score
        cut[i] = trace.cuts[i]
        n_branches[i] = trace.candidates[i].n_branches
        n_extra[i] = trace.n_extra[i]
        extra_start[i] = trace.extra_start[i]
    shape = (n, n_columns)
    return {
        "node": number[np.asarray(node)],
        "verdict": np.asarray(verdict).reshape(shape), "n_cuts": np.asarray(n_cuts).reshape(shape),
        "code": np.asarray(code).reshape(shape), "gain": np.asarray(gain).reshape(shape),
        "charge": np.asarray(charge).reshape(shape), "score": np.asarray(score).reshape(shape),
        "split_information": np.asarray(split_information).reshape(shape), "cut": np.asarray(cut).reshape(shape),
        "n_branches": np.asarray(n_branches).reshape(shape), "n_extra": np.asarray(n_extra).reshape(shape),
        "extra_start": np.asarray(extra_start).reshape(shape), "extra": extra_of(&trace.described),
    }
