# Part of grow.pyx: the steps taken at one node. Examine (scan, choose), divide (rows to branches, children made),
# part (lists to children).

# ---- nodes ---------------------------------------------------------------------------------------------------------


cdef int64_t add_nodes(NodeBuffer* buffer, int64_t count) noexcept nogil:
    """Room for `count` contiguous nodes; give the first, or NO_MEMORY."""
    cdef int64_t first = buffer.n, room = buffer.room
    cdef void* moved
    if first + count > room:
        room = 2 * (first + count)
        moved = realloc(buffer.nodes, room * sizeof(GrownNode))
        if moved == NULL:
            return NO_MEMORY
        buffer.nodes = <GrownNode*>moved
        hb_large_pages(moved, room * <int64_t>sizeof(GrownNode))
        moved = realloc(buffer.counts, room * buffer.n_classes * sizeof(double))
        if moved == NULL:
            return NO_MEMORY
        buffer.counts = <double*>moved
        hb_large_pages(moved, room * buffer.n_classes * <int64_t>sizeof(double))
        if buffer.limited:
            moved = realloc(buffer.limits, room * sizeof(Limits))
            if moved == NULL:
                return NO_MEMORY
            buffer.limits = <Limits*>moved
        buffer.room = room
    buffer.n = first + count
    return first


cdef void make_room(NodeBuffer* buffer, int64_t room) noexcept nogil:
    """Room for so many nodes at once, if there is that much memory: growing it would copy it again and again.

    Pages that are never touched cost nothing.
    """
    buffer.nodes = <GrownNode*>malloc(room * sizeof(GrownNode))
    buffer.counts = <double*>malloc(room * buffer.n_classes * sizeof(double))
    if buffer.nodes == NULL or buffer.counts == NULL or buffer.limited:
        free(buffer.nodes)
        free(buffer.counts)
        buffer.nodes = NULL
        buffer.counts = NULL
        return
    hb_large_pages(buffer.nodes, room * <int64_t>sizeof(GrownNode))
    hb_large_pages(buffer.counts, room * buffer.n_classes * <int64_t>sizeof(double))
    buffer.room = room


cdef inline int majority(const double* counts, int n_classes) noexcept nogil:
    """The class with the greatest weight; the first of equals."""
    cdef int k, best = 0
    cdef double most = 0.0
    for k in range(n_classes):
        if counts[k] > most + SLACK:
            most = counts[k]
            best = k
    return best


cdef inline int label_of(const double* counts, const Choices* choices) noexcept nogil:
    """The class to answer with: that of greatest weight, or of least cost; the first of equals."""
    cdef int answer, k, best = 0
    cdef double cost, least = 0.0
    if choices.regression:
        return -1
    if choices.loss == NULL:
        return majority(counts, choices.n_classes)
    for answer in range(choices.n_classes):
        cost = 0.0
        for k in range(choices.n_classes):
            cost += counts[k] * choices.loss[k * choices.n_classes + answer]
        if answer == 0 or cost < least - SLACK:
            least = cost
            best = answer
    return best


cdef inline void make_leaf(GrownNode* node, const double* counts, const Choices* choices, int64_t rows, double share,
                           int parent_label) noexcept nogil:
    cdef int k
    node.first_child = node.column = node.category = node.graft = node.missing = -1
    node.kind = -1
    node.n_children = node.n_extra = 0
    node.flipped = 0
    node.extra_start = 0
    node.rows = <uint32_t>rows
    node.share = share
    node.place.cut = node.score = node.average_gain = node.mass = 0.0
    node.weight = counts[0]
    if not choices.regression:
        for k in range(1, choices.n_classes):
            node.weight += counts[k]
    node.label = label_of(counts, choices) if node.weight > SLACK or parent_label < 0 else parent_label


cdef inline bint must_stop(const GrownNode* node, const double* counts, int depth,
                           const Choices* choices) noexcept nogil:
    """Too light to split, of one class or number, deep enough, or good enough."""
    if (node.rows < 2 or (node.rows if choices.row_by_row else node.weight) < choices.min_node - SLACK
            or depth == choices.max_depth
            or is_pure(counts, node.weight, choices)):
        return True
    return choices.any_criterion and (node_impurity(counts, node.weight, choices) <= choices.min_impurity
                                      or node_error(counts, choices) <= choices.min_error)


# ---- examine: scan and choose --------------------------------------------------------------------------------------


cdef void fill_view(const Problem* problem, const Workspace* owner, const Frame* frame, const GrownNode* node,
                    const double* counts, const double* row_weight, NodeView* view) noexcept nogil:
    view.n_rows = frame.n_rows
    view.weight = node.weight
    view.counts = counts
    view.row_weight = NULL if frame.unit else row_weight
    view.exact = frame.exact
    view.target = problem.target
    view.rank = owner.rank
    view.by_rank = owner.by_rank
    view.ranked = owner.ranked
    view.lower = owner.buffer.limits[frame.node].lower if owner.buffer.limited else -INFINITY
    view.upper = owner.buffer.limits[frame.node].upper if owner.buffer.limited else INFINITY


cdef void scan_columns(Entry* width, const Problem* problem, Workspace* work, Workspace* owner, const Frame* frame,
                       int first, int last) noexcept nogil:
    """Scan columns first .. last - 1 with the scratch of `work`; the node is the owner's.

    `width` only says which kind of entry the lists hold.
    """
    cdef const GrownNode* node = &owner.buffer.nodes[frame.node]
    cdef const double* counts = owner.buffer.counts + <int64_t>frame.node * problem.choices.n_classes
    cdef const double* local_weight = NULL if frame.unit else owner.local_weight
    cdef Candidate* candidates = owner.candidates
    cdef NodeView view
    cdef const Column* column
    cdef int c
    fill_view(problem, owner, frame, node, counts, owner.row_weight, &view)
    for c in range(first, last):
        column = &problem.columns[c]
        if problem.choices.groups != NULL and not owner.buffer.limits[frame.node].groups & problem.choices.groups[c]:
            candidates[c].verdict = NO_SPLIT
        elif problem.choices.plain_numbers and column.kind == SORTED and frame.unit and (
                frame.lengths[column.position] == frame.n_rows) and owner.trace == NULL:
            cut_numbers(<const Entry*>frame.lists[column.position], frame.n_rows, problem.choices, &view,
                        &candidates[c])
        elif column.order != NULL and owner.trace == NULL:
            search_bins(<const Entry*>frame.lists[problem.row_list], local_weight, column, problem.choices, &view,
                        &work.scratch, &candidates[c], NULL)
            candidates[c].rough = True
            candidates[c].score = candidates[c].mass
            if problem.choices.regression and counts[2] > 0.0:
                candidates[c].score /= counts[2]
        elif column.order != NULL:
            search_in_order(width, problem, work, frame, c, &view, &candidates[c])
        elif column.kind == SORTED and problem.choices.rough_first and owner.trace == NULL and search_roughly(
                <const Entry*>frame.lists[column.position], frame.lengths[column.position], problem.choices, &view,
                &work.scratch, &candidates[c]):
            pass
        elif problem.choices.any_criterion and column.kind == SORTED:
            search_sorted(<const Entry*>frame.lists[column.position], frame.lengths[column.position], column,
                          problem.choices, &view, &work.scratch, &candidates[c], NULL)
        elif problem.choices.any_criterion:
            search_codes(<const Entry*>frame.lists[problem.row_list], local_weight, column, problem.choices, &view,
                         &work.scratch, &candidates[c], NULL)
        elif column.kind == SORTED:
            scan_sorted(<const Entry*>frame.lists[column.position], frame.lengths[column.position], column,
                        problem.choices, &view, problem.xlogx, problem.scale, &work.scratch, &candidates[c])
        else:
            scan_codes(<const Entry*>frame.lists[problem.row_list], local_weight, column, problem.choices, &view,
                       &work.scratch, &candidates[c])


cdef void search_in_order(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int c,
                          const NodeView* view, Candidate* best) noexcept nogil:
    """Search a column of few values row by row, in the order that its rows would have in a sorted list."""
    cdef const Column* column = &problem.columns[c]
    cdef const Entry* rows = <const Entry*>frame.lists[problem.row_list]
    cdef Entry* entries = <Entry*>work.ordered
    cdef int shift = problem.choices.shift, code, last = -1
    cdef int64_t i, row, n = 0
    cdef uint32_t place
    cdef Entry all_steps = STEPS
    for i in range(frame.n_rows):
        row = rows[i] >> shift
        work.stamp[row if column.origin == NULL else column.origin[row]] = <uint32_t>(i + 1)
    for i in range(column.n_order):
        place = work.stamp[column.order[i]]
        if place:
            code = code_of(column, rows[place - 1] >> shift)
            entries[n] = rows[place - 1] & ~all_steps
            if code != last:
                entries[n] |= all_steps
            last = code
            n += 1
    for i in range(frame.n_rows):
        row = rows[i] >> shift
        work.stamp[row if column.origin == NULL else column.origin[row]] = 0
    search_sorted(entries, n, column, problem.choices, view, &work.scratch, best, NULL)
    if best.position > 0:
        best.code = code_of(column, entries[best.position - 1] >> shift)


cdef void refine(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Search the columns that may win again, exactly, where they were searched the short way."""
    cdef Candidate* candidates = work.candidates
    cdef const Column* column
    cdef NodeView view
    cdef double most = 0.0
    cdef int c
    if not problem.choices.rough_first or work.trace != NULL:
        return
    for c in range(problem.n_columns):
        if candidates[c].verdict == OUTSCORED and candidates[c].score > most:
            most = candidates[c].score
    fill_view(problem, work, frame, &work.buffer.nodes[frame.node],
              work.buffer.counts + <int64_t>frame.node * problem.choices.n_classes, work.row_weight, &view)
    for c in range(problem.n_columns):
        column = &problem.columns[c]
        if candidates[c].verdict == NO_SPLIT or not candidates[c].rough:
            continue
        if candidates[c].score < most * (1.0 - NEARLY_BEST):
            continue
        if column.order != NULL:
            search_in_order(width, problem, work, frame, c, &view, &candidates[c])
        elif column.kind == SORTED:
            search_sorted(<const Entry*>frame.lists[column.position], frame.lengths[column.position], column,
                          problem.choices, &view, &work.scratch, &candidates[c], NULL)


cdef int choose(const Problem* problem, Candidate* candidates, double* average) noexcept nogil:
    """The column to split on, or -1; every candidate's verdict is set."""
    cdef const Choices* choices = problem.choices
    cdef double total = 0.0, best_score = choices.min_gain + SLACK - choices.tolerance
    cdef int c, counted = 0, best = -1
    average[0] = 0.0
    if choices.average_filter:
        for c in range(problem.n_columns):
            if candidates[c].verdict == OUTSCORED and not problem.columns[c].many_valued:
                total += candidates[c].gain
                counted += 1
        if counted == 0:
            return -1
        average[0] = total / counted
    for c in range(problem.n_columns):
        if candidates[c].verdict != OUTSCORED:
            continue
        if choices.average_filter and candidates[c].gain < average[0] - AVERAGE_SLACK:
            candidates[c].verdict = BELOW_AVERAGE
        elif choices.any_criterion:  # each is good enough by itself
            if best < 0 or candidates[c].score > best_score + choices.tolerance * fabs(best_score):
                best = c
                best_score = candidates[c].score
        elif candidates[c].score > best_score + choices.tolerance:
            best = c
            best_score = candidates[c].score
    if best >= 0 and choices.any_criterion and candidates[best].mass < choices.min_mass:
        return -1
    if best >= 0:
        candidates[best].verdict = CHOSEN
    return best


cdef double cut_of(Entry* width, const Problem* problem, const Frame* frame, const Candidate* candidate,
                   int c) noexcept nogil:
    """Half-way between the two values a cut lies between; the lower one where rounding leaves no room."""
    cdef const Column* column = &problem.columns[c]
    cdef const Entry* entries
    cdef double low, high, middle
    cdef int code
    cdef int64_t i
    if column.kind == SORTED:
        if candidate.position < 1:
            return 0.0
        entries = <const Entry*>frame.lists[column.position]
        low = value_of(column, entries[candidate.position - 1] >> problem.choices.shift)
        high = value_of(column, entries[candidate.position] >> problem.choices.shift)
    else:
        if candidate.code < 0:
            return 0.0
        low = column.values[candidate.code]
        high = low
        code = column.n_codes
        entries = <const Entry*>frame.lists[problem.row_list]
        for i in range(frame.n_rows):  # the next code that occurs here
            if candidate.code < code_of(column, entries[i] >> problem.choices.shift) < code:
                code = code_of(column, entries[i] >> problem.choices.shift)
        if code < column.n_codes:
            high = column.values[code]
    middle = (low + high) / 2
    return low if middle == high else middle


cdef int record(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Keep every column's candidate at this node."""
    cdef TraceBuffer* trace = work.trace
    cdef const Candidate* candidates = work.candidates
    cdef int64_t room, base = trace.n * problem.n_columns
    cdef int c
    cdef void* moved
    if trace.n == trace.room:
        room = 2 * trace.room + 64
        moved = realloc(trace.node, room * sizeof(int32_t))
        if moved == NULL:
            return NO_MEMORY
        trace.node = <int32_t*>moved
        moved = realloc(trace.candidates, room * problem.n_columns * sizeof(Candidate))
        if moved == NULL:
            return NO_MEMORY
        trace.candidates = <Candidate*>moved
        moved = realloc(trace.cuts, room * problem.n_columns * sizeof(double))
        if moved == NULL:
            return NO_MEMORY
        trace.cuts = <double*>moved
        moved = realloc(trace.extra_start, room * problem.n_columns * sizeof(int64_t))
        if moved == NULL:
            return NO_MEMORY
        trace.extra_start = <int64_t*>moved
        moved = realloc(trace.n_extra, room * problem.n_columns * sizeof(int32_t))
        if moved == NULL:
            return NO_MEMORY
        trace.n_extra = <int32_t*>moved
        trace.room = room
    trace.node[trace.n] = frame.node
    for c in range(problem.n_columns):
        trace.candidates[base + c] = candidates[c]
        trace.cuts[base + c] = 0.0
        trace.extra_start[base + c] = trace.described.n_extra
        trace.n_extra[base + c] = 0
        if problem.choices.any_criterion:
            if candidates[c].verdict > NO_GAIN:
                make_plan(width, problem, work, frame, c, &candidates[c], &work.plan)
                if describe(width, problem, frame, c, &work.plan, &trace.described, &trace.cuts[base + c],
                            &trace.extra_start[base + c], &trace.n_extra[base + c]) != DONE:
                    return NO_MEMORY
        elif problem.columns[c].kind != NOMINAL:
            trace.cuts[base + c] = cut_of(width, problem, frame, &candidates[c], c)
    trace.n += 1
    return DONE


# ---- divide: rows to branches, children made -----------------------------------------------------------------------


cdef int send_rows(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                   const Candidate* candidate, int64_t* n_missing) noexcept nogil:
    """Set each row's side (0, 1, 2: missing) or branch (-1: missing), and the branches' class weights and rows.

    Gives the number of branches.
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
    """Add the rows without a value to every branch's counts, each with the branch's share, row by row."""
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
                work.branch_counts[b * n_classes + k] += work.shares[b] * w


cdef int64_t make_children(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                           const Candidate* candidate, double average, int n_branches,
                           int64_t n_missing) noexcept nogil:
    """Complete the branches' counts with their shares of the rows without a value, and make the child nodes."""
    cdef const Choices* choices = problem.choices
    cdef const Column* column = &problem.columns[chosen]
    cdef int n_classes = choices.n_classes, b, k
    cdef double* counts = work.branch_counts
    cdef double known = 0.0, share
    cdef int64_t first = add_nodes(work.buffer, n_branches)
    cdef GrownNode* node
    if first < 0:
        return NO_MEMORY
    node = &work.buffer.nodes[frame.node]
    node.first_child = <int32_t>first
    node.n_children = n_branches
    node.column = chosen
    node.score = candidate.score
    node.mass = candidate.gain * node.weight
    node.average_gain = average
    if column.kind != NOMINAL:
        node.kind = BY_CUTS
        node.place.cut = cut_of(width, problem, frame, candidate, chosen)
    elif choices.nominal == ONE_VS_REST:
        node.kind = BY_CODE_SETS
        node.category = candidate.code
    else:
        node.kind = BY_CODES
    for k in range(n_branches * n_classes):
        known += counts[k]
    for b in range(n_branches):
        work.shares[b] = 0.0
        for k in range(n_classes):
            work.shares[b] += counts[b * n_classes + k]
        work.shares[b] /= known
    if n_missing:
        # pieces are weighed by the completed branches: the same shares, but for rounding
        complete(width, problem, work, frame, n_branches)
        known = 0.0
        for b in range(n_branches):
            work.shares[b] = 0.0
            for k in range(n_classes):
                work.shares[b] += counts[b * n_classes + k]
            known += work.shares[b]
        for b in range(n_branches):
            work.shares[b] /= known
    for b in range(n_branches):
        share = work.shares[b]
        work.takes_missing[b] = n_missing > 0 and share > SLACK
        if work.takes_missing[b]:
            work.branch_rows[b] += n_missing
        memcpy(work.buffer.counts + (first + b) * n_classes, counts + b * n_classes, n_classes * sizeof(double))
        make_leaf(&work.buffer.nodes[first + b], counts + b * n_classes, choices, work.branch_rows[b], share,
                  node.label)
        work.goes_on[b] = not must_stop(&work.buffer.nodes[first + b], counts + b * n_classes, frame.depth + 1, choices)
    return first


cdef int largest_to_go_on(const Workspace* work, int n_branches) noexcept nogil:
    """The branch with most rows among those that are not leaves, which takes over the parent's memory; or -1."""
    cdef int b, largest = -1
    for b in range(n_branches):
        if work.goes_on[b] and (largest < 0 or work.branch_rows[b] > work.branch_rows[largest]):
            largest = b
    return largest


cdef char* lend(Workspace* work, int64_t size) noexcept nogil:
    """Memory from the top of the workspace's stack; NULL where there is no room."""
    cdef int64_t used = work.stack_used
    size = (size + 15) & ~15
    if work.stack_size - used < size:
        return NULL
    work.stack_used = used + size
    return work.stack + used


cdef int open_frame(Entry* width, const Problem* problem, Workspace* lender, Frame* frame, int64_t n_rows,
                    int first) noexcept nogil:
    """Memory for a node's lists, if may be of the lender's stack; those before `first` bring their own."""
    cdef int j
    cdef int64_t head = problem.n_lists * (sizeof(void*) + sizeof(int64_t))
    cdef int64_t size = head + (problem.n_lists - first) * (n_rows + 1) * <int64_t>sizeof(Entry)
    cdef char* memory = NULL
    if lender != NULL:
        memory = lend(lender, size)
    frame.lent = memory != NULL
    if memory == NULL:
        memory = <char*>malloc(size)
        hb_large_pages(memory, size)
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
    """Part lists first .. last - 1 of a frame among its children; the child `stays` takes over the frame's memory.

    `sent` holds the sides or branches of the rows; `work` is this thread's memory.
    """
    cdef int j, b, other, flags
    cdef int shift = problem.choices.shift
    cdef int64_t n_other = 0
    cdef Entry* entries
    if n_branches == 2:
        other = 1 - stays
        flags = 1 << (2 * stays)  # two bits a side: stays, goes to the other child
        if sent.takes_missing[stays]:
            flags |= 1 << 4
        if sent.goes_on[other]:
            flags |= 2 << (2 * other)
            if sent.takes_missing[other]:
                flags |= 2 << 4
        for j in range(first, last):
            entries = <Entry*>frame.lists[j]
            if sent.goes_on[other]:
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
