"""Concepts formed row by row: a tree of nodes, each with the figures of its rows, kept good by category utility.

A row enters at the root; at every node it joins the best child, or becomes a child of its own, or the two best children
are merged and it joins both, or the best child is replaced by its children: whatever has the highest category utility.
What a child gains by the row depends on nothing but the child, so it is worked out once a row, and utilities of all
choices are sums that change by a term.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcpy

from hornbeam.core.concepts_loops cimport hb_c_sharp

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
    cdef bint complete  # whether no number was missing so far
    cdef readonly int64_t merges, splits
    cdef double* figures  # by node: counts, sums, squares of numbers; known, squares, counts of categories; rows
    cdef double* weight
    cdef double* score
    cdef double* gained  # what the row at hand would add to weight times score
    cdef int64_t* stamp  # the row for which that was worked out
    cdef Numbers* children
    cdef Numbers* rows  # of leaves
    cdef Numbers spare, now, chosen, opened, walk
    cdef double* scratch
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
        self.first_alone, self.complete = first_alone, True
        self.scratch = <double*>malloc(self.width * sizeof(double))
        if self.scratch == NULL:
            raise MemoryError
        self.new_node()

    def __dealloc__(self):
        cdef int64_t node
        for node in range(self.room):
            free(self.children[node].at)
            free(self.rows[node].at)
        free(self.spare.at)
        free(self.now.at)
        free(self.chosen.at)
        free(self.opened.at)
        free(self.walk.at)
        free(self.figures)
        free(self.weight)
        free(self.score)
        free(self.gained)
        free(self.stamp)
        free(self.children)
        free(self.rows)
        free(self.scratch)

    # ---- nodes ----

    cdef int enlarge(self) except -1 nogil:
        cdef int64_t room = 2 * self.room + 16, node
        cdef void* more
        cdef void** place[7]
        cdef int64_t size[7]
        cdef int i
        place[0], size[0] = <void**>&self.figures, self.width * sizeof(double)
        place[1], size[1] = <void**>&self.weight, sizeof(double)
        place[2], size[2] = <void**>&self.score, sizeof(double)
        place[3], size[3] = <void**>&self.gained, sizeof(double)
        place[4], size[4] = <void**>&self.stamp, sizeof(int64_t)
        place[5], size[5] = <void**>&self.children, sizeof(Numbers)
        place[6], size[6] = <void**>&self.rows, sizeof(Numbers)
        for i in range(7):
            more = realloc(place[i][0], room * size[i] + 1)
            if more == NULL:
                with gil:
                    raise MemoryError
            place[i][0] = more
        for node in range(self.room, room):
            self.children[node].at = self.rows[node].at = NULL
            self.children[node].size = self.rows[node].size = 0
            self.children[node].room = self.rows[node].room = 0
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
        self.weight[node] = self.score[node] = 0.0
        self.stamp[node] = -1
        self.children[node].size = self.rows[node].size = 0
        return node

    # ---- figures ----

    cdef inline double sharpness(self, double count, double total, double squares) noexcept nogil:
        """Of a column of numbers: 1 / (2 sqrt(pi) sd), the deviation being no less than the acuity."""
        cdef double variance = 0.0
        if count > 1.0:
            variance = (squares - total * total / count) / (count - 1.0)
        return NORMAL / sqrt(variance if variance > self.least else self.least)

    cdef double worth(self, const double* f) noexcept nogil:
        """The expected number of values guessed right, of figures."""
        cdef int64_t i
        cdef double found = 0.0, known
        if self.complete and self.n_numbers:
            found = NORMAL * hb_c_sharp(f, f, 0.0, self.n_numbers, f[0], self.least)
        else:
            for i in range(self.n_numbers):
                found += self.sharpness(f[i], f[self.n_numbers + i], f[2 * self.n_numbers + i])
        f += 3 * self.n_numbers
        for i in range(self.n_nominal):
            known = f[i]
            if known > 0.0:
                found += f[self.n_nominal + i] / (known * known)
        return found

    cdef void absorb(self, double* f) noexcept nogil:
        """Put the row at hand to figures."""
        cdef int64_t i, m = self.n_numbers
        cdef double w = self.row_weight, x, held
        cdef double* counts
        f[self.width - 1] += 1.0
        for i in range(m):
            x = self.value[i]
            if x == x:
                f[i] += w
                f[m + i] += w * x
                f[2 * m + i] += w * x * x
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
        cdef int64_t i, m = self.n_numbers
        cdef double w = self.row_weight, found = 0.0, x, known, squares
        cdef const double* counts
        if self.complete and m:
            found = NORMAL * hb_c_sharp(f, self.value, w, m, f[0] + w, self.least)
        else:
            for i in range(m):
                x = self.value[i]
                if x == x:
                    found += self.sharpness(f[i] + w, f[m + i] + w * x, f[2 * m + i] + w * x * x)
                else:
                    found += self.sharpness(f[i], f[m + i], f[2 * m + i])
        f += 3 * m
        counts = f + 2 * self.n_nominal
        for i in range(self.n_nominal):
            known, squares = f[i], f[self.n_nominal + i]
            if self.code[i] >= 0:
                squares += w * (2.0 * counts[self.start[i] + self.code[i]] + w)
                known += w
            if known > 0.0:
                found += squares / (known * known)
        return found

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
        self.weight[node] += self.row_weight
        self.score[node] = self.worth(self.figures + node * self.width)
        self.stamp[node] = -1

    cdef double gain(self, int64_t node) noexcept nogil:
        if self.stamp[node] != self.serial:
            self.stamp[node] = self.serial
            self.gained[node] = (
                (self.weight[node] + self.row_weight) * self.worth_with(self.figures + node * self.width)
                - self.weight[node] * self.score[node]
            )
        return self.gained[node]

    # ---- a row comes in ----

    cdef int64_t new_leaf(self, int64_t row) except -1 nogil:
        cdef int64_t node = self.new_node()
        self.grow(node)
        push(&self.rows[node], row)
        return node

    cdef int add(self, int64_t row) except -1 nogil:
        cdef int64_t node = 0, i
        self.serial += 1
        for i in range(self.width):
            self.scratch[i] = 0.0
        self.row_score = self.worth_with(self.scratch)
        while node >= 0:
            if self.children[node].size == 0:
                self.at_leaf(node, row)
                return 0
            self.grow(node)
            node = self.place(node, row)
        return 0

    cdef int at_leaf(self, int64_t node, int64_t row) except -1 nogil:
        """The row stays, or the leaf becomes a node with two leaves: the rows so far, and the new one."""
        cdef double before = self.weight[node], was = self.score[node], utility
        cdef int64_t old, new
        if before == 0.0:
            self.grow(node)
            push(&self.rows[node], row)
            return 0
        old = self.new_node()
        memcpy(self.figures + old * self.width, self.figures + node * self.width, self.width * sizeof(double))
        self.grow(node)
        utility = ((before * was + self.row_weight * self.row_score) / self.weight[node] - self.score[node]) / 2.0
        if utility < self.cutoff - SAME:
            push(&self.spare, old)
            push(&self.rows[node], row)
            return 0
        self.weight[old], self.score[old] = before, was
        self.rows[old], self.rows[node] = self.rows[node], self.rows[old]
        new = self.new_leaf(row)
        self.children[node].size = 0
        push(&self.children[node], old)
        push(&self.children[node], new)
        return 0

    cdef int64_t place(self, int64_t node, int64_t row) except -2 nogil:
        """Which child takes the row in; -1: it has its place. The node's figures have the row already."""
        cdef Numbers* now = &self.now
        cdef int64_t i, k, best, second, child, step = 0, taken = 0, kind, chosen_kind = 0, one = 0, other = 0, new
        cdef double held = 0.0, whole = self.weight[node], base = self.score[node]
        cdef double host, alone, merged, own, top = -1e300, joint
        now.size = 0
        for i in range(self.children[node].size):
            child = self.children[node].at[i]
            push(now, child)
            held += self.weight[child] * self.score[child]
        self.opened.size = 0
        while True:
            k = now.size
            best = second = 0
            for i in range(1, k):
                if self.gain(now.at[i]) > self.gain(now.at[best]) + SAME * whole:
                    second, best = best, i
                elif second == best or self.gain(now.at[i]) > self.gain(now.at[second]) + SAME * whole:
                    if not self.first_alone or best != 0:
                        second = i
            host = ((held + self.gain(now.at[best])) / whole - base) / k
            alone = ((held + self.row_weight * self.row_score) / whole - base) / (k + 1)
            own, kind = host, JOIN
            if alone >= host - SAME:
                own, kind = alone, ALONE
            if best != second and k > 2:
                self.join(self.scratch, self.figures + now.at[best] * self.width,
                          self.figures + now.at[second] * self.width)
                joint = self.weight[now.at[best]] + self.weight[now.at[second]]
                merged = held + (joint + self.row_weight) * self.worth_with(self.scratch)
                merged -= self.weight[now.at[best]] * self.score[now.at[best]]
                merged -= self.weight[now.at[second]] * self.score[now.at[second]]
                merged = (merged / whole - base) / (k - 1)
                if merged > own + SAME:
                    own, kind = merged, MERGE
            if best != second and (self.first_alone or kind == MERGE):
                self.to_the_end(now, best, second)
                best, second = k - 2, k - 1
            if own > top + SAME:
                top, chosen_kind, taken = own, kind, step
                one, other = now.at[best], now.at[second]
                self.chosen.size = 0
                for i in range(k):
                    push(&self.chosen, now.at[i])
            child = now.at[best]
            if self.children[child].size == 0:
                break
            push(&self.opened, child)
            held -= self.weight[child] * self.score[child]
            for i in range(best, k - 1):
                now.at[i] = now.at[i + 1]
            now.size -= 1
            for i in range(self.children[child].size):
                push(now, self.children[child].at[i])
                held += self.weight[self.children[child].at[i]] * self.score[self.children[child].at[i]]
            step += 1
        if top < self.cutoff - SAME:
            self.collapse(node)
            push(&self.rows[node], row)
            return -1
        self.splits += taken
        for i in range(taken):
            push(&self.spare, self.opened.at[i])
        self.children[node].size = 0
        for i in range(self.chosen.size):
            push(&self.children[node], self.chosen.at[i])
        if chosen_kind == JOIN:
            return one
        if chosen_kind == ALONE:
            new = self.new_leaf(row)
            push(&self.children[node], new)
            return -1
        self.merges += 1
        new = self.new_node()
        self.join(self.figures + new * self.width, self.figures + one * self.width, self.figures + other * self.width)
        self.weight[new] = self.weight[one] + self.weight[other]
        self.score[new] = self.worth(self.figures + new * self.width)
        push(&self.children[new], one)
        push(&self.children[new], other)
        self.children[node].size -= 2
        push(&self.children[node], new)
        return new

    cdef void to_the_end(self, Numbers* these, int64_t best, int64_t second) noexcept nogil:
        """Move two of the list to its end."""
        cdef int64_t i, at = 0, one = these.at[best], other = these.at[second]
        for i in range(these.size):
            if i != best and i != second:
                these.at[at] = these.at[i]
                at += 1
        these.at[at] = one
        these.at[at + 1] = other

    cdef int collapse(self, int64_t node) except -1 nogil:
        """Make a node a leaf that holds the rows of all leaves below."""
        cdef int64_t i, at
        self.walk.size = 0
        for i in range(self.children[node].size - 1, -1, -1):
            push(&self.walk, self.children[node].at[i])
        self.children[node].size = self.rows[node].size = 0
        while self.walk.size:
            self.walk.size -= 1
            at = self.walk.at[self.walk.size]
            for i in range(self.rows[at].size):
                push(&self.rows[node], self.rows[at].at[i])
            for i in range(self.children[at].size - 1, -1, -1):
                push(&self.walk, self.children[at].at[i])
            push(&self.spare, at)
        return 0

    # ---- from and to Python ----

    def add_rows(self, const double[:, ::1] values, const int32_t[:, ::1] codes, const double[::1] weights,
                 const int64_t[::1] order, int64_t first):
        """Take rows in, in the order given; they are numbered from `first`."""
        cdef int64_t i, row
        cdef double nothing = 0.0
        cdef int32_t no_code = 0
        self.look_for_missing(values)
        for i in range(order.shape[0]):
            row = order[i]
            self.value = &values[row, 0] if self.n_numbers else &nothing
            self.code = &codes[row, 0] if self.n_nominal else &no_code
            self.row_weight = weights[row]
            with nogil:
                self.add(first + row)

    cdef void look_for_missing(self, const double[:, ::1] values) noexcept:
        cdef int64_t row, i
        for row in range(values.shape[0]):
            for i in range(self.n_numbers):
                if values[row, i] != values[row, i]:
                    self.complete = False
                    return

    def restore(self, const int32_t[::1] parent, const double[:, ::1] figures, const double[::1] weight,
                const int64_t[::1] leaf):
        """Take over a tree whose nodes stand after their parents, and the leaf of every row so far."""
        cdef int64_t i, j, node
        for i in range(parent.shape[0]):
            for j in range(self.n_numbers):
                if figures[i, j] != figures[i, 0]:
                    self.complete = False
        for i in range(parent.shape[0]):
            node = 0 if i == 0 else self.new_node()
            for j in range(self.width):
                self.figures[node * self.width + j] = figures[i, j]
            self.weight[node] = weight[i]
            self.score[node] = self.worth(self.figures + node * self.width)
            if i:
                push(&self.children[parent[i]], node)
        for i in range(leaf.shape[0]):
            if leaf[i] >= 0:
                push(&self.rows[leaf[i]], i)

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
            many[at] = <int32_t>self.children[from_node].size
            if many[at]:
                down[at] = <int32_t>number
            for i in range(many[at]):
                old[number + i] = self.children[from_node].at[i]
                up[number + i] = <int32_t>at
            number += many[at]
            for i in range(many[at] - 1, -1, -1):
                push(&self.walk, down[at] + i)
        for at in range(n):
            from_node = old[at]
            w[at], s[at] = self.weight[from_node], self.score[from_node]
            for i in range(self.width):
                f[at, i] = self.figures[from_node * self.width + i]
            for i in range(self.rows[from_node].size):
                of_row[self.rows[from_node].at[i]] = at
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
        self.look_for_missing(values)
        for row in range(values.shape[0]):
            self.value = &values[row, 0] if self.n_numbers else &nothing
            self.code = &codes[row, 0] if self.n_nominal else &no_code
            self.serial += 1
            node = 0
            while not stop[node] and n_children[node]:
                best = first_child[node]
                for i in range(first_child[node] + 1, first_child[node] + n_children[node]):
                    if self.gain(i) > self.gain(best) + SAME * self.weight[node]:
                        best = i
                node = best
            out[row] = node
        return found
