# Part of grow.pyx: examine a node: search every column, and choose.


cdef void fill_view(const Problem* problem, const Workspace* owner, const Frame* frame, const GrownNode* node,
                    const double* counts, const double* row_weight, NodeView* view) noexcept nogil:
    view.n_rows = frame.n_rows
    view.weight = node.weight
    view.counts = counts
    view.row_weight = NULL if frame.unit else row_weight
    view.exact = frame.exact
    view.only_splits = owner.trace == NULL
    view.target = problem.target
    view.rank = owner.rank
    view.by_rank = owner.by_rank
    view.ranked = owner.ranked
    view.lower = owner.buffer.limits[frame.node].lower if owner.buffer.limited else -INFINITY
    view.upper = owner.buffer.limits[frame.node].upper if owner.buffer.limited else INFINITY


cdef inline bint is_plain(const Problem* problem, const Workspace* owner, const Frame* frame, int c) noexcept nogil:
    """Whether the fast path can be used for a column."""
    cdef const Column* column = &problem.columns[c]
    return (problem.choices.plain_numbers and problem.choices.groups == NULL and column.kind == SORTED and frame.unit
            and frame.lengths[column.position] == frame.n_rows and owner.trace == NULL)


cdef inline bint is_rough(const Problem* problem, const Workspace* owner, const Frame* frame, int c) noexcept nogil:
    """Whether a column is searched by the fast path first, and has no missing value."""
    cdef const Column* column = &problem.columns[c]
    return (problem.choices.rough_first and column.kind == SORTED and frame.unit and owner.trace == NULL
            and frame.lengths[column.position] == frame.n_rows)


cdef double bound_columns(Entry* width, const Problem* problem, Workspace* owner, const Frame* frame,
                          const NodeView* view) noexcept nogil:
    """Store an upper bound of each numeric column's gain in its candidate's impurity; returns a lower bound of the
    best.

    Infinity if only one column may win: it is marked to be searched exactly, and the others are skipped.
    """
    cdef Candidate* candidates = owner.candidates
    cdef double least, floor = 0.0
    cdef int c, bounded = 0, left = 0, winner = -1
    if (not problem.choices.regression or not problem.choices.rough_first or problem.choices.groups != NULL
            or frame.n_rows < FEWEST_BOUNDED or may_be_equal(view.counts, view.weight, problem.choices)):
        return 0.0
    for c in range(problem.n_columns):
        if is_rough(problem, owner, frame, c):
            bound_cuts(<const Entry*>frame.lists[problem.columns[c].position], frame.n_rows, problem.choices, view,
                       &least, &candidates[c].decrease)
            bounded += 1
            floor = max(floor, least * (1.0 - NEARLY_BEST))
    for c in range(problem.n_columns):
        if is_rough(problem, owner, frame, c):
            if candidates[c].decrease < floor:
                candidates[c].verdict = NO_GAIN
                candidates[c].rough = False
            else:
                left += 1
                winner = c
    if left != 1 or bounded < problem.n_columns or not floor > 0.0:
        return floor
    candidates[winner].verdict = OUTSCORED
    candidates[winner].rough = True
    candidates[winner].score = 1.0
    return INFINITY


cdef void scan_columns(Entry* width, const Problem* problem, Workspace* work, Workspace* owner, const Frame* frame,
                       int first, int last) noexcept nogil:
    """Scan columns first .. last - 1 with the scratch memory of `work`; the node belongs to the owner.

    `width` only selects the type of the entries.
    """
    cdef const GrownNode* node = &owner.buffer.nodes[frame.node]
    cdef const double* counts = owner.buffer.counts + <int64_t>frame.node * problem.choices.n_classes
    cdef const double* local_weight = NULL if frame.unit else owner.local_weight
    cdef Candidate* candidates = owner.candidates
    cdef NodeView view
    cdef const Column* column
    cdef int c = first - 1
    cdef double floor = 0.0
    fill_view(problem, owner, frame, node, counts, owner.row_weight, &view)
    if first == 0 and last == problem.n_columns:
        floor = bound_columns(width, problem, owner, frame, &view)
        if floor == INFINITY:  # only one may win, and is searched exactly
            return
    while c + 1 < last:
        c += 1
        column = &problem.columns[c]
        if frame.n_rows > MANY_POLLED and stopping():  # the choice no longer matters
            candidates[c].verdict = NO_SPLIT
        elif problem.choices.groups != NULL and not owner.buffer.limits[frame.node].groups & problem.choices.groups[c]:
            candidates[c].verdict = NO_SPLIT
        elif is_plain(problem, owner, frame, c) and c + 1 < last and is_plain(problem, owner, frame, c + 1):
            cut_pair(<const Entry*>frame.lists[column.position],
                     <const Entry*>frame.lists[problem.columns[c + 1].position], frame.n_rows, problem.choices, &view,
                     &candidates[c])
            c += 1
        elif is_plain(problem, owner, frame, c):
            cut_numbers(<const Entry*>frame.lists[column.position], frame.n_rows, problem.choices, &view,
                        &candidates[c])
        elif floor > 0.0 and is_rough(problem, owner, frame, c) and candidates[c].decrease < floor:
            pass
        elif (problem.choices.regression and c + 1 < last and is_rough(problem, owner, frame, c)
                and is_rough(problem, owner, frame, c + 1) and not candidates[c + 1].decrease < floor
                and search_pair_roughly(
                    <const Entry*>frame.lists[column.position],
                    <const Entry*>frame.lists[problem.columns[c + 1].position], frame.n_rows, problem.choices, &view,
                    &candidates[c])):
            c += 1
        elif column.order != NULL and owner.trace == NULL:
            search_bins(<const Entry*>frame.lists[problem.row_list], local_weight, column, problem.choices, &view,
                        &work.scratch, &candidates[c], NULL)
            candidates[c].rough = True
            candidates[c].score = candidates[c].decrease
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
    """Search a column with few values row by row, in the order of its rows in a sorted list."""
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
    """Search again, exactly, the columns that may win and were searched by the fast path."""
    cdef Candidate* candidates = work.candidates
    cdef const Column* column
    cdef NodeView view
    cdef const GrownNode* node = &work.buffer.nodes[frame.node]
    cdef const double* counts = work.buffer.counts + <int64_t>frame.node * problem.choices.n_classes
    cdef double most = 0.0
    cdef int c
    if not problem.choices.rough_first or work.trace != NULL:
        return
    for c in range(problem.n_columns):
        if candidates[c].verdict == OUTSCORED and candidates[c].score > most:
            most = candidates[c].score
    if problem.choices.regression and may_be_equal(counts, node.weight, problem.choices):
        most = 0.0  # all gains are rounding, and the fast path rounds differently
    fill_view(problem, work, frame, node, counts, work.row_weight, &view)
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


cdef double cut_of(Entry* width, const Problem* problem, const Frame* frame, const Candidate* candidate,
                   int c) noexcept nogil:
    """The midpoint of the two values around a cut; the lower one if rounding leaves nothing in between."""
    cdef const Column* column = &problem.columns[c]
    cdef double low, high
    if (candidate.position < 1) if column.kind == SORTED else (candidate.code < 0):
        return 0.0
    if not values_at_cut(<const Entry*>frame.lists[column.position if column.kind == SORTED else problem.row_list],
                         frame.n_rows, column, candidate, problem.choices.shift, &low, &high):
        return INFINITY  # the cut separates known values from missing ones
    return middle_of(low, high)


cdef int record(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Keep every column's candidate at this node."""
    cdef TraceBuffer* trace = work.trace
    cdef const Candidate* candidates = work.candidates
    cdef int64_t room, n, base = trace.n * problem.n_columns
    cdef int c
    if trace.n == trace.room:
        room = 2 * trace.room + 64
        n = room * problem.n_columns
        if (
            not hb_resize(&trace.node, room * sizeof(int32_t))
            or not hb_resize(&trace.candidates, n * sizeof(Candidate))
            or not hb_resize(&trace.cuts, n * sizeof(double))
            or not hb_resize(&trace.extra_start, n * sizeof(int64_t))
            or not hb_resize(&trace.n_extra, n * sizeof(int32_t))
        ):
            return NO_MEMORY
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
