# Part of forest_grow.pyx: the best cut of a column in a node of few rows, where rows of several classes are counted.
# Rows are chained by code, and moved from the right to the left one by one: it costs what the rows cost, not what codes
# times classes would.


cdef void list_rows(const Job* job, Room* room, const uint8_t* record, int64_t n) noexcept nogil:
    """Write class and count of every row, the first at 1, for all columns of a node."""
    cdef int64_t i
    cdef FewRow* row = room.few
    for i in range(n):
        row += 1
        row.label = (<const int32_t*>(record + job.label))[0]
        row.count = (<const int32_t*>(record + job.weight))[0]
        row.product = <int64_t>room.total[row.label] * row.count
        record += job.size


cdef int32_t chain_rows(const Job* job, Room* room, const uint8_t* record, int64_t n, int64_t place) noexcept nogil:
    """Chain rows of the same code; how many codes there are. They are listed in rising order, with their first rows."""
    cdef int64_t i
    cdef uint64_t seen[WORDS]
    cdef uint64_t bits
    cdef int32_t n_codes = 0, code
    cdef int word
    memset(seen, 0, sizeof(seen))
    for i in range(1, n + 1):
        code = record[place]
        room.next_row[i] = room.first_row[code]
        room.first_row[code] = <int32_t>i
        seen[code >> 6] |= <uint64_t>1 << (code & 63)
        record += job.size
    for word in range(WORDS):
        bits = seen[word]
        while bits:
            code = word * 64 + trailing_zeros(bits)
            room.present[n_codes] = code
            room.places[n_codes] = room.first_row[code]
            room.first_row[code] = 0
            n_codes += 1
            bits &= bits - 1
    return n_codes


cdef inline void move_chain(const Job* job, const Room* room, int32_t row, Sides* sides, int64_t* left,
                            bint entropy) noexcept nogil:
    """Take the rows of a code from the right to the left."""
    cdef const FewRow* few
    cdef int64_t before, after, whole
    while row:
        few = &room.few[row]
        before = left[few.label]
        after = before + few.count
        left[few.label] = after
        sides.n_left += few.count
        if entropy:
            whole = <int64_t>room.total[few.label]
            sides.left += job.product_of[after] - job.product_of[before]
            sides.right += job.product_of[whole - after] - job.product_of[whole - before]
        else:
            sides.left += few.count * (before + after)
            sides.products += few.product
        row = room.next_row[row]


cdef inline void try_chains(const Job* job, Room* room, int32_t feature, int32_t n, int32_t missing_row, int side,
                            Found* best, bint entropy) noexcept nogil:
    """The best cut between codes, rows without the value on the right, or on the left."""
    cdef int64_t* left = room.left_counts
    cdef Sides sides
    cdef int64_t total = 0, whole = 0
    cdef int32_t i, k, n_cuts = n if missing_row and side == 0 else n - 1
    cdef double score
    for k in range(job.width):
        left[k] = 0
        total += <int64_t>room.total[k]
        if entropy:
            whole += job.product_of[<int64_t>room.total[k]]
        else:
            whole += <int64_t>room.total[k] * <int64_t>room.total[k]
    sides.left = sides.products = sides.n_left = 0
    sides.right = whole
    if side == 1:
        move_chain(job, room, missing_row, &sides, left, entropy)
    for i in range(n_cuts):
        move_chain(job, room, room.places[i], &sides, left, entropy)
        if sides.n_left < job.min_leaf or total - sides.n_left < job.min_leaf:
            continue
        if entropy:
            score = <double>(sides.left + sides.right - job.product_of[sides.n_left]
                             - job.product_of[total - sides.n_left]) * PRODUCT_STEP
        else:  # the sum of (whole - left) squared, by its parts
            score = <double>sides.left / <double>sides.n_left
            score += <double>(whole - 2 * sides.products + sides.left) / <double>(total - sides.n_left)
        if score <= best.score:
            continue
        best.score = score
        best.feature = feature
        best.n_codes = 0
        best.missing = side ^ 1
        if missing_row == 0:  # as most rows do
            best.missing = 2 * sides.n_left < total
        set_cut(job, room, feature, i, n, best)


cdef bint try_few(const Job* job, Room* room, const uint8_t* records, int64_t n_rows, int32_t feature,
                  Found* best) noexcept nogil:
    """Look for a numeric column's best cut; whether it has any at all."""
    cdef int32_t n = chain_rows(job, room, records, n_rows, job.place[feature]), missing_row = 0
    cdef int side
    if n < 2:
        return False
    if room.present[n - 1] == job.n_bins[feature]:
        n -= 1
        missing_row = room.places[n]
    for side in range(2 if missing_row else 1):
        if job.entropy:
            try_chains(job, room, feature, n, missing_row, side, best, True)
        else:
            try_chains(job, room, feature, n, missing_row, side, best, False)
    return True
