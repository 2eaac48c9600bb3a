"""Which inner nodes become leaves, from figures at the nodes alone: passes over a tree's flat arrays.

Children come after their parents, so what is summed from the leaves up is one reverse loop, and what is handed down one
forward loop.
"""

import numpy as np

from hornbeam.core.presort import sort_known

from libc.math cimport INFINITY, NAN, fabs
from libc.stdint cimport int32_t, int64_t, uint8_t


# ---- orders --------------------------------------------------------------------------------------------------------


def order_nodes(const int32_t[::1] first_child, const int32_t[::1] n_children):
    """Nodes that can be reached from the root, in the order a depth-first walk expands them."""
    cdef int64_t n = first_child.shape[0], placed = 1, depth = 1
    order_array = np.zeros(n, np.int32)
    cdef int32_t[::1] order = order_array
    cdef int32_t[::1] waiting = np.zeros(n, np.int32)
    cdef int32_t node, b
    with nogil:
        while depth:
            depth -= 1
            node = waiting[depth]
            for b in range(n_children[node]):
                order[placed] = first_child[node] + b
                placed += 1
            for b in range(n_children[node] - 1, -1, -1):
                waiting[depth] = first_child[node] + b
                depth += 1
    return order_array[:placed]


def renumber(const int32_t[::1] first_child, const int32_t[::1] n_children):
    """Nodes as `order_nodes` gives them, and the parents, first children and splits (in order) that they get there."""
    cdef int64_t n = first_child.shape[0], i, kept
    order_array = order_nodes(first_child, n_children)
    kept = len(order_array)
    parent_array, first_array = np.full(kept, -1, np.int32), np.full(kept, -1, np.int32)
    split_array = np.full(kept, -1, np.int32)
    cdef const int32_t[::1] order = order_array
    cdef int32_t[::1] parent = parent_array, first = first_array, split = split_array
    cdef int32_t[::1] number = np.empty(n, np.int32)
    cdef int32_t node, b, n_splits = 0
    with nogil:
        for i in range(kept):
            number[order[i]] = <int32_t>i
        for i in range(kept):
            node = order[i]
            if n_children[node] == 0:
                continue
            first[i] = number[first_child[node]]
            split[i] = n_splits
            n_splits += 1
            for b in range(n_children[node]):
                parent[first[i] + b] = <int32_t>i
    return order_array, parent_array, first_array, split_array


def leaves_first(const int32_t[::1] first_child, const int32_t[::1] n_children):
    """Inner nodes, each after all that lies below it, branches in order."""
    cdef int64_t n = first_child.shape[0], place = n, depth = 1
    order_array = np.zeros(n, np.int32)
    cdef int32_t[::1] order = order_array
    cdef int32_t[::1] waiting = np.zeros(n, np.int32)
    cdef int32_t node, b
    with nogil:
        while depth:  # every node before what lies below it, last branch first: the order wanted, backwards
            depth -= 1
            node = waiting[depth]
            if n_children[node]:
                place -= 1
                order[place] = node
            for b in range(n_children[node]):
                waiting[depth] = first_child[node] + b
                depth += 1
    return order_array[place:]


# ---- from the leaves up --------------------------------------------------------------------------------------------


def sum_over_leaves(const int32_t[::1] parent, const int32_t[::1] n_children, const double[::1] leaf_values):
    """For every node, the sum of `leaf_values` over the leaves below it."""
    cdef int64_t i, n = parent.shape[0]
    sums = np.zeros(n)
    cdef double[::1] total = sums
    with nogil:
        for i in range(n - 1, -1, -1):
            if n_children[i] == 0:
                total[i] = leaf_values[i]
            if parent[i] >= 0:
                total[parent[i]] += total[i]
    return sums


def sum_of_children(const int32_t[::1] parent, const double[::1] values):
    """For every node, the sum of `values` at its children."""
    cdef int64_t i, n = parent.shape[0]
    sums = np.zeros(n)
    cdef double[::1] total = sums
    with nogil:
        for i in range(1, n):
            total[parent[i]] += values[i]
    return sums


def sum_upwards(const int32_t[::1] parent, double[:, ::1] values):
    """Add to each node's figures those of all nodes below it, in place."""
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
            at = node[i]
            moments[at, 0] += weight[i]
            distance = number[i] - moments[at, 1]
            moments[at, 1] += distance * weight[i] / moments[at, 0]
            moments[at, 2] += weight[i] * distance * (number[i] - moments[at, 1])
    return found


cdef inline void join_moments(const double* own, double* joined) noexcept nogil:
    """Join the numbers (weight, mean, squared deviations) of one set to those of another."""
    cdef double weight = joined[0] + own[0]
    cdef double part = own[0] / weight
    cdef double distance = own[1] - joined[1]
    joined[2] += own[2] + distance * joined[0] * part * distance  # nothing where there was nothing, however far
    joined[1] += distance * part
    joined[0] = weight


def merge_upwards(const int32_t[::1] parent, double[:, ::1] moments):
    """Join to each node's numbers (weight, mean, squared deviations) those of all nodes below it, in place."""
    cdef int64_t i
    with nogil:
        for i in range(parent.shape[0] - 1, 0, -1):
            if moments[i, 0] > 0.0:
                join_moments(&moments[i, 0], &moments[parent[i], 0])


def squared_errors(const double[:, ::1] moments, const double[:] answer):
    """Squared errors of each node's numbers (weight, mean, squared deviations) by its answer."""
    cdef int64_t i, n = moments.shape[0]
    found = np.empty(n)
    cdef double[::1] errors = found
    with nogil:
        for i in range(n):
            errors[i] = squared_error(&moments[i, 0], answer[i])
    return found


cdef inline double squared_error(const double* moments, double answer) noexcept nogil:
    cdef double distance = moments[1] - answer
    return moments[2] + moments[0] * (distance * distance)


def squared_errors_upwards(const int32_t[::1] parent, double[:, ::1] moments, const double[:] answer):
    """`merge_upwards` and then `squared_errors`, in one pass over the nodes."""
    cdef int64_t i, n = parent.shape[0]
    found = np.zeros(n)
    cdef double[::1] errors = found
    with nogil:
        for i in range(n - 1, -1, -1):
            if moments[i, 0] > 0.0:
                errors[i] = squared_error(&moments[i, 0], answer[i])
                if i:
                    join_moments(&moments[i, 0], &moments[parent[i], 0])
    return found


def greatest_below(const int32_t[::1] parent, const int32_t[::1] n_children, const double[::1] values):
    """For every inner node the greatest of `values` at it and at the inner nodes below it; -inf at leaves."""
    cdef int64_t i, n = parent.shape[0]
    greatest = np.full(n, -INFINITY)
    cdef double[::1] most = greatest
    with nogil:
        for i in range(n - 1, -1, -1):
            if n_children[i] == 0:
                continue
            if values[i] > most[i]:
                most[i] = values[i]
            if i and most[i] > most[parent[i]]:
                most[parent[i]] = most[i]
    return greatest


def cheapest(const int32_t[::1] parent, const int32_t[::1] n_children, const double[::1] leaf_cost,
             split_cost, double margin, double relative, bint prune_ties):
    """From the leaves up, make a leaf of every node that costs no more as one than with what is left below it.

    Parameters
    ----------
    leaf_cost : array
        What each node costs as a leaf.
    split_cost : array or None
        What a node that is split costs itself, beside its children; nothing without it.
    margin, relative : float
        How much more a leaf may cost: `margin`, and `relative` times its cost.
    prune_ties : bool
        Whether a leaf that costs just that much is taken.

    Returns
    -------
    What each node costs split (NaN at leaves), and which inner nodes become leaves.
    """
    cdef int64_t i, n = parent.shape[0]
    below_array, leaf_array = np.empty(n), np.empty(n, np.uint8)
    cdef double[::1] below = below_array
    cdef double[::1] best = np.zeros(n) if split_cost is None else np.array(split_cost)  # children add theirs
    cdef uint8_t[::1] leaf = leaf_array
    cdef double own, split, bound
    cdef bint inner, taken
    with nogil:
        for i in range(n - 1, -1, -1):  # no branches: which nodes are leaves, or become leaves, is hard to foresee
            inner = n_children[i] > 0
            own = leaf_cost[i]
            split = best[i]
            bound = split + margin + relative * fabs(own)
            taken = (own < bound) | (prune_ties & (own == bound))
            leaf[i] = inner & taken
            below[i] = split if inner else NAN
            best[i] = own if taken | (not inner) else split
            if i:
                best[parent[i]] += best[i]
    return below_array, leaf_array.view(np.bool_)


def without_weak(const int32_t[::1] parent, const int32_t[::1] first_child, const int32_t[::1] n_children,
                 const double[::1] own, const double[::1] below, double slack, bint prune_ties):
    """Remove the node whose removal saves most, again and again; give the nodes in that order.

    `own` is what a node costs as a leaf, `below` what the leaves below it cost together. Once a node is removed, the
    nodes above it save no more by their removal than nothing, since none of them saved more than that one did: so no
    figure has to be kept up to date. A second pass removes what costs nothing to remove (`prune_ties`), from the top.
    """
    cdef int64_t n = parent.shape[0], i, place, found = 0, above
    gain_array = np.where(np.asarray(n_children) > 0, np.asarray(below) - np.asarray(own), -INFINITY)
    cdef double[::1] gain = gain_array
    worth_it = np.flatnonzero(gain_array > slack)
    cdef int64_t[::1] order = worth_it[sort_known(-gain_array[worth_it])]
    removed_array = np.zeros(n, np.int32)
    cdef int32_t[::1] removed = removed_array
    cdef uint8_t[::1] holds = np.zeros(n, np.uint8)  # a node below it was removed
    cdef uint8_t[::1] gone = np.zeros(n, np.uint8)  # it, or a node above it, was removed
    cdef double[::1] saved = np.zeros(n)  # by removing nodes below
    cdef int32_t[::1] waiting = np.zeros(n, np.int32)
    cdef int64_t depth, c
    with nogil:
        for place in range(order.shape[0]):
            i = order[place]
            if holds[i] or gone[i]:
                continue
            removed[found] = <int32_t>i
            found += 1
            saved[i] = gain[i]
            depth = 1
            waiting[0] = <int32_t>i
            while depth:
                depth -= 1
                c = waiting[depth]
                gone[c] = 1
                for above in range(first_child[c], first_child[c] + n_children[c]):
                    waiting[depth] = <int32_t>above
                    depth += 1
            above = parent[i]
            while above >= 0 and not holds[above]:
                holds[above] = 1
                above = parent[above]
        if prune_ties:
            for i in range(n - 1, 0, -1):
                saved[parent[i]] += saved[i]
            for i in range(n):
                if i and gone[parent[i]]:
                    gone[i] = 1
                elif n_children[i] and not gone[i] and gain[i] - saved[i] >= -slack:
                    removed[found] = <int32_t>i
                    found += 1
                    gone[i] = 1
    return removed_array[:found]


# ---- from the root down --------------------------------------------------------------------------------------------


def first_above(const int32_t[::1] parent, const int64_t[::1] steps, int64_t never):
    """For every node the least of `steps` at the nodes above it; `never` at the root."""
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
    """Which nodes lie strictly below a chosen one."""
    cdef int64_t i, n = parent.shape[0]
    below_array = np.zeros(n, np.uint8)
    cdef uint8_t[::1] below = below_array
    with nogil:
        for i in range(1, n):
            below[i] = below[parent[i]] or chosen[parent[i]]
    return below_array.astype(bool)


def stopping_places(const int32_t[::1] parent, const uint8_t[::1] leaf):
    """For every node the first on the way to it that is a leaf; itself where there is none."""
    cdef int64_t i, n = parent.shape[0]
    stop_array = np.zeros(n, np.int32)
    cdef int32_t[::1] stop = stop_array
    with nogil:
        for i in range(1, n):
            stop[i] = stop[parent[i]] if leaf[stop[parent[i]]] else <int32_t>i
    return stop_array


def depths(const int32_t[::1] parent):
    """How many splits lie above each node."""
    cdef int64_t i, n = parent.shape[0]
    depth_array = np.zeros(n, np.int64)
    cdef int64_t[::1] depth = depth_array
    with nogil:
        for i in range(1, n):
            depth[i] = depth[parent[i]] + 1
    return depth_array


# ---- step by step --------------------------------------------------------------------------------------------------


def tally_leaves(const int64_t[::1] start, const int64_t[::1] stop, const double[::1] figure, int64_t n_steps):
    """For every step the sum of `figure` over the nodes that are leaves then: from `start` on and before `stop`."""
    cdef int64_t i
    change_array = np.zeros(n_steps + 1)
    cdef double[::1] change = change_array
    with nogil:
        for i in range(start.shape[0]):
            if start[i] < stop[i]:
                change[start[i]] += figure[i]
                change[stop[i]] -= figure[i]
    return np.cumsum(change_array[:n_steps])


def tally_sizes(const int64_t[::1] start, const int64_t[::1] stop, int64_t n_steps):
    """For every step how many leaves and how many inner nodes there are then."""
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


def tally_inner(const int64_t[::1] start, const int64_t[::1] stop, const double[::1] figure, int64_t n_steps):
    """For every step the sum of `figure` over the nodes that are not yet leaves then, and are still there."""
    cdef int64_t i
    change_array = np.zeros(n_steps + 1)
    cdef double[::1] change = change_array
    with nogil:
        for i in range(start.shape[0]):
            if start[i] > 0:
                change[0] += figure[i]
                change[start[i] if start[i] < stop[i] else stop[i]] -= figure[i]
    return np.cumsum(change_array[:n_steps])
