# Part of partial.pyx: steps taken at one node: columns searched and one chosen, branches counted and marked.


cdef inline bint must_stop(const Work* work, const double* counts, double weight, int64_t n_rows) noexcept nogil:
    """Whether a node is too light to split, or has one class."""
    return (n_rows < 2 or weight < work.choices.min_node - SLACK
            or weight - counts[majority(counts, work.choices.n_classes)] < SLACK)


cdef double count_root(Work* work) noexcept nogil:
    """Class weights of the remaining rows; returns their sum."""
    cdef int k
    cdef double total = 0.0
    for k in range(work.choices.n_classes):
        work.root_counts[k] = work.root_units[k] / work.units
        total += work.root_counts[k]
    return total


# ---- the split -----------------------------------------------------------------------------------------------------


cdef int examine(Entry* width, Work* work, const Lists* lists, const double* counts, double weight) noexcept nogil:
    """Search every column; returns the one to split on, or -1."""
    cdef const Entry* rows = <const Entry*>lists.entries[work.row_list]
    cdef const double* local_weight = NULL if lists.unit else work.local_weight
    cdef const Column* column
    cdef NodeView view
    cdef int64_t i
    cdef int c
    cdef double average
    memset(&view, 0, sizeof(NodeView))
    view.n_rows = lists.n_rows
    view.weight = weight
    view.counts = counts
    view.row_weight = NULL if lists.unit else work.row_weight
    view.exact = view.only_splits = True
    if not lists.unit:
        for i in range(lists.n_rows):
            work.local_weight[i] = work.row_weight[rows[i] >> work.choices.shift]
    for c in range(work.n_columns):
        column = &work.columns[c]
        if column.kind == SORTED:
            scan_sorted(<const Entry*>lists.entries[column.position], lists.lengths[column.position], column,
                        work.choices, &view, work.xlogx, work.scale, &work.scratch, &work.candidates[c])
        else:
            scan_codes(rows, local_weight, column, work.choices, &view, &work.scratch, &work.candidates[c])
    return choose(work.columns, work.n_columns, work.choices, work.candidates, &average)


cdef void describe(Entry* width, const Work* work, const Lists* lists, int chosen, Step* step) noexcept nogil:
    """Store the split of the chosen candidate."""
    cdef const Column* column = &work.columns[chosen]
    cdef const Candidate* candidate = &work.candidates[chosen]
    cdef double high = 0.0
    step.column = chosen
    step.kind = BY_CUTS
    step.category = candidate.code
    step.low = step.cut = 0.0
    if column.kind == NOMINAL:
        step.kind = BY_CODES if work.choices.nominal == MULTIWAY else BY_CODE_SETS
        return
    values_at_cut(<const Entry*>lists.entries[column.position if column.kind == SORTED else work.row_list],
                  lists.n_rows, column, candidate, work.choices.shift, &step.low, &high)
    step.cut = middle_of(step.low, high)


cdef void count_branches(Entry* width, const Work* work, const Lists* lists, Node* node) noexcept nogil:
    """Rows and class weights of the branches, from the rows whose value is known."""
    cdef const Column* column = &work.columns[node.step.column]
    cdef const Entry* entries
    cdef int n_classes = work.choices.n_classes, shift = work.choices.shift, b
    cdef int64_t label_mask = (<int64_t>1 << work.choices.label_bits) - 1, i, row, n_known = 0
    cdef const double* weight = NULL if lists.unit else work.row_weight
    memset(node.counts, 0, <int64_t>node.n_branches * n_classes * sizeof(double))
    memset(node.rows, 0, node.n_branches * sizeof(int64_t))
    if column.kind == SORTED:
        entries = <const Entry*>lists.entries[column.position]
        n_known = lists.lengths[column.position]
        for i in range(n_known):
            b = i >= node.position
            node.counts[b * n_classes + ((entries[i] >> 2) & label_mask)] += (
                1.0 if weight == NULL else weight[entries[i] >> shift])
        node.rows[0] = node.position
        node.rows[1] = n_known - node.position
    else:
        entries = <const Entry*>lists.entries[work.row_list]
        for i in range(lists.n_rows):
            row = entries[i] >> shift
            b = branch_of_code(column, &node.step, code_of(column, row))
            if b >= 0:
                n_known += 1
                node.rows[b] += 1
                node.counts[b * n_classes + ((entries[i] >> 2) & label_mask)] += 1.0 if weight == NULL else weight[row]
    node.n_missing = lists.n_rows - n_known


cdef inline int branch_of_code(const Column* column, const Step* step, int code) noexcept nogil:
    """The branch of a code; -1 if the value is missing."""
    if code == column.n_codes:
        return -1
    if column.kind == CODED:
        return code > step.category
    return code if step.kind == BY_CODES else code != step.category


cdef void mark_branch(Entry* width, Work* work, const Lists* lists, const Node* node, int branch) noexcept nogil:
    """Mark the rows of a node that take a branch, pieces included."""
    cdef const Column* column = &work.columns[node.step.column]
    cdef const Entry* entries = <const Entry*>lists.entries[work.row_list]
    cdef int shift = work.choices.shift, b
    cdef uint8_t missing = node.takes_missing[branch]
    cdef int64_t i, row
    if column.kind != SORTED:
        for i in range(lists.n_rows):
            row = entries[i] >> shift
            b = branch_of_code(column, &node.step, code_of(column, row))
            work.marked[row] = missing if b < 0 else b == branch
        return
    if node.n_missing:
        for i in range(lists.n_rows):
            work.marked[entries[i] >> shift] = missing
    entries = <const Entry*>lists.entries[column.position]
    for i in range(node.position):
        work.marked[entries[i] >> shift] = branch == 0
    for i in range(node.position, lists.lengths[column.position]):
        work.marked[entries[i] >> shift] = branch == 1


cdef void weigh_branches(const Work* work, Node* node) noexcept nogil:
    """Compute the branches' weights and fractions from their class weights."""
    cdef int b, k, n_classes = work.choices.n_classes
    cdef double total = 0.0
    for b in range(node.n_branches):
        node.weight[b] = 0.0
        for k in range(n_classes):
            node.weight[b] += node.counts[b * n_classes + k]
        total += node.weight[b]
    for b in range(node.n_branches):
        node.share[b] = node.weight[b] / total


cdef void keep_missing(Entry* width, Work* work, const Lists* lists, Node* node) noexcept nogil:
    """Store the rows with a missing value and their weights, and add each branch's fraction of them to its counts."""
    cdef const Entry* rows = <const Entry*>lists.entries[work.row_list]
    cdef const Column* column = &work.columns[node.step.column]
    cdef int n_classes = work.choices.n_classes, shift = work.choices.shift, b
    cdef int64_t label_mask = (<int64_t>1 << work.choices.label_bits) - 1, i, row, n = 0
    cdef double w
    for i in range(lists.n_rows):
        row = rows[i] >> shift
        if not lacks(column, row):
            continue
        w = work.row_weight[row]
        node.missing_rows[n] = <uint32_t>row
        node.missing_weight[n] = w
        n += 1
        for b in range(node.n_branches):
            node.counts[b * n_classes + ((rows[i] >> 2) & label_mask)] += node.share[b] * w


cdef void keep_missing_of_part(const Work* work, Node* node) noexcept nogil:
    """The same for a part, which knows these rows."""
    cdef int n_classes = work.choices.n_classes, b
    cdef int64_t i, row
    cdef double w
    node.n_missing = 0
    for i in range(node.division.n_missing):
        row = node.division.missing_rows[i]
        w = work.row_weight[row]
        if w == 0.0:
            continue
        node.missing_rows[node.n_missing] = <uint32_t>row
        node.missing_weight[node.n_missing] = w
        node.n_missing += 1
        for b in range(node.n_branches):
            node.counts[b * n_classes + work.labels[row]] += node.share[b] * w


cdef inline bint lacks(const Column* column, int64_t row) noexcept nogil:
    """Whether a row's value is missing."""
    if column.kind == SORTED:
        return column.values[row] != column.values[row]
    return code_of(column, row) == column.n_codes


# ---- opening a node ------------------------------------------------------------------------------------------------


cdef int take_memory(Work* work, int64_t size, void** memory, bint* lent) noexcept nogil:
    """Memory from the top of the stack if there is room, else allocated separately."""
    size = (size + 15) & ~15
    lent[0] = work.stack_size - work.stack_used >= size
    if lent[0]:
        memory[0] = work.stack + work.stack_used
        work.stack_used += size
    else:
        memory[0] = hb_take(size)
    return NO_MEMORY if memory[0] == NULL else DONE


cdef int open_node(Entry* width, Work* work, Lists* lists, double* counts, double weight,
                   int64_t depth) noexcept nogil:
    """Find the split and the branches of a node. Returns OPENED, DONE if there is no split, or NO_MEMORY."""
    cdef int chosen, n_branches = 2, n_classes = work.choices.n_classes
    cdef const Column* column
    cdef Node* node
    cdef Part* part = lists.part
    cdef Division* division = NULL
    cdef Step step
    cdef int64_t n_lacking = 0
    cdef double high
    cdef char* place
    if part != NULL:
        chosen = examine_part(width, work, part, counts, weight)
    else:
        chosen = examine(width, work, lists, counts, weight)
    if chosen < 0:
        return DONE
    if depth >= work.node_room:
        if not hb_resize(&work.nodes, (2 * depth + 64) * sizeof(Node)):
            return NO_MEMORY
        work.node_room = 2 * depth + 64
    node = &work.nodes[depth]
    column = &work.columns[chosen]
    if column.kind == NOMINAL and work.choices.nominal == MULTIWAY:
        n_branches = column.n_codes
    if part != NULL:
        high = describe_part(width, work, part, chosen, &step)
        division = division_of(width, work, part, &step, high, n_branches)
        if division == NULL:
            return NO_MEMORY
        n_lacking = division.n_missing
    elif work.fractions != NULL:
        n_lacking = lists.n_rows - lists.lengths[column.position] if column.kind == SORTED else lists.n_rows
    node.mark = work.stack_used
    if take_memory(work, n_branches * (sizeof(Lists) + (n_classes + 3) * sizeof(double) + sizeof(int64_t) + 3)
                   + n_lacking * (sizeof(double) + sizeof(uint32_t)) + 64, &node.memory, &node.lent) != DONE:
        return NO_MEMORY
    place = <char*>node.memory
    node.lists = <Lists*>place
    place += n_branches * sizeof(Lists)
    node.counts = <double*>place
    node.weight = node.counts + <int64_t>n_branches * n_classes
    node.share = node.weight + n_branches
    node.entropy = node.share + n_branches
    node.missing_weight = node.entropy + n_branches
    node.rows = <int64_t*>(node.missing_weight + n_lacking)
    node.missing_rows = <uint32_t*>(node.rows + n_branches)
    node.state = <uint8_t*>(node.missing_rows + n_lacking)
    node.takes_missing = node.state + n_branches
    node.goes_on = node.takes_missing + n_branches
    node.inner_mark = work.stack_used
    node.own_lists = lists
    node.n_branches = n_branches
    node.n_opened = 0
    node.open_branch = -1
    node.own_counts = counts
    node.own_weight = weight
    node.position = work.candidates[chosen].position
    node.division = division
    if part != NULL:
        node.step = step
        count_branches_of_part(width, work, part, node)
        weigh_branches(work, node)
        keep_missing_of_part(work, node)
    else:
        describe(width, work, lists, chosen, &node.step)
        count_branches(width, work, lists, node)
        weigh_branches(work, node)
        if node.n_missing:
            keep_missing(width, work, lists, node)
    if node.n_missing:
        weigh_branches(work, node)
    describe_branches(work, lists, node)
    return OPENED


cdef void describe_branches(const Work* work, const Lists* lists, Node* node) noexcept nogil:
    """Compute entropies, and which branches could be split further."""
    cdef int b, k, n_classes = work.choices.n_classes
    cdef const double* counts
    cdef double bits
    memset(node.state, UNOPENED, node.n_branches)
    memset(node.lists, 0, node.n_branches * sizeof(Lists))
    for b in range(node.n_branches):
        counts = node.counts + b * n_classes
        bits = hb_xlog2x(node.weight[b])
        for k in range(n_classes):
            bits -= hb_xlog2x(counts[k])
        node.entropy[b] = bits / node.weight[b] if node.weight[b] > 0.0 else 0.0
        node.takes_missing[b] = node.n_missing > 0 and node.share[b] > SLACK
        if node.takes_missing[b]:
            node.rows[b] += node.n_missing
        node.goes_on[b] = (node.weight[b] >= work.choices.min_branch - SLACK
                           and not must_stop(work, counts, node.weight[b], node.rows[b]))
        node.lists[b].n_rows = node.rows[b]
        node.lists[b].unit = lists.unit and not node.takes_missing[b]


cdef void close_node(Work* work, Node* node) noexcept nogil:
    cdef int b
    weigh_pieces(work.row_weight, node.missing_rows, node.missing_weight, node.n_missing, 1.0)
    for b in range(node.n_branches):
        if node.lists[b].own_memory:
            free(node.lists[b].entries)
    if not node.lent:
        free(node.memory)
    work.stack_used = node.mark
