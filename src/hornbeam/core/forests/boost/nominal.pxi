# Part of boost.pyx: sets of categories, in the order of their gradients.


cdef inline void sort_entries(Scratch* scratch, int64_t n) noexcept nogil:
    """Sort by ascending key; the sort is stable."""
    cdef void* entries = hb_merge_sort(scratch.entries, scratch.spare_entries, n, sizeof(Entry))
    if entries != <void*>scratch.entries:
        memcpy(scratch.entries, entries, n * sizeof(Entry))


cdef int64_t gather_entries(const Job* job, Scratch* scratch, const Node* node, int32_t c, const int64_t* sums,
                            const double* weights) noexcept nogil:
    """List the categories of the node's rows (missing counts as one), in order; returns how many."""
    cdef const Column* column = &job.columns[c]
    cdef int64_t n = 0, i, n_codes = codes_of(column)
    cdef const uint32_t* rows = job.rows + node.begin
    cdef int32_t code
    cdef Entry* entry
    if column.wide == NULL or node.n_rows > n_codes:
        for code in range(n_codes):
            if sums[code] != 0:
                scratch.touched[n] = code
                n += 1
    else:  # few rows: only their codes are visited, not all codes
        for i in range(node.n_rows):
            code = column.wide[rows[i]]
            if scratch.wide_sums[code] != 0:
                scratch.entries[n].code = code
                scratch.entries[n].sum = scratch.wide_sums[code]
                scratch.entries[n].key = <double>code
                scratch.wide_sums[code] = 0
                n += 1
        sort_entries(scratch, n)
        for i in range(n):
            scratch.touched[i] = scratch.entries[i].code
            scratch.wide_sums[scratch.entries[i].code] = scratch.entries[i].sum
    for i in range(n):
        entry = &scratch.entries[i]
        entry.code = scratch.touched[i]
        entry.sum = sums[entry.code]
        entry.weight = 0.0 if weights == NULL else weights[entry.code]
        entry.key = <double>gradient_of(entry.sum) / (<double>curve_of(entry.sum) + job.nominal_smoothing)
    sort_entries(scratch, n)
    return n


cdef double search_nominal(const Job* job, Scratch* scratch, const Node* node, int32_t c, const int64_t* sums,
                           const double* weights, double parent, Split* best) noexcept nogil:
    """Search splits of categories ordered by gradient: those before a position against those after it.

    The order is fitted to the same rows that score the split, so every additional category is charged a penalty.
    """
    cdef int64_t n = gather_entries(job, scratch, node, c, sums, weights), i, place = -1
    cdef int64_t running = 0, first = 0
    cdef double weight = 0.0, gain, top = 0.0
    cdef double charge = job.category_charge * <double>(n - 2)
    for i in range(n - 1):
        running += scratch.entries[i].sum
        weight += scratch.entries[i].weight
        if not heavy_enough(job, node, running, weight, weights != NULL):
            continue
        gain = worth_of_cut(job, node, running, 0) - parent - charge
        top = max(top, gain)
        if takes_over(gain, c, best):
            place = i
            first = running
            set_cut(best, gain, c, 0, 1, running)
    if place >= 0:
        choose_set(job, scratch, node, c, n, place, first, best)
    return top


cdef void choose_set(const Job* job, Scratch* scratch, const Node* node, int32_t c, int64_t n, int64_t place,
                     int64_t first, Split* best) noexcept nogil:
    """List the categories of the lighter side as the first branch, so that categories absent here take the other.

    A side with only missing values has no categories to list.
    """
    cdef bint turned = 2 * curve_of(first) > curve_of(node.total)
    cdef int64_t i
    cdef int32_t code, absent = job.columns[c].n_codes
    if not turned and place == 0 and scratch.entries[0].code == absent:
        turned = True
    elif turned and place == n - 2 and scratch.entries[n - 1].code == absent:
        turned = False
    memset(best.codes, 0, SET_WORDS * sizeof(uint64_t))
    best.missing = 1
    best.cut = <int32_t>place if not turned else -1 - <int32_t>place
    best.first_sum = node.total - first if turned else first
    for i in range(n):
        if (i <= place) == turned:
            continue
        code = scratch.entries[i].code
        if code == absent:
            best.missing = 0
        elif job.columns[c].wide == NULL:
            best.codes[code >> 6] |= <uint64_t>1 << (code & 63)


cdef int name_wide_set(const Job* job, Scratch* scratch, Node* node) noexcept nogil:
    """Find the branch of every code of a wide column, reading the node's rows again; returns 1 if memory runs out."""
    cdef int32_t c = node.split.column
    cdef const Column* column = &job.columns[c]
    cdef int64_t n, i
    cdef bint turned = node.split.cut < 0
    cdef int64_t place = -1 - node.split.cut if turned else node.split.cut
    node.wide_side = <uint8_t*>malloc(codes_of(column))
    if node.wide_side == NULL:
        return 1
    if not column.nominal:
        for i in range(codes_of(column)):
            node.wide_side[i] = i > node.split.cut if i < column.n_codes else node.split.missing
        return 0
    memset(node.wide_side, 1, codes_of(column))
    sum_wide(job, scratch, node, c)
    n = gather_entries(job, scratch, node, c, scratch.wide_sums, NULL)
    for i in range(n):
        if (i <= place) != turned:
            node.wide_side[scratch.entries[i].code] = 0
    clear_wide(job, scratch, node, c)
    return 0
