# Residual errors of equations on both sides of a cut.

cdef double NO_GAIN = 1e-9  # fraction of the deviation that cannot be distinguished from rounding
cdef double ROUNDING = 1e-13  # fraction of a sum of squares that may be a rounding residue
cdef int MOST_MOVES = 4  # maximum moves of a cut to the best position for the equations of its sides
cdef double MOST_SAMPLED = 2000.0  # rows used to compare a node's proposals; the chosen one is moved using all rows
cdef int MOST_VAIN = 7  # nested splits that are not better than an equation, after which growing stops


cdef struct Cut:
    int64_t feature  # -1: none
    double at  # the cut of a number; for categories see `upper`
    uint8_t* upper  # by code, whether it goes to the upper side
    double gain
    bint missing_up  # whether missing values go to the upper side: the one with more of the known weight
    const double* explained  # by row, the value whose deviation is reduced: the target, or the residual of an equation


cdef inline double impurity(double weight, double total, double squares, double whole) noexcept nogil:
    """Weight times standard deviation of some of the rows; `whole` is the sum of squares of all of them."""
    cdef double x = weight * squares - total * total
    return sqrt(x) if x > ROUNDING * weight * whole else 0.0


cdef inline void clear(Sums* sums, int64_t size) noexcept nogil:
    sums.weight = 0.0
    memset(sums.mean, 0, size * sizeof(double))
    memset(sums.products, 0, size * size * sizeof(double))


cdef inline void add(Sums* sums, const double* line, double weight, int64_t size) noexcept nogil:
    """Add a row; here `mean` contains sums."""
    cdef int64_t j, k
    cdef double x
    cdef double* products = sums.products
    sums.weight += weight
    for j in range(size):
        x = weight * line[j]
        sums.mean[j] += x
        for k in range(j + 1):
            products[k] += x * line[k]
        products += size


cdef class Judge:
    """Rows of one node at a time, and the equations on both sides of a cut."""

    cdef const double[:, ::1] values
    cdef const int32_t[::1] n_codes  # by feature; 0: a number
    cdef uint32_t[:, ::1] orders  # by numeric feature, and last any order
    cdef const int32_t[::1] list_of  # by feature
    cdef const double[::1] target
    cdef const double* weights  # NULL: every row counts once
    cdef double[::1] left
    cdef uint8_t[::1] high  # by row, the side of the current split
    cdef uint32_t[::1] aside
    cdef int64_t n_rows, n_features, n_lists
    cdef double min_branch
    cdef double[::1] code_weight, code_total, code_squares, code_mean
    cdef int64_t[::1] shown_code  # the categories that occur; `code_mean` has their means
    cdef int32_t[::1] code_order, code_spare
    cdef uint8_t[::1] sides  # of every candidate's categories
    cdef Cut* candidates
    cdef Work work
    cdef Sums sums, sampled, low, part
    cdef double* low_equation  # coefficients and intercept, about the means of the node
    cdef double* high_equation
    cdef double[::1] swing  # by row, the squared error of the lower side's equation minus that of the upper side's
    cdef void* memory
    cdef double[:, ::1] gathered
    cdef double[::1] loads
    cdef int64_t[::1] sample  # positions among the node's rows
    cdef double[::1] sample_loads
    cdef int64_t n_sampled  # 0: all rows are used
    cdef uint8_t[::1] goes_up
    cdef bint gains  # whether the current split is better than the node's equation
    cdef uint8_t[::1] kept_codes

    def __cinit__(self):
        self.memory = NULL
        self.candidates = NULL

    def __dealloc__(self):
        free(self.memory)
        free(self.candidates)

    cdef int reserve(self, const double[:, ::1] inputs, double tolerance) except -1:
        """Allocate memory for the equation of one node."""
        cdef int64_t p = inputs.shape[1], size = p + 1
        cdef double* place
        self.memory = malloc((5 * size * size + 9 * size) * sizeof(double) + size * (sizeof(int32_t) + 4) + 64)
        if self.memory == NULL:
            raise MemoryError
        place = <double*>self.memory
        self.sums.mean, self.sums.products = place, place + size
        place += size + size * size
        self.low.mean, self.low.products = place, place + size
        place += size + size * size
        self.part.mean, self.part.products = place, place + size
        place += size + size * size
        self.sampled.mean, self.sampled.products = place, place + size
        place += size + size * size
        self.work.n_inputs, self.work.size, self.work.tolerance = p, size, tolerance
        self.work.matrix = place
        self.work.coefficient = self.work.matrix + size * size
        self.work.centered = self.work.coefficient + size
        self.low_equation = self.work.centered + size
        self.high_equation = self.low_equation + size
        self.work.chosen = <int32_t*>(self.high_equation + size)
        self.sums.below = <uint8_t*>(self.work.chosen + size)
        self.work.kept = self.sums.below + size
        self.gathered = np.empty((self.n_rows, size))
        self.loads = np.empty(self.n_rows)
        self.sample = np.empty(self.n_rows, np.int64)
        self.sample_loads = np.empty(self.n_rows)
        self.goes_up = np.empty(self.n_rows, np.uint8)
        self.swing = np.empty(self.n_rows)
        return 0

    cdef inline double weight_of(self, uint32_t row) noexcept nogil:
        return 1.0 if self.weights == NULL else self.weights[row]

    cdef inline bint side(self, uint32_t row, const Cut* cut) noexcept nogil:
        """Whether a row goes to the upper side."""
        cdef double value = self.values[row, cut.feature]
        if isnan(value):
            return cut.missing_up
        return cut.upper[<int64_t>value] if self.n_codes[cut.feature] else value > cut.at

    cdef void draw_sample(self, int64_t n, double weight) noexcept nogil:
        """Draw a systematic sample of rows at regular steps of cumulated weight, with repetition for heavy rows."""
        cdef int64_t i
        cdef double step, upto = 0.0, before = 0.0, after
        self.n_sampled = 0
        if weight < 2 * MOST_SAMPLED and n < 2 * MOST_SAMPLED:
            return
        step = weight / MOST_SAMPLED
        if step >= 2.0:
            step = floor(step)
        for i in range(n):
            upto += self.loads[i]
            after = ceil(upto / step)
            if after > before:
                self.sample[self.n_sampled], self.sample_loads[self.n_sampled] = i, after - before
                self.n_sampled += 1
                before = after

    cdef double leave(self, const uint32_t* rows, int64_t n, const double[:, ::1] inputs) noexcept nogil:
        """Fit an equation of all inputs to some rows, store its residuals, and return its error.

        The inputs and the target of the rows are stored next to each other, relative to their means.
        """
        cdef int64_t i, j, p = self.work.n_inputs, size = p + 1
        cdef double w, total, found
        cdef double* line
        clear(&self.sums, size)
        for i in range(n):
            line = &self.gathered[i, 0]
            memcpy(line, &inputs[rows[i], 0], p * sizeof(double))
            line[p] = self.target[rows[i]]
            w = self.weight_of(rows[i])
            self.loads[i] = w
            self.sums.weight += w
            for j in range(size):
                self.sums.mean[j] += w * line[j]
        for j in range(size):
            self.sums.mean[j] /= self.sums.weight
        self.draw_sample(n, self.sums.weight)
        for j in range(size):
            self.work.centered[j] = self.sums.mean[j]
        clear(&self.sums, size)
        clear(&self.sampled, size)
        for i in range(n):
            line = &self.gathered[i, 0]
            for j in range(size):
                line[j] -= self.work.centered[j]
            add(&self.sums, line, self.loads[i], size)
        for i in range(self.n_sampled):
            add(&self.sampled, &self.gathered[self.sample[i], 0], self.sample_loads[i], size)
        found = self.error(&self.sums)
        for i in range(n):
            line = &self.gathered[i, 0]
            total = line[p]
            for j in range(p):
                total -= self.work.coefficient[j] * line[j]
            self.left[rows[i]] = total
        return found

    cdef double error(self, Sums* sums) noexcept nogil:
        """The squared error, estimated for new rows, of an equation of all inputs or of the mean, if smaller."""
        cdef int64_t j, k, p = self.work.n_inputs, size = p + 1, count = 0
        cdef double* m = self.work.matrix
        cdef double own, plain, factor, least
        for j in range(size):
            for k in range(j + 1):
                m[j * size + k] = m[k * size + j] = sums.products[j * size + k]
        own = max(m[p * size + p], 0.0)
        least = ROUNDING * own
        factor = grows_by(sums.weight, 1.0, 1.0, FULL)
        plain = own * factor * factor if factor < FULL else own
        for j in range(p):
            self.work.kept[j] = m[j * size + j] > max(
                self.work.tolerance * sums.products[j * size + j], 1e-12 * sums.weight
            )
            if self.work.kept[j]:
                sweep(m, size, j, 1.0)
                count += 1
        for j in range(p):
            self.work.coefficient[j] = m[j * size + p] if self.work.kept[j] else 0.0
        factor = grows_by(sums.weight, count + 1, 1.0, FULL)
        if factor >= FULL:
            memset(self.work.coefficient, 0, p * sizeof(double))
            return plain
        own = max(m[p * size + p], least) * factor * factor
        if own < plain:
            return own
        memset(self.work.coefficient, 0, p * sizeof(double))
        return plain

    cdef double judge(self, const uint32_t* rows, int64_t n, bint sampling, const Cut* cut) noexcept nogil:
        """The estimated squared error of equations on both sides of a cut, using every row or the sample."""
        cdef int64_t i, j, k, size = self.work.size, n_up = 0
        cdef double found
        cdef uint8_t own
        cdef Sums* whole = &self.sums
        cdef Sums* low = &self.low
        cdef Sums* part = &self.part
        sampling = sampling and self.n_sampled > 0
        if sampling:
            whole, n = &self.sampled, self.n_sampled
        for i in range(n):
            self.goes_up[i] = self.side(rows[self.sample[i] if sampling else i], cut)
            n_up += self.goes_up[i]
        own = 2 * n_up < n  # the side with fewer rows is summed, the other is the difference from the whole
        clear(low, size)
        for i in range(n):
            if self.goes_up[i] == own:
                j = self.sample[i] if sampling else i
                add(low, &self.gathered[j, 0], self.sample_loads[i] if sampling else self.loads[i], size)
        part.weight = whole.weight - low.weight
        if not (low.weight > 0.0 and part.weight > 0.0):
            return FULL
        for j in range(size):
            part.mean[j] = whole.mean[j] - low.mean[j]
        for j in range(size):
            for k in range(j + 1):
                part.products[j * size + k] = (
                    whole.products[j * size + k] - low.products[j * size + k]
                    - part.mean[j] * (part.mean[k] / part.weight)
                )
                low.products[j * size + k] -= low.mean[j] * (low.mean[k] / low.weight)
        found = self.error(low)
        self.keep_equation(self.high_equation if own else self.low_equation, low)
        found += self.error(part)
        self.keep_equation(self.low_equation if own else self.high_equation, part)
        return found

    cdef void keep_equation(self, double* equation, const Sums* sums) noexcept nogil:
        """Store the equation just solved, its intercept last."""
        cdef int64_t j, p = self.work.n_inputs
        equation[p] = sums.mean[p] / sums.weight
        for j in range(p):
            equation[j] = self.work.coefficient[j]
            equation[p] -= equation[j] * sums.mean[j] / sums.weight

    cdef void compare(self, const uint32_t* rows, int64_t n) noexcept nogil:
        """Compute for every row the errors of the equations of the two sides."""
        cdef int64_t i, j, p = self.work.n_inputs
        cdef double low, high
        cdef const double* line
        for i in range(n):
            line = &self.gathered[i, 0]
            low, high = line[p] - self.low_equation[p], line[p] - self.high_equation[p]
            for j in range(p):
                low -= self.low_equation[j] * line[j]
                high -= self.high_equation[j] * line[j]
            # an error that cannot be distinguished from rounding does not favor a side
            low, high = low if fabs(low) > NO_GAIN else 0.0, high if fabs(high) > NO_GAIN else 0.0
            self.swing[rows[i]] = self.loads[i] * (low * low - high * high)
