# Part of scan.pyx: splits found through a table of codes x classes, for nominal columns and those with few values.


cdef void scan_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     const NodeView* node, Scratch* scratch, Candidate* best) noexcept nogil:
    """Best split of a coded or nominal column; `rows` are the node's, `local_weight` their weights in that order."""
    cdef int n_codes = column.n_codes, stride = 1 << choices.label_bits, i, k, n_classes = choices.n_classes
    cdef int64_t cells = <int64_t>(n_codes + 1) * stride
    cdef double* table = scratch.table
    cdef double* bags = scratch.bags
    cdef double* totals = scratch.right
    cdef double known = 0.0, cell
    best.verdict = NO_SPLIT
    best.n_cuts = 0
    best.position = -1
    best.code = -1
    best.gain = best.charge = best.split_information = best.score = 0.0
    if local_weight == NULL:
        count_rows(rows, column, choices, node.n_rows, scratch.count_table, cells)
        for i in range(n_codes * stride):
            table[i] = scratch.count_table[i]
    else:
        weigh_rows(rows, local_weight, column, choices, node.n_rows, table, cells)
    memset(totals, 0, n_classes * sizeof(double))
    for i in range(n_codes):
        bags[i] = 0.0
        for k in range(n_classes):
            cell = table[i * stride + k]
            bags[i] += cell
            totals[k] += cell
        known += bags[i]
    if column.kind == CODED:
        cut_codes(table, bags, totals, known, column, choices, node, scratch, best)
    elif choices.nominal == MULTIWAY:
        split_multiway(table, bags, totals, known, column, choices, node, best)
    else:
        split_one_category(table, bags, totals, known, column, choices, node, best)


cdef void count_rows(const Entry* rows, const Column* column, const Choices* choices, int64_t n,
                     uint32_t* table, int64_t cells) noexcept nogil:
    cdef const uint8_t* narrow = <const uint8_t*>column.codes
    cdef const int32_t* wide = <const int32_t*>column.codes
    cdef int bits = choices.label_bits, shift = choices.shift
    cdef uint32_t mask = (1 << bits) - 1
    cdef int64_t i
    cdef int64_t paired = n & ~<int64_t>1
    cdef uint32_t* second = table + cells  # neighboring rows often fall in one cell: two tables keep them apart
    memset(table, 0, 2 * cells * sizeof(uint32_t))
    if column.wide:
        for i in range(n):
            table[(<int64_t>wide[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += 1
        return
    for i in range(0, paired, 2):
        table[(<int64_t>narrow[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += 1
        second[(<int64_t>narrow[rows[i + 1] >> shift] << bits) | ((rows[i + 1] >> 2) & mask)] += 1
    if n > paired:
        table[(<int64_t>narrow[rows[paired] >> shift] << bits) | ((rows[paired] >> 2) & mask)] += 1
    for i in range(cells):
        table[i] += second[i]


cdef void weigh_rows(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                     int64_t n, double* table, int64_t cells) noexcept nogil:
    cdef const uint8_t* narrow = <const uint8_t*>column.codes
    cdef const int32_t* wide = <const int32_t*>column.codes
    cdef int bits = choices.label_bits, shift = choices.shift
    cdef uint32_t mask = (1 << bits) - 1
    cdef int64_t i
    memset(table, 0, cells * sizeof(double))
    if column.wide:
        for i in range(n):
            table[(<int64_t>wide[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += local_weight[i]
    else:
        for i in range(n):
            table[(<int64_t>narrow[rows[i] >> shift] << bits) | ((rows[i] >> 2) & mask)] += local_weight[i]


cdef void cut_codes(const double* table, const double* bags, const double* totals, double known,
                    const Column* column, const Choices* choices, const NodeView* node, Scratch* scratch,
                    Candidate* best) noexcept nogil:
    """Best cut between the codes of a column with few distinct values."""
    cdef double* left = scratch.left
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k, previous = -1
    cdef double least = minimum_side(known, choices), low = 0.0, before, bits, best_bits, limit, slack, best_low = 0.0
    if known < 2 * least - SLACK:
        return
    before = hb_xlog2x(known)
    for k in range(n_classes):
        before -= hb_xlog2x(totals[k])
        left[k] = 0.0
    slack = choices.tolerance * node.weight
    best_bits = before
    limit = best_bits - slack
    for i in range(column.n_codes):
        if bags[i] == 0.0:
            continue
        if (previous >= 0 and low >= least - SLACK and known - low >= least - SLACK
                and column.values[previous] + choices.min_gap < column.values[i]):
            best.n_cuts += 1
            bits = hb_xlog2x(low) + hb_xlog2x(known - low)
            for k in range(n_classes):
                bits -= hb_xlog2x(left[k]) + hb_xlog2x(totals[k] - left[k])
            if bits < limit:
                best_bits = bits
                limit = bits - slack
                best.code = previous
                best_low = low
        for k in range(n_classes):
            left[k] += table[i * stride + k]
        low += bags[i]
        previous = i
    if best.n_cuts == 0:
        return
    best.position = 0
    finish(best, (before - best_bits) / node.weight, best_low, known - best_low, known, choices, node)


cdef void split_multiway(const double* table, const double* bags, const double* totals, double known,
                         const Column* column, const Choices* choices, const NodeView* node,
                         Candidate* best) noexcept nogil:
    """One branch a category; at least two branches must hold min_branch."""
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k, full = 0
    cdef double gain_bits, split_bits = 0.0, term
    for i in range(column.n_codes):
        full += bags[i] >= choices.min_branch - SLACK
    if full < 2:
        return
    gain_bits = hb_xlog2x(known)
    for k in range(n_classes):
        gain_bits -= hb_xlog2x(totals[k])
    for i in range(column.n_codes):
        if bags[i] == 0.0:
            continue
        term = hb_xlog2x(bags[i])
        split_bits -= term
        gain_bits -= term
        for k in range(n_classes):
            if table[i * stride + k] > 0.0:
                gain_bits += hb_xlog2x(table[i * stride + k])
    if gain_bits < SLACK and choices.tolerance >= SLACK:
        gain_bits = 0.0
    best.gain = gain_bits / node.weight
    if choices.textbook_gain:
        best.gain = textbook_gain(table, bags, totals, known, column.n_codes, choices)
    set_score(best, split_bits + hb_xlog2x(node.weight) - hb_xlog2x(node.weight - known), choices, node)


cdef double textbook_gain(const double* table, const double* bags, const double* totals, double known, int n_codes,
                          const Choices* choices) noexcept nogil:
    """Entropy less the weighted mean of the branches' entropies, one term after another.

    Gains that are equal on paper then differ as they do in a program that computes them so and compares them exactly.
    """
    cdef double gain = textbook_entropy(totals, known, choices.n_classes)
    cdef int i
    for i in range(n_codes):
        if bags[i] > 0.0:
            gain -= bags[i] / known * textbook_entropy(table + (<int64_t>i << choices.label_bits), bags[i],
                                                       choices.n_classes)
    return gain


cdef double textbook_entropy(const double* counts, double total, int n_classes) noexcept nogil:
    cdef double entropy = 0.0
    cdef int k
    for k in range(n_classes):
        if counts[k] > 0.0:
            entropy -= counts[k] * (log(counts[k]) / LOG_2)
    return entropy / total + log(total) / LOG_2


cdef void split_one_category(const double* table, const double* bags, const double* totals, double known,
                             const Column* column, const Choices* choices, const NodeView* node,
                             Candidate* best) noexcept nogil:
    """One category against the rest; the best score over categories, each side holding min_branch."""
    cdef int stride = 1 << choices.label_bits, n_classes = choices.n_classes, i, k
    cdef double before, bits, rest, cell
    cdef Candidate candidate = best[0]
    before = hb_xlog2x(known)
    for k in range(n_classes):
        before -= hb_xlog2x(totals[k])
    for i in range(column.n_codes):
        rest = known - bags[i]
        if bags[i] < choices.min_branch - SLACK or rest < choices.min_branch - SLACK:
            continue
        bits = hb_xlog2x(bags[i]) + hb_xlog2x(rest)
        for k in range(n_classes):
            cell = table[i * stride + k]
            bits -= hb_xlog2x(cell) + hb_xlog2x(totals[k] - cell)
        candidate.gain = before - bits
        if candidate.gain < SLACK and choices.tolerance >= SLACK:
            candidate.gain = 0.0
        candidate.gain /= node.weight
        candidate.code = i
        set_score(&candidate, hb_xlog2x(node.weight) - hb_xlog2x(node.weight - known) - hb_xlog2x(bags[i])
                  - hb_xlog2x(rest), choices, node)
        if (i == 0 and choices.first_category_free) or candidate.score > best.score + choices.tolerance:
            best[0] = candidate
        elif best.verdict == NO_SPLIT:
            # the column has a split, if none worth taking
            best.verdict = OUTSCORED
            best.code = -1
