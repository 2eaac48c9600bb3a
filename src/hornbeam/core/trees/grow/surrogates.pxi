# Part of grow.pyx: surrogates, the splits of other columns that most often send rows the same way as a node's split.
# They route rows with a missing value in the column of that split.


cdef void find_surrogates(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                          Plan* plan) noexcept nogil:
    """The best surrogates of a two-way split, best first; rows already have their sides (2: missing).

    The plan's branch for rows that no surrogate can route becomes the one with more weight; -1 (neither) if they are
    equal or no surrogates are wanted. Weights are summed in the order of the split's column, as in rpart: rounding
    decides whether they are equal.
    """
    cdef const Choices* choices = problem.choices
    cdef bint sorted_column = problem.row_list < 0 or problem.columns[chosen].kind == SORTED
    cdef int list_number = problem.columns[chosen].position if sorted_column else problem.row_list
    cdef const Entry* entries = <const Entry*>frame.lists[list_number]
    cdef double weight[2]
    cdef double chance, found
    cdef int64_t i, row
    cdef int c, place, last, spare = 0
    cdef Surrogate surrogate
    cdef const Column* column
    weight[0] = weight[1] = 0.0
    work.n_found = 0
    plan.missing_branch = -1
    if choices.max_surrogates == 0:
        return
    for i in range(frame.lengths[list_number]):
        row = entries[i] >> choices.shift
        if work.side[row] < 2:
            weight[work.side[row]] += 1.0 if frame.unit else work.row_weight[row]
    chance = max(weight[0], weight[1]) / (weight[0] + weight[1])
    if weight[0] != weight[1]:
        plan.missing_branch = weight[1] > weight[0]
    for c in range(problem.n_columns):
        if c == chosen:
            continue
        column = &problem.columns[c]
        surrogate.column = c
        surrogate.extra_start = spare
        surrogate.n_extra = 0
        if column.kind == SORTED:
            found = agree_by_cut(width, problem, work, frame, c, weight, &surrogate)
        else:
            found = agree_by_codes(width, problem, work, frame, c,
                                   work.found_branch + <int64_t>spare * work.code_room, &surrogate)
        surrogate.agreement = found / (weight[0] + weight[1])
        surrogate.adjusted = (surrogate.agreement - chance) / (1.0 - chance)
        if not surrogate.adjusted > LEAST_ADJUSTED:
            continue
        place = work.n_found
        while place > 0 and work.found[place - 1].agreement < surrogate.agreement:
            place -= 1
        if place == choices.max_surrogates:
            continue
        last = work.n_found if work.n_found < choices.max_surrogates else choices.max_surrogates - 1
        spare = work.n_found + 1 if work.n_found < choices.max_surrogates else <int>work.found[last].extra_start
        while last > place:
            work.found[last] = work.found[last - 1]
            last -= 1
        work.found[place] = surrogate
        if work.n_found < choices.max_surrogates:
            work.n_found += 1


cdef inline bint enough_seen(int64_t rows, int64_t other_rows, double weight, double other_weight,
                             const Choices* choices) noexcept nogil:
    """Whether a surrogate has enough rows on each side; if weights count, enough weight."""
    if choices.count_rows:
        return rows >= SURROGATE_ROWS and other_rows >= SURROGATE_ROWS
    return weight >= SURROGATE_ROWS - SLACK and other_weight >= SURROGATE_ROWS - SLACK


cdef double agree_in_full(Entry* width, const Entry* entries, int64_t n, const Problem* problem, const Workspace* work,
                          int64_t lefts, int64_t rights, const Column* column, Surrogate* surrogate) noexcept nogil:
    """The same if every row counts once and has a side and a known value: one running difference."""
    cdef const uint8_t* side = work.side
    cdef int shift = problem.choices.shift
    cdef int64_t i, ahead = 0, best = max(lefts, rights), place = -1, straight, crossed
    for i in range(n):
        if entries[i] & 2 and SURROGATE_ROWS <= i <= n - SURROGATE_ROWS:
            straight = ahead + rights
            crossed = lefts - ahead
            if straight > best or crossed > best:
                surrogate.flipped = crossed > straight
                best = crossed if crossed > straight else straight
                place = i
        ahead += 1 - 2 * <int64_t>side[entries[i] >> shift]
    surrogate.kind = BY_CUTS
    if place < 0:
        return 0.0
    surrogate.cut = middle_of(value_of(column, entries[place - 1] >> shift), value_of(column, entries[place] >> shift))
    return best


cdef double agree_by_cut(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int c,
                         const double* weight, Surrogate* surrogate) noexcept nogil:
    """The cut of a sorted column that agrees most, in either direction; returns the weight that agrees.

    The sum above a cut is taken from the highest value down, and reduced row by row: rounding decides between cuts that
    agree equally.
    """
    cdef const Column* column = &problem.columns[c]
    cdef const Entry* entries = <const Entry*>frame.lists[column.position]
    cdef int shift = problem.choices.shift, side
    cdef int64_t i, n = frame.lengths[column.position], row, known = 0, below = 0
    cdef double high[2]
    cdef double low[2]
    cdef double best, straight, crossed, w
    cdef int64_t place = -1
    if frame.unit and n == frame.n_rows and weight[0] + weight[1] == n:
        return agree_in_full(width, entries, n, problem, work, <int64_t>weight[0], <int64_t>weight[1], column,
                             surrogate)
    high[0] = high[1] = low[0] = low[1] = 0.0
    for i in range(n - 1, -1, -1):
        row = entries[i] >> shift
        side = work.side[row]
        if side < 2:
            known += 1
            high[side] += 1.0 if frame.unit else work.row_weight[row]
    best = max(high[0], high[1])
    for i in range(n):
        row = entries[i] >> shift
        side = work.side[row]
        # rows without a side do not count, but the cut may be next to them
        if entries[i] & 2 and enough_seen(below, known - below, low[0] + low[1], high[0] + high[1], problem.choices):
            straight = low[0] + high[1]
            crossed = low[1] + high[0]
            if straight > best or crossed > best:
                surrogate.flipped = crossed > straight
                best = crossed if crossed > straight else straight
                place = i
        if side < 2:
            w = 1.0 if frame.unit else work.row_weight[row]
            low[side] += w
            high[side] -= w
            below += 1
    surrogate.kind = BY_CUTS
    if place < 0:
        return 0.0
    surrogate.cut = middle_of(value_of(column, entries[place - 1] >> shift), value_of(column, entries[place] >> shift))
    return best


cdef double agree_by_codes(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int c,
                           int32_t* code_branch, Surrogate* surrogate) noexcept nogil:
    """Each category's better side, or the best cut between codes; returns the weight that agrees."""
    cdef const Column* column = &problem.columns[c]
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef int shift = problem.choices.shift, n_codes = column.n_codes, code, side, last = -1, to
    cdef double* weights = work.scratch.bins  # codes x sides
    cdef int64_t* rows = work.scratch.starts
    cdef double all_of[2]
    cdef double low[2]
    cdef double best, straight, crossed, agrees = 0.0
    cdef int64_t i, row, known = 0, below = 0, right_rows = 0
    memset(weights, 0, 2 * n_codes * sizeof(double))
    memset(rows, 0, 2 * n_codes * sizeof(int64_t))
    for code in range(n_codes):
        code_branch[code] = -1
    all_of[0] = all_of[1] = low[0] = low[1] = 0.0
    for i in range(frame.n_rows):
        row = entries[i] >> shift
        code = code_of(column, row)
        side = work.side[row]
        if code == n_codes:
            continue
        code_branch[code] = 0  # some row has it, even if without a side
        if side == 2:
            continue
        weights[2 * code + side] += 1.0 if frame.unit else work.row_weight[row]
        rows[2 * code + side] += 1
        known += 1
    for code in range(n_codes):
        all_of[0] += weights[2 * code]
        all_of[1] += weights[2 * code + 1]
    if column.kind == NOMINAL:
        surrogate.kind = BY_CODE_SETS
        surrogate.flipped = 0
        for code in range(n_codes):
            code_branch[code] = -1
            if rows[2 * code] + rows[2 * code + 1] == 0:
                continue
            to = weights[2 * code + 1] > weights[2 * code]
            if weights[2 * code + 1] == weights[2 * code]:
                to = all_of[0] <= all_of[1]
            code_branch[code] = to
            agrees += weights[2 * code + to]
            right_rows += rows[2 * code + to]
        # a column that sends all rows but one the same way is skipped (see SURROGATE_ROWS)
        if not enough_seen(right_rows, known - right_rows, agrees, all_of[0] + all_of[1] - agrees, problem.choices):
            return 0.0
        return agrees
    surrogate.kind = BY_CUTS
    best = max(all_of[0], all_of[1])
    for code in range(n_codes):
        if code_branch[code] < 0:
            continue
        if last >= 0 and enough_seen(below, known - below, low[0] + low[1],
                                     all_of[0] + all_of[1] - low[0] - low[1], problem.choices):
            straight = low[0] + all_of[1] - low[1]
            crossed = low[1] + all_of[0] - low[0]
            if straight > best or crossed > best:
                surrogate.flipped = crossed > straight
                best = crossed if crossed > straight else straight
                surrogate.cut = middle_of(column.values[last], column.values[code])
                agrees = best
        low[0] += weights[2 * code]
        low[1] += weights[2 * code + 1]
        below += rows[2 * code] + rows[2 * code + 1]
        last = code
    return agrees


cdef int surrogate_branch(const Problem* problem, const Workspace* work, int64_t row) noexcept nogil:
    """The branch of a row by the first surrogate whose value is known; -1 if there is none."""
    cdef const Surrogate* surrogate
    cdef const Column* column
    cdef int s, code, branch
    cdef double value
    for s in range(work.n_found):
        surrogate = &work.found[s]
        column = &problem.columns[surrogate.column]
        if column.kind == SORTED:
            value = value_of(column, row)
            if value != value:
                continue
        else:
            code = code_of(column, row)
            if code == column.n_codes:
                continue
            if column.kind == NOMINAL:
                branch = work.found_branch[surrogate.extra_start * work.code_room + code]
                if branch >= 0:
                    return branch
                continue
            value = column.values[code]
        if problem.choices.equal_low:
            return (value > surrogate.cut) ^ surrogate.flipped
        return (value >= surrogate.cut) ^ surrogate.flipped
    return -1


cdef int keep_surrogates(Workspace* work, const Frame* frame) noexcept nogil:
    """Store the surrogates of a node."""
    cdef NodeBuffer* buffer = work.buffer
    cdef const int32_t* code_branch
    cdef Surrogate* kept
    cdef int64_t room
    cdef int s, code
    if buffer.n_surrogates + work.n_found > buffer.surrogate_room:
        room = 2 * buffer.surrogate_room + 64 + work.n_found
        if not hb_resize(&buffer.surrogates, room * sizeof(Surrogate)):
            return NO_MEMORY
        buffer.surrogate_room = room
    for s in range(work.n_found):
        kept = &buffer.surrogates[buffer.n_surrogates]
        kept[0] = work.found[s]
        kept.node = frame.node
        code_branch = work.found_branch + work.found[s].extra_start * work.code_room
        kept.extra_start = buffer.n_extra
        if kept.kind == BY_CODE_SETS:
            for code in range(work.code_room):
                if code_branch[code] >= 0 and code < work.code_counts[kept.column]:
                    if add_extra(buffer, code) != DONE or add_extra(buffer, code_branch[code]) != DONE:
                        return NO_MEMORY
        kept.n_extra = <int32_t>(buffer.n_extra - kept.extra_start)
        buffer.n_surrogates += 1
    return DONE
