# A tree over the kept rows that grows with them. Nodes are cut at the middle of the widest column of their rows; rows
# without the value go to a part of their own, which is always looked into. Cuts are in the columns' own units, so that
# ranges may grow without the tree being made anew.

cdef enum:
    LEAF_ROWS = 16
    MOST_ROWS = 64  # of a leaf whose rows could not be parted before it is tried again

cdef struct Node:
    int axis  # -1: a leaf
    double cut
    int64_t child[3]  # below or at the cut, above it, without the value; -1: none
    int64_t* places
    int64_t n_places
    int64_t room
    int64_t full  # how many rows make it part

cdef struct Tree:
    Node* nodes
    int64_t n_nodes
    int64_t room
    double* beyond  # by column: how far the part looked into lies from the row that asks


cdef bint begin_tree(Tree* tree, int p) noexcept nogil:
    """False where memory ran out."""
    tree.nodes = NULL
    tree.n_nodes = tree.room = 0
    tree.beyond = <double*>calloc(p + 1, sizeof(double))
    return tree.beyond != NULL


cdef void end_tree(Tree* tree) noexcept nogil:
    cdef int64_t i
    for i in range(tree.n_nodes):
        free(tree.nodes[i].places)
    free(tree.nodes)
    free(tree.beyond)


cdef int64_t new_node(Tree* tree) noexcept nogil:
    """A leaf without rows; -1 where memory ran out."""
    cdef Node* larger
    cdef Node* node
    if tree.n_nodes == tree.room:
        larger = <Node*>realloc(tree.nodes, (2 * tree.room + 16) * sizeof(Node))
        if larger == NULL:
            return -1
        tree.nodes = larger
        tree.room = 2 * tree.room + 16
    node = &tree.nodes[tree.n_nodes]
    node.axis = -1
    node.places = NULL
    node.n_places = node.room = 0
    node.full = LEAF_ROWS
    node.child[0] = node.child[1] = node.child[2] = -1
    tree.n_nodes += 1
    return tree.n_nodes - 1


cdef bint put_in_leaf(Node* leaf, int64_t place) noexcept nogil:
    cdef int64_t* larger
    if leaf.n_places == leaf.room:
        larger = <int64_t*>realloc(leaf.places, (2 * leaf.room + LEAF_ROWS) * sizeof(int64_t))
        if larger == NULL:
            return False
        leaf.places = larger
        leaf.room = 2 * leaf.room + LEAF_ROWS
    leaf.places[leaf.n_places] = place
    leaf.n_places += 1
    return True


cdef inline int side(const Node* node, double x) noexcept nogil:
    return 2 if x != x else (0 if x <= node.cut else 1)


cdef bint part(Stream* s, Tree* tree, int64_t index) noexcept nogil:
    """Cut a full leaf, where its rows differ in a number."""
    cdef int f, axis = -1, k
    cdef int64_t i, child
    cdef double least, most, x, widest = 0.0, width, cut = 0.0
    cdef Node* node = &tree.nodes[index]
    for f in range(s.p):
        width = s.high[f] - s.low[f]
        if s.nominal[f] or not width > 0.0 or s.weight[f] == 0.0:
            continue
        least, most = INFINITY, -INFINITY
        for i in range(node.n_places):
            x = s.held[node.places[i] * s.p + f]
            if x < least:
                least = x
            if x > most:
                most = x
        if most > least and (most - least) / width > widest:
            widest, axis, cut = (most - least) / width, f, least + (most - least) / 2.0
            if not cut < most:
                cut = least
    if axis < 0:
        node.full = max(2 * node.n_places, <int64_t>MOST_ROWS)
        return True
    for k in range(3):
        child = new_node(tree)
        if child < 0:
            return False
        tree.nodes[index].child[k] = child  # memory may have moved
    node = &tree.nodes[index]
    node.axis, node.cut = axis, cut
    for i in range(node.n_places):
        x = s.held[node.places[i] * s.p + axis]
        if not put_in_leaf(&tree.nodes[node.child[side(node, x)]], node.places[i]):
            return False
    free(node.places)
    node.places = NULL
    node.n_places = node.room = 0
    return True


cdef bint put_in_tree(Stream* s, Tree* tree, int64_t place) noexcept nogil:
    """False where memory ran out."""
    cdef int64_t index = 0
    if tree.n_nodes == 0 and new_node(tree) < 0:
        return False
    while tree.nodes[index].axis >= 0:
        index = tree.nodes[index].child[side(&tree.nodes[index], s.held[place * s.p + tree.nodes[index].axis])]
    if not put_in_leaf(&tree.nodes[index], place):
        return False
    return tree.nodes[index].n_places <= tree.nodes[index].full or part(s, tree, index)


cdef struct Best:
    double least
    int64_t place


cdef void look(Stream* s, const Tree* tree, int64_t index, int64_t row, double bound, Best* best) noexcept nogil:
    """Look into a part all of whose rows are at least `bound` away, but for rounding."""
    cdef const Node* node = &tree.nodes[index]
    cdef int64_t i, place
    cdef double x, d, before
    cdef int k, near
    if node.axis < 0:
        for i in range(node.n_places):
            place = node.places[i]
            d = distance(s, row, s.held + place * s.p, s.weight, best.least)
            if d < best.least or best.place < 0 or (d == best.least and place < best.place):
                best.least, best.place = d, place
        return
    x = s.value[row * s.p + node.axis]
    if x != x:
        for k in range(3):
            look(s, tree, node.child[k], row, bound, best)
        return
    near = side(node, x)
    look(s, tree, node.child[near], row, bound, best)
    d = s.weight[node.axis] * ((x - node.cut) / (s.high[node.axis] - s.low[node.axis]))
    before = tree.beyond[node.axis]
    if (bound - before * before + d * d) * (1.0 - 1e-9) - 1e-12 <= best.least:  # also a tie that rounding hides
        tree.beyond[node.axis] = d
        look(s, tree, node.child[1 - near], row, bound - before * before + d * d, best)
        tree.beyond[node.axis] = before
    look(s, tree, node.child[2], row, bound, best)


cdef int64_t nearest_in_tree(Stream* s, const Tree* tree, int64_t row) noexcept nogil:
    cdef Best best
    best.least, best.place = INFINITY, -1
    if tree.n_nodes:
        look(s, tree, 0, row, 0.0, &best)
    return best.place
