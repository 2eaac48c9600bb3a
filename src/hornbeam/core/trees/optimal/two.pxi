# Part of search.pyx: the best tree of depth two.
#
# For a split of the root, the best split of the branches is found column by column, for both branches in one pass.
# For the cuts of a column, bounds are kept by column of the branches: most columns need not be tried at most
# cuts, and most cuts need not be tried at all.

cdef int open_two(Two* t, hb_pool* pool, int n, int p, int width, bint two_sums, bint labels) except -1:
    take_at(&t.low, pool, SLOTS * 2 * p, sizeof(int64_t))
    take_raw_at(&t.leaf, pool, 2 * (n + 3) * sizeof(int64_t))
    take_raw_at(&t.lost, pool, (n + 3) * sizeof(int64_t))
    take_raw_at(&t.side, pool, n * sizeof(int32_t))
    take_at(&t.is_ordered, pool, p, 1)
    if width <= FEW_SUMS:
        take_raw_at(&t.below, pool, <int64_t>(n + 2) * width * sizeof(int64_t))
    if two_sums or labels:
        take_raw_at(&t.ordered, pool, <int64_t>n * p * sizeof(int32_t))
        take_raw_at(&t.step, pool, <int64_t>n * p * sizeof(int64_t))
        take_raw_at(&t.last, pool, <int64_t>n * p)
    if labels:
        take_raw_at(&t.label, pool, <int64_t>n * p * sizeof(int32_t))
        take_raw_at(&t.before, pool, 2 * <int64_t>n * sizeof(int64_t))
        take_at(&t.count, pool, 2 * width, sizeof(int64_t))
    return 0


cdef inline bint before_best(int64_t bound, int column, int place, int64_t best, int best_column,
                             int best_place) noexcept nogil:
    """Whether a split with this bound may be better than the best one, or come before it."""
    return bound < best or (
        bound == best and (column < best_column or (column == best_column and place < best_place))
    )


cdef inline int64_t least_of(const int64_t* values, int p, int64_t leaf) noexcept nogil:
    cdef int g
    for g in range(p):
        if values[g] < leaf:
            leaf = values[g]
    return leaf


cdef void examine(Problem* s, Two* t, const Node* node, int32_t cut, int slot, int column, int place) noexcept nogil:
    """The costs of both sides of a split: of their best stumps, as far as they may belong to the best tree.

    The bounds in the slot are replaced by the costs that were computed.
    """
    cdef int i, b, g, width = s.width, p = s.p
    cdef int64_t* total = s.work
    cdef int64_t* low = t.low + 2 * <int64_t>slot * p
    cdef int64_t[2] leaf, least
    cdef Stump[2] found
    if t.knows_below:
        for i in range(width):
            total[i] = t.below[<int64_t>cut * width + i]
            total[width + i] = t.below[i] - total[i]
    elif s.label != NULL:
        count_sides(s, t, node, cut, total)
    else:
        memset(total, 0, 2 * width * sizeof(int64_t))
        for i in range(node.n):
            add_row(s, total + (t.side[i] >= cut) * width, node.row[i])
    for b in range(2):
        leaf[b] = leaf_cost(s, total + b * width)
        t.value[b] = leaf[b] if total[b * width + width - 1] >= s.least else ENDLESS
        least[b] = least_of(low + b * p, p, leaf[b])
    for g in range(p):
        if must_stop(s):
            return
        if not (
            before_best(low[g] + least[1] - s.slack, column, place, t.best, t.column, t.place)
            or before_best(low[p + g] + least[0] - s.slack, column, place, t.best, t.column, t.place)
        ):
            continue
        if s.two_sums and s.kind[g] == CUT:
            order_sides(s, t, node, g)
            walk(s, node.known[g], node.n, t.ordered + <int64_t>g * node.n, t.step + <int64_t>g * node.n,
                 t.last + <int64_t>g * node.n, cut, total, found)
        elif s.label != NULL and s.kind[g] == CUT and node.known[g] == node.n:
            order_sides(s, t, node, g)
            count_both_ways(s, t, node, g, cut, found)
        else:
            stumps(s, node, g, t.side, cut, total, found)
        for b in range(2):
            low[b * p + g] = found[b].relaxed
            t.value[b] = min(t.value[b], found[b].value)
            least[b] = least_of(low + b * p, p, leaf[b])


cdef inline void order_sides(const Problem* s, Two* t, const Node* node, int column) noexcept nogil:
    """The sides of the rows in the order of a column, once per way to send missing values."""
    cdef int k
    cdef int64_t base = <int64_t>column * node.n
    if not t.is_ordered[column]:
        t.is_ordered[column] = True
        for k in range(node.n):
            t.ordered[base + k] = t.side[node.order[base + k]]


cdef void take_examined(Problem* s, Two* t, const Node* node, int slot, int column, int place) noexcept nogil:
    """Compare the split just examined with the best one."""
    cdef int64_t cost = t.value[0] + t.value[1], leaf0, leaf1
    cdef int width = s.width
    leaf0 = least_of(t.low + 2 * <int64_t>slot * s.p, s.p, leaf_cost(s, s.work))
    leaf1 = least_of(t.low + (2 * <int64_t>slot + 1) * s.p, s.p, leaf_cost(s, s.work + width))
    t.closed = min(t.closed, leaf0 + leaf1 - s.slack)
    if cost < ENDLESS and before_best(cost, column, place, t.best, t.column, t.place):
        t.best, t.column, t.place = cost, column, place


cdef void no_bounds(const Problem* s, Two* t, int slot) noexcept nogil:
    cdef int g
    for g in range(2 * s.p):
        t.low[2 * <int64_t>slot * s.p + g] = 2 * s.penalty


cdef void two_cuts(Problem* s, Two* t, const Node* node, int column) noexcept nogil:
    """All cuts of a column as the root's split."""
    cdef int i, k, side, group, n_cuts, groups = node.groups[column], first = 0
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef bint missing = n_missing(node, column) > 0
    if missing and s.own_branch:
        first = 1
    no_bounds(s, t, 0)
    for side in range(first, 2 if missing else 1):
        n_cuts = groups if missing and side == 1 else groups - 1
        if n_cuts < 1:
            continue
        for i in range(node.n):
            t.side[i] = rank[i] if rank[i] >= 0 else (-1 if side == 0 else NEVER)
        memset(t.is_ordered, 0, s.p)
        bounds_of_cuts(s, t, node, column, side)
        t.knows_below = s.width <= FEW_SUMS
        two_range(s, t, node, column, side, 0, n_cuts - 1, 0, 0, -1, groups, 1)
        t.knows_below = False


cdef void bounds_of_cuts(const Problem* s, Two* t, const Node* node, int column, int side) noexcept nogil:
    """For every cut the costs of both sides as leaves, and what the rows up to it cost at most if they are added."""
    cdef int k, group, width = s.width, groups = node.groups[column], n_known = node.known[column]
    cdef int64_t* total = s.work
    cdef int64_t* part = s.work + width
    cdef const int32_t* order = node.order + <int64_t>column * node.n
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    memset(total, 0, 2 * width * sizeof(int64_t))
    for k in range(node.n):
        add_row(s, total, node.row[k])
        if side == 0 and rank[k] < 0:
            add_row(s, part, node.row[k])
    if width <= FEW_SUMS:
        memcpy(t.below, total, width * sizeof(int64_t))
    t.lost[0] = 0
    group = 0
    t.lost[1] = 0
    for k in range(n_known):
        add_row(s, part, node.row[order[k]])
        t.lost[group + 1] += s.loss[node.row[order[k]]]
        if k + 1 == n_known or rank[order[k + 1]] != rank[order[k]]:
            t.leaf[group] = leaf_cost(s, part)
            t.leaf[groups + 1 + group] = rest_cost(s, total, part)
            if width <= FEW_SUMS:
                memcpy(t.below + <int64_t>(group + 1) * width, part, width * sizeof(int64_t))
            group += 1
            t.lost[group + 1] = t.lost[group]


cdef void two_range(Problem* s, Two* t, const Node* node, int column, int side, int low, int high, int left,
                    int right, int before, int after, int slot) noexcept nogil:
    """The cuts from `low` to `high`; slots `left` and `right` have bounds for the cuts `before` and `after` them."""
    cdef int p = s.p, g, middle, place, b
    cdef int64_t* at_left = t.low + 2 * <int64_t>left * p
    cdef int64_t* at_right = t.low + 2 * <int64_t>right * p
    cdef int64_t* own = t.low + 2 * <int64_t>slot * p
    cdef const int64_t* leaf0 = t.leaf
    cdef const int64_t* leaf1 = t.leaf + node.groups[column] + 1
    cdef int64_t bound, least0, least1
    bound = least_of(at_left, p, leaf0[low]) + least_of(at_right + p, p, leaf1[high]) - s.slack
    if not before_best(bound, column, 2 * low + side, t.best, t.column, t.place):
        t.closed = min(t.closed, bound)
        return
    if left:  # no cut close to one that is much worse than the best is better
        bound = least_of(at_left, p, leaf0[before]) + least_of(at_left + p, p, leaf1[before]) - s.slack - t.best
        while low <= high and t.lost[low + 1] - t.lost[before + 1] < bound:
            low += 1
    if right:
        bound = least_of(at_right, p, leaf0[after]) + least_of(at_right + p, p, leaf1[after]) - s.slack - t.best
        while low <= high and t.lost[after + 1] - t.lost[high + 1] < bound:
            high -= 1
    t.closed = min(t.closed, t.best)
    if low > high or must_stop(s):
        return
    middle = (low + high) // 2
    place = 2 * middle + side
    for g in range(p):
        own[g] = max(at_left[g], at_right[g] - (t.lost[after + 1] - t.lost[middle + 1]))
        own[p + g] = max(at_right[p + g], at_left[p + g] - (t.lost[middle + 1] - t.lost[before + 1]))
    least0, least1 = least_of(own, p, leaf0[middle]), least_of(own + p, p, leaf1[middle])
    if before_best(least0 + least1 - s.slack, column, place, t.best, t.column, t.place):
        examine(s, t, node, middle + 1, slot, column, place)
        if s.halt:
            return
        take_examined(s, t, node, slot, column, place)
    else:
        t.closed = min(t.closed, least0 + least1 - s.slack)
    if low < middle:
        two_range(s, t, node, column, side, low, middle - 1, left, slot, before, middle, slot + 1)
    if middle < high and not s.halt:
        two_range(s, t, node, column, side, middle + 1, high, slot, right, middle, after, slot + 1)


cdef void two_each(Problem* s, Two* t, const Node* node, int column) noexcept nogil:
    """A branch for each category as the root's split."""
    cdef int place, b, i, count
    cdef int64_t cost, relaxed, better
    for place in range(n_places(s, node, column)):
        if not is_split(s, node, column, place):
            continue
        cost = relaxed = 0
        count = n_branches(s, node, column, place)
        for b in range(count):
            fill_branches(s, node, column, place, t.side)
            for i in range(node.n):
                t.side[i] = t.side[i] != b
            memset(t.is_ordered, 0, s.p)
            no_bounds(s, t, 1)
            better = t.best
            t.best = ENDLESS  # every column may belong to the best tree
            examine(s, t, node, 1, 1, column, place)
            t.best = better
            if s.halt:
                return
            relaxed += least_of(t.low + 2 * s.p, s.p, leaf_cost(s, s.work))
            cost = min(ENDLESS, cost + t.value[0])
        t.closed = min(t.closed, relaxed - s.slack)
        if cost < ENDLESS and before_best(cost, column, place, t.best, t.column, t.place):
            t.best, t.column, t.place = cost, column, place


cdef void two_apart(Problem* s, Two* t, const Node* node, int column) noexcept nogil:
    """One category against the others as the root's split."""
    cdef int place
    for place in range(n_places(s, node, column)):
        if not is_split(s, node, column, place):
            continue
        fill_branches(s, node, column, place, t.side)
        memset(t.is_ordered, 0, s.p)
        no_bounds(s, t, 1)
        examine(s, t, node, 1, 1, column, place)
        if s.halt:
            return
        take_examined(s, t, node, 1, column, place)


cdef void solve_two(Problem* s, Two* t, Node* node, int64_t limit) noexcept nogil:
    """The best tree of depth two that costs at most `limit`: its cost and the root's split."""
    cdef int g
    t.best, t.column, t.place, t.closed = limit + 1, -1, -1, ENDLESS
    node.value = ENDLESS
    if node.leaf <= limit and node.weight >= s.least:
        t.best = node.leaf
    for g in range(s.p):
        if s.two_sums and s.kind[g] == CUT:
            fill_steps(s, node, g, t.step + <int64_t>g * node.n, t.last + <int64_t>g * node.n)
        elif s.label != NULL and s.kind[g] == CUT:
            fill_labels(s, t, node, g)
    for g in range(s.p):
        if s.halt:
            break
        if s.kind[g] == CUT:
            two_cuts(s, t, node, g)
        elif s.kind[g] == EACH:
            two_each(s, t, node, g)
        else:
            two_apart(s, t, node, g)
    if t.best <= limit:
        node.value, node.column, node.place = t.best, t.column, t.place
    node.bound = s.penalty if s.halt else min(min(t.closed, t.best), node.leaf)


cdef void solve_one(Problem* s, Two* t, Node* node, int64_t limit) noexcept nogil:
    """The best tree of depth one that costs at most `limit`."""
    cdef int g
    cdef Stump[2] found
    memset(t.side, 0, node.n * sizeof(int32_t))
    memset(s.work, 0, 2 * s.width * sizeof(int64_t))
    for g in range(node.n):
        add_row(s, s.work, node.row[g])
    node.value = node.leaf if node.weight >= s.least else ENDLESS
    node.bound, node.column = node.leaf, -1
    for g in range(s.p):
        if must_stop(s):
            break
        stumps(s, node, g, t.side, 1, s.work, found)
        node.bound = min(node.bound, found[0].relaxed)
        if found[0].value < node.value:
            node.value, node.column, node.place = found[0].value, g, found[0].place
    if node.value > limit:
        node.value = ENDLESS
    if s.halt:
        node.bound = s.penalty
