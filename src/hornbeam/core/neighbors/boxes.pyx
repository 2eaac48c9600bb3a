"""Boxes of rows: the distance of a row from a box, which boxes contain it, and whether a box may be enlarged.

In every numeric column a box has a range (low above high if no row has a number there) and a flag, the gap, for rows
with a missing value. In every nominal column it has a set of categories; the last category means a missing value.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t

from hornbeam.core.base.interrupt cimport poll

cdef double MOST = 1e150  # its square is still finite
cdef double ROUNDED = 1.0 + 1e-12  # a quotient may be too small by rounding


cdef class Boxes:
    """Views of the arrays of boxes; make a new object when an array is replaced.

    `low`, `high` and `gap` have the shape boxes x numeric columns. `place` has the shape boxes x categories of all
    nominal columns, and those of column c begin at `start[c]`. `label` is -1 for a box that was removed. `width` is the
    range of each numeric column. `number_weight` and `code_weight` are the weights of squared differences by column.
    """

    cdef double[:, ::1] low
    cdef double[:, ::1] high
    cdef uint8_t[:, ::1] gap
    cdef uint8_t[:, ::1] place
    cdef int32_t[::1] label
    cdef const Py_ssize_t[::1] start
    cdef const double[::1] width
    cdef const double[::1] number_weight
    cdef const double[::1] code_weight
    cdef Py_ssize_t n, p, q
    cdef double[::1] new_low
    cdef double[::1] new_high
    cdef uint8_t[::1] new_gap
    cdef uint8_t[::1] new_place

    def __init__(self, double[:, ::1] low, double[:, ::1] high, uint8_t[:, ::1] gap, uint8_t[:, ::1] place,
                 int32_t[::1] label, const Py_ssize_t[::1] start, const double[::1] width,
                 const double[::1] number_weight, const double[::1] code_weight):
        self.low, self.high, self.gap, self.place, self.label = low, high, gap, place, label
        self.start, self.width = start, width
        self.number_weight, self.code_weight = number_weight, code_weight
        self.n, self.p, self.q = label.shape[0], low.shape[1], start.shape[0] - 1
        self.new_low, self.new_high = np.empty(self.p), np.empty(self.p)
        self.new_gap, self.new_place = np.empty(self.p, np.uint8), np.empty(place.shape[1], np.uint8)

    cdef inline double away(self, Py_ssize_t box, const double* number, const Py_ssize_t* code,
                            double enough) noexcept nogil:
        """Squared distance of a row; stops early once it exceeds `enough`."""
        cdef double total = 0.0, d, more
        cdef Py_ssize_t c
        for c in range(self.p):
            if number[c] != number[c]:
                continue
            if self.low[box, c] > self.high[box, c]:
                d = 1.0
            elif not self.width[c] > 0.0:
                d = 0.0
            else:
                d = self.low[box, c] - number[c]
                more = number[c] - self.high[box, c]
                d = more if more > d else d
                if not d > 0.0:
                    continue
                d = d / self.width[c]
                d = d if d < MOST else MOST
            total += self.number_weight[c] * (d * d)
            if total > enough:
                return INFINITY
        for c in range(self.q):
            if code[c] < self.start[c + 1] - 1 and not self.place[box, code[c]]:
                total += self.code_weight[c]
        return total

    cdef inline bint holds(self, Py_ssize_t box, const double* number, const Py_ssize_t* code) noexcept nogil:
        cdef Py_ssize_t c
        for c in range(self.p):
            if number[c] != number[c]:
                if not self.gap[box, c]:
                    return False
            elif not (self.low[box, c] <= number[c] and number[c] <= self.high[box, c]):
                return False
        for c in range(self.q):
            if not self.place[box, code[c]]:
                return False
        return True

    def holding(self, const double[::1] number, const Py_ssize_t[::1] code, int32_t but):
        """Boxes of classes other than `but` that contain a row, as a list."""
        cdef Py_ssize_t box
        cdef const double* x = &number[0] if self.p else NULL
        cdef const Py_ssize_t* y = &code[0] if self.q else NULL
        found = []
        for box in range(self.n):
            if self.label[box] >= 0 and self.label[box] != but and self.holds(box, x, y):
                found.append(box)
        return found

    def same(self, const double[::1] number, const Py_ssize_t[::1] code, int32_t label, const double[::1] extent):
        """The first box of a class that contains this row and nothing else; -1: none."""
        cdef Py_ssize_t box
        cdef const double* x = &number[0] if self.p else NULL
        cdef const Py_ssize_t* y = &code[0] if self.q else NULL
        for box in range(self.n):
            if self.label[box] == label and extent[box] == 0.0 and self.holds(box, x, y):
                return box
        return -1

    def nearest(self, const double[::1] number, const Py_ssize_t[::1] code, int32_t label, Py_ssize_t most):
        """The nearest boxes of a class, at most this many, nearest first; earlier ones win ties."""
        cdef Py_ssize_t box, count = 0, at
        cdef double d
        cdef const double* x = &number[0] if self.p else NULL
        cdef const Py_ssize_t* y = &code[0] if self.q else NULL
        most = min(most, self.n)
        cdef double[::1] far = np.empty(most)
        cdef Py_ssize_t[::1] who = np.empty(most, np.intp)
        for box in range(self.n):
            if self.label[box] != label:
                continue
            d = self.away(box, x, y, far[count - 1] if count == most else INFINITY)
            if count == most and not d < far[count - 1]:
                continue
            at = count if count < most else count - 1
            while at > 0 and far[at - 1] > d:
                far[at], who[at] = far[at - 1], who[at - 1]
                at -= 1
            far[at], who[at] = d, box
            if count < most:
                count += 1
        return [who[at] for at in range(count)]

    def deciding(self, const double[::1] number, const Py_ssize_t[::1] code, const double[::1] extent):
        """The nearest box; ties go to the smallest extent, then to the first; -1 if there is no box."""
        cdef Py_ssize_t box, best = -1
        cdef double least = INFINITY, d
        cdef const double* x = &number[0] if self.p else NULL
        cdef const Py_ssize_t* y = &code[0] if self.q else NULL
        for box in range(self.n):
            if self.label[box] < 0:
                continue
            d = self.away(box, x, y, least)
            if best < 0 or d < least or (d == least and extent[box] < extent[best]):
                least, best = d, box
        return best

    def decide(self, const double[:, ::1] numbers, const Py_ssize_t[:, ::1] codes, const double[::1] rank,
               const double[::1] factors, Py_ssize_t first, Py_ssize_t last, Py_ssize_t[::1] found):
        """The nearest box of every row, squared distances multiplied by factors; ties go to the lowest rank."""
        cdef Py_ssize_t row, box, best
        cdef double least, d
        cdef const double* x
        cdef const Py_ssize_t* y
        with nogil:
            for row in range(first, last):
                poll()
                best, least = -1, INFINITY
                x = &numbers[row, 0] if self.p else NULL
                y = &codes[row, 0] if self.q else NULL
                for box in range(self.n):
                    d = self.away(box, x, y, least / factors[box] * ROUNDED) * factors[box]
                    if best < 0 or d < least or (d == least and rank[box] < rank[best]):
                        least, best = d, box
                found[row] = best

    cdef bint meets(self, Py_ssize_t box) noexcept nogil:
        """Whether a box overlaps the new one."""
        cdef Py_ssize_t c, at
        for c in range(self.p):
            if not (self.new_low[c] <= self.high[box, c] and self.new_high[c] >= self.low[box, c]):
                if not (self.new_gap[c] and self.gap[box, c]):
                    return False
        for c in range(self.q):
            at = self.start[c]
            while at < self.start[c + 1] and not (self.place[box, at] and self.new_place[at]):
                at += 1
            if at == self.start[c + 1]:
                return False
        return True

    cdef bint nested(self, Py_ssize_t box) noexcept nogil:
        """Whether a box is inside the new one, or the new one inside it."""
        cdef Py_ssize_t c
        cdef bint within = True, around = True
        for c in range(self.p):
            if self.low[box, c] <= self.high[box, c]:
                within &= self.low[box, c] >= self.new_low[c] and self.high[box, c] <= self.new_high[c]
            if self.new_low[c] <= self.new_high[c]:
                around &= self.low[box, c] <= self.new_low[c] and self.high[box, c] >= self.new_high[c]
            within &= not (self.gap[box, c] and not self.new_gap[c])
            around &= not (self.new_gap[c] and not self.gap[box, c])
        for c in range(self.place.shape[1]):
            within &= not (self.place[box, c] and not self.new_place[c])
            around &= not (self.new_place[c] and not self.place[box, c])
        return within or around

    cdef bint conflict(self, int32_t label, bint nested) noexcept nogil:
        """Whether the new box would overlap a box of another class, which is not allowed."""
        cdef Py_ssize_t box
        for box in range(self.n):
            if self.label[box] >= 0 and self.label[box] != label and self.meets(box):
                if not nested or not self.nested(box):
                    return True
        return False

    cdef bint put(self, Py_ssize_t box, bint grown, bint overlap, bint nested) noexcept nogil:
        """Replace a box by the new one, if that is allowed."""
        cdef Py_ssize_t c
        if grown and not overlap and self.conflict(self.label[box], nested):
            return False
        for c in range(self.p):
            self.low[box, c], self.high[box, c] = self.new_low[c], self.new_high[c]
            self.gap[box, c] = self.new_gap[c]
        for c in range(self.place.shape[1]):
            self.place[box, c] = self.new_place[c]
        return True

    def enlarge(self, Py_ssize_t box, const double[::1] number, const Py_ssize_t[::1] code, bint overlap, bint nested):
        """Extend a box to a row, unless it would overlap a box of another class; returns whether it could."""
        cdef Py_ssize_t c
        cdef bint grown = False
        for c in range(self.p):
            self.new_low[c], self.new_high[c] = self.low[box, c], self.high[box, c]
            self.new_gap[c] = self.gap[box, c]
            if number[c] != number[c]:
                grown |= not self.new_gap[c]
                self.new_gap[c] = True
                continue
            if number[c] < self.new_low[c]:
                self.new_low[c], grown = number[c], True
            if number[c] > self.new_high[c]:
                self.new_high[c], grown = number[c], True
        for c in range(self.place.shape[1]):
            self.new_place[c] = self.place[box, c]
        for c in range(self.q):
            grown |= not self.new_place[code[c]]
            self.new_place[code[c]] = True
        return self.put(box, grown, overlap, nested)

    def join(self, Py_ssize_t box, Py_ssize_t other):
        """Enlarge a box to contain another one, unless it would overlap a box of another class."""
        cdef Py_ssize_t c
        for c in range(self.p):
            self.new_low[c] = min(self.low[box, c], self.low[other, c])
            self.new_high[c] = max(self.high[box, c], self.high[other, c])
            self.new_gap[c] = self.gap[box, c] or self.gap[other, c]
        for c in range(self.place.shape[1]):
            self.new_place[c] = self.place[box, c] or self.place[other, c]
        return self.put(box, True, False, False)
