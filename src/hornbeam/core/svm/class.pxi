# Part of solve.pyx: the class that Python sees.

cdef class Margin:
    """One problem: rows, kernel, targets and bounds; `run` takes steps.

    Parameters
    ----------
    rows : float64 array (rows, columns), or (start, columns, values, n_columns) of sparse rows, or None
    gram : float64 array (rows, rows), or None
        Kernel values, if there are no rows.
    kernel : (kind, degree, gamma, coef0)
        Kind: 0 linear, 1 polynomial, 2 RBF, 3 sigmoid.
    target, least, most : float64 arrays
        Targets, and bounds of the coefficients.
    epsilon, tol : float
        Width of the insensitive zone; tolerance for stopping.
    cache_bytes : int
    shrinking : bool
    n_threads : int
    start : float64 array or None
        Coefficients to begin with, within the bounds.
    """

    cdef hb_pool pool  # memory that is freed with this object
    cdef Machine machine
    cdef list kept

    def __dealloc__(self):
        hb_crew_end(self.machine.crew)
        hb_pool_free(&self.pool)

    def __init__(
        self, rows, gram, kernel, const double[::1] target, tuple bounds, double epsilon, double tol,
        int64_t cache_bytes, bint shrinking, int n_threads, start,
    ):
        cdef const double[::1] least = bounds[0], most = bounds[1]
        cdef Machine* m = &self.machine
        cdef int64_t n = target.shape[0]
        cdef const double[::1] begin
        if not n or least.shape[0] != n or most.shape[0] != n or (start is not None and len(start) != n):
            raise ValueError(f"{n} targets, {least.shape[0]} lower and {most.shape[0]} upper bounds were given")
        m.n = m.active = m.source.n = n
        m.epsilon = epsilon
        m.tol = tol
        m.shrinking = shrinking
        m.until_shrink = min(n, PATIENCE)
        m.source.kernel.kind, m.source.kernel.degree, m.source.kernel.gamma, m.source.kernel.coef0 = kernel
        self.take_memory(n_threads)
        memcpy(m.target, &target[0], <size_t>n * sizeof(double))
        memcpy(m.least, &least[0], <size_t>n * sizeof(double))
        memcpy(m.most, &most[0], <size_t>n * sizeof(double))
        if start is not None:
            begin = start
            memcpy(m.coefficient, &begin[0], <size_t>n * sizeof(double))
        self.take_rows(rows, gram)
        self.take_cache(cache_bytes)
        with nogil:
            self.measure_diagonal()
            rebuild(m, 0)
            look(m)
            poll()

    cdef int take_memory(self, int n_threads) except -1:
        cdef Machine* m = &self.machine
        cdef size_t n = <size_t>m.n
        cdef size_t pieces = n // SMALL_PIECE + 2
        m.up = <double*>take_raw(&self.pool, n * sizeof(double))
        m.low = <double*>take_raw(&self.pool, n * sizeof(double))
        m.coefficient = <double*>take(&self.pool, n, sizeof(double))
        m.least = <double*>take_raw(&self.pool, n * sizeof(double))
        m.most = <double*>take_raw(&self.pool, n * sizeof(double))
        m.target = <double*>take_raw(&self.pool, n * sizeof(double))
        m.diagonal = <float*>take_raw(&self.pool, n * sizeof(float))
        m.order = <int64_t*>take_raw(&self.pool, n * sizeof(int64_t))
        m.places = <int64_t*>take_raw(&self.pool, n * sizeof(int64_t))
        m.new_place = <int64_t*>take_raw(&self.pool, n * sizeof(int64_t))
        m.doubles = <double*>take_raw(&self.pool, n * sizeof(double))
        m.chosen = <int64_t*>take_raw(&self.pool, n * sizeof(int64_t))
        m.piece_top = <double*>take_raw(&self.pool, pieces * sizeof(double))
        m.piece_bottom = <double*>take_raw(&self.pool, pieces * sizeof(double))
        m.piece_where = <int64_t*>take_raw(&self.pool, pieces * sizeof(int64_t))
        m.piece_gain = <float*>take_raw(&self.pool, pieces * sizeof(float))
        m.crew = hb_crew_begin(n_threads)
        if m.crew == NULL:
            raise MemoryError
        for t in range(m.n):
            m.order[t] = t
        return 0

    cdef int take_rows(self, rows, gram) except -1:
        cdef Machine* m = &self.machine
        cdef const double[:, ::1] dense
        cdef const int64_t[::1] start
        cdef const int32_t[::1] columns
        cdef const double[::1] values
        cdef int number
        cdef int64_t size
        if gram is not None:
            dense = gram
            if dense.shape[0] != m.n or dense.shape[1] != m.n:
                raise ValueError(f"kernel values have the shape {(dense.shape[0], dense.shape[1])} for {m.n} rows")
            m.source.gram = &dense[0, 0]
            self.kept = [gram]
        elif isinstance(rows, tuple):
            start, columns, values, m.source.d = rows
            if start.shape[0] != m.n + 1:
                raise ValueError(f"{start.shape[0] - 1} sparse rows were given for {m.n} targets")
            hb_check_rows(start, columns, values, m.source.d, 0, m.n)
            self.kept = list(rows[:3])
            m.source.start = &start[0]
            if values.shape[0]:
                m.source.columns = &columns[0]
                m.source.values = &values[0]
            m.source.norms = <double*>take_raw(&self.pool, <size_t>m.n * sizeof(double))
            fill_norms(&m.source)
        else:
            dense = rows
            if dense.shape[0] != m.n:
                raise ValueError(f"{dense.shape[0]} rows were given for {m.n} targets")
            m.source.d = dense.shape[1]
            size = max(1, whole_tiles(m.n) * m.source.d) * HB_TILE * <int64_t>sizeof(float)
            m.source.tiles = <float*>take_raw(&self.pool, size)
            m.source.spare = <float*>take_raw(&self.pool, size)
            if m.source.d:
                fill_tiles(m.source.tiles, &dense[0, 0], m.n, m.source.d)
        m.wide = <double**>take(&self.pool, <size_t>m.crew.size, sizeof(double*))
        m.narrow = <float**>take(&self.pool, <size_t>m.crew.size, sizeof(float*))
        for number in range(m.crew.size):
            m.wide[number] = <double*>take(&self.pool, <size_t>(m.source.d + 1), sizeof(double))
            m.narrow[number] = <float*>take(&self.pool, <size_t>(m.source.d + 1), sizeof(float))
        return 0

    cdef int take_cache(self, int64_t cache_bytes) except -1:
        cdef Cache* cache = &self.machine.cache
        cdef int64_t n = self.machine.n, length = whole_tiles(n) * HB_TILE, t
        cache.most_slots = max(2, n)
        cache.room = max(2 * length, min(cache_bytes // <int64_t>sizeof(float), cache.most_slots * length))
        cache.memory = <float*>take_raw(&self.pool, cache.room * <int64_t>sizeof(float))
        cache.slot_of = <int64_t*>take_raw(&self.pool, <size_t>n * sizeof(int64_t))
        cache.held = <int64_t*>take_raw(&self.pool, <size_t>cache.most_slots * sizeof(int64_t))
        cache.filled = <int64_t*>take_raw(&self.pool, <size_t>cache.most_slots * sizeof(int64_t))
        cache.newer = <int64_t*>take_raw(&self.pool, <size_t>(cache.most_slots + 1) * sizeof(int64_t))
        cache.older = <int64_t*>take_raw(&self.pool, <size_t>(cache.most_slots + 1) * sizeof(int64_t))
        for t in range(n):
            cache.slot_of[t] = -1
        cache.newer[cache.most_slots] = cache.older[cache.most_slots] = cache.most_slots
        lay_out(cache, length)
        return 0

    cdef void measure_diagonal(self) noexcept nogil:
        cdef Machine* m = &self.machine
        cdef float tile[HB_TILE]
        cdef int64_t t, begin
        cdef double norm
        for t in range(m.n):
            begin = t // HB_TILE * HB_TILE
            norm = m.source.norms[t] if m.source.norms != NULL else 0.0
            open_pivot(&m.source, t, t, m.wide[0], m.narrow[0])
            if m.source.gram != NULL:
                m.diagonal[t] = <float>m.source.gram[t * m.n + t]
                continue
            kernel_run(&m.source, m.order, t, norm, m.wide[0], m.narrow[0], begin, min(begin + HB_TILE, m.n), tile)
            close_pivot(&m.source, t, m.wide[0])
            m.diagonal[t] = tile[t - begin]

    def run(self, int64_t most_steps):
        """Take up to this many steps; returns 1 if no more are needed, -1 if none can be taken, 0 otherwise."""
        cdef int status
        with nogil:
            status = advance(&self.machine, most_steps)
            poll()
        return status

    @property
    def steps(self):
        """Steps taken so far."""
        return self.machine.steps

    @property
    def active(self):
        """Active rows."""
        return self.machine.active

    def diagonal(self):
        """Kernel values of the rows with themselves, by row."""
        cdef int64_t t
        found = np.empty(self.machine.n, np.float32)
        cdef float[::1] out = found
        for t in range(self.machine.n):
            out[self.machine.order[t]] = self.machine.diagonal[t]
        return found

    def found(self):
        """Coefficients and f by row, and the greatest `up` and smallest `low`; f is recomputed for shrunk rows."""
        cdef Machine* m = &self.machine
        cdef int64_t t
        coefficients, values = np.empty(m.n), np.empty(m.n)
        cdef double[::1] coefficient = coefficients
        cdef double[::1] value = values
        with nogil:
            if m.active < m.n:
                rebuild(m, m.active)
                m.active = m.n
                widen_cache(&m.cache, m.n)
                look(m)
            for t in range(m.n):
                coefficient[m.order[t]] = m.coefficient[t]
                value[m.order[t]] = f_of(m, t)
        return coefficients, values, m.top, m.bottom
