"""Concepts formed row by row: a tree of nodes, each with the figures of its rows, kept good by category utility.

A row enters at the root; at every node it joins the best child, or becomes a child of its own, or the two best children
are merged and it joins both, or the best child is replaced by its children: whatever has the highest category utility.
What a child gains by the row depends on nothing but the child, so it is worked out once a row, and utilities of all
choices are sums that change by a term.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from hornbeam.core.base.interrupt cimport poll

cdef extern from "hornbeam/core/clusters/concepts_loops.h":
    double hb_c_sharp(const double* f, const double* g, const double* row, int64_t m, double least) noexcept nogil
    double hb_c_alike(const double* known, const double* squares, const double* more, const double* extra,
                      int64_t m) noexcept nogil

cdef double NORMAL = 0.28209479177387814  # 1 / (2 sqrt(pi)): the integral of a normal density's square, times sd
cdef double SAME = 1e-11  # utilities that differ by less are the same: what is left is rounding

cdef enum:
    JOIN = 0
    ALONE = 1
    MERGE = 2

cdef struct Numbers:  # a list that grows
    int64_t* at
    int64_t size
    int64_t room


cdef struct Node:  # what is asked for together lies together
    double weight
    double score
    double gained  # what the row at hand would add to weight times score
    int64_t stamp  # the row for which that was worked out
    int64_t partner  # the other of two nodes together, what they are worth with the row at hand, and for which row
    int64_t partner_stamp
    double together
    Numbers children
    Numbers rows  # of leaves


cdef int push(Numbers* these, int64_t value) except -1 nogil:
    cdef int64_t* more
    if these.size == these.room:
        these.room = 2 * these.room + 4
        more = <int64_t*>realloc(these.at, these.room * sizeof(int64_t))
        if more == NULL:
            with gil:
                raise MemoryError
        these.at = more
    these.at[these.size] = value
    these.size += 1
    return 0


cdef class Concepts:
    """A tree of concepts that grows with the rows given."""

    cdef int64_t n_numbers, n_nominal, width, n_nodes, room
    cdef int64_t[::1] start
    cdef double acuity, least, cutoff
    cdef bint first_alone
    cdef readonly int64_t merges, splits
    cdef double* figures  # by node: counts, sums, squares of numbers; known, squares, counts of categories; rows
    cdef Node* nodes
    cdef Numbers spare, now, chosen, opened, walk
    cdef double* gains  # of the children in `now`
    cdef int64_t gains_room
    cdef double perfect  # the worth of a node whose values are all known beforehand
    cdef double* zeros
    cdef double* row  # what the row at hand adds: counts, sums, squares of numbers; known categories
    cdef double* joint  # of two nodes together: known categories, squares; and what the row adds to squares
    cdef int64_t serial
    # the row at hand
    cdef const double* value
    cdef const int32_t* code
    cdef double row_weight, row_score

    def __cinit__(self, int64_t n_numbers, int64_t[::1] start, double acuity, double cutoff, bint first_alone):
        self.n_numbers = n_numbers
        self.n_nominal = start.shape[0] - 1
        self.start = start
        self.width = 3 * n_numbers + 2 * self.n_nominal + start[self.n_nominal] + 1
        self.acuity, self.least, self.cutoff = acuity, acuity * acuity, cutoff
        self.first_alone = first_alone
        self.perfect = n_numbers * NORMAL / acuity + self.n_nominal
        self.zeros = <double*>calloc(self.width, sizeof(double))
        self.row = <double*>calloc(self.width, sizeof(double))
        self.joint = <double*>calloc(3 * self.n_nominal + 1, sizeof(double))
        if self.zeros == NULL or self.row == NULL or self.joint == NULL:
            raise MemoryError
        self.new_node()

    def __dealloc__(self):
        cdef int64_t node
        for node in range(self.room):
            free(self.nodes[node].children.at)
            free(self.nodes[node].rows.at)
        free(self.spare.at)
        free(self.now.at)
        free(self.chosen.at)
        free(self.opened.at)
        free(self.walk.at)
        free(self.figures)
        free(self.nodes)
        free(self.gains)
        free(self.zeros)
        free(self.row)
        free(self.joint)

    # ---- nodes ----

    cdef int enlarge(self) except -1 nogil:
        cdef int64_t room = 2 * self.room + 16, node
        cdef double* figures = <double*>realloc(self.figures, room * self.width * sizeof(double))
        if figures != NULL:
            self.figures = figures
        cdef Node* nodes = <Node*>realloc(self.nodes, room * sizeof(Node))
        if nodes != NULL:
            self.nodes = nodes
        if figures == NULL or nodes == NULL:
            with gil:
                raise MemoryError
        for node in range(self.room, room):
            self.nodes[node].children.at = self.nodes[node].rows.at = NULL
            self.nodes[node].children.size = self.nodes[node].rows.size = 0
            self.nodes[node].children.room = self.nodes[node].rows.room = 0
        self.room = room
        return 0

    cdef int64_t new_node(self) except -1 nogil:
        """An empty node, one given back where there is any."""
        cdef int64_t node, i
        if self.spare.size:
            self.spare.size -= 1
            node = self.spare.at[self.spare.size]
        else:
            if self.n_nodes == self.room:
                self.enlarge()
            node = self.n_nodes
            self.n_nodes += 1
        for i in range(self.width):
            self.figures[node * self.width + i] = 0.0
        self.nodes[node].weight = self.nodes[node].score = 0.0
        self.nodes[node].stamp = self.nodes[node].partner_stamp = -1
        self.nodes[node].children.size = self.nodes[node].rows.size = 0
        return node

    # ---- figures ----

    cdef double worth(self, const double* f) noexcept nogil:
        """The expected number of values guessed right, of figures."""
        cdef const double* known = f + 3 * self.n_numbers
        return (
            NORMAL * hb_c_sharp(f, self.zeros, self.zeros, self.n_numbers, self.least)
            + hb_c_alike(known, known + self.n_nominal, self.zeros, self.zeros, self.n_nominal)
        )

    cdef void take_row(self) noexcept nogil:
        """What the row at hand adds to the figures of whatever node."""
        cdef int64_t i, m = self.n_numbers
        cdef double w = self.row_weight, x
        for i in range(m):
            x = self.value[i]
            self.row[i] = w if x == x else 0.0
            self.row[m + i] = w * x if x == x else 0.0
            self.row[2 * m + i] = w * x * x if x == x else 0.0
        for i in range(self.n_nominal):
            self.row[3 * m + i] = w if self.code[i] >= 0 else 0.0

    cdef void absorb(self, double* f) noexcept nogil:
        """Put the row at hand to figures."""
        cdef int64_t i, m = self.n_numbers
        cdef double w = self.row_weight, held
        cdef double* counts
        f[self.width - 1] += 1.0
        for i in range(3 * m):
            f[i] += self.row[i]
        f += 3 * m
        counts = f + 2 * self.n_nominal
        for i in range(self.n_nominal):
            if self.code[i] >= 0:
                held = counts[self.start[i] + self.code[i]]
                f[i] += w
                f[self.n_nominal + i] += w * (2.0 * held + w)
                counts[self.start[i] + self.code[i]] = held + w

    cdef double worth_with(self, const double* f) noexcept nogil:
        """The worth of figures were the row at hand put to them."""
        cdef const double* known = f + 3 * self.n_numbers
        cdef const double* counts = known + 2 * self.n_nominal
        cdef double w = self.row_weight
        cdef double* extra = self.joint + 2 * self.n_nominal
        cdef int64_t i
        for i in range(self.n_nominal):
            extra[i] = w * (2.0 * counts[self.start[i] + self.code[i]] + w) if self.code[i] >= 0 else 0.0
        return (
            NORMAL * hb_c_sharp(f, self.zeros, self.row, self.n_numbers, self.least)
            + hb_c_alike(known, known + self.n_nominal, self.row + 3 * self.n_numbers, extra, self.n_nominal)
        )

    cdef double worth_together(self, const double* a, const double* b) noexcept nogil:
        """The worth of the figures of two nodes and the row at hand."""
        cdef int64_t i, j, n = self.n_nominal
        cdef const double* one = a + 3 * self.n_numbers
        cdef const double* other = b + 3 * self.n_numbers
        cdef double w = self.row_weight, product
        cdef double* extra = self.joint + 2 * n
        for i in range(n):
            product = 0.0
            for j in range(2 * n + self.start[i], 2 * n + self.start[i + 1]):
                product += one[j] * other[j]
            self.joint[i] = one[i] + other[i]
            self.joint[n + i] = one[n + i] + other[n + i] + 2.0 * product
            j = 2 * n + self.start[i] + self.code[i]
            extra[i] = w * (2.0 * (one[j] + other[j]) + w) if self.code[i] >= 0 else 0.0
        return (
            NORMAL * hb_c_sharp(a, b, self.row, self.n_numbers, self.least)
            + hb_c_alike(self.joint, self.joint + n, self.row + 3 * self.n_numbers, extra, n)
        )

    cdef void join(self, double* f, const double* a, const double* b) noexcept nogil:
        """Figures of two nodes together."""
        cdef int64_t i, j, m = 3 * self.n_numbers
        cdef double squares
        for i in range(self.width):
            f[i] = a[i] + b[i]
        f += m
        for i in range(self.n_nominal):
            squares = 0.0
            for j in range(self.start[i], self.start[i + 1]):
                squares += f[2 * self.n_nominal + j] * f[2 * self.n_nominal + j]
            f[self.n_nominal + i] = squares

    cdef void grow(self, int64_t node) noexcept nogil:
        self.absorb(self.figures + node * self.width)
        self.nodes[node].weight += self.row_weight
        self.nodes[node].score = self.worth(self.figures + node * self.width)
        self.nodes[node].stamp = self.nodes[node].partner_stamp = -1

    cdef double gain(self, int64_t node) noexcept nogil:
        if self.nodes[node].stamp != self.serial:
            self.nodes[node].stamp = self.serial
            self.nodes[node].gained = (
                (self.nodes[node].weight + self.row_weight) * self.worth_with(self.figures + node * self.width)
                - self.nodes[node].weight * self.nodes[node].score
            )
        return self.nodes[node].gained

    cdef double gain_together(self, int64_t one, int64_t other) noexcept nogil:
        """What two nodes would gain by being one, with the row; the same two are often asked about again."""
        cdef Node* a = &self.nodes[one]
        cdef Node* b = &self.nodes[other]
        if a.partner_stamp != self.serial or a.partner != other:
            a.partner, a.partner_stamp = other, self.serial
            a.together = (a.weight + b.weight + self.row_weight) * self.worth_together(
                self.figures + one * self.width, self.figures + other * self.width
            ) - a.weight * a.score - b.weight * b.score
        return a.together

    # ---- a row comes in ----

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
        """The row stays, or the leaf becomes a node with two leaves: the rows so far, and the new one."""
        cdef double before = self.nodes[node].weight, was = self.nodes[node].score, utility
        cdef int64_t old, new
        if before == 0.0:
            self.grow(node)
            push(&self.nodes[node].rows, row)
            return 0
        old = self.new_node()
        memcpy(self.figures + old * self.width, self.figures + node * self.width, self.width * sizeof(double))
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
        """Which child takes the row in; -1: it has its place. The node's figures have the row already."""
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
            if own > top + SAME:
                top, chosen_kind, taken = own, kind, step
                one, other = now.at[best], now.at[second]
                self.chosen.size = 0
                for i in range(k):
                    push(&self.chosen, now.at[i])
            child = now.at[best]
            i = self.nodes[child].children.size
            # With so many children even perfect ones would be worth less.
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
        self.join(self.figures + new * self.width, self.figures + one * self.width, self.figures + other * self.width)
        self.nodes[new].weight = self.nodes[one].weight + self.nodes[other].weight
        self.nodes[new].score = self.worth(self.figures + new * self.width)
        push(&self.nodes[new].children, one)
        push(&self.nodes[new].children, other)
        self.nodes[node].children.size -= 2
        push(&self.nodes[node].children, new)
        return new

    cdef double offer(self, int64_t node) except? -1.0 nogil:
        """Put the children of a node, and what each gains by the row, to those at hand; gives what they are worth."""
        cdef Numbers* now = &self.now
        cdef Numbers* children = &self.nodes[node].children
        cdef double* more
        cdef double worth = 0.0
        cdef int64_t i, child
        for i in range(children.size):
            child = children.at[i]
            push(now, child)
            if now.room > self.gains_room:
                more = <double*>realloc(self.gains, now.room * sizeof(double))
                if more == NULL:
                    with gil:
                        raise MemoryError
                self.gains, self.gains_room = more, now.room
            self.gains[now.size - 1] = self.gain(child)
            worth += self.nodes[child].weight * self.nodes[child].score
        return worth

    cdef void to_the_end(self, int64_t best, int64_t second) noexcept nogil:
        """Move two of those at hand to the end."""
        cdef int64_t i, at = 0, one = self.now.at[best], other = self.now.at[second]
        cdef double gain = self.gains[best], next_gain = self.gains[second]
        for i in range(self.now.size):
            if i != best and i != second:
                self.now.at[at], self.gains[at] = self.now.at[i], self.gains[i]
                at += 1
        self.now.at[at], self.gains[at] = one, gain
        self.now.at[at + 1], self.gains[at + 1] = other, next_gain

    cdef int collapse(self, int64_t node) except -1 nogil:
        """Make a node a leaf that holds the rows of all leaves below."""
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
        """Take rows in, in the order given; they are numbered from `first`."""
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

    def restore(self, const int32_t[::1] parent, const double[:, ::1] figures, const double[::1] weight,
                const int64_t[::1] leaf):
        """Take over a tree whose nodes stand after their parents, and the leaf of every row so far."""
        cdef int64_t i, j, node
        for i in range(parent.shape[0]):
            node = 0 if i == 0 else self.new_node()
            for j in range(self.width):
                self.figures[node * self.width + j] = figures[i, j]
            self.nodes[node].weight = weight[i]
            self.nodes[node].score = self.worth(self.figures + node * self.width)
            if i:
                push(&self.nodes[parent[i]].children, node)
        for i in range(leaf.shape[0]):
            if leaf[i] >= 0:
                push(&self.nodes[leaf[i]].rows, i)

    def tree(self, int64_t n_rows):
        """Give the tree, the nodes in the order of a walk that numbers all children of a node at once, depth first.

        Returns parents, first children, numbers of children, figures, weights, worths, and every row's leaf.
        """
        cdef int64_t n = self.n_nodes - self.spare.size, at, i, number = 1, from_node
        node_of = np.zeros(n, np.int64)
        cdef int64_t[::1] old = node_of
        parent, first_child, n_children = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros(n, np.int32)
        cdef int32_t[::1] up = parent, down = first_child, many = n_children
        figures = np.empty((n, self.width))
        cdef double[:, ::1] f = figures
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
                f[at, i] = self.figures[from_node * self.width + i]
            for i in range(self.nodes[from_node].rows.size):
                of_row[self.nodes[from_node].rows.at[i]] = at
        return parent, first_child, n_children, figures, weight, score, leaf

    def find(self, const double[:, ::1] values, const int32_t[:, ::1] codes, const int32_t[::1] first_child,
             const int32_t[::1] n_children, const int64_t[::1] stop):
        """Send rows down a restored tree, each to the child that gains the most, until a node where `stop` is set."""
        cdef int64_t row, node, i, best
        cdef double nothing = 0.0
        cdef int32_t no_code = 0
        found = np.zeros(values.shape[0], np.int64)
        cdef int64_t[::1] out = found
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
        return found
