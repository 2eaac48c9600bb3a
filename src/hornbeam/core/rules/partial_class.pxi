# Part of partial.pyx: the class that Python sees.


cdef void* take(size_t count, size_t size) except NULL:
    cdef void* memory = calloc(count if count else 1, size)
    if memory == NULL:
        raise MemoryError("no memory to learn rules")
    return memory


cdef class PartialTrees:
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
    cdef Choices choices
    cdef Column* columns
    cdef list orders  # of the sorted columns, in order, with their values
    cdef list kept  # arrays that must outlive the learning
    cdef object labels
    cdef object weights
    cdef object xlogx
    cdef bint wide_entries
    cdef object stack_bytes
    cdef bint fractional
    cdef int most_codes
    cdef int n_classes
    cdef int64_t n_rows

    def __cinit__(self):
        memset(&self.work, 0, sizeof(Work))
        self.columns = NULL

    def __dealloc__(self):
        cdef Work* work = &self.work
        free(self.columns)
        free(work.root.entries)
        free(work.root.lengths)
        free(work.list_block)
        free(work.root_counts)
        free(work.leaf_counts)
        free(work.scratch.left_count)
        free(work.scratch.left)
        free(work.scratch.table)
        free(work.scratch.bags)
        free(work.scratch.count_table)
        free(work.scratch.weights)
        free(work.candidates)
        free(work.marked)
        free(work.rows)
        free(work.shares)
        free(work.base_weight)
        free(work.row_weight)
        free(work.local_weight)
        free(work.stack)
        free(work.nodes)
        free(work.steps)

    def __init__(self, labels, int n_classes, weights, choices, int n_columns):
        self.labels = np.ascontiguousarray(labels, np.int32)
        self.weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        self.n_rows = len(self.labels)
        self.n_classes = n_classes
        self.orders = []
        self.kept = []
        self.columns = <Column*>take(n_columns, sizeof(Column))
        self.most_codes = 1
        self.fractional = weights is not None
        memset(&self.choices, 0, sizeof(Choices))
        self.choices.n_classes = n_classes
        self.choices.label_bits = max(n_classes - 1, 1).bit_length()
        self.choices.shift = self.choices.label_bits + 2
        self.choices.by_ratio = choices["by_ratio"]
        self.choices.average_filter = choices["average_filter"]
        self.choices.charge_cuts = choices["charge_cuts"]
        self.choices.adaptive_minimum = choices["adaptive_minimum"]
        self.choices.count_for_cut = choices["count_for_cut"]
        self.choices.nominal = choices["nominal"]
        self.choices.first_category_free = choices["first_category_free"]
        self.choices.min_branch = choices["min_branch"]
        self.choices.min_node = choices["min_node"]
        self.choices.min_gap = choices["min_gap"]
        self.choices.min_gain = choices["min_gain"]
        self.choices.tolerance = choices["tolerance"]
        self.stack_bytes = choices.get("stack_bytes")
        self.wide_entries = (self.n_rows << self.choices.shift) > 1 << 32 or choices.get("wide_entries", False)

    def add_sorted(self, const double[::1] values, order, bint ours=False):
        """Add a numeric column with its sort order (known rows only)."""
        cdef Column* column = &self.columns[self.work.n_columns]
        column.kind = SORTED
        column.number = self.work.n_columns
        column.values = &values[0]
        column.position = len(self.orders)
        self.orders.append((values, order))
        self.work.n_columns += 1
        self.fractional |= len(order) < values.shape[0]

    def add_codes(self, codes, const double[::1] values, int n_codes, bint nominal, bint many_valued):
        """Add a column of codes, uint8 or int32, n_codes being missing; `values` of the codes for one that is cut."""
        cdef Column* column = &self.columns[self.work.n_columns]
        cdef const uint8_t[::1] narrow
        cdef const int32_t[::1] wide
        column.kind = NOMINAL if nominal else CODED
        column.number = self.work.n_columns
        column.n_codes = n_codes
        column.many_valued = many_valued
        column.position = -1
        column.wide = codes.dtype == np.int32
        if column.wide:
            wide = codes
            column.codes = &wide[0]
        else:
            narrow = codes
            column.codes = &narrow[0]
        if not nominal and n_codes:
            column.values = &values[0]
        self.kept.append((codes, values))
        self.most_codes = max(self.most_codes, n_codes)
        self.work.n_columns += 1
        self.fractional |= bool((np.asarray(codes) == n_codes).any())

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
        cdef int n_classes = self.n_classes
        cdef size_t cells = (<size_t>self.most_codes + 1) << self.choices.label_bits
        cdef const double[::1] weights
        cdef const int64_t[::1] xlogx
        work.columns = self.columns
        work.choices = &self.choices
        work.row_list = len(self.orders)
        work.n_lists = work.row_list + 1
        self.fill_logarithms()
        xlogx = self.xlogx
        work.xlogx = &xlogx[0]
        work.root_counts = <double*>take(n_classes, sizeof(double))
        work.leaf_counts = <double*>take(n_classes, sizeof(double))
        work.scratch.left_count = <int64_t*>take(3 * n_classes, sizeof(int64_t))
        work.scratch.right_count = work.scratch.left_count + n_classes
        work.scratch.known_count = work.scratch.right_count + n_classes
        work.scratch.left = <double*>take(21 * n_classes, sizeof(double))
        work.scratch.right = work.scratch.left + n_classes
        work.scratch.inverse = work.scratch.right + n_classes
        work.scratch.seen = work.scratch.inverse + n_classes
        work.scratch.side_logs = work.scratch.seen + n_classes
        work.scratch.marks = work.scratch.side_logs + n_classes
        work.scratch.table = <double*>take(cells, sizeof(double))
        work.scratch.bags = <double*>take(self.most_codes + 1, sizeof(double))
        work.scratch.count_table = <uint32_t*>take(2 * cells, sizeof(uint32_t))
        work.candidates = <Candidate*>take(work.n_columns, sizeof(Candidate))
        work.marked = <uint8_t*>take(n, 1)
        work.rows = <uint32_t*>take(n + 1, sizeof(uint32_t))
        if self.fractional:
            work.shares = <double*>take(n + 1, sizeof(double))
            work.base_weight = <double*>take(n, sizeof(double))
            work.row_weight = <double*>take(n, sizeof(double))
            work.local_weight = <double*>take(n, sizeof(double))
            work.scratch.weights = <double*>take(n, sizeof(double))
            if self.weights is not None:
                weights = self.weights
            for i in range(n):
                work.base_weight[i] = 1.0 if self.weights is None else weights[i]
            memcpy(work.row_weight, work.base_weight, n * sizeof(double))
        # untouched pages cost nothing, so there may be plenty
        work.stack_size = 2 * (n + 64) * (work.n_lists + 4) * entry_size
        if self.stack_bytes is not None:
            work.stack_size = self.stack_bytes
        work.stack = <char*>hb_take(work.stack_size)
        if work.stack == NULL:  # then each node takes its own
            work.stack_size = 0
        work.root.entries = <void**>take(work.n_lists, sizeof(void*))
        work.root.lengths = <int64_t*>take(work.n_lists, sizeof(int64_t))
        work.list_block = hb_take(work.n_lists * (n + 1) * entry_size)
        if work.list_block == NULL:
            raise MemoryError("no memory to learn rules")
        if self.wide_entries:
            fill_root(<uint64_t*>NULL, self)
        else:
            fill_root(<uint32_t*>NULL, self)
        work.root.n_rows = n
        work.root.unit = self.weights is None

    cdef fill_logarithms(self):
        """x log2 x of every count, as whole numbers of 1 / scale, so that sums are exact."""
        cdef int64_t n = self.n_rows if self.weights is None and self.orders else 0, i
        cdef int bits = min(46, 60 - int(n * log2(n + 2.0) + 1).bit_length())
        cdef int64_t[::1] table = np.zeros(n + 1, np.int64)
        cdef double scale = 2.0 ** bits
        with nogil:
            for i in range(2, n + 1):
                table[i] = <int64_t>(i * log2(i) * scale + 0.5)
        self.work.scale = scale
        self.xlogx = np.asarray(table)

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
                raise MemoryError("no memory to learn rules")
            if status == CANCELLED:
                raise_stopped()
            for d in range(work.n_steps):
                step = &work.steps[d]
                steps.append((step.column, step.kind, step.branch, step.category, step.cut, step.share))
            start.append(len(steps))
            counts.append([work.leaf_counts[k] for k in range(self.n_classes)])
        numbers = np.array(steps, np.float64).reshape(-1, 6)
        whole = numbers[:, :4].astype(np.int32)
        return {
            "start": np.array(start, np.int64), "column": whole[:, 0], "kind": whole[:, 1], "branch": whole[:, 2],
            "category": whole[:, 3], "cut": numbers[:, 4].copy(), "share": numbers[:, 5],
            "value": np.array(counts, np.float64).reshape(-1, self.n_classes),
        }


cdef fill_root(Entry* width, PartialTrees trees):
    """Entries of the lists of all rows: row, class, and how each value differs from the one before."""
    cdef Work* work = &trees.work
    cdef const int32_t[::1] labels = trees.labels
    cdef const double[::1] values
    cdef const uint32_t[::1] order
    cdef int64_t i, n, row
    cdef int j, shift = trees.choices.shift
    cdef double min_gap = trees.choices.min_gap
    cdef Entry steps
    cdef Entry* entries
    for j in range(work.n_lists):
        entries = <Entry*>work.list_block + j * (trees.n_rows + 1)
        work.root.entries[j] = entries
        if j == work.row_list:
            for i in range(trees.n_rows):
                entries[i] = (<Entry>i << shift) | (<Entry>labels[i] << 2) | STEPS
            work.root.lengths[j] = trees.n_rows
            continue
        values, order = trees.orders[j]
        n = order.shape[0]
        work.root.lengths[j] = n
        for i in range(n):
            row = order[i]
            steps = STEPS
            if i and not values[order[i - 1]] + min_gap < values[row]:
                steps = 0
            entries[i] = (<Entry>row << shift) | (<Entry>labels[row] << 2) | steps
