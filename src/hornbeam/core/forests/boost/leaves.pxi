# Part of boost.pyx: values of leaves, and the resulting scores.


cdef struct Finish:
    hb_pool pool  # memory for one tree
    Job* job
    double* score
    const double* target
    int loss
    double quantile
    double shrink
    int32_t n_leaves
    int32_t* leaves
    int64_t* first_chunk  # by leaf
    int64_t n_chunks
    int32_t* chunk_leaf
    double* chunk_gradient
    double* chunk_curve
    double* residual  # one entry for every row
    double* residual_weight
    int64_t n_others
    const uint32_t* others
    int counter


cdef void sum_chunk(Finish* finish, int64_t chunk) noexcept nogil:
    """Gradients of up to CHUNK rows of a leaf, in their order."""
    cdef const Job* job = finish.job
    cdef int32_t leaf = finish.chunk_leaf[chunk]
    cdef const Node* node = &job.nodes[finish.leaves[leaf]]
    cdef int64_t start = (chunk - finish.first_chunk[leaf]) * CHUNK, i, row
    cdef int64_t end = min(start + CHUNK, node.n_rows)
    cdef const uint32_t* rows = job.rows + node.begin
    cdef double g = 0.0, h = 0.0, other_g = 0.0, other_h = 0.0
    if not job.curved:
        for i in range(start, end - 1, 2):
            g += job.slope[rows[i]]
            other_g += job.slope[rows[i + 1]]
        if (end - start) & 1:
            g += job.slope[rows[end - 1]]
        h = <double>(end - start)
    else:
        for i in range(start, end - 1, 2):
            row = rows[i]
            g += job.slope[2 * row]
            h += job.slope[2 * row + 1]
            row = rows[i + 1]
            other_g += job.slope[2 * row]
            other_h += job.slope[2 * row + 1]
        if (end - start) & 1:
            row = rows[end - 1]
            g += job.slope[2 * row]
            h += job.slope[2 * row + 1]
    finish.chunk_gradient[chunk] = g + other_g
    finish.chunk_curve[chunk] = h + other_h


cdef void sum_work(void* what, int number) noexcept nogil:
    cdef Finish* finish = <Finish*>what
    cdef int64_t chunk
    while True:
        chunk = hb_crew_next(&finish.counter)
        if chunk >= finish.n_chunks:
            break
        sum_chunk(finish, chunk)


cdef void add_work(void* what, int number) noexcept nogil:
    """Add the values of leaves to the scores of their rows."""
    cdef Finish* finish = <Finish*>what
    cdef const Job* job = finish.job
    cdef const Node* node
    cdef const uint32_t* rows
    cdef int64_t chunk, start, i
    cdef float step
    while True:
        chunk = hb_crew_next(&finish.counter)
        if chunk >= finish.n_chunks:
            break
        node = &job.nodes[finish.leaves[finish.chunk_leaf[chunk]]]
        rows = job.rows + node.begin
        start = (chunk - finish.first_chunk[finish.chunk_leaf[chunk]]) * CHUNK
        step = <float>node.value
        for i in range(start, min(start + CHUNK, node.n_rows)):
            finish.score[rows[i]] += step


cdef int32_t leaf_of(const Job* job, int64_t row) noexcept nogil:
    """The leaf that a row reaches."""
    cdef int32_t number = 0, code, branch
    cdef const Node* node
    cdef const Column* column
    while job.nodes[number].first_child >= 0:
        node = &job.nodes[number]
        column = &job.columns[node.split.column]
        if column.wide != NULL:
            branch = node.wide_side[column.wide[row]]
        else:
            code = column.codes[row]
            if code == column.n_codes:
                branch = node.split.missing
            elif column.nominal:
                branch = not (node.split.codes[code >> 6] >> (code & 63)) & 1
            else:
                branch = code > node.split.cut
        number = node.first_child + branch
    return number


cdef void others_work(void* what, int number) noexcept nogil:
    """The same for rows that the tree was not trained on."""
    cdef Finish* finish = <Finish*>what
    cdef const Job* job = finish.job
    cdef int64_t first, end, i
    while next_chunk(&finish.counter, finish.n_others, &first, &end):
        for i in range(first, end):
            finish.score[finish.others[i]] += <float>job.nodes[leaf_of(job, finish.others[i])].value


# ---- a quantile of the residuals, for losses whose gradients are only the sign of the residual ----


cdef double weighted_quantile(double* numbers, double* weights, int64_t n, double share) noexcept nogil:
    """The weighted quantile: the smallest number with this fraction of the weight up to it; reorders both arrays.

    If the fraction is reached exactly, halfway to the next number. Rows without weights (NULL) count once.
    """
    cdef int64_t low = 0, high = n - 1, i, j
    cdef double wanted = 0.0, before = 0.0, inside, pivot, moved, reached, after
    if weights == NULL:
        wanted = share * <double>n
    else:
        for i in range(n):
            wanted += weights[i]
        wanted *= share
    while low < high:
        pivot = numbers[low + (high - low) // 2]
        i = low
        j = high
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while pivot < numbers[j]:
                j -= 1
            if i <= j:
                moved = numbers[i]
                numbers[i] = numbers[j]
                numbers[j] = moved
                if weights != NULL:
                    moved = weights[i]
                    weights[i] = weights[j]
                    weights[j] = moved
                i += 1
                j -= 1
        inside = 0.0  # weight of low .. j
        if weights == NULL:
            inside = <double>(j - low + 1)
        else:
            inside = sum_of(weights, low, j + 1)
        if before + inside >= wanted:
            high = j
            continue
        # numbers between j and i equal the pivot
        reached = before + inside + (<double>(i - j - 1) if weights == NULL else sum_of(weights, j + 1, i))
        if reached >= wanted and i - j > 1:
            low = high = j + 1
            before += inside
            break
        before = reached
        low = i
    pivot = numbers[low]
    # halfway to the next number if the fraction is reached exactly
    reached = 0.0
    after = INFINITY
    for i in range(n):
        if numbers[i] <= pivot:
            reached += 1.0 if weights == NULL else weights[i]
        elif numbers[i] < after:
            after = numbers[i]
    if after < INFINITY and fabs(reached - wanted) <= 1e-12 * (wanted + 1.0):
        return 0.5 * (pivot + after)
    return pivot


cdef double sum_of(const double* numbers, int64_t first, int64_t end) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(first, end):
        total += numbers[i]
    return total


cdef void renew_work(void* what, int number) noexcept nogil:
    """Set the values of leaves: the median, or another quantile, of the residuals of their rows."""
    cdef Finish* finish = <Finish*>what
    cdef const Job* job = finish.job
    cdef Node* node
    cdef const uint32_t* rows
    cdef int64_t i
    cdef int leaf
    while True:
        leaf = hb_crew_next(&finish.counter)
        if leaf >= finish.n_leaves:
            break
        node = &job.nodes[finish.leaves[leaf]]
        rows = job.rows + node.begin
        for i in range(node.n_rows):
            finish.residual[node.begin + i] = finish.target[rows[i]] - finish.score[rows[i]]
            if job.weight != NULL:
                finish.residual_weight[node.begin + i] = job.weight[rows[i]]
        node.value = weighted_quantile(finish.residual + node.begin,
                                       NULL if job.weight == NULL else finish.residual_weight + node.begin,
                                       node.n_rows, finish.quantile)


cdef int finish_tree(Finish* finish) noexcept nogil:
    """Compute the values of all nodes and the resulting scores; returns 1 if memory runs out."""
    cdef Job* job = finish.job
    cdef Node* node
    cdef Node* one
    cdef Node* other
    cdef int64_t i, chunk = 0
    cdef bint renewed = finish.loss == HB_ABSOLUTE or finish.loss == HB_QUANTILE
    finish.n_leaves = 0
    finish.n_chunks = 0
    for i in range(job.n_nodes):
        if job.nodes[i].first_child < 0:
            finish.n_leaves += 1
            finish.n_chunks += (job.nodes[i].n_rows + CHUNK - 1) // CHUNK
    finish.leaves = <int32_t*>hb_pool_add(
        &finish.pool, malloc((finish.n_leaves + finish.n_chunks + 1) * sizeof(int32_t)))
    finish.first_chunk = <int64_t*>hb_pool_add(&finish.pool, malloc(finish.n_leaves * sizeof(int64_t)))
    finish.chunk_gradient = <double*>hb_pool_add(&finish.pool, malloc((2 * finish.n_chunks + 1) * sizeof(double)))
    if finish.leaves == NULL or finish.first_chunk == NULL or finish.chunk_gradient == NULL:
        return 1
    finish.chunk_leaf = finish.leaves + finish.n_leaves
    finish.chunk_curve = finish.chunk_gradient + finish.n_chunks
    finish.n_leaves = 0
    for i in range(job.n_nodes):
        if job.nodes[i].first_child < 0:
            finish.leaves[finish.n_leaves] = <int32_t>i
            finish.first_chunk[finish.n_leaves] = chunk
            while (chunk - finish.first_chunk[finish.n_leaves]) * CHUNK < job.nodes[i].n_rows:
                finish.chunk_leaf[chunk] = finish.n_leaves
                chunk += 1
            finish.n_leaves += 1
    finish.counter = 0
    hb_crew_run(job.crew, sum_work, finish)
    for chunk in range(finish.n_chunks):
        node = &job.nodes[finish.leaves[finish.chunk_leaf[chunk]]]
        node.gradient += finish.chunk_gradient[chunk]
        node.curve += finish.chunk_curve[chunk]
    if renewed:
        finish.counter = 0
        hb_crew_run(job.crew, renew_work, finish)
    for i in range(job.n_nodes - 1, -1, -1):  # children come after their parents
        node = &job.nodes[i]
        if node.first_child >= 0:
            one = &job.nodes[node.first_child]
            other = one + 1
            node.gradient = one.gradient + other.gradient
            node.curve = one.curve + other.curve
        if renewed and node.first_child >= 0:
            node.value = (one.weight * one.value + other.weight * other.value) / node.weight
        elif renewed:
            node.value = finish.shrink * min(max(node.value, node.low), node.high)
        elif node.curve + job.real_l2 > 1e-30:
            node.value = finish.shrink * best_value(node.gradient, node.curve, job.real_l1, job.real_l2,
                                                    node.low, node.high)
        else:
            node.value = 0.0
    finish.counter = 0
    hb_crew_run(job.crew, add_work, finish)
    if finish.n_others:
        finish.counter = 0
        hb_crew_run(job.crew, others_work, finish)
    return 0
