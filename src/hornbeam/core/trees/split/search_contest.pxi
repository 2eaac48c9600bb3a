# Part of search.pyx: the contest between the splits of one column.


cdef void open_contest(Contest* contest, const double* counted, double known, const Column* column,
                       const Choices* choices, const NodeView* node, Scratch* scratch) noexcept nogil:
    """Begin with the rows that count: those with a known value, or all if missing values take a side."""
    cdef int k
    contest.criterion = choices.criterion
    contest.n_stats = choices.n_stats
    contest.loss = choices.loss
    contest.weight = total_weight(counted, choices)
    contest.divisor = contest.weight if choices.known_only else node.weight
    contest.least = choices.min_branch - SLACK
    if contest.least < SLACK:
        contest.least = SLACK
    contest.direction = choices.monotone[column.number] if choices.monotone != NULL else 0
    contest.lower = node.lower
    contest.upper = node.upper
    contest.bounded = choices.monotone != NULL
    contest.nominal = column.kind == NOMINAL
    contest.origin = node.counts[1] if choices.regression else 0.0
    contest.parent_fractions = scratch.parent_fractions
    if is_relative(choices.criterion):
        for k in range(choices.n_stats):
            scratch.parent_fractions[k] = counted[k] / contest.weight if contest.weight > 0.0 else 0.0
    contest.nothing = NOTHING_LEFT * counted[2] if choices.criterion == DEVIATION else 0.0
    contest.before = impurity_of(counted, contest)
    contest.slack = choices.tolerance * fabs(contest.before)
    contest.limit = INFINITY if choices.min_gain < 0.0 else contest.before - contest.slack
    contest.after = contest.before


cdef inline bint may_stand(const double* low, const double* high, const Contest* contest) noexcept nogil:
    """Whether the predictions of two branches are within the limits."""
    cdef double first = prediction_of(low, contest), second = prediction_of(high, contest)
    if contest.direction > 0 and first > second or contest.direction < 0 and first < second:
        return False
    return (contest.lower <= first <= contest.upper) and (contest.lower <= second <= contest.upper)


cdef inline bint wins(const double* low, const double* high, double low_weight, double high_weight,
                      Contest* contest) noexcept nogil:
    """Whether two branches are the best so far; if so, store them."""
    cdef double total
    if low_weight < contest.least or high_weight < contest.least:
        return False
    if contest.bounded and not may_stand(low, high, contest):
        return False
    total = impurity_of(low, contest) + impurity_of(high, contest)
    if total >= contest.limit:
        return False
    contest.after = total
    contest.limit = total - contest.slack
    return True


cdef void close_contest(Candidate* best, const Contest* contest, const double* branches, int n_branches,
                        double missing_weight, const Choices* choices, const NodeView* node) noexcept nogil:
    """Gain and score of the best split, whose branches have these statistics."""
    cdef double gain = contest.before - contest.after, bits, weight, statistic
    cdef int b, filled = 0, present = 0
    best.verdict = NO_GAIN
    best.n_branches = n_branches
    best.gain = gain / contest.divisor
    best.decrease = gain
    bits = hb_xlog2x(contest.weight)
    for b in range(n_branches):
        weight = total_weight(branches + b * contest.n_stats, choices)
        filled += weight > SLACK
        bits -= hb_xlog2x(weight)
    if missing_weight > SLACK and choices.missing == IN_PIECES:
        bits += hb_xlog2x(node.weight) - hb_xlog2x(contest.weight) - hb_xlog2x(missing_weight)
    best.split_information = bits / contest.divisor
    best.score = best.gain
    if choices.by_ratio:
        best.score = best.gain / best.split_information if bits > SLACK else 0.0
    statistic = 0.0
    if choices.criterion == CHI_SQUARE or choices.log_significance < 0.0:
        statistic = pearson(branches, n_branches, choices, &present)
        statistic = -log_chi_square_tail(statistic, <double>(filled - 1) * (present - 1))
        if choices.criterion == CHI_SQUARE:
            best.score = statistic
    if choices.min_gain >= 0.0 and gain <= rounding_of(contest, choices, node):
        return
    if best.score <= choices.min_gain:
        return
    best.verdict = OUTSCORED
    if choices.log_significance < 0.0 and -statistic > choices.log_significance:
        best.verdict = INSIGNIFICANT


cdef double rounding_of(const Contest* contest, const Choices* choices, const NodeView* node) noexcept nogil:
    """A gain of at most this counts as zero."""
    cdef double scale = node.weight, least
    if choices.criterion == CHI_SQUARE:
        return ROUNDING * contest.weight
    if choices.criterion == ABSOLUTE:
        return ROUNDING * sqrt(node.counts[2] * node.weight)
    if choices.regression:
        scale = node.counts[2] if choices.criterion == VARIANCE else sqrt(node.counts[2] * node.weight)
    least = ROUNDING * fabs(contest.before)
    return least if least > LAST_DIGIT * scale else LAST_DIGIT * scale


cdef double pearson(const double* branches, int n_branches, const Choices* choices, int* present) noexcept nogil:
    """Pearson's statistic of a table of branches x classes, and how many classes it has."""
    cdef double statistic = 0.0, all_weight = 0.0, weight, of_class, expected, found
    cdef int b, k
    present[0] = 0
    for b in range(n_branches):
        all_weight += total_weight(branches + b * choices.n_stats, choices)
    for k in range(choices.n_stats):
        of_class = 0.0
        for b in range(n_branches):
            of_class += branches[b * choices.n_stats + k]
        if of_class <= SLACK:
            continue
        present[0] += 1
        for b in range(n_branches):
            weight = total_weight(branches + b * choices.n_stats, choices)
            expected = weight * of_class / all_weight
            found = branches[b * choices.n_stats + k]
            if expected > 0.0:
                statistic += (found - expected) * (found - expected) / expected
    return statistic


cdef inline void no_candidate(Candidate* best) noexcept nogil:
    best.verdict = NO_SPLIT
    best.n_cuts = 0
    best.n_branches = 0
    best.position = -1
    best.code = -1
    best.missing_branch = -1
    best.rough = False
    best.gain = best.charge = best.split_information = best.score = best.decrease = 0.0


cdef inline int heavier(double low, double high) noexcept nogil:
    """The branch with more weight; the first wins ties."""
    return high > low
