# Part of grow.pyx: steps at one node: nodes are made, rows sent to branches, lists divided among children. (See also
# examine.pxi, and divide.pxi for splits that search.pyx found.)

# ---- nodes ---------------------------------------------------------------------------------------------------------


cdef int64_t add_nodes(NodeBuffer* buffer, int64_t count) noexcept nogil:
    """Make room for `count` contiguous nodes; returns the first, or NO_MEMORY."""
    cdef int64_t first = buffer.n, room = buffer.room
    if first + count > room:
        room = 2 * (first + count)
        if (
            not hb_resize(&buffer.nodes, room * sizeof(GrownNode))
            or not hb_resize(&buffer.counts, room * buffer.n_classes * sizeof(double))
            or (buffer.limited and not hb_resize(&buffer.limits, room * sizeof(Limits)))
        ):
            return NO_MEMORY
        hb_large_pages(buffer.nodes, room * <int64_t>sizeof(GrownNode))
        hb_large_pages(buffer.counts, room * buffer.n_classes * <int64_t>sizeof(double))
        buffer.room = room
    buffer.n = first + count
    return first


cdef GrownSplit* add_split(NodeBuffer* buffer, int64_t node, int64_t first, int n_branches, int column,
                           double average) noexcept nogil:
    """Set the children of a node, which begin at `first`, and its split; NULL if memory runs out."""
    cdef int64_t room = buffer.split_room
    cdef GrownSplit* split
    if buffer.n_splits == room:
        room = 2 * (room + 1)
        if not hb_resize(&buffer.splits, room * sizeof(GrownSplit)):
            return NULL
        hb_large_pages(buffer.splits, room * <int64_t>sizeof(GrownSplit))
        buffer.split_room = room
    buffer.nodes[node].first_child = <int32_t>first
    buffer.nodes[node].n_children = n_branches
    buffer.nodes[node].split = <int32_t>buffer.n_splits
    split = &buffer.splits[buffer.n_splits]
    buffer.n_splits += 1
    memset(split, 0, sizeof(GrownSplit))
    split.column = column
    split.category = split.missing = -1
    split.average_gain = average
    return split


cdef void make_room(NodeBuffer* buffer, int64_t room) noexcept nogil:
    """Reserve room for this many nodes at once, if there is enough memory: growing it would copy it repeatedly.

    Pages that are never touched cost nothing.
    """
    buffer.nodes = <GrownNode*>hb_take(room * <int64_t>sizeof(GrownNode))
    buffer.counts = <double*>hb_take(room * buffer.n_classes * <int64_t>sizeof(double))
    buffer.splits = <GrownSplit*>hb_take((room // 2 + 1) * <int64_t>sizeof(GrownSplit))
    if buffer.nodes == NULL or buffer.counts == NULL or buffer.splits == NULL or buffer.limited:
        free(buffer.nodes)
        free(buffer.counts)
        free(buffer.splits)
        buffer.nodes = NULL
        buffer.counts = NULL
        buffer.splits = NULL
        return
    buffer.room = room
    buffer.split_room = room // 2 + 1


cdef inline int label_of(const double* counts, const Choices* choices) noexcept nogil:
    """The class to predict: the one with the greatest weight or the lowest cost; the first wins ties."""
    cdef int prediction, k, best = 0
    cdef double cost, least = 0.0
    if choices.regression:
        return -1
    if choices.loss == NULL:
        return majority(counts, choices.n_classes)
    for prediction in range(choices.n_classes):
        cost = 0.0
        for k in range(choices.n_classes):
            cost += counts[k] * choices.loss[k * choices.n_classes + prediction]
        if prediction == 0 or cost < least - SLACK:
            least = cost
            best = prediction
    return best


cdef inline void make_leaf(GrownNode* node, const double* counts, const Choices* choices, int64_t rows, double share,
                           int parent_label) noexcept nogil:
    cdef int k
    node.first_child = node.graft = node.split = -1
    node.n_children = 0
    node.rows = <uint32_t>rows
    node.share = share
    node.weight = counts[0]
    if not choices.regression:
        for k in range(1, choices.n_classes):
            node.weight += counts[k]
    node.label = label_of(counts, choices) if node.weight > SLACK or parent_label < 0 else parent_label


cdef inline bint must_stop(const GrownNode* node, const double* counts, int depth,
                           const Choices* choices) noexcept nogil:
    """Whether a node stays a leaf: too light to split, of one class or number, deep enough, or good enough."""
    if (node.rows < 2 or (node.rows if choices.count_rows else node.weight) < choices.min_node - SLACK
            or depth == choices.max_depth
            or is_pure(counts, node.weight, choices)):
        return True
    return choices.any_criterion and (node_impurity(counts, node.weight, choices) <= choices.min_impurity
                                      or node_error(counts, choices) <= choices.min_error)


# ---- divide: rows to branches, children made -----------------------------------------------------------------------


cdef int send_rows(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                   const Candidate* candidate, int64_t* n_missing) noexcept nogil:
    """Set each row's side (0, 1, 2: missing) or branch (-1: missing), and the branches' class weights and rows.

    Returns the number of branches.
    """
    cdef const Column* column = &problem.columns[chosen]
    cdef const Choices* choices = problem.choices
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef int n_classes = choices.n_classes, shift = choices.shift, n_branches = 2, k, b, code
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, row, n, n_known
    cdef bint many
    cdef const Entry* entries
    cdef double* counts = work.branch_counts
    if column.kind == NOMINAL and choices.nominal == MULTIWAY:
        n_branches = column.n_codes
    many = n_branches > 2
    memset(counts, 0, <int64_t>n_branches * n_classes * sizeof(double))
    memset(work.branch_rows, 0, n_branches * sizeof(int64_t))
    n_known = 0
    if column.kind == SORTED:
        n_known = frame.lengths[column.position]
        if n_known < frame.n_rows:
            entries = <const Entry*>frame.lists[problem.row_list]
            for i in range(frame.n_rows):
                work.side[entries[i] >> shift] = 2
        entries = <const Entry*>frame.lists[column.position]
        for i in range(n_known):
            row = entries[i] >> shift
            b = i >= candidate.position
            work.side[row] = b
            counts[b * n_classes + ((entries[i] >> 2) & label_mask)] += 1.0 if weight == NULL else weight[row]
        work.branch_rows[0] = candidate.position
        work.branch_rows[1] = n_known - candidate.position
    else:
        entries = <const Entry*>frame.lists[problem.row_list]
        for i in range(frame.n_rows):
            row = entries[i] >> shift
            code = code_of(column, row)
            k = (entries[i] >> 2) & label_mask
            if code == column.n_codes:
                b = -1
            elif many:
                b = code
            elif column.kind == CODED:
                b = code > candidate.code
            elif choices.nominal == MULTIWAY:
                b = code
            else:
                b = code != candidate.code
            if many:
                work.branch[row] = b
            else:
                work.side[row] = 2 if b < 0 else b
            if b >= 0:
                n_known += 1
                work.branch_rows[b] += 1
                counts[b * n_classes + k] += 1.0 if weight == NULL else weight[row]
    n_missing[0] = frame.n_rows - n_known
    return n_branches


cdef void complete(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                   int n_branches) noexcept nogil:
    """Add the rows with a missing value to every branch's counts, with the branch's fraction, row by row."""
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef int n_classes = problem.choices.n_classes, shift = problem.choices.shift, b, k
    cdef int64_t label_mask = (<int64_t>1 << problem.choices.label_bits) - 1, i, row
    cdef double w
    for i in range(frame.n_rows):
        row = entries[i] >> shift
        if (work.branch[row] < 0) if n_branches > 2 else (work.side[row] == 2):
            k = (entries[i] >> 2) & label_mask
            w = 1.0 if weight == NULL else weight[row]
            for b in range(n_branches):
                work.branch_counts[b * n_classes + k] += work.fractions[b] * w


cdef int64_t make_children(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                           const Candidate* candidate, double average, int n_branches,
                           int64_t n_missing) noexcept nogil:
    """Add the fractions of rows with a missing value to the branches' counts, and make the child nodes."""
    cdef const Choices* choices = problem.choices
    cdef const Column* column = &problem.columns[chosen]
    cdef int n_classes = choices.n_classes, b, k
    cdef double* counts = work.branch_counts
    cdef double known = 0.0, share
    cdef int64_t first = add_nodes(work.buffer, n_branches)
    cdef const GrownNode* node
    cdef GrownSplit* split
    if first < 0:
        return NO_MEMORY
    node = &work.buffer.nodes[frame.node]
    split = add_split(work.buffer, frame.node, first, n_branches, chosen, average)
    if split == NULL:
        return NO_MEMORY
    split.score = candidate.score
    split.decrease = candidate.gain * node.weight
    if column.kind != NOMINAL:
        split.kind = BY_CUTS
        split.place.cut = cut_of(width, problem, frame, candidate, chosen)
    elif choices.nominal == ONE_VS_REST:
        split.kind = BY_CODE_SETS
        split.category = candidate.code
    else:
        split.kind = BY_CODES
    for k in range(n_branches * n_classes):
        known += counts[k]
    for b in range(n_branches):
        work.fractions[b] = 0.0
        for k in range(n_classes):
            work.fractions[b] += counts[b * n_classes + k]
        work.fractions[b] /= known
    if n_missing:
        # pieces are weighted by the completed branches: the same fractions, up to rounding
        complete(width, problem, work, frame, n_branches)
        known = 0.0
        for b in range(n_branches):
            work.fractions[b] = 0.0
            for k in range(n_classes):
                work.fractions[b] += counts[b * n_classes + k]
            known += work.fractions[b]
        for b in range(n_branches):
            work.fractions[b] /= known
    for b in range(n_branches):
        share = work.fractions[b]
        work.takes_missing[b] = n_missing > 0 and share > SLACK
        if work.takes_missing[b]:
            work.branch_rows[b] += n_missing
        memcpy(work.buffer.counts + (first + b) * n_classes, counts + b * n_classes, n_classes * sizeof(double))
        make_leaf(&work.buffer.nodes[first + b], counts + b * n_classes, choices, work.branch_rows[b], share,
                  node.label)
        work.goes_on[b] = not must_stop(&work.buffer.nodes[first + b], counts + b * n_classes, frame.depth + 1, choices)
    return first


cdef int largest_to_go_on(const Workspace* work, int n_branches) noexcept nogil:
    """The branch with most rows among those that are not leaves, which reuses the parent's memory; or -1."""
    cdef int b, largest = -1
    for b in range(n_branches):
        if work.goes_on[b] and (largest < 0 or work.branch_rows[b] > work.branch_rows[largest]):
            largest = b
    return largest


cdef char* lend(Workspace* work, int64_t size) noexcept nogil:
    """Memory from the top of the workspace's stack; NULL if there is no room."""
    cdef int64_t used = work.stack_used
    size = (size + 15) & ~15
    if work.stack_size - used < size:
        return NULL
    work.stack_used = used + size
    return work.stack + used


cdef int open_frame(Entry* width, const Problem* problem, Workspace* lender, Frame* frame, int64_t n_rows,
                    int first) noexcept nogil:
    """Memory for a node's lists, from the lender's stack if possible; lists before `first` have their own."""
    cdef int j
    cdef int64_t head = problem.n_lists * (sizeof(void*) + sizeof(int64_t))
    cdef int64_t size = head + (problem.n_lists - first) * (n_rows + 1) * <int64_t>sizeof(Entry)
    cdef char* memory = NULL
    if lender != NULL:
        memory = lend(lender, size)
    frame.lent = memory != NULL
    if memory == NULL:
        memory = <char*>hb_take(size)
    if memory == NULL:
        return NO_MEMORY
    frame.memory = memory
    frame.local_weight = NULL
    frame.n_rows = n_rows
    frame.lists = <void**>memory
    frame.lengths = <int64_t*>(memory + problem.n_lists * sizeof(void*))
    for j in range(problem.n_lists):
        frame.lists[j] = memory + head + (j - first) * (n_rows + 1) * <int64_t>sizeof(Entry) if j >= first else NULL
        frame.lengths[j] = 0
    return DONE


# ---- part: lists to children ---------------------------------------------------------------------------------------


cdef void part_lists(Entry* width, const Problem* problem, Workspace* work, const Workspace* sent, Frame* frame,
                     Frame* children, int n_branches, int stays, int first, int last) noexcept nogil:
    """Divide lists first .. last - 1 of a frame among its children; the child `stays` reuses the frame's memory.

    `sent` holds the sides or branches of the rows; `work` is this thread's memory.
    """
    cdef int j, b, other, flags
    cdef int shift = problem.choices.shift
    cdef int64_t n_other = 0
    cdef Entry* entries
    if n_branches == 2:
        other = 1 - stays
        flags = 1 << (2 * stays)  # two bits per side: stays, goes to the other child
        if sent.takes_missing[stays]:
            flags |= 1 << 4
        if sent.goes_on[other]:
            flags |= 2 << (2 * other)
            if sent.takes_missing[other]:
                flags |= 2 << 4
        for j in range(first, last):
            entries = <Entry*>frame.lists[j]
            if sent.goes_on[other] and sent.all_sent:
                frame.lengths[j] = part_by_side(entries, frame.lengths[j], sent.side, shift, stays,
                                                <Entry*>children[other].lists[j], &n_other)
                children[other].lengths[j] = n_other
            elif sent.goes_on[other]:
                frame.lengths[j] = part_in_two(entries, frame.lengths[j], sent.side, shift, flags,
                                               <Entry*>children[other].lists[j], &n_other)
                children[other].lengths[j] = n_other
            else:
                frame.lengths[j] = filter_list(entries, frame.lengths[j], sent.side, shift, flags)
        return
    for j in range(first, last):
        for b in range(n_branches):
            work.targets[b] = NULL
            if sent.goes_on[b]:
                work.targets[b] = frame.lists[j] if b == stays else children[b].lists[j]
        part_in_many(<Entry*>frame.lists[j], frame.lengths[j], sent.branch, shift, n_branches, sent.takes_missing,
                     <Entry**>work.targets, work.filled, work.last_run)
        for b in range(n_branches):
            if sent.goes_on[b]:
                if b == stays:
                    frame.lengths[j] = work.filled[b]
                else:
                    children[b].lengths[j] = work.filled[b]
