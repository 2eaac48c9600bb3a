# Part of grow.pyx: cuts of weighted sums of numeric columns, tried at a node in addition to splits on single columns.


cdef int try_combination(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                         int chosen) noexcept nogil:
    """The number of columns if a weighted sum of columns splits better than the chosen column; else that column."""
    cdef const Choices* choices = problem.choices
    cdef Combining given
    cdef Combination* found = &work.combination
    cdef const Entry* entries
    cdef const double* counts = work.buffer.counts + <int64_t>frame.node * choices.n_classes
    cdef int64_t i, row, n = 0, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int c, m, terms = 0
    cdef double left, before, value
    if not choices.combinations or problem.n_sorted < 2:
        return chosen
    entries = <const Entry*>frame.lists[problem.row_list]
    for i in range(frame.n_rows):
        row = entries[i] >> choices.shift
        for c in range(problem.n_columns):
            if may_be_term(problem, frame, c):
                value = value_of(&problem.columns[c], row)
                if value != value:
                    break
        else:
            found.rows[n] = <uint32_t>row
            found.labels[n] = (entries[i] >> 2) & label_mask
            found.weights[n] = 1.0 if frame.unit else work.row_weight[row]
            if choices.regression:
                found.target[n] = problem.target[row] - counts[1]
            n += 1
    m = 0
    for c in range(problem.n_columns):
        if may_be_term(problem, frame, c):
            for i in range(n):
                found.values[m * n + i] = value_of(&problem.columns[c], found.rows[i])
            m += 1
    given.n_rows = n
    given.n_columns = m
    given.values = found.values
    given.labels = NULL if choices.regression else found.labels
    given.target = found.target if choices.regression else NULL
    given.weights = NULL if frame.unit else found.weights
    given.criterion = choices.criterion
    given.n_stats = choices.n_stats
    given.loss = choices.loss
    given.min_branch = choices.min_branch
    given.least_share = LEAST_TERM
    if n < 2:
        return chosen
    left = best_combination(&given, found.memory, found.coefficients, &found.cut)
    for c in range(m):
        terms += found.coefficients[c] != 0.0
    if left == INFINITY or terms < 2:
        return chosen
    spread_terms(problem, frame, m, found.coefficients)
    before = impurity_of_rows(found, n, choices, work.scratch.low)
    found.candidate.decrease = before - left
    found.candidate.gain = found.candidate.decrease / node_divisor(found, n, choices, frame, work)
    found.candidate.score = found.candidate.gain
    found.candidate.n_branches = 2
    if found.candidate.score <= choices.min_gain or found.candidate.decrease <= 1e-12 * before or (
            found.candidate.decrease < choices.min_decrease):
        return chosen
    if chosen >= 0:
        if found.candidate.score <= work.candidates[chosen].score * (1.0 + LEAST_BETTER):
            return chosen
        work.candidates[chosen].verdict = OUTSCORED
    return problem.n_columns


cdef inline bint may_be_term(const Problem* problem, const Frame* frame, int c) noexcept nogil:
    """Whether a column is numeric and mostly known: rows with a missing value in any term do not count."""
    return (problem.columns[c].kind == SORTED
            and 2 * frame.lengths[problem.columns[c].position] > frame.n_rows)


cdef void spread_terms(const Problem* problem, const Frame* frame, int n_terms, double* coefficients) noexcept nogil:
    """Convert the coefficients of the columns that were tried to those of all sorted columns."""
    cdef int c, to = problem.n_sorted
    for c in range(problem.n_columns - 1, -1, -1):
        if problem.columns[c].kind == SORTED:
            to -= 1
            if may_be_term(problem, frame, c):
                n_terms -= 1
                coefficients[to] = coefficients[n_terms]
            else:
                coefficients[to] = 0.0


cdef double impurity_of_rows(const Combination* found, int64_t n, const Choices* choices, double* stats) noexcept nogil:
    """Impurity of the rows that have all values."""
    cdef int64_t i
    memset(stats, 0, choices.n_stats * sizeof(double))
    for i in range(n):
        if choices.regression:
            stats[0] += found.weights[i]
            stats[1] += found.weights[i] * found.target[i]
            stats[2] += found.weights[i] * found.target[i] * found.target[i]
        else:
            stats[found.labels[i]] += found.weights[i]
    return impurity(choices.criterion, stats, choices.n_stats, NULL, choices.loss)


cdef double node_divisor(const Combination* found, int64_t n, const Choices* choices, const Frame* frame,
                         const Workspace* work) noexcept nogil:
    """The weight that gains are averaged over: the rows with all values, or all rows."""
    cdef double weight = 0.0
    cdef int64_t i
    if not choices.known_only:
        return work.buffer.nodes[frame.node].weight
    for i in range(n):
        weight += found.weights[i]
    return weight


cdef int64_t send_by_sum(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                         Plan* plan) noexcept nogil:
    """Set the side of each row by the sum of its values; returns how many have a missing one."""
    cdef const Combination* found = &work.combination
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef int64_t i, row, n_missing = 0
    cdef int c, m
    cdef double total, weight[2]
    weight[0] = weight[1] = 0.0
    for i in range(frame.n_rows):
        row = entries[i] >> problem.choices.shift
        total = 0.0
        m = 0
        for c in range(problem.n_columns):
            if problem.columns[c].kind == SORTED:
                if found.coefficients[m] != 0.0:
                    total += found.coefficients[m] * value_of(&problem.columns[c], row)
                m += 1
        work.side[row] = 2 if total != total else total > found.cut
        n_missing += work.side[row] == 2
        if work.side[row] < 2:
            weight[work.side[row]] += 1.0 if frame.unit else work.row_weight[row]
    plan.n_branches = 2
    plan.kind = BY_SUMS
    plan.n_places = 0
    plan.missing_branch = weight[1] > weight[0]
    return n_missing


cdef int describe_sum(const Problem* problem, const Workspace* work, NodeBuffer* pool,
                      GrownSplit* split) noexcept nogil:
    """Store the terms as pairs of column and coefficient; the node's column is that of the first."""
    cdef const Combination* found = &work.combination
    cdef int c, m = 0
    split.place.cut = found.cut
    split.extra_start = pool.n_extra
    split.column = -1
    for c in range(problem.n_columns):
        if problem.columns[c].kind == SORTED:
            if found.coefficients[m] != 0.0:
                if split.column < 0:
                    split.column = c
                if add_extra(pool, c) != DONE or add_extra(pool, found.coefficients[m]) != DONE:
                    return NO_MEMORY
            m += 1
    split.n_extra = <int32_t>(pool.n_extra - split.extra_start)
    return DONE
