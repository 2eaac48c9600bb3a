# Part of cover.pyx: the best condition among all uncovered rows, by sums of blocks and counts of categories.

cdef enum:
    REMEMBERED = 8
    RECENT = 2  # this many of them suffice if bounds are kept
    SOON = 4  # consecutive searches for one class before bounds are kept


cdef struct Memory:  # for every class: recent best cuts, which are often near the best cut of the next rule
    Best* cuts
    int64_t* size


cdef struct Pass:  # sums before the position that a pass over a column has reached, and of the whole column
    double p, t, known_p, known_t
    bint keeps  # bounds on fractions


cdef bint keeps_bounds(Field* field, const Search* search) noexcept nogil:
    """Whether bounds on the fractions in every block are kept from one search to the next."""
    cdef int64_t at
    if search.measure != BY_SHARE or not field.whole_weights:
        return False
    if field.sought != search.label:
        field.sought, field.in_a_row = search.label, 0
    field.in_a_row += 1
    if field.in_a_row == SOON:  # not earlier: resetting them costs as much as they save in one search
        for at in range(field.n_columns):
            if field.columns[at].n_codes == 0:
                forget_bounds(&field.columns[at])
    return field.in_a_row >= SOON


cdef void search_places(
    const Field* field, const Search* search, int64_t at, const Best* floor, bint keeps,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """The best cut of a numeric column; blocks are opened only if a cut inside could win."""
    cdef const Column* column = &field.columns[at]
    cdef int top = column.n_levels - 1
    cdef int64_t block, width = field.n_classes + 1
    cdef Pass so_far
    so_far.p = so_far.t = so_far.known_p = so_far.known_t = 0.0
    so_far.keeps = keeps
    for block in range(column.n_blocks[top]):
        so_far.known_p += column.sums[top][block * width + search.label]
        so_far.known_t += column.sums[top][block * width + width - 1]
    for block in range(column.n_blocks[top]):
        open_block(field, search, at, top, block, floor, &so_far, best)
    if search.own_missing and so_far.known_t < search.whole_t * NEAR:
        fill(winner(search, search.whole_p - so_far.known_p, search.whole_t - so_far.known_t, best), at, IS_MISSING, 0,
             0)


cdef inline bint ruled_out(double highest, const Best* other) noexcept nogil:
    return highest * other.t < other.p * NEAR


cdef void open_block(
    const Field* field, const Search* search, int64_t at, int level, int64_t block, const Best* floor,  # IN
    Pass* so_far, Best* best,  # IN, OUT
) noexcept nogil:
    cdef Column* column = &field.columns[at]
    cdef int64_t i, stop, width = field.n_classes + 1
    cdef double p = column.sums[level][block * width + search.label]
    cdef double t = column.sums[level][block * width + width - 1]
    cdef double* highest = &column.highest[level][block]
    cdef double below, above
    if so_far.keeps and (ruled_out(highest[0], floor) or ruled_out(highest[0], best)):
        so_far.p += p
        so_far.t += t
        return
    if not (could_win(search, so_far.p + p, so_far.t + p, floor, best)
            or could_win(search, so_far.known_p - so_far.p, so_far.known_t - so_far.t - t + p, floor, best)):
        if so_far.keeps:
            below = (so_far.p + p) / (so_far.t + p) if so_far.t + p > 0.0 else 0.0
            above = so_far.known_t - so_far.t - t + p
            above = (so_far.known_p - so_far.p) / above if above > 0.0 else 0.0
            highest[0] = min(highest[0], max(below, above))
        so_far.p += p
        so_far.t += t
        return
    if level == 0:
        open_places(field, search, at, block, so_far, best)
        return
    i = block << STEP
    stop = min(i + (1 << STEP), column.n_blocks[level - 1])
    below = 0.0
    while i < stop:
        open_block(field, search, at, level - 1, i, floor, so_far, best)
        below = max(below, column.highest[level - 1][i])
        i += 1
    if so_far.keeps:
        highest[0] = below


cdef void open_places(
    const Field* field, const Search* search, int64_t at, int64_t block,  # IN
    Pass* so_far, Best* best,  # IN, OUT
) noexcept nogil:
    """Offer the cuts of a block; if bounds are kept, store the greatest fraction before or after any of its rows."""
    cdef Column* column = &field.columns[at]
    cdef int64_t i = block << STEP, before = i - 1, stop = min(i + (1 << STEP), column.n_places)
    cdef int64_t width = field.n_classes + 1
    cdef bint nobody
    cdef double weight, p, t, high_p = 0.0, high_t = 1.0
    while before >= 0 and column.classes[before] < 0:
        # if sums are exact, a block without weight is empty
        nobody = field.whole_weights and column.sums[0][(before >> STEP) * width + width - 1] == 0.0
        before -= (before & ((1 << STEP) - 1)) + 1 if nobody else 1
    while i < stop:
        if column.classes[i] >= 0:
            if before >= 0 and column.sorted[i] != column.sorted[before]:
                offer_cut(search, at, IS_BELOW, so_far.p, so_far.t, column.sorted[before], column.sorted[i], best)
                offer_cut(search, at, IS_AT_LEAST, so_far.known_p - so_far.p, so_far.known_t - so_far.t,
                          column.sorted[before], column.sorted[i], best)
            if so_far.p * high_t > high_p * so_far.t:
                high_p, high_t = so_far.p, so_far.t
            p = so_far.known_p - so_far.p
            t = so_far.known_t - so_far.t
            if p * high_t > high_p * t:
                high_p, high_t = p, t
            weight = weight_of(field, column.entries[i] >> ROW_SHIFT)
            so_far.t += weight
            if column.classes[i] == search.label:
                so_far.p += weight
            before = i
        i += 1
    if so_far.keeps:
        column.highest[0][block] = high_p / high_t


cdef void offer_known_cut(
    const Field* field, const Search* search, int64_t at, int relation, double cut,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """Offer a cut that was the best for another rule."""
    cdef const Column* column = &field.columns[at]
    cdef double p, t, known_p, known_t
    if column.n_left == 0:
        return
    sums_before(field, column, places_below(column, cut), search.label, &p, &t)
    sums_before(field, column, column.n_places, search.label, &known_p, &known_t)
    if relation == IS_AT_LEAST:
        p = known_p - p
        t = known_t - t
    if t > 0.0 and t < known_t * NEAR:
        fill(winner(search, p, t, best), at, relation, 0, 0)


cdef void count_all(const Field* field, const Column* column, int label, Scratch* scratch) noexcept nogil:
    """Weights of every category among all uncovered rows."""
    cdef const double* counts = column.counts
    cdef int64_t i, k, code
    for i in range(column.n_codes + 1):
        code = i if i < column.n_codes else -1
        scratch.code_p[code] = counts[label]
        scratch.code_t[code] = 0.0
        for k in range(field.n_classes):
            scratch.code_t[code] += counts[k]
        counts += field.n_classes


cdef void remember(Memory* memory, int label, const Best* best) noexcept nogil:
    if best.relation <= IS_AT_LEAST:
        memory.cuts[label * REMEMBERED + memory.size[label] % REMEMBERED] = best[0]
        memory.size[label] += 1


cdef void search_all(
    Field* field, const Search* search, const Memory* memory,  # IN
    Scratch* scratch, Best* best,  # OUT
) noexcept nogil:
    """The best condition among all uncovered rows."""
    cdef int64_t at, i
    cdef const Best* known
    cdef Best floor
    cdef bint keeps = keeps_bounds(field, search)
    # trying the known cuts first saves most of the search in numbers
    begin(search, &floor)
    for at in range(field.n_columns):
        if field.columns[at].n_codes:
            count_all(field, &field.columns[at], search.label, scratch)
            scan_codes(field, search, at, scratch, &floor)
    for i in range(min(memory.size[search.label], <int64_t>(RECENT if keeps else REMEMBERED))):
        known = &memory.cuts[search.label * REMEMBERED + (memory.size[search.label] - 1 - i) % REMEMBERED]
        offer_known_cut(field, search, known.column, known.relation, known.cut, &floor)
    for at in range(field.n_columns):
        if field.columns[at].n_codes:
            count_all(field, &field.columns[at], search.label, scratch)
            scan_codes(field, search, at, scratch, best)
        elif field.columns[at].n_left:
            search_places(field, search, at, &floor, keeps, best)
