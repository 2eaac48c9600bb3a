# Rows copied into slots, a chunk at a time: by column in blocks for the trees that are bits, by row for those that are
# steps. Numbers are converted to the width of the slots such that every comparison has the same result as in 64 bits.

cdef struct Chunk:
    hb_pool pool  # memory that is freed with this chunk
    int64_t n_rows
    uint8_t* lacking  # by block of rows: whether a number is missing in it
    int32_t* leaf  # by row

ctypedef fused slot:
    Slot32
    Slot64


cdef float raised(double value) noexcept nogil:
    """Round up to float32: the result is at most a float32 cut exactly if the value is."""
    cdef Slot32 near
    near.number = <float>value
    if <double>near.number < value:
        near.code += 1 if not near.code >> 31 else <uint32_t>0xFFFFFFFF
    return near.number


cdef bint copy_column(
    const Source* source, int64_t feature, int64_t n_categories, int64_t first_row, int64_t count, int64_t stride,  # IN
    slot* out,  # OUT, every `stride`
) noexcept nogil:
    """Copy a feature of some rows; returns whether any value is missing."""
    cdef const char* place = source.data[feature] + first_row * source.stride[feature]
    cdef int64_t step_bytes = source.stride[feature], i
    cdef int32_t code
    cdef bint lacking = False
    cdef double value
    if source.kind[feature] == INT32:
        for i in range(count):
            code = (<const int32_t*>(place + i * step_bytes))[0]
            if n_categories >= 0:
                if slot is Slot32:
                    out[i * stride].code = <uint32_t>(code if 0 <= code < n_categories else n_categories)
                else:
                    out[i * stride].code = <uint64_t>(code if 0 <= code < n_categories else n_categories)
            else:
                lacking |= code < 0
                out[i * stride].number = code if code >= 0 else NAN
    elif source.kind[feature] == FLOAT32:
        for i in range(count):
            out[i * stride].number = (<const float*>(place + i * step_bytes))[0]
            lacking |= out[i * stride].number != out[i * stride].number
    else:
        for i in range(count):
            value = (<const double*>(place + i * step_bytes))[0]
            lacking |= value != value
            if slot is Slot32:
                out[i * stride].number = raised(value)
            else:
                out[i * stride].number = value
    return lacking


cdef void fill_blocks(
    const Pack* pack, const Source* source, int64_t first_row, const Chunk* chunk,  # IN
    parts* own,  # OUT
) noexcept nogil:
    """Copy the rows of a chunk column by column."""
    cdef int64_t block, start, count, s, i, place
    for block in range((chunk.n_rows + BLOCK_ROWS - 1) // BLOCK_ROWS):
        start = block * BLOCK_ROWS
        count = min(<int64_t>BLOCK_ROWS, chunk.n_rows - start)
        for s in range(1, pack.n_slots):
            place = (block * pack.n_slots + s) * BLOCK_ROWS
            own.column[2 * block * pack.n_slots + s] = own.columns + place
            own.column[(2 * block + 1) * pack.n_slots + s] = own.columns + place
            for i in range(count, BLOCK_ROWS):
                own.columns[place + i].code = 0  # rows beyond the last: any code within bounds will do
            if copy_column(
                source, pack.feature_of[s], pack.n_categories[s], first_row + start, count, 1, own.columns + place
            ):
                for i in range(BLOCK_ROWS):
                    own.lowered[place + i] = own.columns[place + i]
                    if own.lowered[place + i].number != own.lowered[place + i].number:
                        own.lowered[place + i].number = -INFINITY
                own.column[(2 * block + 1) * pack.n_slots + s] = own.lowered + place


cdef void fill_rows(
    const Pack* pack, const Source* source, int64_t first_row,  # IN
    Chunk* chunk, parts* own,  # OUT
) noexcept nogil:
    """Copy the rows of a chunk row by row."""
    cdef int64_t s, start = 0, count, i
    while start < chunk.n_rows:
        count = min(<int64_t>BLOCK_ROWS, chunk.n_rows - start)
        chunk.lacking[start // BLOCK_ROWS] = 0
        for i in range(start, start + count):
            own.rows[i * pack.n_slots].number = NAN
        for s in range(1, pack.n_slots):
            if copy_column(
                source, pack.feature_of[s], pack.n_categories[s], first_row + start, count, pack.n_slots,
                own.rows + start * pack.n_slots + s,
            ):
                chunk.lacking[start // BLOCK_ROWS] = 1
        start += BLOCK_ROWS


cdef int take_chunk(const Pack* pack, int64_t n_rows, Chunk* chunk, parts* own) except -1:
    """Allocate the slots of a chunk."""
    cdef int64_t n_blocks = (n_rows + BLOCK_ROWS - 1) // BLOCK_ROWS
    cdef int64_t n_bytes = (n_blocks * BLOCK_ROWS + 1) * pack.n_slots * sizeof(own.rows[0])
    memset(&chunk.pool, 0, sizeof(hb_pool))
    try:
        chunk.leaf = <int32_t*>take_raw(&chunk.pool, n_blocks * BLOCK_ROWS * sizeof(int32_t))
        chunk.lacking = <uint8_t*>take_raw(&chunk.pool, n_blocks)
        if pack.any_bits:
            take_raw_at(&own.columns, &chunk.pool, n_bytes)
            take_raw_at(&own.lowered, &chunk.pool, n_bytes)
            take_at(&own.column, &chunk.pool, 2 * (n_blocks + 1) * pack.n_slots, sizeof(void*))
        if pack.any_steps:
            take_raw_at(&own.rows, &chunk.pool, n_bytes)
    except MemoryError:
        hb_pool_free(&chunk.pool)
        raise
    return 0
