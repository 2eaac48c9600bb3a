# Part of search.pyx: the same search with sums taken row by row and formulas computed as they are written, because in
# rpart that rounding decides ties. The score of a candidate is first approximated, which is cheaper; only those that
# may win are computed exactly.

cdef double MAY_WIN = 1e-9  # fraction of the impurity: a generous bound of the error of the cheaper score


cdef inline double part_of(int criterion, double share) noexcept nogil:
    """What a class with this fraction adds to the impurity.

    Rounding may leave a fraction just below zero, which has no logarithm: such a split never wins.
    """
    if criterion == ENTROPY:
        return -share * log(share) if share != 0.0 else 0.0
    if criterion == GINI:
        return share * (1.0 - share)
    return 0.0


cdef double impurity_in_turn(const double* counts, double weight, const Choices* choices) noexcept nogil:
    cdef double total = 0.0
    cdef int k
    for k in range(choices.n_stats):
        total += weight * part_of(choices.criterion, choices.class_factor[k] * counts[k] / weight)
    return total


cdef double impurity_after(const double* low, double low_weight, const double* high, double high_weight,
                           const Choices* choices) noexcept nogil:
    cdef double total = 0.0
    cdef int k
    for k in range(choices.n_stats):
        total += low_weight * part_of(choices.criterion, choices.class_factor[k] * low[k] / low_weight)
        total += high_weight * part_of(choices.criterion, choices.class_factor[k] * high[k] / high_weight)
    return total


cdef inline double squares_of(const double* counts, const Choices* choices) noexcept nogil:
    cdef double total = 0.0
    cdef int k
    for k in range(choices.n_stats):
        total += choices.class_factor[k] * counts[k] * choices.class_factor[k] * counts[k]
    return total


cdef inline int64_t fewest_rows(const Choices* choices) noexcept nogil:
    """The minimum number of rows of each branch: one, if the limit is a weight."""
    cdef int64_t least = <int64_t>(choices.min_branch + 0.5) if choices.count_rows else 1
    return least if least > 1 else 1


cdef inline bint heavy_enough(double below, double above, const Choices* choices) noexcept nogil:
    """Whether both branches have the minimum weight, if the limit is a weight and not a number of rows."""
    cdef double least = choices.min_branch - SLACK
    return choices.count_rows or (below >= least and above >= least)


cdef void close_rows(Candidate* best, double gain, double decrease, const Choices* choices) noexcept nogil:
    """Score a column; the gain is the total decrease, for a number as a fraction of the node's error."""
    best.gain = best.score = gain
    best.decrease = decrease
    best.verdict = OUTSCORED if best.position >= 0 and gain > 0.0 and gain > choices.min_gain else NO_GAIN


cdef void cut_rows(const Entry* entries, int64_t n, const Column* column, const Choices* choices, const NodeView* node,
                   Scratch* scratch, Candidate* best) noexcept nogil:
    """Best cut of a sorted column."""
    best.n_branches = 2
    if choices.regression:
        cut_rows_of_numbers(entries, n, choices, node, best)
    else:
        cut_rows_of_classes(entries, n, choices, node, scratch, best)


cdef void cut_rows_of_classes(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                              Scratch* scratch, Candidate* best) noexcept nogil:
    cdef double* low = scratch.low
    cdef double* high = scratch.high
    cdef const double* factor = choices.class_factor
    cdef int64_t i, label_mask = (<int64_t>1 << choices.label_bits) - 1, least = fewest_rows(choices)
    cdef int shift = choices.shift, k
    cdef bint by_squares = choices.criterion == GINI
    cdef double w, moved, low_weight = 0.0, high_weight = 0.0, before, least_impurity, rough, low_squares = 0.0
    cdef double high_squares, low_count, high_count, after, limit, below = 0.0, above = 0.0
    if n < 2 * least:
        return
    memset(low, 0, choices.n_stats * sizeof(double))
    memset(high, 0, choices.n_stats * sizeof(double))
    for i in range(n):
        k = (entries[i] >> 2) & label_mask
        w = 1.0 if node.row_weight == NULL else node.row_weight[entries[i] >> shift]
        high[k] += w
        high_weight += factor[k] * w
        above += w
    before = least_impurity = impurity_in_turn(high, high_weight, choices)
    high_squares = squares_of(high, choices)
    limit = least_impurity + MAY_WIN * before
    for i in range(n - least):
        if i >= least and entries[i] & 2 and heavy_enough(below, above, choices):
            best.n_cuts += 1
            rough = -INFINITY
            if by_squares:
                rough = low_weight - low_squares / low_weight + high_weight - high_squares / high_weight
            if rough < limit:
                after = impurity_after(low, low_weight, high, high_weight, choices)
                if after < least_impurity:
                    least_impurity = after
                    limit = after + MAY_WIN * before
                    best.position = i
                    best.low_weight = low_weight
                    best.high_weight = high_weight
        k = (entries[i] >> 2) & label_mask
        w = 1.0 if node.row_weight == NULL else node.row_weight[entries[i] >> shift]
        moved = factor[k] * w
        low_count = factor[k] * low[k]
        high_count = factor[k] * high[k]
        low_squares += moved * (2.0 * low_count + moved)
        high_squares -= moved * (2.0 * high_count - moved)
        low[k] += w
        high[k] -= w
        low_weight += moved
        high_weight -= moved
        below += w
        above -= w
    i = n - least
    if i >= least and entries[i] & 2 and heavy_enough(below, above, choices):
        best.n_cuts += 1
        after = impurity_after(low, low_weight, high, high_weight, choices)
        if after < least_impurity:
            least_impurity = after
            best.position = i
            best.low_weight = low_weight
            best.high_weight = high_weight
    close_rows(best, before - least_impurity, before - least_impurity, choices)


cdef void cut_rows_of_numbers(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                              Candidate* best) noexcept nogil:
    cdef const double* target = node.target
    cdef const double* inverse = choices.inverse
    cdef int64_t i, least = fewest_rows(choices)
    cdef int shift = choices.shift
    cdef double w, mean = 0.0, weight = 0.0, low = 0.0, low_weight = 0.0, value, most = 0.0, rough, limit = 0.0
    cdef double high_weight
    cdef bint unit = node.row_weight == NULL
    if n < 2 * least:
        return
    if unit:
        for i in range(n):
            mean += target[entries[i] >> shift]
        weight = <double>n
    else:
        for i in range(n):
            w = node.row_weight[entries[i] >> shift]
            mean += w * target[entries[i] >> shift]
            weight += w
    mean /= weight
    high_weight = weight
    for i in range(least):
        w = 1.0 if unit else node.row_weight[entries[i] >> shift]
        low += (target[entries[i] >> shift] - mean) * w
        low_weight += w
        high_weight -= w
    for i in range(least, n - least + 1):
        if entries[i] & 2 and heavy_enough(low_weight, high_weight, choices):
            best.n_cuts += 1
            rough = low * low * (inverse[i] + inverse[n - i]) if unit and inverse != NULL else INFINITY
            if rough > limit:
                value = low * low / low_weight + low * low / high_weight
                if value > most:
                    most = value
                    limit = most * (1.0 - MAY_WIN)
                    best.position = i
                    best.low_weight = low
        w = 1.0 if unit else node.row_weight[entries[i] >> shift]
        low += (target[entries[i] >> shift] - mean) * w
        low_weight += w
        high_weight -= w
    close_rows(best, most / node.counts[2] if node.counts[2] > 0.0 else 0.0, most, choices)


# ---- categories ----------------------------------------------------------------------------------------------------


cdef void split_rows(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """Best two sets of categories of a nominal column, or best cut of an ordered one."""
    cdef int n_codes = column.n_codes, n_stats = choices.n_stats, code, k, n_bins = 0, b, present_rows = 0
    cdef int64_t i, row, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int64_t* row_count = scratch.starts
    cdef double* sums = scratch.bins  # by code: class weights, or sum about the mean
    cdef double* weight_of = scratch.keys + n_codes + 1
    cdef double w, mean = 0.0, weight = 0.0
    memset(row_count, 0, (n_codes + 1) * sizeof(int64_t))
    memset(sums, 0, (<int64_t>n_codes + 1) * n_stats * sizeof(double))
    memset(weight_of, 0, (n_codes + 1) * sizeof(double))
    memset(scratch.all_rows, 0, n_stats * sizeof(double))
    if choices.regression:
        for i in range(node.n_rows):
            row = rows[i] >> choices.shift
            if code_of(column, row) < n_codes:
                w = 1.0 if local_weight == NULL else local_weight[i]
                mean += w * node.target[row]
                weight += w
        if weight <= 0.0:
            return
        mean /= weight
    for i in range(node.n_rows):
        row = rows[i] >> choices.shift
        code = code_of(column, row)
        if code == n_codes:
            continue
        w = 1.0 if local_weight == NULL else local_weight[i]
        row_count[code] += 1
        if choices.regression:
            sums[code * n_stats] += (node.target[row] - mean) * w
            weight_of[code] += w
        else:
            k = (rows[i] >> 2) & label_mask
            sums[<int64_t>code * n_stats + k] += w
            scratch.all_rows[k] += w
            weight_of[code] += choices.class_factor[k] * w
            weight += choices.class_factor[k] * w
    for code in range(n_codes):
        if row_count[code]:
            scratch.bin_code[n_bins] = code
            n_bins += 1
            present_rows += <int>row_count[code]
    best.n_branches = 2
    if n_bins < 2:
        return
    divide_categories(n_bins, present_rows, weight, column, choices, node, scratch, best, plan)


cdef void divide_categories(int n_bins, int n_known, double weight, const Column* column, const Choices* choices,
                            const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """Move categories from the high to the low side one by one, and keep the best split."""
    cdef int n_stats = choices.n_stats, b, k, code, movable = n_bins, inside = 0
    cdef int64_t least = fewest_rows(choices)
    cdef double* sums = scratch.bins
    cdef double* weight_of = scratch.keys + column.n_codes + 1
    cdef double* low = scratch.low
    cdef double* high = scratch.high
    cdef int64_t* row_count = scratch.starts
    cdef uint32_t step, last, mask = 0, best_mask = 0
    cdef double low_weight = 0.0, high_weight = weight, before = 0.0, most = 0.0, value, after, sign, low_sum = 0.0
    cdef double least_impurity = 0.0, below, above
    cdef bint in_order = choices.regression or choices.classes_seen <= 2 or column.kind == CODED
    gather_high(choices, scratch)
    if not choices.regression:
        before = least_impurity = impurity_in_turn(high, weight, choices)
    if column.kind == CODED:
        for b in range(n_bins):
            scratch.order[b] = b
    elif in_order:
        for b in range(n_bins):
            code = scratch.bin_code[b]
            scratch.keys[b] = sums[<int64_t>code * n_stats + choices.first_class] / weight_of[code]
        hb_sort_indices(scratch.order, scratch.spare, scratch.keys, n_bins)
    elif n_bins > choices.exhaustive_up_to:
        compact_bins(n_bins, choices, scratch)
        order_by_component(n_bins, choices, scratch)
        spread_bins(n_bins, choices, scratch)
        in_order = True
        gather_high(choices, scratch)  # their memory was used to compute the order
    elif scratch.bin_code[n_bins - 1] == column.n_codes - 1:
        movable = n_bins - 1  # the last category of the column is not moved
    last = <uint32_t>n_bins if in_order else <uint32_t>1 << movable
    for step in range(1, last):
        b = scratch.order[step - 1] if in_order else 0
        if not in_order:
            while not (step >> b) & 1:
                b += 1
        code = scratch.bin_code[b]
        sign = 1.0
        if not in_order:
            mask ^= <uint32_t>1 << b
            sign = 1.0 if (mask >> b) & 1 else -1.0
        inside += <int>(sign * row_count[code])
        low_weight += sign * weight_of[code]
        high_weight -= sign * weight_of[code]
        if choices.regression:
            low_sum += sums[code * n_stats]
        else:
            for k in range(n_stats):
                low[k] += sign * sums[<int64_t>code * n_stats + k]
                high[k] -= sign * sums[<int64_t>code * n_stats + k]
        if inside < least or n_known - inside < least:
            continue
        if not choices.count_rows:
            below = low_weight if choices.regression else total_weight(low, choices)
            above = high_weight if choices.regression else total_weight(high, choices)
            if not heavy_enough(below, above, choices):
                continue
        best.n_cuts += 1
        if choices.regression:
            value = low_sum * low_sum / low_weight + low_sum * low_sum / high_weight
            if not value > most:
                continue
        else:
            after = impurity_after(low, low_weight, high, high_weight, choices)
            if not after < least_impurity:
                continue
            least_impurity = after
            value = before - after
        most = value
        best.position = step
        best.low_weight = low_sum if choices.regression else low_weight
        best.high_weight = high_weight
        best_mask = mask
    if best.n_cuts == 0:
        return
    if choices.regression:
        close_rows(best, most / node.counts[2] if node.counts[2] > 0.0 else 0.0, most, choices)
    else:
        close_rows(best, most, most, choices)
    if best.position < 0:
        return
    if column.kind == CODED:
        best.code = scratch.bin_code[best.position - 1]
    if plan == NULL:
        return
    if column.kind == CODED:
        plan_one_cut(plan, best, best.code)
        return
    plan.n_branches = 2
    for code in range(column.n_codes):
        plan.code_branch[code] = -1
    for b in range(n_bins):
        if in_order:
            plan.code_branch[scratch.bin_code[scratch.order[b]]] = b >= best.position
        else:
            plan.code_branch[scratch.bin_code[b]] = not (best_mask >> b) & 1


cdef void gather_high(const Choices* choices, Scratch* scratch) noexcept nogil:
    """All categories on the high side, none on the low one; summed over rows and not over categories."""
    memset(scratch.low, 0, choices.n_stats * sizeof(double))
    memcpy(scratch.high, scratch.all_rows, choices.n_stats * sizeof(double))


cdef void compact_bins(int n_bins, const Choices* choices, Scratch* scratch) noexcept nogil:
    """Move the sums of the codes that occur to the front, for the order of components."""
    cdef int b
    for b in range(n_bins):
        memmove(scratch.bins + <int64_t>b * choices.n_stats,
                scratch.bins + <int64_t>scratch.bin_code[b] * choices.n_stats, choices.n_stats * sizeof(double))


cdef void spread_bins(int n_bins, const Choices* choices, Scratch* scratch) noexcept nogil:
    """Move them back."""
    cdef int b
    for b in range(n_bins - 1, -1, -1):
        memmove(scratch.bins + <int64_t>scratch.bin_code[b] * choices.n_stats,
                scratch.bins + <int64_t>b * choices.n_stats, choices.n_stats * sizeof(double))
