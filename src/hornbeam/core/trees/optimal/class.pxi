# Part of search.pyx: the search as Python sees it.


cdef class Search:
    """The search for the best tree of a table.

    Parameters
    ----------
    kind : array of int32
        By column: CUT, ONE_APART or EACH.
    code : array of int32 of shape (columns, rows)
        Codes of values in their order, -1 where there is none.
    sums : array of int64 of shape (rows, sums)
        For classes the cost of predicting each class, for numbers the target and its squares; and the weight.
    loss : array of int64
        What adding a row costs at most, in units of the final cost.
    options : dict
        `numbers`, `own_branch`, `depth`, `factor`, `penalty`, `slack`, `least`, `scale_squares`, `scale_sums`,
        `lightest` (of the rows), and `label` (classes of the rows, if every error of a row costs the same; else None).
    """

    cdef Search_ a
    cdef Node root
    cdef hb_pool pool
    cdef object kept
    cdef int n_levels
    cdef readonly int depth
    cdef bint begun, ended
    cdef readonly bint finished  # no tree costs less than the best one

    def __cinit__(self, const int32_t[::1] kind, const int32_t[:, ::1] code, const int64_t[:, ::1] sums,
                  const int64_t[::1] loss, options):
        cdef Problem* s = &self.a.problem
        cdef const int32_t[::1] labels
        cdef int i, b
        self.kept = (kind, code, sums, loss)
        s.n, s.p, s.width = <int>sums.shape[0], <int>kind.shape[0], <int>sums.shape[1]
        s.numbers, s.own_branch = options["numbers"], options["own_branch"]
        s.factor, s.penalty = options["factor"], options["penalty"]
        s.slack, s.least = options["slack"], options["least"]
        s.scale_squares, s.scale_sums = options["scale_squares"], options["scale_sums"]
        s.two_sums = not s.numbers and s.width == 3 and s.least <= options["lightest"]
        s.kind, s.code, s.sums, s.loss = &kind[0], &code[0, 0], &sums[0, 0], &loss[0]
        label = options["label"]
        s.label = NULL
        if label is not None and not s.two_sums and s.least <= options["lightest"]:
            self.kept = (*self.kept, label)
            labels = label
            s.label = &labels[0]
        self.depth = options["depth"]
        take_at(&s.work, &self.pool, 8 * s.width + 8, sizeof(int64_t))
        open_node(&self.root, &self.pool, s.n, s.p)
        open_two(&self.a.two, &self.pool, s.n, s.p, s.width, s.two_sums, s.label != NULL)
        self.n_levels = max(self.depth - 2, 0)
        take_at(&self.a.level, &self.pool, self.n_levels + 1, sizeof(Level))
        for i in range(self.n_levels):
            take_raw_at(&self.a.level[i].lost, &self.pool, <int64_t>s.p * (s.n + 3) * sizeof(int64_t))
            take_raw_at(&self.a.level[i].branch, &self.pool, s.n * sizeof(int32_t))
            take_raw_at(&self.a.level[i].number, &self.pool, s.n * sizeof(int32_t))
            for b in range(2):
                open_node(&self.a.level[i].child[b], &self.pool, s.n, s.p)

    def __dealloc__(self):
        cdef int i, b
        free(self.root.tokens)
        if self.a.level != NULL:
            for i in range(self.n_levels):
                free(self.a.level[i].heap)
                for b in range(2):
                    free(self.a.level[i].child[b].tokens)
        hb_pool_free(&self.pool)

    def add_order(self, int column, const uint32_t[::1] order, int known):
        """Set the rows of a column in the order of their codes, rows without a value last."""
        cdef int k
        cdef int64_t base = <int64_t>column * self.a.problem.n
        self.root.n = self.a.problem.n
        self.root.known[column] = known
        for k in range(self.a.problem.n):
            self.root.order[base + k] = <int32_t>order[k]
            self.root.row[k] = k
        number_groups(&self.a.problem, &self.root, column)

    def advance(self, double seconds, int64_t limit, double deadline):
        """Search for some time, or until the best tree is known.

        Parameters
        ----------
        seconds : float
            About how long this call may take.
        limit : int
            Only trees that cost at most this are looked for; for the first call.
        deadline : float
            When to stop in any case, in seconds from now; 0: never.

        Returns
        -------
        bool
            Whether there is more to do.

        Raises
        ------
        KeyboardInterrupt
            If the work was interrupted; the best tree so far is kept.
        """
        cdef Problem* s = &self.a.problem
        cdef int64_t until = hb_ticks() + <int64_t>(1e9 * seconds)
        cdef bint more = True
        if self.ended:
            return False
        s.deadline = hb_ticks() + <int64_t>(1e9 * deadline) if deadline > 0 else 0
        with nogil:
            if not self.begun:
                self.begun = True
                weigh_node(s, &self.root)
                if self.depth > 2 and self.root.leaf > 2 * s.penalty:
                    begin_node(&self.a, self.a.level, &self.root, self.depth, limit)
                else:
                    solve(&self.a, 0, &self.root, self.depth, limit)
                    if self.root.value < ENDLESS:
                        finish_tree(&self.a, &self.root, self.depth)
                    more = False
            while more:
                more = step_node(&self.a, 0, &self.root)
                if must_stop(s) or hb_ticks() > until:
                    break
            if self.depth > 2 and self.root.leaf > 2 * s.penalty:
                end_node(&self.a, self.a.level, &self.root)
        self.ended = not more or s.halt != GOING_ON
        self.finished = not more and s.halt == GOING_ON
        if s.halt == INTERRUPTED:
            raise_stopped()
        if s.halt == OUT_OF_MEMORY:
            raise MemoryError("not enough memory")
        return more and s.halt == GOING_ON

    @property
    def value(self):
        """The cost of the best tree so far; None if there is none within the limit."""
        return None if self.root.value >= ENDLESS else self.root.value

    @property
    def bound(self):
        """What the best tree costs at least."""
        return self.root.bound

    @property
    def tree(self):
        """The best tree so far: rows of column, code and branch of missing values, every node before its branches."""
        cdef int k
        return np.array([self.root.tokens[k] for k in range(self.root.n_tokens)], np.int32).reshape(-1, 3)
