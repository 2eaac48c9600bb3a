# Part of partial.pyx: parts, the nodes that are kept from one rule to the next, with their lists.

# A rule takes few rows away, so most of the next partial tree is the same again. The root and the large nodes near it
# are kept as parts. A part has the lists of its rows, in chunks with sums, and counts of the codes of other columns.
# Rows that leave get no weight, their chunks become stale, and the counts of their codes are lowered: the split of a
# part is then found without reading all of its lists. The branches of a part are kept for every split that it had
# (divisions), since it often returns to one of them.
#
# A row whose value was missing at a split above has a fraction of its weight, and this fraction changes with every
# rule. Sums are therefore kept by group: rows with missing values at the same splits have the same fraction.

cdef enum:
    DEEPEST = 2  # of a part; the root is 0
    CHUNK_ROWS = 64
    PART_ROWS = 512  # fewest of a part, but for the root
    KEPT = 2  # parts and divisions may take this many times the memory of the lists of all rows


cdef double MOST_ERROR = 2.0  # weight


cdef struct Division:  # one split of a part
    Step step
    int n_branches
    Part** parts  # by branch; NULL: not kept
    uint32_t* missing_rows
    int64_t n_missing
    int64_t last_used  # number of the rule
    int64_t size
    Division* next


cdef struct Part:
    Lists lists
    int depth
    int[DEEPEST] lacked  # the column of each split above
    double[1 << DEEPEST] factors  # by group: fraction of a row's weight
    Chunks* chunks  # by sorted list
    int64_t* counts  # codes of all columns x groups x classes; in units of 1 / Work.units
    int64_t* code_rows  # rows by code; those that have left are counted
    int64_t n_left
    bint fresh  # the chunks' shares and factors are set
    int64_t size
    void* lists_memory
    void* memory
    Division* divisions
    Part* above  # NULL: the root
    const Division* division  # of the part above; it is one of its branches
    int branch
    int64_t n_known  # losses that its sums include


# ---- making and freeing --------------------------------------------------------------------------------------------


cdef inline int n_groups(const Part* part) noexcept nogil:
    return 1 << part.depth


cdef inline int group_of(const Work* work, const Part* part, int64_t row) noexcept nogil:
    """The group of a row: one bit for every split above where its value was missing."""
    cdef int group = 0, d
    for d in range(part.depth):
        group |= lacks(&work.columns[part.lacked[d]], row) << d
    return group


cdef inline int64_t in_units(const Work* work, double weight) noexcept nogil:
    return llround(weight * work.units)


cdef int64_t sums_size(const Work* work, const Part* part) noexcept nogil:
    """Memory for what is kept about a part in addition to its lists."""
    cdef int64_t size = work.n_lists * <int64_t>sizeof(Chunks) + 64, n_chunks, n_numbers, cells
    cdef int j, n_classes = work.choices.n_classes
    for j in range(work.row_list):
        n_chunks = part.lists.lengths[j] // work.chunk_rows + 1
        size += n_chunks * <int64_t>sizeof(Chunk)
        n_numbers = n_chunks * ((n_groups(part) + 2) * n_classes + 1) + n_classes + n_groups(part)
        size += n_numbers * <int64_t>sizeof(double)
    cells = work.n_codes * n_groups(part) << work.choices.label_bits
    return size + (cells + work.n_codes) * <int64_t>sizeof(int64_t)


cdef void lay_out_sums(const Work* work, Part* part) noexcept nogil:
    """Lay out what is kept about a part in its memory, which is all zeros."""
    cdef char* place = <char*>part.memory
    cdef Chunks* chunks
    cdef int j, n_classes = work.choices.n_classes
    part.chunks = <Chunks*>place
    place += work.n_lists * sizeof(Chunks)
    for j in range(work.row_list):
        chunks = &part.chunks[j]
        chunks.size = work.chunk_rows
        chunks.n_groups = n_groups(part)
        chunks.n_classes = n_classes
        chunks.n_chunks = part.lists.lengths[j] // work.chunk_rows + 1
        chunks.chunks = <Chunk*>place
        place += chunks.n_chunks * sizeof(Chunk)
        chunks.sums = <double*>place
        chunks.least = chunks.sums + chunks.n_chunks * chunks.n_groups * n_classes
        chunks.most = chunks.least + chunks.n_chunks * n_classes
        chunks.shares = chunks.most + chunks.n_chunks * n_classes
        chunks.factors = chunks.shares + n_classes
        chunks.starts = chunks.factors + chunks.n_groups
        place = <char*>(chunks.starts + chunks.n_chunks)
    part.counts = <int64_t*>place
    part.code_rows = part.counts + (work.n_codes * n_groups(part) << work.choices.label_bits)


cdef void count_codes(Entry* width, Work* work, Part* part) noexcept nogil:
    """Count the codes of a part's rows."""
    cdef const Entry* rows = <const Entry*>part.lists.entries[work.row_list]
    cdef int shift = work.choices.shift, c, code
    cdef int64_t label_mask = (<int64_t>1 << work.choices.label_bits) - 1, i, row, place
    for i in range(part.lists.n_rows):
        row = rows[i] >> shift
        if work.base_weight[row] == 0.0:
            continue
        for c in range(work.n_columns):
            if work.columns[c].kind == SORTED:
                continue
            code = code_of(&work.columns[c], row)
            if code == work.columns[c].n_codes:
                continue
            place = work.first_code[c] + code
            part.code_rows[place] += 1
            place = ((place * n_groups(part) + group_of(work, part, row)) << work.choices.label_bits)
            part.counts[place + ((rows[i] >> 2) & label_mask)] += in_units(work, work.base_weight[row])


cdef void begin_chunks(Entry* width, Work* work, Part* part) noexcept nogil:
    """Divide a part's lists into chunks, whose sums are computed when they are needed."""
    cdef Chunks* chunks
    cdef int j, c
    cdef int64_t i
    part.fresh = False
    for c in range(work.n_columns):
        j = work.columns[c].position
        if work.columns[c].kind != SORTED:
            continue
        chunks = &part.chunks[j]
        chunks.n_entries = part.lists.lengths[j]
        chunks.n_chunks = (chunks.n_entries + chunks.size - 1) // chunks.size
        for i in range(chunks.n_chunks):
            chunks.chunks[i].stale = True
            chunks.starts[i] = work.columns[c].values[
                (<Entry*>part.lists.entries[j])[i * chunks.size] >> work.choices.shift]


cdef int finish_part(Entry* width, Work* work, Part* part) noexcept nogil:
    """Allocate and compute what is kept about a part whose lists are made."""
    cdef int64_t size = sums_size(work, part)
    part.memory = calloc(size, 1)
    if part.memory == NULL:
        return NO_MEMORY
    part.size += size
    part.lists.part = part
    part.n_left = part.lists.n_rows
    lay_out_sums(work, part)
    count_codes(width, work, part)
    begin_chunks(width, work, part)
    return DONE


cdef void free_division(Work* work, Division* division) noexcept nogil:
    cdef int b
    for b in range(division.n_branches):
        free_part(work, division.parts[b])
    work.kept -= division.size
    free(division)


cdef void free_part(Work* work, Part* part) noexcept nogil:
    """Free a part and all below it."""
    cdef Division* division
    if part == NULL:
        return
    while part.divisions != NULL:
        division = part.divisions
        part.divisions = division.next
        free_division(work, division)
    work.kept -= part.size
    free(part.lists_memory)
    free(part.memory)
    free(part)


cdef Division** oldest(Work* work, Part* part, Division** found) noexcept nogil:
    """Where the division is stored that was not used for longest, below a part or `found` already."""
    cdef Division** place = &part.divisions
    cdef int b
    while place[0] != NULL:
        if found == NULL or place[0].last_used < found[0].last_used:
            found = place
        for b in range(place[0].n_branches):
            if place[0].parts[b] != NULL:
                found = oldest(work, place[0].parts[b], found)
        place = &place[0].next
    return found


cdef bint make_room(Work* work, int64_t size) noexcept nogil:
    """Forget divisions until a part of this size may be kept, but none that this rule uses."""
    cdef Division** place
    cdef Division* division
    while work.kept + size > work.most_kept:
        place = oldest(work, work.whole, NULL)
        if place == NULL or place[0].last_used == work.n_rules:
            return False
        division = place[0]
        place[0] = division.next
        free_division(work, division)
    return True


# ---- branches that are parts ---------------------------------------------------------------------------------------


cdef int64_t unmark_gone(Entry* width, Work* work, const Lists* lists) noexcept nogil:
    """Rows without weight do not take a branch; returns the number of rows that do."""
    cdef const Entry* rows = <const Entry*>lists.entries[work.row_list]
    cdef int64_t i, row, n = 0
    for i in range(lists.n_rows):
        row = rows[i] >> work.choices.shift
        work.marked[row] &= work.base_weight[row] > 0.0
        n += work.marked[row]
    return n


cdef void renew(Entry* width, Work* work, Part* part) noexcept nogil:
    """Make the lists of a part again when many of its rows have left."""
    cdef const Entry* rows = <const Entry*>part.lists.entries[work.row_list]
    cdef int64_t i
    if 4 * part.n_left > 3 * part.lists.n_rows:
        return
    for i in range(part.lists.n_rows):
        work.marked[rows[i] >> work.choices.shift] = True
    unmark_gone(width, work, &part.lists)
    pick_lists(width, work, &part.lists, &part.lists)
    part.lists.n_rows = part.lists.lengths[work.row_list]
    begin_chunks(width, work, part)


cdef int open_part(Entry* width, Work* work, Node* node, int branch) noexcept nogil:
    """Let a branch of a part be a part. Returns OPENED, DONE if it is not to be one, or NO_MEMORY."""
    cdef Part* above = node.own_lists.part
    cdef Part* part
    cdef int64_t n, size
    cdef int g
    if above == NULL or above.depth >= DEEPEST:
        return DONE
    part = node.division.parts[branch]
    if part == NULL:
        if node.rows[branch] < work.part_rows or node.share[branch] < LEAST_PART:
            return DONE
        mark_branch(width, work, node.own_lists, node, branch)
        n = unmark_gone(width, work, node.own_lists)
        size = lists_size(width, work, n)
        if n < work.part_rows or not make_room(work, 2 * size):
            return DONE
        part = <Part*>calloc(1, sizeof(Part))
        if part == NULL:
            return NO_MEMORY
        part.lists_memory = hb_take(size)
        if part.lists_memory == NULL:
            free(part)
            return NO_MEMORY
        part.size = size
        part.depth = above.depth + 1
        part.above = above
        part.division = node.division
        part.branch = branch
        part.n_known = work.n_losses
        memcpy(part.lacked, above.lacked, sizeof(above.lacked))
        part.lacked[above.depth] = node.step.column
        part.lists.n_rows = n
        lay_out(width, work, &part.lists, <char*>part.lists_memory)
        pick_lists(width, work, node.own_lists, &part.lists)
        if finish_part(width, work, part) != DONE:
            free(part.lists_memory)
            free(part)
            return NO_MEMORY
        work.kept += part.size
        node.division.parts[branch] = part
    catch_up(work, part)
    renew(width, work, part)
    for g in range(n_groups(part)):
        part.factors[g] = above.factors[g & (n_groups(above) - 1)]
        if g >= n_groups(above):
            part.factors[g] *= node.share[branch]
    part.lists.unit = node.lists[branch].unit
    node.lists[branch] = part.lists
    return OPENED


# ---- rows that leave -----------------------------------------------------------------------------------------------


cdef void lower(Chunks* chunks, double value, double* sum_of_first, double less) noexcept nogil:
    """Lower the weight of a row of this value. `sum_of_first` is the sum of its group and class in the first chunk.

    If the row has left, if it is not certain which chunk it is in, or if the excesses of the chunk are no longer close,
    the chunks that it may be in become stale.
    """
    cdef int64_t low = 0, high = chunks.n_chunks, middle
    cdef bint gone = sum_of_first == NULL
    cdef double* total
    while low < high:  # the first chunk that begins with this value or a greater one
        middle = (low + high) >> 1
        if chunks.starts[middle] < value:
            low = middle + 1
        else:
            high = middle
    gone |= low < chunks.n_chunks and chunks.starts[low] == value
    if low and not gone:
        total = sum_of_first + (low - 1) * chunks.n_groups * chunks.n_classes
        total[0] = max(total[0] - less, 0.0)
        chunks.chunks[low - 1].error += less
        gone = chunks.chunks[low - 1].error > MOST_ERROR
    if low and gone:
        chunks.chunks[low - 1].stale = True
    while low < chunks.n_chunks and chunks.starts[low] == value:
        chunks.chunks[low].stale = True
        low += 1


cdef inline bint is_in_part(const Work* work, const Part* part, int64_t row) noexcept nogil:
    """Whether a row of the table, or a piece of it, belongs to a part."""
    cdef const Column* column
    cdef const Step* step
    cdef int b
    while part.above != NULL:
        step = &part.division.step
        column = &work.columns[step.column]
        if column.kind == SORTED:
            b = -1 if lacks(column, row) else column.values[row] > step.low
        else:
            b = branch_of_code(column, step, code_of(column, row))
        if b >= 0 and b != part.branch:
            return False
        part = part.above
    return True


cdef void catch_up(Work* work, Part* part) noexcept nogil:
    """Account for the losses that a part does not know yet. Parts that are not used need not know them."""
    cdef const Column* column
    cdef const Loss* loss
    cdef Chunks* chunks
    cdef int64_t i, place, less, row
    cdef int c, code, group
    cdef bint gone
    for i in range(part.n_known, work.n_losses):
        loss = &work.losses[i]
        row = loss.row
        if not is_in_part(work, part, row):
            continue
        gone = loss.after == 0.0
        group = group_of(work, part, row)
        less = in_units(work, loss.before) - in_units(work, loss.after)
        part.n_left -= gone
        for c in range(work.n_columns):
            column = &work.columns[c]
            if column.kind == SORTED:
                if column.values[row] == column.values[row]:
                    chunks = &part.chunks[column.position]
                    lower(chunks, column.values[row],
                          NULL if gone else chunks.sums + group * chunks.n_classes + work.labels[row],
                          loss.before - loss.after)
                continue
            code = code_of(column, row)
            if code < column.n_codes:
                place = (work.first_code[c] + code) * n_groups(part) + group
                part.counts[(place << work.choices.label_bits) + work.labels[row]] -= less
    part.n_known = work.n_losses


cdef void update_all(Work* work, Part* part) noexcept nogil:
    """Let a part and all below it catch up, before the losses are forgotten."""
    cdef Division* division = part.divisions
    cdef int b
    catch_up(work, part)
    part.n_known = 0
    while division != NULL:
        for b in range(division.n_branches):
            if division.parts[b] != NULL:
                update_all(work, division.parts[b])
        division = division.next


cdef void keep_loss(Work* work, const Loss* loss) noexcept nogil:
    """Store a loss; there is room for one of every row."""
    if work.n_losses == work.n_table:
        update_all(work, work.whole)
        work.n_losses = 0
    work.losses[work.n_losses] = loss[0]
    work.n_losses += 1
