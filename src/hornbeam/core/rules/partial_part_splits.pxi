# Part of partial.pyx: the split of a part, found from its sums.


cdef void refresh(Entry* width, Work* work, Part* part, const Column* column, const double* counts,
                  double weight) noexcept nogil:
    """Compute the sums of a column's stale chunks; of all, if shares and factors have changed much."""
    cdef Chunks* chunks = &part.chunks[column.position]
    cdef const Entry* entries = <const Entry*>part.lists.entries[column.position]
    cdef int k, g, n_classes = work.choices.n_classes
    cdef int64_t c, i, start
    cdef bint all_stale = not part.fresh
    for k in range(n_classes):
        all_stale |= fabs(counts[k] / weight - chunks.shares[k]) * chunks.size > 1.5
    for g in range(1, chunks.n_groups):
        all_stale |= fabs(part.factors[g] - chunks.factors[g]) > 0.2 * chunks.factors[g]
    if all_stale:
        for k in range(n_classes):
            chunks.shares[k] = counts[k] / weight
        memcpy(chunks.factors, part.factors, chunks.n_groups * sizeof(double))
    for c in range(chunks.n_chunks):
        if not all_stale and not chunks.chunks[c].stale:
            continue
        start = c * chunks.size
        for i in range(start, min(start + chunks.size, chunks.n_entries) if part.depth else start):
            work.groups[i - start] = group_of(work, part, entries[i] >> work.choices.shift)
        sum_chunk(entries, chunks, c, column, work.choices, work.base_weight, work.groups if part.depth else NULL,
                  work.scratch.left)


cdef void add_groups(const Work* work, const Part* part, int64_t place, double* sums) noexcept nogil:
    """Add the class weights of a code."""
    cdef const int64_t* counts = part.counts + (place * n_groups(part) << work.choices.label_bits)
    cdef int g, k
    for g in range(n_groups(part)):
        for k in range(work.choices.n_classes):
            sums[k] += part.factors[g] * (counts[(g << work.choices.label_bits) + k] / work.units)


cdef int examine_part(Entry* width, Work* work, Part* part, const double* counts, double weight) noexcept nogil:
    """Search every column of a part, like `examine`."""
    cdef const Column* column
    cdef NodeView view
    cdef int c, code, bits = work.choices.label_bits
    cdef double average
    memset(&view, 0, sizeof(NodeView))
    view.n_rows = part.lists.n_rows
    view.weight = weight
    view.counts = counts
    view.row_weight = work.row_weight
    view.exact = view.only_splits = True
    for c in range(work.n_columns):
        column = &work.columns[c]
        if column.kind == SORTED:
            refresh(width, work, part, column, counts, weight)
            scan_chunks(<const Entry*>part.lists.entries[column.position], &part.chunks[column.position], column,
                        work.choices, &view, part.factors, &work.chunk_sums, &work.scratch, &work.candidates[c])
        else:
            memset(work.scratch.table, 0, (<int64_t>column.n_codes << bits) * sizeof(double))
            for code in range(column.n_codes):
                add_groups(work, part, work.first_code[c] + code, work.scratch.table + (code << bits))
            scan_table(column, work.choices, &view, &work.scratch, &work.candidates[c])
    part.fresh = True
    return choose(work.columns, work.n_columns, work.choices, work.candidates, &average)


cdef double describe_part(Entry* width, const Work* work, const Part* part, int chosen, Step* step) noexcept nogil:
    """Store the split of the chosen candidate, like `describe`; returns the smallest value of the upper branch."""
    cdef const Column* column = &work.columns[chosen]
    cdef const Candidate* candidate = &work.candidates[chosen]
    cdef const Entry* entries
    cdef int64_t i
    cdef int code, k
    cdef double high = 0.0, bag = 0.0
    step.column = chosen
    step.kind = BY_CUTS
    step.category = candidate.code
    step.low = step.cut = 0.0
    if column.kind == NOMINAL:
        step.kind = BY_CODES if work.choices.nominal == MULTIWAY else BY_CODE_SETS
        return 0.0
    if column.kind == SORTED:
        entries = <const Entry*>part.lists.entries[column.position]
        i = candidate.position
        high = column.values[entries[i] >> work.choices.shift]
        i -= 1
        while work.base_weight[entries[i] >> work.choices.shift] == 0.0:
            i -= 1
        step.low = column.values[entries[i] >> work.choices.shift]
    else:
        step.low = column.values[candidate.code]
        for code in range(candidate.code + 1, column.n_codes):  # the next code that occurs here
            bag = 0.0
            memset(work.scratch.left, 0, work.choices.n_classes * sizeof(double))
            add_groups(work, part, work.first_code[chosen] + code, work.scratch.left)
            for k in range(work.choices.n_classes):
                bag += work.scratch.left[k]
            if bag > 0.0:
                high = column.values[code]
                break
    step.cut = middle_of(step.low, high)
    return high


cdef void count_branches_of_part(Entry* width, const Work* work, const Part* part, Node* node) noexcept nogil:
    """Class weights of the branches, from the rows whose value is known; of their rows, upper limits."""
    cdef const Column* column = &work.columns[node.step.column]
    cdef const Entry* entries
    cdef const Chunks* chunks
    cdef int n_classes = work.choices.n_classes, b, g, k
    cdef int64_t label_mask = (<int64_t>1 << work.choices.label_bits) - 1, i, row, c, middle
    memset(node.counts, 0, <int64_t>node.n_branches * n_classes * sizeof(double))
    memset(node.rows, 0, node.n_branches * sizeof(int64_t))
    if column.kind != SORTED:
        for k in range(column.n_codes):
            b = branch_of_code(column, &node.step, k)
            add_groups(work, part, work.first_code[node.step.column] + k, node.counts + b * n_classes)
            node.rows[b] += part.code_rows[work.first_code[node.step.column] + k]
        return
    chunks = &part.chunks[column.position]
    entries = <const Entry*>part.lists.entries[column.position]
    middle = node.position // chunks.size
    for c in range(chunks.n_chunks):
        b = c > middle
        if c == middle:
            for i in range(c * chunks.size, min((c + 1) * chunks.size, chunks.n_entries)):
                row = entries[i] >> work.choices.shift
                node.counts[(i >= node.position) * n_classes + ((entries[i] >> 2) & label_mask)] += work.row_weight[row]
            continue
        for g in range(chunks.n_groups):
            for k in range(n_classes):
                node.counts[b * n_classes + k] += (
                    part.factors[g] * chunks.sums[(c * chunks.n_groups + g) * n_classes + k])
    node.rows[0] = node.position
    node.rows[1] = chunks.n_entries - node.position


cdef Division* division_of(Entry* width, Work* work, Part* part, const Step* step, double high,
                           int n_branches) noexcept nogil:
    """The division of a part by a split, made if there is none yet; NULL if there is not enough memory."""
    cdef const Column* column = &work.columns[step.column]
    cdef const Entry* rows = <const Entry*>part.lists.entries[work.row_list]
    cdef Division* division = part.divisions
    cdef int64_t i, n_missing = 0, size
    while division != NULL:  # if no row is between two cuts, they divide the rows in the same way
        if division.step.column == step.column and (
                step.low <= division.step.low < high if column.kind == SORTED
                else division.step.category == step.category or step.kind == BY_CODES):
            division.last_used = work.n_rules
            return division
        division = division.next
    if work.fractions != NULL:
        for i in range(part.lists.n_rows):
            n_missing += lacks(column, rows[i] >> work.choices.shift)
    size = sizeof(Division) + n_branches * sizeof(Part*) + n_missing * sizeof(uint32_t)
    make_room(work, size)
    division = <Division*>calloc(size, 1)
    if division == NULL:
        return NULL
    work.kept += size
    division.size = size
    division.step = step[0]
    division.n_branches = n_branches
    division.last_used = work.n_rules
    division.parts = <Part**>(division + 1)
    division.missing_rows = <uint32_t*>(division.parts + n_branches)
    division.next = part.divisions
    part.divisions = division
    if n_missing:
        for i in range(part.lists.n_rows):
            if lacks(column, rows[i] >> work.choices.shift):
                division.missing_rows[division.n_missing] = <uint32_t>(rows[i] >> work.choices.shift)
                division.n_missing += 1
    return division
