# Part of scan.pyx: sorted lists that are searched again and again, each time after a few of their rows have left.

# A list is divided into chunks. A chunk keeps its class weights, and for every class by how much its weight among the
# first rows of the chunk exceeds its share of them: at least and at most. With the class weights of the chunks before,
# this limits the gain of all cuts in the chunk. Only chunks with a cut that may win are read. Rows that have left have
# no weight; they stay in the list until it is made again.


cdef enum Reading:
    GO_ON = 0
    FINISHED = 1  # the rest is too light to be the upper side
    AGAIN = 2  # the threshold was too high: search without it


cdef enum:
    TRIES = 5  # the last without a threshold


cdef struct Walk:  # along a list
    double* left  # by class, like all fields up to `side_logs`
    double* totals
    double* inverse
    double* seen
    double* side_logs
    double known
    double low
    double high
    double least
    double before
    double best_bits
    double best_low
    double limit
    double slack
    double need
    double threshold
    bint certain
    int n_cuts
    int64_t position
    int64_t previous  # the row of the last entry that has weight; -1: none


cdef inline bint is_above(Entry entry, int64_t row, int64_t previous, const Column* column,
                          const Choices* choices) noexcept nogil:
    """Whether a cut is possible between a row and an earlier one of its list; rows between them have left."""
    if entry & 2:
        return True
    return column.values[previous] + choices.min_gap < column.values[row]


cdef void sum_chunk(const Entry* entries, const Chunks* chunks, int64_t c, const Column* column,
                    const Choices* choices, const double* weight, const uint8_t* groups, double* at) noexcept nogil:
    """Compute what a chunk keeps. `groups` are those of its rows, NULL if there is one; `at` is memory by class."""
    cdef Chunk* chunk = &chunks.chunks[c]
    cdef int n_classes = choices.n_classes, shift = choices.shift, k, group = 0
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, row, previous = -1
    cdef double* sums = chunks.sums + c * chunks.n_groups * n_classes
    cdef double* least = chunks.least + c * n_classes
    cdef double* most = chunks.most + c * n_classes
    cdef double w, total = 0.0, above
    memset(sums, 0, chunks.n_groups * n_classes * sizeof(double))
    memset(least, 0, n_classes * sizeof(double))
    memset(most, 0, n_classes * sizeof(double))
    memset(at, 0, n_classes * sizeof(double))
    chunk.stale = False
    chunk.error = 0.0
    chunk.n_rows = chunk.n_cuts = 0
    for i in range(c * chunks.size, min((c + 1) * chunks.size, chunks.n_entries)):
        row = entries[i] >> shift
        w = weight[row]
        if w == 0.0:
            continue
        if previous < 0:
            chunk.first = i
        elif is_above(entries[i], row, previous, column, choices):
            chunk.n_cuts += 1
        chunk.last = i
        chunk.n_rows += 1
        previous = row
        k = (entries[i] >> 2) & label_mask
        if groups != NULL:
            group = groups[i - c * chunks.size]
        sums[group * n_classes + k] += w
        w *= chunks.factors[group]
        above = at[k] - total * chunks.shares[k]  # the excess of a class is least before one of its rows
        least[k] = above if above < least[k] else least[k]
        at[k] += w
        total += w
        above = at[k] - total * chunks.shares[k]  # and greatest after it
        most[k] = above if above > most[k] else most[k]
    for k in range(n_classes):
        above = at[k] - total * chunks.shares[k]
        least[k] = above if above < least[k] else least[k]


cdef int64_t add_up(const Chunks* chunks, const double* factors, int n_classes, const ChunkSums* sums) noexcept nogil:
    """Class weights before each chunk and in all; returns the number of rows that have weight."""
    cdef int64_t c, n_rows = 0
    cdef int g, k
    cdef const double* own
    cdef double* after
    cdef double change, of_group
    memset(sums.classes, 0, n_classes * sizeof(double))
    sums.weight[0] = 0.0
    for c in range(chunks.n_chunks):
        n_rows += chunks.chunks[c].n_rows
        after = sums.classes + (c + 1) * n_classes
        own = chunks.sums + c * chunks.n_groups * n_classes
        sums.weight[c + 1] = 0.0
        sums.error[c] = chunks.chunks[c].error
        for k in range(n_classes):
            after[k] = after[k - n_classes] + factors[0] * own[k]
        for g in range(1, chunks.n_groups):
            change = factors[g] - chunks.factors[g]
            of_group = 0.0
            for k in range(n_classes):
                after[k] += factors[g] * own[g * n_classes + k]
                of_group += own[g * n_classes + k]
            sums.error[c] += 2.0 * of_group * (change if change > 0.0 else -change)
        for k in range(n_classes):
            sums.weight[c + 1] += after[k]
    return n_rows


cdef inline double most_apart(double apart, double side) noexcept nogil:
    """At least side ((1 + x) ln(1 + x) - x) for x = apart / side; the bound of `may_gain`."""
    if apart <= -side:
        return -apart
    return apart * apart * (apart + 3.0 * side) / (side * (4.0 * apart + 6.0 * side))


cdef bint chunk_may_gain(const Chunks* chunks, int64_t c, const ChunkSums* sums, const Walk* walk,
                         int n_classes) noexcept nogil:
    """Whether a cut in a chunk may gain what is needed, in bits over all rows."""
    cdef const double* left = sums.classes + c * n_classes
    cdef const double* least = chunks.least + c * n_classes
    cdef const double* most = chunks.most + c * n_classes
    cdef double low = sums.weight[c], high = walk.known - sums.weight[c + 1]
    cdef double inside = sums.weight[c + 1] - low, gain = 0.0, share, apart, error, one, other, side
    cdef int k, full
    for full in range(2):  # a simple bound first
        gain = 0.0
        for k in range(n_classes):
            if walk.totals[k] <= 0.0:
                continue
            share = walk.totals[k] / walk.known
            apart = left[k] - share * low
            error = share - chunks.shares[k]
            error = sums.error[c] + inside * (error if error > 0.0 else -error) + ROUNDING * walk.known
            one = (apart + least[k] - error) * walk.inverse[k]
            other = (apart + most[k] + error) * walk.inverse[k]
            if not full:
                apart = max(one * one, other * other)
                gain += share * apart * (1.0 / low + 1.0 / high)
                continue
            side = max(most_apart(one, low), most_apart(other, low))
            gain += share * (side + max(most_apart(-one, high), most_apart(-other, high)))
        if gain * BOUND_SLACK < walk.need * LOG_2:
            return False
    return True


cdef void enter(const Entry* entries, const Chunks* chunks, int64_t c, const ChunkSums* sums, Walk* walk,
                const Choices* choices) noexcept nogil:
    """Go to the beginning of a chunk."""
    memcpy(walk.left, sums.classes + c * choices.n_classes, choices.n_classes * sizeof(double))
    walk.low = sums.weight[c]
    walk.high = walk.known - walk.low
    walk.previous = -1
    while c > 0:
        c -= 1
        if chunks.chunks[c].n_rows:
            walk.previous = entries[chunks.chunks[c].last] >> choices.shift
            return


cdef Reading read_chunk(const Entry* entries, const Chunks* chunks, int64_t c, const Column* column,
                        const Choices* choices, const double* weight, Walk* walk) noexcept nogil:
    """Try the cuts of a chunk one after another, as `cut_weighted` does for a list."""
    cdef int n_classes = choices.n_classes, shift = choices.shift, k
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, row
    cdef bint gone = True  # rows before this one may have left
    cdef double w, bits, gain, factor = bound_factor(walk.known)
    for i in range(c * chunks.size, min((c + 1) * chunks.size, chunks.n_entries)):
        row = entries[i] >> shift
        w = weight[row]
        if w == 0.0:
            gone = True
            continue
        if walk.low >= walk.least and walk.previous >= 0 and (
                is_above(entries[i], row, walk.previous, column, choices) if gone else entries[i] & 2 != 0):
            if walk.high < walk.least:
                return FINISHED
            walk.n_cuts += 1
            gain = (sum_of_squares(walk.left, walk.inverse, n_classes) - walk.low * walk.low) * factor
            if gain >= walk.need * walk.low * walk.high and may_gain(
                    walk.need, walk.left, walk.totals, walk.inverse, walk.low, walk.high, walk.low / walk.known,
                    n_classes):
                bits = hb_xlog2x(walk.low) + hb_xlog2x(walk.high)
                for k in range(n_classes):
                    if walk.left[k] != walk.seen[k]:
                        walk.seen[k] = walk.left[k]
                        walk.side_logs[k] = hb_xlog2x(walk.left[k]) + hb_xlog2x(walk.totals[k] - walk.left[k])
                    bits -= walk.side_logs[k]
                if bits < walk.limit and (walk.certain or walk.before - bits >= walk.threshold):
                    if not walk.certain and walk.before - bits < walk.threshold + 2.0 * walk.slack:
                        return AGAIN
                    walk.certain = True
                    walk.best_bits = bits
                    walk.limit = bits - walk.slack
                    walk.need = walk.before - walk.limit
                    walk.position = i
                    walk.best_low = walk.low
        gone = False
        k = (entries[i] >> 2) & label_mask
        walk.left[k] += w
        walk.low += w
        walk.high -= w
        walk.previous = row
    return GO_ON


cdef void set_threshold(Walk* walk, double gain) noexcept nogil:
    """Begin a search: cuts that gain less cannot win. With 0, every cut that gains anything may win."""
    walk.certain = gain <= walk.slack
    walk.threshold = walk.need = max(gain, walk.slack)
    walk.n_cuts = 0
    walk.position = -1
    walk.best_bits = walk.before
    walk.best_low = 0.0
    walk.limit = walk.best_bits - walk.slack


cdef void look_ahead(const Entry* entries, const Chunks* chunks, const Column* column, const Choices* choices,
                     const double* weight, const ChunkSums* sums, Walk* walk) noexcept nogil:
    """Set the threshold: the best gain around the chunk that begins with the most unequal sides, less some slack."""
    cdef int64_t c, best = 0
    cdef double low, high, apart, most = 0.0
    set_threshold(walk, 0.0)
    for c in range(1, chunks.n_chunks):
        low = sums.weight[c]
        high = walk.known - low
        if low < walk.least or high < walk.least or low <= SLACK or high <= SLACK:
            continue
        apart = (sum_of_squares(sums.classes + c * choices.n_classes, walk.inverse, choices.n_classes)
                 - low * low) / (low * high)
        if apart > most:
            most = apart
            best = c
    if best == 0:
        return
    enter(entries, chunks, best - 1, sums, walk, choices)
    if read_chunk(entries, chunks, best - 1, column, choices, weight, walk) == GO_ON:
        read_chunk(entries, chunks, best, column, choices, weight, walk)
    set_threshold(walk, walk.before - walk.best_bits - 4.0 * walk.slack - ROUNDING * walk.known)


cdef int64_t least_cuts(const Chunks* chunks, const ChunkSums* sums, const Walk* walk) noexcept nogil:
    """At least how many cuts there are."""
    cdef int64_t c, found = 0
    for c in range(chunks.n_chunks):
        if sums.weight[c] >= walk.least and walk.known - sums.weight[c + 1] >= walk.least:
            found += chunks.chunks[c].n_cuts
    return found


cdef Reading walk_chunks(const Entry* entries, const Chunks* chunks, const Column* column, const Choices* choices,
                         const double* weight, const ChunkSums* sums, Walk* walk) noexcept nogil:
    """Try all cuts; chunks where none can win are passed over, their cuts counted."""
    cdef int64_t c, i, row
    cdef Reading reading
    cdef bint entered = False
    walk.previous = -1
    for c in range(chunks.n_chunks):
        if chunks.chunks[c].n_rows == 0:
            continue
        if (sums.weight[c] >= walk.least and sums.weight[c] > SLACK
                and walk.known - sums.weight[c + 1] >= walk.least and walk.known - sums.weight[c + 1] > SLACK
                and walk.previous >= 0 and not chunk_may_gain(chunks, c, sums, walk, choices.n_classes)):
            i = chunks.chunks[c].first
            row = entries[i] >> choices.shift
            walk.n_cuts += chunks.chunks[c].n_cuts
            walk.n_cuts += is_above(entries[i], row, walk.previous, column, choices)
            walk.previous = entries[chunks.chunks[c].last] >> choices.shift
            entered = False
            continue
        if not entered:
            enter(entries, chunks, c, sums, walk, choices)
        entered = True
        reading = read_chunk(entries, chunks, c, column, choices, weight, walk)
        if reading != GO_ON:
            return reading
    return FINISHED


cdef void scan_chunks(const Entry* entries, const Chunks* chunks, const Column* column, const Choices* choices,
                      const NodeView* node, const double* factors, const ChunkSums* sums, Scratch* scratch,
                      Candidate* best) noexcept nogil:
    """Best cut of a sorted column whose list is in chunks, none of them stale.

    A row's weight in the node is its weight in the sums times the factor of its group. `sums` is working memory.
    """
    cdef int n_classes = choices.n_classes, k
    cdef int64_t n_rows = add_up(chunks, factors, n_classes, sums), n_least = 0
    cdef double charge = 0.0
    cdef Reading reading
    cdef Walk walk
    best.verdict = NO_SPLIT
    best.n_cuts = 0
    best.position = -1
    best.gain = best.charge = best.split_information = best.score = 0.0
    walk.left, walk.totals, walk.inverse, walk.seen = scratch.left, scratch.right, scratch.inverse, scratch.seen
    walk.side_logs = scratch.side_logs
    memcpy(walk.totals, sums.classes + chunks.n_chunks * n_classes, n_classes * sizeof(double))
    walk.known = sums.weight[chunks.n_chunks]
    walk.least = minimum_side(walk.known, choices)
    if (walk.known < 2 * walk.least - SLACK or n_rows < 2
            or (choices.count_for_cut and n_rows < 2 * walk.least - SLACK)):
        return
    walk.least -= SLACK
    fill_inverse(walk.inverse, walk.totals, walk.known, n_classes)
    walk.before = hb_xlog2x(walk.known)
    for k in range(n_classes):
        walk.seen[k] = 0.0
        walk.side_logs[k] = hb_xlog2x(walk.totals[k])
        walk.before -= walk.side_logs[k]
    walk.slack = choices.tolerance * node.weight
    look_ahead(entries, chunks, column, choices, node.row_weight, sums, &walk)
    if node.only_splits and choices.charge_cuts:  # columns whose cuts all gain less than this have no split
        n_least = least_cuts(chunks, sums, &walk)
        charge = hb_log2(n_least) if n_least > 1 else 0.0
        if charge > walk.threshold:
            set_threshold(&walk, charge)
    for k in range(TRIES):
        reading = walk_chunks(entries, chunks, column, choices, node.row_weight, sums, &walk)
        if reading == FINISHED and (walk.certain or (walk.threshold == charge and walk.n_cuts >= n_least)):
            break
        set_threshold(&walk, 0.0 if k == TRIES - 2 else walk.threshold - 4.0 * (k + 1) * walk.slack)
    best.n_cuts = walk.n_cuts
    best.position = walk.position
    if walk.n_cuts:
        finish(best, (walk.before - walk.best_bits) / node.weight, walk.best_low, walk.known - walk.best_low,
               walk.known, choices, node)
