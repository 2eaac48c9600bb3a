# Part of partial.pyx: the lists of a branch, filtered from its node's lists when they are needed.


cdef int64_t pick(const Entry* entries, int64_t n, const uint8_t* marked, int shift, Entry* kept,
                  const double* values, double min_gap) noexcept nogil:
    """Keep the entries of marked rows, in order; returns how many. `kept` may be `entries` itself.

    An entry's two lowest bits are both set if its value is above the previous one by more than min_gap, and both
    clear otherwise. If entries before it were dropped and none of them has the bits set, only the lower bit is set at
    first, and then decided by comparing the values.
    """
    cdef int64_t i, n_kept = 0, row, before
    cdef Entry entry, steps = STEPS, stays, dropped = 0, all_steps = STEPS
    for i in range(n):
        entry = entries[i]
        stays = marked[entry >> shift]
        steps |= (entry & all_steps) | dropped
        kept[n_kept] = (entry & ~all_steps) | steps
        n_kept += <int64_t>stays
        steps &= stays - 1  # cleared after writing, else unchanged
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


cdef void lay_out(Entry* width, const Work* work, Lists* lists, char* memory) noexcept nogil:
    """Lay out lists of a branch's rows, with one extra entry, in memory."""
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
    """Make the lists of a branch.

    The last branch to be examined reuses the node's memory. If memory becomes scarce, the others get their lists at
    once, so that a branch can reuse it earlier: memory in use never exceeds a few times the root's.
    """
    cdef int b, n_waiting = 0
    cdef int64_t size
    cdef int status
    if node.lists[branch].entries != NULL:
        return DONE
    status = open_part(width, work, node, branch)
    if status != DONE:
        return DONE if status == OPENED else status
    for b in range(node.n_branches):
        n_waiting += is_waiting(node, b)
    size = lists_size(width, work, node.rows[branch])
    if (n_waiting and work.stack_size - work.stack_used >= size) or node.own_lists.part != NULL:
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
    """Release the memory of the branch examined last, unless other lists are above it on the stack."""
    cdef int b
    for b in range(node.n_branches):
        if node.state[b] == UNOPENED and node.lists[b].entries != NULL:
            return
    work.stack_used = node.inner_mark


cdef inline int64_t lists_size(Entry* width, const Work* work, int64_t n_rows) noexcept nogil:
    return work.n_lists * (<int64_t>(sizeof(void*) + sizeof(int64_t)) + (n_rows + 1) * <int64_t>sizeof(Entry))


cdef int lists_apart(Entry* width, Work* work, Node* node, int branch) noexcept nogil:
    """Make the lists of a branch in memory separate from the node's."""
    cdef void* memory
    cdef bint lent
    if take_memory(work, lists_size(width, work, node.rows[branch]), &memory, &lent) != DONE:
        return NO_MEMORY
    node.lists[branch].own_memory = not lent
    lay_out(width, work, &node.lists[branch], <char*>memory)
    mark_branch(width, work, node.own_lists, node, branch)
    if node.own_lists.part != NULL:
        node.lists[branch].n_rows = unmark_gone(width, work, node.own_lists)
    pick_lists(width, work, node.own_lists, &node.lists[branch])
    return DONE
