# Part of search.pyx: the fast path for entropy if every row counts once.


cdef void stream_bits(const Entry* entries, int64_t n, const Column* column, const Choices* choices,
                      const NodeView* node, Scratch* scratch, Contest* contest, int missing_branch,
                      Candidate* best) noexcept nogil:
    """The same as `stream`, for entropies of counts.

    The information left by a cut is first summed as integers from the table of x log2 x. Only a cut that may win by
    that sum, up to the rounding of both sums, is computed as in `stream`, which decides the winner.
    """
    cdef const int64_t* xlogx = choices.xlogx
    cdef int64_t* left = scratch.left_count
    cdef int64_t* right = scratch.right_count
    cdef int64_t i, j, k, ones, low_k, high_k, sides = 0, n_low = 0, n_high = 0, limit, cuts = 0
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1
    cdef int n_classes = choices.n_classes
    cdef double least = contest.least
    cdef bint blocks = n_classes == 2 and n >= BLOCKS_FROM, fresh = False
    for k in range(n_classes):
        left[k] = <int64_t>(scratch.low[k] + 0.5)
        right[k] = <int64_t>(scratch.high[k] + 0.5)
        n_low += left[k]
        n_high += right[k]
        sides += xlogx[left[k]] + xlogx[right[k]]
    limit = highest_bits(contest, choices, n_low + n_high)
    i = 0
    while i < n:
        if blocks and i and i + BLOCK <= n and not i % BLOCK:
            ones = 0
            for j in range(i, i + BLOCK):
                ones += (entries[j] >> 2) & 1
            if least_bits(xlogx, left[0], left[1], BLOCK - ones, ones, n_low + n_high, left[1] + right[1]) > limit:
                cuts += cuts_in_block(entries, i, column, choices, node.exact)
                left[0] += BLOCK - ones
                left[1] += ones
                right[0] -= BLOCK - ones
                right[1] -= ones
                n_low += BLOCK
                n_high -= BLOCK
                i += BLOCK
                fresh = True
                continue
        if fresh:
            sides = xlogx[left[0]] + xlogx[left[1]] + xlogx[right[0]] + xlogx[right[1]]
            fresh = False
        if i and is_cut(entries, i, column, choices, node.exact):
            cuts += 1
            if xlogx[n_low] + xlogx[n_high] - sides <= limit and n_low >= least and n_high >= least:
                for k in range(n_classes):
                    scratch.low[k] = <double>left[k]
                    scratch.high[k] = <double>right[k]
                if wins(scratch.low, scratch.high, <double>n_low, <double>n_high, contest):
                    limit = highest_bits(contest, choices, n_low + n_high)
                    best.position = i
                    best.missing_branch = missing_branch
                    memcpy(scratch.kept, scratch.low, choices.n_stats * sizeof(double))
        k = (entries[i] >> 2) & label_mask
        low_k = left[k]
        high_k = right[k]
        sides += xlogx[low_k + 1] - xlogx[low_k] + xlogx[high_k - 1] - xlogx[high_k]
        left[k] = low_k + 1
        right[k] = high_k - 1
        n_low += 1
        n_high -= 1
        i += 1
    if choices.missing == ABOVE and n < node.n_rows:
        cuts += 1
        for k in range(n_classes):
            scratch.low[k] = <double>left[k]
            scratch.high[k] = <double>right[k]
        if wins(scratch.low, scratch.high, <double>n_low, <double>n_high, contest):
            best.position = n
            best.missing_branch = missing_branch
            memcpy(scratch.kept, scratch.low, choices.n_stats * sizeof(double))
    best.n_cuts = max(best.n_cuts, <int>cuts)


cdef inline int64_t highest_bits(const Contest* contest, const Choices* choices, int64_t n_rows) noexcept nogil:
    """The greatest integer sum that may win: the limit plus the possible rounding error."""
    cdef double limit = contest.limit + ROUNDING * hb_xlog2x(<double>n_rows)
    if contest.limit == INFINITY:
        return (<int64_t>1) << 62
    return <int64_t>(limit * choices.xlogx_scale) + 4 * (choices.n_classes + 2)
