# Part of boost.pyx: the class that Python sees.

cdef class Booster:
    """Columns, target and parameters of one boosting run; `grow` adds a tree.

    Parameters
    ----------
    codes : uint8 array (columns, rows)
    wide : mapping of column to int32 array
    n_codes, has_missing, nominal, monotone : arrays by column
    target : float64 array
        Numbers; class codes for the logistic and the multinomial loss.
    weights : float64 array or None
    loss : int
        Its index in LOSSES.
    n_outputs : int
    choices : mapping
        l1, l2, min_weight, min_curve, min_gain, max_leaves, max_depth, shrink, nominal_smoothing, category_charge,
        most_sums.
    n_threads : int
    """

    cdef hb_pool pool  # memory that is freed with this object
    cdef hb_pool slot_pool  # memory that is freed with the slots
    cdef Job job
    cdef Finish finish
    cdef int loss
    cdef int n_outputs
    cdef uint64_t seed
    cdef double shrink
    cdef double l1
    cdef double l2
    cdef double nominal_smoothing
    cdef double category_charge
    cdef double min_gain
    cdef double least_weight, min_curve
    cdef int64_t slot_groups
    cdef int64_t most_sums
    cdef double* chunk_sums
    cdef int64_t record_room
    cdef int32_t most_codes
    cdef bint restricted  # whether records contain only the active columns
    cdef list kept
    cdef double[:, ::1] scores
    cdef const double[::1] target
    cdef float[:, ::1] probabilities
    cdef uint8_t[::1] is_active
    cdef const uint32_t[::1] used
    cdef const uint32_t[::1] others

    def __cinit__(self):
        memset(&self.job, 0, sizeof(Job))
        memset(&self.finish, 0, sizeof(Finish))
        self.slot_groups = -1

    def __dealloc__(self):
        cdef Job* job = &self.job
        cdef int64_t i
        hb_crew_end(job.crew)
        if job.groups != NULL:
            for i in range(job.n_groups):
                free(job.groups[i].columns)
        for i in range(job.n_nodes):
            free(job.nodes[i].wide_side)
        self.free_slots()
        free(job.records)
        free(job.nodes)
        free(job.heap)
        hb_pool_free(&self.pool)

    def __init__(self, const uint8_t[:, ::1] codes, wide, n_codes, has_missing, nominal, monotone, target, weights,
                 int loss, int n_outputs, choices):
        cdef Job* job = &self.job
        cdef int64_t n = codes.shape[1]
        cdef int32_t c
        cdef const int32_t[::1] own
        cdef const double[::1] weight
        self.kept = [codes, wide]
        self.loss, self.n_outputs, self.seed = loss, n_outputs, choices["seed"]
        self.target = np.ascontiguousarray(target, np.float64)
        self.shrink = choices["shrink"]
        self.l1, self.l2, self.min_gain = choices["l1"], choices["l2"], choices["min_gain"]
        self.nominal_smoothing = choices["nominal_smoothing"]
        self.category_charge = choices["category_charge"]
        self.most_sums = choices["most_sums"]
        job.n_rows = n
        job.n_columns = <int32_t>codes.shape[0]
        job.min_weight = choices["min_weight"]
        self.min_curve = choices["min_curve"]
        job.max_leaves = choices["max_leaves"]
        job.max_depth = choices["max_depth"]
        job.curved = loss >= HB_POISSON or weights is not None
        self.least_weight = 1.0
        if weights is not None:
            weight = np.ascontiguousarray(weights, np.float64)
            self.kept.append(weight)
            job.weight = &weight[0]
            self.least_weight = np.min(weights)
        job.columns = <Column*>take(&self.pool, job.n_columns, sizeof(Column))
        job.groups = <Group*>take(&self.pool, job.n_columns, sizeof(Group))
        job.column_gain[0] = <double*>take(&self.pool, 2 * job.n_columns, sizeof(double))
        job.column_gain[1] = job.column_gain[0] + job.n_columns
        self.most_codes = BINS
        for c in range(job.n_columns):
            job.columns[c].n_codes = n_codes[c]
            job.columns[c].has_missing = has_missing[c]
            job.columns[c].nominal = nominal[c]
            job.columns[c].monotone = monotone[c] if len(monotone) else 0
            job.limited = job.limited or job.columns[c].monotone != 0
            if c in wide:
                own = np.ascontiguousarray(wide[c], np.int32)
                self.kept.append(own)
                job.columns[c].wide = &own[0]
            else:
                job.columns[c].codes = &codes[c, 0]
            self.most_codes = max(self.most_codes, codes_of(&job.columns[c]))
        job.words = <int64_t*>take_raw(&self.pool, n * sizeof(int64_t))
        job.slope = <float*>take_raw(&self.pool, (2 if job.curved else 1) * n * sizeof(float))
        job.rows = <uint32_t*>take_raw(&self.pool, n * sizeof(uint32_t))
        job.spare = <uint32_t*>take_raw(&self.pool, 2 * n * sizeof(uint32_t))
        job.stay = job.spare + n
        self.chunk_sums = <double*>take(&self.pool, 3 * (n // CHUNK + 1), sizeof(double))
        self.finish.job = job
        self.finish.loss = loss
        self.finish.shrink = self.shrink
        if loss == HB_ABSOLUTE or loss == HB_QUANTILE:
            self.finish.residual = <double*>take_raw(&self.pool, 2 * n * sizeof(double))
            self.finish.residual_weight = self.finish.residual + n
        self.scores = np.zeros((n_outputs, n))
        self.probabilities = np.empty((n_outputs, n if loss == HB_MULTINOMIAL else 1), np.float32)
        self.is_active = np.ones(max(job.n_columns, 1), np.uint8)
        job.active = &self.is_active[0]
        job.crew = hb_crew_begin(max(1, min(choices["n_threads"], MOST_CREW)))
        if job.crew == NULL:
            raise MemoryError("not enough memory for threads")
        self.add_scratch()
        self.arrange()
        self.use(None, np.empty(0, np.uint32))

    cdef add_scratch(self):
        cdef Job* job = &self.job
        cdef Scratch* scratch
        cdef int i
        job.scratch = <Scratch*>take(&self.pool, job.crew.size, sizeof(Scratch))
        job.n_scratch = job.crew.size
        for i in range(job.n_scratch):
            scratch = &job.scratch[i]
            scratch.column_sums = <int64_t*>take(&self.pool, BINS, sizeof(int64_t))
            scratch.wide_sums = <int64_t*>take(&self.pool, self.most_codes, sizeof(int64_t))
            scratch.column_weights = <double*>take(&self.pool, self.most_codes, sizeof(double))
            scratch.running = <int64_t*>take(&self.pool, BINS + 8, sizeof(int64_t))
            scratch.held = <uint8_t*>take(&self.pool, BINS + 8, 1)
            scratch.score = <double*>take(&self.pool, BINS + 8, sizeof(double))
            scratch.entries = <Entry*>take(&self.pool, 2 * self.most_codes, sizeof(Entry))
            scratch.spare_entries = scratch.entries + self.most_codes
            scratch.touched = <int32_t*>take(&self.pool, self.most_codes, sizeof(int32_t))

    cdef arrange(self):
        """Make records of the active columns, and memory for their sums."""
        cdef Job* job = &self.job
        cdef int64_t size
        cdef int i
        if lay_out(job):
            raise MemoryError("not enough memory for the columns' layout")
        if job.n_rows * job.stride > self.record_room:
            free(job.records)
            job.records = NULL
            job.records = <uint8_t*>take_raw(NULL, job.n_rows * job.stride)
            self.record_room = job.n_rows * job.stride
        job.counter = 0
        hb_crew_run(job.crew, records_work, job)
        if job.n_groups <= self.slot_groups:
            return
        self.free_slots()
        self.slot_groups = job.n_groups
        size = job.slot_size = <int64_t>max(job.n_groups, 1) * BINS * sizeof(int64_t)
        job.most_slots = <int32_t>max(2, min(min(job.max_leaves, job.n_rows), self.most_sums // size))
        job.slots = <int64_t**>take(&self.slot_pool, job.most_slots + 2, sizeof(int64_t*))
        job.free_slots = <int32_t*>take(&self.slot_pool, job.most_slots, sizeof(int32_t))
        for i in range(2):
            job.slots[job.most_slots + i] = <int64_t*>take_raw(&self.slot_pool, size)
        for i in range(1, job.n_scratch):
            job.scratch[i].private_sums = <int64_t*>take_raw(&self.slot_pool, 2 * size)

    cdef free_slots(self):
        cdef Job* job = &self.job
        cdef int i
        for i in range(job.n_slots):
            free(job.slots[i])
        for i in range(job.n_scratch):
            job.scratch[i].private_sums = NULL
        hb_pool_free(&self.slot_pool)
        job.slots = NULL
        job.free_slots = NULL
        job.n_slots = job.most_slots = job.n_free = 0

    @property
    def score(self):
        """Scores so far, (outputs, rows); to be changed in place."""
        return np.asarray(self.scores)

    def start(self, scores):
        """Set the scores of all rows: numbers that can be broadcast to (outputs, rows)."""
        self.score[:] = scores

    def scores_of(self, rows):
        """The scores of some rows, (outputs, rows)."""
        return self.score[:, rows]

    def use(self, used, others):
        """Learn from these rows (None: all); for the others, only update the scores."""
        cdef const uint32_t[::1] rows = np.arange(self.job.n_rows, dtype=np.uint32) if used is None else used
        self.used, self.others = rows, others
        self.job.in_order = used is None
        self.job.n_used = rows.shape[0]
        self.finish.n_others = self.others.shape[0]
        if self.others.shape[0]:
            self.finish.others = &self.others[0]

    def choose_columns(self, active):
        """Use these columns (uint8, by column) from now on; records are rebuilt if they are few."""
        cdef const uint8_t[::1] wanted = active
        cdef int64_t total = self.job.n_columns
        cdef bint few = 3 * int(np.sum(active)) <= total
        if few or self.restricted:
            if few:
                self.is_active[:total] = wanted
            else:
                self.is_active[:total] = 1
            self.arrange()
            self.restricted = few
        self.is_active[:total] = wanted

    def take_probabilities(self):
        """Compute the class probabilities from the scores so far; the gradients of the next trees use them."""
        cdef Slopes slopes
        slopes.job = &self.job
        slopes.score = &self.scores[0, 0]
        slopes.n_classes = self.n_outputs
        slopes.probabilities = &self.probabilities[0, 0]
        with nogil:
            run_slopes(&slopes, probabilities_work)

    def slopes(self, int output, double parameter, uint64_t turn):
        """Compute the gradients of an output, and round them."""
        cdef Slopes slopes
        cdef Job* job = &self.job
        cdef double gradient = 0.0, curve = 0.0, least = INFINITY, most = 0.0, squares = 0.0, curves = 0.0
        cdef double total = 0.0
        cdef int64_t n_chunks = (job.n_rows + CHUNK - 1) // CHUNK, i
        slopes.job = job
        slopes.loss = self.loss
        slopes.score = &self.scores[output, 0]
        slopes.target = &self.target[0]
        slopes.probability = &self.probabilities[output, 0] if self.loss == HB_MULTINOMIAL else NULL
        slopes.parameter = parameter
        slopes.which = output
        slopes.chunk_gradient = self.chunk_sums
        slopes.chunk_curve = self.chunk_sums + n_chunks
        slopes.chunk_square = self.chunk_sums + 2 * n_chunks
        slopes.key = <uint32_t>(mix(self.seed, turn, 0x5C0FE) >> 16)
        with nogil:
            run_slopes(&slopes, slope_work)
        for i in range(job.crew.size):
            gradient = max(gradient, slopes.most_gradient[i])
            curve = max(curve, slopes.most_curve[i])
        for i in range((2 if job.curved else 1) * n_chunks):
            total += self.chunk_sums[i]
        # sums show NaN, maxima do not; NaN and infinity must not be cast to integers
        if not gradient <= MOST_GRADIENT or not curve <= MOST_GRADIENT or not total < INFINITY:
            raise ValueError(f"the loss has a gradient of {max(gradient, curve)}: targets or weights are too large")
        job.gradient_unit = unit_for(gradient, slopes.chunk_gradient, job.n_rows)
        job.curve_unit = unit_for(curve, slopes.chunk_curve, job.n_rows) if job.curved else 1.0
        with nogil:
            run_slopes(&slopes, round_work)
        job.all_total = 0
        for i in range(job.crew.size):
            job.all_total += slopes.total[i]
            least = min(least, slopes.least_ratio[i])
            most = max(most, slopes.most_ratio[i])
        if not job.curved:
            least = most = 1.0
        job.floor = max(self.min_curve / job.curve_unit, 1.0)  # every row has at least 1
        job.least = max(least * job.min_weight * (1.0 - 1e-9), job.floor)
        job.sure = 0.0 if job.min_weight <= self.least_weight or not job.curved else most * job.min_weight * (1 + 1e-9)
        job.l1 = self.l1 / job.gradient_unit
        job.l2 = self.l2 / job.curve_unit
        job.real_l1 = self.l1
        job.real_l2 = self.l2
        job.nominal_smoothing = self.nominal_smoothing / job.curve_unit
        for i in range(n_chunks):
            squares += slopes.chunk_square[i]
            curves += slopes.chunk_curve[i] if job.curved else <double>min(CHUNK, job.n_rows - i * CHUNK)
        job.category_charge = 0.0
        if curves > 0.0:
            job.category_charge = (self.category_charge * squares / curves * job.curve_unit
                                   / job.gradient_unit / job.gradient_unit)
        job.min_gain = max(2.0 * self.min_gain / job.gradient_unit / job.gradient_unit * job.curve_unit, 0.0)

    def gradients(self):
        """The results of `slopes`, for tests: gradients, curves, their units, and both as integers."""
        cdef Job* job = &self.job
        cdef int64_t n = job.n_rows
        step = 2 if job.curved else 1
        slope = np.asarray(<float[:n * step]>job.slope).reshape(n, step).copy()
        words = np.asarray(<int64_t[:n]>job.words).copy()
        return (slope[:, 0], slope[:, 1] if job.curved else np.ones(n, np.float32), job.gradient_unit, job.curve_unit,
                words >> 32, words & 0xFFFFFFFF)

    def grow(self, int output, double quantile):
        """Add a tree for an output, using the gradients from `slopes`; returns its arrays by name."""
        cdef Job* job = &self.job
        cdef Finish* finish = &self.finish
        cdef int status
        finish.score = &self.scores[output, 0]
        finish.target = &self.target[0]
        finish.quantile = quantile
        if job.n_used == 0:
            raise ValueError("no rows to learn from: the sample is empty")
        with nogil:
            memcpy(job.rows, &self.used[0], job.n_used * sizeof(uint32_t))
            status = grow_tree(job)
            if not status:
                status = finish_tree(finish)
            hb_pool_free(&finish.pool)
        if status == INTERRUPTED:
            raise_stopped()
        if status:
            raise MemoryError("not enough memory to grow a tree")
        return self.tree()

    cdef tree(self):
        cdef Job* job = &self.job
        cdef int64_t n = job.n_nodes, i, n_set = 0
        cdef int32_t code
        cdef const Node* node
        cdef const Column* column
        cdef int32_t[::1] feature = np.full(n, -1, np.int32), cut = np.zeros(n, np.int32)
        cdef int32_t[::1] first_child = np.full(n, -1, np.int32), set_size = np.zeros(n, np.int32)
        cdef int8_t[::1] missing = np.zeros(n, np.int8)
        cdef float[::1] weight = np.zeros(n, np.float32), gain = np.zeros(n, np.float32)
        cdef float[::1] value = np.zeros(n, np.float32)
        codes = []
        for i in range(n):
            node = &job.nodes[i]
            weight[i] = <float>node.weight
            value[i] = <float>node.value
            if node.first_child < 0:
                continue
            column = &job.columns[node.split.column]
            feature[i] = node.split.column
            cut[i] = node.split.cut
            first_child[i] = node.first_child
            missing[i] = <int8_t>node.split.missing
            gain[i] = <float>node.gain
            if not column.nominal:
                continue
            cut[i] = 0
            for code in range(column.n_codes):
                if (node.wide_side[code] == 0 if column.wide != NULL
                        else (node.split.codes[code >> 6] >> (code & 63)) & 1):
                    codes.append(code)
                    set_size[i] += 1
        return {
            "feature": np.asarray(feature), "cut": np.asarray(cut), "first_child": np.asarray(first_child),
            "missing": np.asarray(missing), "weight": np.asarray(weight), "value": np.asarray(value),
            "gain": np.asarray(gain), "set_size": np.asarray(set_size), "codes": np.array(codes, np.int32),
        }


LOSSES = ("squared", "absolute", "huber", "quantile", "poisson", "logistic", "multinomial")
