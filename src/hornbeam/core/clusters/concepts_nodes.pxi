# Part of concepts.pyx: the nodes of a tree of concepts, and how well the values of their rows can be predicted.

cdef struct Numbers:  # a list that grows
    int64_t* at
    int64_t size
    int64_t room


cdef struct Node:  # fields that are used together are adjacent
    double weight
    double score
    double gained  # what the current row would add to weight times score
    int64_t stamp  # the row for which that was computed
    int64_t partner  # the other node of a pair, the pair's score with the current row, and the row it was computed for
    int64_t partner_stamp
    double together
    Numbers children
    Numbers rows  # of leaves


cdef int push(Numbers* these, int64_t value) except -1 nogil:
    if these.size == these.room:
        these.room = 2 * these.room + 4
        enlarge(&these.at, these.room * sizeof(int64_t))
    these.at[these.size] = value
    these.size += 1
    return 0


cdef class Nodes:
    """Nodes with the statistics of their rows, their scores, and what they gain from the current row."""

    cdef hb_pool pool
    cdef int64_t n_numbers, n_nominal, width, n_nodes, room
    cdef int64_t[::1] start
    cdef double acuity, least, cutoff
    cdef bint first_alone
    cdef double* stats  # by node: counts, sums, squares of numbers; known, squares, counts of categories; rows
    cdef Node* nodes
    cdef Numbers spare
    cdef double perfect  # the score of a node whose values can all be predicted
    cdef double* zeros
    cdef double* row  # what the current row adds: counts, sums, squares of numbers; known categories
    cdef double* joint  # of two nodes together: known categories, squares; and what the row adds to squares
    cdef int64_t serial
    # the current row
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
        self.zeros = <double*>take(&self.pool, self.width, sizeof(double))
        self.row = <double*>take(&self.pool, self.width, sizeof(double))
        self.joint = <double*>take(&self.pool, 3 * self.n_nominal, sizeof(double))
        self.new_node()

    def __dealloc__(self):
        cdef int64_t node
        for node in range(self.room):
            free(self.nodes[node].children.at)
            free(self.nodes[node].rows.at)
        free(self.spare.at)
        free(self.stats)
        free(self.nodes)
        hb_pool_free(&self.pool)

    cdef int enlarge(self) except -1 nogil:
        cdef int64_t room = 2 * self.room + 16, node
        enlarge(&self.stats, room * self.width * sizeof(double))
        enlarge(&self.nodes, room * sizeof(Node))
        for node in range(self.room, room):
            self.nodes[node].children.at = self.nodes[node].rows.at = NULL
            self.nodes[node].children.size = self.nodes[node].rows.size = 0
            self.nodes[node].children.room = self.nodes[node].rows.room = 0
        self.room = room
        return 0

    cdef int64_t new_node(self) except -1 nogil:
        """An empty node, reusing a spare one if there is any."""
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
            self.stats[node * self.width + i] = 0.0
        self.nodes[node].weight = self.nodes[node].score = 0.0
        self.nodes[node].stamp = self.nodes[node].partner_stamp = -1
        self.nodes[node].children.size = self.nodes[node].rows.size = 0
        return node

    # ---- statistics ----

    cdef double worth(self, const double* f) noexcept nogil:
        """The expected number of values predicted correctly, from the statistics of a node."""
        cdef const double* known = f + 3 * self.n_numbers
        return (
            NORMAL * hb_c_sharp(f, self.zeros, self.zeros, self.n_numbers, self.least)
            + hb_c_alike(known, known + self.n_nominal, self.zeros, self.zeros, self.n_nominal)
        )

    cdef void take_row(self) noexcept nogil:
        """Compute what the current row adds to the statistics of any node."""
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
        """Add the current row to the statistics of a node."""
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
        """The score of a node if the current row were added."""
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
        """The score of two nodes together with the current row."""
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
        """Statistics of two nodes together."""
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
        self.absorb(self.stats + node * self.width)
        self.nodes[node].weight += self.row_weight
        self.nodes[node].score = self.worth(self.stats + node * self.width)
        self.nodes[node].stamp = self.nodes[node].partner_stamp = -1

    cdef double gain(self, int64_t node) noexcept nogil:
        if self.nodes[node].stamp != self.serial:
            self.nodes[node].stamp = self.serial
            self.nodes[node].gained = (
                (self.nodes[node].weight + self.row_weight) * self.worth_with(self.stats + node * self.width)
                - self.nodes[node].weight * self.nodes[node].score
            )
        return self.nodes[node].gained

    cdef double gain_together(self, int64_t one, int64_t other) noexcept nogil:
        """What two nodes would gain by being merged, with the row; stored, because the same pair often recurs."""
        cdef Node* a = &self.nodes[one]
        cdef Node* b = &self.nodes[other]
        if a.partner_stamp != self.serial or a.partner != other:
            a.partner, a.partner_stamp = other, self.serial
            a.together = (a.weight + b.weight + self.row_weight) * self.worth_together(
                self.stats + one * self.width, self.stats + other * self.width
            ) - a.weight * a.score - b.weight * b.score
        return a.together
