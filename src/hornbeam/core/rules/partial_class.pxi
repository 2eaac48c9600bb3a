# Part of partial.pyx: the class that Python sees.


cdef class PartialTrees(ColumnLists):
    """Columns, classes and choices of one list of rules.

    Parameters
    ----------
    labels : int32 array
        Class of each row.
    n_classes : int
    weights : float64 array or None
        Row weights.
    choices : mapping
        As the grower takes them; only splits found by bits are known here.
    n_columns : int
        How many columns will be added.
    """

    cdef Work work
    cdef object stack_bytes

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Work))

    def __dealloc__(self):
        free(self.work.nodes)
        free(self.work.steps)

    def __init__(self, labels, int n_classes, weights, choices, int n_columns):
        self.set_up(np.ascontiguousarray(labels, np.int32), n_classes, weights, choices, n_columns)
        self.stack_bytes = choices.get("stack_bytes")

    def learn(self, bint prune, double confidence, double z):
        """Learn all rules, the last of which covers every row left; give their arrays by name.

        Parameters
        ----------
        prune : bool
            Whether a node whose branches are all leaves may become one.
        confidence, z : float
            Of the error limit, and the normal quantile that belongs to it.
        """
        self.work.prune = prune
        self.work.confidence = confidence
        self.work.z = z
        self.prepare()
        return self.learn_all()

    cdef prepare(self):
        """Memory for everything."""
        cdef Work* work = &self.work
        cdef int64_t n = self.n_rows, i, entry_size = 8 if self.wide_entries else 4
        cdef int n_classes = self.choices.n_classes
        cdef const double[::1] weights
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
        work.places = <int64_t*>take(&self.pool, n // FEWER + 1, sizeof(int64_t))
        if self.weights is not None or self.lacking:
            work.fractions = <double*>take(&self.pool, n + 1, sizeof(double))
            work.base_weight = <double*>take(&self.pool, n, sizeof(double))
            work.row_weight = <double*>take(&self.pool, n, sizeof(double))
            work.local_weight = <double*>take(&self.pool, n, sizeof(double))
            work.scratch.weights = <double*>take(&self.pool, n, sizeof(double))
            if self.weights is not None:
                weights = self.weights
            for i in range(n):
                work.base_weight[i] = 1.0 if self.weights is None else weights[i]
            memcpy(work.row_weight, work.base_weight, n * sizeof(double))
        # untouched pages cost nothing, so there may be plenty
        work.stack_size = 2 * (n + 64) * (work.n_lists + 4) * entry_size
        if self.stack_bytes is not None:
            work.stack_size = self.stack_bytes
        work.stack = <char*>hb_pool_add(&self.pool, hb_take(work.stack_size))
        if work.stack == NULL:  # then each node takes its own
            work.stack_size = 0
        work.root.entries = <void**>take(&self.pool, work.n_lists, sizeof(void*))
        work.root.lengths = <int64_t*>take(&self.pool, work.n_lists, sizeof(int64_t))
        work.list_block = take_raw(&self.pool, work.n_lists * (n + 1) * entry_size)
        if self.wide_entries:
            fill_root(<uint64_t*>NULL, self)
        else:
            fill_root(<uint32_t*>NULL, self)
        work.root.n_rows = n
        work.root.unit = self.weights is None

    cdef learn_all(self):
        cdef Work* work = &self.work
        cdef int status = DONE
        cdef int64_t d
        cdef int k
        cdef const Step* step
        cdef list start = [0], counts = [], steps = []
        while work.root.n_rows:
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
    cdef const int32_t[::1] labels = trees.labels
    cdef const double[::1] values
    cdef const uint32_t[::1] order
    cdef int64_t i
    cdef int j, shift = trees.choices.shift
    cdef Entry all_steps = STEPS
    cdef Entry* entries
    for j in range(work.n_lists):
        entries = <Entry*>work.list_block + j * (trees.n_rows + 1)
        work.root.entries[j] = entries
        if j == work.row_list:
            work.root.lengths[j] = trees.n_rows
            if trees.n_rows:
                fill_rows(entries, trees.n_rows, NULL, &labels[0], shift)
            continue
        values, order, _ = trees.lists[j]
        work.root.lengths[j] = order.shape[0]
        if order.shape[0]:
            fill_list(entries, &values[0], &order[0], order.shape[0], &labels[0], shift, trees.choices.min_gap)
        for i in range(order.shape[0]):
            if not entries[i] & 2:
                entries[i] &= ~all_steps
