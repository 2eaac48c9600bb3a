# Part of boost.pyx: the best split of a column at a node, from its sums by bin.


cdef inline int64_t gradient_of(int64_t word) noexcept nogil:
    return word >> 32


cdef inline int64_t curve_of(int64_t word) noexcept nogil:
    return <uint32_t>word


cdef inline double shrunk(double gradient, double l1) noexcept nogil:
    """A gradient shrunk toward zero (soft thresholding)."""
    if gradient > l1:
        return gradient - l1
    if gradient < -l1:
        return gradient + l1
    return 0.0


cdef inline double worth(double gradient, double curve, double l1, double penalty) noexcept nogil:
    """Twice the reduction of the loss by the best value."""
    cdef double pull = shrunk(gradient, l1)
    return pull * pull / (curve + penalty)


cdef inline double best_value(double gradient, double curve, double l1, double penalty, double low,
                              double high) noexcept nogil:
    return min(max(-shrunk(gradient, l1) / (curve + penalty), low), high)


cdef inline double worth_of(double value, double gradient, double curve, double l1, double penalty) noexcept nogil:
    """Twice the reduction of the loss by a given value."""
    return -(2.0 * gradient * value + (curve + penalty) * value * value + 2.0 * l1 * fabs(value))


cdef double worth_of_node(const Job* job, const Node* node) noexcept nogil:
    cdef double gradient = <double>gradient_of(node.total), curve = <double>curve_of(node.total)
    cdef double unit = job.gradient_unit / job.curve_unit
    if not job.limited:
        return worth(gradient, curve, job.l1, job.l2)
    return worth_of(best_value(gradient, curve, job.l1, job.l2, node.low / unit, node.high / unit),
                    gradient, curve, job.l1, job.l2)


cdef double worth_of_cut(const Job* job, const Node* node, int64_t first, int32_t monotone) noexcept nogil:
    """Twice the reduction of the loss by a split; minus infinity if it violates a limit. `first`: words of a branch."""
    cdef double g = <double>gradient_of(first), h = <double>curve_of(first)
    cdef double rest_g = <double>gradient_of(node.total) - g, rest_h = <double>curve_of(node.total) - h
    cdef double unit, one, other
    if not job.limited:
        return worth(g, h, job.l1, job.l2) + worth(rest_g, rest_h, job.l1, job.l2)
    unit = job.gradient_unit / job.curve_unit
    one = best_value(g, h, job.l1, job.l2, node.low / unit, node.high / unit)
    other = best_value(rest_g, rest_h, job.l1, job.l2, node.low / unit, node.high / unit)
    if (other - one) * monotone < 0.0:
        return -INFINITY
    return worth_of(one, g, h, job.l1, job.l2) + worth_of(other, rest_g, rest_h, job.l1, job.l2)


cdef inline bint takes_over(double gain, int32_t column, const Split* best) noexcept nogil:
    """Whether a gain beats the best so far; the first column wins ties, whichever was found first."""
    return gain > best.gain or (gain == best.gain and gain > 0.0 and column < best.column)


cdef inline bint heavy_enough(const Job* job, const Node* node, int64_t first, double weight,
                              bint exact) noexcept nogil:
    """Whether both branches have the minimum curve and may have the minimum weight (judged by the curve or exactly)."""
    cdef double h = <double>curve_of(first), rest = <double>curve_of(node.total) - h
    if h < job.floor or rest < job.floor:
        return False
    if exact:
        return weight >= job.min_weight and node.weight - weight >= job.min_weight
    return h >= job.least and rest >= job.least


cdef double search_numeric(const Job* job, Scratch* scratch, const Node* node, int32_t c, const int64_t* sums,
                           const double* weights, double parent, Split* best) noexcept nogil:
    """Search the cuts of an ordered column, with missing values on either side; `weights` by code, if they decide.

    Returns the column's greatest gain.
    """
    cdef const Column* column = &job.columns[c]
    cdef int32_t n = column.n_codes, b, way, n_cuts
    cdef int64_t missing = sums[n] if column.has_missing else 0, running, here
    cdef double weight, gain, top = 0.0
    if job.limited or job.l1 > 0.0 or weights != NULL or n > BINS:
        for way in range(2 if missing else 1):
            running = missing if way == 1 else 0
            weight = weights[n] if way == 1 and weights != NULL else 0.0
            n_cuts = n if missing and way == 0 else n - 1
            for b in range(n_cuts):
                running += sums[b]
                if weights != NULL and sums[b] != 0:
                    weight += weights[b]
                if not heavy_enough(job, node, running, weight, weights != NULL):
                    continue
                gain = worth_of_cut(job, node, running, column.monotone) - parent
                top = max(top, gain)
                if takes_over(gain, c, best):
                    set_cut(best, gain, c, b, missing_branch(missing, way), running)
        return top
    return search_plainly(job, scratch, node, c, sums, missing, parent, best)


cdef inline int32_t missing_branch(int64_t missing, int32_t way) noexcept nogil:
    """The branch of rows with a missing value; -1 if there are none."""
    return -1 if missing == 0 else 0 if way == 1 else 1


cdef inline void set_cut(Split* best, double gain, int32_t c, int32_t cut, int32_t missing,
                         int64_t first) noexcept nogil:
    best.gain = gain
    best.column = c
    best.cut = cut
    best.missing = missing
    best.first_sum = first


cdef double search_plainly(const Job* job, Scratch* scratch, const Node* node, int32_t c, const int64_t* sums,
                           int64_t missing, double parent, Split* best) noexcept nogil:
    """The same without limits: all cuts are scored at once, and only the best is examined."""
    cdef int32_t n = job.columns[c].n_codes, b, way, n_cuts, n_held = 0
    cdef int64_t total = 0
    cdef int64_t* running = scratch.running
    cdef uint8_t* held = scratch.held
    cdef double* score = scratch.score
    cdef hb_cutting cutting
    cdef double top, most = 0.0
    for b in range(n):  # codes that do not occur are left out
        total += sums[b]
        running[n_held] = total
        held[n_held] = <uint8_t>b
        n_held += sums[b] != 0
    if n_held == 0 or (n_held == 1 and missing == 0):
        return 0.0
    cutting.gradient = <double>gradient_of(node.total)
    cutting.curve = <double>curve_of(node.total)
    cutting.penalty = job.l2
    cutting.least = job.least
    for way in range(2 if missing else 1):
        cutting.extra_gradient = <double>gradient_of(missing) if way == 1 else 0.0
        cutting.extra_curve = <double>curve_of(missing) if way == 1 else 0.0
        n_cuts = n_held if missing and way == 0 else n_held - 1
        for b in range(n_cuts, n_cuts + 3):
            running[b] = MOST_CURVE  # never allowed
        top = hb_score_cuts(running, n_cuts, &cutting, score) - parent
        most = max(most, top)
        if takes_over(top, c, best):
            b = 0
            while score[b] - parent != top:
                b += 1
            set_cut(best, top, c, held[b], missing_branch(missing, way), running[b] + (missing if way == 1 else 0))
    return most


cdef double search_column(const Job* job, Scratch* scratch, const Node* node, int32_t c, const int64_t* sums,
                          const double* weights, double parent, Split* best) noexcept nogil:
    if job.columns[c].nominal:
        return search_nominal(job, scratch, node, c, sums, weights, parent, best)
    return search_numeric(job, scratch, node, c, sums, weights, parent, best)


cdef void search_group(const Job* job, Scratch* scratch, int32_t which, int32_t g, const int64_t* sums,
                       double parent) noexcept nogil:
    """Search every column of a byte, from the byte's sums."""
    cdef const Group* group = &job.groups[g]
    cdef const Node* node = &job.nodes[job.pair[which]]
    cdef const Column* column
    cdef int32_t k, c, code, digit, left, radix
    cdef int64_t* own = scratch.column_sums
    cdef const int64_t* alone = sums
    for k in range(group.n_columns):
        c = group.columns[k]
        if not job.active[c]:
            continue
        if group.n_columns > 1:
            column = &job.columns[c]
            radix = codes_of(column)
            memset(own, 0, radix * sizeof(int64_t))
            code = 0
            while code < group.n_codes:  # codes come in runs of `step` with the same digit
                for digit in range(radix):
                    for left in range(column.step):
                        own[digit] += sums[code + left]
                    code += column.step
            alone = own
        job.column_gain[which][c] = search_column(job, scratch, node, c, alone, NULL, parent, &scratch.best[which])


cdef void search_wide(const Job* job, Scratch* scratch, int32_t which, int32_t c, double parent) noexcept nogil:
    """Search a column whose codes do not fit in bytes: its rows are summed here."""
    cdef const Node* node = &job.nodes[job.pair[which]]
    sum_wide(job, scratch, node, c)
    job.column_gain[which][c] = search_column(job, scratch, node, c, scratch.wide_sums, NULL, parent,
                                              &scratch.best[which])
    clear_wide(job, scratch, node, c)


cdef void sum_wide(const Job* job, Scratch* scratch, const Node* node, int32_t c) noexcept nogil:
    cdef const int32_t* codes = job.columns[c].wide
    cdef const uint32_t* rows = job.rows + node.begin
    cdef int64_t i
    for i in range(node.n_rows):
        scratch.wide_sums[codes[rows[i]]] += job.words[rows[i]]


cdef void clear_wide(const Job* job, Scratch* scratch, const Node* node, int32_t c) noexcept nogil:
    """Visit at most as many cells as rows, so that small nodes do not visit all codes."""
    cdef const int32_t* codes = job.columns[c].wide
    cdef const uint32_t* rows = job.rows + node.begin
    cdef int64_t i
    for i in range(node.n_rows):
        scratch.wide_sums[codes[rows[i]]] = 0


cdef void search_by_weight(const Job* job, Scratch* scratch, const Node* node, int32_t c, double parent,
                           Split* best) noexcept nogil:
    """Search a column again, using the exact weights of the branches."""
    cdef const uint32_t* rows = job.rows + node.begin
    cdef const Column* column = &job.columns[c]
    cdef int64_t* sums = scratch.column_sums if column.wide == NULL else scratch.wide_sums
    cdef int32_t code
    cdef int64_t i
    if column.wide == NULL:
        memset(sums, 0, codes_of(column) * sizeof(int64_t))
    for i in range(node.n_rows):
        code = column.codes[rows[i]] if column.wide == NULL else column.wide[rows[i]]
        if sums[code] == 0:
            scratch.column_weights[code] = 0.0
        sums[code] += job.words[rows[i]]
        scratch.column_weights[code] += 1.0 if job.weight == NULL else job.weight[rows[i]]
    search_column(job, scratch, node, c, sums, scratch.column_weights, parent, best)
    if column.wide != NULL:
        clear_wide(job, scratch, node, c)


cdef void search_exactly(const Job* job, Scratch* scratch, int32_t which, Split* best) noexcept nogil:
    """Search again if the curves do not show whether branches are heavy enough, the most promising columns first.

    The gain found before is an upper bound of what a column can gain, so later columns can be skipped.
    """
    cdef const Node* node = &job.nodes[job.pair[which]]
    cdef double* gain = job.column_gain[which]
    cdef double parent = worth_of_node(job, node)
    cdef int32_t c, next_one
    best.gain = 0.0
    best.column = -1
    while True:
        next_one = -1
        for c in range(job.n_columns):
            if gain[c] > 0.0 and (next_one < 0 or gain[c] > gain[next_one]):
                next_one = c
        if next_one < 0 or gain[next_one] < best.gain:
            return
        gain[next_one] = 0.0
        search_by_weight(job, scratch, node, next_one, parent, best)
