# Part of prune.pyx: rows as lists of (row, weight), and their paths down a tree.


cdef inline bint weigh_nothing(const Rows* rows) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    if rows.weight == NULL:
        return rows.n == 0
    for i in range(rows.n):
        total += rows.weight[i]
        if total >= SLACK:
            return False
    return True


cdef void count_classes(const Pruning* pruning, const Rows* rows, double* counts) noexcept nogil:
    cdef int64_t i
    memset(counts, 0, pruning.n_classes * sizeof(double))
    for i in range(rows.n):
        counts[pruning.labels[rows.row[i]]] += 1.0 if rows.weight == NULL else rows.weight[i]


cdef inline double sum_terms(const Pruning* pruning, const Split* split, int64_t row) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(split.start, split.stop):
        total += pruning.view.term_coefficient[i] * pruning.columns[pruning.view.term_column[i]].numbers[row]
    return total


cdef inline int32_t branch_at(const Pruning* pruning, const Split* split, int64_t row) noexcept nogil:
    """The branch a row takes by a split, or -1."""
    cdef const Values* column = &pruning.columns[split.column]
    cdef int32_t code
    if split.kind == BY_SUMS:
        return branch_of(&pruning.view, split, sum_terms(pruning, split, row))
    if column.numbers != NULL:
        return branch_of(&pruning.view, split, column.numbers[row])
    code = column.codes[row]
    return -1 if code < 0 else branch_of(&pruning.view, split, code)


cdef int32_t stand_in(const Pruning* pruning, int32_t node, int64_t row) noexcept nogil:
    """The branch of a row if the split cannot decide: by a surrogate, or the route of missing values; or -1."""
    cdef int32_t branch, origin = pruning.origin[node]
    cdef int64_t i
    if pruning.surrogate_start != NULL:
        for i in range(pruning.surrogate_start[origin], pruning.surrogate_start[origin + 1]):
            branch = branch_at(pruning, &pruning.view.splits[pruning.surrogates[i]], row)
            if branch >= 0:
                return branch
    return pruning.missing[node] if pruning.missing[node] >= 0 else -1


cdef int64_t find_branches(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Store each row's branch at a node in `pruning.branch`; returns how many are divided into pieces."""
    cdef const Split* split = &pruning.view.splits[pruning.split[node]]
    cdef const Values* column = &pruning.columns[split.column]
    cdef int32_t* branch = pruning.branch
    cdef int64_t i, n_missing = 0
    cdef double value, cut = split.cut
    cdef int32_t code
    cdef bint simple = split.equal_low and not split.flipped
    if split.kind == BY_CUTS and column.numbers != NULL and split.stop - split.start == 1 and simple:
        for i in range(rows.n):
            value = column.numbers[rows.row[i]]
            branch[i] = -1 if value != value else value > cut
            n_missing += value != value
    elif column.numbers == NULL and split.kind == BY_CODES:
        for i in range(rows.n):
            code = column.codes[rows.row[i]]
            branch[i] = -1 if code < 0 or code >= split.stop - split.start else pruning.view.codes[split.start + code]
            n_missing += branch[i] < 0
    else:
        for i in range(rows.n):
            branch[i] = branch_at(pruning, split, rows.row[i])
            n_missing += branch[i] < 0
    if n_missing == 0 or (pruning.missing[node] == FRACTIONAL and pruning.surrogate_start == NULL):
        return n_missing
    n_missing = 0
    for i in range(rows.n):
        if branch[i] < 0:
            branch[i] = stand_in(pruning, node, rows.row[i])
            n_missing += branch[i] < 0
    return n_missing if pruning.missing[node] == FRACTIONAL else 0


cdef bint has_grandchildren(const Pruning* pruning, int32_t node) noexcept nogil:
    cdef int32_t c
    for c in range(pruning.first_child[node], pruning.first_child[node] + pruning.n_children[node]):
        if pruning.n_children[c]:
            return True
    return False


cdef struct Branches:  # the rows that a node sends to its children
    Rows* rows  # by child
    double* share  # by child: its fraction of a row with a missing value
    void* memory  # of the lists of rows


cdef void free_branches(Branches* branches) noexcept nogil:
    free(branches.rows)
    free(branches.share)
    free(branches.memory)


cdef int send(Pruning* pruning, int32_t node, const Rows* rows, bint to_leaves, Branches* branches) noexcept nogil:
    """Send the rows of a node to its children; not to leaves unless `to_leaves`.

    The caller must free the branches, whatever is returned.
    """
    cdef int n_children = pruning.n_children[node], b
    cdef Rows* children = <Rows*>malloc(n_children * sizeof(Rows))
    cdef double* share = <double*>malloc(n_children * sizeof(double))
    branches.rows, branches.share, branches.memory = children, share, NULL
    if children == NULL or share == NULL:
        return NO_MEMORY
    cdef int64_t n_missing = find_branches(pruning, node, rows), i, total = 0
    cdef const int32_t* branch = pruning.branch
    cdef double known = 0.0, w
    cdef bint pieces = False
    cdef char* place
    for b in range(n_children):
        children[b].n = 0
        children[b].weight = NULL
        share[b] = 0.0
    if rows.weight == NULL:
        for i in range(rows.n):
            if branch[i] >= 0:
                children[branch[i]].n += 1
        for b in range(n_children):
            share[b] = children[b].n
            known += share[b]
    else:
        for i in range(rows.n):
            if branch[i] >= 0:
                children[branch[i]].n += 1
                share[branch[i]] += rows.weight[i]
        for b in range(n_children):
            known += share[b]
    for b in range(n_children):
        if known < SLACK:
            share[b] = 1.0 / n_children
        else:
            share[b] /= known
        if n_missing and share[b] > SLACK:
            children[b].n += n_missing
            pieces = True
        if not to_leaves and pruning.n_children[pruning.first_child[node] + b] == 0:
            children[b].n = 0
        total += children[b].n
    pieces = pieces or rows.weight != NULL
    branches.memory = malloc(total * (sizeof(uint32_t) + (sizeof(double) if pieces else 0)) + 8)
    if branches.memory == NULL:
        return NO_MEMORY
    place = <char*>branches.memory
    for b in range(n_children):
        if pieces:
            children[b].weight = <double*>place
            place += children[b].n * sizeof(double)
    for b in range(n_children):
        children[b].row = <uint32_t*>place if children[b].n else NULL
        place += children[b].n * sizeof(uint32_t)
        children[b].n = 0
    for i in range(rows.n):
        b = branch[i]
        if b >= 0 and children[b].row != NULL:
            children[b].row[children[b].n] = rows.row[i]
            if pieces:
                children[b].weight[children[b].n] = 1.0 if rows.weight == NULL else rows.weight[i]
            children[b].n += 1
    if n_missing:  # pieces come last: this is the order in which their weights are added up
        for i in range(rows.n):
            if branch[i] >= 0:
                continue
            w = 1.0 if rows.weight == NULL else rows.weight[i]
            for b in range(n_children):
                if share[b] > SLACK and children[b].row != NULL:
                    children[b].row[children[b].n] = rows.row[i]
                    children[b].weight[children[b].n] = w * share[b]
                    children[b].n += 1
    return DONE
