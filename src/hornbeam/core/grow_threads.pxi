# Part of grow.pyx: memory, threads and the way out to NumPy.

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from libc.math cimport log2

# Below this many cells (rows x columns) a node is not worth sharing out between threads.
SHARE_FROM = 1_000_000


cdef void free_scratch(Scratch* scratch) noexcept nogil:
    free(scratch.left_count)
    free(scratch.right_count)
    free(scratch.left)
    free(scratch.right)
    free(scratch.left_log)
    free(scratch.right_log)
    free(scratch.table)
    free(scratch.bags)
    free(scratch.weights)
    free(scratch.count_table)


cdef class Worker:
    """One thread's workspace."""

    cdef Workspace work
    cdef NodeBuffer buffer
    cdef TraceBuffer trace

    def __dealloc__(self):
        free_scratch(&self.work.scratch)
        free(self.work.candidates)
        free(self.work.side)
        free(self.work.branch)
        free(self.work.row_weight)
        free(self.work.local_weight)
        free(self.work.branch_counts)
        free(self.work.shares)
        free(self.work.branch_rows)
        free(self.work.filled)
        free(self.work.last_run)
        free(self.work.targets)
        free(self.work.takes_missing)
        free(self.work.goes_on)
        free(self.buffer.nodes)
        free(self.buffer.counts)
        free(self.trace.node)
        free(self.trace.candidates)
        free(self.trace.cuts)


cdef void* take(size_t count, size_t size) except NULL:
    cdef void* memory = calloc(count if count else 1, size)
    if memory == NULL:
        raise MemoryError("no memory to grow a tree")
    return memory


cdef class Subtree:
    """A node and its lists, to be grown as one task into nodes of its own."""

    cdef Frame frame
    cdef NodeBuffer buffer

    def __dealloc__(self):
        free(self.frame.memory)
        free(self.frame.local_weight)
        free(self.buffer.nodes)
        free(self.buffer.counts)


cdef class Grower:
    """Columns, labels and choices of one growing.

    Parameters
    ----------
    labels : int32 array
        Class of each row.
    n_classes : int
    weights : float64 array or None
        Row weights.
    choices : mapping
        The fields of the struct Choices, by name.
    """

    cdef Problem problem
    cdef Choices choices
    cdef Column* columns
    cdef list lists  # (values, order) of the sorted columns, in order
    cdef list kept  # arrays that must outlive the growing
    cdef object labels
    cdef object weights
    cdef object xlogx
    cdef bint wide_entries
    cdef bint needs_rows
    cdef int most_codes
    cdef int cancelled

    def __cinit__(self):
        self.columns = NULL

    def __dealloc__(self):
        free(self.columns)

    def __init__(self, labels, int n_classes, weights, choices, int n_columns):
        self.labels = np.ascontiguousarray(labels, np.int32)
        self.weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        self.lists = []
        self.kept = []
        self.columns = <Column*>take(n_columns, sizeof(Column))
        self.choices.n_classes = n_classes
        self.choices.label_bits = max(n_classes - 1, 1).bit_length()
        self.choices.shift = self.choices.label_bits + 2
        self.choices.by_ratio = choices["by_ratio"]
        self.choices.average_filter = choices["average_filter"]
        self.choices.textbook_gain = choices["textbook_gain"]
        self.choices.charge_cuts = choices["charge_cuts"]
        self.choices.adaptive_minimum = choices["adaptive_minimum"]
        self.choices.nominal = choices["nominal"]
        self.choices.first_category_free = choices["first_category_free"]
        self.choices.max_depth = choices["max_depth"]
        self.choices.min_branch = choices["min_branch"]
        self.choices.min_node = choices["min_node"]
        self.choices.min_gap = choices["min_gap"]
        self.choices.min_gain = choices["min_gain"]
        self.choices.tolerance = choices["tolerance"]
        self.choices.zoom_from = choices.get("zoom_from", 32768)
        self.wide_entries = (len(self.labels) << self.choices.shift) > 1 << 32 or choices.get("wide_entries", False)
        self.most_codes = 1
        self.needs_rows = weights is not None
        self.problem.n_rows = len(self.labels)
        self.problem.fractional = False

    def add_sorted(self, const double[::1] values, order, bint ours=False):
        """Add a numeric column with its sort order (known rows only); `ours` to use up as memory for its list."""
        cdef Column* column = &self.columns[self.problem.n_columns]
        column.kind = SORTED
        column.values = &values[0]
        column.position = len(self.lists)
        self.lists.append((values, order, ours and not self.wide_entries))
        self.problem.n_columns += 1
        if len(order) < values.shape[0]:
            self.problem.fractional = self.needs_rows = True

    def add_codes(self, codes, const double[::1] values, int n_codes, bint nominal, bint many_valued):
        """Add a column of codes, uint8 or int32, n_codes being missing; `values` of the codes for one that is cut."""
        cdef Column* column = &self.columns[self.problem.n_columns]
        cdef const uint8_t[::1] narrow
        cdef const int32_t[::1] wide
        column.kind = NOMINAL if nominal else CODED
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
        self.problem.n_columns += 1
        self.needs_rows = True
        if (np.asarray(codes) == n_codes).any():
            self.problem.fractional = True

    cdef Worker new_worker(self):
        cdef Worker worker = Worker()
        cdef Workspace* work = &worker.work
        cdef int64_t n = self.problem.n_rows, i
        cdef int n_classes = self.choices.n_classes, branches = max(self.most_codes, 2)
        cdef size_t cells = (<size_t>self.most_codes + 1) << self.choices.label_bits
        cdef const double[::1] weights
        work.scratch.left_count = <int64_t*>take(n_classes, sizeof(int64_t))
        work.scratch.right_count = <int64_t*>take(n_classes, sizeof(int64_t))
        work.scratch.left = <double*>take(n_classes, sizeof(double))
        work.scratch.right = <double*>take(n_classes, sizeof(double))
        work.scratch.left_log = <double*>take(n_classes, sizeof(double))
        work.scratch.right_log = <double*>take(n_classes, sizeof(double))
        work.scratch.table = <double*>take(max(cells, n_classes), sizeof(double))
        work.scratch.bags = <double*>take(self.most_codes + 1, sizeof(double))
        work.scratch.count_table = <uint32_t*>take(2 * cells, sizeof(uint32_t))
        work.candidates = <Candidate*>take(self.problem.n_columns, sizeof(Candidate))
        work.side = <uint8_t*>take(n, 1)
        if self.most_codes > 2:
            work.branch = <int32_t*>take(n, sizeof(int32_t))
        if self.problem.fractional or self.weights is not None:
            work.row_weight = <double*>take(n, sizeof(double))
            work.local_weight = <double*>take(n, sizeof(double))
            work.scratch.weights = <double*>take(n, sizeof(double))
            if self.weights is None:
                for i in range(n):
                    work.row_weight[i] = 1.0
            else:
                weights = self.weights
                memcpy(work.row_weight, &weights[0], n * sizeof(double))
        work.branch_counts = <double*>take(<size_t>branches * n_classes, sizeof(double))
        work.shares = <double*>take(branches, sizeof(double))
        work.branch_rows = <int64_t*>take(branches, sizeof(int64_t))
        work.filled = <int64_t*>take(branches, sizeof(int64_t))
        work.last_run = <int64_t*>take(2 * branches, sizeof(int64_t))
        work.targets = <void**>take(branches, sizeof(void*))
        work.takes_missing = <uint8_t*>take(branches, 1)
        work.goes_on = <uint8_t*>take(branches, 1)
        work.cancelled = &self.cancelled
        worker.buffer.n_classes = n_classes
        work.buffer = &worker.buffer
        return worker

    def cancel(self):
        """Stop growing as soon as may be."""
        self.cancelled = 1

    def grow(self, int n_threads=1, bint keep_candidates=False):
        """Grow the tree; give its arrays by name (see `flatten`)."""
        cdef const double[::1] weights
        cdef const int64_t[::1] xlogx
        self.problem.columns = self.columns
        self.problem.choices = &self.choices
        self.problem.row_list = len(self.lists) if self.needs_rows else -1
        self.problem.n_lists = len(self.lists) + self.needs_rows
        if self.weights is not None:
            weights = self.weights
            self.problem.base_weight = &weights[0]
        self.fill_logarithms()
        xlogx = self.xlogx
        self.problem.xlogx = &xlogx[0]
        if self.problem.n_rows * self.problem.n_columns < SHARE_FROM:
            return self.grow_alone(keep_candidates)
        # the work is done on other threads, so that this one can be interrupted
        with ThreadPoolExecutor(n_threads) as pool:
            try:
                if n_threads == 1 or keep_candidates:
                    return pool.submit(self.grow_alone, keep_candidates).result()
                return self.grow_together(n_threads, pool)
            except KeyboardInterrupt:
                self.cancelled = 1
                raise

    cdef fill_logarithms(self):
        """x log2 x of every count, as whole numbers of 1 / scale, so that sums are exact."""
        cdef int64_t n = self.problem.n_rows if self.weights is None and self.lists else 0, i
        cdef int bits = min(46, 60 - int(n * log2(n + 2.0) + 1).bit_length())
        cdef int64_t[::1] table = np.zeros(n + 1, np.int64)
        cdef double scale = 2.0 ** bits
        with nogil:
            for i in range(2, n + 1):
                table[i] = <int64_t>(i * log2(i) * scale + 0.5)
        self.problem.scale = scale
        self.xlogx = np.asarray(table)

    cdef open_root(self, Frame* frame, NodeBuffer* buffer):
        """The root's lists and node."""
        cdef const int32_t[::1] labels = self.labels
        cdef const double[::1] values, weights
        cdef const uint32_t[::1] order
        cdef uint32_t[::1] used_up
        cdef int64_t i, n = self.problem.n_rows
        cdef int j, k
        cdef double* counts
        if add_nodes(buffer, 1) < 0:
            raise MemoryError("no memory to grow a tree")
        counts = buffer.counts
        memset(counts, 0, self.choices.n_classes * sizeof(double))
        if self.weights is None:
            for i in range(n):
                counts[labels[i]] += 1.0
        else:
            weights = self.weights
            for i in range(n):
                counts[labels[i]] += weights[i]
        make_leaf(&buffer.nodes[0], counts, self.choices.n_classes, n, 1.0, -1)
        first = len(self.lists) if all(ours for _, _, ours in self.lists) else 0
        frame.node = 0
        frame.depth = 0
        frame.unit = self.weights is None
        # lists that bring their own memory need no room in the frame's
        if (open_frame(<uint64_t*>NULL, &self.problem, frame, n, first) if self.wide_entries
                else open_frame(<uint32_t*>NULL, &self.problem, frame, n, first)) != DONE:
            raise MemoryError("no memory to grow a tree")
        for j, (values, order, ours) in enumerate(self.lists):
            frame.lengths[j] = order.shape[0]
            if order.shape[0] == 0:
                continue
            if ours:
                used_up = self.lists[j][1]
                frame.lists[j] = &used_up[0]
                self.kept.append(used_up)
            with nogil:
                if self.wide_entries:
                    fill_list(<uint64_t*>frame.lists[j], &values[0], &order[0], order.shape[0], &labels[0],
                              self.choices.shift, self.choices.min_gap)
                else:
                    fill_list(<uint32_t*>frame.lists[j], &values[0], &order[0], order.shape[0], &labels[0],
                              self.choices.shift, self.choices.min_gap)
        self.lists = None  # the orders may go
        if self.needs_rows:
            j = self.problem.row_list
            frame.lengths[j] = n
            with nogil:
                if self.wide_entries:
                    fill_rows(<uint64_t*>frame.lists[j], n, &labels[0], self.choices.shift)
                else:
                    fill_rows(<uint32_t*>frame.lists[j], n, &labels[0], self.choices.shift)

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
        self.check(status)
        return self.flatten(worker, [])

    cdef int walk(self, Workspace* work, Frame* frame) noexcept nogil:
        if self.wide_entries:
            return grow_frame(<uint64_t*>NULL, &self.problem, work, frame)
        return grow_frame(<uint32_t*>NULL, &self.problem, work, frame)

    cdef check(self, int status):
        if status == NO_MEMORY:
            raise MemoryError("no memory to grow a tree")
        if status == CANCELLED:
            raise KeyboardInterrupt

    # ---- several threads: large nodes column by column, then subtrees as tasks ----

    def grow_together(self, int n_threads, pool):
        """Grow on several threads."""
        cdef Worker lead = self.new_worker()
        cdef Subtree subtree = Subtree()
        cdef list workers = [lead] + [self.new_worker() for _ in range(n_threads - 1)], large, small = []
        self.open_root(&subtree.frame, &lead.buffer)
        if must_stop(&lead.buffer.nodes[0], lead.buffer.counts, 0, &self.choices):
            return self.flatten(lead, [])
        large = [subtree]
        while large:
            subtree = large.pop()
            if subtree.frame.n_rows * self.problem.n_columns < SHARE_FROM:
                self.detach(lead, subtree, len(small))
                small.append(subtree)
            else:
                large.extend(self.split_together(subtree, workers, pool))
        idle = list(workers)
        tasks = [pool.submit(self.grow_subtree, task, idle) for task in sorted(small, key=rows_of, reverse=True)]
        for task in tasks:
            task.result()
        return self.flatten(lead, small)

    cdef detach(self, Worker lead, Subtree subtree, int number):
        """Give the node of a subtree a buffer of its own, and leave a mark where it belongs."""
        cdef int n_classes = self.choices.n_classes
        subtree.buffer.n_classes = n_classes
        if add_nodes(&subtree.buffer, 1) < 0:
            raise MemoryError("no memory to grow a tree")
        subtree.buffer.nodes[0] = lead.buffer.nodes[subtree.frame.node]
        memcpy(subtree.buffer.counts, lead.buffer.counts + <int64_t>subtree.frame.node * n_classes,
               n_classes * sizeof(double))
        lead.buffer.nodes[subtree.frame.node].graft = number
        subtree.frame.node = 0

    def grow_subtree(self, Subtree subtree, list idle):
        """One task: grow a subtree with whatever workspace is idle."""
        cdef Worker worker = idle.pop()
        cdef NodeBuffer* own = worker.work.buffer
        cdef int status
        worker.work.buffer = &subtree.buffer
        with nogil:
            self.scatter(&worker.work, &subtree.frame)
            status = self.walk(&worker.work, &subtree.frame)
            free(subtree.frame.memory)
            subtree.frame.memory = NULL
        worker.work.buffer = own
        idle.append(worker)
        self.check(status)

    cdef void scatter(self, Workspace* work, const Frame* frame) noexcept nogil:
        if self.problem.row_list < 0 or work.row_weight == NULL:
            return
        if self.wide_entries:
            scatter_weights(<uint64_t*>NULL, &self.problem, work, frame)
        else:
            scatter_weights(<uint32_t*>NULL, &self.problem, work, frame)

    cdef list split_together(self, Subtree parent, list workers, pool):
        """Examine, divide and part one large node, its columns shared out between threads."""
        cdef Worker lead = workers[0]
        cdef Workspace* work = &lead.work
        cdef Subtree child
        cdef Frame* children
        cdef Frame* frame = &parent.frame
        cdef int chosen, n_branches, b, stays = -1, status
        cdef int64_t n_missing = 0, first
        cdef double average = 0.0
        cdef list subtrees = []
        with nogil:
            self.scatter(work, frame)
            if self.wide_entries:
                gather_weights(<uint64_t*>NULL, &self.problem, work, frame)
            else:
                gather_weights(<uint32_t*>NULL, &self.problem, work, frame)
        share_out(pool, self.scan_some, workers, parent, self.problem.n_columns)
        chosen = choose(&self.problem, work.candidates, &average)
        lead.buffer.nodes[frame.node].average_gain = average
        if chosen < 0:
            return []
        with nogil:
            if self.wide_entries:
                n_branches = send_rows(<uint64_t*>NULL, &self.problem, work, frame, chosen, &work.candidates[chosen],
                                       &n_missing)
                first = make_children(<uint64_t*>NULL, &self.problem, work, frame, chosen, &work.candidates[chosen],
                                      average, n_branches, n_missing)
            else:
                n_branches = send_rows(<uint32_t*>NULL, &self.problem, work, frame, chosen, &work.candidates[chosen],
                                       &n_missing)
                first = make_children(<uint32_t*>NULL, &self.problem, work, frame, chosen, &work.candidates[chosen],
                                      average, n_branches, n_missing)
        self.check(NO_MEMORY if first < 0 else DONE)
        for b in range(n_branches):
            if work.goes_on[b] and (stays < 0 or work.branch_rows[b] > work.branch_rows[stays]):
                stays = b
        if stays < 0:
            return []
        children = <Frame*>take(n_branches, sizeof(Frame))
        try:
            if self.wide_entries:
                status = open_children(<uint64_t*>NULL, &self.problem, work, frame, children, first, n_branches, stays)
            else:
                status = open_children(<uint32_t*>NULL, &self.problem, work, frame, children, first, n_branches, stays)
            for b in range(n_branches):
                if work.goes_on[b] and b != stays:
                    child = Subtree()
                    child.frame = children[b]
                    subtrees.append(child)
            self.check(status)
            share_out(pool, self.part_some, workers, (parent, <size_t>children, n_branches, stays),
                      self.problem.n_lists)
        finally:
            free(children)
        free(frame.local_weight)
        frame.local_weight = NULL
        frame.node = <int32_t>(first + stays)
        frame.n_rows = work.branch_rows[stays]
        frame.unit = frame.unit and not work.takes_missing[stays]
        frame.depth += 1
        subtrees.append(parent)
        for child in subtrees:
            if not child.frame.unit:
                child.frame.local_weight = <double*>take(child.frame.n_rows, sizeof(double))
                share = lead.buffer.nodes[child.frame.node].share
                if self.wide_entries:
                    keep_weights(<uint64_t*>NULL, &self.problem, work, &child.frame, share, n_branches > 2)
                else:
                    keep_weights(<uint32_t*>NULL, &self.problem, work, &child.frame, share, n_branches > 2)
        return subtrees

    def scan_some(self, Worker worker, Subtree subtree, list workers, counter):
        """Scan columns until the counter runs out."""
        cdef Worker lead = workers[0]
        cdef Frame* frame = &subtree.frame
        cdef const GrownNode* node = &lead.buffer.nodes[frame.node]
        cdef const double* counts = lead.buffer.counts + <int64_t>frame.node * self.choices.n_classes
        cdef int c
        for c in counter:
            if self.cancelled:
                return
            with nogil:
                if self.wide_entries:
                    scan_columns(<uint64_t*>NULL, &self.problem, &worker.work, lead.work.candidates, frame, node, counts,
                                 lead.work.row_weight, lead.work.local_weight, c, c + 1)
                else:
                    scan_columns(<uint32_t*>NULL, &self.problem, &worker.work, lead.work.candidates, frame, node, counts,
                                 lead.work.row_weight, lead.work.local_weight, c, c + 1)

    def part_some(self, Worker worker, tuple division, list workers, counter):
        """Part lists until the counter runs out."""
        cdef Worker lead = workers[0]
        cdef Subtree parent = division[0]
        cdef Frame* children = <Frame*><size_t>division[1]
        cdef int n_branches = division[2], stays = division[3], j
        for j in counter:
            with nogil:
                if self.wide_entries:
                    part_lists(<uint64_t*>NULL, &self.problem, &worker.work, &lead.work, &parent.frame, children,
                               n_branches, stays, j, j + 1)
                else:
                    part_lists(<uint32_t*>NULL, &self.problem, &worker.work, &lead.work, &parent.frame, children,
                               n_branches, stays, j, j + 1)

    # ---- the way out ----

    cdef flatten(self, Worker lead, list subtrees):
        """Number the nodes as a depth-first walk expands them; give arrays by name."""
        cdef int n_classes = self.choices.n_classes, b, k
        cdef int64_t total = lead.buffer.n, new, old, next_new = 1
        cdef Subtree subtree
        cdef NodeBuffer* buffer
        cdef GrownNode* node
        cdef list stack = []
        for subtree in subtrees:
            total += subtree.buffer.n - 1
        cdef int32_t[::1] parent = np.full(total, -1, np.int32)
        cdef int32_t[::1] first_child = np.full(total, -1, np.int32)
        cdef int32_t[::1] n_children = np.zeros(total, np.int32)
        cdef int32_t[::1] column = np.full(total, -1, np.int32)
        cdef int32_t[::1] kind = np.full(total, -1, np.int32)
        cdef int32_t[::1] category = np.full(total, -1, np.int32)
        cdef int32_t[::1] label = np.zeros(total, np.int32)
        cdef int32_t[::1] number = np.zeros(lead.buffer.n, np.int32)
        cdef int64_t[::1] rows = np.zeros(total, np.int64)
        cdef double[::1] weight = np.zeros(total), share = np.zeros(total), cut = np.zeros(total)
        cdef double[::1] score = np.zeros(total), average_gain = np.zeros(total)
        cdef double[:, ::1] value = np.zeros((total, n_classes))
        cdef int32_t* waiting_old = <int32_t*>take(total, sizeof(int32_t))
        cdef int32_t* waiting_new = <int32_t*>take(total, sizeof(int32_t))
        cdef int32_t* waiting_tree = <int32_t*>take(total, sizeof(int32_t))
        cdef int64_t depth = 1
        cdef int tree
        cdef NodeBuffer** buffers = <NodeBuffer**>take(len(subtrees) + 1, sizeof(NodeBuffer*))
        buffers[0] = &lead.buffer
        for k, subtree in enumerate(subtrees):
            buffers[k + 1] = &subtree.buffer
        waiting_old[0] = waiting_new[0] = waiting_tree[0] = 0
        with nogil:
            while depth:
                depth -= 1
                old = waiting_old[depth]
                new = waiting_new[depth]
                tree = waiting_tree[depth]
                if tree == 0:
                    number[old] = <int32_t>new
                if buffers[tree].nodes[old].graft >= 0 and tree == 0:
                    tree = buffers[tree].nodes[old].graft + 1
                    old = 0
                buffer = buffers[tree]
                node = &buffer.nodes[old]
                column[new] = node.column
                kind[new] = node.kind
                category[new] = node.category
                label[new] = node.label
                rows[new] = node.rows
                weight[new] = node.weight
                share[new] = node.share
                cut[new] = node.cut
                score[new] = node.score
                average_gain[new] = node.average_gain
                memcpy(&value[new, 0], buffer.counts + old * n_classes, n_classes * sizeof(double))
                if node.n_children:
                    first_child[new] = <int32_t>next_new
                    n_children[new] = node.n_children
                    for b in range(node.n_children - 1, -1, -1):
                        parent[next_new + b] = <int32_t>new
                        waiting_old[depth] = node.first_child + b
                        waiting_new[depth] = <int32_t>(next_new + b)
                        waiting_tree[depth] = tree
                        depth += 1
                    next_new += node.n_children
        free(waiting_old)
        free(waiting_new)
        free(waiting_tree)
        free(buffers)
        return {
            "parent": np.asarray(parent), "first_child": np.asarray(first_child), "n_children": np.asarray(n_children),
            "column": np.asarray(column), "kind": np.asarray(kind), "category": np.asarray(category),
            "label": np.asarray(label), "rows": np.asarray(rows), "weight": np.asarray(weight),
            "share": np.asarray(share), "cut": np.asarray(cut), "score": np.asarray(score),
            "average_gain": np.asarray(average_gain), "value": np.asarray(value),
            "candidates": self.candidates(lead, np.asarray(number)),
        }

    cdef candidates(self, Worker lead, number):
        """Every column's candidate at every node examined, as arrays of nodes x columns; None where not kept."""
        cdef TraceBuffer* trace = &lead.trace
        cdef int64_t n = trace.n, i
        cdef int n_columns = self.problem.n_columns
        if lead.work.trace == NULL:
            return None
        cdef int32_t[::1] node = np.zeros(n, np.int32)
        cdef int32_t[::1] n_cuts = np.zeros(n * n_columns, np.int32), code = np.zeros(n * n_columns, np.int32)
        cdef signed char[::1] verdict = np.zeros(n * n_columns, np.int8)
        cdef double[::1] gain = np.zeros(n * n_columns), charge = np.zeros(n * n_columns)
        cdef double[::1] split_information = np.zeros(n * n_columns), score = np.zeros(n * n_columns)
        cdef double[::1] cut = np.zeros(n * n_columns)
        for i in range(n):
            node[i] = trace.node[i]
        for i in range(n * n_columns):
            verdict[i] = trace.candidates[i].verdict
            n_cuts[i] = trace.candidates[i].n_cuts
            code[i] = trace.candidates[i].code
            gain[i] = trace.candidates[i].gain
            charge[i] = trace.candidates[i].charge
            split_information[i] = trace.candidates[i].split_information
            score[i] = trace.candidates[i].score
            cut[i] = trace.cuts[i]
        shape = (n, n_columns)
        return {
            "node": number[np.asarray(node)],
            "verdict": np.asarray(verdict).reshape(shape), "n_cuts": np.asarray(n_cuts).reshape(shape),
            "code": np.asarray(code).reshape(shape), "gain": np.asarray(gain).reshape(shape),
            "charge": np.asarray(charge).reshape(shape), "score": np.asarray(score).reshape(shape),
            "split_information": np.asarray(split_information).reshape(shape), "cut": np.asarray(cut).reshape(shape),
        }


def rows_of(Subtree subtree):
    """How many rows wait in a subtree."""
    return subtree.frame.n_rows


def share_out(pool, work, list workers, what, int count):
    """Let every worker take numbers below `count` from one counter until they run out."""
    counter = iter(range(count))
    for future in [pool.submit(work, worker, what, workers, counter) for worker in workers]:
        future.result()


cdef void fill_list(Entry* entries, const double* values, const uint32_t* order, int64_t n, const int32_t* labels,
                    int shift, double min_gap) noexcept nogil:
    """Entries of a sorted column: row, class, and how the value differs from the one before."""
    cdef int64_t i
    cdef Entry row, steps = STEPS
    cdef double value, before = 0.0
    for i in range(n):
        row = order[i]
        value = values[row]
        if i:
            steps = (value != before) | (<int>(before + min_gap < value) << 1)
        before = value
        entries[i] = (row << shift) | (<Entry>labels[row] << 2) | steps


cdef void fill_rows(Entry* entries, int64_t n, const int32_t* labels, int shift) noexcept nogil:
    """Entries of the row list."""
    cdef int64_t i
    for i in range(n):
        entries[i] = (<Entry>i << shift) | (<Entry>labels[i] << 2) | STEPS


cdef void scatter_weights(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Put the weights of a frame's rows where the walk looks for them."""
    cdef const Entry* rows = <const Entry*>frame.lists[problem.row_list]
    cdef int64_t i, row
    for i in range(frame.n_rows):
        row = rows[i] >> problem.choices.shift
        if frame.local_weight != NULL:
            work.row_weight[row] = frame.local_weight[i]
        else:
            work.row_weight[row] = 1.0 if problem.base_weight == NULL else problem.base_weight[row]


cdef void keep_weights(Entry* width, const Problem* problem, const Workspace* sent, Frame* frame, double share,
                       bint many) noexcept nogil:
    """Weights of a child's rows in the order of its row list; pieces get their share."""
    cdef const Entry* rows = <const Entry*>frame.lists[problem.row_list]
    cdef int64_t i, row
    for i in range(frame.n_rows):
        row = rows[i] >> problem.choices.shift
        frame.local_weight[i] = sent.row_weight[row]
        if (sent.branch[row] < 0) if many else (sent.side[row] == 2):
            frame.local_weight[i] *= share
