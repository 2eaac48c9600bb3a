# Part of cover.pyx: the best condition among all rows still to be covered, by sums of blocks and counts of categories.

cdef enum:
    REMEMBERED = 8


cdef struct Memory:  # of every class: cuts that were the best of late, which are near it for the next rule
    Best* cuts
    int64_t* size


cdef struct Pass:  # what lies before the place that a pass over a column has reached, and in all of it
    double p, t, known_p, known_t


cdef void search_places(
    const Field* field, const Search* search, int64_t at, const Best* floor,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """The best cut of a numeric column; blocks are opened only where a cut inside could win."""
    cdef const Column* column = &field.columns[at]
    cdef int top = column.n_levels - 1
    cdef int64_t block, width = field.n_classes + 1
    cdef Pass so_far
    so_far.p = so_far.t = so_far.known_p = so_far.known_t = 0.0
    for block in range(column.n_blocks[top]):
        so_far.known_p += column.sums[top][block * width + search.label]
        so_far.known_t += column.sums[top][block * width + width - 1]
    for block in range(column.n_blocks[top]):
        open_block(field, search, at, top, block, floor, &so_far, best)
    if search.own_missing and so_far.known_t < search.whole_t * NEAR:
        offer_missing(search, at, search.whole_p - so_far.known_p, search.whole_t - so_far.known_t, best)


cdef void open_block(
    const Field* field, const Search* search, int64_t at, int level, int64_t block, const Best* floor,  # IN
    Pass* so_far, Best* best,  # IN, OUT
) noexcept nogil:
    cdef const Column* column = &field.columns[at]
    cdef int64_t i, before, stop, width = field.n_classes + 1
    cdef double p = column.sums[level][block * width + search.label], weight
    cdef double t = column.sums[level][block * width + width - 1]
    if not (could_win(search, so_far.p + p, so_far.t + p, floor, best)
            or could_win(search, so_far.known_p - so_far.p, so_far.known_t - so_far.t - t + p, floor, best)):
        so_far.p += p
        so_far.t += t
        return
    i = block << STEP
    if level:
        stop = min(i + (1 << STEP), column.n_blocks[level - 1])
        while i < stop:
            open_block(field, search, at, level - 1, i, floor, so_far, best)
            i += 1
        return
    stop = min(i + (1 << STEP), column.n_places)
    before = i - 1
    while before >= 0 and column.classes[before] < 0:
        before -= 1
    while i < stop:
        if column.classes[i] >= 0:
            if before >= 0 and column.sorted[i] != column.sorted[before]:
                offer_cut(search, at, so_far.p, so_far.t, so_far.known_p, so_far.known_t, column.sorted[before],
                          column.sorted[i], best)
            weight = weight_of(field, column.rows[i])
            so_far.t += weight
            if column.classes[i] == search.label:
                so_far.p += weight
            before = i
        i += 1


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
    if relation == 1:
        p = known_p - p
        t = known_t - t
    if t > 0.0 and t < known_t * NEAR and is_better(search, p, t, best):
        best.column, best.relation, best.p, best.t, best.code = at, relation, p, t, 0


cdef void count_all(const Field* field, const Column* column, int label, Scratch* scratch) noexcept nogil:
    """Weights of every category among all rows still to be covered."""
    cdef const double* counts = column.counts
    cdef double* code_p = scratch.code_p
    cdef double* code_t = scratch.code_t
    cdef int64_t code, k
    for code in range(column.n_codes + 1):
        code_p[code] = counts[label]
        code_t[code] = 0.0
        for k in range(field.n_classes):
            code_t[code] += counts[k]
        counts += field.n_classes


cdef void scan_codes(
    const Search* search, int64_t n_codes, int64_t at,  # IN
    Scratch* scratch, Best* best,  # IN, OUT
) noexcept nogil:
    """The best category, or set of categories, by the weights counted."""
    cdef const double* code_p = scratch.code_p
    cdef const double* code_t = scratch.code_t
    cdef int64_t* ranked = scratch.ranked
    cdef int64_t i, j, code, n_ranked = 0
    cdef double p = 0.0, t = 0.0, whole = search.whole_t * NEAR, least = 1e-9 * search.whole_p
    for code in range(n_codes):
        if code_t[code] >= whole and not search.idle:
            return  # all rows have one category
        if code_p[code] > least and is_better(search, code_p[code], code_t[code], best):
            best.column, best.relation, best.p, best.t, best.code = at, 2, code_p[code], code_t[code], 1
            scratch.kept[0] = code
    if search.own_missing and code_t[n_codes] < whole:
        offer_missing(search, at, code_p[n_codes], code_t[n_codes], best)
    if not search.sets:
        return
    # The best set of k categories has the k with the greatest shares of the class.
    for code in range(n_codes):
        if code_p[code] <= least:
            continue
        j = n_ranked
        while j > 0 and code_p[ranked[j - 1]] * code_t[code] < code_p[code] * code_t[ranked[j - 1]]:
            ranked[j] = ranked[j - 1]
            j -= 1
        ranked[j] = code
        n_ranked += 1
    for i in range(n_ranked):
        p += code_p[ranked[i]]
        t += code_t[ranked[i]]
        if i > 0 and t < whole and is_better(search, p, t, best):
            best.column, best.relation, best.p, best.t, best.code = at, 2, p, t, i + 1
            memcpy(scratch.kept, ranked, (i + 1) * sizeof(int64_t))


cdef void remember(Memory* memory, int label, const Best* best) noexcept nogil:
    if best.relation <= 1:
        memory.cuts[label * REMEMBERED + memory.size[label] % REMEMBERED] = best[0]
        memory.size[label] += 1


cdef void search_all(
    const Field* field, const Search* search, const Memory* memory,  # IN
    Scratch* scratch, Best* best,  # OUT
) noexcept nogil:
    """The best condition among all rows still to be covered."""
    cdef int64_t at, i
    cdef const Best* known
    cdef Best floor
    # what is known at once spares most of the search in numbers
    nothing(&floor)
    for at in range(field.n_columns):
        if field.columns[at].n_codes:
            count_all(field, &field.columns[at], search.label, scratch)
            scan_codes(search, field.columns[at].n_codes, at, scratch, &floor)
    for i in range(min(memory.size[search.label], <int64_t>REMEMBERED)):
        known = &memory.cuts[search.label * REMEMBERED + i]
        offer_known_cut(field, search, known.column, known.relation, known.cut, &floor)
    for at in range(field.n_columns):
        if field.columns[at].n_codes:
            count_all(field, &field.columns[at], search.label, scratch)
            scan_codes(search, field.columns[at].n_codes, at, scratch, best)
        elif field.columns[at].n_left:
            search_places(field, search, at, &floor, best)
