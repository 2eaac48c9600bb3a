"""Reordering the nodes of a tree, or removing those below new leaves: passes over a tree's flat arrays."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t

from hornbeam.core.base.memory cimport hb_fetch

cdef enum:
    AHEAD = 32  # how many entries ahead to prefetch


def order_nodes(const int32_t[::1] first_child, const int32_t[::1] n_children):
    """Nodes reachable from the root, in the order in which a depth-first walk expands them; see `cut_below`."""
    cdef int64_t n = first_child.shape[0], placed = 1, depth = 1, at
    order_array = np.zeros(n, np.intp)
    parent_array, first_array = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
    cdef int64_t[::1] order = order_array
    cdef int32_t[::1] parent = parent_array, first = first_array
    cdef int64_t[::1] waiting = np.zeros(n, np.int64)
    cdef int32_t b
    with nogil:
        while depth:
            depth -= 1
            at = waiting[depth]
            if n_children[order[at]]:
                first[at] = <int32_t>placed
            depth += n_children[order[at]]
            for b in range(n_children[order[at]]):
                order[placed] = first_child[order[at]] + b
                parent[placed] = <int32_t>at
                waiting[depth - 1 - b] = placed
                placed += 1
    return order_array[:placed], parent_array[:placed].copy(), first_array[:placed].copy()


def cut_below(const int32_t[::1] parent, const int32_t[::1] n_children, const uint8_t[::1] leaf):
    """The remaining nodes of a tree in which these nodes become leaves, in the same order.

    Returns
    -------
    The remaining nodes, and their new parents and first children.
    """
    cdef int64_t n = parent.shape[0], i, kept = 0
    order_array = np.empty(n + 1, np.intp)
    cdef int64_t[::1] order = order_array
    cdef int32_t[::1] number = np.empty(n, np.int32)
    cdef uint8_t[::1] split = np.empty(n, np.uint8)  # whether the node is still split
    cdef bint there
    with nogil:
        for i in range(n):  # branchless, because the branches would be unpredictable
            there = i == 0 or split[parent[i]]
            split[i] = there & (n_children[i] > 0) & (not leaf[i])
            order[kept] = i
            number[i] = <int32_t>kept
            kept += there
    parent_array, first_array = np.empty(kept, np.int32), np.full(kept, -1, np.int32)
    cdef int32_t[::1] new_parent = parent_array, first = first_array
    with nogil:
        new_parent[0] = -1
        for i in range(kept - 1, 0, -1):
            new_parent[i] = number[parent[order[i]]]
            first[new_parent[i]] = <int32_t>i  # written last by the first child
    return order_array[:kept], parent_array, first_array


def take_splits(const int64_t[::1] order, const int32_t[::1] first_child, const int32_t[::1] n_children,
                const int32_t[::1] split, const int32_t[::1] missing, int32_t no_split):
    """For reordered nodes: their numbers of children, splits (renumbered) and routes of missing values.

    Parameters
    ----------
    order, first_child : array
        The results of `order_nodes` or `cut_below`.
    n_children, split, missing : array
        Indexed by the old numbers.
    no_split : int
        What `missing` is at a leaf.

    Returns
    -------
    The three arrays, and the old numbers of the splits.
    """
    cdef int64_t i, n = order.shape[0], node
    count_array, split_array = np.empty(n, np.int32), np.empty(n, np.int32)
    missing_array, taken_array = np.empty(n, np.int32), np.empty(n + 1, np.intp)
    cdef int32_t[::1] count = count_array, new_split = split_array, new_missing = missing_array
    cdef int64_t[::1] taken = taken_array
    cdef int32_t n_splits = 0
    cdef bint inner
    with nogil:
        for i in range(n):
            if i + AHEAD < n:
                hb_fetch(&n_children[order[i + AHEAD]])
                hb_fetch(&split[order[i + AHEAD]])
                hb_fetch(&missing[order[i + AHEAD]])
            node = order[i]
            inner = first_child[i] >= 0
            count[i] = n_children[node] if inner else 0
            new_split[i] = n_splits if inner else -1
            new_missing[i] = missing[node] if inner else no_split
            taken[n_splits] = split[node]
            n_splits += inner
    return count_array, split_array, missing_array, taken_array[:n_splits]


def leaves_first(const int32_t[::1] first_child, const int32_t[::1] n_children):
    """Inner nodes, each after all nodes below it, branches in order."""
    cdef int64_t n = first_child.shape[0], place = n, depth = 1
    order_array = np.zeros(n, np.int32)
    cdef int32_t[::1] order = order_array
    cdef int32_t[::1] waiting = np.zeros(n, np.int32)
    cdef int32_t node, b
    with nogil:
        while depth:  # every node before its descendants, last branch first: the reverse of the result
            depth -= 1
            node = waiting[depth]
            if n_children[node]:
                place -= 1
                order[place] = node
            for b in range(n_children[node]):
                waiting[depth] = first_child[node] + b
                depth += 1
    return order_array[place:]
