"""Concept formation row by row: a tree of nodes with statistics of their rows, guided by category utility.

A row enters at the root; at every node it joins the best child, or becomes a child of its own, or the two best children
are merged and it joins both, or the best child is replaced by its children: whichever gives the highest category
utility. After a replacement that helps, the choice is made again; one that does not help ends it. What a child gains
from the row depends on the child alone, so it is computed once per row, and the utilities of all choices are sums that
differ by one term.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.base.memory cimport enlarge, hb_pool, hb_pool_free, take

cdef extern from "hornbeam/core/clusters/concepts_loops.h":
    double hb_c_sharp(const double* f, const double* g, const double* row, int64_t m, double least) noexcept nogil
    double hb_c_alike(const double* known, const double* squares, const double* more, const double* extra,
                      int64_t m) noexcept nogil

cdef double NORMAL = 0.28209479177387814  # 1 / (2 sqrt(pi)): the integral of a normal density's square, times sd
cdef double SAME = 1e-11  # utilities that differ by less are equal: the difference is rounding

cdef enum:
    JOIN = 0
    ALONE = 1
    MERGE = 2


include "concepts_nodes.pxi"


cdef class Concepts(Nodes):
    """A tree of concepts that grows row by row."""

    cdef readonly int64_t merges, splits
    cdef Numbers now, chosen, opened, walk  # `now`: the children that a row may join
    cdef double* gains  # of those
    cdef int64_t gains_room

    def __dealloc__(self):
        free(self.now.at)
        free(self.chosen.at)
        free(self.opened.at)
        free(self.walk.at)
        free(self.gains)

    # ---- adding a row ----

    cdef int64_t new_leaf(self, int64_t row) except -1 nogil:
        cdef int64_t node = self.new_node()
        self.grow(node)
        push(&self.nodes[node].rows, row)
        return node

    cdef int add(self, int64_t row) except -1 nogil:
        cdef int64_t node = 0
        self.serial += 1
        self.take_row()
        self.row_score = self.worth_with(self.zeros)
        while node >= 0:
            if self.nodes[node].children.size == 0:
                self.at_leaf(node, row)
                return 0
            self.grow(node)
            node = self.place(node, row)
        return 0

    cdef int at_leaf(self, int64_t node, int64_t row) except -1 nogil:
        """Add the row to the leaf, or turn the leaf into a node with two leaves: the old rows, and the new row."""
        cdef double before = self.nodes[node].weight, was = self.nodes[node].score, utility
        cdef int64_t old, new
        if before == 0.0:
            self.grow(node)
            push(&self.nodes[node].rows, row)
            return 0
        old = self.new_node()
        memcpy(self.stats + old * self.width, self.stats + node * self.width, self.width * sizeof(double))
        self.grow(node)
        utility = (before * was + self.row_weight * self.row_score) / self.nodes[node].weight
        utility = (utility - self.nodes[node].score) / 2.0
        if utility < self.cutoff - SAME:
            push(&self.spare, old)
            push(&self.nodes[node].rows, row)
            return 0
        self.nodes[old].weight, self.nodes[old].score = before, was
        self.nodes[old].rows, self.nodes[node].rows = self.nodes[node].rows, self.nodes[old].rows
        new = self.new_leaf(row)
        self.nodes[node].children.size = 0
        push(&self.nodes[node].children, old)
        push(&self.nodes[node].children, new)
        return 0

    cdef int64_t place(self, int64_t node, int64_t row) except -2 nogil:
        """The child that the row goes to; -1: it has been placed. The node's statistics already include the row."""
        cdef Numbers* now = &self.now
        cdef int64_t i, k, best, second, child, step = 0, taken = 0, kind, chosen_kind = 0, one = 0, other = 0, new
        cdef double held, whole = self.nodes[node].weight, base = self.nodes[node].score
        cdef double host, alone, merged, own, top = -1e300
        cdef double* gains
        now.size = 0
        held = self.offer(node)
        self.opened.size = 0
        while True:
            k, gains = now.size, self.gains
            best = second = 0
            for i in range(1, k):
                if gains[i] > gains[best] + SAME * whole:
                    second, best = best, i
                elif second == best or gains[i] > gains[second] + SAME * whole:
                    if not self.first_alone or best != 0:
                        second = i
            host = ((held + gains[best]) / whole - base) / k
            alone = ((held + self.row_weight * self.row_score) / whole - base) / (k + 1)
            own, kind = host, JOIN
            if alone >= host - SAME:
                own, kind = alone, ALONE
            if best != second and k > 2:
                merged = ((held + self.gain_together(now.at[best], now.at[second])) / whole - base) / (k - 1)
                if merged > own + SAME:
                    own, kind = merged, MERGE
            if best != second and (self.first_alone or kind == MERGE):
                self.to_the_end(best, second)
                best, second = k - 2, k - 1
            if own <= top + SAME:  # splitting the last best child did not help: no further splits
                break
            top, chosen_kind, taken = own, kind, step
            one, other = now.at[best], now.at[second]
            self.chosen.size = 0
            for i in range(k):
                push(&self.chosen, now.at[i])
            child = now.at[best]
            i = self.nodes[child].children.size
            # With this many children even perfect ones would have a lower utility.
            if i == 0 or (k + i > 3 and (self.perfect - base) / (k + i - 2) < top):
                break
            push(&self.opened, child)
            for i in range(best, k - 1):
                now.at[i] = now.at[i + 1]
                gains[i] = gains[i + 1]
            now.size -= 1
            held += self.offer(child) - self.nodes[child].weight * self.nodes[child].score
            step += 1
        if top < self.cutoff - SAME:
            self.collapse(node)
            push(&self.nodes[node].rows, row)
            return -1
        self.splits += taken
        for i in range(taken):
            push(&self.spare, self.opened.at[i])
        self.nodes[node].children.size = 0
        for i in range(self.chosen.size):
            push(&self.nodes[node].children, self.chosen.at[i])
        if chosen_kind == JOIN:
            return one
        if chosen_kind == ALONE:
            new = self.new_leaf(row)
            push(&self.nodes[node].children, new)
            return -1
        self.merges += 1
        new = self.new_node()
        self.join(self.stats + new * self.width, self.stats + one * self.width, self.stats + other * self.width)
        self.nodes[new].weight = self.nodes[one].weight + self.nodes[other].weight
        self.nodes[new].score = self.worth(self.stats + new * self.width)
        push(&self.nodes[new].children, one)
        push(&self.nodes[new].children, other)
        self.nodes[node].children.size -= 2
        push(&self.nodes[node].children, new)
        return new

    cdef double offer(self, int64_t node) except? -1.0 nogil:
        """Add a node's children, and what each gains from the row, to the candidates; returns their summed scores."""
        cdef Numbers* now = &self.now
        cdef Numbers* children = &self.nodes[node].children
        cdef double worth = 0.0
        cdef int64_t i, child
        for i in range(children.size):
            child = children.at[i]
            push(now, child)
            if now.room > self.gains_room:
                enlarge(&self.gains, now.room * sizeof(double))
                self.gains_room = now.room
            self.gains[now.size - 1] = self.gain(child)
            worth += self.nodes[child].weight * self.nodes[child].score
        return worth

    cdef void to_the_end(self, int64_t best, int64_t second) noexcept nogil:
        """Move two candidates to the end."""
        cdef int64_t i, at = 0, one = self.now.at[best], other = self.now.at[second]
        cdef double gain = self.gains[best], next_gain = self.gains[second]
        for i in range(self.now.size):
            if i != best and i != second:
                self.now.at[at], self.gains[at] = self.now.at[i], self.gains[i]
                at += 1
        self.now.at[at], self.gains[at] = one, gain
        self.now.at[at + 1], self.gains[at + 1] = other, next_gain

    cdef int collapse(self, int64_t node) except -1 nogil:
        """Turn a node into a leaf with the rows of all leaves below it."""
        cdef int64_t i, at
        self.walk.size = 0
        for i in range(self.nodes[node].children.size - 1, -1, -1):
            push(&self.walk, self.nodes[node].children.at[i])
        self.nodes[node].children.size = self.nodes[node].rows.size = 0
        while self.walk.size:
            self.walk.size -= 1
            at = self.walk.at[self.walk.size]
            for i in range(self.nodes[at].rows.size):
                push(&self.nodes[node].rows, self.nodes[at].rows.at[i])
            for i in range(self.nodes[at].children.size - 1, -1, -1):
                push(&self.walk, self.nodes[at].children.at[i])
            push(&self.spare, at)
        return 0

    # ---- from and to Python ----

    def add_rows(self, const double[:, ::1] values, const int32_t[:, ::1] codes, const double[::1] weights,
                 const int64_t[::1] order, int64_t first):
        """Add rows in the given order; they are numbered from `first`."""
        cdef int64_t i, row
        cdef double nothing = 0.0
        cdef int32_t no_code = 0
        for i in range(order.shape[0]):
            row = order[i]
            self.value = &values[row, 0] if self.n_numbers else &nothing
            self.code = &codes[row, 0] if self.n_nominal else &no_code
            self.row_weight = weights[row]
            with nogil:
                poll()
                self.add(first + row)

    def restore(self, const int32_t[::1] parent, const double[:, ::1] stats, const double[::1] weight,
                const int64_t[::1] leaf):
        """Restore a tree whose nodes come after their parents, and the leaf of every row so far."""
        cdef int64_t i, j, node
        for i in range(parent.shape[0]):
            node = 0 if i == 0 else self.new_node()
            for j in range(self.width):
                self.stats[node * self.width + j] = stats[i, j]
            self.nodes[node].weight = weight[i]
            self.nodes[node].score = self.worth(self.stats + node * self.width)
            if i:
                push(&self.nodes[parent[i]].children, node)
        for i in range(leaf.shape[0]):
            if leaf[i] >= 0:
                push(&self.nodes[leaf[i]].rows, i)

    def tree(self, int64_t n_rows):
        """Return the tree, its nodes in depth-first order, children of a node numbered consecutively.

        Returns parents, first children, numbers of children, statistics, weights, scores, and every row's leaf.
        """
        cdef int64_t n = self.n_nodes - self.spare.size, at, i, number = 1, from_node
        node_of = np.zeros(n, np.int64)
        cdef int64_t[::1] old = node_of
        parent, first_child, n_children = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros(n, np.int32)
        cdef int32_t[::1] up = parent, down = first_child, many = n_children
        stats = np.empty((n, self.width))
        cdef double[:, ::1] f = stats
        weight, score, leaf = np.empty(n), np.empty(n), np.full(n_rows, -1, np.int64)
        cdef double[::1] w = weight, s = score
        cdef int64_t[::1] of_row = leaf
        self.walk.size = 0
        push(&self.walk, 0)
        while self.walk.size:
            self.walk.size -= 1
            at = self.walk.at[self.walk.size]
            from_node = old[at]
            many[at] = <int32_t>self.nodes[from_node].children.size
            if many[at]:
                down[at] = <int32_t>number
            for i in range(many[at]):
                old[number + i] = self.nodes[from_node].children.at[i]
                up[number + i] = <int32_t>at
            number += many[at]
            for i in range(many[at] - 1, -1, -1):
                push(&self.walk, down[at] + i)
        for at in range(n):
            from_node = old[at]
            w[at], s[at] = self.nodes[from_node].weight, self.nodes[from_node].score
            for i in range(self.width):
                f[at, i] = self.stats[from_node * self.width + i]
            for i in range(self.nodes[from_node].rows.size):
                of_row[self.nodes[from_node].rows.at[i]] = at
        return parent, first_child, n_children, stats, weight, score, leaf

    def find(self, const double[:, ::1] values, const int32_t[:, ::1] codes, const int32_t[::1] first_child,
             const int32_t[::1] n_children, const int64_t[::1] stop):
        """Send rows down a restored tree, each to the child with the greatest gain, to a node where `stop` is set."""
        cdef int64_t row, node, i, best
        cdef double nothing = 0.0
        cdef int32_t no_code = 0
        leaves = np.zeros(values.shape[0], np.int64)
        cdef int64_t[::1] out = leaves
        self.row_weight = 1.0
        for row in range(values.shape[0]):
            self.value = &values[row, 0] if self.n_numbers else &nothing
            self.code = &codes[row, 0] if self.n_nominal else &no_code
            poll()
            self.serial += 1
            self.take_row()
            node = 0
            while not stop[node] and n_children[node]:
                best = first_child[node]
                for i in range(first_child[node] + 1, first_child[node] + n_children[node]):
                    if self.gain(i) > self.gain(best) + SAME * self.nodes[node].weight:
                        best = i
                node = best
            out[row] = node
        return leaves
