# Part of solve.pyx and predict.pyx: rows, dense, sparse or as kernel values, and runs of kernel values.

cdef struct Source:
    hb_kernel kernel
    int64_t n
    int64_t d
    float* tiles  # dense rows, by position; NULL otherwise
    float* spare
    const int64_t* start  # sparse rows, by their own number
    const int32_t* columns
    const double* values
    double* norms
    const double* gram  # kernel values, by the rows' own numbers


cdef inline int64_t whole_tiles(int64_t n) noexcept nogil:
    return (n + HB_TILE - 1) // HB_TILE


cdef inline float* tile_value(float* tiles, int64_t d, int64_t row) noexcept nogil:
    """The position of a row's first value; the others follow at every HB_TILE-th position."""
    return tiles + (row // HB_TILE) * d * HB_TILE + row % HB_TILE


cdef void fill_tiles(float* tiles, const double* rows, int64_t n, int64_t d) noexcept nogil:
    cdef int64_t r, c
    cdef float* at
    memset(tiles, 0, <size_t>(whole_tiles(n) * d * HB_TILE) * sizeof(float))
    for r in range(n):
        at = tile_value(tiles, d, r)
        for c in range(d):
            at[c * HB_TILE] = <float>rows[r * d + c]


cdef void fill_norms(Source* source) noexcept nogil:
    cdef int64_t r, k
    for r in range(source.n):
        source.norms[r] = 0.0
        for k in range(source.start[r], source.start[r + 1]):
            source.norms[r] += source.values[k] * source.values[k]


cdef void open_pivot(Source* source, int64_t place, int64_t row, double* wide, float* narrow) noexcept nogil:
    """Unpack a row so that others can be multiplied by it: `narrow` for dense rows, `wide` for sparse ones."""
    cdef int64_t c, k
    cdef const float* at
    if source.tiles != NULL:
        at = tile_value(source.tiles, source.d, place)
        for c in range(source.d):
            narrow[c] = at[c * HB_TILE]
    elif source.start != NULL:
        for k in range(source.start[row], source.start[row + 1]):
            wide[source.columns[k]] = source.values[k]


cdef void close_pivot(Source* source, int64_t row, double* wide) noexcept nogil:
    cdef int64_t k
    if source.start != NULL:
        for k in range(source.start[row], source.start[row + 1]):
            wide[source.columns[k]] = 0.0


cdef void kernel_run(
    Source* source, const int64_t* order, int64_t row, double norm, const double* wide, const float* narrow,
    int64_t first, int64_t last, float* out,
) noexcept nogil:
    """Kernel values of an unpacked row with positions from `first`, where a tile begins, to the tile of `last`."""
    cdef int64_t p, r, k, tile, begin, lane, n_tiles = whole_tiles(last - first)
    cdef double dot
    cdef double dots[HB_TILE]
    cdef const double* gram
    if source.tiles != NULL:
        hb_m_tiles(
            source.kernel, source.tiles + first * source.d, source.d, narrow, n_tiles, out
        )
        return
    if source.gram != NULL:
        gram = source.gram + row * source.n
        for p in range(first, min(first + n_tiles * HB_TILE, source.n)):
            out[p - first] = <float>gram[order[p]]
        return
    for tile in range(n_tiles):
        begin = tile * HB_TILE
        for lane in range(HB_TILE):
            p = first + begin + lane
            if p >= source.n:
                dots[lane] = 0.0
                continue
            r = order[p]
            dot = 0.0
            for k in range(source.start[r], source.start[r + 1]):
                dot += source.values[k] * wide[source.columns[k]]
            if source.kernel.kind == HB_RBF:
                dot = max(0.0, norm + source.norms[r] - 2.0 * dot)
            dots[lane] = dot
        hb_m_finish(source.kernel, dots, out + begin)
