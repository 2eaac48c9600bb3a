"""Linear support vector machines for very many rows or columns, by coordinate descent.

Dual coordinate descent (Hsieh, Chang, Lin, Keerthi and Sundararajan 2008, A dual coordinate descent method for
large-scale linear SVM): the plane itself is stored, so that a coefficient's gradient costs one row. Rows are visited in
an order drawn anew for every pass; those whose coefficient stays at a bound are skipped until the end. The intercept is
the weight of a last column of ones. Values are float32, the plane is float64.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free

from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, take_raw
from hornbeam.core.svm.loops cimport hb_m_lessen, hb_m_weigh
from hornbeam.core.base.random cimport below, next_word
from hornbeam.core.base.sparse_rows cimport hb_check_rows

cdef double NOTHING = 1e-12  # a smaller slope is not worth a step

cdef enum:
    PATIENCE = 4096  # rows visited between two checks for interruption


cdef struct Entry:
    int32_t column
    float value


cdef class Plane:
    """Rows for planes: sparse (start, columns, values, n_columns) or a float64 matrix; shared by all machines."""

    cdef hb_pool pool
    cdef int64_t n
    cdef int64_t d
    cdef int64_t* start
    cdef Entry* entries
    cdef float* dense
    cdef double* squares

    def __dealloc__(self):
        hb_pool_free(&self.pool)

    def __init__(self, rows):
        cdef const int64_t[::1] start
        cdef const int32_t[::1] columns
        cdef const double[::1] values
        cdef const double[:, ::1] matrix
        cdef int64_t r, c, k, n_values
        if isinstance(rows, tuple):
            start, columns, values, self.d = rows
            self.n, n_values = start.shape[0] - 1, values.shape[0]
            if columns.shape[0] != n_values:
                raise ValueError(f"{columns.shape[0]} columns were given for {n_values} values")
            hb_check_rows(start, columns, values, self.d, 0, self.n)
            self.start = <int64_t*>take_raw(&self.pool, <size_t>(self.n + 1) * sizeof(int64_t))
            self.entries = <Entry*>take_raw(&self.pool, <size_t>(n_values + 1) * sizeof(Entry))
            for r in range(self.n + 1):
                self.start[r] = start[r]
            for k in range(n_values):
                self.entries[k].column = columns[k]
                self.entries[k].value = <float>values[k]
        else:
            matrix = rows
            self.n, self.d = matrix.shape[0], matrix.shape[1]
            self.dense = <float*>take_raw(&self.pool, <size_t>(self.n * self.d + 1) * sizeof(float))
            for r in range(self.n):
                for c in range(self.d):
                    self.dense[r * self.d + c] = <float>matrix[r, c]
        self.squares = <double*>take_raw(&self.pool, <size_t>(self.n + 1) * sizeof(double))
        for r in range(self.n):
            self.squares[r] = 1.0
            if self.dense != NULL:
                for c in range(self.d):
                    self.squares[r] += <double>self.dense[r * self.d + c] * self.dense[r * self.d + c]
            else:
                for k in range(self.start[r], self.start[r + 1]):
                    self.squares[r] += <double>self.entries[k].value * self.entries[k].value

    cdef inline double product(self, const double* w, int64_t r) noexcept nogil:
        cdef double one = 0.0, two = 0.0
        cdef const Entry* entry
        cdef int64_t k, n
        if self.dense != NULL:
            return w[self.d] + hb_m_weigh(w, self.dense + r * self.d, self.d)
        entry = self.entries + self.start[r]
        n = self.start[r + 1] - self.start[r]
        k = 0
        while k + 2 <= n:
            one += w[entry[k].column] * entry[k].value
            two += w[entry[k + 1].column] * entry[k + 1].value
            k += 2
        if k < n:
            one += w[entry[k].column] * entry[k].value
        return w[self.d] + (one + two)

    cdef inline void add(self, double* w, int64_t r, double factor) noexcept nogil:
        cdef int64_t k
        w[self.d] += factor
        if self.dense != NULL:
            hb_m_lessen(w, self.dense + r * self.d, -factor, self.d)
            return
        for k in range(self.start[r], self.start[r + 1]):
            w[self.entries[k].column] += factor * self.entries[k].value

    def find(
        self,
        const double[::1] sign,  # IN: -1 and 1
        const double[::1] limit,  # IN: C times the row's weight
        bint squared,  # whether the loss is squared
        double tol,
        int64_t most_passes,
        uint64_t seed,
        double[::1] alpha,  # IN/OUT
        double[::1] plane,  # OUT: one number per column, and the intercept
    ):
        """Find the plane; returns the number of passes and the spread of the gradients after the last one."""
        if (
            sign.shape[0] != self.n or limit.shape[0] != self.n or alpha.shape[0] != self.n
            or plane.shape[0] != self.d + 1
        ):
            raise ValueError(f"arrays for {self.n} rows and {self.d} columns have other lengths")
        cdef int64_t* rows = <int64_t*>take_raw(NULL, self.n * sizeof(int64_t))
        cdef int64_t r, passes = 0, active = self.n
        cdef double highest = INFINITY, lowest = -INFINITY, spread = INFINITY
        cdef uint64_t state = seed
        try:
            for r in range(self.n):
                rows[r] = r
                if alpha[r] != 0:
                    self.add(&plane[0], r, sign[r] * alpha[r])
            while passes < most_passes:
                with nogil:
                    active = self.one_pass(
                        &sign[0], &limit[0], squared, &state, &alpha[0], &plane[0], rows, active, &highest, &lowest,
                        &spread,
                    )
                    poll()
                passes += 1
                if spread <= tol:
                    if active == self.n:
                        break
                    active = self.n  # one more pass with every row
                    highest, lowest = INFINITY, -INFINITY
        finally:
            free(rows)
        return passes, spread

    cdef int64_t one_pass(
        self, const double* sign, const double* limit, bint squared, uint64_t* state, double* alpha, double* w,
        int64_t* rows, int64_t active, double* highest, double* lowest, double* spread,
    ) noexcept nogil:
        """Visit every active row once; returns how many are still active."""
        cdef int64_t at, other, r
        cdef double slope, projected, before, new, ridge, most, top = -INFINITY, bottom = INFINITY
        for at in range(active):
            other = at + below(next_word(state), active - at)
            rows[at], rows[other] = rows[other], rows[at]
        at = 0
        while at < active:
            if at % PATIENCE == 0 and stopping():
                break
            r = rows[at]
            ridge = 0.5 / limit[r] if squared else 0.0
            most = INFINITY if squared else limit[r]
            slope = sign[r] * self.product(w, r) - 1.0 + ridge * alpha[r]
            projected = slope
            if alpha[r] <= 0:
                if slope > highest[0]:
                    active -= 1
                    rows[at], rows[active] = rows[active], r
                    continue
                projected = min(slope, 0.0)
            elif alpha[r] >= most:
                if slope < lowest[0]:
                    active -= 1
                    rows[at], rows[active] = rows[active], r
                    continue
                projected = max(slope, 0.0)
            top = max(top, projected)
            bottom = min(bottom, projected)
            if fabs(projected) > NOTHING:
                before = alpha[r]
                new = min(max(before - slope / (self.squares[r] + ridge), 0.0), most)
                alpha[r] = new
                self.add(w, r, (new - before) * sign[r])
            at += 1
        spread[0] = top - bottom if top > -INFINITY else 0.0
        highest[0] = top if top > 0 else INFINITY
        lowest[0] = bottom if bottom < 0 else -INFINITY
        return active
