# Part of grow.pyx: the children of a split that search.pyx found, for any criterion: their sums, centers and limits.

cdef int64_t divide(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                    double average, int* n_branches, int64_t* n_missing) noexcept nogil:
    """Send a node's rows to the branches of its split; returns the first child, or NO_MEMORY."""
    cdef bint summed = chosen == problem.n_columns
    cdef const Candidate* candidate = &work.combination.candidate if summed else &work.candidates[chosen]
    cdef const Choices* choices = problem.choices
    cdef Plan* plan = &work.plan
    cdef const double* counts = work.branch_counts
    cdef bint flipped = False
    if not choices.any_criterion:
        n_branches[0] = send_rows(width, problem, work, frame, chosen, candidate, n_missing)
        work.all_sent = n_branches[0] == 2 and n_missing[0] == 0
        return make_children(width, problem, work, frame, chosen, candidate, average, n_branches[0], n_missing[0])
    if (not summed and choices.plain_numbers and frame.unit and problem.columns[chosen].kind == SORTED
            and frame.lengths[problem.columns[chosen].position] == frame.n_rows and choices.missing != BY_SURROGATE):
        n_branches[0] = 2
        n_missing[0] = 0
        work.all_sent = True
        return divide_numbers(width, problem, work, frame, chosen, candidate)
    # if sums are taken row by row, the search already knows which branch predicts the lower number
    if summed:
        n_missing[0] = send_by_sum(width, problem, work, frame, plan)
    else:
        make_plan(width, problem, work, frame, chosen, candidate, plan)
        if choices.order_by_target and choices.regression and choices.row_by_row and plan.n_branches == 2:
            flipped = not candidate.low_weight < 0.0
            if flipped:
                flip_plan(problem, chosen, plan)
        n_missing[0] = send_planned(width, problem, work, frame, chosen, plan, flipped and plan.kind == BY_CUTS)
    n_branches[0] = plan.n_branches
    work.all_sent = plan.n_branches == 2 and n_missing[0] == 0
    work.n_found = 0
    if choices.order_by_target and plan.n_branches == 2 and (summed or not choices.regression
                                                             or not choices.row_by_row):
        tally(width, problem, work, frame, chosen, 2)
        if not (prediction_of_branch(counts, candidate.low_weight, choices)
                < prediction_of_branch(counts + choices.n_classes, 0.0 if choices.regression else candidate.high_weight,
                                       choices)):
            flip_sides(width, problem, work, frame, chosen)
            flip_plan(problem, chosen, plan)
            flipped = True
    if choices.missing == BY_SURROGATE:
        find_surrogates(width, problem, work, frame, chosen, plan)
    if n_missing[0] and choices.missing != IN_PIECES:
        route_missing(width, problem, work, frame, plan)
        n_missing[0] = 0
    tally(width, problem, work, frame, chosen, plan.n_branches)
    return make_planned_children(width, problem, work, frame, chosen, candidate, flipped, n_missing[0])


cdef inline void pass_limits(NodeBuffer* buffer, int64_t parent, int64_t child, int chosen,
                             const Choices* choices) noexcept nogil:
    """A child inherits its parent's limits, and may use the columns that may interact with this one."""
    if buffer.limited:
        buffer.limits[child] = buffer.limits[parent]
        if choices.groups != NULL:  # never together with sums of columns
            buffer.limits[child].groups &= choices.groups[chosen]


cdef inline uint32_t first_row(const Column* column, int64_t row) noexcept nogil:
    """The original number of a row, before rows were renumbered."""
    return <uint32_t>row if column.origin == NULL else column.origin[row]


cdef int64_t divide_numbers(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                            const Candidate* candidate) noexcept nogil:
    """The fast path to two children: the sums are known from the search, and one pass gives the rest."""
    cdef const Choices* choices = problem.choices
    cdef int position = problem.columns[chosen].position, shift = choices.shift, b
    cdef const Entry* entries = <const Entry*>frame.lists[position]
    cdef const double* target = problem.target
    cdef double* counts = work.branch_counts
    cdef double center = (work.buffer.counts + <int64_t>frame.node * NUMBER_VALUES)[1], mean, y, squares
    cdef int64_t i, start = 0, end = candidate.position, row, first = add_nodes(work.buffer, 2)
    cdef GrownSplit* split
    if first < 0:
        return NO_MEMORY
    split = add_split(work.buffer, frame.node, first, 2, chosen, 0.0)
    if split == NULL:
        return NO_MEMORY
    split.kind = BY_CUTS
    split.score = candidate.score
    split.decrease = candidate.decrease
    split.missing = FRACTIONAL if choices.missing == IN_PIECES else candidate.missing_branch
    split.n_extra = LATER
    split.place.rows[0] = first_row(&problem.columns[chosen], entries[end - 1] >> shift)
    split.place.rows[1] = first_row(&problem.columns[chosen], entries[end] >> shift)
    for b in range(2):
        mean = center + (candidate.low_weight if b == 0 else -candidate.low_weight) / (end - start)
        squares = 0.0
        for i in range(start, end):
            row = entries[i] >> shift
            work.side[row] = b
            y = target[row] - mean
            squares += y * y
        counts[0] = <double>(end - start)
        counts[1] = counts[4] = mean
        counts[2] = squares
        counts[3] = 0.0
        if squares > 0.0 and not choices.row_by_row and may_be_equal(counts, counts[0], choices):
            i = start + 1
            while i < end and target[entries[i] >> shift] == target[entries[start] >> shift]:
                i += 1
            if i == end:
                settle_on(counts, target[entries[start] >> shift])
        work.branch_rows[b] = end - start
        work.takes_missing[b] = False
        memcpy(work.buffer.counts + (first + b) * NUMBER_VALUES, counts, NUMBER_VALUES * sizeof(double))
        make_leaf(&work.buffer.nodes[first + b], counts, choices, end - start, counts[0] / frame.n_rows, -1)
        pass_limits(work.buffer, frame.node, first + b, chosen, choices)
        work.goes_on[b] = not must_stop(&work.buffer.nodes[first + b], counts, frame.depth + 1, choices)
        start = end
        end = frame.n_rows
    return first


cdef int64_t make_planned_children(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                                   int chosen, const Candidate* candidate, bint flipped,
                                   int64_t n_missing) noexcept nogil:
    """Make the children's nodes from the tally of their rows."""
    cdef const Choices* choices = problem.choices
    cdef const Plan* plan = &work.plan
    cdef int n_values = choices.n_classes, n_branches = plan.n_branches, b, k
    cdef double* counts = work.branch_counts
    cdef double known = 0.0, share, weight
    cdef int64_t first = add_nodes(work.buffer, n_branches)
    cdef const GrownNode* node
    cdef GrownNode* child
    cdef GrownSplit* split
    if first < 0:
        return NO_MEMORY
    node = &work.buffer.nodes[frame.node]
    split = add_split(work.buffer, frame.node, first, n_branches, chosen, 0.0)
    if split == NULL:
        return NO_MEMORY
    split.score = candidate.score
    split.decrease = candidate.decrease
    if choices.row_by_row:  # ranked by another score, but recorded as usual: a mean, in bits
        split.score = candidate.decrease / node.weight / (LOG_2 if choices.criterion == ENTROPY else 1.0)
    split.kind = <int8_t>plan.kind
    split.flipped = flipped and plan.kind == BY_CUTS
    split.missing = plan.missing_branch
    if choices.missing == BY_SURROGATE and plan.missing_branch < 0:
        split.missing = STOP
    elif choices.missing == IN_PIECES:
        split.missing = FRACTIONAL
    if plan.kind == BY_SUMS:
        if describe_sum(problem, work, work.buffer, split) != DONE:
            return NO_MEMORY
    elif describe(width, problem, frame, chosen, plan, work.buffer, &split.place.cut, &split.extra_start,
                  &split.n_extra) != DONE:
        return NO_MEMORY
    if keep_surrogates(work, frame) != DONE:
        return NO_MEMORY
    for b in range(n_branches):
        work.fractions[b] = branch_weight(counts + b * n_values, choices)
        known += work.fractions[b]
    for b in range(n_branches):
        work.fractions[b] /= known
    if n_missing:
        complete_any(width, problem, work, frame, n_branches)
    for b in range(n_branches):
        share = work.fractions[b]
        work.takes_missing[b] = n_missing > 0 and share > SLACK
        if work.takes_missing[b]:
            work.branch_rows[b] += n_missing
    if choices.regression:
        center_branches(width, problem, work, frame, chosen, n_branches, n_missing)
    for b in range(n_branches):
        child = &work.buffer.nodes[first + b]
        memcpy(work.buffer.counts + (first + b) * n_values, counts + b * n_values, n_values * sizeof(double))
        make_leaf(child, counts + b * n_values, choices, work.branch_rows[b], work.fractions[b], node.label)
        pass_limits(work.buffer, frame.node, first + b, chosen, choices)
        work.goes_on[b] = not must_stop(child, counts + b * n_values, frame.depth + 1, choices)
    if choices.monotone != NULL and plan.kind != BY_SUMS and choices.monotone[chosen]:
        bound_children(work, first, n_branches, choices.monotone[chosen], choices)
    return first


cdef inline double branch_weight(const double* counts, const Choices* choices) noexcept nogil:
    cdef double weight = 0.0
    cdef int k
    if choices.regression:
        return counts[0]
    for k in range(choices.n_classes):
        weight += counts[k]
    return weight


cdef void complete_any(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                       int n_branches) noexcept nogil:
    """Add the rows with a missing value to every branch's sums, with the branch's fraction."""
    cdef const Choices* choices = problem.choices
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef int n_values = choices.n_classes, b
    cdef int64_t i, row, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef double center = tally_origin(work, frame, choices), w, y
    for i in range(frame.n_rows):
        row = entries[i] >> choices.shift
        if (work.branch[row] >= 0) if n_branches > 2 else (work.side[row] != 2):
            continue
        w = 1.0 if weight == NULL else weight[row]
        for b in range(n_branches):
            if choices.regression:
                y = problem.target[row] - center
                work.branch_counts[b * n_values] += work.fractions[b] * w
                work.branch_counts[b * n_values + 1] += work.fractions[b] * w * y
            else:
                work.branch_counts[b * n_values + ((entries[i] >> 2) & label_mask)] += work.fractions[b] * w


cdef inline void settle_on(double* counts, double value) noexcept nogil:
    """The statistics of equal numbers, without the rounding of their sums."""
    counts[1] = counts[4] = value
    counts[2] = counts[3] = 0.0


cdef void settle_equal_branches(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                                int list_number, int n_branches) noexcept nogil:
    """If all numbers of a branch are equal, set its mean to exactly that number, and its deviation to zero."""
    cdef const Choices* choices = problem.choices
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef const double* target = problem.target
    cdef double* counts
    cdef double value
    cdef int b, to
    cdef int64_t i, row
    cdef bint found, same
    if choices.row_by_row:
        return  # another program's sums are reproduced, including their rounding
    for b in range(n_branches):
        counts = work.branch_counts + b * choices.n_classes
        if counts[2] <= 0.0 or not may_be_equal(counts, counts[0], choices):
            continue
        found, same, value = False, True, 0.0
        for i in range(frame.lengths[list_number]):
            row = entries[i] >> choices.shift
            to = work.branch[row] if n_branches > 2 else work.side[row]
            if to == b or (not 0 <= to < n_branches and work.takes_missing[b]):
                if not found:
                    found, value = True, target[row]
                elif target[row] != value:
                    same = False
                    break
        if found and same:
            settle_on(counts, value)


cdef void center_branches(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                          int n_branches, int64_t n_missing) noexcept nogil:
    """Turn each branch's sums into its weight, its center, and the distances of its rows from the center.

    Distances are summed anew about the branch's own mean: a difference of sums would lose all precision if a branch is
    far from its parent's mean.
    """
    cdef const Choices* choices = problem.choices
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef const double* target = problem.target
    cdef int n_values = choices.n_classes, shift = choices.shift, b, to
    cdef int list_number = tally_list(problem, chosen)
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef double* counts = work.branch_counts
    cdef double center = tally_origin(work, frame, choices), w, y
    cdef int64_t i, row
    # the prediction field holds the mean until a median replaces it
    for b in range(n_branches):
        if counts[b * n_values] > 0.0:
            counts[b * n_values + 1] = center + counts[b * n_values + 1] / counts[b * n_values]
        else:
            counts[b * n_values + 1] = center
        counts[b * n_values + 2] = counts[b * n_values + 3] = 0.0
        counts[b * n_values + 4] = counts[b * n_values + 1]
    if choices.median:
        for b in range(n_branches):
            find_median(width, problem, work, frame, list_number, b, n_branches)
    elif (work.all_sent and frame.unit and choices.criterion != ABSOLUTE and frame.lengths[list_number] == frame.n_rows
            and square_two_sides(entries, frame.n_rows, shift, work.side, target, counts)):
        settle_equal_branches(width, problem, work, frame, list_number, n_branches)
        return
    for i in range(frame.lengths[list_number]):
        row = entries[i] >> shift
        to = work.branch[row] if n_branches > 2 else work.side[row]
        w = 1.0 if weight == NULL else weight[row]
        if 0 <= to < n_branches:
            y = target[row] - counts[to * n_values + 1]
            counts[to * n_values + 2] += w * (y * y)
            counts[to * n_values + 3] += w * fabs(y)
        elif n_missing:
            for b in range(n_branches):
                if work.takes_missing[b]:
                    y = target[row] - counts[b * n_values + 1]
                    counts[b * n_values + 2] += work.fractions[b] * w * y * y
                    counts[b * n_values + 3] += work.fractions[b] * w * fabs(y)
    settle_equal_branches(width, problem, work, frame, list_number, n_branches)


cdef bint square_two_sides(const Entry* entries, int64_t n, int shift, const uint8_t* side, const double* target,
                           double* counts) noexcept nogil:
    """Squared distances from the centers of two branches if every row counts once; False if they overflow."""
    cdef double low = 0.0, high = 0.0, y, upper
    cdef int64_t i, row
    cdef double[2] center
    cdef double[2] share
    center[0] = counts[1]
    center[1] = counts[NUMBER_VALUES + 1]
    share[0] = 0.0
    share[1] = 1.0
    for i in range(n):
        row = entries[i] >> shift
        y = target[row] - center[side[row]]
        y *= y
        upper = y * share[side[row]]
        low += y - upper
        high += upper
    if not (low < INFINITY and high < INFINITY):
        return False
    counts[2] = low
    counts[NUMBER_VALUES + 2] = high
    return True


cdef void find_median(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int list_number,
                      int branch, int n_branches) noexcept nogil:
    """Replace a branch's center by the (lower, weighted) median of its targets."""
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef const Ranked* found
    cdef int64_t i, row, n = 0
    cdef int to
    cdef double half, w, below = 0.0
    for i in range(frame.lengths[list_number]):
        row = entries[i] >> problem.choices.shift
        to = work.branch[row] if n_branches > 2 else work.side[row]
        if to == branch or (not 0 <= to < n_branches and work.takes_missing[branch]):
            work.sorting[n].target = problem.target[row]
            work.sorting[n].row = <uint32_t>row
            n += 1
    if n == 0:
        return
    found = <const Ranked*>hb_merge_sort_rows(work.sorting, work.sorting + n, n)
    half = 0.5 * work.branch_counts[branch * problem.choices.n_classes] * (1.0 - 1e-12)
    for i in range(n):
        row = found[i].row
        w = 1.0 if weight == NULL else weight[row]
        to = work.branch[row] if n_branches > 2 else work.side[row]
        below += w if to == branch else w * work.fractions[branch]
        if below >= half:
            break
    work.branch_counts[branch * problem.choices.n_classes + 1] = found[min(i, n - 1)].target


cdef void rank_targets(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Sort the node's rows by target, relative to the node's center, for the absolute error."""
    cdef int list_number = problem.row_list if problem.row_list >= 0 else 0
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef const Ranked* found
    cdef int64_t i, row
    if problem.choices.criterion != ABSOLUTE:
        return
    for i in range(frame.n_rows):
        row = entries[i] >> problem.choices.shift
        work.sorting[i].target = problem.target[row]
        work.sorting[i].row = <uint32_t>row
    found = <const Ranked*>hb_merge_sort_rows(work.sorting, work.sorting + frame.n_rows, frame.n_rows)
    for i in range(frame.n_rows):
        work.by_rank[i] = found[i].row
        work.ranked[i] = found[i].target
        work.rank[found[i].row] = <uint32_t>i


cdef void bound_children(Workspace* work, int64_t first, int n_branches, int direction,
                         const Choices* choices) noexcept nogil:
    """Below a monotone column, adjacent branches may not cross the midpoint of their predictions."""
    cdef const GrownNode* nodes = work.buffer.nodes + first
    cdef Limits* limits = work.buffer.limits + first
    cdef const double* counts = work.branch_counts
    cdef double prediction, previous = 0.0, middle
    cdef int b, last = -1, n_values = choices.n_classes
    for b in range(n_branches):
        if nodes[b].weight <= 0.0:
            continue
        prediction = counts[b * n_values + 1] if choices.regression else counts[b * n_values + 1] / nodes[b].weight
        if last >= 0:
            middle = (previous + prediction) / 2
            if direction > 0:
                limits[last].upper = min(limits[last].upper, middle)
                limits[b].lower = max(limits[b].lower, middle)
            else:
                limits[last].lower = max(limits[last].lower, middle)
                limits[b].upper = min(limits[b].upper, middle)
        previous = prediction
        last = b
