# Part of search.pyx: trees deeper than two, by branch and bound.
#
# At a node, ranges of cuts wait in a heap. The range whose bound is lowest comes next: its middle cut is tried, which
# divides it into two ranges with better bounds. So the lowest bound in the heap is always a bound for the whole node.

ctypedef struct Range:
    int64_t bound
    int column, side  # side: the branch of missing values; -1: `low` is the place of a single split
    int low, high, before, after
    int64_t left0, left1  # what both branches of the cut before the range cost at least
    int64_t right0, right1  # and those of the cut after it

ctypedef struct Level:  # a node that is being searched
    Node[2] child
    Range* heap
    int n_ranges, room
    int64_t* lost  # by column and cut + 1, as in `Two`
    int32_t* branch
    int32_t* number
    int64_t best, closed, limit
    int column, place
    int depth

ctypedef struct Search_:
    Problem problem
    Two two
    Level* level


cdef inline bint comes_first(const Range* a, const Range* b) noexcept nogil:
    if a.bound != b.bound:
        return a.bound < b.bound
    if a.column != b.column:
        return a.column < b.column
    return a.low < b.low if a.low != b.low else a.side < b.side


cdef void wait(Problem* s, Level* level, const Range* given) noexcept nogil:
    """Put a range into the heap."""
    cdef int i = level.n_ranges, up
    if i == level.room:
        level.room = 2 * level.room + 64
        if not hb_resize(&level.heap, level.room * sizeof(Range)):
            level.room = level.n_ranges = 0
            s.halt = OUT_OF_MEMORY
            return
    level.n_ranges += 1
    while i:
        up = (i - 1) // 2
        if not comes_first(given, level.heap + up):
            break
        level.heap[i] = level.heap[up]
        i = up
    level.heap[i] = given[0]


cdef Range next_range(Level* level) noexcept nogil:
    """Take the range with the lowest bound out of the heap."""
    cdef Range first = level.heap[0], last
    cdef int i = 0, below
    level.n_ranges -= 1
    last = level.heap[level.n_ranges]
    while True:
        below = 2 * i + 1
        if below >= level.n_ranges:
            break
        if below + 1 < level.n_ranges and comes_first(level.heap + below + 1, level.heap + below):
            below += 1
        if not comes_first(level.heap + below, &last):
            break
        level.heap[i] = level.heap[below]
        i = below
    level.heap[i] = last
    return first


cdef void begin_node(Search_* a, Level* level, Node* node, int depth, int64_t limit) noexcept nogil:
    """Start searching a node: every range of cuts of every column waits."""
    cdef Problem* s = &a.problem
    cdef int g, k, side, place, groups
    cdef bint missing
    cdef Range first
    level.best, level.column, level.place, level.closed = limit + 1, -1, -1, node.leaf
    level.limit, level.depth, level.n_ranges = limit, depth, 0
    node.value, node.n_tokens = ENDLESS, 0
    if node.leaf <= limit and node.weight >= s.least:
        level.best = node.leaf
        push(s, node, -1, -1, 0)
    memset(&first, 0, sizeof(Range))
    first.left0 = first.left1 = first.right0 = first.right1 = s.penalty
    first.bound = 2 * s.penalty
    for g in range(s.p):
        groups, missing = node.groups[g], n_missing(node, g) > 0
        first.column = g
        if s.kind[g] == CUT:
            add_lost(s, level, node, g)
            first.before, first.after = -1, groups
            for side in range(1 if missing and s.own_branch else 0, 2 if missing else 1):
                first.low, first.high, first.side = 0, (groups - 1 if missing and side == 1 else groups - 2), side
                if first.high >= 0:
                    wait(s, level, &first)
            continue
        for place in range(n_places(s, node, g)):
            if is_split(s, node, g, place):
                first.low, first.high, first.side = place, place, -1
                wait(s, level, &first)


cdef void add_lost(const Problem* s, Level* level, const Node* node, int column) noexcept nogil:
    """What the rows up to every cut of a column cost at most if they are added."""
    cdef int64_t* lost = level.lost + <int64_t>column * (s.n + 3)
    cdef const int32_t* order = node.order + <int64_t>column * node.n
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef int k, group
    lost[0] = lost[1] = 0
    for k in range(node.known[column]):
        group = rank[order[k]]
        lost[group + 1] += s.loss[node.row[order[k]]]
        lost[group + 2] = lost[group + 1]


cdef void end_node(Search_* a, Level* level, Node* node) noexcept nogil:
    """The cost of the best tree, and the bound for those that were not tried."""
    cdef int64_t bound = min(level.closed, level.best)
    if level.n_ranges:
        bound = min(bound, level.heap[0].bound - a.problem.slack)
    node.bound = max(a.problem.penalty, bound)
    if level.best <= level.limit:
        node.value = level.best


cdef bint step_node(Search_* a, int at, Node* node) noexcept nogil:
    """Try one split; returns whether more are to be tried."""
    cdef Problem* s = &a.problem
    cdef Level* level = a.level + at
    cdef Range one
    cdef int64_t low0, low1, before, after, extra
    cdef int64_t* lost
    cdef int middle, place
    if s.halt or level.n_ranges == 0:
        return False
    one = next_range(level)
    if one.bound - s.slack > level.best:  # and so has every other range
        level.n_ranges = 0
        level.closed = min(level.closed, level.best)
        return False
    place = one.low if one.side < 0 else 2 * one.low + one.side
    if not before_best(one.bound - s.slack, one.column, place, level.best, level.column, level.place):
        level.closed = min(level.closed, level.best)
        return True
    if one.side < 0:
        low0 = low1 = s.penalty
        try_split(a, at, node, one.column, place, 0, &low0, &low1)
        if s.halt:
            wait(s, level, &one)
        return not s.halt
    lost = level.lost + <int64_t>one.column * (s.n + 3)
    before, after = lost[one.before + 1], lost[one.after + 1]
    while one.low <= one.high and lost[one.low + 1] - before < one.left0 + one.left1 - s.slack - level.best:
        one.low += 1
    while one.low <= one.high and after - lost[one.high + 1] < one.right0 + one.right1 - s.slack - level.best:
        one.high -= 1
    level.closed = min(level.closed, level.best)
    if one.low > one.high:
        return True
    middle = (one.low + one.high) // 2
    low0 = max(one.left0, one.right0 - (after - lost[middle + 1]))
    low1 = max(one.right1, one.left1 - (lost[middle + 1] - before))
    # Branches that cost more than needed are solved too: how much more says how far the cut is from a better one.
    extra = (lost[one.high + 1] - lost[one.low + 1]) // 4
    try_split(a, at, node, one.column, 2 * middle + one.side, extra, &low0, &low1)
    if s.halt:
        wait(s, level, &one)
        return False
    wait_parts(s, level, &one, middle, low0, low1)
    return not s.halt


cdef void wait_parts(Problem* s, Level* level, const Range* one, int middle, int64_t low0, int64_t low1) noexcept nogil:
    """The parts of a range below and above the cut that was tried wait."""
    cdef Range part
    if one.low < middle:
        part = one[0]
        part.high, part.after, part.right0, part.right1 = middle - 1, middle, low0, low1
        part.bound = max(one.bound, part.left0 + part.right1)
        wait(s, level, &part)
    if middle < one.high:
        part = one[0]
        part.low, part.before, part.left0, part.left1 = middle + 1, middle, low0, low1
        part.bound = max(one.bound, part.left0 + part.right1)
        wait(s, level, &part)


cdef void try_split(Search_* a, int at, Node* node, int column, int place, int64_t extra, int64_t* low0,
                    int64_t* low1) noexcept nogil:
    """Find the best trees of the branches of a split, if they cost at most `extra` too much; update their bounds."""
    cdef Problem* s = &a.problem
    cdef Level* level = a.level + at
    cdef Node* first = level.child
    cdef Node* second = level.child + 1
    cdef int64_t most = level.best - (not before_best(level.best, column, place, level.best, level.column, level.place))
    if s.kind[column] == EACH:
        try_each(a, at, node, column, place, most)
        return
    if low0[0] + low1[0] - s.slack > most:
        level.closed = min(level.closed, level.best)
        return
    fill_branches(s, node, column, place, level.branch)
    take_rows(s, node, first, level.branch, 0, level.number)
    solve(a, at + 1, first, level.depth - 1, most - low1[0] + s.slack + extra)
    if s.halt:
        return
    low0[0] = max(low0[0], first.bound)
    if low0[0] + low1[0] - s.slack <= most + extra:
        take_rows(s, node, second, level.branch, 1, level.number)
        solve(a, at + 1, second, level.depth - 1, most - low0[0] + s.slack + extra)
        if s.halt:
            return
        low1[0] = max(low1[0], second.bound)
        if first.value < ENDLESS and second.value < ENDLESS and first.value + second.value <= most:
            level.best, level.column, level.place = first.value + second.value, column, place
            node.n_tokens = 0
            push_split(s, node, node, column, place)
            finish_tree(a, first, level.depth - 1)
            push_tree(s, node, first)
            finish_tree(a, second, level.depth - 1)
            push_tree(s, node, second)
    level.closed = min(level.closed, max(low0[0] + low1[0] - s.slack, 2 * s.penalty))


cdef void try_each(Search_* a, int at, Node* node, int column, int place, int64_t most) noexcept nogil:
    """The same for a branch per category."""
    cdef Problem* s = &a.problem
    cdef Level* level = a.level + at
    cdef Node* child = level.child
    cdef Node* tree = level.child + 1  # only its list of nodes is used
    cdef int b, count = n_branches(s, node, column, place)
    cdef int64_t cost = 0, relaxed = 0
    tree.n_tokens = 0
    fill_branches(s, node, column, place, level.branch)
    for b in range(count):
        take_rows(s, node, child, level.branch, b, level.number)
        solve(a, at + 1, child, level.depth - 1, most - cost - (count - 1 - b) * s.penalty)
        if s.halt:
            return
        relaxed += child.bound
        if child.value == ENDLESS:
            level.closed = min(level.closed, relaxed + (count - 1 - b) * s.penalty - s.slack)
            return
        cost += child.value
        finish_tree(a, child, level.depth - 1)
        push_tree(s, tree, child)
    level.closed = min(level.closed, relaxed - s.slack)
    if cost <= most:
        level.best, level.column, level.place = cost, column, place
        node.n_tokens = 0
        push_split(s, node, node, column, place)
        push_tree(s, node, tree)


cdef void finish_tree(Search_* a, Node* node, int depth) noexcept nogil:
    """Write the tree of a solved node, unless it was written while it was searched."""
    if node.n_tokens == 0:
        write_tree(&a.problem, &a.two, node, min(depth, 2))


cdef void solve(Search_* a, int at, Node* node, int depth, int64_t limit) noexcept nogil:
    """The best tree of a node that costs at most `limit`."""
    cdef Problem* s = &a.problem
    node.value, node.column, node.n_tokens = ENDLESS, -1, 0
    if limit < s.penalty or must_stop(s):
        node.bound = s.penalty
    elif depth == 0 or node.leaf <= 2 * s.penalty:  # two leaves cost that
        node.bound = node.leaf
        if node.leaf <= limit and node.weight >= s.least:
            node.value = node.leaf
    elif depth == 1:
        solve_one(s, &a.two, node, limit)
    elif depth == 2:
        solve_two(s, &a.two, node, limit)
    else:
        begin_node(a, a.level + at, node, depth, limit)
        while step_node(a, at, node):
            pass
        end_node(a, a.level + at, node)
