"""k-means: the nearest center of every row, exactly, and sums of rows by center.

A row keeps an upper bound of the distance from its center and, for every group of centers, a lower bound of the
distance from the others (after Hamerly, and Ding et al.'s Yinyang); while the bounds stay apart its label stands.
Where they do not, rows are taken in blocks and compared with the centers of a group by float32 products
(`kmeans_loops.pxd`). These are known to be wrong by no more than a margin; a row whose nearest two are closer than
that is compared again, in float64, column after column. So labels are those of comparing every row with every center,
the first of equals. Few centers are all compared, which costs less than bounds.
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
    BLOCK = 192  # rows under way at a time
    POLLED = 64  # rows after which it is asked whether to stop

cdef double LESS = 1 - 4e-7  # bounds are float32: one step down, and one up
cdef double MORE = 1 + 1e-12


cdef inline double square(const double* x, const double* c, int64_t d) noexcept nogil:
    """The squared distance, summed column after column."""
    cdef double total = 0.0, apart
    cdef int64_t j
    for j in range(d):
        apart = x[j] - c[j]
        total += apart * apart
    return total


cdef int32_t looked_at(const double* x, const double[:, ::1] centers) noexcept nogil:
    """The nearest of all centers, the first of equals."""
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
    """The nearest center of rows `first` to `last` - 1, every center compared: Lloyd's own way."""
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
    double margin  # how wrong a score is, as a share of what it is made of
    double fine  # the same of a distance in float64


cdef inline double wrong_by(double squares, double reach, double margin, double fine) noexcept nogil:
    """How wrong a row's scores are at most; its length is at most (1 + its square) / 2."""
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
    """A lower bound as it is kept: with what its group had moved by then."""
    return <float>((bound + moved) * LESS)


def assign(const float[:, ::1] x, const double[:, ::1] exact, const double[::1] squares, const float[:, :, ::1] tiles,
           const float[:, ::1] small, const float[::1] half, const int32_t[::1] owner, const int32_t[::1] slot,
           const int32_t[::1] group,
           const int32_t[::1] group_start, const double[::1] moved, const double[::1] move,
           const double[:, ::1] centers, double reach, double margin, double fine, const int32_t[::1] labels,
           double[::1] upper, float[:, ::1] lower, int32_t[::1] found, int64_t first, int64_t last):
    """The nearest center of rows `first` to `last` - 1; gives how many rows were compared in float64.

    `upper` and `lower` are bounds from the time before; where `upper` is infinite there is none, nor a label.
    """
    cdef Ground g
    cdef int64_t start, again = 0
    g.d = x.shape[1]
    g.x = &x[0, 0]
    g.squares = &squares[0]
    g.tiles = &tiles[0, 0, 0]
    g.small = &small[0, 0]
    g.half = &half[0]
    g.owner = &owner[0]
    g.slot = &slot[0]
    g.group = &group[0]
    g.group_start = &group_start[0]
    g.n_groups = <int>moved.shape[0]
    g.moved = &moved[0]
    g.move = &move[0]
    g.reach = reach
    g.margin = margin
    g.fine = fine
    with nogil:
        start = first
        while start < last:
            again += assign_block(&g, exact, centers, labels, upper, lower, found, start, min(start + BLOCK, last))
            start += BLOCK
    return again


cdef int64_t assign_block(const Ground* g, const double[:, ::1] exact, const double[:, ::1] centers,
                          const int32_t[::1] labels, double[::1] upper, float[:, ::1] lower, int32_t[::1] found,
                          int64_t first, int64_t last) noexcept nogil:
    cdef int64_t rows[BLOCK]
    cdef int64_t some[BLOCK]
    cdef double near[BLOCK]  # score of the nearest so far, and of the next
    cdef double following[BLOCK]
    cdef double beside[BLOCK]  # score of the next in the group of the nearest
    cdef double own[BLOCK]  # score of the center that the row had
    cdef double error[BLOCK]
    cdef double bound[BLOCK]
    cdef int32_t nearest[BLOCK]
    cdef char looked[BLOCK]  # whether the group of the nearest was compared
    cdef float best[HB_K_ROWS]
    cdef float second[HB_K_ROWS]
    cdef int32_t where[HB_K_ROWS]
    cdef const float* pointers[HB_K_ROWS]
    cdef int64_t i, n = 0, m, p, q, r, again = 0, place, n_rows
    cdef int h, n_groups = g.n_groups
    cdef int32_t label, tile, previous
    cdef double u, least, score, here
    for i in range(first, last):
        u = upper[i]
        if u < INFINITY:
            label = labels[i]
            u += g.move[label] * MORE
            least = INFINITY
            for h in range(n_groups):
                here = lower[i, h] - g.moved[h]
                if here < least:
                    least = here
            found[i] = label
            upper[i] = u
            if u < least:
                continue
            error[n] = wrong(g, i)
            score = g.half[g.slot[label]] - hb_k_product(g.x + i * g.d, g.small + label * g.d, g.d)
            u = min(u, upper_of(g.squares[i], score, error[n]))
            upper[i] = u
            if u < least:
                continue
            nearest[n] = g.slot[label]
            near[n] = own[n] = score
        else:
            error[n] = wrong(g, i)
            nearest[n] = -1
            near[n] = own[n] = INFINITY
        bound[n] = u
        following[n] = beside[n] = INFINITY
        looked[n] = 0
        rows[n] = i
        n += 1
    for h in range(n_groups):
        m = 0
        for p in range(n):
            if upper[rows[p]] == INFINITY or lower[rows[p], h] - g.moved[h] <= bound[p]:
                some[m] = p
                m += 1
        tile = g.group_start[h]
        p = 0
        while p < m:
            n_rows = min(<int64_t>HB_K_ROWS, m - p)
            for r in range(HB_K_ROWS):
                pointers[r] = g.x + rows[some[p + min(r, n_rows - 1)]] * g.d
            hb_k_nearest(pointers, <int>n_rows, g.d, g.tiles + tile * g.d * HB_K_TILE, g.half + tile * HB_K_TILE,
                         g.group_start[h + 1] - tile, best, second, where)
            for r in range(n_rows):
                q = some[p + r]
                i = rows[q]
                place = where[r] + tile * HB_K_TILE
                lower[i, h] = kept(lower_of(g.squares[i], best[r], error[q]), g.moved[h])
                if place == nearest[q]:  # the row's own: the next stands for the group
                    following[q] = min(following[q], <double>second[r])
                    beside[q] = second[r]
                    looked[q] = 1
                elif best[r] < near[q]:
                    following[q] = min(min(following[q], near[q]), <double>second[r])
                    near[q] = best[r]
                    nearest[q] = <int32_t>place
                    beside[q] = second[r]
                    looked[q] = 1
                    bound[q] = min(bound[q], upper_of(g.squares[i], near[q], error[q]))
                else:
                    following[q] = min(following[q], <double>best[r])
                    if g.group[nearest[q]] == h:  # rounding made another of its own group the first, not nearer
                        beside[q] = best[r]
                        looked[q] = 1
            p += HB_K_ROWS
    for q in range(n):
        i = rows[q]
        previous = g.slot[labels[i]] if upper[i] < INFINITY else -1
        if following[q] - near[q] > 2 * error[q]:
            found[i] = g.owner[nearest[q]]
            h = g.group[nearest[q]]
            if looked[q]:
                lower[i, h] = kept(lower_of(g.squares[i], beside[q], error[q]), g.moved[h])
        else:
            found[i] = looked_at(&exact[i, 0], centers)
            nearest[q] = g.slot[found[i]]
            near[q] = near[q] + 2 * error[q]  # the true nearest is no farther than that
            h = g.group[nearest[q]]
            here = lower_of(g.squares[i], near[q] - 2 * error[q], error[q])
            lower[i, h] = min(lower[i, h], kept(here, g.moved[h]))
            again += 1
        if previous >= 0 and previous != nearest[q]:
            h = g.group[previous]
            lower[i, h] = min(lower[i, h], kept(lower_of(g.squares[i], min(near[q], own[q]), error[q]), g.moved[h]))
        upper[i] = upper_of(g.squares[i], near[q], error[q])
    return again


include "kmeans_few.pxi"
include "kmeans_moves.pxi"


def add_up(const double[:, ::1] x, const double[::1] weights, int32_t[::1] labels, const int32_t[::1] found,
           double[:, ::1] sums, double[::1] counts, int64_t first, int64_t last, bint anew):
    """Sums and weights of rows by center: all of them, or what changes by rows that go elsewhere.

    Labels become those found; gives how many rows changed. Without weights (an empty array) a row counts once.
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
    """How many rows have another label than before."""
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
    """The lesser of `least` and the squared distance from each candidate, of rows `first` to `last` - 1, by candidate.

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

    Rows are given row by row, centers column by column; a missing value adds nothing. `sums` is room for a number a
    center.
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
