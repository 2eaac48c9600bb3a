"""Clusters joined two by two, the nearest first, by a chain of nearest neighbors.

A chain leads from a cluster to its nearest neighbor, then to the nearest neighbor of that one, and so on. When two
clusters are nearest neighbors of each other, they are joined. If joining never moves a cluster nearer to a third one,
the result is that of always joining the two nearest clusters, in time quadratic in the number of rows. `by_matrix`
takes distances. `by_vectors` implements Ward's criterion for numbers: it needs the cluster centers, but no matrix.

The clusters that remain are contiguous in memory: the last one moves to the index of the one that was joined.

Distances that are infinite or NaN are treated as the largest. If rounding errors make the chain return to a cluster
that is already in it, its last two clusters are joined.
"""

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int64_t

from hornbeam.core.base.interrupt cimport poll

cdef extern from "hornbeam/core/clusters/agglomerate_loops.h":
    int64_t hb_a_nearest(const double* columns, const double* size, int64_t room, int64_t m, int64_t d, int64_t a,
                         int64_t before, double* least) noexcept nogil
    int64_t hb_a_least(const double* x, int64_t m, int64_t before, double* least) noexcept nogil

cdef enum:
    SINGLE = 0  # in the order of METHODS in the model
    COMPLETE = 1
    AVERAGE = 2
    WEIGHTED = 3
    WARD = 4


cdef class Chain:
    """Clusters at indices 0 to m - 1, the chain through them, and the merges so far."""

    cdef int64_t m, length, done
    cdef int64_t[::1] name, chain, first, second
    cdef double[::1] height, size

    def __cinit__(self, const double[::1] sizes):
        cdef int64_t n = sizes.shape[0]
        self.m, self.length, self.done = n, 0, 0
        self.name = np.arange(n)
        self.chain = np.empty(n, np.int64)
        self.first, self.second = np.empty(max(n - 1, 0), np.int64), np.empty(max(n - 1, 0), np.int64)
        self.height, self.size = np.empty(max(n - 1, 0)), np.array(sizes)

    cdef int64_t tip(self, int64_t* before) noexcept nogil:
        """The last cluster of the chain (a new chain starts at the first cluster) and the one before it, or -1."""
        if self.length == 0:
            self.chain[0], self.length = 0, 1
        before[0] = self.chain[self.length - 2] if self.length > 1 else -1
        return self.chain[self.length - 1]

    cdef bint goes_on(self, int64_t* near, int64_t tip, int64_t before) noexcept nogil:
        """Add the nearest cluster to the chain; False if it is the previous one, so that both must be joined."""
        if near[0] < 0:  # every distance is infinite or NaN: any other cluster will do
            near[0] = before if before >= 0 else (1 if tip == 0 else 0)
        if near[0] == before:
            return False
        if self.length == self.m:  # a cluster is in the chain twice because of rounding errors
            near[0] = before
            self.length = 2
            return False
        self.chain[self.length] = near[0]
        self.length += 1
        return True

    cdef void record(self, int64_t a, int64_t b, double height) noexcept nogil:
        """Join the clusters at a and b; a stays, the last cluster moves to b; both leave the chain."""
        self.first[self.done], self.second[self.done] = self.name[a], self.name[b]
        self.height[self.done] = height
        self.done += 1
        self.size[a] += self.size[b]
        self.m -= 1
        self.size[b], self.name[b] = self.size[self.m], self.name[self.m]
        self.length -= 2
        cdef int64_t i
        for i in range(self.length - 1, -1, -1):
            if self.chain[i] == self.m:
                self.chain[i] = b
                break

    def joined(self):
        return np.asarray(self.first), np.asarray(self.second), np.asarray(self.height)


def by_vectors(double[:, ::1] columns, const double[::1] sizes):
    """Ward's clusters of rows of numbers; `columns` (columns by rows) is overwritten.

    Returns a row of each of the two clusters and the height, for every merge, in no particular order.
    """
    if columns.shape[1] != sizes.shape[0]:
        raise ValueError(f"{columns.shape[1]} rows have {sizes.shape[0]} sizes")
    cdef Chain c = Chain(sizes)
    cdef int64_t room = columns.shape[1], d = columns.shape[0], tip, before, near, f, a, b
    cdef double least, both
    cdef const double* x = &columns[0, 0] if d and room else NULL
    with nogil:
        while c.m > 1:
            poll()
            tip = c.tip(&before)
            near = hb_a_nearest(x, &c.size[0], room, c.m, d, tip, before, &least)
            if c.goes_on(&near, tip, before):
                continue
            a, b = (tip, near) if tip < near else (near, tip)
            both = c.size[a] + c.size[b]
            for f in range(d):
                columns[f, a] = (c.size[a] * columns[f, a] + c.size[b] * columns[f, b]) / both
                columns[f, b] = columns[f, c.m - 1]
            c.record(a, b, sqrt(2.0 * least * (both - c.size[near])))
    return c.joined()


cdef inline double updated(int method, double one, double other, double apart, double n_one, double n_other,
                           double n_third) noexcept nogil:
    """The distance of a third cluster from two joined ones, computed from its distances to each of them."""
    if method == SINGLE:
        return one if one < other else other
    if method == COMPLETE:
        return one if one > other else other
    if method == AVERAGE:
        return (n_one * one + n_other * other) / (n_one + n_other)
    if method == WEIGHTED:
        return (one + other) / 2.0
    return ((n_one + n_third) * one + (n_other + n_third) * other - n_third * apart) / (n_one + n_other + n_third)


def by_matrix(double[:, ::1] apart, const double[::1] sizes, int method):
    """Clusters of rows from distances (for Ward: squared), with infinity on the diagonal; `apart` is overwritten.

    Returns a row of each of the two clusters and the distance, for every merge, in no particular order.
    """
    if apart.shape[0] != sizes.shape[0] or apart.shape[1] != sizes.shape[0]:
        raise ValueError(f"distances have the shape {(apart.shape[0], apart.shape[1])} for {sizes.shape[0]} rows")
    cdef Chain c = Chain(sizes)
    cdef int64_t tip, before, near, i, a, b, last
    cdef double least, value
    with nogil:
        while c.m > 1:
            poll()
            tip = c.tip(&before)
            near = hb_a_least(&apart[tip, 0], c.m, before, &least)
            if c.goes_on(&near, tip, before):
                continue
            a, b = (tip, near) if tip < near else (near, tip)
            last = c.m - 1
            for i in range(c.m):
                if i != a and i != b:
                    value = updated(method, apart[a, i], apart[b, i], least, c.size[a], c.size[b], c.size[i])
                    apart[a, i] = apart[i, a] = value
            if b != last:
                for i in range(last):
                    apart[b, i] = apart[i, b] = apart[last, i]
                apart[b, b] = INFINITY
            c.record(a, b, least)
    return c.joined()


def in_order(const int64_t[::1] first, const int64_t[::1] second, const double[::1] height):
    """Number the merges by height: rows are 0 to n - 1, merge i makes n + i; the lower number comes first."""
    cdef int64_t n = first.shape[0] + 1, i, one, other, at
    order = np.argsort(np.asarray(height), kind="stable")
    cdef int64_t[::1] sorted_at = order
    pairs, sizes = np.empty((n - 1, 2), np.int64), np.empty(n - 1, np.int64)
    cdef int64_t[:, ::1] pair = pairs
    cdef int64_t[::1] size = sizes, up = np.arange(2 * n - 1)
    cdef int64_t root[2]
    cdef int side
    for i in range(n - 1):
        at = sorted_at[i]
        for side in range(2):
            one = first[at] if side == 0 else second[at]
            while up[one] != one:
                up[one] = up[up[one]]
                one = up[one]
            root[side] = one
        one, other = (root[0], root[1]) if root[0] < root[1] else (root[1], root[0])
        pair[i, 0], pair[i, 1] = one, other
        up[one] = up[other] = n + i
        size[i] = (1 if one < n else size[one - n]) + (1 if other < n else size[other - n])
    return pairs, np.asarray(height)[order], sizes
