"""k-means: the nearest center of every row, exactly, and sums of rows by center.

A row keeps an upper bound of the distance from its center and, for every group of centers, a lower bound of the
distance from the others (after Hamerly, and Ding et al.'s Yinyang); while the bounds do not overlap, it keeps its
label. Otherwise rows are taken in blocks and compared with the centers of a group by float32 products
(`kmeans_loops.h`), whose error has a known bound; a row whose two nearest centers are closer than that is compared
again in float64, column by column. So the labels are the same as from comparing every row with every center; the first
center wins ties. With few centers, comparing with all of them costs less than bounds.
"""

import numpy as np

from libc.math cimport INFINITY, sqrt
from libc.stdint cimport int32_t, int64_t

from hornbeam.core.base.interrupt cimport poll

cdef extern from "hornbeam/core/clusters/kmeans_loops.h":
    enum:
        HB_K_TILE
        HB_K_ROWS
    void hb_k_nearest(const float** rows, int n_rows, int64_t d, const float* tiles, const float* half,
                      int64_t n_tiles, float* best, float* second, int32_t* slot) noexcept nogil
    void hb_k_block(const float* x, int64_t d, const float* centers, const float* half, int64_t k, float* best,
                    float* second, int32_t* slot) noexcept nogil
    float hb_k_product(const float* x, const float* c, int64_t d) noexcept nogil

cdef enum:
    BLOCK = 192  # rows worked on at a time
    POLLED = 64  # rows between two checks for interruption

cdef double LESS = 1 - 4e-7  # bounds are float32: rounds them down or up by one step
cdef double MORE = 1 + 1e-12


cdef inline double square(const double* x, const double* c, int64_t d) noexcept nogil:
    """The squared distance, summed column by column."""
    cdef double total = 0.0, apart
    cdef int64_t j
    for j in range(d):
        apart = x[j] - c[j]
        total += apart * apart
    return total


cdef int32_t looked_at(const double* x, const double[:, ::1] centers) noexcept nogil:
    """The nearest of all centers; the first wins ties."""
    cdef int32_t c, found = 0
    cdef double least = INFINITY, here
    for c in range(<int32_t>centers.shape[0]):
        here = square(x, &centers[c, 0], centers.shape[1])
        if here < least:
            least = here
            found = c
    return found


def assign_plainly(const double[:, ::1] x, const double[:, ::1] centers, int32_t[::1] found, int64_t first,
                   int64_t last):
    """The nearest center of rows `first` to `last` - 1, by comparing with every center, as in Lloyd's algorithm."""
    cdef int64_t i
    with nogil:
        for i in range(first, last):
            found[i] = looked_at(&x[i, 0], centers)


cdef struct Ground:
    int64_t d
    const float* x  # rows, centered and scaled
    const double* squares  # of those rows
    const float* tiles  # (tiles, d, 16)
    const float* small  # (centers, d)
    const float* half  # half squares of the centers, by slot
    const int32_t* owner  # by slot: the center
    const int32_t* slot  # by center
    const int32_t* group  # by slot
    const int32_t* group_start  # in tiles
    int n_groups
    const double* moved  # by group: how far its centers have moved, at most, since the start
    const double* move  # by center: how far it has moved since the last time
    double reach  # the greatest length of a center
    double margin  # the error of a score, relative to its terms
    double fine  # the same for a distance in float64


cdef struct Block:  # rows of a block whose bounds do not determine their label
    int64_t n
    int64_t rows[BLOCK]
    double near[BLOCK]  # score of the nearest so far, and of the second nearest
    double following[BLOCK]
    double beside[BLOCK]  # score of the second nearest in the group of the nearest
    double own[BLOCK]  # score of the center that the row had
    double error[BLOCK]
    double bound[BLOCK]
    int32_t nearest[BLOCK]
    char looked[BLOCK]  # whether the group of the nearest center was compared


cdef inline double wrong_by(double squares, double reach, double margin, double fine) noexcept nogil:
    """The greatest error of a row's scores; its length is at most (1 + its square) / 2."""
    return margin * ((0.5 + 0.5 * squares) * reach + 0.5 * reach * reach) + fine * squares + 1e-37


cdef inline double wrong(const Ground* g, int64_t i) noexcept nogil:
    return wrong_by(g.squares[i], g.reach, g.margin, g.fine)


cdef inline double upper_of(double squares, double score, double error) noexcept nogil:
    cdef double d2 = squares + 2 * (score + error)
    return sqrt(d2) * MORE if d2 > 0.0 else 0.0


cdef inline double lower_of(double squares, double score, double error) noexcept nogil:
    cdef double d2 = squares + 2 * (score - error)
    return sqrt(d2) / MORE if d2 > 0.0 else 0.0


cdef inline float kept(double bound, double moved) noexcept nogil:
    """A lower bound in its stored form, which includes how far its group had moved by then."""
    return <float>((bound + moved) * LESS)


cdef class Bounds:
    """Rows, groups of centers, and bounds of the distances between them.

    `upper` and `lower` are the bounds of the last pass; where `upper` is infinite, there are no bounds and no label.
    """

    cdef Ground ground
    cdef const double[:, ::1] exact, centers
    cdef double[::1] upper
    cdef float[:, ::1] lower
    cdef object rows, placed  # keep the arrays alive

    def __init__(self, const float[:, ::1] x, const double[:, ::1] exact, const double[::1] squares,
                 const int32_t[::1] owner, const int32_t[::1] slot, const int32_t[::1] group,
                 const int32_t[::1] group_start, double[::1] upper, float[:, ::1] lower):
        self.rows = (x, squares, owner, slot, group, group_start)
        self.exact, self.upper, self.lower = exact, upper, lower
        self.ground.d = x.shape[1]
        self.ground.x = &x[0, 0]
        self.ground.squares = &squares[0]
        self.ground.owner = &owner[0]
        self.ground.slot = &slot[0]
        self.ground.group = &group[0]
        self.ground.group_start = &group_start[0]
        self.ground.n_groups = <int>group_start.shape[0] - 1

    def place(self, const double[:, ::1] centers, const float[:, :, ::1] tiles, const float[:, ::1] small,
              const float[::1] half, const double[::1] moved, const double[::1] move, double reach, double margin,
              double fine):
        """Set where the centers are now; see `Ground`."""
        self.placed = (tiles, small, half, moved, move)
        self.centers = centers
        self.ground.tiles = &tiles[0, 0, 0]
        self.ground.small = &small[0, 0]
        self.ground.half = &half[0]
        self.ground.moved = &moved[0]
        self.ground.move = &move[0]
        self.ground.reach, self.ground.margin, self.ground.fine = reach, margin, fine

    def assign(self, const int32_t[::1] labels, int32_t[::1] found, int64_t first, int64_t last):
        """The nearest center of rows `first` to `last` - 1; returns how many rows were compared in float64."""
        cdef Block block
        cdef int64_t start, again = 0
        cdef int h
        with nogil:
            start = first
            while start < last:
                self.choose_rows(&block, labels, found, start, min(start + BLOCK, last))
                for h in range(self.ground.n_groups):
                    self.compare_group(&block, h)
                again += self.settle(&block, labels, found)
                start += BLOCK
        return again

    cdef void choose_rows(self, Block* b, const int32_t[::1] labels, int32_t[::1] found, int64_t first,
                          int64_t last) noexcept nogil:
        """Collect the rows whose bounds overlap; the others keep their label."""
        cdef const Ground* g = &self.ground
        cdef int64_t i, n = 0
        cdef int32_t label
        cdef int h
        cdef double u, least, here, score
        for i in range(first, last):
            u = self.upper[i]
            if u < INFINITY:
                label = labels[i]
                u += g.move[label] * MORE
                least = INFINITY
                for h in range(g.n_groups):
                    here = self.lower[i, h] - g.moved[h]
                    if here < least:
                        least = here
                found[i] = label
                self.upper[i] = u
                if u < least:
                    continue
                b.error[n] = wrong(g, i)
                score = g.half[g.slot[label]] - hb_k_product(g.x + i * g.d, g.small + label * g.d, g.d)
                u = min(u, upper_of(g.squares[i], score, b.error[n]))
                self.upper[i] = u
                if u < least:
                    continue
                b.nearest[n] = g.slot[label]
                b.near[n] = b.own[n] = score
            else:
                b.error[n] = wrong(g, i)
                b.nearest[n] = -1
                b.near[n] = b.own[n] = INFINITY
            b.bound[n] = u
            b.following[n] = b.beside[n] = INFINITY
            b.looked[n] = 0
            b.rows[n] = i
            n += 1
        b.n = n

    cdef void compare_group(self, Block* b, int h) noexcept nogil:
        """Compare rows with the centers of a group, if one of them may be nearer than the nearest so far."""
        cdef const Ground* g = &self.ground
        cdef int64_t some[BLOCK]
        cdef float best[HB_K_ROWS]
        cdef float second[HB_K_ROWS]
        cdef int32_t where[HB_K_ROWS]
        cdef const float* pointers[HB_K_ROWS]
        cdef int64_t m = 0, p, q, r, i, place, n_rows
        cdef int32_t tile = g.group_start[h]
        for p in range(b.n):
            if self.upper[b.rows[p]] == INFINITY or self.lower[b.rows[p], h] - g.moved[h] <= b.bound[p]:
                some[m] = p
                m += 1
        p = 0
        while p < m:
            n_rows = min(<int64_t>HB_K_ROWS, m - p)
            for r in range(HB_K_ROWS):
                pointers[r] = g.x + b.rows[some[p + min(r, n_rows - 1)]] * g.d
            hb_k_nearest(pointers, <int>n_rows, g.d, g.tiles + tile * g.d * HB_K_TILE, g.half + tile * HB_K_TILE,
                         g.group_start[h + 1] - tile, best, second, where)
            for r in range(n_rows):
                q = some[p + r]
                i = b.rows[q]
                place = where[r] + tile * HB_K_TILE
                self.lower[i, h] = kept(lower_of(g.squares[i], best[r], b.error[q]), g.moved[h])
                if place == b.nearest[q]:  # the row's own center: the second nearest represents the group
                    b.following[q] = min(b.following[q], <double>second[r])
                    b.beside[q] = second[r]
                    b.looked[q] = 1
                elif best[r] < b.near[q]:
                    b.following[q] = min(min(b.following[q], b.near[q]), <double>second[r])
                    b.near[q] = best[r]
                    b.nearest[q] = <int32_t>place
                    b.beside[q] = second[r]
                    b.looked[q] = 1
                    b.bound[q] = min(b.bound[q], upper_of(g.squares[i], b.near[q], b.error[q]))
                else:
                    b.following[q] = min(b.following[q], <double>best[r])
                    if g.group[b.nearest[q]] == h:  # only rounding ranked another center of its own group first
                        b.beside[q] = best[r]
                        b.looked[q] = 1
            p += HB_K_ROWS

    cdef int64_t settle(self, Block* b, const int32_t[::1] labels, int32_t[::1] found) noexcept nogil:
        """Set the labels and bounds of the compared rows; returns how many needed float64."""
        cdef const Ground* g = &self.ground
        cdef int64_t q, i, again = 0
        cdef int32_t previous
        cdef int h
        cdef double here
        for q in range(b.n):
            i = b.rows[q]
            previous = g.slot[labels[i]] if self.upper[i] < INFINITY else -1
            if b.following[q] - b.near[q] > 2 * b.error[q]:
                found[i] = g.owner[b.nearest[q]]
                h = g.group[b.nearest[q]]
                if b.looked[q]:
                    self.lower[i, h] = kept(lower_of(g.squares[i], b.beside[q], b.error[q]), g.moved[h])
            else:
                found[i] = looked_at(&self.exact[i, 0], self.centers)
                b.nearest[q] = g.slot[found[i]]
                b.near[q] = b.near[q] + 2 * b.error[q]  # the true nearest center is not farther than that
                h = g.group[b.nearest[q]]
                here = lower_of(g.squares[i], b.near[q] - 2 * b.error[q], b.error[q])
                self.lower[i, h] = min(self.lower[i, h], kept(here, g.moved[h]))
                again += 1
            if previous >= 0 and previous != b.nearest[q]:
                h = g.group[previous]
                here = lower_of(g.squares[i], min(b.near[q], b.own[q]), b.error[q])
                self.lower[i, h] = min(self.lower[i, h], kept(here, g.moved[h]))
            self.upper[i] = upper_of(g.squares[i], b.near[q], b.error[q])
        return again


include "kmeans_few.pxi"
include "kmeans_moves.pxi"


def add_up(const double[:, ::1] x, const double[::1] weights, int32_t[::1] labels, const int32_t[::1] found,
           double[:, ::1] sums, double[::1] counts, int64_t first, int64_t last, bint anew):
    """Sums and weights of rows by center: of all rows, or only the changes.

    `found` becomes the labels; returns how many rows changed. Without weights (an empty array) a row counts once.
    """
    cdef int64_t i, j, changed = 0, d = x.shape[1]
    cdef int32_t old, new
    cdef double w = 1.0, part
    cdef bint weighted = weights.shape[0] > 0
    with nogil:
        for i in range(first, last):
            old, new = labels[i], found[i]
            changed += old != new
            if not anew and old == new:
                continue
            if weighted:
                w = weights[i]
            counts[new] += w
            for j in range(d):
                sums[new, j] += w * x[i, j]
            if not anew and old >= 0:
                counts[old] -= w
                for j in range(d):
                    part = w * x[i, j]
                    sums[old, j] -= part
            labels[i] = new
    return changed


def add_mixed(const double[:, ::1] numbers, const int32_t[:, ::1] codes, const double[::1] weights,
              const int64_t[::1] start, const int32_t[::1] labels, double[:, ::1] sums, double[:, ::1] known,
              double[:, ::1] counts):
    """Add rows with numbers (NaN: missing) and categories (-1: missing) to the sums and counts of their clusters."""
    cdef int64_t i, j
    cdef int32_t c
    cdef double x, w
    with nogil:
        for i in range(labels.shape[0]):
            c, w = labels[i], weights[i]
            for j in range(numbers.shape[1]):
                x = numbers[i, j]
                if x == x:
                    sums[c, j] += w * x
                    known[c, j] += w
            for j in range(codes.shape[1]):
                if codes[i, j] >= 0:
                    counts[c, start[j] + codes[i, j]] += w


def count_changes(const int32_t[::1] labels, const int32_t[::1] found):
    """How many rows have a different label than before."""
    cdef int64_t i, changed = 0
    with nogil:
        for i in range(labels.shape[0]):
            changed += labels[i] != found[i]
    return changed


def squares_to_own(const double[:, ::1] x, const double[:, ::1] centers, const int32_t[::1] labels, double[::1] out,
                   int64_t first, int64_t last):
    """The squared distance of every row from its center."""
    cdef int64_t i
    with nogil:
        for i in range(first, last):
            out[i] = square(&x[i, 0], &centers[labels[i], 0], x.shape[1])


def nearer(const double[:, ::1] columns, const double[:, ::1] candidates, const double[::1] least,
           double[:, ::1] out, int64_t first, int64_t last):
    """The smaller of `least` and the squared distance from each candidate, for rows `first` to `last` - 1, by
    candidate.

    The rows are given column by column.
    """
    cdef int64_t i, j, t, start, n, d = columns.shape[0]
    cdef const double* x
    cdef double* sums
    cdef double c, apart
    with nogil:
        start = first
        while start < last:
            n = min(<int64_t>BLOCK, last - start)
            for t in range(candidates.shape[0]):
                sums = &out[t, start]
                for i in range(n):
                    sums[i] = 0.0
                for j in range(d):
                    x = &columns[j, start]
                    c = candidates[t, j]
                    for i in range(n):
                        apart = x[i] - c
                        sums[i] += apart * apart
                for i in range(n):
                    sums[i] = min(sums[i], least[start + i])
            start += BLOCK


def assign_mixed(const double[:, ::1] numbers, const int32_t[:, ::1] codes, const double[::1] number_weights,
                 const double[::1] code_weights, const double[:, ::1] number_centers,
                 const int32_t[:, ::1] code_centers, double[::1] sums, int32_t[::1] found, double[::1] costs,
                 int64_t first, int64_t last):
    """The nearest center of rows with numbers (NaN: missing) and categories (-1: missing), and the cost of each row.

    Rows are given row by row, centers column by column; a missing value adds nothing. `sums` is a work array with one
    number per center.
    """
    cdef int64_t i, j, c, k = sums.shape[0]
    cdef double x, w, apart, least
    cdef int32_t code
    cdef const double* center
    cdef const int32_t* modes
    cdef double* total = &sums[0]
    with nogil:
        for i in range(first, last):
            for c in range(k):
                total[c] = 0.0
            for j in range(numbers.shape[1]):
                x = numbers[i, j]
                if x != x:
                    continue
                w = number_weights[j]
                center = &number_centers[j, 0]
                for c in range(k):
                    apart = x - center[c]
                    total[c] += w * (apart * apart)
            for j in range(codes.shape[1]):
                code = codes[i, j]
                if code < 0:
                    continue
                w = code_weights[j]
                modes = &code_centers[j, 0]
                for c in range(k):
                    total[c] += 0.0 if modes[c] == code else w
            least = total[0]
            found[i] = 0
            for c in range(1, k):
                if total[c] < least:
                    least = total[c]
                    found[i] = <int32_t>c
            costs[i] = least
