# Part of search.pyx: categories in two sets, or joined into groups.


cdef void split_in_two(int n_bins, const Column* column, const Choices* choices, const NodeView* node,
                       Scratch* scratch, Contest* contest, double missing_weight, Candidate* best,
                       Plan* plan) noexcept nogil:
    """One category against the rest, or one set against another."""
    cdef int b, present = 0, k, first = -1, last = -1
    if n_bins < 2:
        return
    if choices.nominal == ONE_VS_REST:
        try_each_category(n_bins, choices, node, scratch, contest, missing_weight, best)
    else:
        if not choices.regression:
            for k in range(choices.n_stats):
                if scratch.all_rows[k] > 0.0:
                    present += 1
                    first = k if first < 0 else first
                    last = k
        if choices.regression or choices.classes_seen <= 2 or (present <= 2 and n_bins > choices.exhaustive_up_to):
            # if ordered by mean or by the fraction of one class, some cut of the order is optimal (Breiman et al. 1984)
            for b in range(n_bins):
                scratch.keys[b] = key_of(scratch.bins + <int64_t>b * choices.n_stats, last, choices)
            hb_sort_indices(scratch.order, scratch.spare, scratch.keys, n_bins)
            cut_order(n_bins, column, choices, node, scratch, contest, missing_weight, best)
        elif n_bins <= choices.exhaustive_up_to:
            try_every_subset(n_bins, choices, scratch, contest, missing_weight, best)
        else:
            order_by_component(n_bins, choices, scratch)
            cut_order(n_bins, column, choices, node, scratch, contest, missing_weight, best)
    if best.verdict == NO_SPLIT:
        finish_two(best, choices, node, scratch, contest, missing_weight)
    if plan == NULL or best.position < 0:
        return
    plan.n_branches = 2
    plan.missing_branch = best.missing_branch
    for b in range(column.n_codes):
        plan.code_branch[b] = -1
    for b in range(n_bins):
        if choices.nominal == ONE_VS_REST:
            plan.code_branch[scratch.bin_code[b]] = b != best.position - 1
        elif best.code >= 0:  # a set of bins, bit by bit
            plan.code_branch[scratch.bin_code[b]] = not ((best.code >> b) & 1)
        else:
            plan.code_branch[scratch.bin_code[scratch.order[b]]] = b >= best.position
    if choices.nominal == ONE_VS_REST:
        for b in range(column.n_codes):
            if plan.code_branch[b] < 0:
                plan.code_branch[b] = 1


cdef inline double key_of(const double* stats, int of_class, const Choices* choices) noexcept nogil:
    """The sort key of categories: the mean, or the fraction of a class."""
    if choices.regression:
        return stats[1] / stats[0]
    return stats[of_class] / total_weight(stats, choices)


cdef bint try_sides(const double* low, const double* high, const Choices* choices, Scratch* scratch, Contest* contest,
                    double missing_weight, int first, int last, Candidate* best) noexcept nogil:
    """Try two branches, with missing values on the sides first .. last, if they may take one."""
    cdef int side, k, n_stats = choices.n_stats
    cdef double* one = scratch.branches
    cdef double* other = scratch.branches + n_stats
    cdef bint won = False
    for side in range(first, last + 1):
        if side == 0 and (choices.missing != EITHER_SIDE or missing_weight <= 0.0):
            continue
        memcpy(one, low, n_stats * sizeof(double))
        memcpy(other, high, n_stats * sizeof(double))
        if choices.missing == EITHER_SIDE:
            for k in range(n_stats):
                if side == 0:
                    one[k] += scratch.missing[k]
                else:
                    other[k] += scratch.missing[k]
        if wins(one, other, total_weight(one, choices), total_weight(other, choices), contest):
            best.missing_branch = side
            memcpy(scratch.kept, one, n_stats * sizeof(double))
            won = True
    return won


cdef void try_each_category(int n_bins, const Choices* choices, const NodeView* node, Scratch* scratch,
                            Contest* contest, double missing_weight, Candidate* best) noexcept nogil:
    """Each category against the rest: `position` is one above the bin of the single category.

    If splits are ranked by gain ratio, ratios are compared, because the weights of categories differ a lot.
    """
    cdef int b, k, side
    cdef Candidate candidate = best[0]
    cdef double least_impurity = contest.before, start = contest.limit
    cdef bint found = False
    for b in range(n_bins):
        for k in range(choices.n_stats):
            scratch.low[k] = scratch.bins[<int64_t>b * choices.n_stats + k]
            scratch.high[k] = scratch.all_rows[k] - scratch.low[k]
            if choices.missing == EITHER_SIDE:
                scratch.high[k] -= scratch.missing[k]
        best.n_cuts += 1
        for side in range(2 if choices.by_ratio else 0):
            contest.limit = start
            if not try_sides(scratch.low, scratch.high, choices, scratch, contest, missing_weight, side, side,
                             &candidate):
                continue
            candidate.n_cuts = 1
            candidate.position = b + 1
            candidate.code = scratch.bin_code[b]
            finish_two(&candidate, choices, node, scratch, contest, missing_weight)
            if candidate.verdict != NO_GAIN and (
                    not found or candidate.score > best.score + choices.tolerance * fabs(best.score)):
                found = True
                best[0] = candidate
                least_impurity = contest.after
        if not choices.by_ratio and try_sides(scratch.low, scratch.high, choices, scratch, contest, missing_weight, 0,
                                              1, best):
            best.position = b + 1
            best.code = scratch.bin_code[b]
    if choices.by_ratio:
        contest.after = least_impurity
        if not found:
            best.verdict = NO_GAIN
        best.n_cuts = n_bins


cdef void try_every_subset(int n_bins, const Choices* choices, Scratch* scratch, Contest* contest,
                           double missing_weight, Candidate* best) noexcept nogil:
    """Try every set of categories without the last one; each differs from the previous by one category."""
    cdef double* low = scratch.low
    cdef double* high = scratch.high
    cdef double* moved
    cdef int k, n_stats = choices.n_stats, b
    cdef uint32_t step, last = <uint32_t>1 << (n_bins - 1), mask = 0
    memset(low, 0, n_stats * sizeof(double))
    for k in range(n_stats):
        high[k] = scratch.all_rows[k]
        if choices.missing == EITHER_SIDE:
            high[k] -= scratch.missing[k]
    for step in range(last):
        if step:
            best.n_cuts += 1
            if try_sides(low, high, choices, scratch, contest, missing_weight, 0, 1, best):
                best.position = 1
                best.code = <int>mask
        if step == last - 1:
            break
        b = 0  # the bin of the lowest bit that is set in the next step's number
        while not ((step + 1) >> b) & 1:
            b += 1
        moved = scratch.bins + <int64_t>b * n_stats
        mask ^= <uint32_t>1 << b
        if (mask >> b) & 1:
            for k in range(n_stats):
                low[k] += moved[k]
                high[k] -= moved[k]
        else:
            for k in range(n_stats):
                low[k] -= moved[k]
                high[k] += moved[k]


cdef void order_by_component(int n_bins, const Choices* choices, Scratch* scratch) noexcept nogil:
    """Order categories by the first principal component of their class fractions (Coppersmith et al. 1999)."""
    cdef int n_stats = choices.n_stats, b, k, j, step
    cdef double* direction = scratch.low
    cdef double* product = scratch.high
    cdef const double* stats
    cdef double* center = scratch.branches
    cdef double* matrix = scratch.matrix  # weighted covariances of the class fractions
    cdef double whole = 0.0, weight, along, length, change
    memset(center, 0, n_stats * sizeof(double))
    for b in range(n_bins):
        for k in range(n_stats):
            center[k] += scratch.bins[<int64_t>b * n_stats + k]
            whole += scratch.bins[<int64_t>b * n_stats + k]
    for k in range(n_stats):
        center[k] /= whole
    memset(matrix, 0, <int64_t>n_stats * n_stats * sizeof(double))
    for b in range(n_bins):
        stats = scratch.bins + <int64_t>b * n_stats
        weight = total_weight(stats, choices)
        for k in range(n_stats):
            for j in range(k + 1):
                matrix[k * n_stats + j] += weight * (stats[k] / weight - center[k]) * (stats[j] / weight - center[j])
    for k in range(n_stats):
        for j in range(k):
            matrix[j * n_stats + k] = matrix[k * n_stats + j]
        # no simple ratios, so that the start vector is not orthogonal to the component
        direction[k] = sqrt(2.0 + 3.0 * k) - 0.7 * k if center[k] > 0.0 else 0.0
    for step in range(POWER_STEPS):
        length = 0.0
        for k in range(n_stats):
            product[k] = 0.0
            for j in range(n_stats):
                product[k] += matrix[k * n_stats + j] * direction[j]
            length += product[k] * product[k]
        if length <= 0.0:
            break
        length = sqrt(length)
        change = 0.0
        for k in range(n_stats):
            change += fabs(product[k] / length - direction[k])
            direction[k] = product[k] / length
        if change < 1e-9:
            break
    for b in range(n_bins):
        stats = scratch.bins + <int64_t>b * n_stats
        along = 0.0
        for k in range(n_stats):
            along += direction[k] * stats[k]
        scratch.keys[b] = along / total_weight(stats, choices)
    hb_sort_indices(scratch.order, scratch.spare, scratch.keys, n_bins)


# ---- groups --------------------------------------------------------------------------------------------------------


cdef double log_alike(const double* one, const double* other, const Choices* choices) noexcept nogil:
    """Log p-value of the difference between the class fractions of two sets of rows."""
    cdef double first = total_weight(one, choices), second = total_weight(other, choices), both, expected
    cdef double statistic = 0.0
    cdef int k, present = 0
    for k in range(choices.n_stats):
        both = one[k] + other[k]
        if both > 0.0:
            present += 1
            expected = both * first / (first + second)
            statistic += (one[k] - expected) * (one[k] - expected) / expected
            expected = both * second / (first + second)
            statistic += (other[k] - expected) * (other[k] - expected) / expected
    return log_chi_square_tail(statistic, present - 1) if present > 1 else 0.0


cdef void find_partner(int one, int n_bins, const Choices* choices, Scratch* scratch) noexcept nogil:
    """The later group that is most similar to this one."""
    cdef int other, n_stats = choices.n_stats
    cdef double likeness
    scratch.spare[one] = -1
    for other in range(one + 1, n_bins):
        if scratch.group[other] != other:
            continue
        likeness = log_alike(scratch.bins + <int64_t>one * n_stats, scratch.bins + <int64_t>other * n_stats, choices)
        if scratch.spare[one] < 0 or likeness > scratch.keys[one]:
            scratch.spare[one] = other
            scratch.keys[one] = likeness


cdef void split_grouped(int n_bins, const Column* column, const Choices* choices, const NodeView* node,
                        Scratch* scratch, Contest* contest, double missing_weight, Candidate* best,
                        Plan* plan) noexcept nogil:
    """A branch for every group of categories; the two most similar are joined while not significantly different."""
    cdef int b, k, one, other, alive = n_bins, n_stats = choices.n_stats, n_branches = 0
    if n_bins < 2:
        return
    for b in range(n_bins):
        scratch.group[b] = b
    for b in range(n_bins):
        if stopping():
            break
        find_partner(b, n_bins, choices, scratch)
    while alive > 2 and not stopping():  # the result does not matter after an interrupt
        one = -1
        for b in range(n_bins):
            if scratch.group[b] == b and scratch.spare[b] >= 0:
                if one < 0 or scratch.keys[b] > scratch.keys[one]:
                    one = b
        if one < 0 or scratch.keys[one] <= choices.log_merge:
            break
        other = scratch.spare[one]
        for k in range(n_stats):
            scratch.bins[<int64_t>one * n_stats + k] += scratch.bins[<int64_t>other * n_stats + k]
        for b in range(n_bins):
            if scratch.group[b] == other:
                scratch.group[b] = one
        alive -= 1
        for b in range(n_bins):
            if scratch.group[b] == b and (b == one or scratch.spare[b] == one or scratch.spare[b] == other
                                          or b < one) and not stopping():
                find_partner(b, n_bins, choices, scratch)
    for b in range(n_bins):
        if scratch.group[b] == b:
            memcpy(scratch.branches + <int64_t>n_branches * n_stats, scratch.bins + <int64_t>b * n_stats,
                   n_stats * sizeof(double))
            scratch.order[b] = n_branches
            n_branches += 1
    best.n_cuts = n_branches
    judge_branches(scratch.branches, n_branches, choices, node, scratch, contest, missing_weight, best)
    if plan == NULL:
        return
    plan.n_branches = n_branches
    plan.missing_branch = best.missing_branch
    for b in range(column.n_codes):
        plan.code_branch[b] = -1
    for b in range(n_bins):
        plan.code_branch[scratch.bin_code[b]] = scratch.order[scratch.group[b]]
