# A forest prepared for blocks of rows. There is a version for numbers of 32 bits and one for 64 bits; each is made when
# it is first needed.
#
# A row is stored in slots: slot 0 is always missing, then come the numbers that some tree uses, then the codes. A tree
# with few leaves becomes bits (bits.h), and one with many leaves becomes steps. If the sets of categories of a tree
# would take too much memory as bits, the tree stays as it is, and rows walk it node by node.

cdef enum Way:
    BY_BITS = 0
    BY_STEPS = 1
    BY_NODES = 2

cdef enum:
    NARROW = 16  # bytes of a vector
    LEAVES_A_BYTE = 8  # per byte of a vector: trees with at most this many leaves become bits (measured)
    LINE_BYTES = 64  # of memory, fetched together
    MOST_LINE = 4  # pairs of siblings in a line
    SET_WORDS_A_NODE = 64  # a tree whose sets take more words than this, on average over its nodes, stays as it is

cdef enum:  # low bits of a link: the slot; the next: do missing values go second; the rest: the first child
    SLOT_BITS32 = 8
    SLOT_BITS64 = 31

ctypedef struct Step32:
    Slot32 cut  # at a leaf: its number, counted from the left; at a test of categories: where their bits begin
    uint32_t link  # of a leaf: to itself

ctypedef struct Step64:
    Slot64 cut
    uint64_t link

cdef struct Visit:  # a node whose children need positions
    int64_t node
    int64_t n_leaves  # below it

cdef struct Parts32:  # the packed forest, and the slots of the current rows
    Test32* tests
    SetTest32* set_tests
    uint32_t* sets  # bits of codes, for every test of categories
    Step32* steps
    Slot32* columns  # blocks x slots x BLOCK_ROWS
    Slot32* lowered  # the same with missing values replaced by the lowest number
    Slot32** column  # blocks x (2 x slots): where each column of a block is, as it is and lowered
    Slot32* rows  # rows x slots

cdef struct Parts64:
    Test64* tests
    SetTest64* set_tests
    uint64_t* sets
    Step64* steps
    Slot64* columns
    Slot64* lowered
    Slot64** column
    Slot64* rows

ctypedef fused parts:
    Parts32
    Parts64


cdef struct Pack:
    hb_pool pool  # memory that is freed with this pack
    bint made
    int64_t n_slots
    int64_t first_set_slot  # slots from here on hold codes
    int32_t* feature_of  # by slot
    int32_t* n_categories  # by slot; the number of codes, which is also the code of a missing value
    int8_t* way  # by tree
    bint any_bits
    bint any_steps
    int64_t* first_word  # by tree and one more
    Word* words  # and one more
    int64_t* first_step  # by tree and one more
    int32_t* sure_steps  # by tree: how many steps most rows take


cdef struct View:  # the original arrays, and what both packs share
    int64_t n_features
    int64_t n_trees
    const int64_t* roots
    const int32_t* feature
    const double* cut
    const int32_t* first_child
    const int8_t* missing
    const int64_t* set_start
    const int32_t* codes
    const int32_t* n_categories  # by feature; -1 if it is cut like a number
    const float* value
    const int32_t* output  # by tree; NULL if every tree predicts all outputs
    int64_t n_values
    int64_t n_outputs
    int64_t* first_leaf  # by tree and one more
    int32_t* leaf_node  # by leaf
    float* leaf_value  # by leaf, n_values each
    int32_t* place  # by node: the first leaf below it, counted from the left in its tree
    int width  # bytes of a vector; 0: none
    int64_t most_leaves  # maximum leaves of a tree that becomes bits; -1: choose the fastest
    bint short_cuts  # every cut fits in a float32
    bint short_links  # links and codes fit 32 bits


cdef void number_leaves(View* view) noexcept nogil:
    """Count leaves from the left: children come after their parents, so one pass up and one pass down each tree."""
    cdef int64_t tree, node, first, leaf, k
    view.first_leaf[0] = 0
    for tree in range(view.n_trees):
        for node in range(view.roots[tree + 1] - 1, view.roots[tree] - 1, -1):
            first = view.first_child[node]
            view.place[node] = 1 if first < 0 else view.place[first] + view.place[first + 1]
        view.first_leaf[tree + 1] = view.first_leaf[tree] + view.place[view.roots[tree]]
        view.place[view.roots[tree]] = 0
        for node in range(view.roots[tree], view.roots[tree + 1]):
            first = view.first_child[node]
            if first < 0:
                leaf = view.first_leaf[tree] + view.place[node]
                view.leaf_node[leaf] = <int32_t>node
                for k in range(view.n_values):
                    view.leaf_value[leaf * view.n_values + k] = view.value[node * view.n_values + k]
            else:
                view.place[first + 1] = view.place[node] + view.place[first]
                view.place[first] = view.place[node]


cdef int64_t set_words(const View* view, int64_t node, int n_bits) noexcept nogil:
    """Words of bits that a node's set takes, with a bit for missing values; 0 if it does not test categories."""
    if view.first_child[node] < 0 or view.n_categories[view.feature[node]] < 0:
        return 0
    return view.n_categories[view.feature[node]] // n_bits + 1


cdef float short_cut(double cut) noexcept nogil:
    """The greatest float32 that is not greater: the cut with which float32 values are compared."""
    cdef float near = <float>cut
    return nextafterf(near, -INFINITY) if <double>near > cut else near


cdef int64_t words_spanned(const View* view, int64_t node, int n_bits) noexcept nogil:
    """Words that contain the leaves of a node's first branch."""
    cdef int64_t first = view.place[view.first_child[node]], stop = view.place[view.first_child[node] + 1]
    return (stop - 1) // n_bits - first // n_bits + 1


cdef int lay_out(const View* view, Pack* pack, parts* own) except -1:
    """Choose the method for each tree, and allocate memory."""
    cdef int64_t tree, node, leaves, words, n_words = 0, n_tests = 0, n_set_tests = 0, n_steps = 0, n_sets = 0
    cdef int n_bits = 8 * sizeof(own.sets[0])
    cdef int64_t line_steps = LINE_BYTES // sizeof(own.steps[0])
    cdef int64_t most = view.most_leaves
    if most < 0:  # with more leaves, walking is faster, since it needs far fewer tests
        most = view.width * LEAVES_A_BYTE
    pack.feature_of = <int32_t*>take(&pack.pool, view.n_features, sizeof(int32_t))
    pack.n_categories = <int32_t*>take(&pack.pool, view.n_features, sizeof(int32_t))
    pack.way = <int8_t*>take(&pack.pool, view.n_trees, 1)
    pack.first_word = <int64_t*>take(&pack.pool, view.n_trees, sizeof(int64_t))
    pack.first_step = <int64_t*>take(&pack.pool, view.n_trees, sizeof(int64_t))
    pack.sure_steps = <int32_t*>take(&pack.pool, view.n_trees, sizeof(int32_t))
    for tree in range(view.n_trees):
        leaves = view.first_leaf[tree + 1] - view.first_leaf[tree]
        words = 0
        for node in range(view.roots[tree], view.roots[tree + 1]):
            words += set_words(view, node, n_bits)
        pack.first_word[tree] = n_words
        pack.first_step[tree] = n_steps
        if words > SET_WORDS_A_NODE * (view.roots[tree + 1] - view.roots[tree]):
            pack.way[tree] = BY_NODES
            continue
        n_sets += words
        # narrow vectors have no per-lane shifts, so sets take too long there
        if leaves > most or (words and view.width <= NARROW and view.most_leaves < 0):
            pack.way[tree] = BY_STEPS
            pack.any_steps = True
            while leaves > 1:
                pack.sure_steps[tree] += 1
                leaves >>= 1
            # the root has no sibling, and every tree begins a line of memory
            n_steps += (view.roots[tree + 1] - view.roots[tree] + 1 + line_steps - 1) // line_steps * line_steps
            continue
        pack.way[tree] = BY_BITS
        pack.any_bits = True
        n_words += (leaves + n_bits - 1) // n_bits
        for node in range(view.roots[tree], view.roots[tree + 1]):
            if view.first_child[node] >= 0:
                if view.n_categories[view.feature[node]] < 0:
                    n_tests += words_spanned(view, node, n_bits)
                else:
                    n_set_tests += words_spanned(view, node, n_bits)
    pack.first_word[view.n_trees] = n_words
    pack.first_step[view.n_trees] = n_steps
    pack.words = <Word*>take(&pack.pool, n_words, sizeof(Word))
    take_at(&own.tests, &pack.pool, n_tests, sizeof(own.tests[0]))
    take_at(&own.set_tests, &pack.pool, n_set_tests, sizeof(own.set_tests[0]))
    take_at(&own.sets, &pack.pool, n_sets, sizeof(own.sets[0]))
    take_raw_at(&own.steps, &pack.pool, (n_steps + 1) * sizeof(own.steps[0]))
    return 0


cdef void find_slots(const View* view, Pack* pack, int32_t* slot_of) noexcept nogil:
    """Assign slots to the features that are used: numbers first, then categories."""
    cdef int64_t node, feature
    cdef int by_code
    for node in range(view.roots[view.n_trees]):
        if view.first_child[node] >= 0:
            slot_of[view.feature[node]] = -1
    pack.n_slots = 1
    for by_code in range(2):
        pack.first_set_slot = pack.n_slots
        for feature in range(view.n_features):
            if slot_of[feature] < 0 and (view.n_categories[feature] >= 0) == by_code:
                slot_of[feature] = <int32_t>pack.n_slots
                pack.feature_of[pack.n_slots] = <int32_t>feature
                pack.n_categories[pack.n_slots] = view.n_categories[feature]
                pack.n_slots += 1


cdef void pack_set(const View* view, int64_t node, int64_t place, parts* own) noexcept nogil:
    """Set a bit for every code that takes the first branch; the bit after them is for missing values."""
    cdef int64_t n_bits = 8 * sizeof(own.sets[0]), code, i
    for i in range(view.set_start[node], view.set_start[node + 1]):
        code = view.codes[i]
        own.sets[place + code // n_bits] |= <uint64_t>1 << (code % n_bits)
    if view.missing[node] == 0:
        code = view.n_categories[view.feature[node]]
        own.sets[place + code // n_bits] |= <uint64_t>1 << (code % n_bits)


cdef uint64_t mask_of(int64_t first, int64_t stop, int64_t n_bits) noexcept nogil:
    """All bits of a word except those of the leaves from `first` to `stop`, which may be outside the word."""
    cdef uint64_t below_stop = ~<uint64_t>0 if stop >= n_bits else (<uint64_t>1 << stop) - 1
    return ~(below_stop & ~((<uint64_t>1 << max(first, <int64_t>0)) - 1))


cdef void pack_bits(
    const View* view, Pack* pack, int64_t tree, const int32_t* slot_of,  # IN
    int64_t* n_tests, int64_t* n_set_tests, int64_t* n_sets,  # IN/OUT: how many exist so far
    parts* own,  # OUT
) noexcept nogil:
    """Store the tests of a tree, word by word."""
    cdef int64_t n_bits = 8 * sizeof(own.sets[0]), w, node, first, stop, root = view.roots[tree], size, place
    cdef int64_t n_words = pack.first_word[tree + 1] - pack.first_word[tree]
    for w in range(n_words):
        pack.words[pack.first_word[tree] + w].test = n_tests[0]
        pack.words[pack.first_word[tree] + w].set_test = n_set_tests[0]
        place = n_sets[0]
        for node in range(root, view.roots[tree + 1]):
            if view.first_child[node] < 0:
                continue
            first = view.place[view.first_child[node]] - w * n_bits
            stop = view.place[view.first_child[node] + 1] - w * n_bits
            size = set_words(view, node, <int>n_bits)
            if size and first < n_bits and stop > 0:
                own.set_tests[n_set_tests[0]].mask = mask_of(first, stop, n_bits)
                own.set_tests[n_set_tests[0]].column = slot_of[view.feature[node]]
                own.set_tests[n_set_tests[0]].n_words = <int32_t>size
                own.set_tests[n_set_tests[0]].set = place
                n_set_tests[0] += 1
            elif first < n_bits and stop > 0:
                own.tests[n_tests[0]].mask = mask_of(first, stop, n_bits)
                own.tests[n_tests[0]].cut = short_cut(view.cut[node]) if parts is Parts32 else view.cut[node]
                # columns with missing values replaced by the lowest number come after the original ones
                own.tests[n_tests[0]].column = slot_of[view.feature[node]]
                if view.missing[node] == 0:
                    own.tests[n_tests[0]].column += pack.n_slots
                n_tests[0] += 1
            place += size
    for node in range(root, view.roots[tree + 1]):
        size = set_words(view, node, <int>n_bits)
        if size:
            pack_set(view, node, n_sets[0], own)
            n_sets[0] += size


cdef void order_steps(const View* view, int64_t tree, int line, Visit* pending, int32_t* spot) noexcept nogil:
    """Order the nodes in pairs of siblings; a line of memory also holds descendants with the most leaves below them.

    A row then reads few lines on its path through a large tree. `line` is the number of pairs per line.
    """
    cdef int64_t root = view.roots[tree], n_pending = view.first_child[root] >= 0, n_pairs = 0, first, i, best
    cdef Visit near[2 * MOST_LINE]  # candidates for the line that is being filled
    cdef int n_near
    spot[0] = 0
    pending[0].node = root
    pending[0].n_leaves = view.first_leaf[tree + 1] - view.first_leaf[tree]
    while n_pending:
        n_pending -= 1
        near[0] = pending[n_pending]
        n_near = 1
        while n_near:
            best = 0
            for i in range(1, n_near):
                if near[i].n_leaves > near[best].n_leaves:
                    best = i
            first = view.first_child[near[best].node]
            n_pairs += 1
            spot[first - root] = <int32_t>(2 * n_pairs)
            spot[first - root + 1] = <int32_t>(2 * n_pairs + 1)
            i = view.place[first + 1] - view.place[first]  # leaves below the first of the two
            near[n_near].node, near[n_near].n_leaves = first + 1, near[best].n_leaves - i
            near[best].node, near[best].n_leaves = first, i
            n_near += near[n_near].n_leaves > 1
            if near[best].n_leaves == 1:
                n_near -= 1
                near[best] = near[n_near]
            if (n_pairs + 1) % line == 0:
                break
        for i in range(n_near):
            pending[n_pending] = near[i]
            n_pending += 1


cdef void pack_steps(
    const View* view, Pack* pack, int64_t tree, const int32_t* slot_of, const int32_t* spot,  # IN
    int64_t* n_sets,  # IN/OUT
    parts* own,  # OUT
) noexcept nogil:
    """Store the nodes of a tree at their positions."""
    cdef int64_t node, size, root = view.roots[tree], place
    cdef uint64_t child, second, column
    for node in range(root, view.roots[tree + 1]):
        place = pack.first_step[tree] + spot[node - root]
        if view.first_child[node] < 0:
            own.steps[place].cut.code = view.place[node]
            child, second, column = <uint64_t>spot[node - root], 0, 0
        else:
            child, second = <uint64_t>spot[view.first_child[node] - root], <uint64_t>view.missing[node]
            column = <uint64_t>slot_of[view.feature[node]]
            size = set_words(view, node, 8 * sizeof(own.sets[0]))
            if size:
                own.steps[place].cut.code = n_sets[0]
                pack_set(view, node, n_sets[0], own)
                n_sets[0] += size
            else:
                own.steps[place].cut.number = short_cut(view.cut[node]) if parts is Parts32 else view.cut[node]
        own.steps[place].link = (((child << 1) | second) << (SLOT_BITS32 if parts is Parts32 else SLOT_BITS64)) | column


cdef int make_pack(const View* view, Pack* pack, parts* own) except -1:
    cdef int64_t tree, n_tests = 0, n_set_tests = 0, n_sets = 0, most_nodes = 0
    cdef hb_pool scratch
    cdef int32_t* slot_of
    cdef int32_t* spot
    cdef Visit* pending
    memset(&scratch, 0, sizeof(hb_pool))
    for tree in range(view.n_trees):
        most_nodes = max(most_nodes, view.roots[tree + 1] - view.roots[tree])
    try:
        slot_of = <int32_t*>take(&scratch, view.n_features, sizeof(int32_t))
        spot = <int32_t*>take_raw(&scratch, most_nodes * sizeof(int32_t))
        pending = <Visit*>take_raw(&scratch, most_nodes * sizeof(Visit))
        lay_out(view, pack, own)
        find_slots(view, pack, slot_of)
        for tree in range(view.n_trees):
            if pack.way[tree] == BY_BITS:
                pack_bits(view, pack, tree, slot_of, &n_tests, &n_set_tests, &n_sets, own)
            elif pack.way[tree] == BY_STEPS:
                order_steps(view, tree, LINE_BYTES // (2 * sizeof(own.steps[0])), pending, spot)
                pack_steps(view, pack, tree, slot_of, spot, &n_sets, own)
        pack.words[pack.first_word[view.n_trees]].test = n_tests
        pack.words[pack.first_word[view.n_trees]].set_test = n_set_tests
        pack.made = True
    except MemoryError:
        hb_pool_free(&pack.pool)
        memset(pack, 0, sizeof(Pack))
        raise
    finally:
        hb_pool_free(&scratch)
    return 0
