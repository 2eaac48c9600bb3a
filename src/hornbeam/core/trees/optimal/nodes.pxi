# Part of search.pyx: the rows of nodes.


cdef int open_node(Node* node, hb_pool* pool, int n, int p) except -1:
    """Take the memory of a node of up to n rows."""
    take_raw_at(&node.row, pool, <int64_t>n * sizeof(int32_t))
    take_raw_at(&node.order, pool, <int64_t>n * p * sizeof(int32_t))
    take_raw_at(&node.rank, pool, <int64_t>n * p * sizeof(int32_t))
    take_at(&node.known, pool, p, sizeof(int32_t))
    take_at(&node.groups, pool, p, sizeof(int32_t))
    return 0


cdef inline int32_t code_of_group(const Problem* s, const Node* node, int column, int group) noexcept nogil:
    """The code of the rows of a group; -1 if there is no such group."""
    cdef int64_t base = <int64_t>column * node.n
    cdef int low = 0, high = node.known[column] - 1, middle
    if group < 0 or group >= node.groups[column]:
        return -1
    while low < high:  # groups rise with the order
        middle = (low + high) // 2
        if node.rank[base + node.order[base + middle]] < group:
            low = middle + 1
        else:
            high = middle
    return s.code[<int64_t>column * s.n + node.row[node.order[base + low]]]


cdef void number_groups(const Problem* s, Node* node, int column) noexcept nogil:
    """Number the groups of equal codes of a column whose order is known."""
    cdef int64_t base = <int64_t>column * node.n
    cdef const int32_t* code = s.code + <int64_t>column * s.n
    cdef const int32_t* order = node.order + base
    cdef int32_t* rank = node.rank + base
    cdef int k, number = -1
    cdef int32_t before = -1, own
    for k in range(node.known[column]):
        own = code[node.row[order[k]]]
        if own != before:
            number += 1
            before = own
        rank[order[k]] = number
    for k in range(node.known[column], node.n):
        rank[order[k]] = -1
    node.groups[column] = number + 1


cdef void weigh_node(const Problem* s, Node* node) noexcept nogil:
    """Compute the cost of a node as a leaf, and its weight."""
    cdef int i
    cdef int64_t* total = s.work
    memset(total, 0, s.width * sizeof(int64_t))
    for i in range(node.n):
        add_row(s, total, node.row[i])
    node.leaf = leaf_cost(s, total)
    node.weight = total[s.width - 1]
    node.value, node.bound = ENDLESS, s.penalty
    node.column, node.place, node.n_tokens = -1, 0, 0


cdef void take_rows(const Problem* s, const Node* parent, Node* child, const int32_t* branch, int32_t wanted,
                    int32_t* number) noexcept nogil:
    """The node of the rows in one branch; `number` is room for a number per row."""
    cdef int i, k, g, n = 0, to
    cdef const int32_t* order
    cdef int32_t* new_order
    for i in range(parent.n):
        if branch[i] == wanted:
            number[i] = n
            child.row[n] = parent.row[i]
            n += 1
    child.n = n
    for g in range(s.p):
        order = parent.order + <int64_t>g * parent.n
        new_order = child.order + <int64_t>g * n
        to = 0
        for k in range(parent.known[g]):
            if branch[order[k]] == wanted:
                new_order[to] = number[order[k]]
                to += 1
        child.known[g] = to
        for k in range(parent.known[g], parent.n):
            if branch[order[k]] == wanted:
                new_order[to] = number[order[k]]
                to += 1
        number_groups(s, child, g)
    weigh_node(s, child)


# The place of a split among those of its column:
# CUT: 2 * group + branch of missing values; the last group against missing values is a split too.
# ONE_APART: the same; the group after the last stands for missing values against the others.
# EACH: the group whose branch missing values take; the group after the last stands for a branch of their own. 0 if
# there are none, or if they always have a branch of their own.


cdef inline int n_missing(const Node* node, int column) noexcept nogil:
    return node.n - node.known[column]


cdef inline int n_branches(const Problem* s, const Node* node, int column, int place) noexcept nogil:
    cdef int groups = node.groups[column]
    if s.kind[column] != EACH:
        return 2
    return groups + ((s.own_branch or place == groups) and n_missing(node, column) > 0)


cdef inline int n_places(const Problem* s, const Node* node, int column) noexcept nogil:
    """A number above all places of a column's splits."""
    cdef bint missing = n_missing(node, column) > 0
    cdef int groups = node.groups[column]
    if s.kind[column] == EACH:
        if missing and not s.own_branch:
            return groups + 1 if groups else 0
        return 1 if groups + missing > 1 else 0
    if s.kind[column] == CUT or groups < 2:
        return 2 * groups if missing else 2 * (groups - 1)
    return 2 * groups + 2


cdef inline bint is_split(const Problem* s, const Node* node, int column, int place) noexcept nogil:
    """Whether there is such a split, and it is not the same as another one."""
    cdef bint missing = n_missing(node, column) > 0
    cdef int group = place // 2, side = place % 2, groups = node.groups[column]
    if s.kind[column] == EACH:
        return place < n_places(s, node, column) and (groups > 1 or place == groups or s.own_branch)
    if group >= groups:  # missing values against the others
        return s.kind[column] == ONE_APART and missing and side == 0 and groups > 1
    if not missing:
        if s.kind[column] == ONE_APART:
            return side == 0 and (groups > 2 or group == 0) and groups > 1
        return side == 0 and group < groups - 1
    if s.own_branch and side == 0:
        return False
    if group == groups - 1 and (s.kind[column] == CUT or groups == 1):
        return side == 1
    return True


cdef void fill_branches(const Problem* s, const Node* node, int column, int place, int32_t* branch) noexcept nogil:
    """The branch of every row of a node, by a split."""
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef int i, group = place // 2, side = place % 2
    if s.kind[column] == EACH:
        for i in range(node.n):
            branch[i] = rank[i] if rank[i] >= 0 else (node.groups[column] if s.own_branch else place)
    elif s.kind[column] == CUT:
        for i in range(node.n):
            branch[i] = side if rank[i] < 0 else rank[i] > group
    elif group >= node.groups[column]:
        for i in range(node.n):
            branch[i] = rank[i] >= 0
    else:
        for i in range(node.n):
            branch[i] = side if rank[i] < 0 else rank[i] != group
