# Part of search.pyx: columns of codes as bins; bins cut in an order, once or several times.


cdef void search_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                       const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """Best split of a coded or nominal column; `rows` are the node's rows, `local_weight` their weights."""
    no_candidate(best)
    if choices.row_by_row:
        split_rows(rows, local_weight, column, choices, node, scratch, best, plan)
    else:
        search_bins(rows, local_weight, column, choices, node, scratch, best, plan)


cdef void search_bins(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                      const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """The same, using sums over the rows of each code."""
    cdef Contest contest
    cdef double* counted = scratch.all_rows
    cdef double missing_weight
    cdef int k, code, n_bins, n_stats = choices.n_stats
    no_candidate(best)
    if choices.criterion == ABSOLUTE:
        split_by_median(rows, local_weight, column, choices, node, scratch, best, plan)
        return
    tabulate(rows, local_weight, column, choices, node, scratch)
    memcpy(scratch.missing, scratch.bins + <int64_t>column.n_codes * n_stats, n_stats * sizeof(double))
    missing_weight = total_weight(scratch.missing, choices)
    memset(counted, 0, n_stats * sizeof(double))
    for code in range(column.n_codes):
        for k in range(n_stats):
            counted[k] += scratch.bins[<int64_t>code * n_stats + k]
    if choices.missing == EITHER_SIDE or choices.missing == ABOVE:
        for k in range(n_stats):
            counted[k] += scratch.missing[k]
    open_contest(&contest, counted, 0.0, column, choices, node, scratch)
    if column.kind != CODED and choices.nominal == MULTIWAY:
        judge_branches(scratch.bins, column.n_codes, choices, node, scratch, &contest, missing_weight, best)
        if plan != NULL:
            plan.n_branches = column.n_codes
            plan.missing_branch = best.missing_branch
            for code in range(column.n_codes):
                plan.code_branch[code] = code
        return
    n_bins = keep_present(column.n_codes, choices, scratch)
    if n_bins == 0:
        return
    if column.kind == CODED:
        cut_codes_in_order(n_bins, column, choices, node, scratch, &contest, missing_weight, best, plan)
    elif choices.nominal == GROUPED:
        split_grouped(n_bins, column, choices, node, scratch, &contest, missing_weight, best, plan)
    else:
        split_in_two(n_bins, column, choices, node, scratch, &contest, missing_weight, best, plan)


cdef void tabulate(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                   const NodeView* node, Scratch* scratch) noexcept nogil:
    """Statistics of every code's rows; missing values come last."""
    cdef int64_t i, row, code, cells, stride = <int64_t>1 << choices.label_bits
    cdef double* bins = scratch.bins
    cdef double w, y, mean
    cdef int k, n_stats = choices.n_stats
    if not choices.regression:
        cells = (<int64_t>column.n_codes + 1) * stride
        if local_weight == NULL:
            count_rows(rows, node.n_rows, column.codes, column.wide, 0, choices.label_bits, scratch.count_table, cells)
            for code in range(column.n_codes + 1):
                for k in range(n_stats):
                    bins[code * n_stats + k] = scratch.count_table[code * stride + k]
        else:
            weigh_rows(rows, local_weight, column, choices, node.n_rows, scratch.table, cells)
            for code in range(column.n_codes + 1):
                memcpy(bins + code * n_stats, scratch.table + code * stride, n_stats * sizeof(double))
        return
    mean = node.counts[1]
    memset(bins, 0, (<int64_t>column.n_codes + 1) * NUMBER_STATS * sizeof(double))
    for i in range(node.n_rows):
        row = rows[i] >> choices.shift
        code = code_of(column, row)
        w = 1.0 if local_weight == NULL else local_weight[i]
        y = node.target[row] - mean
        bins[code * NUMBER_STATS] += w
        bins[code * NUMBER_STATS + 1] += w * y
        bins[code * NUMBER_STATS + 2] += w * y * y


cdef int keep_present(int n_codes, const Choices* choices, Scratch* scratch) noexcept nogil:
    """Move the bins of codes that occur to the front; returns how many there are."""
    cdef int code, n_bins = 0, n_stats = choices.n_stats
    for code in range(n_codes):
        if total_weight(scratch.bins + <int64_t>code * n_stats, choices) > 0.0:
            if n_bins != code:
                memcpy(scratch.bins + <int64_t>n_bins * n_stats, scratch.bins + <int64_t>code * n_stats,
                       n_stats * sizeof(double))
            scratch.bin_code[n_bins] = code
            n_bins += 1
    return n_bins


cdef void cut_codes_in_order(int n_bins, const Column* column, const Choices* choices, const NodeView* node,
                             Scratch* scratch, Contest* contest, double missing_weight, Candidate* best,
                             Plan* plan) noexcept nogil:
    """One cut or several between the codes of a column with few values."""
    cdef int b
    for b in range(n_bins):
        scratch.order[b] = b
    if choices.most_cuts > 1:
        if choices.missing == ABOVE and missing_weight > 0.0:
            memcpy(scratch.bins + <int64_t>n_bins * choices.n_stats, scratch.missing, choices.n_stats * sizeof(double))
            n_bins += 1
        best.n_cuts = n_bins - 1
        cut_bins(n_bins, choices, node, scratch, contest, missing_weight, best, plan)
        if plan != NULL and best.verdict != NO_SPLIT:
            for b in range(plan.n_places):
                plan.places[b] = scratch.bin_code[plan.places[b] - 1]
        return
    cut_order(n_bins, column, choices, node, scratch, contest, missing_weight, best)
    if best.position >= 0:
        best.code = scratch.bin_code[best.position - 1]
    if plan != NULL and best.position >= 0:
        plan_one_cut(plan, best, best.code)


cdef void cut_order(int n_bins, const Column* column, const Choices* choices, const NodeView* node, Scratch* scratch,
                    Contest* contest, double missing_weight, Candidate* best) noexcept nogil:
    """The best cut of the bins in their order: `position` bins are low."""
    cdef double* low = scratch.low
    cdef double* high = scratch.high
    cdef const double* moved
    cdef int side, b, k, n_stats = choices.n_stats, cuts
    cdef double low_weight, high_weight, w
    if contest.weight < 2 * contest.least:
        return
    for side in range(2):
        if side == 0 and (choices.missing != EITHER_SIDE or missing_weight <= 0.0):
            continue
        memset(low, 0, n_stats * sizeof(double))
        memcpy(high, scratch.all_rows, n_stats * sizeof(double))
        if side == 0:
            for k in range(n_stats):
                low[k] += scratch.missing[k]
                high[k] -= scratch.missing[k]
        low_weight = total_weight(low, choices)
        high_weight = contest.weight - low_weight
        cuts = 0
        for b in range(n_bins + (choices.missing == ABOVE and missing_weight > 0.0)):
            if b and (column.kind != CODED or b == n_bins
                      or column.values[scratch.bin_code[b - 1]] + choices.min_gap < column.values[scratch.bin_code[b]]
                      ) and not (choices.boundary_points and column.kind == CODED and b < n_bins and alike_to(
                          scratch.bins + <int64_t>(b - 1) * n_stats, scratch.bins + <int64_t>b * n_stats, n_stats)):
                cuts += 1
                if wins(low, high, low_weight, high_weight, contest):
                    best.position = b
                    best.missing_branch = side
                    memcpy(scratch.kept, low, n_stats * sizeof(double))
            if b == n_bins:
                break
            moved = scratch.bins + <int64_t>scratch.order[b] * n_stats
            for k in range(n_stats):
                low[k] += moved[k]
                high[k] -= moved[k]
            w = total_weight(moved, choices)
            low_weight += w
            high_weight -= w
        best.n_cuts = max(best.n_cuts, cuts)
    finish_two(best, choices, node, scratch, contest, missing_weight)


cdef int64_t join_alike(int64_t n_bins, const Choices* choices, Scratch* scratch) noexcept nogil:
    """Join adjacent bins of one class; `firsts` has where each begins. Returns how many there are."""
    cdef int64_t b, joined = 0
    cdef int k, n_stats = choices.n_stats
    cdef double* to
    for b in range(n_bins):
        # joined bins have a single class, so the last one represents all of them
        if b and choices.boundary_points and alike_to(scratch.bins + (joined - 1) * n_stats,
                                                      scratch.bins + b * n_stats, n_stats):
            to = scratch.bins + (joined - 1) * n_stats
            for k in range(n_stats):
                to[k] += scratch.bins[b * n_stats + k]
            continue
        if joined != b:
            memcpy(scratch.bins + joined * n_stats, scratch.bins + b * n_stats, n_stats * sizeof(double))
        scratch.firsts[joined] = b
        joined += 1
    return joined


cdef inline bint alike_to(const double* one, const double* other, int n_stats) noexcept nogil:
    """Whether two sets of rows have the same single class."""
    cdef int k, classes = 0
    for k in range(n_stats):
        classes += one[k] > 0.0 or other[k] > 0.0
    return classes == 1


cdef void finish_two(Candidate* best, const Choices* choices, const NodeView* node, Scratch* scratch,
                     const Contest* contest, double missing_weight) noexcept nogil:
    """Score a column whose best two branches are the stored one and the rest."""
    cdef int k, n_stats = choices.n_stats
    if best.n_cuts == 0:
        return
    if best.position < 0:
        best.verdict = NO_GAIN
        return
    for k in range(n_stats):
        scratch.branches[k] = scratch.kept[k]
        scratch.branches[n_stats + k] = scratch.all_rows[k] - scratch.kept[k]
    close_contest(best, contest, scratch.branches, 2, missing_weight, choices, node)
    if choices.missing == IN_PIECES:
        best.missing_branch = -1
    elif choices.missing == WITH_MOST or choices.missing == BY_SURROGATE or missing_weight <= 0.0:
        if choices.missing != ABOVE or contest.nominal:
            best.missing_branch = heavier(total_weight(scratch.branches, choices),
                                          total_weight(scratch.branches + n_stats, choices))


# ---- many branches -------------------------------------------------------------------------------------------------


cdef bint place_missing(double* branches, int n_branches, const Choices* choices, Scratch* scratch,
                        Contest* contest, double missing_weight, double* total, int* to) noexcept nogil:
    """Impurity of the branches with missing values in the best branch; False if the predictions are not allowed."""
    cdef int b, k, n_stats = choices.n_stats
    cdef double change, least_change = INFINITY, weight, most = -1.0, prediction, previous = 0.0
    cdef double* with_missing = scratch.low
    cdef bint seen = False
    total[0] = 0.0
    to[0] = -1
    for b in range(n_branches):
        weight = total_weight(branches + <int64_t>b * n_stats, choices)
        total[0] += impurity_of(branches + <int64_t>b * n_stats, contest)
        if weight > most:
            most = weight
            if choices.missing != IN_PIECES:
                to[0] = b
    if choices.missing == EITHER_SIDE and missing_weight > 0.0:
        for b in range(n_branches):
            if total_weight(branches + <int64_t>b * n_stats, choices) <= 0.0:
                continue
            for k in range(n_stats):
                with_missing[k] = branches[<int64_t>b * n_stats + k] + scratch.missing[k]
            change = impurity_of(with_missing, contest) - impurity_of(branches + <int64_t>b * n_stats, contest)
            if change < least_change - contest.slack:
                least_change = change
                to[0] = b
        for k in range(n_stats):
            branches[<int64_t>to[0] * n_stats + k] += scratch.missing[k]
        total[0] += least_change
    if not contest.bounded:
        return True
    for b in range(n_branches):
        if total_weight(branches + <int64_t>b * n_stats, choices) <= 0.0:
            continue
        prediction = prediction_of(branches + <int64_t>b * n_stats, contest)
        if (not (contest.lower <= prediction <= contest.upper)
                or seen and contest.direction * (prediction - previous) < 0.0):
            return False
        previous = prediction
        seen = True
    return True


cdef void judge_branches(double* branches, int n_branches, const Choices* choices, const NodeView* node,
                         Scratch* scratch, Contest* contest, double missing_weight, Candidate* best) noexcept nogil:
    """A split into given branches; at least two must have the minimum weight."""
    cdef int b, full = 0, to = -1
    cdef double total = 0.0
    for b in range(n_branches):
        full += total_weight(branches + <int64_t>b * choices.n_stats, choices) >= contest.least
    if full < 2:
        return
    if not place_missing(branches, n_branches, choices, scratch, contest, missing_weight, &total, &to):
        return
    best.missing_branch = to
    best.n_branches = n_branches
    if total >= contest.limit:
        best.verdict = NO_GAIN
        return
    contest.after = total
    close_contest(best, contest, branches, n_branches, missing_weight, choices, node)


cdef void cut_bins(int64_t n_bins, const Choices* choices, const NodeView* node, Scratch* scratch, Contest* contest,
                   double missing_weight, Candidate* best, Plan* plan) noexcept nogil:
    """Up to most_cuts cuts of the bins; of the best sets of 1, 2, ... cuts the one with the best score."""
    cdef Bins bins
    cdef Candidate candidate = best[0]
    cdef double* impurities = scratch.keys
    cdef double total
    cdef int64_t* cuts = scratch.places
    cdef int64_t* row
    cdef int found, k, i, j, b, to, n_stats = choices.n_stats, used = choices.most_cuts
    cdef int64_t swap
    n_bins = join_alike(n_bins, choices, scratch)
    if n_bins < 2:
        return
    if used > n_bins - 1:
        used = <int>(n_bins - 1)
    bins.n_bins = n_bins
    bins.n_stats = n_stats
    bins.stats = scratch.bins
    bins.criterion = choices.criterion
    bins.parent_fractions = contest.parent_fractions
    bins.loss = choices.loss
    bins.min_branch = choices.min_branch
    bins.max_cuts = used
    bins.limit = MOST_BINS
    bins.join_alike = False
    if choices.greedy_cuts:
        found = greedy_cuts(&bins, scratch.cutting, cuts, impurities)
    else:
        found = optimal_cuts(&bins, scratch.cutting, cuts, impurities)
    best.verdict = NO_GAIN
    for k in range(1, found + 1):
        row = cuts if choices.greedy_cuts else cuts + <int64_t>(k - 1) * used
        if choices.greedy_cuts:  # the first k found, by ascending position
            for i in range(k - 1, 0, -1):
                if row[i] < row[i - 1]:
                    swap = row[i]
                    row[i] = row[i - 1]
                    row[i - 1] = swap
        memset(scratch.branches, 0, (k + 1) * n_stats * sizeof(double))
        b = 0
        for i in range(<int>n_bins):
            if b < k and i == row[b]:
                b += 1
            for j in range(n_stats):
                scratch.branches[b * n_stats + j] += scratch.bins[<int64_t>i * n_stats + j]
        if not place_missing(scratch.branches, k + 1, choices, scratch, contest, missing_weight, &total, &to):
            continue
        if total >= (contest.before - contest.slack if choices.min_gain >= 0.0 else INFINITY):
            continue
        contest.after = total
        candidate.missing_branch = to
        close_contest(&candidate, contest, scratch.branches, k + 1, missing_weight, choices, node)
        if candidate.verdict == NO_GAIN:
            continue
        if best.verdict == NO_GAIN or candidate.score > best.score + choices.tolerance * fabs(best.score):
            best[0] = candidate
            best.position = scratch.firsts[row[0]]
            if plan != NULL:
                plan.n_branches = k + 1
                plan.n_places = k
                plan.missing_branch = to
                for i in range(k):
                    plan.places[i] = scratch.firsts[row[i]]
    if choices.missing == ABOVE:
        best.missing_branch = best.n_branches - 1
        if plan != NULL:
            plan.missing_branch = best.missing_branch
