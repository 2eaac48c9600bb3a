# Part of grow.pyx: work shared among threads, and the root's lists.


cdef check(int status):
    if status == NO_MEMORY:
        raise MemoryError("not enough memory to grow a tree")
    poll()  # raises if the walk was interrupted


def rows_of(Subtree subtree):
    """The number of rows of a waiting subtree."""
    return subtree.frame.n_rows


def share_out(pool, work, list workers, what, int count):
    """Let every worker take numbers below `count` from one counter until they run out."""
    counter = iter(range(count))
    for future in [pool.submit(work, worker, what, workers, counter) for worker in workers]:
        future.result()


cdef detach(Worker lead, Subtree subtree, int number):
    """Give the root of a subtree its own buffer, and mark where it belongs."""
    cdef int n_classes = lead.buffer.n_classes
    subtree.buffer.n_classes = n_classes
    subtree.buffer.limited = lead.buffer.limited
    check(NO_MEMORY if add_nodes(&subtree.buffer, 1) < 0 else DONE)
    subtree.buffer.nodes[0] = lead.buffer.nodes[subtree.frame.node]
    memcpy(subtree.buffer.counts, lead.buffer.counts + <int64_t>subtree.frame.node * n_classes,
           n_classes * sizeof(double))
    if lead.buffer.limited:
        subtree.buffer.limits[0] = lead.buffer.limits[subtree.frame.node]
    lead.buffer.nodes[subtree.frame.node].graft = number
    subtree.frame.node = 0


cdef void scan_one(Entry* width, const Problem* problem, Workspace* work, Workspace* lead, const Frame* frame,
                   int c) noexcept nogil:
    """Scan one column on any thread, with its own scratch memory and the lead's weights and candidates."""
    scan_columns(width, problem, work, lead, frame, c, c + 1)


cdef list split_together(Entry* width, Grower run, Subtree parent, list workers, pool):
    """Examine, divide and part one large node, with its columns shared among threads."""
    cdef Worker lead = workers[0]
    cdef Workspace* work = &lead.work
    cdef const Problem* problem = &run.problem
    cdef Subtree child
    cdef Division division = Division()
    cdef Frame* frame = &parent.frame
    cdef int chosen, n_branches = 0, b, stays, status
    cdef int64_t n_missing = 0, first
    cdef double average = 0.0
    cdef list subtrees = []
    with nogil:
        scatter_weights(width, problem, work, frame)
        gather_weights(width, problem, work, frame)
        rank_targets(width, problem, work, frame)
    share_out(pool, run.scan_some, workers, parent, problem.n_columns)
    refine(width, problem, work, frame)
    chosen = choose(problem.columns, problem.n_columns, problem.choices, work.candidates, &average)
    chosen = try_combination(width, problem, work, frame, chosen)
    if chosen < 0:
        return []
    with nogil:
        first = divide(width, problem, work, frame, chosen, average, &n_branches, &n_missing)
    check(NO_MEMORY if first < 0 else DONE)
    stays = largest_to_go_on(work, n_branches)
    if stays < 0:
        return []
    division.parent, division.subtrees = parent, subtrees
    division.n_branches, division.stays = n_branches, stays
    division.children = <Frame*>take(NULL, n_branches, sizeof(Frame))
    status = open_children(width, problem, work, NULL, frame, division.children, first, n_branches, stays)
    for b in range(n_branches):
        if division.children[b].memory != NULL:
            child = Subtree()
            child.frame = division.children[b]
            subtrees.append(child)
    check(status)
    share_out(pool, run.part_some, workers, division, problem.n_lists)
    free(frame.local_weight)
    frame.local_weight = NULL
    frame.node = <int32_t>(first + stays)
    frame.n_rows = work.branch_rows[stays]
    frame.unit = frame.unit and not work.takes_missing[stays]
    frame.exact = False
    frame.depth += 1
    subtrees.append(parent)
    for child in subtrees:
        if not child.frame.unit:
            child.frame.local_weight = <double*>take(NULL, child.frame.n_rows, sizeof(double))
            keep_weights(width, problem, work, &child.frame, lead.buffer.nodes[child.frame.node].share, n_branches > 2)
    return subtrees


cdef make_root(Entry* width, Grower run, Frame* frame, NodeBuffer* buffer, int first):
    """Make the root's lists (those from `first` on in the frame's memory) and its node."""
    cdef const int32_t[::1] labels = run.labels
    cdef const double[::1] weights
    cdef const uint8_t[::1] stays
    cdef int64_t i, n = run.problem.n_rows
    cdef int j
    if run.stays is not None:
        n = np.count_nonzero(run.stays)
    make_room(buffer, 64 + 2 * <int64_t>(n / max(run.choices.min_branch, 1.0)))
    check(NO_MEMORY if add_nodes(buffer, 1) < 0 else DONE)
    memset(buffer.counts, 0, buffer.n_classes * sizeof(double))
    if run.target is not None:
        number_root(run, buffer.counts)
    elif run.stays is not None:
        stays = run.stays
        for i in range(stays.shape[0]):
            buffer.counts[labels[i]] += stays[i]
    elif run.weights is None:
        for i in range(n):
            buffer.counts[labels[i]] += 1.0
    else:
        weights = run.weights
        for i in range(n):
            buffer.counts[labels[i]] += weights[i]
    make_leaf(&buffer.nodes[0], buffer.counts, &run.choices, n, 1.0, -1)
    if buffer.limited:
        buffer.limits[0].lower = -INFINITY
        buffer.limits[0].upper = INFINITY
        buffer.limits[0].groups = ~<uint64_t>0
    frame.node = 0
    frame.depth = 0
    frame.unit = run.weights is None
    frame.exact = True
    check(open_frame(width, &run.problem, NULL, frame, n, first))
    if run.root is None:
        fill_lists(width, run, frame)
        return
    for j in range(run.problem.n_lists):
        copy_list(width, run, frame, j)


cdef fill_lists(Entry* width, Grower run, Frame* frame):
    """Make the lists of all rows."""
    cdef const int32_t[::1] labels = run.labels
    cdef const double[::1] values
    cdef const uint32_t[::1] order
    cdef uint32_t[::1] used_up
    cdef int64_t n = run.problem.n_rows
    cdef int j
    for j, (values, order, ours) in enumerate(run.lists):
        frame.lengths[j] = order.shape[0]
        if order.shape[0] == 0:
            continue
        if ours:
            used_up = run.lists[j][1]
            frame.lists[j] = &used_up[0]
            run.kept.append(used_up)
        with nogil:
            fill_list(<Entry*>frame.lists[j], &values[0], &order[0], order.shape[0], &labels[0],
                      run.choices.shift, run.choices.min_gap)
    run.lists = None  # the orders can be freed
    if run.needs_rows:
        j = run.problem.row_list
        frame.lengths[j] = n
        with nogil:
            fill_rows(<Entry*>frame.lists[j], n, NULL, &labels[0], run.choices.shift)
    if run.tally_order is not None:
        order = run.tally_order
        j = run.problem.tally_list
        frame.lengths[j] = n
        with nogil:
            fill_rows(<Entry*>frame.lists[j], n, &order[0], &labels[0], run.choices.shift)


cdef copy_list(Entry* width, Grower run, Frame* frame, int j):
    """One of the lists of all rows, without rows that do not stay."""
    cdef const Entry[::1] kept = run.root[j]
    cdef const uint8_t[::1] stays
    cdef int64_t n = kept.shape[0]
    frame.lengths[j] = n
    if n == 0:
        return
    if run.stays is None:
        memcpy(frame.lists[j], &kept[0], n * sizeof(Entry))
        return
    stays = run.stays
    with nogil:
        frame.lengths[j] = keep_marked(&kept[0], n, &stays[0], run.choices.shift, False,
                                       <Entry*>frame.lists[j])


cdef number_root(Grower run, double* counts):
    """Weight, center and distances of all rows."""
    target = run.target
    cdef const double[::1] numbers
    cdef double total = 0.0, middle, distance
    cdef int64_t i
    if run.weights is None and not run.choices.row_by_row and not run.choices.median:  # avoid copies
        numbers = target
        middle = target[0] if (target == target[0]).all() else target.sum() / len(target)
        for i in range(numbers.shape[0]):
            distance = numbers[i] - middle
            total += distance * distance
        counts[0] = len(target)
        counts[1] = counts[4] = middle
        counts[2] = total
        counts[3] = 0.0
        return
    if run.choices.row_by_row and run.weights is None and not run.choices.median:
        number_rows(run, counts)
        return
    weights = np.ones(len(target)) if run.weights is None else run.weights
    center = np.average(target, weights=weights)
    if run.choices.row_by_row:  # NumPy sums pairwise
        center = np.cumsum(weights * target)[len(target) - 1] / np.cumsum(weights)[len(target) - 1]
    counts[0] = weights.sum()
    if run.choices.median:
        order = np.argsort(target, kind="stable")
        reached = np.cumsum(weights[order])
        center = target[order[np.searchsorted(reached, 0.5 * counts[0] * (1.0 - 1e-12))]]
    if (target == target[0]).all() and not run.choices.row_by_row:
        center = target[0]  # unless another program's sums, with their rounding, are reproduced
    counts[1] = center
    counts[2] = np.cumsum(weights * ((target - center) * (target - center)))[len(target) - 1]
    counts[3] = (weights * np.abs(target - center)).sum()
    counts[4] = center if not run.choices.median else np.average(target, weights=weights)


cdef number_rows(Grower run, double* counts):
    """The same row by row, each counted once, for the rows that stay."""
    cdef const double[::1] numbers = run.target
    cdef const uint8_t[::1] stays = np.ones(len(run.target), np.uint8) if run.stays is None else run.stays
    cdef double total = 0.0, squares = 0.0, center, distance
    cdef int64_t i, n = 0
    for i in range(numbers.shape[0]):
        if stays[i]:
            total += numbers[i]
            n += 1
    kept = np.asarray(numbers)[np.asarray(stays).view(np.bool_)]
    center = kept[0] if (kept == kept[0]).all() else total / n
    for i in range(numbers.shape[0]):
        if stays[i]:
            distance = numbers[i] - center
            squares += distance * distance
    counts[0] = <double>n
    counts[1] = counts[4] = center
    counts[2] = squares
    counts[3] = 0.0


cdef void scatter_weights(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """Store the weights of a frame's rows where the walk reads them."""
    cdef const Entry* rows
    cdef int64_t i, row
    if work.row_weight == NULL:
        return
    rows = <const Entry*>frame.lists[problem.row_list]
    for i in range(frame.n_rows):
        row = rows[i] >> problem.choices.shift
        if frame.local_weight != NULL:
            work.row_weight[row] = frame.local_weight[i]
        else:
            work.row_weight[row] = 1.0 if problem.base_weight == NULL else problem.base_weight[row]


cdef void keep_weights(Entry* width, const Problem* problem, const Workspace* sent, Frame* frame, double share,
                       bint many) noexcept nogil:
    """Weights of a child's rows in the order of its row list; pieces get their fraction."""
    cdef const Entry* rows = <const Entry*>frame.lists[problem.row_list]
    cdef int64_t i, row
    for i in range(frame.n_rows):
        row = rows[i] >> problem.choices.shift
        frame.local_weight[i] = sent.row_weight[row]
        if (sent.branch[row] < 0) if many else (sent.side[row] == 2):
            frame.local_weight[i] *= share
