"""The steps of routing: which branch a row takes, where it ends, and the combined prediction of the nodes where it
ends.

There are two ways through a tree. `step_block` is for trees whose every split is one cut, on a number or between the
codes of an ordered column: a block of rows takes its steps in parallel, without branches, over 16-byte records; a
leaf's record points back to itself. `step_lanes` does the same for trees too large for the cache: only inner nodes have
records, which store whether a child is a leaf. A row that meets a missing value there, and every row of any other tree,
is routed by `walk_row`, which handles every kind of split, surrogates, and rows divided into fractional pieces.
"""

from libc.math cimport NAN
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.string cimport memset

from hornbeam.core.base.enums cimport BY_SUMS, FRACTIONAL
from hornbeam.core.base.tolerance cimport LEAST_SHARE, TIE
from hornbeam.core.trees.branch cimport Split, SplitView, branch_of
from hornbeam.core.base.memory cimport hb_fetch, hb_pool

cdef enum:
    BLOCK = 16  # rows that step in parallel; enough to hide memory latency
    LANES = 16  # the same if most loads miss the cache
    CHUNK = 256  # rows that are resolved at once
    MOST_TURNED = 64  # maximum columns of rows that are copied value by value first
    DEEP = 16384  # nodes of a tree whose leaves are at very different depths

cdef enum:  # kinds of values
    FLOAT64 = 0
    FLOAT32 = 1
    INT32 = 2

cdef enum:  # memory layout of rows
    BY_ROW = 0
    BY_COLUMN = 1
    MIXED = 2

ctypedef fused real:
    float
    double


cdef enum:  # a step of an inner node: the meaning of the highest bits of its feature
    LOW_ENDS = 29  # the child below the cut is a leaf; one bit higher, the other one
    FEATURE = (1 << LOW_ENDS) - 1


cdef struct Step:  # one node of a tree that has only single cuts
    double cut
    int32_t feature
    int32_t first_child  # index of the child below the cut among the steps (or where it would be, if it is a leaf)


cdef struct TreeView:
    int64_t n_nodes
    int64_t n_outputs  # classes, or 1 for a number
    const double* pseudo  # added to each class weight before probabilities are computed
    double pseudo_total
    Step* steps  # by node, or by inner node; NULL where some split is not a single cut
    int32_t* ends  # by inner node, its first child; NULL where steps are by node
    bint asks_codes  # whether some of those cuts are on codes: rows are then converted to numbers first
    SplitView splits
    const int32_t* first_child
    const int32_t* n_children
    const int32_t* split
    const int32_t* missing
    const double* share
    const double* value
    int64_t value_stride  # from one node to the next
    const double* weight  # NULL where values are used as predictions directly
    const int32_t* predicting_node  # the node whose distribution a node predicts; NULL: its own
    const int32_t* label
    const int64_t* surrogate_start  # NULL where the tree has no surrogates
    const int32_t* surrogates


cdef struct Source:
    int64_t n_rows
    int64_t n_features
    char** data
    int64_t* stride  # bytes from one row to the next, by feature
    int8_t* kind
    int8_t layout
    int8_t uniform  # kind of every feature, if all are numbers of the same kind


cdef struct Scratch:
    hb_pool pool  # memory of the fields below
    int32_t* pending_node
    double* pending_weight
    int32_t* node
    double* weight
    double* sums
    double* turned  # CHUNK rows, value by value; NULL where rows are read in place


cdef inline double read_value(const Source* source, int64_t feature, int64_t row) noexcept nogil:
    cdef const char* place = source.data[feature] + row * source.stride[feature]
    cdef int32_t code
    if source.kind[feature] == FLOAT64:
        return (<const double*>place)[0]
    if source.kind[feature] == INT32:
        code = (<const int32_t*>place)[0]
        return <double>code if code >= 0 else NAN
    return <double>(<const float*>place)[0]


cdef inline double split_value(
    const SplitView* view, const Split* split, const Source* source, int64_t row,
) noexcept nogil:
    """The value that a split tests in a row: the value of its column, or the sum of its terms."""
    cdef double total = 0.0
    cdef int64_t i
    if split.kind != BY_SUMS:
        return read_value(source, split.column, row)
    for i in range(split.start, split.stop):
        total += view.term_coefficient[i] * read_value(source, view.term_column[i], row)
    return total


cdef inline int32_t choose_branch(const TreeView* tree, const Source* source, int32_t node, int64_t row) noexcept nogil:
    """The branch a row takes at an inner node by its split or a surrogate, or -1."""
    cdef const Split* split = tree.splits.splits + tree.split[node]
    cdef int32_t branch = branch_of(&tree.splits, split, split_value(&tree.splits, split, source, row))
    cdef int64_t i
    if branch < 0 and tree.surrogate_start != NULL:
        for i in range(tree.surrogate_start[node], tree.surrogate_start[node + 1]):
            split = tree.splits.splits + tree.surrogates[i]
            branch = branch_of(&tree.splits, split, split_value(&tree.splits, split, source, row))
            if branch >= 0:
                break
    return branch


cdef inline int64_t walk_row(
    const TreeView* tree,  # IN
    const Source* source,  # IN
    int64_t row,  # IN
    bint every,  # IN: record every node on the path, not only where pieces end
    Scratch* scratch,  # OUT: node, weight, in depth-first branch order
) noexcept nogil:
    """Follow a row, in fractional pieces where it must be divided; returns the number of records."""
    cdef int64_t n_records = 0, n_pending = 0, before
    cdef int32_t node = 0, branch, first
    cdef double weight = 1.0
    while True:
        first = tree.first_child[node]
        branch = -1
        before = n_pending
        if first >= 0:
            branch = choose_branch(tree, source, node, row)
            if branch < 0:
                branch = tree.missing[node]
                if branch == FRACTIONAL:
                    for branch in range(tree.n_children[node] - 1, -1, -1):
                        if tree.share[first + branch] > LEAST_SHARE:
                            scratch.pending_node[n_pending] = first + branch
                            scratch.pending_weight[n_pending] = weight * tree.share[first + branch]
                            n_pending += 1
                    branch = -1
        if every or (branch < 0 and n_pending == before):
            scratch.node[n_records] = node
            scratch.weight[n_records] = weight
            n_records += 1
        if branch >= 0:
            node = first + branch
            continue
        if n_pending == 0:
            return n_records
        n_pending -= 1
        node = scratch.pending_node[n_pending]
        weight = scratch.pending_weight[n_pending]


cdef inline void add_prediction(
    const TreeView* tree, int32_t node, double weight, double* sums,  # IN, IN, IN, IN/OUT
) noexcept nogil:
    cdef int32_t source = node if tree.predicting_node == NULL else tree.predicting_node[node]
    cdef double total = 1.0 if tree.weight == NULL else tree.weight[source] + tree.pseudo_total
    cdef const double* value = tree.value + source * tree.value_stride
    cdef int64_t k
    for k in range(tree.n_outputs):
        if total > 0.0:
            sums[k] += weight * ((value[k] + tree.pseudo[k]) / total)
        else:
            sums[k] += weight / tree.n_outputs  # a tree without any training weight predicts a uniform distribution


cdef inline void sum_predictions(
    const TreeView* tree,  # IN
    const Scratch* scratch,  # IN
    int64_t n_pieces,  # IN
    double* sums,  # OUT, n_outputs
) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i, k
    memset(sums, 0, tree.n_outputs * sizeof(double))
    if n_pieces > 1:
        for i in range(n_pieces):
            add_prediction(tree, scratch.node[i], scratch.weight[i], sums)
            total += scratch.weight[i]
        if total > 0.0:
            for k in range(tree.n_outputs):
                sums[k] /= total
            return
        memset(sums, 0, tree.n_outputs * sizeof(double))
        add_prediction(tree, 0, 1.0, sums)  # every piece's weight underflowed: use the root's prediction
    else:
        add_prediction(tree, scratch.node[0], 1.0, sums)


cdef inline void step_block(
    const Step* steps,  # IN
    const Source* source,  # IN
    int64_t first_row,  # IN
    int count,  # IN
    bint by_row,  # IN
    const real* example,  # not read: selects the type of the values
    int32_t* nodes,  # OUT: where each row ends, or -1 where it met a missing value
) noexcept nogil:
    cdef const real* rows[BLOCK]
    cdef int32_t at[BLOCK]
    cdef int32_t unknown[BLOCK]
    cdef int32_t moved = 1, after
    cdef const Step* step
    cdef double value
    cdef int i
    for i in range(count):
        at[i] = 0
        unknown[i] = 0
        if by_row:
            rows[i] = <const real*>(source.data[0] + (first_row + i) * source.stride[0])
    while moved:
        moved = 0
        for i in range(count):
            step = steps + at[i]
            value = rows[i][step.feature] if by_row else (<const real*>source.data[step.feature])[first_row + i]
            after = step.first_child + (value > step.cut)
            unknown[i] |= value != value
            moved |= after ^ at[i]
            at[i] = after
    for i in range(count):
        nodes[i] = -1 if unknown[i] else at[i]


cdef inline void step_lanes(
    const Step* steps,  # IN, of inner nodes
    const int32_t* ends,  # IN
    const Source* source,  # IN
    int64_t first_row,  # IN
    int count,  # IN
    bint by_row,  # IN
    bint complete,  # IN: whether no value is missing
    const real* example,  # not read: selects the type of the values
    int32_t* nodes,  # OUT: where each row ends, or -1 where it met a missing value
) noexcept nogil:
    """The same for deep trees: when a row has ended, the next one takes its lane at once."""
    cdef const real* rows[LANES]
    cdef int32_t at[LANES]
    cdef int number[LANES]
    cdef int i, started = 0, lanes = 0
    cdef int32_t side, feature
    cdef const Step* step
    cdef double value
    while lanes < LANES and started < count:
        at[lanes] = 0
        number[lanes] = started
        rows[lanes] = <const real*>(source.data[0] + (first_row + started) * source.stride[0]) if by_row else NULL
        lanes += 1
        started += 1
    while lanes:
        i = 0
        while i < lanes:
            step = steps + at[i]
            feature = step.feature & FEATURE
            if by_row:
                value = rows[i][feature]
            else:
                value = (<const real*>source.data[feature])[first_row + number[i]]
            side = value > step.cut
            if not (step.feature >> (LOW_ENDS + side)) & 1 and (complete or value == value):
                at[i] = step.first_child + side
                hb_fetch(steps + at[i])
                i += 1
                continue
            nodes[number[i]] = ends[at[i]] + side if complete or value == value else -1
            if started < count:
                at[i] = 0
                number[i] = started
                if by_row:
                    rows[i] = <const real*>(source.data[0] + (first_row + started) * source.stride[0])
                started += 1
                i += 1
            else:
                lanes -= 1
                at[i] = at[lanes]
                number[i] = number[lanes]
                rows[i] = rows[lanes]


cdef inline void step_layout(
    const Step* steps, const Source* source, int64_t first_row, int count, const real* example, int32_t* nodes,
) noexcept nogil:
    # Constants in these calls let the compiler unroll and specialize.
    if source.layout == BY_ROW:
        if count == BLOCK:
            step_block(steps, source, first_row, BLOCK, True, example, nodes)
        else:
            step_block(steps, source, first_row, count, True, example, nodes)
    elif count == BLOCK:
        step_block(steps, source, first_row, BLOCK, False, example, nodes)
    else:
        step_block(steps, source, first_row, count, False, example, nodes)


cdef inline void resolve_block(
    const TreeView* tree,  # IN
    const Source* source,  # IN
    int64_t first_row,  # IN
    int count,  # IN, at most BLOCK
    int32_t* nodes,  # OUT: where each row ends as a whole, or -1 where it must be walked
) noexcept nogil:
    cdef int i
    if source.layout == MIXED:
        for i in range(count):
            nodes[i] = -1
    elif source.uniform == FLOAT64:
        step_layout[double](tree.steps, source, first_row, count, NULL, nodes)
    else:
        step_layout[float](tree.steps, source, first_row, count, NULL, nodes)


cdef inline void resolve_chunk(
    const TreeView* tree,  # IN
    const Source* source,  # IN
    int64_t first_row,  # IN
    int count,  # IN, at most CHUNK
    Scratch* scratch,  # its `turned` is overwritten
    int32_t* nodes,  # OUT: where each row ends as a whole, or -1 where it must be walked
) noexcept nogil:
    cdef int start = 0
    cdef int64_t feature, i
    cdef const double* column
    cdef const int32_t* codes
    cdef char* first
    cdef int64_t stride = source.n_features * sizeof(double)
    cdef bint lacks = False
    cdef Source turned
    if tree.steps == NULL or (tree.asks_codes and scratch.turned == NULL):
        for start in range(count):
            nodes[start] = -1
    elif source.layout == MIXED or tree.ends == NULL:
        while start < count:
            resolve_block(tree, source, first_row + start, min(BLOCK, count - start), nodes + start)
            start += BLOCK
    elif source.layout == BY_COLUMN and scratch.turned != NULL:
        # a row's values are read one after another, so they should be adjacent
        for feature in range(source.n_features):
            if source.data[feature] == NULL:
                continue
            if source.kind[feature] == FLOAT64:
                column = <const double*>source.data[feature] + first_row
                for i in range(count):
                    lacks |= column[i] != column[i]
                    scratch.turned[i * source.n_features + feature] = column[i]
            elif tree.asks_codes:
                codes = <const int32_t*>source.data[feature] + first_row
                for i in range(count):
                    lacks |= codes[i] < 0
                    scratch.turned[i * source.n_features + feature] = <double>codes[i] if codes[i] >= 0 else NAN
        first = <char*>scratch.turned
        turned.data, turned.stride = &first, &stride
        if lacks:
            step_lanes[double](tree.steps, tree.ends, &turned, 0, count, True, False, NULL, nodes)
        else:
            step_lanes[double](tree.steps, tree.ends, &turned, 0, count, True, True, NULL, nodes)
    elif source.uniform == FLOAT64:
        step_lanes[double](tree.steps, tree.ends, source, first_row, count, source.layout == BY_ROW, False, NULL, nodes)
    else:
        step_lanes[float](tree.steps, tree.ends, source, first_row, count, source.layout == BY_ROW, False, NULL, nodes)


cdef inline int32_t best_label(const TreeView* tree, const double* sums) noexcept nogil:
    cdef int32_t best = 0
    cdef int64_t k
    for k in range(1, tree.n_outputs):
        if sums[k] > sums[best] + TIE:  # closer sums are a tie, which the first class wins
            best = <int32_t>k
    return best
