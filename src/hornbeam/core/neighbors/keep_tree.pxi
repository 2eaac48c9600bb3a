# A tree over the kept rows that grows with them. A full leaf with rows of few classes is split by class, so that nodes
# soon have rows of one class only. Other leaves are split in the column with the widest range: numbers at the middle,
# categories into one and the others. Rows with a missing value get their own child. Every node has the ranges of its
# rows in the units of the columns, so that the columns' ranges may grow without a new tree. In a leaf, values are
# stored column by column, eight rows at a time: one loop computes lower bounds of all distances, and only rows that may
# be near enough are compared exactly. A row equal to one in the tree is left out: it can never be the first of the
# nearest.

cdef enum:
    LEAF_ROWS = 32
    MOST_ROWS = 64  # of a leaf that could not be split, before it is tried again
    PARTS = 3  # children of a node: at or below the cut (or equal to it), the others, missing
    FEW_CLASSES = 8  # of a leaf that is split by class

cdef struct Node:
    int axis  # -1: a leaf; the number of columns: split by class
    bint equal  # whether the first child is for one category
    int32_t least_class  # of its rows
    int32_t most_class
    double cut
    int64_t child  # its first child; the others follow
    int64_t n_rows
    int64_t* places  # of a leaf
    double* block  # values of a leaf's rows: eight at a time, column after column
    int64_t room
    int64_t full  # the number of rows at which it is split

cdef struct Tree:
    int p
    double* held  # values of all kept rows, contiguous, duplicates included
    int64_t n_held
    int64_t held_room
    Node* nodes
    double* ranges  # of every node: lows, then highs, by column; unbounded if a row has a missing value
    int64_t n_nodes
    int64_t room
    int n_nominal
    int* nominal  # columns
    int width  # columns of a range, padded
    double* query  # the query row, padded
    double* scale  # by column: factor for a difference of numbers
    double* differ  # what categories add if they differ
    double* bound  # lower bounds of distances to the rows of a leaf
    uint8_t* near  # bits: which of them may be near enough
    int64_t leaf_room  # of these two


cdef bint begin_tree(const Stream* s, Tree* tree) noexcept nogil:
    """Initialize a tree that is all zeros; False if memory runs out."""
    cdef int f
    tree.p = s.p
    tree.width = (s.p + HB_K_COLUMNS - 1) // HB_K_COLUMNS * HB_K_COLUMNS
    tree.nominal = <int*>calloc(s.p + 1, sizeof(int))
    tree.query = <double*>calloc(tree.width + 1, sizeof(double))
    tree.scale = <double*>calloc(tree.width + 1, sizeof(double))
    tree.differ = <double*>calloc(tree.width + 1, sizeof(double))
    if tree.nominal == NULL or tree.query == NULL or tree.scale == NULL or tree.differ == NULL:
        return False
    for f in range(s.p):
        if s.nominal[f]:
            tree.nominal[tree.n_nominal] = f
            tree.n_nominal += 1
            tree.differ[f] = s.weight[f] * s.weight[f]
    return True


cdef void end_tree(Tree* tree) noexcept nogil:
    cdef int64_t i
    for i in range(tree.n_nodes):
        free(tree.nodes[i].places)
        free(tree.nodes[i].block)
    free(tree.held)
    free(tree.nodes)
    free(tree.ranges)
    free(tree.bound)
    free(tree.near)
    free(tree.nominal)
    free(tree.query)
    free(tree.scale)
    free(tree.differ)


cdef int64_t new_nodes(const Stream* s, Tree* tree, int64_t count) noexcept nogil:
    """Add empty leaves; returns the first of them, or -1 if memory runs out."""
    cdef int64_t index, first = tree.n_nodes, room
    cdef Node* node
    cdef double* ranges
    cdef int f
    if first + count > tree.room:
        room = 2 * tree.room + 16
        if (
            not hb_resize(&tree.nodes, room * sizeof(Node))
            or not hb_resize(&tree.ranges, (2 * room * tree.width + 1) * sizeof(double))
        ):
            return -1
        tree.room = room
    for index in range(first, first + count):
        node = &tree.nodes[index]
        node.axis, node.equal, node.child = -1, False, -1
        node.least_class, node.most_class = s.n_classes, -1
        node.places, node.block = NULL, NULL
        node.n_rows, node.room, node.full = 0, 0, LEAF_ROWS
        ranges = tree.ranges + 2 * index * tree.width
        for f in range(tree.width):
            ranges[f] = INFINITY if f < s.p else 0.0
            ranges[tree.width + f] = -INFINITY if f < s.p else 0.0
    tree.n_nodes += count
    return first


cdef inline int32_t class_at(const Stream* s, int64_t place) noexcept nogil:
    return s.target[s.kept[place]]


cdef void widen_node(const Stream* s, Tree* tree, int64_t index, int64_t place) noexcept nogil:
    """Add a row to a node: update its ranges, classes and count."""
    cdef Node* node = &tree.nodes[index]
    cdef const double* y = tree.held + place * s.p
    cdef double* low = tree.ranges + 2 * index * tree.width
    cdef double* high = low + tree.width
    cdef int f
    node.n_rows += 1
    node.least_class = min(node.least_class, class_at(s, place))
    node.most_class = max(node.most_class, class_at(s, place))
    for f in range(s.p):
        if y[f] != y[f]:
            low[f], high[f] = -INFINITY, INFINITY
            continue
        if y[f] < low[f]:
            low[f] = y[f]
        if y[f] > high[f]:
            high[f] = y[f]


cdef bint more_room(const Stream* s, Tree* tree, Node* leaf) noexcept nogil:
    """Make room for more rows in a leaf; False if memory runs out."""
    cdef int64_t room = leaf.room + max(<int64_t>LEAF_ROWS, leaf.room // HB_K_LANES * HB_K_LANES)
    if (
        not hb_resize(&leaf.places, room * sizeof(int64_t))
        or not hb_resize(&leaf.block, (room * s.p + 1) * sizeof(double))
    ):
        return False
    memset(leaf.block + leaf.room * s.p, 0, (room - leaf.room) * s.p * sizeof(double))
    leaf.room = room
    if tree.leaf_room < room:
        if not hb_resize(&tree.bound, room * sizeof(double)) or not hb_resize(&tree.near, room // HB_K_LANES):
            return False
        tree.leaf_room = room
    return True


cdef inline double* in_block(const Stream* s, const Node* leaf, int64_t i, int f) noexcept nogil:
    return leaf.block + (i // HB_K_LANES * s.p + f) * HB_K_LANES + i % HB_K_LANES


cdef bint put_in_leaf(const Stream* s, Tree* tree, int64_t index, int64_t place) noexcept nogil:
    cdef const double* y = tree.held + place * s.p
    cdef Node* leaf = &tree.nodes[index]
    cdef int f
    if leaf.n_rows == leaf.room and not more_room(s, tree, leaf):
        return False
    for f in range(s.p):
        in_block(s, leaf, leaf.n_rows, f)[0] = y[f]
    leaf.places[leaf.n_rows] = place
    widen_node(s, tree, index, place)
    return True


cdef inline int64_t part_of(const Stream* s, const Node* node, const double* y, int32_t label) noexcept nogil:
    """The child of a node to which a row belongs."""
    cdef double x = label if node.axis == s.p else y[node.axis]
    if x != x:
        return node.child + 2
    if node.equal:
        return node.child if x == node.cut else node.child + 1
    return node.child if x <= node.cut else node.child + 1


cdef double even(const Stream* s, const Node* leaf, int f, double* chosen) noexcept nogil:
    """How evenly rows can be divided into one category and the others (1 for halves); stores the category."""
    cdef int64_t i, j, count, n = leaf.n_rows
    cdef double best = 0.0, share, code
    for i in range(n):
        code = in_block(s, leaf, i, f)[0]
        if code != code:
            continue
        count = 0
        for j in range(n):
            count += in_block(s, leaf, j, f)[0] == code
        share = 2.0 * <double>min(count, n - count) / <double>n
        if share > best:
            best, chosen[0] = share, code
    return best


cdef bint of_few_classes(const Stream* s, const Node* leaf) noexcept nogil:
    """Whether a leaf's rows have more than one class, but few."""
    cdef int32_t[FEW_CLASSES] seen
    cdef int n_seen = 0, c
    cdef int64_t i
    for i in range(leaf.n_rows):
        c = 0
        while c < n_seen and seen[c] != class_at(s, leaf.places[i]):
            c += 1
        if c == FEW_CLASSES:
            return False
        if c == n_seen:
            seen[c] = class_at(s, leaf.places[i])
            n_seen += 1
    return n_seen > 1


cdef int choose_axis(const Stream* s, const Tree* tree, int64_t index, double* cut) noexcept nogil:
    """Choose where to cut a leaf; -1 if its rows do not differ."""
    cdef int f, axis = -1
    cdef const Node* node = &tree.nodes[index]
    cdef double least, most, x, farthest = 0.0, far, code = 0.0
    cdef int64_t i
    if of_few_classes(s, node):
        cut[0] = floor((<double>node.least_class + <double>node.most_class) / 2.0)
        return s.p
    for f in range(s.p):
        if s.weight[f] == 0.0:
            continue
        if s.nominal[f]:
            far = s.weight[f] * even(s, node, f, &code)
            if far > farthest:
                farthest, axis, cut[0] = far, f, code
            continue
        if not s.high[f] - s.low[f] > 0.0:
            continue
        least, most = INFINITY, -INFINITY
        for i in range(node.n_rows):
            x = in_block(s, node, i, f)[0]
            if x < least:
                least = x
            if x > most:
                most = x
        far = 0.5 * s.weight[f] * (most - least) / (s.high[f] - s.low[f])  # on average, from one side to the other
        if most > least and far > farthest:
            farthest, axis, cut[0] = far, f, least + (most - least) / 2.0
            if not cut[0] < most:
                cut[0] = least
    return axis


cdef bint part(Stream* s, Tree* tree, int64_t index) noexcept nogil:
    """Split a full leaf if its rows differ; False if memory runs out."""
    cdef double cut = 0.0
    cdef int axis = choose_axis(s, tree, index, &cut)
    cdef int64_t i, child, place
    cdef Node* node = &tree.nodes[index]
    if axis < 0:
        node.full = max(2 * node.n_rows, <int64_t>MOST_ROWS)
        return True
    child = new_nodes(s, tree, PARTS)
    if child < 0:
        return False
    node = &tree.nodes[index]  # memory may have moved
    node.axis, node.cut, node.child = axis, cut, child
    node.equal = axis < s.p and s.nominal[axis]
    for i in range(node.n_rows):
        place = node.places[i]
        child = part_of(s, node, tree.held + place * s.p, class_at(s, place))
        if not put_in_leaf(s, tree, child, place):
            return False
    free(node.places)
    free(node.block)
    node.places, node.block, node.room = NULL, NULL, 0
    return True


cdef bint put_in_tree(Stream* s, Tree* tree, int64_t place) noexcept nogil:
    """Add a row to the tree; False if memory runs out."""
    cdef int64_t index = 0
    if tree.n_nodes == 0 and new_nodes(s, tree, 1) < 0:
        return False
    while tree.nodes[index].axis >= 0:
        widen_node(s, tree, index, place)
        index = part_of(s, &tree.nodes[index], tree.held + place * s.p, class_at(s, place))
    if not put_in_leaf(s, tree, index, place):
        return False
    return tree.nodes[index].n_rows <= tree.nodes[index].full or part(s, tree, index)


cdef bint is_in_tree(const Stream* s, const Tree* tree, int64_t index, int64_t place) noexcept nogil:
    """Whether a row of the tree has the same known value in every column as this one."""
    cdef const Node* node = &tree.nodes[index]
    cdef const double* x = tree.held + place * s.p
    cdef const double* low = tree.ranges + 2 * index * tree.width
    cdef int64_t i
    cdef int f
    for f in range(s.p):
        if not (x[f] >= low[f] and x[f] <= low[tree.width + f]):
            return False
    if node.axis == s.p:
        return is_in_tree(s, tree, node.child, place) or is_in_tree(s, tree, node.child + 1, place)
    if node.axis >= 0:
        return is_in_tree(s, tree, part_of(s, node, x, 0), place)
    for i in range(node.n_rows):
        f = 0
        while f < s.p and x[f] == in_block(s, node, i, f)[0]:
            f += 1
        if f == s.p:
            return True
    return False


cdef bint hold(const Stream* s, Tree* tree, int64_t place) noexcept nogil:
    """Copy the values of the next kept row; False if memory runs out."""
    if place == tree.held_room:
        if not hb_resize(&tree.held, ((2 * place + LEAF_ROWS) * s.p + 1) * sizeof(double)):
            return False
        tree.held_room = 2 * place + LEAF_ROWS
    memcpy(tree.held + place * s.p, s.value + s.kept[place] * s.p, s.p * sizeof(double))
    tree.n_held = place + 1
    return True


cdef bint put_if_new(Stream* s, Tree* tree, int64_t place) noexcept nogil:
    """Add the next kept row to the tree, unless it equals one there; False if memory runs out."""
    if not hold(s, tree, place):
        return False
    if tree.n_nodes and is_in_tree(s, tree, 0, place):
        return True
    return put_in_tree(s, tree, place)
