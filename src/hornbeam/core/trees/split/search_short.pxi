# Part of search.pyx: the fast paths for the most common cases: variance and Gini's impurity, every row counted once.


cdef void stream_numbers(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                         const NodeView* node, const double* counted, const double* missing, double missing_weight,
                         Scratch* scratch, Contest* contest, Candidate* best) noexcept nogil:
    """Try every cut by the variance, if every row counts once.

    The decrease by a cut is sum^2 / rows of both sides, minus that of the whole: one running sum, no division.
    """
    cdef const double* inverse = choices.inverse
    cdef const double* target = node.target
    cdef double mean = node.counts[1], total = counted[1], s, r, value, limit, slack = contest.slack, whole
    cdef int64_t i, least = <int64_t>(contest.least + 2 * SLACK), extra, rows = <int64_t>(counted[0] + 0.5)
    cdef int64_t n_missing = <int64_t>(missing_weight + 0.5), first, last, best_position = -1
    cdef int side, shift = choices.shift
    cdef double kept_sum = 0.0
    cdef int cuts = 0
    if <double>least < contest.least:
        least += 1
    if least < 1:
        least = 1
    whole = total * total * inverse[rows]
    limit = -INFINITY if choices.min_gain < 0.0 else whole + slack
    for side in range(2):
        # side 0: missing values are low; side 1: they are high, or do not count
        if side == 0 and (choices.missing != EITHER_SIDE or n_missing == 0):
            continue
        extra = n_missing if side == 0 else 0
        s = missing[1] if side == 0 else 0.0
        first = max(1, least - extra)
        last = min(n - 1, rows - extra - least)
        for i in range(min(first, n)):
            s += target[entries[i] >> shift] - mean
        for i in range(first, last + 1):
            if entries[i] & 2:
                cuts += 1
                r = total - s
                value = s * s * inverse[extra + i] + r * r * inverse[rows - extra - i]
                if value > limit:
                    limit = value + slack
                    best_position = i
                    kept_sum = s
                    best.missing_branch = side
            s += target[entries[i] >> shift] - mean
        if choices.missing == ABOVE and n_missing > 0 and n >= least and n_missing >= least:
            r = total - s if last == n - 1 else missing[1]
            s = total - r
            value = s * s * inverse[n] + r * r * inverse[n_missing]
            if value > limit:
                limit = value + slack
                best_position = n
                kept_sum = s
                best.missing_branch = side
    best.n_cuts = cuts + (choices.missing == ABOVE and n_missing > 0)
    if best_position < 0:
        return
    best.position = best_position
    extra = n_missing if choices.missing == EITHER_SIDE and best.missing_branch == 0 else 0
    scratch.kept[0] = best_position + extra
    scratch.kept[1] = kept_sum
    scratch.kept[2] = 0.0
    contest.after = contest.before - (limit - slack - whole)


cdef inline double deviation_of(double rows, double total, double squares, double nothing) noexcept nogil:
    """Rows times their standard deviation; zero if only rounding is left."""
    cdef double about_mean = squares - total * total / rows
    return sqrt(rows * about_mean) if about_mean > nothing else 0.0


cdef void stream_deviations(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                            const NodeView* node, const double* counted, Scratch* scratch, Contest* contest,
                            Candidate* best) noexcept nogil:
    """Try every cut by the standard deviation, if every row counts once and no value is missing.

    Sums are computed a block of rows at a time, separately from the square roots, so that many targets, which are
    scattered in memory, are loaded in parallel.
    """
    cdef double sums[NUMBER_BLOCK]
    cdef double squares[NUMBER_BLOCK]
    cdef double mean = node.counts[1], s = 0.0, q = 0.0, y, value, s_low, q_low
    cdef int64_t i, start, end, least = <int64_t>contest.least + 1
    cdef int shift = choices.shift, cuts = 0
    for i in range(min(least, n)):
        y = node.target[entries[i] >> shift] - mean
        s += y
        q += y * y
    start = least
    while start <= n - least:
        end = min(start + NUMBER_BLOCK, n - least + 1)
        for i in range(start, end):
            sums[i - start] = s
            squares[i - start] = q
            y = node.target[entries[i] >> shift] - mean
            s += y
            q += y * y
        for i in range(start, end):
            if not is_cut(entries, i, column, choices, node.exact):
                continue
            cuts += 1
            s_low, q_low = sums[i - start], squares[i - start]
            value = deviation_of(<double>i, s_low, q_low, contest.nothing)
            if value < contest.limit:
                value += deviation_of(<double>(n - i), counted[1] - s_low, counted[2] - q_low, contest.nothing)
            if value < contest.limit:
                contest.after = value
                contest.limit = value - contest.slack
                best.position = i
                scratch.kept[0] = <double>i
                scratch.kept[1] = s_low
                scratch.kept[2] = q_low
        start = end
    if best.position >= 0:
        best.missing_branch = 1
    best.n_cuts = cuts


cdef void cut_numbers(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                      Candidate* best) noexcept nogil:
    """Best cut by the variance, if every row counts once and no value is missing."""
    cut_side_by_side(&entries, 1, n, choices, node, best)


cdef void cut_pair(const Entry* one, const Entry* other, int64_t n, const Choices* choices, const NodeView* node,
                   Candidate* best) noexcept nogil:
    """The same for two lists at once, which takes less than twice as long, because the two sums are independent."""
    cdef const Entry* lists[2]
    lists[0] = one
    lists[1] = other
    cut_side_by_side(lists, 2, n, choices, node, best)


cdef inline void cut_side_by_side(const Entry** lists, int n_lists, int64_t n, const Choices* choices,
                                  const NodeView* node, Candidate* best) noexcept nogil:
    """One running sum per list.

    Sums are about the mean, so the decrease by a cut is sum^2 (1 / low rows + 1 / high rows). Cuts are computed a block
    at a time, and only the maximum of a block is compared with the best, because a branch per cut would be
    unpredictable.
    """
    cdef const double* up = choices.inverse
    cdef const double* down = choices.inverse + n
    cdef const double* target = node.target
    cdef double sums[2][NUMBER_BLOCK]
    cdef double values[2][NUMBER_BLOCK]
    cdef double s[2]
    cdef double top[2]
    cdef double kept[2]
    cdef double limit[2]
    cdef int64_t place[2]
    cdef int64_t cuts[2]
    cdef double mean = node.counts[1], slack = choices.tolerance * node.counts[2], value, both
    cdef int64_t i, start, end, least = <int64_t>(choices.min_branch - SLACK) + 1
    cdef int shift = choices.shift, j
    cdef Entry entry
    for j in range(n_lists):
        best[j].verdict = NO_SPLIT
        best[j].n_cuts = 0
        best[j].position = -1
        s[j] = kept[j] = 0.0
        place[j] = -1
        cuts[j] = 0
        limit[j] = -INFINITY if choices.min_gain < 0.0 else slack
    if least < 1:
        least = 1
    if n < 2 * least:
        return
    for i in range(least):
        for j in range(n_lists):
            s[j] += target[lists[j][i] >> shift] - mean
    start = least
    while start <= n - least:
        end = min(start + NUMBER_BLOCK, n - least + 1)
        for j in range(n_lists):
            top[j] = -INFINITY
        for i in range(start, end):
            both = up[i] + down[-i]
            for j in range(n_lists):
                entry = lists[j][i]
                value = s[j] * s[j] * both if entry & 2 else -INFINITY
                cuts[j] += (entry >> 1) & 1
                sums[j][i - start] = s[j]
                values[j][i - start] = value
                top[j] = value if value > top[j] else top[j]
                s[j] += target[entry >> shift] - mean
        for j in range(n_lists):
            if top[j] > limit[j]:
                i = 0
                while values[j][i] < top[j] - slack:
                    i += 1
                place[j] = start + i
                kept[j] = sums[j][i]
                limit[j] = values[j][i] + slack
        start = end
    for j in range(n_lists):
        if cuts[j]:
            settle_numbers(&best[j], place[j], cuts[j], kept[j], n, choices, node)


cdef inline void settle_numbers(Candidate* best, int64_t place, int64_t cuts, double kept, int64_t n,
                                const Choices* choices, const NodeView* node) noexcept nogil:
    """Store the best cut of a list; `kept` is the sum about the mean of the rows before it."""
    best.n_cuts = <int>cuts
    best.verdict = NO_GAIN
    best.position = place
    best.low_weight = kept
    if place < 0:
        return
    best.n_branches = 2
    best.code = -1
    best.charge = best.split_information = 0.0
    best.missing_branch = -1
    best.decrease = kept * kept * (choices.inverse[place] + choices.inverse[n - place])
    best.gain = best.score = best.decrease / node.weight
    if choices.missing == ABOVE:
        best.missing_branch = 1
    elif choices.missing != IN_PIECES:
        best.missing_branch = heavier(place, n - place)
    if best.score > choices.min_gain and (choices.min_gain < 0.0 or best.decrease > ROUNDING * node.counts[2]):
        best.verdict = OUTSCORED


cdef void cut_classes(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node, Scratch* scratch,
                      Candidate* best) noexcept nogil:
    """Best cut by Gini's impurity if every row counts once, in integers.

    A side's impurity is its rows minus the sum of its squared class counts divided by its rows. A row that changes
    sides changes one square on each, so a cut costs the same for any number of classes, and no division.
    """
    cdef int64_t* low = scratch.left_count
    cdef int64_t* high = scratch.right_count
    cdef const double* inverse = choices.inverse
    cdef double gains[NUMBER_BLOCK]
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, least = <int64_t>(choices.min_branch - SLACK) + 1
    cdef int64_t i, k, start, end, first, rows = n, extra, place = -1, low_squares, high_squares, squares = 0, cuts = 0
    cdef int64_t n_missing = node.n_rows - n
    cdef int side, best_side = 1, n_classes = choices.n_classes
    cdef bint sided = n_missing > 0 and (choices.missing == EITHER_SIDE or choices.missing == ABOVE)
    cdef double top, limit, slack, whole, before, divisor
    if least < 1:
        least = 1
    count_classes(entries, n, choices, node, scratch.known_count)
    if sided:
        rows = node.n_rows
    for k in range(n_classes):
        i = <int64_t>(node.counts[k] + 0.5) if sided else scratch.known_count[k]
        squares += i * i
    if rows < 2 * least:
        return
    whole = squares * inverse[rows]
    before = rows - whole
    slack = choices.tolerance * before
    limit = -INFINITY if choices.min_gain < 0.0 else whole + slack
    for side in range(2):
        # side 0: missing values are low; side 1: they are high, or do not count
        if side == 0 and not (sided and choices.missing == EITHER_SIDE):
            continue
        extra = n_missing if side == 0 else 0
        low_squares = high_squares = 0
        for k in range(n_classes):
            low[k] = <int64_t>(node.counts[k] + 0.5) - scratch.known_count[k] if side == 0 else 0
            high[k] = (<int64_t>(node.counts[k] + 0.5) if sided else scratch.known_count[k]) - low[k]
            low_squares += low[k] * low[k]
            high_squares += high[k] * high[k]
        first = max(1, least - extra)
        for i in range(min(first, n)):
            k = (entries[i] >> 2) & label_mask
            low_squares += 2 * low[k] + 1
            high_squares -= 2 * high[k] - 1
            low[k] += 1
            high[k] -= 1
        start = first
        # with missing values above all others, the last cut is after every known value
        while start <= min(n - (not sided or choices.missing == EITHER_SIDE), rows - extra - least):
            end = min(start + NUMBER_BLOCK, min(n - 1, rows - extra - least) + 1)
            top = -INFINITY
            if end <= start:  # known | missing
                cuts += 1
                top = gains[0] = low_squares * inverse[n] + high_squares * inverse[rows - n]
                end = start + 1
            else:
                for i in range(start, end):
                    gains[i - start] = -INFINITY
                    if entries[i] & 2:
                        cuts += 1
                        gains[i - start] = low_squares * inverse[extra + i] + high_squares * inverse[rows - extra - i]
                        top = gains[i - start] if gains[i - start] > top else top
                    k = (entries[i] >> 2) & label_mask
                    low_squares += 2 * low[k] + 1
                    high_squares -= 2 * high[k] - 1
                    low[k] += 1
                    high[k] -= 1
            if top > limit:
                i = 0
                while gains[i] < top - slack:
                    i += 1
                place = start + i
                best_side = side
                limit = gains[i] + slack
            start = end
    best.n_cuts = <int>cuts
    if cuts == 0:
        return
    best.verdict = NO_GAIN
    if place < 0:
        return
    best.position = place
    best.n_branches = 2
    best.decrease = limit - slack - whole
    divisor = rows if choices.known_only else node.weight
    best.gain = best.score = best.decrease / divisor
    if choices.missing == IN_PIECES:
        best.missing_branch = -1
    elif choices.missing == ABOVE:
        best.missing_branch = 1
    elif choices.missing == EITHER_SIDE and n_missing:
        best.missing_branch = best_side
    else:
        best.missing_branch = heavier(place, n - place)
    if best.score > choices.min_gain and (
            choices.min_gain < 0.0 or best.decrease > max(ROUNDING * before, LAST_DIGIT * node.weight)):
        best.verdict = OUTSCORED


cdef bint search_roughly(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                         Scratch* scratch, Candidate* best) noexcept nogil:
    """The best cut by the fast path, if sums are to be taken row by row; False if there is no fast path."""
    if n < node.n_rows or node.row_weight != NULL or not choices.rough_first:
        return False
    no_candidate(best)
    if choices.regression:
        cut_numbers(entries, n, choices, node, best)
    else:
        cut_classes(entries, n, choices, node, scratch, best)
    return score_roughly(best, choices, node)


cdef bint search_pair_roughly(const Entry* one, const Entry* other, int64_t n, const Choices* choices,
                              const NodeView* node, Candidate* best) noexcept nogil:
    """The same for two columns of numbers at once; False if either has no cut."""
    cdef bint found
    no_candidate(best)
    no_candidate(best + 1)
    cut_pair(one, other, n, choices, node, best)
    found = score_roughly(best, choices, node)
    return score_roughly(best + 1, choices, node) and found


cdef inline bint score_roughly(Candidate* best, const Choices* choices, const NodeView* node) noexcept nogil:
    """Score a candidate found by the fast path as the full search would; False if there is none."""
    best.score = best.decrease
    if choices.regression:
        best.score = best.decrease / node.counts[2] if node.counts[2] > 0.0 else 0.0
    best.gain = best.score
    best.rough = True
    return best.verdict != NO_SPLIT


cdef void bound_cuts(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node, double* least_of,
                     double* most_of) noexcept nogil:
    """Lower and upper bound of the decrease by the best cut by the variance, every row counted once.

    Within a block a running sum rises by at most the sum of the block's positive numbers, and falls by at most that of
    its negative ones. Sums of blocks are independent, so this takes a fraction of the time of a search.
    """
    cdef const double* up = choices.inverse
    cdef const double* down = choices.inverse + n
    cdef const double* target = node.target
    cdef double mean = node.counts[1], s = 0.0, y, z, one, other, one_size, other_size, rise, fall, far, most = 0.0
    cdef double value, least_found = 0.0, both
    # the minimum rows of a branch are rounded differently by the row-by-row search and by the fast path
    cdef int64_t i, start = 0, end, first, last, least = max(1, <int64_t>(choices.min_branch - 0.5))
    cdef int shift = choices.shift
    while start < n:
        end = min(start + BOUND_BLOCK, n)
        one = other = one_size = other_size = 0.0
        for i in range(start, end - 1, 2):
            y = target[entries[i] >> shift] - mean
            z = target[entries[i + 1] >> shift] - mean
            one += y
            other += z
            one_size += fabs(y)
            other_size += fabs(z)
        if (end - start) & 1:
            y = target[entries[end - 1] >> shift] - mean
            one += y
            one_size += fabs(y)
        one += other
        one_size += other_size
        first = max(start + 1, least)
        last = min(end, n - least)
        if first <= last:  # cuts before the entries first .. last
            rise = s + 0.5 * (one_size + one)
            fall = s - 0.5 * (one_size - one)
            far = max(rise * rise, fall * fall)
            both = max(up[first] + down[-first], up[last] + down[-last])
            most = max(most, far * both)
            if last == end and end > least + 1 and n - end > least + 1 and entries[end] & 2:
                value = (s + one) * (s + one) * (up[end] + down[-end])
                least_found = max(least_found, value)
        s += one
        start = end
    least_of[0] = least_found
    most_of[0] = most


cdef void count_classes(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                        int64_t* counts) noexcept nogil:
    """Rows of each class in a list; without reading the list if it has all the node's rows."""
    cdef int64_t i, label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int k
    if n == node.n_rows:
        for k in range(choices.n_classes):
            counts[k] = <int64_t>(node.counts[k] + 0.5)
        return
    memset(counts, 0, choices.n_classes * sizeof(int64_t))
    for i in range(n):
        counts[(entries[i] >> 2) & label_mask] += 1
