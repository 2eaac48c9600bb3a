# The tree over the kept rows does not find the nearest row, but only whether the nearest row has the class of the
# current row. One descent finds a row of the class that is near, though perhaps not the nearest; usually no row of
# another class is as near, and nodes with rows of the class need not be searched to know that.

cdef struct Wanted:
    int64_t row  # the query row
    int32_t label  # its class
    bint others  # whether to search rows of other classes, or of its own
    bint first  # whether any nearer row is enough
    bint found
    double least  # the search is for rows nearer than this, or as near and kept before
    int64_t place
    double enough  # slightly more, to allow for rounding


cdef inline void want_nearer(Wanted* wanted, double least, int64_t place) noexcept nogil:
    wanted.least, wanted.place = least, place
    wanted.enough = least * (1.0 + 1e-9) + 1e-12


cdef inline bint may_have(const Node* node, const Wanted* wanted) noexcept nogil:
    """Whether a node may have rows that are searched for; never true for an empty one."""
    if wanted.others:
        return node.least_class < wanted.label or node.most_class > wanted.label
    return node.least_class <= wanted.label and node.most_class >= wanted.label


cdef inline double beyond(const Stream* s, const Tree* tree, int64_t index) noexcept nogil:
    """A lower bound of the distance to a node's rows, up to rounding."""
    cdef const double* low = tree.ranges + 2 * index * tree.width
    cdef const double* x = tree.query
    cdef double total = hb_k_beyond(x, low, low + tree.width, tree.scale, tree.width)
    cdef int i, f
    for i in range(tree.n_nominal):
        f = tree.nominal[i]
        if x[f] != x[f] or (low[f] == low[tree.width + f] and x[f] != low[f]):
            total += tree.differ[f]
    return total


cdef inline void bound_rows(Stream* s, const Tree* tree, const Node* leaf, double enough) noexcept nogil:
    cdef int64_t n_blocks = (leaf.n_rows + HB_K_LANES - 1) // HB_K_LANES
    s.n_compared += leaf.n_rows
    hb_k_near(tree.query, leaf.block, tree.scale, tree.differ, s.p, n_blocks, enough, tree.bound, tree.near)


cdef inline bint is_wanted(const Stream* s, const Wanted* wanted, int64_t place) noexcept nogil:
    return (class_at(s, place) != wanted.label) == wanted.others


cdef inline void compare(const Stream* s, const Tree* tree, Wanted* wanted, int64_t place) noexcept nogil:
    cdef double d = distance(s, wanted.row, tree.held + place * s.p, s.weight, wanted.least)
    if d < wanted.least or (d == wanted.least and place < wanted.place):
        want_nearer(wanted, d, place)
        wanted.found = True


cdef void look_in_leaf(Stream* s, const Tree* tree, const Node* leaf, Wanted* wanted) noexcept nogil:
    cdef int64_t b, i
    cdef int bits
    bound_rows(s, tree, leaf, wanted.enough)
    for b in range((leaf.n_rows + HB_K_LANES - 1) // HB_K_LANES):
        bits, i = tree.near[b], b * HB_K_LANES
        while bits and i < leaf.n_rows:
            if bits & 1 and tree.bound[i] <= wanted.enough and is_wanted(s, wanted, leaf.places[i]):
                compare(s, tree, wanted, leaf.places[i])
            bits >>= 1
            i += 1


cdef void look(Stream* s, const Tree* tree, int64_t index, Wanted* wanted) noexcept nogil:
    """Search a node, nearer children first."""
    cdef const Node* node = &tree.nodes[index]
    cdef double[3] away
    cdef int64_t[3] order
    cdef int64_t child
    cdef int k, at, count = 0
    cdef double d
    if node.axis < 0:
        look_in_leaf(s, tree, node, wanted)
        return
    for child in range(node.child, node.child + PARTS):
        if not may_have(&tree.nodes[child], wanted):
            continue
        d = beyond(s, tree, child)
        if d > wanted.enough:
            continue
        at = count
        while at > 0 and away[at - 1] > d:
            away[at], order[at] = away[at - 1], order[at - 1]
            at -= 1
        away[at], order[at] = d, child
        count += 1
    for k in range(count):
        if away[k] <= wanted.enough and not (wanted.found and wanted.first):
            look(s, tree, order[k], wanted)


cdef void look_on_one_way(Stream* s, const Tree* tree, Wanted* wanted) noexcept nogil:
    """Examine one row only: the nearest of the leaf to which the query row would belong, or of a sibling."""
    cdef int64_t index = 0, child, best, i
    cdef const Node* leaf
    cdef double least
    while tree.nodes[index].axis >= 0:
        best = part_of(s, &tree.nodes[index], tree.query, wanted.label)
        if not may_have(&tree.nodes[best], wanted):
            best = -1
            for child in range(tree.nodes[index].child, tree.nodes[index].child + PARTS):
                if best < 0 and may_have(&tree.nodes[child], wanted):
                    best = child
            if best < 0:
                return
        index = best
    leaf, best, least = &tree.nodes[index], -1, INFINITY
    bound_rows(s, tree, leaf, INFINITY)
    for i in range(leaf.n_rows):
        if tree.bound[i] < least and is_wanted(s, wanted, leaf.places[i]):
            best, least = leaf.places[i], tree.bound[i]
    if best >= 0:
        compare(s, tree, wanted, best)


cdef bint is_there_nearer(Stream* s, const Tree* tree, Wanted* wanted, const Wanted* than) noexcept nogil:
    """Whether there is a matching row nearer than the one found before, or as near and kept before it."""
    want_nearer(wanted, than.least, than.place)
    wanted.found = False
    look(s, tree, 0, wanted)
    return wanted.found


cdef void set_scales(const Stream* s, Tree* tree) noexcept nogil:
    cdef int f
    cdef double width
    for f in range(s.p):
        width = s.high[f] - s.low[f]
        tree.scale[f] = s.weight[f] / width if width > 0.0 and not s.nominal[f] else 0.0


cdef bint predicts_right(Stream* s, Tree* tree, int64_t row) noexcept nogil:
    """Whether the nearest kept row, the first on a tie, has the row's class."""
    cdef Wanted own, other
    if tree.n_nodes == 0:
        return False
    memcpy(tree.query, s.value + row * s.p, s.p * sizeof(double))
    own.row, own.label, own.others, own.first = row, s.target[row], False, False
    other = own
    other.others = other.first = True
    want_nearer(&own, INFINITY, -1)
    look_on_one_way(s, tree, &own)
    if not is_there_nearer(s, tree, &other, &own):  # than one of the class, perhaps not its nearest
        return True
    if not is_there_nearer(s, tree, &own, &other):
        return False
    return not is_there_nearer(s, tree, &other, &own)  # than the nearest of the class
