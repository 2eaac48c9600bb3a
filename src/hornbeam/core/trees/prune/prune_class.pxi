# Part of prune.pyx: the class that Python sees.


from hornbeam.core.base.threads import Threads

# A node with more than this fraction of the rows is divided among threads.
LARGE_SHARE = 0.6


cdef class Pruner:
    """A modifiable copy of a tree's arrays, and the rows used for pruning.

    Parameters
    ----------
    tree : mapping
        Arrays first_child, n_children, split, missing, value, weight, share, rows: copied unless `ours`; and surrogates
        and surrogate_start, if there are any.
    splits : mapping
        The arrays of a split store.
    columns : list of arrays
        float64 or int32, at the positions used by the splits; None for the others.
    labels : int32 array
        Class of each row.
    weights : float64 array or None
    loss : float64 matrix or None
        The cost of predicting a class (column) if another (row) is true; nodes predict the class with the lowest cost.
    ours : bool
        Whether the tree's arrays may be modified.
    """

    cdef hb_pool pool
    cdef Pruning pruning
    cdef dict arrays
    cdef list kept

    def __dealloc__(self):
        free(self.pruning.view.splits)
        free(self.pruning.steps)
        hb_pool_free(&self.pool)

    def __init__(self, tree, splits, list columns, const int32_t[::1] labels, weights,
                 const double[:, ::1] loss=None, bint ours=False):
        cdef int64_t i, n_nodes = len(tree["first_child"]), n_rows = labels.shape[0]
        cdef const double[::1] numbers
        cdef const int32_t[::1] column_codes
        cdef int32_t[::1] first_child, n_children, split, missing
        cdef double[:, ::1] value
        cdef double[::1] weight, share, estimates
        cdef int64_t[::1] rows
        cdef const int64_t[::1] surrogate_start
        cdef const int32_t[::1] surrogates
        cdef int32_t[::1] origin = np.arange(n_nodes, dtype=np.int32)
        self.kept = [splits, columns, labels, weights, tree, origin, loss]
        names = ("first_child", "n_children", "split", "missing", "value", "weight", "share", "rows")
        self.arrays = {name: tree[name] if ours else np.array(tree[name], order="C") for name in names}
        self.arrays["estimate"] = np.zeros(n_nodes)
        self.pruning.columns = <Values*>take(&self.pool, len(columns), sizeof(Values))
        self.pruning.branch = <int32_t*>take(&self.pool, n_rows, sizeof(int32_t))
        fill_splits(&self.pruning.view, splits)
        for i, array in enumerate(columns):
            if array is None or len(array) == 0:
                continue
            if array.dtype == np.float64:
                numbers = array
                self.pruning.columns[i].numbers = &numbers[0]
            else:
                column_codes = array
                self.pruning.columns[i].codes = &column_codes[0]
        first_child, n_children = self.arrays["first_child"], self.arrays["n_children"]
        split, missing = self.arrays["split"], self.arrays["missing"]
        value, weight, share = self.arrays["value"], self.arrays["weight"], self.arrays["share"]
        rows, estimates = self.arrays["rows"], self.arrays["estimate"]
        if loss is not None:
            self.pruning.loss = &loss[0, 0]
        self.pruning.origin = &origin[0]
        if tree.get("surrogates") is not None and len(tree["surrogates"]):
            surrogate_start, surrogates = tree["surrogate_start"], tree["surrogates"]
            self.pruning.surrogate_start = &surrogate_start[0]
            self.pruning.surrogates = &surrogates[0]
        self.pruning.n_classes = value.shape[1]
        self.pruning.first_child = &first_child[0]
        self.pruning.n_children = &n_children[0]
        self.pruning.split = &split[0]
        self.pruning.missing = &missing[0]
        self.pruning.counts = &value[0, 0]
        self.pruning.weight = &weight[0]
        self.pruning.share = &share[0]
        self.pruning.rows = &rows[0]
        self.pruning.estimate = &estimates[0]
        if n_rows:
            self.pruning.labels = &labels[0]

    def pessimistic(self, double confidence, double z, bint raising, bint keep_steps, int n_threads=1):
        """Prune by the upper confidence limit of each leaf's errors; returns the arrays and the steps.

        With several threads, subtrees below the largest nodes are pruned in parallel.
        """
        self.pruning.confidence = confidence
        self.pruning.z = z
        self.pruning.raising = raising
        self.pruning.estimate_fully = self.pruning.keep_steps = keep_steps
        return self.run(1 if keep_steps else n_threads)

    cdef prune_together(self, int32_t node, Rows* rows, pool, int64_t large):
        """Prune a large node: its small children on other threads, its large ones here, then itself."""
        cdef int n_children = self.pruning.n_children[node], b, status = DONE
        cdef int32_t first = self.pruning.first_child[node]
        cdef Branches branches
        cdef Memory memory = Memory()
        cdef Part part
        cdef list parts = [], tasks
        if n_children:
            with nogil:
                status = send(&self.pruning, node, rows, True, &branches)
            memory.rows, branches.memory = branches.memory, NULL  # freed with the last part
            for b in range(n_children if status == DONE else 0):
                part = Part()
                part.rows, part.node, part.memory = branches.rows[b], first + b, memory
                parts.append(part)
            free_branches(&branches)
            check(status)
        tasks = [pool.submit(self.prune_part, part) for part in parts if not is_large(part, large)]
        for part in parts:
            if is_large(part, large):
                self.prune_together(part.node, &part.rows, pool, large)
        for task in tasks:
            task.result()
        with nogil:
            status = decide(&self.pruning, node, rows)
            if status == AGAIN:
                status = prune_node(&self.pruning, node, rows)
        check(status)

    def prune_part(self, Part part):
        """One task: prune a subtree."""
        cdef Pruning own = self.pruning
        cdef int status = NO_MEMORY
        own.branch = <int32_t*>malloc((part.rows.n + 1) * sizeof(int32_t))
        if own.branch != NULL:
            with nogil:
                status = prune_node(&own, part.node, &part.rows)
        free(own.branch)
        check(status)

    cdef run(self, int n_threads):
        cdef Rows rows
        cdef int64_t i, n = len(self.kept[2])
        cdef uint32_t[::1] numbers = np.arange(max(n, 1), dtype=np.uint32)
        cdef double[::1] weights
        cdef int status
        rows.n = n
        rows.row = &numbers[0]
        rows.weight = NULL
        if self.kept[3] is not None:
            weights = np.array(self.kept[3], np.float64)
            if n:
                rows.weight = &weights[0]
        if n_threads > 1:
            with Threads(n_threads) as pool:
                self.prune_together(0, &rows, pool, <int64_t>(LARGE_SHARE * n))
        else:
            with nogil:
                status = prune_node(&self.pruning, 0, &rows)
            check(status)
        steps = np.zeros(self.pruning.n_steps, [("node", "i4"), ("action", "i1"), ("leaf", "f8"), ("subtree", "f8"),
                                                ("branch", "f8")])
        for i in range(self.pruning.n_steps):
            steps[i] = (self.pruning.steps[i].node, self.pruning.steps[i].action, self.pruning.steps[i].leaf,
                        self.pruning.steps[i].subtree, self.pruning.steps[i].branch)
        return self.arrays, steps


cdef class Part:
    """A child and its rows, pruned by another thread; it owns the memory of its rows."""

    cdef Rows rows
    cdef int32_t node
    cdef Memory memory


cdef class Memory:
    """Rows of a node's children, freed when no thread uses them anymore."""

    cdef void* rows

    def __dealloc__(self):
        free(self.rows)


cdef bint is_large(Part part, int64_t large):
    return part.rows.n > large


cdef check(int status):
    if status == NO_MEMORY:
        raise MemoryError("not enough memory to prune a tree")
    if status == CANCELLED:
        raise_stopped()


def errors_to_expect(const double[::1] weight, const double[::1] errors, double confidence, double z):
    """Expected errors of leaves, by the upper confidence limit; 0 if there is no weight."""
    cdef int64_t i, n = weight.shape[0]
    found = np.zeros(n)
    cdef double[::1] expected = found
    with nogil:
        for i in range(n):
            if weight[i] >= SLACK:
                expected[i] = expected_errors(weight[i], errors[i], confidence, z)
    return found


def factored_errors(const int32_t[::1] parent, const int64_t[::1] rows, const double[::1] weight,
                    const double[::1] error, double parameters):
    """Expected root mean squared errors of leaves: (n + v) / (n - v) times the training error, times the weight.

    If there are not more rows than parameters, the factor of the parent is used, which has more rows.
    """
    cdef int64_t i, n = weight.shape[0]
    found = np.zeros(n)
    cdef double[::1] expected = found
    cdef double[::1] each = np.empty(n)
    cdef bint enough
    cdef double least, above
    with nogil:
        for i in range(n):  # branchless, because the branches would be unpredictable
            enough = (rows[i] > parameters) & (weight[i] > 0.0)
            above = each[parent[i]] if i else 0.0
            least = error[i] if error[i] > 0.0 else 0.0
            least = sqrt(least / (weight[i] if enough else 1.0))
            least *= (rows[i] + parameters) / (rows[i] - parameters if enough else 1.0)
            each[i] = least if enough else above
            expected[i] = each[i] * weight[i]
    return found
