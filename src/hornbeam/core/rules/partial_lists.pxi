# Part of partial.pyx: the lists of a branch, picked from its node's when they are needed.


cdef int64_t pick(const Entry* entries, int64_t n, const uint8_t* marked, int shift, Entry* kept,
                  const double* values, double min_gap) noexcept nogil:
    """Keep the entries of marked rows, in order; give how many. `kept` may be `entries` itself.

    An entry's two lowest bits are both set where its value is above the one before it by more than min_gap, and both
    clear otherwise. Where entries before it were dropped and none of them says so, the lower one alone is set first,
    and then settled by the values themselves.
    """
    cdef int64_t i, n_kept = 0, row, before
    cdef Entry entry, steps = STEPS, stays, dropped = 0, all_steps = STEPS
    for i in range(n):
        entry = entries[i]
        stays = marked[entry >> shift]
        steps |= (entry & all_steps) | dropped
        kept[n_kept] = (entry & ~all_steps) | steps
        n_kept += <int64_t>stays
        steps &= stays - 1  # nothing once written, all otherwise
        dropped = 1 - stays
    if values == NULL or n_kept == n:
        return n_kept
    for i in range(1, n_kept):
        entry = kept[i] & all_steps
        if entry == 1:
            row = kept[i] >> shift
            before = kept[i - 1] >> shift
            kept[i] &= ~all_steps
            if values[before] + min_gap < values[row]:
                kept[i] |= all_steps
    return n_kept


cdef void pick_lists(Entry* width, Work* work, const Lists* lists, Lists* kept) noexcept nogil:
    """Keep the marked rows of all lists."""
    cdef int c, c_list
    kept.lengths[work.row_list] = pick(<const Entry*>lists.entries[work.row_list], lists.lengths[work.row_list],
                                       work.marked, work.choices.shift, <Entry*>kept.entries[work.row_list], NULL, 0.0)
    for c in range(work.n_columns):
        if work.columns[c].kind == SORTED:
            c_list = work.columns[c].position
            kept.lengths[c_list] = pick(<const Entry*>lists.entries[c_list], lists.lengths[c_list], work.marked,
                                        work.choices.shift, <Entry*>kept.entries[c_list], work.columns[c].values,
                                        work.choices.min_gap)


# ---- few rows taken out of the lists of all that are left -----------------------------------------------------------

cdef enum:
    FEWER = 32  # times fewer rows may go than there are, for it to be worth finding each
    MOST_TIES = 64  # equal values among which a row is looked for


cdef int64_t place_of(const Entry* entries, int64_t n, const double* values, int shift, uint32_t row) noexcept nogil:
    """Where a row is in a list, sorted by value, or by row where these are NULL; -1: too many values are equal."""
    cdef int64_t low = 0, high = n, middle
    cdef bint before
    while low < high:
        middle = (low + high) >> 1
        if values == NULL:
            before = <uint32_t>(entries[middle] >> shift) < row
        else:
            before = values[entries[middle] >> shift] < values[row]
        if before:
            low = middle + 1
        else:
            high = middle
    for middle in range(low, min(low + MOST_TIES, n)):
        if <uint32_t>(entries[middle] >> shift) == row:
            return middle
    return -1


cdef int by_number(const void* one, const void* other) noexcept nogil:
    cdef int64_t a = (<const int64_t*>one)[0], b = (<const int64_t*>other)[0]
    return (a > b) - (a < b)


cdef int64_t cut_out(Entry* entries, int64_t n, const int64_t* places, int64_t n_places, int shift,
                     const double* values, double min_gap) noexcept nogil:
    """Take entries out of a list, in place, and give how many are left: what `pick` does, for a few rising places."""
    cdef int64_t j, start, end, kept
    cdef Entry steps = 0, entry, all_steps = STEPS
    if n_places == 0:
        return n
    kept = places[0]
    for j in range(n_places):
        steps |= entries[places[j]] & all_steps
        start = places[j] + 1
        end = places[j + 1] if j + 1 < n_places else n
        if start == end:
            continue
        entry = entries[start]
        steps |= (entry & all_steps) | 1
        memmove(entries + kept, entries + start, (end - start) * sizeof(Entry))
        if kept == 0:
            steps = all_steps
        elif steps == 1 and values != NULL:
            steps = all_steps if values[entries[kept - 1] >> shift] + min_gap < values[entry >> shift] else 0
        entries[kept] = (entry & ~all_steps) | steps
        kept += end - start
        steps = 0
    return kept


cdef bint drop_from(Entry* width, Work* work, int c_list, const double* values, int64_t n_gone) noexcept nogil:
    """Take the first `n_gone` of the covered rows out of a list; False where one could not be found."""
    cdef Entry* entries = <Entry*>work.root.entries[c_list]
    cdef int64_t i, n = work.root.lengths[c_list], found = 0, place
    for i in range(n_gone):
        if values != NULL and values[work.rows[i]] != values[work.rows[i]]:
            continue
        place = place_of(entries, n, values, work.choices.shift, work.rows[i])
        if place < 0:
            return False
        work.places[found] = place
        found += 1
    qsort(work.places, found, sizeof(int64_t), by_number)
    work.root.lengths[c_list] = cut_out(entries, n, work.places, found, work.choices.shift, values,
                                        work.choices.min_gap)
    return True


cdef void drop_rows(Entry* width, Work* work, int64_t n_gone) noexcept nogil:
    """Take the first `n_gone` of the covered rows, which are not marked, out of the lists of the rows left."""
    cdef Lists* root = &work.root
    cdef const Column* column
    cdef int c
    cdef int64_t n
    if n_gone * FEWER > root.n_rows:
        pick_lists(width, work, root, root)
        return
    for c in range(work.n_columns):
        column = &work.columns[c]
        if column.kind == SORTED and not drop_from(width, work, column.position, column.values, n_gone):
            n = root.lengths[column.position]
            root.lengths[column.position] = pick(
                <const Entry*>root.entries[column.position], n, work.marked, work.choices.shift,
                <Entry*>root.entries[column.position], column.values, work.choices.min_gap)
    drop_from(width, work, work.row_list, NULL, n_gone)


cdef void lay_out(Entry* width, const Work* work, Lists* lists, char* memory) noexcept nogil:
    """Put lists of a branch's rows, and one entry more, into memory."""
    cdef int j
    cdef int64_t head = work.n_lists * <int64_t>(sizeof(void*) + sizeof(int64_t))
    lists.entries = <void**>memory
    lists.lengths = <int64_t*>(memory + work.n_lists * sizeof(void*))
    for j in range(work.n_lists):
        lists.entries[j] = memory + head + j * (lists.n_rows + 1) * <int64_t>sizeof(Entry)


cdef inline bint is_waiting(const Node* node, int b) noexcept nogil:
    """Whether a branch may still need the node's lists."""
    return node.state[b] == UNOPENED and node.goes_on[b] and node.lists[b].entries == NULL


cdef int open_lists(Entry* width, Work* work, Node* node, int branch) noexcept nogil:
    """Give a branch its lists.

    The last branch to be looked at takes over the node's memory. Where memory becomes scarce, the others are given
    their lists at once, so that a branch may do so before: what is in use never exceeds a few times the root's.
    """
    cdef int b, n_waiting = 0
    cdef int64_t size
    cdef bint at_root = node.own_lists == &work.root
    if node.lists[branch].entries != NULL:
        return DONE
    for b in range(node.n_branches):
        n_waiting += is_waiting(node, b)
    size = lists_size(width, work, node.rows[branch])
    if (n_waiting and work.stack_size - work.stack_used >= size) or at_root:
        return lists_apart(width, work, node, branch)
    for b in range(node.n_branches):
        if is_waiting(node, b):
            if lists_apart(width, work, node, b) != DONE:
                return NO_MEMORY
    mark_branch(width, work, node.own_lists, node, branch)
    node.lists[branch].entries = node.own_lists.entries
    node.lists[branch].lengths = node.own_lists.lengths
    pick_lists(width, work, node.own_lists, &node.lists[branch])
    return DONE


cdef void release_last(Work* work, const Node* node) noexcept nogil:
    """Give back what the branch looked at last was lent, unless others' lists lie above it."""
    cdef int b
    for b in range(node.n_branches):
        if node.state[b] == UNOPENED and node.lists[b].entries != NULL:
            return
    work.stack_used = node.inner_mark


cdef inline int64_t lists_size(Entry* width, const Work* work, int64_t n_rows) noexcept nogil:
    return work.n_lists * (<int64_t>(sizeof(void*) + sizeof(int64_t)) + (n_rows + 1) * <int64_t>sizeof(Entry))


cdef int lists_apart(Entry* width, Work* work, Node* node, int branch) noexcept nogil:
    """Lists of a branch in memory apart from the node's."""
    cdef void* memory
    cdef bint lent
    if take_memory(work, lists_size(width, work, node.rows[branch]), &memory, &lent) != DONE:
        return NO_MEMORY
    node.lists[branch].own_memory = not lent
    lay_out(width, work, &node.lists[branch], <char*>memory)
    mark_branch(width, work, node.own_lists, node, branch)
    pick_lists(width, work, node.own_lists, &node.lists[branch])
    return DONE
