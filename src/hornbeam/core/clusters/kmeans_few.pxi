# Part of kmeans.pyx: rows prepared for float32, and comparisons with all centers if there are few.

def extent(const double[:, ::1] rows, double[:, ::1] out, int64_t first, int64_t last):
    """The minimum, the maximum and the sum of each column, over rows `first` to `last` - 1."""
    cdef int64_t i, j, d = rows.shape[1]
    cdef double x
    with nogil:
        for j in range(d):
            out[0, j], out[1, j], out[2, j] = INFINITY, -INFINITY, 0.0
        for i in range(first, last):
            for j in range(d):
                x = rows[i, j]
                out[0, j] = min(out[0, j], x)
                out[1, j] = max(out[1, j], x)
                out[2, j] += x


def lay_out(const double[:, ::1] rows, const double[::1] middle, double scale, int64_t side_by_side, float[::1] out,
            double[::1] squares, int64_t first, int64_t last):
    """Center, scale and round rows, in blocks of `side_by_side` rows, column by column; also writes their squares."""
    cdef int64_t i, j, d = rows.shape[1], step = side_by_side
    cdef double total, placed, part = 1.0 / scale
    cdef float* to
    with nogil:
        for i in range(first, last):
            to = &out[i // step * step * d + i % step]
            total = 0.0
            for j in range(d):
                placed = (rows[i, j] - middle[j]) * part
                to[j * step] = <float>placed
                total += placed * placed
            squares[i] = total


def assign_few(const float[::1] blocks, const double[:, ::1] exact, const double[::1] squares,
               const float[:, ::1] small, const float[::1] half, const double[:, ::1] centers, double reach,
               double margin, double fine, int32_t[::1] found, int64_t first, int64_t last):
    """The nearest center of rows `first` (where a block begins) to `last` - 1, for few centers, without bounds.

    Returns how many rows were compared in float64.
    """
    cdef float best[HB_K_TILE]
    cdef float second[HB_K_TILE]
    cdef int32_t where[HB_K_TILE]
    cdef int64_t i, start, n, d = exact.shape[1], k = centers.shape[0], again = 0
    cdef double longest
    cdef float near
    with nogil:
        start = first
        while start < last:
            hb_k_block(&blocks[start * d], d, &small[0, 0], &half[0], k, best, second, where)
            n = min(<int64_t>HB_K_TILE, last - start)
            longest = 0.0
            for i in range(n):
                longest = max(longest, squares[start + i])
            near = <float>(2.0000002 * wrong_by(longest, reach, margin, fine))  # rounded up by one step
            for i in range(n):
                found[start + i] = where[i]
            for i in range(n):
                if not second[i] - best[i] > near:
                    found[start + i] = looked_at(&exact[start + i, 0], centers)
                    again += 1
            start += HB_K_TILE
    return again
