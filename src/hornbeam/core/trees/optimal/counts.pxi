# Part of search.pyx: the fast way of stumps on cuts, for more than two classes whose errors cost the same.
#
# The cost of a leaf is its weight less that of its largest class. Adding a row makes one class larger, so it takes one
# step to keep the largest: once from below, and once from above.


cdef void fill_labels(const Problem* s, Two* t, const Node* node, int column) noexcept nogil:
    """The class and the cost of an error of every row in the order of a column, and whether its group ends there."""
    cdef int k, label, n = node.n
    cdef const int32_t* order = node.order + <int64_t>column * n
    cdef const int32_t* rank = node.rank + <int64_t>column * n
    cdef int64_t base = <int64_t>column * n
    for k in range(n):
        label = s.label[node.row[order[k]]]
        t.label[base + k] = label
        t.step[base + k] = s.sums[<int64_t>node.row[order[k]] * s.width + (label == 0)]
        t.last[base + k] = k + 1 == n or rank[order[k + 1]] != rank[order[k]]


cdef void count_sides(const Problem* s, Two* t, const Node* node, int32_t cut, int64_t* total) noexcept nogil:
    """The sums of the rows on both sides of a split."""
    cdef int i, b, c, label, width = s.width
    cdef const int64_t* own
    cdef int64_t[2] weight
    memset(t.count, 0, 2 * width * sizeof(int64_t))
    weight[0] = weight[1] = 0
    for i in range(node.n):
        own = s.sums + <int64_t>node.row[i] * width
        label = s.label[node.row[i]]
        b = t.side[i] >= cut
        t.count[b * width + label] += own[label == 0]
        weight[b] += own[label == 0]
        t.count[b * width + width - 1] += own[width - 1]
    for b in range(2):
        for c in range(width - 1):
            total[b * width + c] = weight[b] - t.count[b * width + c]
        total[b * width + width - 1] = t.count[b * width + width - 1]


cdef void count_both_ways(const Problem* s, Two* t, const Node* node, int column, int32_t cut,
                          Stump* best) noexcept nogil:
    """The costs that `stumps` finds, but not the places; no value of the column is missing."""
    cdef int k, b, n = node.n, width = s.width
    cdef int64_t base = <int64_t>column * n
    cdef const int32_t* side = t.ordered + base
    cdef const int32_t* label = t.label + base
    cdef const int64_t* step = t.step + base
    cdef const uint8_t* last = t.last + base
    cdef int64_t[2] weight, most, least
    cdef int64_t* count
    memset(t.count, 0, 2 * width * sizeof(int64_t))
    weight[0] = weight[1] = most[0] = most[1] = 0
    for k in range(n):
        b = side[k] >= cut
        count = t.count + b * width + label[k]
        count[0] += step[k]
        weight[b] += step[k]
        most[b] = max(most[b], count[0])
        if last[k]:
            t.before[2 * k] = weight[0] - most[0]
            t.before[2 * k + 1] = weight[1] - most[1]
    for b in range(2):  # all rows on one side of the cut: no better than a leaf
        least[b] = weight[b] - most[b]
    memset(t.count, 0, 2 * width * sizeof(int64_t))
    weight[0] = weight[1] = most[0] = most[1] = 0
    for k in range(n - 1, -1, -1):
        if last[k]:
            least[0] = min(least[0], t.before[2 * k] + weight[0] - most[0])
            least[1] = min(least[1], t.before[2 * k + 1] + weight[1] - most[1])
        b = side[k] >= cut
        count = t.count + b * width + label[k]
        count[0] += step[k]
        weight[b] += step[k]
        most[b] = max(most[b], count[0])
    for b in range(2):
        best[b].relaxed = best[b].value = least[b] * s.factor + 2 * s.penalty
        best[b].place = -1
