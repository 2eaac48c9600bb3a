# Part of search.pyx: the fast way of stumps on cuts, for two classes.
#
# With labels 0 below the cut and 1 above it, the cost is (all of class 1's sum) + d, where d is the difference of the
# two sums below the cut; with the labels exchanged it is (all of class 0's sum) - d. So only the least and the greatest
# d are needed.


cdef void fill_steps(const Problem* s, const Node* node, int column, int64_t* step, uint8_t* last) noexcept nogil:
    """The difference of the two sums of every row in the order of a column, and whether its group ends there."""
    cdef int k, n_known = node.known[column]
    cdef const int32_t* order = node.order + <int64_t>column * node.n
    cdef const int32_t* rank = node.rank + <int64_t>column * node.n
    cdef const int64_t* own
    for k in range(node.n):
        own = s.sums + <int64_t>node.row[order[k]] * s.width
        step[k] = own[0] - own[1]
        last[k] = k < n_known and (k + 1 == n_known or rank[order[k + 1]] != rank[order[k]])


cdef void walk(const Problem* s, int n_known, int n, const int32_t* side, const int64_t* step, const uint8_t* last,
               int32_t cut, const int64_t* total, Stump* best) noexcept nogil:
    """The costs that `stumps` finds, but not the places; `side`, `step` and `last` are in the order of the column."""
    cdef int64_t first = 0, second = 0, mask, low0 = ENDLESS, low1 = ENDLESS, high0 = -ENDLESS, high1 = -ENDLESS
    cdef int64_t[2] low, high, missing
    cdef int64_t cost
    cdef int k, b
    missing[0] = missing[1] = 0
    for k in range(n_known, n):
        missing[side[k] >= cut] += step[k]
    for k in range(n_known):
        mask = -<int64_t>(side[k] < cut)
        first += step[k] & mask
        second += step[k] & ~mask
        if last[k]:
            low0 = first if first < low0 else low0
            high0 = first if first > high0 else high0
            low1 = second if second < low1 else low1
            high1 = second if second > high1 else high1
    low[0], low[1], high[0], high[1] = low0, low1, high0, high1
    for b in range(2):
        if not s.own_branch:
            low[b] = min(low[b], low[b] + missing[b])
            high[b] = max(high[b], high[b] + missing[b])
        total += b * s.width
        cost = min(min(total[0], total[1]), min(total[1] + low[b], total[0] - high[b]))
        best[b].relaxed = best[b].value = cost * s.factor + 2 * s.penalty
        best[b].place = -1
