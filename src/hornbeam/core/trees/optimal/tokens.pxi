# Part of search.pyx: a tree as a list of nodes, every node before its branches: three numbers each.
#
# The column (-1: a leaf); the code of the last value below the cut, of the category apart, or of the one that missing
# values go with (-1: none); and the branch of missing values.


cdef int push(Problem* s, Node* node, int column, int code, int side) noexcept nogil:
    """Append a node to the tree of a node."""
    if node.n_tokens + 3 > node.room:
        node.room = 2 * node.room + 48
        if not hb_resize(&node.tokens, node.room * sizeof(int32_t)):
            node.room = 0
            s.halt = OUT_OF_MEMORY
            return -1
    node.tokens[node.n_tokens] = column
    node.tokens[node.n_tokens + 1] = code
    node.tokens[node.n_tokens + 2] = side
    node.n_tokens += 3
    return 0


cdef void push_tree(Problem* s, Node* node, const Node* branch) noexcept nogil:
    """Append the tree of a branch."""
    cdef int k
    for k in range(0, branch.n_tokens, 3):
        if push(s, node, branch.tokens[k], branch.tokens[k + 1], branch.tokens[k + 2]):
            return


cdef void push_split(Problem* s, Node* to, const Node* node, int column, int place) noexcept nogil:
    """Append a split of `node`."""
    if s.kind[column] == EACH:
        push(s, to, column, code_of_group(s, node, column, place), 0)
    else:
        push(s, to, column, code_of_group(s, node, column, place // 2), place % 2)


cdef void push_stump(Problem* s, Two* t, Node* node, int32_t wanted) noexcept nogil:
    """Append the best stump of the rows on one side."""
    cdef int g, i, place = 0, column = -1, width = s.width, leaves = 2
    cdef int64_t* total = s.work
    cdef int64_t best = ENDLESS
    cdef Stump[2] found
    for i in range(node.n):  # the rows of the side become side 0
        t.side[i] = t.side[i] != wanted
    memset(total, 0, 2 * width * sizeof(int64_t))
    for i in range(node.n):
        add_row(s, total + t.side[i] * width, node.row[i])
    if total[width - 1] >= s.least:
        best = leaf_cost(s, total)
    for g in range(s.p):
        stumps(s, node, g, t.side, 1, total, found)
        if found[0].value < best:
            best, column, place = found[0].value, g, found[0].place
    if column < 0:
        push(s, node, -1, -1, 0)
        return
    push_split(s, node, node, column, place)
    if s.kind[column] == EACH:
        leaves = branches_there(s, node, column, place, t.side)
    for i in range(leaves):
        push(s, node, -1, -1, 0)


cdef int branches_there(const Problem* s, const Node* node, int column, int place, const int32_t* side) noexcept nogil:
    """The number of categories of the rows on side 0, and missing values if they have a branch of their own."""
    cdef int k, count = 0, before = -2, own
    cdef int64_t base = <int64_t>column * node.n
    for k in range(node.n):
        if side[node.order[base + k]]:
            continue
        own = node.rank[base + node.order[base + k]]
        if own != before and (own >= 0 or s.own_branch or place == node.groups[column]):
            count += 1
        before = own
    return count


cdef void write_tree(Problem* s, Two* t, Node* node, int depth) noexcept nogil:
    """The tree of a node of depth up to two whose best split is known."""
    cdef int b
    node.n_tokens = 0
    if node.column < 0:
        push(s, node, -1, -1, 0)
        return
    push_split(s, node, node, node.column, node.place)
    for b in range(n_branches(s, node, node.column, node.place)):
        if depth == 1:
            push(s, node, -1, -1, 0)
            continue
        fill_branches(s, node, node.column, node.place, t.side)
        push_stump(s, t, node, b)
