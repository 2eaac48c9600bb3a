# Part of grow.pyx: from a split found by search.pyx to children, for any criterion, number of branches and route of
# missing values.


cdef double node_error(const double* counts, const Choices* choices) noexcept nogil:
    """The loss of the node's prediction: weight or cost of wrong predictions, or squared distance."""
    if choices.regression:
        return counts[2]
    return misclassification_impurity(counts, choices.n_stats, choices.loss)


cdef double node_impurity(const double* counts, double weight, const Choices* choices) noexcept nogil:
    """Impurity of a node's rows per unit of weight, by the criterion (by Gini's if a single node has none)."""
    cdef double stats[3]
    if weight <= 0.0:
        return 0.0
    if not choices.regression:
        return impurity(GINI if is_relative(choices.criterion) else choices.criterion, counts, choices.n_stats, NULL,
                        choices.loss) / weight
    if choices.criterion == ABSOLUTE:
        return counts[3] / weight
    stats[0] = weight
    stats[1] = weight * (counts[4] - counts[1])
    stats[2] = counts[2]
    return impurity(choices.criterion, stats, 3, NULL, NULL) / weight


cdef inline bint is_pure(const double* counts, double weight, const Choices* choices) noexcept nogil:
    cdef double rest
    if not choices.regression:
        rest = weight - counts[majority(counts, choices.n_classes)]
        return rest <= 0.0 if choices.row_by_row else rest < SLACK
    if choices.row_by_row:
        return counts[2] <= 0.0
    return may_be_equal(counts, weight, choices)


cdef inline bint may_be_equal(const double* counts, double weight, const Choices* choices) noexcept nogil:
    """Whether the numbers of a node are equal up to rounding (so may be the distances from their mean)."""
    cdef double scale = EQUAL_NUMBERS * (fabs(counts[1]) + choices.target_scale)
    return counts[2] <= weight * scale * scale


# ---- the split -----------------------------------------------------------------------------------------------------


cdef void make_plan(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                    const Candidate* candidate, Plan* plan) noexcept nogil:
    """Determine what a candidate does with every value; search the column again if that is not stored."""
    cdef const Column* column = &problem.columns[chosen]
    cdef const Choices* choices = problem.choices
    cdef Candidate again
    cdef NodeView view
    plan.kind = BY_CUTS
    if column.kind == NOMINAL:
        plan.kind = BY_CODES if choices.nominal == MULTIWAY else BY_CODE_SETS
    if column.kind != NOMINAL and choices.most_cuts == 1:
        plan.n_branches = 2
        plan.n_places = 1
        plan.places[0] = candidate.position if column.kind == SORTED else candidate.code
        plan.missing_branch = candidate.missing_branch
        return
    fill_view(problem, work, frame, &work.buffer.nodes[frame.node],
              work.buffer.counts + <int64_t>frame.node * choices.n_classes, work.row_weight, &view)
    if column.kind == SORTED:
        search_sorted(<const Entry*>frame.lists[column.position], frame.lengths[column.position], column, choices,
                      &view, &work.scratch, &again, plan)
    else:
        search_codes(<const Entry*>frame.lists[problem.row_list], NULL if frame.unit else work.local_weight, column,
                     choices, &view, &work.scratch, &again, plan)


cdef double cut_at(Entry* width, const Problem* problem, const Frame* frame, int c, int64_t place) noexcept nogil:
    """The cut at one of a plan's positions; infinite if only missing values are above it."""
    cdef const Column* column = &problem.columns[c]
    cdef Candidate candidate
    if column.kind == SORTED and place >= frame.lengths[column.position]:
        return INFINITY
    candidate.position = place
    candidate.code = <int>place
    return cut_of(width, problem, frame, &candidate, c)


cdef int add_extra(NodeBuffer* buffer, double value) noexcept nogil:
    cdef int64_t room = 2 * buffer.extra_room + 256
    if buffer.n_extra == buffer.extra_room:
        if not hb_resize(&buffer.extra, room * sizeof(double)):
            return NO_MEMORY
        buffer.extra_room = room
    buffer.extra[buffer.n_extra] = value
    buffer.n_extra += 1
    return DONE


cdef int describe(Entry* width, const Problem* problem, const Frame* frame, int c, const Plan* plan, NodeBuffer* pool,
                  double* cut, int64_t* start, int32_t* count) noexcept nogil:
    """Store a plan: a single cut directly; several cuts, or pairs of code and branch, in the pool."""
    cdef int i
    cut[0] = 0.0
    start[0] = pool.n_extra
    count[0] = 0
    if plan.kind == BY_CUTS and plan.n_places == 1:
        cut[0] = cut_at(width, problem, frame, c, plan.places[0])
    elif plan.kind == BY_CUTS:
        for i in range(plan.n_places):
            if add_extra(pool, cut_at(width, problem, frame, c, plan.places[i])) != DONE:
                return NO_MEMORY
    elif plan.kind == BY_CODE_SETS:
        for i in range(problem.columns[c].n_codes):
            if plan.code_branch[i] >= 0:
                if add_extra(pool, i) != DONE or add_extra(pool, plan.code_branch[i]) != DONE:
                    return NO_MEMORY
    count[0] = <int32_t>(pool.n_extra - start[0])
    return DONE


# ---- rows to branches ----------------------------------------------------------------------------------------------


cdef int64_t send_planned(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                          const Plan* plan, bint crossed) noexcept nogil:
    """Set the side (0, 1, 2: missing) or branch (-1: missing) of each row; returns how many values are missing.

    `crossed`: with two branches and one cut, the first branch is above it.
    """
    cdef const Column* column = &problem.columns[chosen]
    cdef const Entry* entries
    cdef int shift = problem.choices.shift, b = 0, code
    cdef bint many = plan.n_branches > 2
    cdef int64_t i, row, n_known = frame.lengths[column.position] if column.kind == SORTED else 0
    if column.kind == SORTED:
        if n_known < frame.n_rows:
            entries = <const Entry*>frame.lists[problem.row_list]
            for i in range(frame.n_rows):
                row = entries[i] >> shift
                if many:
                    work.branch[row] = -1
                else:
                    work.side[row] = 2
        entries = <const Entry*>frame.lists[column.position]
        if plan.n_places == 1 and not many:
            for i in range(min(plan.places[0], n_known)):
                work.side[entries[i] >> shift] = crossed
            for i in range(plan.places[0], n_known):
                work.side[entries[i] >> shift] = not crossed
            return frame.n_rows - n_known
        for i in range(n_known):
            while b < plan.n_places and i >= plan.places[b]:
                b += 1
            if many:
                work.branch[entries[i] >> shift] = b
            else:
                work.side[entries[i] >> shift] = b
        return frame.n_rows - n_known
    entries = <const Entry*>frame.lists[problem.row_list]
    for i in range(frame.n_rows):
        row = entries[i] >> shift
        code = code_of(column, row)
        if code == column.n_codes:
            b = -1
        elif plan.kind == BY_CUTS:
            b = 0
            while b < plan.n_places and code > plan.places[b]:
                b += 1
        else:
            b = plan.code_branch[code]
        n_known += b >= 0
        if many:
            work.branch[row] = b
        else:
            work.side[row] = 2 if b < 0 else b ^ crossed
    return frame.n_rows - n_known


cdef inline int tally_list(const Problem* problem, int chosen) noexcept nogil:
    """The list whose order is the order of sums."""
    if problem.tally_list >= 0:
        return problem.tally_list
    return problem.row_list if problem.row_list >= 0 else problem.columns[chosen].position


cdef inline double tally_origin(const Workspace* work, const Frame* frame, const Choices* choices) noexcept nogil:
    """The reference of a branch's sums: the node's center, or zero if sums are not centered."""
    if choices.row_by_row or not choices.regression:
        return 0.0
    return (work.buffer.counts + <int64_t>frame.node * choices.n_classes)[1]


cdef void tally(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                int n_branches) noexcept nogil:
    """Rows and class weights, or weight and sum about the node's center, of every branch."""
    cdef const Choices* choices = problem.choices
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef const double* target = problem.target
    cdef int n_values = choices.n_classes, shift = choices.shift, b
    cdef int list_number = tally_list(problem, chosen)
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, row
    cdef double* counts = work.branch_counts
    cdef double center = tally_origin(work, frame, choices), w, y
    memset(counts, 0, <int64_t>n_branches * n_values * sizeof(double))
    memset(work.branch_rows, 0, n_branches * sizeof(int64_t))
    if (work.all_sent and choices.regression and frame.unit and frame.lengths[list_number] == frame.n_rows
            and sum_two_sides(entries, frame.n_rows, shift, work.side, target, center, work.branch_rows, counts)):
        return
    for i in range(frame.lengths[list_number]):
        row = entries[i] >> shift
        b = work.branch[row] if n_branches > 2 else work.side[row]
        if b < 0 or b >= n_branches:
            continue
        w = 1.0 if weight == NULL else weight[row]
        work.branch_rows[b] += 1
        if choices.regression:
            y = target[row] - center
            counts[b * n_values] += w
            counts[b * n_values + 1] += w * y
        else:
            counts[b * n_values + ((entries[i] >> 2) & label_mask)] += w


cdef bint sum_two_sides(const Entry* entries, int64_t n, int shift, const uint8_t* side, const double* target,
                        double center, int64_t* rows, double* counts) noexcept nogil:
    """The same for numbers if every row counts once: a row that is not on a side adds zero to its sum.

    False if sums overflow.
    """
    cdef double low = 0.0, high = 0.0, y, upper
    cdef int64_t i, row, above = 0
    cdef double[2] share
    share[0] = 0.0
    share[1] = 1.0
    for i in range(n):
        row = entries[i] >> shift
        y = target[row] - center
        upper = y * share[side[row]]
        above += side[row]
        low += y - upper
        high += upper
    if not (fabs(low) < INFINITY and fabs(high) < INFINITY):
        return False
    rows[0] = n - above
    rows[1] = above
    counts[0] = <double>(n - above)
    counts[1] = low
    counts[NUMBER_VALUES] = <double>above
    counts[NUMBER_VALUES + 1] = high
    return True


cdef double prediction_of_branch(const double* counts, double summed, const Choices* choices) noexcept nogil:
    """The mean of a branch from its sums, or of its class numbers; `summed` is its weight, summed row by row."""
    cdef double weight = 0.0, total = 0.0
    cdef int k
    if choices.regression and choices.row_by_row:
        return summed
    if choices.regression:
        return counts[1] / counts[0]
    if choices.row_by_row:
        for k in range(choices.n_classes):
            total += choices.class_factor[k] * counts[k] / summed * choices.class_number[k]
        return total
    for k in range(choices.n_classes):
        weight += counts[k]
        total += choices.class_number[k] * counts[k]
    return total / weight


cdef void flip_sides(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                     int chosen) noexcept nogil:
    """Swap the two branches of rows that have been sent."""
    cdef int list_number = problem.row_list if problem.row_list >= 0 else problem.columns[chosen].position
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef int64_t i, row
    for i in range(frame.lengths[list_number]):
        row = entries[i] >> problem.choices.shift
        if work.side[row] < 2:
            work.side[row] ^= 1


cdef void flip_plan(const Problem* problem, int chosen, Plan* plan) noexcept nogil:
    """Swap the two branches of a plan; for a cut only the route of missing values, since cuts have no sides."""
    cdef int code
    if plan.missing_branch >= 0:
        plan.missing_branch ^= 1
    if plan.kind == BY_CODE_SETS:
        for code in range(problem.columns[chosen].n_codes):
            if plan.code_branch[code] >= 0:
                plan.code_branch[code] ^= 1


cdef void route_missing(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                        const Plan* plan) noexcept nogil:
    """Send the rows with a missing value where the plan or the surrogates direct them; some may stay in the node."""
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef int64_t i, row
    cdef int b
    for i in range(frame.n_rows):
        row = entries[i] >> problem.choices.shift
        if plan.n_branches > 2:
            if work.branch[row] < 0:
                work.branch[row] = plan.missing_branch
        elif work.side[row] == 2:
            b = surrogate_branch(problem, work, row)
            if b < 0:
                b = plan.missing_branch
            if b >= 0:
                work.side[row] = b
