# A tree over the kept rows that grows with them. A full leaf is cut in the column where its rows are farthest apart:
# numbers at the middle, categories into one and the others; rows without the value go to a part of their own. Every
# part knows the ranges of its rows, in the columns' own units, so that ranges of the columns may grow without the tree
# being made anew. In a leaf, values lie column after column: a lower bound of all distances is found in a few loops,
# and only rows that may be the nearest are compared exactly. A row that is the same as one in the tree stays out of it:
# it can never be the first of the nearest.

cdef enum:
    LEAF_ROWS = 32
    MOST_ROWS = 64  # of a leaf whose rows could not be parted before it is tried again
    PARTS = 3  # of a node: at or below the cut (or equal to it), the others, without the value

cdef struct Node:
    int axis  # -1: a leaf
    bint equal  # whether the first part is that of one category
    double cut
    int64_t child[3]
    int64_t* places
    double* block  # values of the rows, column after column, `room` apart
    double* ranges  # low and high by column; without bounds where a row has no value; of categories, where they differ
    int64_t n_places  # of a leaf; of a node, how many rows are below
    int64_t room
    int64_t full  # how many rows make it part

cdef struct Tree:
    Node* nodes
    int64_t n_nodes
    int64_t room
    double* scale  # by column: what a difference is multiplied with, for the row that asks
    double* bound  # by row of a leaf: lower bounds of distances
    int64_t bound_room


cdef bint begin_tree(Tree* tree, int p) noexcept nogil:
    """False where memory ran out."""
    tree.nodes = NULL
    tree.n_nodes = tree.room = tree.bound_room = 0
    tree.bound = NULL
    tree.scale = <double*>calloc(p + 1, sizeof(double))
    return tree.scale != NULL


cdef void end_tree(Tree* tree) noexcept nogil:
    cdef int64_t i
    for i in range(tree.n_nodes):
        free(tree.nodes[i].places)
        free(tree.nodes[i].block)
        free(tree.nodes[i].ranges)
    free(tree.nodes)
    free(tree.scale)
    free(tree.bound)


cdef int64_t new_node(Tree* tree, int p) noexcept nogil:
    """A leaf without rows; -1 where memory ran out."""
    cdef Node* larger
    cdef Node* node
    cdef int f
    if tree.n_nodes == tree.room:
        larger = <Node*>realloc(tree.nodes, (2 * tree.room + 16) * sizeof(Node))
        if larger == NULL:
            return -1
        tree.nodes = larger
        tree.room = 2 * tree.room + 16
    node = &tree.nodes[tree.n_nodes]
    node.axis = -1
    node.equal = False
    node.places = NULL
    node.block = NULL
    node.n_places = node.room = 0
    node.full = LEAF_ROWS
    node.child[0] = node.child[1] = node.child[2] = -1
    node.ranges = <double*>calloc(2 * p + 1, sizeof(double))
    if node.ranges == NULL:
        return -1
    for f in range(p):
        node.ranges[2 * f], node.ranges[2 * f + 1] = INFINITY, -INFINITY
    tree.n_nodes += 1
    return tree.n_nodes - 1


cdef void widen_node(const Stream* s, Node* node, const double* y) noexcept nogil:
    """Let the ranges of a part take in a row."""
    cdef int f
    for f in range(s.p):
        if y[f] != y[f]:
            node.ranges[2 * f], node.ranges[2 * f + 1] = -INFINITY, INFINITY
            continue
        if y[f] < node.ranges[2 * f]:
            node.ranges[2 * f] = y[f]
        if y[f] > node.ranges[2 * f + 1]:
            node.ranges[2 * f + 1] = y[f]


cdef bint more_room(const Stream* s, Tree* tree, Node* leaf) noexcept nogil:
    """False where memory ran out."""
    cdef int64_t room = 2 * leaf.room + LEAF_ROWS + 1, i
    cdef int f
    cdef int64_t* places = <int64_t*>realloc(leaf.places, room * sizeof(int64_t))
    cdef double* block
    cdef double* bound
    if places == NULL:
        return False
    leaf.places = places
    block = <double*>calloc(room * s.p + 1, sizeof(double))
    if block == NULL:
        return False
    for f in range(s.p):
        for i in range(leaf.n_places):
            block[f * room + i] = leaf.block[f * leaf.room + i]
    free(leaf.block)
    leaf.block, leaf.room = block, room
    if tree.bound_room < room:
        bound = <double*>realloc(tree.bound, room * sizeof(double))
        if bound == NULL:
            return False
        tree.bound, tree.bound_room = bound, room
    return True


cdef bint put_in_leaf(const Stream* s, Tree* tree, Node* leaf, int64_t place) noexcept nogil:
    cdef const double* y = s.held + place * s.p
    cdef int f
    if leaf.n_places == leaf.room and not more_room(s, tree, leaf):
        return False
    widen_node(s, leaf, y)
    for f in range(s.p):
        leaf.block[f * leaf.room + leaf.n_places] = y[f]
    leaf.places[leaf.n_places] = place
    leaf.n_places += 1
    return True


cdef inline int side(const Node* node, double x) noexcept nogil:
    if x != x:
        return 2
    if node.equal:
        return 0 if x == node.cut else 1
    return 0 if x <= node.cut else 1


cdef double even(const double* codes, int64_t n, double* chosen) noexcept nogil:
    """How evenly one category and the others part rows, at best: 1 for halves; the category is noted."""
    cdef int64_t i, j, count
    cdef double best = 0.0, share
    for i in range(n):
        if codes[i] != codes[i]:
            continue
        count = 0
        for j in range(n):
            count += codes[j] == codes[i]
        share = 2.0 * <double>min(count, n - count) / <double>n
        if share > best:
            best, chosen[0] = share, codes[i]
    return best


cdef bint part(Stream* s, Tree* tree, int64_t index) noexcept nogil:
    """Cut a full leaf, where its rows differ."""
    cdef int f, axis = -1, k
    cdef int64_t i, child
    cdef double least, most, x, farthest = 0.0, far, cut = 0.0, code = 0.0
    cdef Node* node = &tree.nodes[index]
    for f in range(s.p):
        if s.weight[f] == 0.0:
            continue
        if s.nominal[f]:
            far = s.weight[f] * even(node.block + f * node.room, node.n_places, &code)
            if far > farthest:
                farthest, axis, cut = far, f, code
            continue
        if not s.high[f] - s.low[f] > 0.0:
            continue
        least, most = INFINITY, -INFINITY
        for i in range(node.n_places):
            x = node.block[f * node.room + i]
            if x < least:
                least = x
            if x > most:
                most = x
        far = 0.5 * s.weight[f] * (most - least) / (s.high[f] - s.low[f])  # on average, from one side to the other
        if most > least and far > farthest:
            farthest, axis, cut = far, f, least + (most - least) / 2.0
            if not cut < most:
                cut = least
    if axis < 0:
        node.full = max(2 * node.n_places, <int64_t>MOST_ROWS)
        return True
    for k in range(PARTS):
        child = new_node(tree, s.p)
        if child < 0:
            return False
        tree.nodes[index].child[k] = child  # memory may have moved
    node = &tree.nodes[index]
    node.axis, node.cut, node.equal = axis, cut, s.nominal[axis]
    for i in range(node.n_places):
        x = s.held[node.places[i] * s.p + axis]
        if not put_in_leaf(s, tree, &tree.nodes[node.child[side(node, x)]], node.places[i]):
            return False
    free(node.places)
    free(node.block)
    node.places, node.block, node.room = NULL, NULL, 0
    return True


cdef bint put_in_tree(Stream* s, Tree* tree, int64_t place) noexcept nogil:
    """False where memory ran out."""
    cdef int64_t index = 0
    cdef const double* y = s.held + place * s.p
    if tree.n_nodes == 0 and new_node(tree, s.p) < 0:
        return False
    while tree.nodes[index].axis >= 0:
        widen_node(s, &tree.nodes[index], y)
        tree.nodes[index].n_places += 1
        index = tree.nodes[index].child[side(&tree.nodes[index], y[tree.nodes[index].axis])]
    if not put_in_leaf(s, tree, &tree.nodes[index], place):
        return False
    return tree.nodes[index].n_places <= tree.nodes[index].full or part(s, tree, index)


cdef struct Best:
    double least
    double enough  # a little more, for what rounding hides
    int64_t place


cdef inline double beyond(const Stream* s, const Tree* tree, const Node* node, const double* x,
                          double enough) noexcept nogil:
    """A lower bound of the distance to a part's rows, but for rounding; given up once it is more than `enough`."""
    cdef double total = 0.0, d
    cdef int f
    for f in range(s.p):
        if s.nominal[f]:
            if x[f] != x[f] or (node.ranges[2 * f] == node.ranges[2 * f + 1] and x[f] != node.ranges[2 * f]):
                total += tree.scale[f] * tree.scale[f]
        elif x[f] < node.ranges[2 * f]:
            d = (node.ranges[2 * f] - x[f]) * tree.scale[f]
            total += d * d
        elif x[f] > node.ranges[2 * f + 1]:
            d = (x[f] - node.ranges[2 * f + 1]) * tree.scale[f]
            total += d * d
        if total > enough:
            return INFINITY
    return total


cdef void look_in_leaf(Stream* s, const Tree* tree, const Node* node, int64_t row, Best* best) noexcept nogil:
    cdef const double* x = s.value + row * s.p
    cdef double* bound = tree.bound
    cdef const double* values
    cdef int64_t i, n = node.n_places, place
    cdef double d, scale, here
    cdef int f
    s.n_compared += n
    for i in range(n):
        bound[i] = 0.0
    for f in range(s.p):
        values, here, scale = node.block + f * node.room, x[f], tree.scale[f]
        if s.nominal[f]:
            d = scale * scale
            for i in range(n):
                bound[i] += d if values[i] != here else 0.0
        elif here == here and node.ranges[2 * f] > -INFINITY:
            hb_d_squares(bound, values, here, scale * scale, n)
        elif here == here:  # some rows have no value
            for i in range(n):
                d = (values[i] - here) * scale
                bound[i] += d * d if d == d else 0.0
    for i in range(n):
        if bound[i] <= best.enough:
            place = node.places[i]
            d = distance(s, row, s.held + place * s.p, s.weight, best.least)
            if d < best.least or best.place < 0 or (d == best.least and place < best.place):
                best.least, best.place = d, place
                best.enough = d * (1.0 + 1e-9) + 1e-12


cdef void look(Stream* s, const Tree* tree, int64_t index, int64_t row, Best* best) noexcept nogil:
    """Look into a part, nearer parts of it first."""
    cdef const Node* node = &tree.nodes[index]
    cdef const double* x = s.value + row * s.p
    cdef double[3] away
    cdef int[3] order
    cdef int k, at, count = 0
    cdef double d
    if node.axis < 0:
        look_in_leaf(s, tree, node, row, best)
        return
    for k in range(PARTS):
        if tree.nodes[node.child[k]].n_places == 0:
            continue
        d = beyond(s, tree, &tree.nodes[node.child[k]], x, best.enough)
        at = count
        while at > 0 and away[at - 1] > d:
            away[at], order[at] = away[at - 1], order[at - 1]
            at -= 1
        away[at], order[at] = d, k
        count += 1
    for k in range(count):
        if away[k] <= best.enough:
            look(s, tree, node.child[order[k]], row, best)


cdef int64_t nearest_in_tree(Stream* s, Tree* tree, int64_t row) noexcept nogil:
    cdef Best best
    cdef int f
    cdef double width
    best.least = best.enough = INFINITY
    best.place = -1
    for f in range(s.p):
        width = s.high[f] - s.low[f]
        tree.scale[f] = s.weight[f] if s.nominal[f] else (s.weight[f] / width if width > 0.0 else 0.0)
    if tree.n_nodes:
        look(s, tree, 0, row, &best)
    return best.place


cdef bint are_same(const Stream* s, const double* x, const double* y) noexcept nogil:
    """Whether two rows have the same known value in every column."""
    cdef int f
    for f in range(s.p):
        if not x[f] == y[f]:
            return False
    return True


cdef bint put_if_new(Stream* s, Tree* tree, int64_t place, int64_t nearest) noexcept nogil:
    """Put a row into the tree, unless it is the same as the nearest one there; False where memory ran out."""
    if nearest >= 0 and are_same(s, s.held + place * s.p, s.held + nearest * s.p):
        return True
    return put_in_tree(s, tree, place)
