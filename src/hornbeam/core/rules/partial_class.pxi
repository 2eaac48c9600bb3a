# Part of partial.pyx: the class that Python sees.


cdef class PartialTrees(ColumnLists):
    """Columns, classes and parameters for one list of rules.

    Parameters
    ----------
    labels : int32 array
        Class of each row.
    n_classes : int
    weights : float64 array or None
        Row weights.
    choices : mapping
        The same as for the grower; only splits that minimize entropy are supported here.
    n_columns : int
        How many columns will be added.
    """

    cdef Work work
    cdef object layout  # of memory, for tests
    cdef const int32_t[::1] row_labels

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Work))

    def __dealloc__(self):
        if self.work.whole != NULL:
            free_part(&self.work, self.work.whole)
        free(self.work.nodes)
        free(self.work.steps)

    def __init__(self, labels, int n_classes, weights, choices, int n_columns):
        self.set_up(np.ascontiguousarray(labels, np.int32), n_classes, weights, choices, n_columns)
        self.layout = {name: choices.get(name) for name in ("stack_bytes", "chunk_rows", "part_rows", "kept_bytes")}

    def learn(self, bint prune, double confidence, double z):
        """Learn all rules, the last of which covers every remaining row; returns their arrays by name.

        Parameters
        ----------
        prune : bool
            Whether a node whose branches are all leaves may become one.
        confidence, z : float
            Confidence level of the error limit, and its normal quantile.
        """
        self.work.prune = prune
        self.work.confidence = confidence
        self.work.z = z
        self.prepare()
        return self.learn_all()

    cdef prepare(self):
        """Allocate all memory."""
        cdef Work* work = &self.work
        cdef int64_t n = self.n_rows, entry_size = 8 if self.wide_entries else 4
        cdef int n_classes = self.choices.n_classes
        cdef const int64_t[::1] xlogx
        work.columns = self.columns
        work.n_columns = self.n_columns
        work.choices = &self.choices
        work.row_list = len(self.lists)
        work.n_lists = work.row_list + 1
        self.fill_logarithms(self.weights is None and len(self.lists) > 0)
        xlogx = self.xlogx
        work.xlogx = &xlogx[0]
        work.scale = self.scale
        work.root_counts = <double*>take(&self.pool, n_classes, sizeof(double))
        work.leaf_counts = <double*>take(&self.pool, n_classes, sizeof(double))
        self.take_scratch(&work.scratch, &self.pool)
        work.candidates = <Candidate*>take(&self.pool, work.n_columns, sizeof(Candidate))
        work.marked = <uint8_t*>take(&self.pool, n, 1)
        work.rows = <uint32_t*>take(&self.pool, n + 1, sizeof(uint32_t))
        work.base_weight = <double*>take(&self.pool, n, sizeof(double))
        work.row_weight = <double*>take(&self.pool, n, sizeof(double))
        work.local_weight = <double*>take(&self.pool, n, sizeof(double))
        if self.weights is not None or self.lacking:
            work.fractions = <double*>take(&self.pool, n + 1, sizeof(double))
            work.scratch.weights = <double*>take(&self.pool, n, sizeof(double))
        # untouched pages cost nothing, so this may be generous
        work.stack_size = 2 * (n + 64) * (work.n_lists + 4) * entry_size
        if self.layout["stack_bytes"] is not None:
            work.stack_size = self.layout["stack_bytes"]
        work.stack = <char*>hb_pool_add(&self.pool, hb_take(work.stack_size))
        if work.stack == NULL:  # then each node allocates its own
            work.stack_size = 0
        self.weigh_rows()
        self.make_whole(entry_size)

    cdef weigh_rows(self):
        """Store the weights of rows, and of classes in whole units."""
        cdef Work* work = &self.work
        cdef const double[::1] weights
        cdef int64_t i
        cdef double total
        if self.weights is not None:
            weights = self.weights
        for i in range(self.n_rows):
            work.base_weight[i] = 1.0 if self.weights is None else weights[i]
        memcpy(work.row_weight, work.base_weight, self.n_rows * sizeof(double))
        total = self.n_rows if self.weights is None else max(float(np.sum(self.weights)), 1e-300)
        work.units = 2.0 ** (60 - np.frexp(total)[1])
        self.row_labels = self.labels
        work.labels = &self.row_labels[0] if self.n_rows else NULL
        work.root_units = <int64_t*>take(&self.pool, self.choices.n_classes, sizeof(int64_t))
        for i in range(self.n_rows):
            work.root_units[work.labels[i]] += in_units(work, work.base_weight[i])
        work.unit = self.weights is None

    cdef make_whole(self, int64_t entry_size):
        """Make the part of all rows."""
        cdef Work* work = &self.work
        cdef int64_t n = self.n_rows, n_chunks, size = work.n_lists * (n + 1) * entry_size
        cdef int n_classes = self.choices.n_classes, c, status
        cdef Part* whole
        work.n_table = n
        work.chunk_rows = self.layout["chunk_rows"] or max(CHUNK_ROWS, 16 * n_classes)
        work.part_rows = self.layout["part_rows"] or PART_ROWS
        work.most_kept = self.layout["kept_bytes"] or KEPT * size
        work.first_code = <int64_t*>take(&self.pool, work.n_columns, sizeof(int64_t))
        for c in range(work.n_columns):
            work.first_code[c] = work.n_codes
            if work.columns[c].kind != SORTED:
                work.n_codes += work.columns[c].n_codes
        n_chunks = n // work.chunk_rows + 2
        work.chunk_sums.classes = <double*>take(&self.pool, n_chunks * n_classes, sizeof(double))
        work.chunk_sums.weight = <double*>take(&self.pool, n_chunks, sizeof(double))
        work.chunk_sums.error = <double*>take(&self.pool, n_chunks, sizeof(double))
        work.groups = <uint8_t*>take(&self.pool, work.chunk_rows, 1)
        work.losses = <Loss*>take(&self.pool, n + 1, sizeof(Loss))
        whole = work.whole = <Part*>take(NULL, 1, sizeof(Part))
        whole.factors[0] = 1.0
        whole.lists_memory = take_raw(NULL, lists_size(<uint64_t*>NULL, work, n))
        whole.lists.n_rows = n
        if self.wide_entries:
            lay_out(<uint64_t*>NULL, work, &whole.lists, <char*>whole.lists_memory)
            fill_root(<uint64_t*>NULL, self)
            status = finish_part(<uint64_t*>NULL, work, whole)
        else:
            lay_out(<uint32_t*>NULL, work, &whole.lists, <char*>whole.lists_memory)
            fill_root(<uint32_t*>NULL, self)
            status = finish_part(<uint32_t*>NULL, work, whole)
        if status != DONE:
            raise MemoryError("not enough memory to learn")

    cdef learn_all(self):
        cdef Work* work = &self.work
        cdef int status = DONE
        cdef int64_t d
        cdef int k
        cdef const Step* step
        cdef list start = [0], counts = [], steps = []
        while work.whole.n_left:
            with nogil:
                if self.wide_entries:
                    status = find_rule(<uint64_t*>NULL, work)
                    if status == DONE:
                        take_away(<uint64_t*>NULL, work)
                else:
                    status = find_rule(<uint32_t*>NULL, work)
                    if status == DONE:
                        take_away(<uint32_t*>NULL, work)
            if status == NO_MEMORY:
                raise MemoryError("not enough memory to learn")
            if status == CANCELLED:
                raise_stopped()
            for d in range(work.n_steps):
                step = &work.steps[d]
                steps.append((step.column, step.kind, step.branch, step.category, step.cut, step.share))
            start.append(len(steps))
            counts.append([work.leaf_counts[k] for k in range(self.choices.n_classes)])
        numbers = np.array(steps, np.float64).reshape(-1, 6)
        whole = numbers[:, :4].astype(np.int32)
        return {
            "start": np.array(start, np.int64), "column": whole[:, 0], "kind": whole[:, 1], "branch": whole[:, 2],
            "category": whole[:, 3], "cut": numbers[:, 4].copy(), "share": numbers[:, 5],
            "value": np.array(counts, np.float64).reshape(-1, self.choices.n_classes),
        }


cdef fill_root(Entry* width, PartialTrees trees):
    """The lists of all rows. An entry's two lowest bits are both set or both clear: `pick` uses the lower one."""
    cdef Work* work = &trees.work
    cdef Lists* whole = &work.whole.lists
    cdef const int32_t[::1] labels = trees.labels
    cdef const double[::1] values
    cdef const uint32_t[::1] order
    cdef int64_t i
    cdef int j, shift = trees.choices.shift
    cdef Entry all_steps = STEPS
    cdef Entry* entries
    for j in range(work.n_lists):
        entries = <Entry*>whole.entries[j]
        if j == work.row_list:
            whole.lengths[j] = trees.n_rows
            if trees.n_rows:
                fill_rows(entries, trees.n_rows, NULL, &labels[0], shift)
            continue
        values, order, _ = trees.lists[j]
        whole.lengths[j] = order.shape[0]
        if order.shape[0]:
            fill_list(entries, &values[0], &order[0], order.shape[0], &labels[0], shift, trees.choices.min_gap)
        for i in range(order.shape[0]):
            if not entries[i] & 2:
                entries[i] &= ~all_steps
