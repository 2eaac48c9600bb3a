"""Which inner nodes become leaves, using only numbers at the nodes: passes over a tree's flat arrays.

Children come after their parents, so sums from the leaves up are one reverse loop, and what is passed down is one
forward loop.
"""

import numpy as np

from hornbeam.core.rows.presort import sort_known

from libc.math cimport INFINITY, NAN, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t

from hornbeam.core.base.memory cimport hb_fetch

cdef enum:
    AHEAD = 32  # how many entries ahead to prefetch


# ---- from the leaves up --------------------------------------------------------------------------------------------


cdef int32_t[::1] inner_nodes(const int32_t[::1] n_children):
    """The inner nodes: iterating over these is faster than testing every node."""
    cdef int64_t i, n = n_children.shape[0], found = 0
    cdef int32_t[::1] inner = np.empty(n + 1, np.int32)
    with nogil:
        for i in range(n):
            inner[found] = <int32_t>i
            found += n_children[i] > 0
    return inner[:found]


def sum_over_leaves(const int32_t[::1] first_child, const int32_t[::1] n_children, leaf_values):
    """For every node, the sum of `leaf_values` over the leaves below it."""
    sums = np.array(leaf_values, np.float64)
    cdef double[::1] total = sums
    cdef int32_t[::1] inner = inner_nodes(n_children)
    cdef int64_t place, i, c
    cdef double added
    with nogil:
        for place in range(inner.shape[0] - 1, -1, -1):
            i = inner[place]
            added = 0.0
            for c in range(first_child[i] + n_children[i] - 1, first_child[i] - 1, -1):
                added += total[c]
            total[i] = added
    return sums


def left_at(const int32_t[::1] first_child, const int32_t[::1] n_children, const double[::1] values):
    """For every inner node, its value minus those of its children; 0 at leaves."""
    rest_array = np.zeros(n_children.shape[0])
    cdef double[::1] rest = rest_array
    cdef int32_t[::1] inner = inner_nodes(n_children)
    cdef int64_t place, i, c
    cdef double total
    with nogil:
        for place in range(inner.shape[0]):
            i = inner[place]
            total = 0.0
            for c in range(first_child[i], first_child[i] + n_children[i]):
                total += values[c]
            rest[i] = values[i] - total
    return rest_array


def sum_upwards(const int32_t[::1] parent, double[:, ::1] values):
    """Add to each node's values those of all nodes below it, in place."""
    cdef int64_t i, k, n = parent.shape[0]
    with nogil:
        for i in range(n - 1, 0, -1):
            for k in range(values.shape[1]):
                values[parent[i], k] += values[i, k]


def moments_at(const int32_t[::1] node, const double[::1] weight, const double[::1] number, int64_t n_nodes):
    """Weight, mean and squared deviations of the numbers that end at each node."""
    cdef int64_t i, at
    cdef double distance
    found = np.zeros((n_nodes, 3))
    cdef double[:, ::1] moments = found
    with nogil:
        for i in range(node.shape[0]):
            if i + AHEAD < node.shape[0]:
                hb_fetch(&moments[node[i + AHEAD], 0])
            at = node[i]
            moments[at, 0] += weight[i]
            distance = number[i] - moments[at, 1]
            moments[at, 1] += distance * weight[i] / moments[at, 0]
            moments[at, 2] += weight[i] * distance * (number[i] - moments[at, 1])
    return found


cdef inline void join_moments(const double* own, double* joined) noexcept nogil:
    """Join the numbers (weight, mean, squared deviations) of one set to those of another."""
    cdef double weight = joined[0] + own[0]
    cdef double part = own[0] / (weight if weight > 0.0 else 1.0)
    cdef double distance = own[1] - joined[1]
    joined[2] += own[2] + distance * joined[0] * part * distance  # zero if the set was empty, however far
    joined[1] += distance * part
    joined[0] = weight


def merge_upwards(const int32_t[::1] parent, double[:, ::1] moments):
    """Join to each node's numbers (weight, mean, squared deviations) those of all nodes below it, in place."""
    cdef int64_t i
    with nogil:
        for i in range(parent.shape[0] - 1, 0, -1):
            join_moments(&moments[i, 0], &moments[parent[i], 0])


def squared_errors(const double[:, ::1] moments, const double[:] prediction):
    """Squared errors of each node's numbers (weight, mean, squared deviations) by its prediction."""
    cdef int64_t i, n = moments.shape[0]
    found = np.empty(n)
    cdef double[::1] errors = found
    with nogil:
        for i in range(n):
            errors[i] = squared_error(&moments[i, 0], prediction[i])
    return found


cdef inline double squared_error(const double* moments, double prediction) noexcept nogil:
    cdef double distance = moments[1] - prediction
    return moments[2] + moments[0] * (distance * distance)


def squared_errors_upwards(
    const int32_t[::1] first_child, const int32_t[::1] n_children, double[:, ::1] moments, const double[:] prediction,
):
    """Squared errors of the numbers that pass each node, and of those that end at inner nodes (None if there are none).

    `moments` are those of the numbers that end at a node; they become those of all that pass it.
    """
    cdef int32_t[::1] inner = inner_nodes(n_children)
    cdef int64_t place, i, c
    cdef bint some_end = False
    found = np.empty(n_children.shape[0])
    cdef double[::1] errors = found
    with nogil:
        for place in range(inner.shape[0]):
            some_end |= moments[inner[place], 0] > 0.0
    ended = np.where(np.asarray(n_children) > 0, squared_errors(moments, prediction), 0.0) if some_end else None
    with nogil:
        for place in range(inner.shape[0] - 1, -1, -1):
            i = inner[place]
            c = first_child[i] + n_children[i] - 1
            if moments[i, 0] == 0.0:  # the usual case: no row ends at an inner node
                moments[i, 0], moments[i, 1], moments[i, 2] = moments[c, 0], moments[c, 1], moments[c, 2]
                errors[c] = squared_error(&moments[c, 0], prediction[c])
                c -= 1
            for c in range(c, first_child[i] - 1, -1):
                join_moments(&moments[c, 0], &moments[i, 0])
                errors[c] = squared_error(&moments[c, 0], prediction[c])
        errors[0] = squared_error(&moments[0, 0], prediction[0])
    return found, ended


def greatest_below(const int32_t[::1] first_child, const int32_t[::1] n_children, const double[::1] values):
    """For every inner node, the maximum of `values` at it and at the inner nodes below it; -inf at leaves."""
    greatest = np.full(n_children.shape[0], -INFINITY)
    find_greatest(inner_nodes(n_children), first_child, n_children, values, greatest)
    return greatest


cdef void find_greatest(
    const int32_t[::1] inner, const int32_t[::1] first_child, const int32_t[::1] n_children,
    const double[::1] values,  # IN
    double[::1] most,  # OUT: at leaves it is -inf already
) noexcept nogil:
    cdef int64_t place, i, c
    cdef double found
    for place in range(inner.shape[0] - 1, -1, -1):
        i = inner[place]
        found = most[first_child[i]]
        for c in range(first_child[i] + 1, first_child[i] + n_children[i]):
            found = most[c] if most[c] > found else found
        most[i] = values[i] if values[i] > found else found


def cheapest(const int32_t[::1] first_child, const int32_t[::1] n_children, const double[::1] leaf_cost,
             const double[::1] split_cost, double margin, double relative, bint prune_ties):
    """From the leaves up, turn every node into a leaf whose cost as a leaf is not higher than that of its subtree.

    Parameters
    ----------
    leaf_cost : array
        The cost of each node as a leaf.
    split_cost : array or None
        The additional cost of a split node itself; without it, none.
    margin, relative : float
        How much more a leaf may cost: `margin`, plus `relative` times its cost.
    prune_ties : bool
        Whether a node becomes a leaf if its cost is exactly at that limit.

    Returns
    -------
    The cost of each node when split (NaN at leaves), and which inner nodes become leaves.
    """
    cdef int64_t n = n_children.shape[0], place, i, c
    below_array, leaf_array = np.full(n, NAN), np.zeros(n, np.uint8)
    cdef double[::1] below = below_array
    cdef double[::1] best = np.array(leaf_cost)
    cdef uint8_t[::1] leaf = leaf_array
    cdef int32_t[::1] inner = inner_nodes(n_children)
    cdef double own, split, bound
    cdef double[2] costs  # looked up, not branched on, because the branch would be unpredictable
    cdef bint taken, priced = split_cost is not None
    with nogil:
        for place in range(inner.shape[0] - 1, -1, -1):
            i = inner[place]
            split = split_cost[i] if priced else 0.0
            for c in range(first_child[i] + n_children[i] - 1, first_child[i] - 1, -1):
                split += best[c]
            own = leaf_cost[i]
            bound = split + margin + relative * fabs(own)
            taken = (own < bound) | (prune_ties & (own == bound))
            leaf[i] = taken
            below[i] = split
            costs[0] = split
            costs[1] = own
            best[i] = costs[taken]
    return below_array, leaf_array.view(np.bool_)


def without_weak(const int32_t[::1] parent, const int32_t[::1] first_child, const int32_t[::1] n_children,
                 own, below, double slack, bint prune_ties):
    """Repeatedly remove the subtree whose removal saves most; returns the nodes in that order.

    `own` is the cost of a node as a leaf, `below` the total cost of the leaves below it. Once a subtree is removed, the
    nodes above it no longer save anything by their removal, since none of them saved more than that one: so no number
    has to be updated, and what is removed are the topmost of the nodes that save at least as much as any node below
    them. A second pass removes, from the top, subtrees whose removal costs nothing (`prune_ties`).
    """
    cdef int64_t n = parent.shape[0], i, c, place, found = 0
    cdef double total
    cdef int32_t[::1] inner = inner_nodes(n_children)
    gain_array = np.asarray(below) - np.asarray(own)
    cdef const double[::1] gain = gain_array
    cdef double[::1] most = np.full(n, -INFINITY)  # at the node or below it
    removed_array = np.empty(inner.shape[0] + 1, np.intp)
    cdef int64_t[::1] removed = removed_array
    cdef uint8_t[::1] gone = np.zeros(n, np.uint8)  # the node, or one above it, was removed
    cdef bint over, goes
    with nogil:
        find_greatest(inner, first_child, n_children, gain, most)
        for place in range(inner.shape[0]):  # branchless, because the branches would be unpredictable
            i = inner[place]
            over = i > 0 and gone[parent[i]]
            goes = (not over) & (gain[i] >= most[i]) & (gain[i] > slack)
            removed[found] = i
            found += goes
            gone[i] = over | goes
    order = sort_known(-gain_array[removed_array[:found]])
    removed_array[:found] = removed_array[:found][order]
    if not prune_ties:
        return removed_array[:found]
    cdef double[::1] saved = np.zeros(n)  # at the node and below it
    with nogil:
        for place in range(found):
            saved[removed[place]] = gain[removed[place]]
        for place in range(inner.shape[0] - 1, -1, -1):
            i = inner[place]
            if gone[i]:
                continue
            total = 0.0
            for c in range(first_child[i], first_child[i] + n_children[i]):
                total += saved[c]
            saved[i] = total
        for place in range(inner.shape[0]):
            i = inner[place]
            over = gone[i] or (i > 0 and gone[parent[i]])
            goes = (not over) & (gain[i] - saved[i] >= -slack)
            removed[found] = i
            found += goes
            gone[i] = over | goes
    return removed_array[:found]


# ---- from the root down --------------------------------------------------------------------------------------------


def first_above(const int32_t[::1] parent, const int64_t[::1] steps, int64_t never):
    """For every node, the minimum of `steps` at the nodes above it; `never` at the root."""
    cdef int64_t i, n = parent.shape[0]
    least_array = np.empty(n, np.int64)
    cdef int64_t[::1] least = least_array
    with nogil:
        least[0] = never
        for i in range(1, n):
            least[i] = least[parent[i]]
            if steps[parent[i]] < least[i]:
                least[i] = steps[parent[i]]
    return least_array


def nodes_below(const int32_t[::1] parent, const uint8_t[::1] chosen):
    """Which nodes are strictly below a chosen one."""
    cdef int64_t i, n = parent.shape[0]
    below_array = np.zeros(n, np.uint8)
    cdef uint8_t[::1] below = below_array
    with nogil:
        for i in range(1, n):
            below[i] = below[parent[i]] or chosen[parent[i]]
    return below_array.astype(bool)


def depths(const int32_t[::1] parent):
    """The number of splits above each node."""
    cdef int64_t i, n = parent.shape[0]
    depth_array = np.zeros(n, np.int64)
    cdef int64_t[::1] depth = depth_array
    with nogil:
        for i in range(1, n):
            depth[i] = depth[parent[i]] + 1
    return depth_array


# ---- step by step --------------------------------------------------------------------------------------------------


def tally_leaves(const int64_t[::1] start, const int64_t[::1] stop, const double[::1] number, int64_t n_steps):
    """For every step, the sum of `number` over the nodes that are leaves then: from `start` on and before `stop`."""
    cdef int64_t i
    change_array = np.zeros(n_steps + 1)
    cdef double[::1] change = change_array
    with nogil:
        for i in range(start.shape[0]):
            if start[i] < stop[i]:
                change[start[i]] += number[i]
                change[stop[i]] -= number[i]
    return np.cumsum(change_array[:n_steps])


def tally_sizes(const int64_t[::1] start, const int64_t[::1] stop, int64_t n_steps):
    """For every step, the number of leaves and of inner nodes."""
    cdef int64_t i
    leaves_array, inner_array = np.zeros(n_steps + 1, np.int64), np.zeros(n_steps + 1, np.int64)
    cdef int64_t[::1] leaves = leaves_array, inner = inner_array
    with nogil:
        for i in range(start.shape[0]):
            if start[i] < stop[i]:
                leaves[start[i]] += 1
                leaves[stop[i]] -= 1
            if start[i] > 0:
                inner[0] += 1
                inner[start[i] if start[i] < stop[i] else stop[i]] -= 1
    return np.cumsum(leaves_array[:n_steps]), np.cumsum(inner_array[:n_steps])


def tally_inner(const int64_t[::1] start, const int64_t[::1] stop, const double[::1] number, int64_t n_steps):
    """For every step, the sum of `number` over the nodes that are still inner nodes then."""
    cdef int64_t i
    change_array = np.zeros(n_steps + 1)
    cdef double[::1] change = change_array
    with nogil:
        for i in range(start.shape[0]):
            if start[i] > 0:
                change[0] += number[i]
                change[start[i] if start[i] < stop[i] else stop[i]] -= number[i]
    return np.cumsum(change_array[:n_steps])
