"""Rows that may be among the nearest, by distances in single precision.

The error of the distances has a known limit, so all rows within the k-th smallest distance plus twice that limit are
kept; the caller then computes their exact distances. `screen_loops.h` has the loops. If all columns are numbers and
rows close to each other are stored together, chunks of rows that are farther than the k rows found so far are skipped;
the nearest chunk is searched first.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

from hornbeam.core.base.interrupt cimport poll, stopping

cdef extern from "hornbeam/core/neighbors/screen_loops.h":
    ctypedef struct hb_n_rows:
        const float* values
        const float* norms
        const float* far
        int n_columns, n_whole, n_numbers, n_overlap
        int ignore, squared, lacks

    ctypedef struct hb_n_tile:
        const float* q
        const float* twice
        const float* fill
        const float* weight
        const float* lack
        const float* const* table
        const int32_t* gone
        int any_gone

    enum:
        HB_N_LANES
        HB_N_TILE

    void hb_n_scores(const hb_n_rows* r, const hb_n_tile* a, int64_t first, int64_t n_panels, float* out,
                     int64_t stride) noexcept nogil
    int64_t hb_n_look(const float* score, float most, int64_t i, int64_t n) noexcept nogil
    void hb_n_beyond(const float* q, const float* ranges, int64_t n_columns, float* out) noexcept nogil

cdef enum:
    CHUNK = 512  # rows whose distances are computed at a time

LANES, TILE, ROWS = HB_N_LANES, HB_N_TILE, CHUNK


cdef void take_in(float* least, int64_t k, float score) noexcept nogil:
    """Insert a score among the k smallest."""
    cdef int64_t i = k - 1
    if not score < least[i]:
        return
    while i > 0 and least[i - 1] > score:
        least[i] = least[i - 1]
        i -= 1
    least[i] = score


cdef int32_t squeeze(int32_t* rows, float* scores, int32_t count, float most) noexcept nogil:
    cdef int32_t i, left = 0
    for i in range(count):
        if scores[i] <= most:
            rows[left] = rows[i]
            scores[left] = scores[i]
            left += 1
    return left


cdef void pick(const float* score, int64_t n, int64_t first, int64_t k, float slack, float* least, int32_t* rows,
               float* scores, int32_t* count, int64_t room) noexcept nogil:
    """Keep the rows of a chunk that may be among the nearest; a count of -1: not enough room for all of them."""
    cdef int64_t i = 0, j, end
    cdef float most = least[k - 1] + slack
    while i < n:
        i = hb_n_look(score, most, i, n)
        end = min(<int64_t>(i + 2 * HB_N_LANES), n)
        for j in range(i, end):
            if not score[j] <= most:
                continue
            take_in(least, k, score[j])
            most = least[k - 1] + slack
            if count[0] == room:
                count[0] = squeeze(rows, scores, count[0], most)
            if count[0] == room:
                count[0] = -1
                return
            rows[count[0]] = <int32_t>(first + j)
            scores[count[0]] = score[j]
            count[0] += 1
        i = end


def nearest_chunks(
    const float[:, :, ::1] queries,  # IN: (tiles, columns, rows of a tile)
    const float[:, :, ::1] ranges,  # IN: (chunks, low and high, columns)
    int32_t[:, ::1] nearest,  # OUT: (tiles, rows of a tile)
):
    """The chunk of rows that may be nearest, for every query row."""
    cdef int64_t tile, chunk
    cdef int t
    cdef float away[HB_N_TILE]
    cdef float least[HB_N_TILE]
    with nogil:
        for tile in range(queries.shape[0]):
            poll()
            for t in range(HB_N_TILE):
                least[t] = INFINITY
            for chunk in range(ranges.shape[0]):
                hb_n_beyond(&queries[tile, 0, 0], &ranges[chunk, 0, 0], queries.shape[1], away)
                for t in range(HB_N_TILE):
                    if away[t] < least[t]:
                        least[t] = away[t]
                        nearest[tile, t] = <int32_t>chunk


cdef class Panels:
    """The candidate rows; see `hb_n_rows`."""

    cdef hb_n_rows rows
    cdef int64_t n_rows, n_panels
    cdef const float[:, :, ::1] ranges
    cdef const float[::1] tables
    cdef object kept

    def __init__(
        self,
        const float[:, :, ::1] values,  # (panels, columns, lanes)
        const float[:, :, ::1] norms,  # (panels, 1, lanes), or without panels
        const float[:, :, ::1] far,  # (panels, numbers, lanes), or without panels
        int64_t n_rows,
        tuple groups,  # how many numbers without missing values, numbers, and categories without tables
        tuple ways,  # flags: missing values ignored, differences squared, missing categories closer than different ones
        const float[::1] tables,  # what categories add, of all columns with tables
        const float[:, :, ::1] ranges,  # (chunks, low and high, columns), or none: all chunks are searched
    ):
        self.kept = (values, norms, far)
        self.rows.values = &values[0, 0, 0]
        self.rows.norms = &norms[0, 0, 0] if norms.shape[0] else NULL
        self.rows.far = &far[0, 0, 0] if far.shape[0] else NULL
        self.rows.n_columns = <int>values.shape[1]
        self.rows.n_whole, self.rows.n_numbers, self.rows.n_overlap = groups
        self.rows.ignore, self.rows.squared, self.rows.lacks = ways
        self.n_rows, self.n_panels = n_rows, values.shape[0]
        self.tables, self.ranges = tables, ranges


cdef class Queries:
    """The query rows, in tiles; see `hb_n_tile`. All arrays are (tiles, columns, rows of a tile)."""

    cdef const float[:, :, ::1] values, twice, fill, weight, lack
    cdef const int64_t[:, :, ::1] table_row
    cdef int32_t[:, ::1] gone  # (tiles, columns + 1): value is missing; last: in any complete column
    cdef double[::1] squares  # by row; scores are without it
    cdef int64_t n_rows

    def __init__(
        self,
        const float[:, :, ::1] values,  # NaN: missing
        const float[:, :, ::1] twice,  # the same, -2 times
        const float[:, :, ::1] fill,  # for categories with tables, the code of a missing value
        const float[:, :, ::1] weight,
        const float[:, :, ::1] lack,
        const int64_t[:, :, ::1] table_row,  # where the table of a row's category begins
        int64_t n_rows,
    ):
        self.values, self.twice, self.fill, self.weight, self.lack = values, twice, fill, weight, lack
        self.table_row, self.n_rows = table_row, n_rows
        self.gone = np.zeros((values.shape[0], values.shape[1] + 1), np.int32)
        self.squares = np.square(values, dtype=np.float64).sum(axis=1).ravel()

    cdef void mark_missing(self, const hb_n_rows* r) noexcept nogil:
        cdef int64_t tile, f, t
        cdef float value
        for tile in range(self.values.shape[0]):
            for f in range(r.n_numbers):
                for t in range(HB_N_TILE):
                    value = self.values[tile, f, t]
                    if value != value:
                        self.gone[tile, f] = 1
                        if f < r.n_whole:
                            self.gone[tile, r.n_columns] = 1

    cdef void set_tile(self, int64_t tile, Panels panels, hb_n_tile* a, const float** table) noexcept nogil:
        cdef int64_t f, t
        a.q = &self.values[tile, 0, 0]
        a.twice = &self.twice[tile, 0, 0]
        a.fill = &self.fill[tile, 0, 0]
        a.weight = &self.weight[tile, 0, 0]
        a.lack = &self.lack[tile, 0, 0]
        a.gone = &self.gone[tile, 0]
        a.any_gone = self.gone[tile, panels.rows.n_columns]
        for f in range(panels.rows.n_numbers + panels.rows.n_overlap, panels.rows.n_columns):
            for t in range(HB_N_TILE):
                table[f * HB_N_TILE + t] = &panels.tables[0] + self.table_row[tile, f, t]

    cdef bint may_be_near(self, int64_t tile, const float* ranges, const float[::1] slack,
                          const float[:, ::1] least) noexcept nogil:
        """Whether a chunk with these ranges may have a row among the nearest to a tile's rows."""
        cdef float away[HB_N_TILE]
        cdef double most
        cdef int64_t t, at
        hb_n_beyond(&self.values[tile, 0, 0], ranges, self.values.shape[1], away)
        for t in range(HB_N_TILE):
            at = tile * HB_N_TILE + t
            if at < self.n_rows:  # rounding errors are below another slack
                most = least[at, least.shape[1] - 1] + 2.0 * slack[at] + self.squares[at]
                if not away[t] > most:
                    return True
        return False


def screen(
    Panels panels,
    Queries queries,
    const float[::1] slack,  # IN: by query row
    const int32_t[::1] nearest,  # IN: by tile: the chunk to begin with
    float[:, ::1] least,  # OUT: (query rows, k): infinite at first
    int32_t[:, ::1] rows,  # OUT: (query rows, room)
    float[:, ::1] scores,  # OUT: the same
    int32_t[::1] counts,  # OUT: how many may be among the nearest; -1: not enough room for all of them
):
    """Search all rows for those that may be among the nearest to the query rows."""
    cdef hb_n_tile a
    cdef int64_t chunk, n, tile, t, at, width = CHUNK, k = least.shape[1], per_chunk = CHUNK // HB_N_LANES, n_panels
    cdef int64_t turn, n_chunks = (panels.n_panels + per_chunk - 1) // per_chunk
    cdef float out[CHUNK * 4]
    cdef bint with_ranges = panels.ranges.shape[0] > 0
    cdef const float** table = <const float**>malloc((panels.rows.n_columns * HB_N_TILE + 1) * sizeof(float*))
    if table == NULL:
        raise MemoryError
    a.table = table
    with nogil:
        queries.mark_missing(&panels.rows)
        for turn in range(2 * n_chunks if with_ranges else n_chunks):  # at first only the chunk nearest to each tile
            if stopping():
                break
            chunk = turn % n_chunks
            n_panels = min(per_chunk, panels.n_panels - chunk * per_chunk)
            n = min(width, panels.n_rows - chunk * width)
            for tile in range(queries.values.shape[0]):
                if with_ranges:
                    if (nearest[tile] == chunk) != (turn < n_chunks):
                        continue
                    if turn >= n_chunks and not queries.may_be_near(tile, &panels.ranges[chunk, 0, 0], slack, least):
                        continue
                queries.set_tile(tile, panels, &a, table)
                hb_n_scores(&panels.rows, &a, chunk * per_chunk, n_panels, out, width)
                for t in range(HB_N_TILE):
                    at = tile * HB_N_TILE + t
                    if at < queries.n_rows and counts[at] >= 0:
                        pick(out + t * width, n, chunk * width, k, slack[at], &least[at, 0], &rows[at, 0],
                             &scores[at, 0], &counts[at], rows.shape[1])
        for at in range(queries.n_rows):
            if counts[at] > 0:
                counts[at] = squeeze(&rows[at, 0], &scores[at, 0], counts[at], least[at, k - 1] + slack[at])
    free(table)
    poll()
