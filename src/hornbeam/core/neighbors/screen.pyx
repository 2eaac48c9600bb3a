"""Rows that may be among the nearest, by distances in single precision.

The distances are known up to an error that has a limit, so that all rows within the k-th least and twice that limit are
kept, and their distances can be taken exactly by whoever asks. `screen_loops.pxd` has the loops. Where rows are all
numbers and those near each other lie together, chunks of them that are farther than k rows found before are passed
over, the nearest chunk being looked through first.
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
    CHUNK = 512  # rows whose distances are under way at a time

LANES, TILE, ROWS = HB_N_LANES, HB_N_TILE, CHUNK


cdef void take_in(float* least, int64_t k, float score) noexcept nogil:
    """Put a score in its place among the k least."""
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
    """Keep the rows of a chunk that may be among the nearest; a count of -1: there is no room for them all."""
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
    const float[:, :, ::1] asking,  # IN: (tiles, columns, rows of a tile)
    const float[:, :, ::1] ranges,  # IN: (chunks, low and high, columns)
    int32_t[:, ::1] nearest,  # OUT: (tiles, rows of a tile)
):
    """The chunk of rows that may be nearest, for every row that asks."""
    cdef int64_t tile, chunk
    cdef int t
    cdef float away[HB_N_TILE]
    cdef float least[HB_N_TILE]
    with nogil:
        for tile in range(asking.shape[0]):
            poll()
            for t in range(HB_N_TILE):
                least[t] = INFINITY
            for chunk in range(ranges.shape[0]):
                hb_n_beyond(&asking[tile, 0, 0], &ranges[chunk, 0, 0], asking.shape[1], away)
                for t in range(HB_N_TILE):
                    if away[t] < least[t]:
                        least[t] = away[t]
                        nearest[tile, t] = <int32_t>chunk


def screen(
    const float[:, :, ::1] values,  # IN: (panels, columns, lanes): the rows to choose from
    const float[:, :, ::1] norms,  # IN: (panels, 1, lanes), or without panels; see `hb_n_rows`
    const float[:, :, ::1] far,  # IN: (panels, numbers, lanes), or without panels
    int64_t n_rows,
    tuple groups,  # how many numbers without gaps, numbers, and categories without tables
    tuple ways,  # whether missing values are left out, differences squared, missing categories less than others
    const float[:, :, ::1] asking,  # IN: (tiles, columns, rows of a tile); NaN: missing
    const float[:, :, ::1] twice,  # IN: the same, -2 times
    const float[:, :, ::1] fill,  # IN: the same; of categories with tables the code of a missing one
    const float[:, :, ::1] weight,  # IN: the same
    const float[:, :, ::1] lack,  # IN: the same
    const float[::1] tables,  # IN: what categories add, of all columns with tables
    const int64_t[:, :, ::1] table_row,  # IN: (tiles, columns, rows of a tile): where that for a category begins
    const float[::1] slack,  # IN: by row that asks
    const float[:, :, ::1] ranges,  # IN: (chunks, low and high, columns), or none: all are looked through
    const int32_t[::1] nearest,  # IN: by tile: the chunk to begin with
    int64_t n_asking,
    float[:, ::1] least,  # OUT: (rows that ask, k): infinite at first
    int32_t[:, ::1] rows,  # OUT: (rows that ask, room)
    float[:, ::1] scores,  # OUT: the same
    int32_t[::1] counts,  # OUT: how many may be among the nearest; -1: there was no room for them all
):
    """Look through all rows on behalf of some that ask."""
    cdef hb_n_rows r
    cdef hb_n_tile a
    cdef int64_t n_panels = values.shape[0], chunk, n, tile, t, at, f, width = CHUNK, k = least.shape[1]
    cdef int64_t n_tiles = asking.shape[0], n_columns = asking.shape[1], per_chunk = CHUNK // HB_N_LANES, panels
    cdef int64_t turn, n_chunks = (n_panels + per_chunk - 1) // per_chunk
    cdef float out[CHUNK * 4]
    cdef float away[HB_N_TILE]
    cdef float value
    cdef double most
    cdef bint with_ranges = ranges.shape[0] > 0, wanted
    cdef const float** table = <const float**>malloc((n_columns * HB_N_TILE + 1) * sizeof(float*))
    gone_array = np.zeros((n_tiles, n_columns + 1), np.int32)
    cdef int32_t[:, ::1] gone = gone_array
    own_array = np.square(asking, dtype=np.float64).sum(axis=1).ravel()  # scores are without it
    cdef double[::1] own = own_array
    if table == NULL:
        raise MemoryError
    r.n_whole, r.n_numbers, r.n_overlap = groups
    r.ignore, r.squared, r.lacks = ways
    r.n_columns = <int>n_columns
    r.values = &values[0, 0, 0]
    r.norms = &norms[0, 0, 0] if norms.shape[0] else NULL
    r.far = &far[0, 0, 0] if far.shape[0] else NULL
    a.table = table
    with nogil:
        for tile in range(n_tiles):
            for f in range(r.n_numbers):
                for t in range(HB_N_TILE):
                    value = asking[tile, f, t]
                    if value != value:
                        gone[tile, f] = 1
                        if f < r.n_whole:
                            gone[tile, n_columns] = 1
        for turn in range(2 * n_chunks if with_ranges else n_chunks):  # at first that nearest to each tile only
            if stopping():
                break
            chunk = turn % n_chunks
            panels = min(per_chunk, n_panels - chunk * per_chunk)
            n = min(width, n_rows - chunk * width)
            for tile in range(n_tiles):
                if with_ranges:
                    if (nearest[tile] == chunk) != (turn < n_chunks):
                        continue
                    wanted = turn < n_chunks
                    if not wanted:
                        hb_n_beyond(&asking[tile, 0, 0], &ranges[chunk, 0, 0], n_columns, away)
                        for t in range(HB_N_TILE):
                            at = tile * HB_N_TILE + t
                            if at < n_asking:  # rounding hides no more than another slack
                                most = least[at, k - 1] + 2.0 * slack[at] + own[at]
                                wanted = wanted or not away[t] > most
                    if not wanted:
                        continue
                a.q = &asking[tile, 0, 0]
                a.twice = &twice[tile, 0, 0]
                a.fill = &fill[tile, 0, 0]
                a.weight = &weight[tile, 0, 0]
                a.lack = &lack[tile, 0, 0]
                a.gone = &gone[tile, 0]
                a.any_gone = gone[tile, n_columns]
                for f in range(r.n_numbers + r.n_overlap, n_columns):
                    for t in range(HB_N_TILE):
                        table[f * HB_N_TILE + t] = &tables[0] + table_row[tile, f, t]
                hb_n_scores(&r, &a, chunk * per_chunk, panels, out, width)
                for t in range(HB_N_TILE):
                    at = tile * HB_N_TILE + t
                    if at < n_asking and counts[at] >= 0:
                        pick(out + t * width, n, chunk * width, k, slack[at], &least[at, 0], &rows[at, 0],
                             &scores[at, 0], &counts[at], rows.shape[1])
        for at in range(n_asking):
            if counts[at] > 0:
                counts[at] = squeeze(&rows[at, 0], &scores[at, 0], counts[at], least[at, k - 1] + slack[at])
    free(table)
    poll()
