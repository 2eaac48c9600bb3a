# Part of grow.pyx: the holders of memory, and the way out to NumPy.

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
        free_scratch(&self.work.scratch)
        free(self.work.candidates)
        free(self.work.side)
        free(self.work.branch)
        free(self.work.row_weight)
        free(self.work.local_weight)
        free(self.work.branch_counts)
        free(self.work.shares)
        free(self.work.branch_rows)
        free(self.work.filled)
        free(self.work.last_run)
        free(self.work.targets)
        free(self.work.takes_missing)
        free(self.work.goes_on)
        free(self.work.stack)
        free(self.work.stamp)
        free(self.work.ordered)
        free(self.work.combination.values)
        free(self.work.combination.weights)  # holds the targets too
        free(self.work.combination.coefficients)
        free(self.work.combination.memory)
        free(self.work.combination.rows)
        free(self.work.combination.labels)
        free(self.work.plan.places)
        free(self.work.plan.code_branch)
        free(self.work.rank)
        free(self.work.ranked)
        free(self.work.sorting)
        free(self.work.found)
        free(self.work.found_branch)
        free_buffer(&self.buffer)
        free_buffer(&self.trace.described)
        free(self.trace.extra_start)
        free(self.trace.n_extra)
        free(self.trace.node)
        free(self.trace.candidates)
        free(self.trace.cuts)


cdef class Subtree:
    """A node and its lists, to be grown as one task into nodes of its own."""

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
    """A node and its children while lists are parted. Whoever works on it holds it, so that nothing is freed too early
    when the work is interrupted.
    """

    cdef Subtree parent
    cdef list subtrees
    cdef Frame* children
    cdef int n_branches
    cdef int stays

    def __dealloc__(self):
        free(self.children)


cdef flatten(const Choices* choices, const Column* columns, int n_columns, Worker lead, list subtrees):
    """Number the nodes as a depth-first walk expands them, and their splits with them; give arrays by name."""
    cdef int n_classes = choices.n_classes, b, k
    cdef int64_t total = lead.buffer.n, n_splits = lead.buffer.n_splits, new, old, next_new = 1, place = 0
    cdef Subtree subtree
    cdef NodeBuffer* buffer
    cdef const GrownNode* node
    cdef const GrownSplit* split
    for subtree in subtrees:
        total += subtree.buffer.n - 1
        n_splits += subtree.buffer.n_splits
    cdef int n_told = 3 if choices.regression else n_classes  # of a number: weight, center, squared distance
    # all in one block: a large one is given large pages
    block = iter(carved(
        (total, np.int64), (total, np.float64), (total, np.float64), (total * n_told, np.float64),
        (n_splits, np.float64), (n_splits, np.float64), (n_splits, np.float64), (total, np.int32), (total, np.int32),
        (total, np.int32), (total, np.int32), (total, np.int32), (n_splits, np.int32), (n_splits, np.int8),
    ))
    cdef int64_t[::1] rows = next(block)
    cdef double[::1] weight = next(block), share = next(block)
    cdef double[:, ::1] value = next(block).reshape(total, n_told)
    cdef double[::1] cut = next(block), score = next(block), mass = next(block)
    cdef int32_t[::1] parent = next(block), first_child = next(block), n_children = next(block), label = next(block)
    cdef int32_t[::1] number_of_split = next(block), column = next(block)
    cdef signed char[::1] kind = next(block)
    # what is not there at any node has no array
    cdef bint described = lead.buffer.n_extra > 0 or any([(<Subtree>one).buffer.n_extra > 0 for one in subtrees])
    cdef bint averaged = choices.average_filter or lead.work.trace != NULL
    cdef int32_t[::1] missing = np.empty(total if choices.missing != IN_PIECES else 0, np.int32)
    cdef signed char[::1] flipped = np.empty(n_splits if choices.order_by_answer else 0, np.int8)
    cdef int32_t[::1] category = np.empty(n_splits if choices.nominal == ONE_VS_REST else 0, np.int32)
    cdef int32_t[::1] n_extra = np.empty(n_splits if described else 0, np.int32)
    cdef int64_t[::1] extra_start = np.empty(n_splits if described else 0, np.int64)
    cdef int32_t[::1] number = np.empty(lead.buffer.n if lead.work.trace != NULL else 0, np.int32)
    cdef double[::1] average_gain = np.empty(n_splits if averaged else 0)
    cdef int32_t* waiting_old = <int32_t*>malloc(3 * total * sizeof(int32_t))
    cdef int32_t* waiting_new = waiting_old + total
    cdef int32_t* waiting_tree = waiting_new + total
    cdef int32_t[::1] came_from = np.empty(total if subtrees else 0, np.int32)  # which buffer a node is of
    cdef int64_t depth = 1
    cdef int tree = 0
    cdef NodeBuffer** buffers = <NodeBuffer**>take(len(subtrees) + 1, sizeof(NodeBuffer*))
    cdef int64_t* extra_before = <int64_t*>take(len(subtrees) + 1, sizeof(int64_t))
    cdef int32_t** numbers = <int32_t**>take(len(subtrees) + 1, sizeof(int32_t*))
    buffers[0] = &lead.buffer
    for k, subtree in enumerate(subtrees):
        buffers[k + 1] = &subtree.buffer
        extra_before[k + 1] = extra_before[k] + buffers[k].n_extra
    new_numbers = [np.empty(max(buffers[k].n, 1), np.int32) if choices.missing == BY_SURROGATE else None
                   for k in range(len(subtrees) + 1)]
    for k in range(len(subtrees) + 1):
        numbers[k] = NULL if new_numbers[k] is None else <int32_t*>address_of(new_numbers[k])
    check(NO_MEMORY if waiting_old == NULL else DONE)
    waiting_old[0] = waiting_new[0] = waiting_tree[0] = 0
    with nogil:
        while depth:
            depth -= 1
            old = waiting_old[depth]
            new = waiting_new[depth]
            tree = waiting_tree[depth]
            if tree == 0 and number.shape[0]:
                number[old] = <int32_t>new
            if buffers[tree].nodes[old].graft >= 0 and tree == 0:
                tree = buffers[tree].nodes[old].graft + 1
                old = 0
            buffer = buffers[tree]
            node = &buffer.nodes[old]
            if numbers[tree] != NULL:
                numbers[tree][old] = <int32_t>new
            label[new] = node.label
            rows[new] = node.rows
            weight[new] = node.weight
            share[new] = node.share
            memcpy(&value[new, 0], buffer.counts + old * n_classes, n_told * sizeof(double))
            n_children[new] = node.n_children
            first_child[new] = number_of_split[new] = -1
            if missing.shape[0]:
                missing[new] = -1
            if new == 0:
                parent[0] = -1
            if node.n_children:
                number_of_split[new] = node.split  # for now: it is numbered anew once all nodes are
                if came_from.shape[0]:
                    came_from[new] = tree
                first_child[new] = <int32_t>next_new
                for b in range(node.n_children - 1, -1, -1):
                    parent[next_new + b] = <int32_t>new
                    waiting_old[depth] = node.first_child + b
                    waiting_new[depth] = <int32_t>(next_new + b)
                    waiting_tree[depth] = tree
                    depth += 1
                next_new += node.n_children
        for new in range(total):
            if n_children[new] == 0:
                continue
            tree = came_from[new] if came_from.shape[0] else 0
            split = &buffers[tree].splits[number_of_split[new]]
            number_of_split[new] = <int32_t>place
            if missing.shape[0]:
                missing[new] = split.missing
            if flipped.shape[0]:
                flipped[place] = split.flipped
            if described:
                n_extra[place] = split.n_extra if split.n_extra != LATER else 0
                extra_start[place] = split.extra_start + extra_before[tree]
            column[place] = split.column
            kind[place] = split.kind
            if category.shape[0]:
                category[place] = split.category
            cut[place] = split.place.cut
            if split.n_extra == LATER:  # far apart in memory, so all looked up here, one behind the other
                cut[place] = middle_of(columns[split.column].values[split.place.rows[0]],
                                       columns[split.column].values[split.place.rows[1]])
            score[place] = split.score
            mass[place] = split.mass
            if averaged:
                average_gain[place] = split.average_gain
            place += 1
    free(waiting_old)
    extra = np.concatenate([extra_of(buffers[k]) for k in range(len(subtrees) + 1)])
    surrogates = [surrogates_of(buffers[k], new_numbers[k], extra_before[k]) for k in range(len(subtrees) + 1)]
    free(buffers)
    free(extra_before)
    free(numbers)
    return {
        # by node
        "parent": np.asarray(parent), "first_child": np.asarray(first_child), "n_children": np.asarray(n_children),
        "label": np.asarray(label), "split": np.asarray(number_of_split), "missing": or_none(missing),
        "rows": np.asarray(rows), "weight": np.asarray(weight), "share": np.asarray(share), "value": np.asarray(value),
        # by split
        "column": np.asarray(column), "kind": np.asarray(kind), "cut": np.asarray(cut), "score": np.asarray(score),
        "mass": np.asarray(mass), "category": or_none(category), "flipped": or_none(flipped),
        "n_extra": or_none(n_extra), "extra_start": or_none(extra_start), "average_gain": or_none(average_gain),
        "extra": extra,
        "surrogates": {name: np.concatenate([part[name] for part in surrogates]) for name in surrogates[0]},
        "candidates": candidates_of(n_columns, lead, np.asarray(number)),
    }


def carved(*parts):
    """Arrays of these lengths and types, the widest first, in one block."""
    sizes = [count * np.dtype(kind).itemsize for count, kind in parts]
    block = np.empty(sum(sizes), np.uint8)
    ends = np.cumsum(sizes).tolist()
    return [block[end - size:end].view(kind) for end, size, (_, kind) in zip(ends, sizes, parts)]


cdef or_none(array):
    """The array, or None where it is empty."""
    return np.asarray(array) if len(array) else None


cdef void* address_of(array) except NULL:
    cdef int32_t[::1] view = array
    return &view[0]


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
    """Every column's candidate at every node examined, as arrays of nodes x columns; None where not kept."""
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
