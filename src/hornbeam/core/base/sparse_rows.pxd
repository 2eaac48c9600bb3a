# Sparse rows: the only place where their indices are checked before a kernel uses them.

from libc.stdint cimport int32_t, int64_t


cdef inline int64_t hb_wrong_row(
    const int64_t[::1] start, const int32_t[::1] columns, const double[::1] values, int64_t d, int64_t first,
    int64_t last,
) noexcept nogil:
    """The first row from `first` to `last` whose entries are not in the arrays or not in columns 0 to d - 1, or -1."""
    cdef int64_t r, k, n_entries = min(columns.shape[0], values.shape[0])
    for r in range(first, last):
        if start[r] < 0 or start[r + 1] < start[r] or start[r + 1] > n_entries:
            return r
        for k in range(start[r], start[r + 1]):
            if columns[k] < 0 or columns[k] >= d:
                return r
    return -1


cdef inline int hb_check_rows(
    const int64_t[::1] start, const int32_t[::1] columns, const double[::1] values, int64_t d, int64_t first,
    int64_t last,
) except -1:
    """Raise ValueError if rows `first` to `last` point outside their arrays or columns."""
    cdef int64_t row
    if d < 0 or first < 0 or last < first or last > start.shape[0] - 1:
        raise ValueError(f"rows {first} to {last} of {start.shape[0] - 1} with {d} columns were requested")
    row = hb_wrong_row(start, columns, values, d, first, last)
    if row >= 0:
        raise ValueError(f"sparse row {row + 1} has an index outside its {d} columns or {values.shape[0]} values")
    return 0
