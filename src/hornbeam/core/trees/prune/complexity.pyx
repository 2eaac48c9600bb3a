"""Cost-complexity: the cost per leaf (alpha) at which each node is pruned, by two definitions."""

import numpy as np

from libc.math cimport INFINITY, fmax, fmin
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc

from hornbeam.core.rows.sort cimport hb_sort_indices

cdef struct Link:  # a node as an entry of a heap, greatest alpha first
    double price  # the alpha above which the node is a leaf
    double saved  # what its subtree saves
    int64_t leaves  # and how many more leaves it has
    int32_t below  # first child in the heap; -1: none
    int32_t beside  # next sibling in the heap


cdef inline int32_t meld(Link* links, int32_t one, int32_t other) noexcept nogil:
    if one < 0:
        return other
    if other < 0:
        return one
    if links[one].price < links[other].price:
        one, other = other, one
    links[other].beside = links[one].below
    links[one].below = other
    return one


cdef int32_t without_top(Link* links, int32_t top) noexcept nogil:
    """Remove the first entry of the heap: its children are joined in pairs, then all together."""
    cdef int32_t next_one = links[top].below, one, other, paired = -1, whole = -1
    while next_one >= 0:
        one = next_one
        other = links[one].beside
        links[one].beside = -1
        if other >= 0:
            next_one = links[other].beside
            links[other].beside = -1
        else:
            next_one = -1
        one = meld(links, one, other)
        links[one].beside = paired
        paired = one
    while paired >= 0:
        one = paired
        paired = links[one].beside
        links[one].beside = -1
        whole = meld(links, whole, one)
    return whole


def weakest_links(const int32_t[::1] parent, const int32_t[::1] n_children, const double[::1] cost):
    """For every inner node, the smallest alpha (cost per leaf) at which it is pruned (Breiman et al. 1984); 0 at
    leaves.

    The cost-complexity of the best pruned subtree of a node is a concave function of alpha that bends where a node
    below is pruned. For a large alpha all children are leaves; as alpha falls, nodes below are split again, those with
    the largest alpha first, until the node itself would be split. These are pruned together with the node at the
    latest, so each enters a heap and leaves it once: n log n, however deep the tree.
    """
    cdef int64_t n = parent.shape[0], i, leaves
    prices_array = np.zeros(n)
    cdef double[::1] prices = prices_array
    cdef double[::1] below = np.zeros(n)
    cdef int32_t[::1] heap = np.full(n, -1, np.int32)
    cdef Link* links = <Link*>malloc(n * sizeof(Link))
    cdef double together, price
    cdef int32_t top
    if links == NULL:
        raise MemoryError("not enough memory to prune a tree")
    with nogil:
        for i in range(n - 1, -1, -1):
            if n_children[i]:
                together = below[i]
                leaves = n_children[i]
                top = heap[i]
                price = (cost[i] - together) / (leaves - 1)
                while top >= 0 and price < links[top].price:
                    together -= links[top].saved
                    leaves += links[top].leaves
                    top = without_top(links, top)
                    price = (cost[i] - together) / (leaves - 1)
                links[i].price = price
                links[i].saved = cost[i] - together
                links[i].leaves = leaves - 1
                links[i].below = -1
                links[i].beside = -1
                prices[i] = price
                heap[i] = meld(links, top, <int32_t>i)
            if i:
                below[parent[i]] += cost[i]
                heap[parent[i]] = meld(links, heap[parent[i]], heap[i])
        for i in range(1, n):  # a node is pruned with its parent at the latest
            prices[i] = fmin(prices[i], prices[parent[i]]) if n_children[i] else 0.0
    free(links)
    return prices_array


# ---- complexities as rpart computes them while growing --------------------------------------------------------------


cdef struct Walk:
    const double* own
    const int32_t* first
    const int32_t* count
    double* risk  # of the subtree as pruned so far
    int64_t* splits
    double* complexity
    double* left  # working memory, by branch
    int32_t* order
    int32_t* spare


cdef double settle(Walk* walk, int32_t node, double* below, int64_t* inside) noexcept nogil:
    """A node's complexity, and the cost and the splits of its subtree when weaker children are pruned."""
    cdef int32_t first = walk.first[node], k, j, child
    cdef int n_children = walk.count[node]
    cdef double total
    inside[0] = 1
    for k in range(n_children):
        inside[0] += walk.splits[first + k]
        walk.left[k] = walk.risk[first + k]
    hb_sort_indices(walk.order, walk.spare, walk.complexity + first, n_children)
    for k in range(n_children):
        child = first + walk.order[k]
        total = 0.0
        for j in range(n_children):
            total += walk.left[j]
        if not (walk.own[node] - total) / inside[0] > walk.complexity[child]:
            break
        if walk.splits[child]:
            walk.left[walk.order[k]] = walk.own[child]
            inside[0] -= walk.splits[child]
    below[0] = 0.0
    for k in range(n_children):  # summed again, so that equal complexities stay equal
        below[0] += walk.left[k]
    return (walk.own[node] - below[0]) / inside[0]


def complexity_walk(const int32_t[::1] first_child, const int32_t[::1] n_children, const int32_t[::1] parent,
                    const double[::1] cost, double alpha):
    """Complexities, and which nodes are split if a split must save more than `alpha`.

    Depth first: the most that a branch can save depends on what the earlier branches saved.
    """
    cdef int64_t n = parent.shape[0], depth = 1, inside, i
    cdef int widest = int(np.max(n_children)) + 1
    complexity_array, splits_array = np.zeros(n), np.zeros(n, np.int64)
    cdef double[::1] complexity = complexity_array, risk = np.array(cost), bound = np.full(n, INFINITY)
    cdef double[::1] left = np.zeros(widest)
    cdef int64_t[::1] splits = splits_array
    cdef int32_t[:, ::1] order = np.zeros((2, widest), np.int32)
    cdef int32_t[::1] done = np.zeros(n, np.int32)  # finished branches
    cdef int32_t[::1] waiting = np.zeros(n, np.int32)
    cdef Walk walk
    cdef int32_t node, k, first
    cdef double over, together, saved, whole, below
    inner_array = np.zeros(n, np.uint8)
    cdef uint8_t[::1] inner = inner_array
    walk.own, walk.first, walk.count = &cost[0], &first_child[0], &n_children[0]
    walk.risk, walk.splits, walk.complexity = &risk[0], &splits[0], &complexity[0]
    walk.left, walk.order, walk.spare = &left[0], &order[0, 0], &order[1, 0]
    with nogil:
        while depth:
            node = waiting[depth - 1]
            first = first_child[node]
            if done[node] == 0:
                bound[node] = fmin(bound[node], cost[node])
                if n_children[node] == 0 or bound[node] <= alpha:
                    depth -= 1
                    continue
            if done[node] < n_children[node]:
                over = bound[node]
                if done[node]:
                    together = whole = 0.0
                    inside = 1
                    for k in range(first, first + done[node]):
                        together += risk[k]
                        whole += cost[k]
                        inside += splits[k]
                    saved = (cost[node] - together) / inside
                    over = fmin(over, fmax(saved, cost[node] - whole))
                bound[first + done[node]] = over - alpha
                waiting[depth] = first + done[node]
                depth += 1
                done[node] += 1
                continue
            depth -= 1
            complexity[node] = settle(&walk, node, &below, &inside)
            if complexity[node] > alpha:
                risk[node] = below
                splits[node] = inside
        inner[0] = splits[0] > 0
        for i in range(1, n):  # a node is pruned with its parent at the latest, and is not reached if that is a leaf
            complexity[i] = fmin(complexity[i], complexity[parent[i]])
            inner[i] = splits[i] > 0 and inner[parent[i]]
    return complexity_array, inner_array.astype(bool)
