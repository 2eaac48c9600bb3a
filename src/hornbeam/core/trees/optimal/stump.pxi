# Part of search.pyx: the best split of one column, for the rows on both sides of another split at once.


ctypedef struct Branches:  # of the categories of a column
    int64_t cost
    int count, light  # how many there are; how many of them are not heavy enough without the missing values
    int64_t more, light_more  # what the missing values add at least, to any branch or to the light one
    int place, light_place


cdef inline void offer(const Problem* s, Stump* best, const int64_t* part, const int64_t* total,
                       int place) noexcept nogil:
    """Compare the split of the rows of `total` into those of `part` and the others with the best one."""
    cdef int64_t cost = leaf_cost(s, part) + rest_cost(s, total, part), weight = part[s.width - 1]
    if cost < best.relaxed:
        best.relaxed = cost
    if cost < best.value and weight >= s.least and total[s.width - 1] - weight >= s.least:
        best.value = cost
        best.place = place


cdef inline void add_sums(const Problem* s, int64_t* total, const int64_t* more) noexcept nogil:
    cdef int i
    for i in range(s.width):
        total[i] += more[i]


cdef void offer_group(const Problem* s, Stump* best, const int64_t* part, const int64_t* missing, const int64_t* total,
                      int group, int64_t* both) noexcept nogil:
    """Offer the split of `part` against the others, with missing values on either side."""
    if missing[s.width - 1] > 0:
        if not s.own_branch:
            memcpy(both, part, s.width * sizeof(int64_t))
            add_sums(s, both, missing)
            offer(s, best, both, total, 2 * group)
        offer(s, best, part, total, 2 * group + 1)
    else:
        offer(s, best, part, total, 2 * group)


cdef void stumps(const Problem* s, const Node* node, int column, const int32_t* side, int32_t cut, const int64_t* total,
                 Stump* best) noexcept nogil:
    """The best split of a column for the rows with `side < cut`, and for the others; `total` are the sums of both.

    Branches without rows of a side are not offered as better: they cost as much as a leaf, and a penalty.
    """
    cdef int width = s.width, k, b, group, n_known = node.known[column]
    cdef int64_t* part = s.work + 2 * width
    cdef int64_t* missing = s.work + 4 * width
    cdef int64_t* both = s.work + 6 * width
    cdef const int32_t* order = node.order + <int64_t>column * node.n
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef int32_t row
    cdef bint touched[2]
    memset(part, 0, 4 * width * sizeof(int64_t))
    for b in range(2):
        # without this, the cost of a side that cannot be split would not bound that of more rows, which can
        best[b].relaxed = leaf_cost(s, total + b * width) + s.penalty
        best[b].value = ENDLESS
        best[b].place = -1
        touched[b] = False
    for k in range(n_known, node.n):
        row = order[k]
        add_row(s, missing + (side[row] >= cut) * width, node.row[row])
    if s.kind[column] == EACH:
        stumps_each(s, node, column, side, cut, best)
        return
    for k in range(n_known):
        row = order[k]
        b = side[row] >= cut
        add_row(s, part + b * width, node.row[row])
        touched[b] = True
        if k + 1 < n_known and rank[order[k + 1]] == rank[row]:
            continue
        group = rank[row]
        for b in range(2):
            if touched[b]:
                offer_group(s, best + b, part + b * width, missing + b * width, total + b * width, group, both)
                touched[b] = False
                if s.kind[column] == ONE_APART:
                    memset(part + b * width, 0, width * sizeof(int64_t))
    if s.kind[column] == ONE_APART:
        for b in range(2):
            if missing[b * width + width - 1] > 0:
                offer(s, best + b, missing + b * width, total + b * width, 2 * node.groups[column])


cdef void stumps_each(const Problem* s, const Node* node, int column, const int32_t* side, int32_t cut,
                      Stump* best) noexcept nogil:
    """The same with a branch for each category; the sums of missing values are known."""
    cdef int width = s.width, k, b, n_known = node.known[column]
    cdef int64_t* part = s.work + 2 * width
    cdef const int64_t* missing = s.work + 4 * width
    cdef const int32_t* order = node.order + <int64_t>column * node.n
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef Branches[2] found
    cdef int32_t row
    for b in range(2):
        found[b].cost = 0
        found[b].count = found[b].light = 0
        found[b].more = found[b].light_more = ENDLESS
        found[b].place = found[b].light_place = -1
    for k in range(n_known):
        row = order[k]
        add_row(s, part + (side[row] >= cut) * width, node.row[row])
        if k + 1 < n_known and rank[order[k + 1]] == rank[row]:
            continue
        for b in range(2):
            if part[b * width + width - 1] > 0:
                count_branch(s, found + b, part + b * width, missing + b * width, rank[row])
    for b in range(2):
        offer_each(s, best + b, found + b, missing + b * width, node.groups[column])


cdef void count_branch(const Problem* s, Branches* found, int64_t* part, const int64_t* missing,
                       int group) noexcept nogil:
    """Count the rows of a category; their sums are set to 0."""
    cdef int64_t cost = leaf_cost(s, part), more
    cdef bint light = part[s.width - 1] < s.least
    found.cost += cost
    found.count += 1
    found.light += light
    add_sums(s, part, missing)
    more = leaf_cost(s, part) - cost
    if more < found.more:
        found.more, found.place = more, group
    if light and part[s.width - 1] >= s.least:  # with the missing values it is heavy enough
        found.light_more, found.light_place = more, group
    memset(part, 0, s.width * sizeof(int64_t))


cdef void offer_each(const Problem* s, Stump* best, const Branches* found, const int64_t* missing,
                     int groups) noexcept nogil:
    """The cost of a split with these branches, and the branch of missing values."""
    cdef int64_t weight = missing[s.width - 1], cost
    if s.own_branch or weight == 0:
        if found.count + (weight > 0) < 2:
            return
        cost = found.cost + (leaf_cost(s, missing) if weight > 0 else 0)
        best.relaxed = min(best.relaxed, cost)
        if found.light == 0 and (weight == 0 or weight >= s.least):
            best.value, best.place = cost, 0
        return
    if found.count:
        cost = found.cost + leaf_cost(s, missing)
        best.relaxed = min(best.relaxed, cost)
        if found.light == 0 and weight >= s.least:
            best.value, best.place = cost, groups
    if found.count < 2:
        return
    best.relaxed = min(best.relaxed, found.cost + found.more)
    if found.light == 0 and found.cost + found.more <= best.value:
        best.value, best.place = found.cost + found.more, found.place
    elif found.light == 1 and found.light_place >= 0:
        best.value, best.place = found.cost + found.light_more, found.light_place
