# Part of grow.pyx: the class that Python sees.

from hornbeam.core.base.threads import Threads

# Below this many cells (rows x columns) a node is not worth dividing among threads.
SHARE_FROM = 1_000_000


cdef class Grower(ColumnLists):
    """Columns, target and parameters of one tree.

    Parameters
    ----------
    target : int32 or float64 array
        Class of each row, or its number.
    n_classes : int
        0 if the target is a number.
    weights : float64 array or None
        Row weights.
    choices : mapping
        The fields of the struct Choices, by name; `loss`, `monotone` and `groups` as arrays or None.
    """

    cdef Problem problem
    cdef object target
    cdef object inverse
    cdef object tally_order
    cdef list root  # the lists of all rows, kept for growing other trees without some of them; or None
    cdef object stays  # by row: whether the tree is grown from it; None: from all
    cdef bint needs_rows

    def __init__(self, target, int n_classes, weights, choices, int n_columns):
        cdef const double[::1] numbers
        labels = np.ascontiguousarray(target, np.int32) if n_classes else np.zeros(len(target), np.int32)
        self.set_up(labels, n_classes, weights, choices, n_columns)
        self.read_choices(choices, n_classes)
        if n_classes == 0:
            self.target = np.ascontiguousarray(target, np.float64)
            numbers = self.target
            self.problem.target = &numbers[0]
        self.problem.n_rows = self.n_rows

    cdef read_choices(self, given, int n_classes):
        cdef Choices* choices = &self.choices
        cdef const double[::1] loss
        cdef const double[::1] factors, numbers
        cdef const int8_t[::1] monotone
        cdef const uint64_t[::1] groups
        choices.regression = n_classes == 0
        choices.n_classes = n_classes if n_classes else NUMBER_VALUES
        choices.n_stats = n_classes if n_classes else 3
        choices.textbook_gain = given["textbook_gain"]
        choices.max_depth = given["max_depth"]
        choices.zoom = given["zoom"]
        choices.zoom_from = given["zoom_from"]
        choices.any_criterion = given["any_criterion"]
        choices.criterion = given["criterion"]
        check_criterion(choices.criterion)
        if given["row_by_row"] and choices.criterion not in (ENTROPY, GINI, VARIANCE):
            raise ValueError(f"row-by-row sums are not implemented for split criterion number {choices.criterion}")
        choices.median = given["median"]
        choices.missing = given["missing"]
        choices.known_only = given["known_only"]
        choices.most_cuts = given["most_cuts"]
        choices.greedy_cuts = given["greedy_cuts"]
        choices.boundary_points = given["boundary_points"]
        choices.exhaustive_up_to = given["exhaustive_up_to"]
        choices.classes_seen = given["classes_seen"]
        choices.order_by_target = given["order_by_target"]
        choices.max_surrogates = given["max_surrogates"]
        choices.equal_low = given["equal_low"]
        choices.target_scale = given["target_scale"]
        choices.min_impurity = given["min_impurity"]
        choices.min_error = given["min_error"]
        choices.min_decrease = given["min_decrease"]
        choices.log_significance = given["log_significance"]
        choices.log_merge = given["log_merge"]
        choices.plain_classes = (not choices.regression and choices.criterion == GINI and choices.most_cuts == 1
                                 and not choices.boundary_points and not given["row_by_row"]
                                 and not choices.by_ratio and choices.log_significance == 0.0
                                 and given["monotone"] is None)
        if given["loss"] is not None:
            loss = given["loss"]
            choices.loss = &loss[0]
            self.kept.append(given["loss"])
        choices.combinations = given["combinations"]
        choices.rough_first = (given["row_by_row"] and given["count_alike"]
                               and choices.criterion in (GINI, VARIANCE) and choices.missing == BY_SURROGATE)
        choices.row_by_row = given["row_by_row"]
        choices.count_rows = given["count_rows"] or (given["row_by_row"] and self.weights is None)
        choices.plain_numbers = (choices.regression and choices.criterion == VARIANCE and not choices.median
                                 and choices.most_cuts == 1 and not choices.boundary_points and not choices.row_by_row
                                 and not choices.by_ratio and not choices.order_by_target
                                 and given["monotone"] is None and self.weights is None)
        choices.first_class = given["first_class"]
        factors = given["class_factor"]
        numbers = given["class_number"]
        if n_classes:
            choices.class_factor = &factors[0]
            choices.class_number = &numbers[0]
        self.kept.append((factors, numbers))
        if given["monotone"] is not None:
            monotone = given["monotone"]
            choices.monotone = &monotone[0]
            self.kept.append(given["monotone"])
        if given["groups"] is not None:
            groups = given["groups"]
            choices.groups = &groups[0]
            self.kept.append(given["groups"])

    def put_in_order(self, const uint32_t[::1] order):
        """Set the order in which sums over the rows of the last column (of codes) are taken."""
        cdef Column* column = &self.columns[self.n_columns - 1]
        column.order = &order[0] if order.shape[0] else NULL
        column.n_order = order.shape[0]
        self.kept.append(order)

    def sum_in(self, order):
        """Sum a node's rows in this order, not in table order."""
        self.tally_order = np.ascontiguousarray(order, np.uint32)

    def keep_lists(self):
        """Make the lists of all rows now and keep them, for growing other trees without some of the rows."""
        cdef Frame frame
        self.lay_out()
        memset(&frame, 0, sizeof(Frame))
        try:
            if self.wide_entries:
                check(open_frame(<uint64_t*>NULL, &self.problem, NULL, &frame, self.problem.n_rows, 0))
                fill_lists(<uint64_t*>NULL, self, &frame)
                self.root = [entries_of(<uint64_t*>NULL, &frame, j) for j in range(self.problem.n_lists)]
            else:
                check(open_frame(<uint32_t*>NULL, &self.problem, NULL, &frame, self.problem.n_rows, 0))
                fill_lists(<uint32_t*>NULL, self, &frame)
                self.root = [entries_of(<uint32_t*>NULL, &frame, j) for j in range(self.problem.n_lists)]
        finally:
            free(frame.memory)

    def share_lists(self, Grower other, stays):
        """Share the columns and the kept lists of another grower, except rows that do not stay (uint8, by row)."""
        if other.root is None or self.weights is not None or not (self.choices.row_by_row or self.target is None):
            raise ValueError("lists can be shared only if kept, without weights, and with sums row by row")
        self.stays = stays
        self.root = other.root
        self.kept.append(other)
        self.tally_order = other.tally_order
        self.code_counts = other.code_counts
        self.most_codes = other.most_codes
        self.needs_rows = other.needs_rows
        self.lacking = other.lacking
        self.n_columns = other.n_columns
        self.problem.n_sorted = other.problem.n_sorted
        memcpy(self.columns, other.columns, other.n_columns * sizeof(Column))
        self.lists = None

    cdef lay_out(self):
        """Decide which lists to keep, and their order."""
        if self.lists is not None:
            self.needs_rows = self.weights is not None or self.coded or self.lacking or self.choices.combinations
            self.problem.n_sorted = len(self.lists)
        self.problem.columns = self.columns
        self.problem.n_columns = self.n_columns
        self.problem.fractional = self.lacking and self.choices.missing == IN_PIECES
        self.problem.choices = &self.choices
        self.problem.row_list = self.problem.n_sorted if self.needs_rows else -1
        self.problem.n_lists = self.problem.n_sorted + self.needs_rows
        self.problem.tally_list = -1
        if self.tally_order is not None:
            self.problem.tally_list = self.problem.n_lists
            self.problem.n_lists += 1

    cdef Worker new_worker(self):
        cdef Worker worker = Worker()
        cdef Workspace* work = &worker.work
        cdef hb_pool* pool = &work.pool
        cdef int64_t n = self.problem.n_rows, i
        cdef int n_classes = self.choices.n_classes
        cdef int branches = max(max(self.most_codes, self.choices.most_cuts + 1), 2)
        cdef const double[::1] weights
        self.take_scratch(&work.scratch, pool)
        work.candidates = <Candidate*>take(pool, self.problem.n_columns, sizeof(Candidate))
        work.side = <uint8_t*>take(pool, n, 1)
        if branches > 2:
            work.branch = <int32_t*>take(pool, n, sizeof(int32_t))
        if self.problem.fractional or self.weights is not None:
            work.row_weight = <double*>take(pool, n, sizeof(double))
            work.local_weight = <double*>take(pool, n, sizeof(double))
            work.scratch.weights = <double*>take(pool, n, sizeof(double))
            if self.weights is None:
                for i in range(n):
                    work.row_weight[i] = 1.0
            else:
                weights = self.weights
                memcpy(work.row_weight, &weights[0], n * sizeof(double))
        work.branch_counts = <double*>take(pool, <size_t>branches * n_classes, sizeof(double))
        work.fractions = <double*>take(pool, branches, sizeof(double))
        work.branch_rows = <int64_t*>take(pool, branches, sizeof(int64_t))
        work.filled = <int64_t*>take(pool, branches, sizeof(int64_t))
        work.last_run = <int64_t*>take(pool, 2 * branches, sizeof(int64_t))
        work.targets = <void**>take(pool, branches, sizeof(void*))
        work.takes_missing = <uint8_t*>take(pool, branches, 1)
        work.goes_on = <uint8_t*>take(pool, branches, 1)
        # untouched pages cost nothing, so this may be generous
        work.stack_size = 2 * (n + 64) * (self.problem.n_lists + 4) * (8 if self.wide_entries else 4)
        work.stack = <char*>hb_pool_add(pool, hb_take(work.stack_size))
        if work.stack == NULL:  # then each node allocates its own
            work.stack_size = 0
        worker.buffer.n_classes = n_classes
        worker.buffer.limited = self.choices.monotone != NULL or self.choices.groups != NULL
        work.buffer = &worker.buffer
        if self.choices.any_criterion:
            self.add_search_memory(work, branches)
        return worker

    cdef add_search_memory(self, Workspace* work, int branches):
        """Allocate what searching by any criterion needs in addition."""
        cdef Scratch* scratch = &work.scratch
        cdef hb_pool* pool = &work.pool
        cdef const Choices* choices = &self.choices
        cdef int64_t n = self.problem.n_rows, n_bins = self.most_codes + 3, n_stats = choices.n_stats
        cdef const int32_t[::1] counts = self.code_counts
        cdef Bins bins
        cdef bint by_median = choices.criterion == ABSOLUTE or choices.median
        if choices.most_cuts > 1:
            n_bins = max(n_bins, n + 2)
        scratch.low = <double*>take(pool, 6 * n_stats, sizeof(double))
        scratch.high = scratch.low + n_stats
        scratch.kept = scratch.high + n_stats
        scratch.all_rows = scratch.kept + n_stats
        scratch.parent_fractions = scratch.all_rows + n_stats
        scratch.missing = scratch.parent_fractions + n_stats
        scratch.bins = <double*>take(pool, n_bins * max(n_stats, 2), sizeof(double))
        scratch.keys = <double*>take(pool, 2 * n_bins + choices.most_cuts + 1, sizeof(double))
        scratch.bin_code = <int32_t*>take(pool, 4 * (self.most_codes + 3), sizeof(int32_t))
        scratch.order = scratch.bin_code + self.most_codes + 3
        scratch.spare = scratch.order + self.most_codes + 3
        scratch.group = scratch.spare + self.most_codes + 3
        scratch.branches = <double*>take(pool, (branches + 2) * n_stats, sizeof(double))
        scratch.matrix = <double*>take(pool, n_stats * n_stats if choices.nominal == SUBSET else 1, sizeof(double))
        scratch.places = <int64_t*>take(pool, <int64_t>choices.most_cuts * choices.most_cuts + 1, sizeof(int64_t))
        scratch.starts = <int64_t*>take(pool, 2 * (max(n_bins, self.most_codes) + 3), sizeof(int64_t))
        if choices.most_cuts > 1:
            scratch.firsts = <int64_t*>take(pool, n_bins, sizeof(int64_t))
            bins.n_bins = n_bins
            bins.n_stats = <int>n_stats
            bins.max_cuts = choices.most_cuts
            bins.limit = MOST_BINS
            scratch.cutting = <double*>take(pool, max(greedy_memory(&bins), optimal_memory(&bins)), sizeof(double))
        if choices.rough_first:
            work.stamp = <uint32_t*>take(pool, n, sizeof(uint32_t))
            work.ordered = take(pool, n, sizeof(uint64_t))
        if by_median:
            scratch.members = <uint32_t*>take(pool, n, sizeof(uint32_t))
            scratch.fenwick = <double*>take(pool, 4 * (n + 1), sizeof(double))
            work.rank = <uint32_t*>take(pool, 2 * n, sizeof(uint32_t))
            work.by_rank = work.rank + n
            work.ranked = <double*>take(pool, n, sizeof(double))
            work.sorting = <Ranked*>take(pool, 2 * n, sizeof(Ranked))  # half of it to sort with
        if choices.combinations:
            work.combination.values = <double*>take(pool, n * max(self.problem.n_sorted, 1), sizeof(double))
            work.combination.weights = <double*>take(pool, 2 * n, sizeof(double))
            work.combination.target = work.combination.weights + n
            work.combination.coefficients = <double*>take(pool, self.problem.n_sorted + 1, sizeof(double))
            work.combination.memory = <double*>take(
                pool,                 combination_memory(n, self.problem.n_sorted, choices.n_stats), sizeof(double))
            work.combination.rows = <uint32_t*>take(pool, n, sizeof(uint32_t))
            work.combination.labels = <int32_t*>take(pool, n, sizeof(int32_t))
        work.plan.places = <int64_t*>take(pool, choices.most_cuts + 1, sizeof(int64_t))
        work.plan.code_branch = <int32_t*>take(pool, self.most_codes + 1, sizeof(int32_t))
        work.found = <Surrogate*>take(pool, choices.max_surrogates + 1, sizeof(Surrogate))
        work.found_branch = <int32_t*>take(
            pool, (choices.max_surrogates + 1) * <int64_t>self.most_codes, sizeof(int32_t))
        work.code_room = self.most_codes
        work.code_counts = &counts[0]

    def grow(self, int n_threads=1, bint keep_candidates=False):
        """Grow the tree; returns its arrays by name (see `flatten`)."""
        cdef const double[::1] weights
        cdef const int64_t[::1] xlogx
        cdef const double[::1] inverse
        self.lay_out()
        self.problem.alike_in_pairs = (
            self.root is None and self.choices.plain_numbers and self.choices.groups == NULL
            and self.choices.tolerance > 0.0 and self.choices.min_decrease == 0.0
            and len(self.lists) == self.problem.n_columns
            and all(len(order) == self.problem.n_rows for _, order, _ in self.lists)
        )
        if self.weights is not None:
            weights = self.weights
            self.problem.base_weight = &weights[0]
        self.fill_logarithms(self.weights is None and self.problem.n_sorted
                             and (not self.choices.any_criterion or self.choices.criterion == ENTROPY))
        xlogx = self.xlogx
        self.problem.xlogx = &xlogx[0]
        self.problem.scale = self.scale
        if self.choices.any_criterion and xlogx.shape[0] > 1:
            self.choices.xlogx = &xlogx[0]
            self.choices.xlogx_scale = self.scale
        if self.choices.any_criterion and self.weights is None:
            self.inverse = np.arange(self.problem.n_rows + 2, dtype=np.float64)
            np.divide(1.0, self.inverse[1:], out=self.inverse[1:])
            inverse = self.inverse
            self.choices.inverse = &inverse[0]
        if n_threads == 1 or keep_candidates or self.problem.n_rows * self.problem.n_columns < SHARE_FROM:
            return self.grow_alone(keep_candidates)
        with Threads(n_threads) as pool:
            return self.grow_together(n_threads, pool)

    def grow_alone(self, bint keep_candidates):
        """Grow on this thread."""
        cdef Worker worker = self.new_worker()
        cdef Subtree root = Subtree()
        cdef int status = DONE
        if keep_candidates:
            worker.work.trace = &worker.trace
        self.open_root(&root.frame, &worker.buffer)
        with nogil:
            if not must_stop(&worker.buffer.nodes[0], worker.buffer.counts, 0, &self.choices):
                status = self.walk(&worker.work, &root.frame)
        check(status)
        return flatten(&self.choices, self.columns, self.problem.n_columns, worker, [])

    def grow_together(self, int n_threads, pool):
        """Grow on several threads: large nodes column by column, then subtrees as tasks."""
        cdef Worker lead = self.new_worker()
        cdef Subtree subtree = Subtree()
        cdef list workers = [lead] + [self.new_worker() for _ in range(n_threads - 1)], large, small = []
        # smaller subtrees give better balance; larger ones are renumbered sooner, which helps if values are looked up
        cdef int64_t n_rows = self.problem.n_rows, pieces = n_threads if self.choices.min_gap > 0.0 else 2 * n_threads
        self.open_root(&subtree.frame, &lead.buffer)
        large = [subtree]
        if must_stop(&lead.buffer.nodes[0], lead.buffer.counts, 0, &self.choices):
            large = []
        while large:
            subtree = large.pop()
            if subtree.frame.n_rows * self.problem.n_columns < SHARE_FROM or subtree.frame.n_rows * pieces < n_rows:
                detach(lead, subtree, len(small))
                small.append(subtree)
            elif self.wide_entries:
                large.extend(split_together(<uint64_t*>NULL, self, subtree, workers, pool))
            else:
                large.extend(split_together(<uint32_t*>NULL, self, subtree, workers, pool))
        idle = list(workers)
        tasks = [pool.submit(self.grow_subtree, task, idle) for task in sorted(small, key=rows_of, reverse=True)]
        for task in tasks:
            task.result()
        return flatten(&self.choices, self.columns, self.problem.n_columns, lead, small)

    def grow_subtree(self, Subtree subtree, list idle):
        """One task: grow a subtree with whatever workspace is idle."""
        cdef Worker worker = idle.pop()
        cdef NodeBuffer* own = worker.work.buffer
        cdef int status
        worker.work.buffer = &subtree.buffer
        with nogil:
            if self.wide_entries:
                scatter_weights(<uint64_t*>NULL, &self.problem, &worker.work, &subtree.frame)
            else:
                scatter_weights(<uint32_t*>NULL, &self.problem, &worker.work, &subtree.frame)
            status = self.walk(&worker.work, &subtree.frame)
            free(subtree.frame.memory)
            subtree.frame.memory = NULL
        worker.work.buffer = own
        idle.append(worker)
        check(status)

    cdef int walk(self, Workspace* work, Frame* frame) noexcept nogil:
        if self.wide_entries:
            return grow_frame(<uint64_t*>NULL, &self.problem, work, frame)
        return grow_frame(<uint32_t*>NULL, &self.problem, work, frame)

    cdef open_root(self, Frame* frame, NodeBuffer* buffer):
        # lists with their own memory need no room in the frame
        cdef int first = 0
        if self.lists is not None and all(ours for *_, ours in self.lists):
            first = len(self.lists)
        if self.wide_entries:
            make_root(<uint64_t*>NULL, self, frame, buffer, first)
        else:
            make_root(<uint32_t*>NULL, self, frame, buffer, first)

    def scan_some(self, Worker worker, Subtree subtree, list workers, counter):
        """Scan columns until the counter runs out."""
        cdef Worker lead = workers[0]
        cdef int c
        for c in counter:
            with nogil:
                if self.wide_entries:
                    scan_one(<uint64_t*>NULL, &self.problem, &worker.work, &lead.work, &subtree.frame, c)
                else:
                    scan_one(<uint32_t*>NULL, &self.problem, &worker.work, &lead.work, &subtree.frame, c)
            poll()

    def part_some(self, Worker worker, Division division, list workers, counter):
        """Divide lists until the counter runs out."""
        cdef Worker lead = workers[0]
        cdef int j
        for j in counter:
            poll()
            with nogil:
                if self.wide_entries:
                    part_lists(<uint64_t*>NULL, &self.problem, &worker.work, &lead.work, &division.parent.frame,
                               division.children, division.n_branches, division.stays, j, j + 1)
                else:
                    part_lists(<uint32_t*>NULL, &self.problem, &worker.work, &lead.work, &division.parent.frame,
                               division.children, division.n_branches, division.stays, j, j + 1)
