"""Predictions of support vector machines: weighted sums of the kernel values of query rows with the support vectors.

The kernel values of a query row with all support vectors are computed once, whatever the number of machines; each
machine sums those of its own two runs of rows.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy as np

from hornbeam.core.base.interrupt cimport poll
from hornbeam.core.svm.loops cimport (
    HB_POLYNOMIAL, HB_RBF, HB_TILE, hb_kernel, hb_m_finish, hb_m_powers, hb_m_tiles, hb_m_weigh, hb_m_weigh_wide,
)
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, take, take_raw
from hornbeam.core.base.sparse_rows cimport hb_check_rows

include "rows.pxi"


cdef double run_sum(
    const double[:, ::1] coefficients, int64_t machine, const float* row, const double* powers, int64_t first,
    int64_t last,
) noexcept nogil:
    """Sum coefficients times kernel values, which are in `row`, or in `powers` if that is given."""
    if last <= first:
        return 0.0
    if powers != NULL:
        return hb_m_weigh_wide(&coefficients[machine, first], powers + first, last - first)
    return hb_m_weigh(&coefficients[machine, first], row + first, last - first)


cdef class Vectors:
    """The support vectors and the kernel.

    Parameters
    ----------
    rows : float64 array (rows, columns), or (start, columns, values, n_columns) of sparse rows
    kernel : (kind, degree, gamma, coef0)
    """

    cdef hb_pool pool
    cdef Source source
    cdef int64_t* order
    cdef list kept

    def __dealloc__(self):
        hb_pool_free(&self.pool)

    def __init__(self, rows, kernel):
        cdef Source* source = &self.source
        cdef const double[:, ::1] dense
        cdef const int64_t[::1] start
        cdef const int32_t[::1] columns
        cdef const double[::1] values
        cdef int64_t r
        source.kernel.kind, source.kernel.degree, source.kernel.gamma, source.kernel.coef0 = kernel
        if isinstance(rows, tuple):
            start, columns, values, source.d = rows
            hb_check_rows(start, columns, values, source.d, 0, start.shape[0] - 1)
            self.kept = list(rows[:3])
            source.n = start.shape[0] - 1
            source.start = &start[0]
            if values.shape[0]:
                source.columns = &columns[0]
                source.values = &values[0]
            source.norms = <double*>take_raw(&self.pool, source.n * sizeof(double))
            fill_norms(source)
        else:
            dense = rows
            source.n, source.d = dense.shape[0], dense.shape[1]
            source.tiles = <float*>take_raw(&self.pool, whole_tiles(source.n) * source.d * HB_TILE * sizeof(float))
            if source.n and source.d:
                fill_tiles(source.tiles, &dense[0, 0], source.n, source.d)
        self.order = <int64_t*>take_raw(&self.pool, source.n * sizeof(int64_t))
        for r in range(source.n):
            self.order[r] = r

    def weigh(
        self,
        asked,
        const double[:, ::1] coefficients,  # IN: (machines, support vectors)
        const int64_t[:, ::1] runs,  # IN: (machines, 4): the two runs of rows of each
        const double[::1] intercepts,  # IN
        int64_t first,
        int64_t last,
        double[:, ::1] out,  # OUT: (query rows, machines), `first` to `last` are written
    ):
        """The output of every machine for every query row; ValueError if shapes or indices do not match."""
        cdef const double[:, ::1] dense
        cdef const int64_t[::1] start
        cdef const int32_t[::1] columns
        cdef const double[::1] values
        cdef bint sparse = isinstance(asked, tuple)
        cdef Source* source = &self.source
        cdef bint exact = source.kernel.kind == HB_POLYNOMIAL and not sparse  # in double precision
        cdef int64_t r, c, k, m, n_machines = runs.shape[0], d = source.d, n_row
        cdef double norm
        cdef hb_pool pool
        cdef double* wide
        cdef double* powers
        cdef float* narrow
        cdef float* row
        memset(&pool, 0, sizeof(hb_pool))
        self.check_machines(coefficients, runs, intercepts, out, last)
        if sparse != (source.start != NULL):
            raise ValueError("dense rows were given for sparse support vectors, or sparse rows for dense ones")
        if sparse:
            start, columns, values = asked[:3]
            hb_check_rows(start, columns, values, d, first, last)
        else:
            dense = asked
            if dense.shape[1] != d or first < 0 or last > dense.shape[0]:
                raise ValueError(
                    f"rows {first} to {last} of the shape {(dense.shape[0], dense.shape[1])} were given; expected {d} "
                    "columns"
                )
        try:
            wide = <double*>take(&pool, d, sizeof(double))
            narrow = <float*>take(&pool, d, sizeof(float))
            n_row = (whole_tiles(source.n) + 1) * HB_TILE
            row = <float*>take_raw(&pool, n_row * sizeof(float))
            powers = <double*>take_raw(&pool, n_row * sizeof(double)) if exact else NULL
            with nogil:
                for r in range(first, last):
                    poll()
                    norm = 0.0
                    if exact:
                        hb_m_powers(source.kernel, source.tiles, d, &dense[r, 0], whole_tiles(source.n), powers)
                        for m in range(n_machines):
                            out[r, m] = intercepts[m] + (
                                run_sum(coefficients, m, NULL, powers, runs[m, 0], runs[m, 1])
                                + run_sum(coefficients, m, NULL, powers, runs[m, 2], runs[m, 3])
                            )
                        continue
                    if sparse:
                        for k in range(start[r], start[r + 1]):
                            wide[columns[k]] = values[k]
                            norm += values[k] * values[k]
                    else:
                        for c in range(d):
                            narrow[c] = <float>dense[r, c]
                    kernel_run(source, self.order, 0, norm, wide, narrow, 0, source.n, row)
                    if sparse:
                        for k in range(start[r], start[r + 1]):
                            wide[columns[k]] = 0.0
                    for m in range(n_machines):
                        out[r, m] = intercepts[m] + (
                            run_sum(coefficients, m, row, NULL, runs[m, 0], runs[m, 1])
                            + run_sum(coefficients, m, row, NULL, runs[m, 2], runs[m, 3])
                        )
        finally:
            hb_pool_free(&pool)

    cdef int check_machines(
        self, const double[:, ::1] coefficients, const int64_t[:, ::1] runs, const double[::1] intercepts,
        double[:, ::1] out, int64_t last,
    ) except -1:
        """Raise ValueError if the arrays of the machines are inconsistent."""
        cdef int64_t n_machines = runs.shape[0], n = self.source.n, m, end
        if (
            coefficients.shape[0] != n_machines or coefficients.shape[1] != n or runs.shape[1] != 4
            or intercepts.shape[0] != n_machines or out.shape[0] < last or out.shape[1] != n_machines
        ):
            raise ValueError(
                f"{n_machines} machines over {n} support vectors have coefficients of the shape "
                f"{(coefficients.shape[0], coefficients.shape[1])}, {intercepts.shape[0]} intercepts and results of "
                f"the shape {(out.shape[0], out.shape[1])}"
            )
        for m in range(n_machines):
            for end in range(4):
                if runs[m, end] < 0 or runs[m, end] > n:
                    raise ValueError(f"machine {m + 1} uses support vector {runs[m, end]} of {n}")
        return 0

    def values(self, asked):
        """Kernel values of every query row with every support vector."""
        n = self.source.n
        eye = np.eye(n)
        runs = np.column_stack([np.arange(n), np.arange(1, n + 1), np.zeros(n, np.int64), np.zeros(n, np.int64)])
        n_asked = len(asked[0]) - 1 if isinstance(asked, tuple) else len(asked)
        found = np.empty((n_asked, n))
        self.weigh(asked, eye, np.ascontiguousarray(runs, np.int64), np.zeros(n), 0, n_asked, found)
        return found
