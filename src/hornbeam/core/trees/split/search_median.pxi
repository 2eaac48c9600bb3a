# Part of search.pyx: the absolute error, which is not a function of sums. The rows of each side are kept in trees of
# partial sums over the ranks of their targets (Fenwick 1994): a row moves, and the median is found, in log n steps.


cdef struct Sides:
    int64_t n  # ranks
    int64_t top  # the greatest power of two among the ranks
    const double* ranked  # targets by rank
    double* weight[2]
    double* total[2]
    double all_weight[2]
    double all_total[2]


cdef void open_sides(Sides* sides, const NodeView* node, Scratch* scratch) noexcept nogil:
    """Set up two empty sides."""
    cdef int64_t n = node.n_rows
    cdef int side
    sides.n = n
    sides.top = 1
    while sides.top * 2 <= n:
        sides.top *= 2
    sides.ranked = node.ranked
    memset(scratch.fenwick, 0, 4 * (n + 1) * sizeof(double))
    for side in range(2):
        sides.weight[side] = scratch.fenwick + 2 * side * (n + 1)
        sides.total[side] = sides.weight[side] + n + 1
        sides.all_weight[side] = sides.all_total[side] = 0.0


cdef void put(Sides* sides, int side, const NodeView* node, int64_t row, double weight) noexcept nogil:
    """Add a row to a side; with a negative weight, remove it."""
    cdef int64_t i = node.rank[row]
    cdef double total = weight * sides.ranked[i]
    sides.all_weight[side] += weight
    sides.all_total[side] += total
    i += 1
    while i <= sides.n:
        sides.weight[side][i] += weight
        sides.total[side][i] += total
        i += i & -i


cdef double distance(const Sides* sides, int side, double* median) noexcept nogil:
    """Sum of the distances of a side's rows from their median (the lower one)."""
    cdef double half = 0.5 * sides.all_weight[side] * (1.0 - ROUNDING), weight = 0.0, total = 0.0, result
    cdef int64_t place = 0, step = sides.top
    if sides.all_weight[side] <= SLACK:
        median[0] = 0.0
        return 0.0
    while step:
        if place + step <= sides.n and weight + sides.weight[side][place + step] < half:
            place += step
            weight += sides.weight[side][place]
            total += sides.total[side][place]
        step >>= 1
    if place >= sides.n:
        place = sides.n - 1
    median[0] = sides.ranked[place]
    result = median[0] * (2.0 * weight - sides.all_weight[side]) - 2.0 * total + sides.all_total[side]
    return result if result > 0.0 else 0.0


cdef void open_median_contest(Contest* contest, double before, double weight, const Column* column,
                              const Choices* choices, const NodeView* node) noexcept nogil:
    contest.criterion = ABSOLUTE
    contest.n_stats = NUMBER_STATS
    contest.weight = weight
    contest.divisor = weight if choices.known_only else node.weight
    contest.least = choices.min_branch - SLACK if choices.min_branch - SLACK > SLACK else SLACK
    contest.direction = choices.monotone[column.number] if choices.monotone != NULL else 0
    contest.bounded = choices.monotone != NULL
    contest.nominal = column.kind == NOMINAL
    contest.lower = node.lower
    contest.upper = node.upper
    contest.before = contest.after = before
    contest.slack = choices.tolerance * before
    contest.limit = INFINITY if choices.min_gain < 0.0 else before - contest.slack


cdef bint halves_win(const Sides* sides, Contest* contest) noexcept nogil:
    """Whether the two sides are the best branches so far; if so, store them."""
    cdef double first = 0.0, second = 0.0, total
    if sides.all_weight[0] < contest.least or sides.all_weight[1] < contest.least:
        return False
    total = distance(sides, 0, &first) + distance(sides, 1, &second)
    if total >= contest.limit:
        return False
    if contest.bounded and (contest.direction * (second - first) < 0.0 or not contest.lower <= first <= contest.upper
                            or not contest.lower <= second <= contest.upper):
        return False
    contest.after = total
    contest.limit = total - contest.slack
    return True


cdef void put_all(Sides* sides, int side, const Entry* entries, int64_t n, const Choices* choices,
                  const NodeView* node) noexcept nogil:
    cdef int64_t i, row
    for i in range(n):
        row = entries[i] >> choices.shift
        put(sides, side, node, row, 1.0 if node.row_weight == NULL else node.row_weight[row])


cdef void close_halves(Candidate* best, double low_weight, double missing_weight, const Choices* choices,
                       const NodeView* node, Scratch* scratch, const Contest* contest) noexcept nogil:
    """Score the best two branches, of which only the weights matter now."""
    scratch.kept[0] = low_weight
    scratch.all_rows[0] = contest.weight
    scratch.kept[1] = scratch.kept[2] = scratch.all_rows[1] = scratch.all_rows[2] = 0.0
    finish_two(best, choices, node, scratch, contest, missing_weight)


cdef void cut_by_median(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                        const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil:
    """Best cut of a sorted column by the absolute error. All other rows count as missing."""
    cdef Sides sides
    cdef Contest contest
    cdef double unused = 0.0, low_weight = 0.0, missing_weight, known = 0.0, w
    cdef int64_t i, row
    cdef int side, cuts
    cdef bint sided = choices.missing == EITHER_SIDE or choices.missing == ABOVE
    for i in range(n):
        known += 1.0 if node.row_weight == NULL else node.row_weight[entries[i] >> choices.shift]
    missing_weight = node.weight - known if n < node.n_rows else 0.0
    for side in range(2):
        if side == 0 and (choices.missing != EITHER_SIDE or missing_weight <= 0.0):
            continue
        open_sides(&sides, node, scratch)
        put_all(&sides, 1, entries, n, choices, node)
        if sided and missing_weight > 0.0:
            put_missing(&sides, 1, node, column, choices)
        if side == 0 or not (choices.missing == EITHER_SIDE and missing_weight > 0.0):
            open_median_contest(&contest, distance(&sides, 1, &unused), sides.all_weight[1], column, choices, node)
        if side == 0:
            take_missing(&sides, node, column, choices)
        cuts = 0
        for i in range(n):
            row = entries[i] >> choices.shift
            if i and is_cut(entries, i, column, choices, node.exact) and not (
                    choices.boundary_points and one_class(entries, i, n, column, choices, node)):
                cuts += 1
                if halves_win(&sides, &contest):
                    best.position = i
                    best.missing_branch = side
                    low_weight = sides.all_weight[0]
            w = 1.0 if node.row_weight == NULL else node.row_weight[row]
            put(&sides, 0, node, row, w)
            put(&sides, 1, node, row, -w)
        if choices.missing == ABOVE and missing_weight > 0.0:
            cuts += 1
            if halves_win(&sides, &contest):
                best.position = n
                best.missing_branch = side
                low_weight = sides.all_weight[0]
        best.n_cuts = cuts
    close_halves(best, low_weight, missing_weight, choices, node, scratch, &contest)


cdef inline bint lacks(const Column* column, int64_t row) noexcept nogil:
    cdef double value
    if column.kind != SORTED:
        return code_of(column, row) == column.n_codes
    value = value_of(column, row)
    return value != value


cdef void put_missing(Sides* sides, int side, const NodeView* node, const Column* column,
                      const Choices* choices) noexcept nogil:
    """Add the rows with a missing value to a side."""
    cdef int64_t i, row
    for i in range(node.n_rows):
        row = node.by_rank[i]
        if lacks(column, row):
            put(sides, side, node, row, 1.0 if node.row_weight == NULL else node.row_weight[row])


cdef void take_missing(Sides* sides, const NodeView* node, const Column* column, const Choices* choices) noexcept nogil:
    """Move the rows with a missing value from the high side to the low side."""
    cdef int64_t i, row
    cdef double w
    for i in range(node.n_rows):
        row = node.by_rank[i]
        if lacks(column, row):
            w = 1.0 if node.row_weight == NULL else node.row_weight[row]
            put(sides, 1, node, row, -w)
            put(sides, 0, node, row, w)


cdef double move_code(Sides* sides, int code, int away, int to, const NodeView* node, Scratch* scratch) noexcept nogil:
    """Move a code's rows from one side (-1: from outside) to another (-1: out); returns their weight."""
    cdef int64_t i, row
    cdef double w, all_of_it = 0.0
    for i in range(scratch.starts[code], scratch.starts[code + 1]):
        row = scratch.members[i]
        w = 1.0 if node.row_weight == NULL else node.row_weight[row]
        all_of_it += w
        if away >= 0:
            put(sides, away, node, row, -w)
        if to >= 0:
            put(sides, to, node, row, w)
    return all_of_it


cdef void group_by_code(const Entry* rows, const Column* column, const Choices* choices, const NodeView* node,
                        Scratch* scratch) noexcept nogil:
    """Group the node's rows by code, missing values last: `members` from `starts` of each code."""
    cdef int64_t i, row
    cdef int code
    memset(scratch.starts, 0, (column.n_codes + 3) * sizeof(int64_t))
    for i in range(node.n_rows):
        scratch.starts[code_of(column, rows[i] >> choices.shift) + 2] += 1
    for code in range(column.n_codes + 1):
        scratch.starts[code + 2] += scratch.starts[code + 1]
    for i in range(node.n_rows):
        row = rows[i] >> choices.shift
        code = code_of(column, row)
        scratch.members[scratch.starts[code + 1]] = <uint32_t>row
        scratch.starts[code + 1] += 1


cdef void branch_by_median(Sides* sides, Contest* contest, const Column* column, const Choices* choices,
                           const NodeView* node, Scratch* scratch, Candidate* best, int n_bins, double total,
                           double missing_weight) noexcept nogil:
    """A branch per category, whose total impurity without missing values is `total`."""
    cdef int b, n_codes = column.n_codes
    cdef double change, unused = 0.0, least_change
    best.missing_branch = -1
    if choices.missing != IN_PIECES:
        best.missing_branch = 0
        for b in range(1, n_bins):
            if scratch.bins[b] > scratch.bins[best.missing_branch]:
                best.missing_branch = b
        best.missing_branch = scratch.bin_code[best.missing_branch]
    if choices.missing == EITHER_SIDE and missing_weight > 0.0:
        least_change = INFINITY
        open_sides(sides, node, scratch)
        for b in range(n_bins):
            move_code(sides, scratch.bin_code[b], -1, 0, node, scratch)
            change = -distance(sides, 0, &unused)
            move_code(sides, n_codes, -1, 0, node, scratch)
            change += distance(sides, 0, &unused)
            if change < least_change - contest.slack:
                least_change = change
                best.missing_branch = scratch.bin_code[b]
            move_code(sides, n_codes, 0, -1, node, scratch)
            move_code(sides, scratch.bin_code[b], 0, -1, node, scratch)
        total += least_change
    best.verdict = NO_GAIN
    if total < contest.limit:
        contest.after = total
        for b in range(n_bins):  # the score needs only weights
            scratch.branches[b * NUMBER_STATS] = scratch.bins[b]
        close_contest(best, contest, scratch.branches, n_bins, missing_weight, choices, node)
    best.n_branches = n_codes


cdef inline bint side_of_missing(int side, const Choices* choices, double missing_weight) noexcept nogil:
    """Whether missing values are tried on a side: on the upper one, and, if they may take either, on the lower."""
    return side == 1 or (choices.missing == EITHER_SIDE and missing_weight > 0.0)


cdef double one_against_rest(Sides* sides, Contest* contest, const Column* column, const Choices* choices,
                             const NodeView* node, Scratch* scratch, Candidate* best, int n_bins,
                             double missing_weight) noexcept nogil:
    """The best category to split off; returns the weight of its side."""
    cdef int b, side
    cdef double low_weight = 0.0
    cdef bint sided = choices.missing == EITHER_SIDE or choices.missing == ABOVE
    open_sides(sides, node, scratch)
    for b in range(n_bins):
        move_code(sides, scratch.bin_code[b], -1, 1, node, scratch)
    for b in range(n_bins):
        move_code(sides, scratch.bin_code[b], 1, 0, node, scratch)
        for side in range(2):
            if n_bins < 2 or not side_of_missing(side, choices, missing_weight):
                continue
            best.n_cuts += 1
            if sided:
                move_code(sides, column.n_codes, -1, side, node, scratch)
            if halves_win(sides, contest):
                best.position = b + 1
                best.code = scratch.bin_code[b]
                best.missing_branch = side
                low_weight = sides.all_weight[0]
            if sided:
                move_code(sides, column.n_codes, side, -1, node, scratch)
        move_code(sides, scratch.bin_code[b], 0, 1, node, scratch)
    return low_weight


cdef double cut_in_order(Sides* sides, Contest* contest, const Column* column, const Choices* choices,
                         const NodeView* node, Scratch* scratch, Candidate* best, int n_bins,
                         double missing_weight) noexcept nogil:
    """The best cut between codes in the order of `scratch.order`; returns the weight of the lower side."""
    cdef int b, side, cuts
    cdef double low_weight = 0.0
    cdef bint coded = column.kind == CODED, sided = choices.missing == EITHER_SIDE or choices.missing == ABOVE
    cdef bint extra = coded and choices.missing == ABOVE and missing_weight > 0.0
    for side in range(2):
        if not side_of_missing(side, choices, missing_weight):
            continue
        open_sides(sides, node, scratch)
        for b in range(n_bins):
            move_code(sides, scratch.bin_code[b], -1, 1, node, scratch)
        if sided and missing_weight > 0.0:
            move_code(sides, column.n_codes, -1, side, node, scratch)
        cuts = 0
        for b in range(n_bins + 1):
            if b and (b < n_bins or extra):
                cuts += 1
                if halves_win(sides, contest):
                    best.position = b
                    best.missing_branch = side
                    low_weight = sides.all_weight[0]
                    if coded:
                        best.code = scratch.bin_code[b - 1]
            if b == n_bins:
                break
            move_code(sides, scratch.bin_code[scratch.order[b]], 1, 0, node, scratch)
        best.n_cuts = cuts
    return low_weight


cdef void split_by_median(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                          const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil:
    """Best split of a column of codes by the absolute error."""
    cdef Sides sides
    cdef Contest contest
    cdef double unused = 0.0, total = 0.0, low_weight, missing_weight = 0.0, w
    cdef int code, b, n_bins = 0, n_codes = column.n_codes, full = 0
    cdef bint sided = choices.missing == EITHER_SIDE or choices.missing == ABOVE
    cdef bint coded = column.kind == CODED, alone = not coded and choices.nominal == ONE_VS_REST
    group_by_code(rows, column, choices, node, scratch)
    open_sides(&sides, node, scratch)
    for code in range(n_codes):
        w = move_code(&sides, code, -1, 0, node, scratch)
        if w > 0.0:
            scratch.bin_code[n_bins] = code
            total += distance(&sides, 0, &scratch.keys[n_bins])
            scratch.bins[n_bins] = w
            full += w >= choices.min_branch - SLACK
            n_bins += 1
        move_code(&sides, code, 0, -1, node, scratch)
    for b in range(n_bins):
        move_code(&sides, scratch.bin_code[b], -1, 1, node, scratch)
    if scratch.starts[n_codes + 1] > scratch.starts[n_codes]:
        missing_weight = move_code(&sides, n_codes, -1, 1 if sided else -1, node, scratch)
    open_median_contest(&contest, distance(&sides, 1, &unused), sides.all_weight[1], column, choices, node)
    if not coded and choices.nominal == MULTIWAY:
        if full < 2:
            return
        branch_by_median(&sides, &contest, column, choices, node, scratch, best, n_bins, total, missing_weight)
        if plan != NULL:
            plan.n_branches = n_codes
            plan.missing_branch = best.missing_branch
            for code in range(n_codes):
                plan.code_branch[code] = code
        return
    if coded:
        for b in range(n_bins):
            scratch.order[b] = b
    else:
        hb_sort_indices(scratch.order, scratch.spare, scratch.keys, n_bins)
    if alone:
        low_weight = one_against_rest(&sides, &contest, column, choices, node, scratch, best, n_bins, missing_weight)
    else:
        low_weight = cut_in_order(&sides, &contest, column, choices, node, scratch, best, n_bins, missing_weight)
    close_halves(best, low_weight, missing_weight, choices, node, scratch, &contest)
    if plan == NULL or best.position < 0:
        return
    if coded:
        plan_one_cut(plan, best, best.code)
        return
    plan.n_branches = 2
    plan.missing_branch = best.missing_branch
    for code in range(n_codes):
        plan.code_branch[code] = 1 if alone else -1
    for b in range(n_bins):
        if alone:
            plan.code_branch[scratch.bin_code[b]] = b != best.position - 1
        else:
            plan.code_branch[scratch.bin_code[scratch.order[b]]] = b >= best.position
