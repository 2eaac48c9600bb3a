# Part of forest_grow.pyx: the best cut of a column in a node of few rows, where rows of several classes are counted.
# Rows are chained by code, and moved from the right to the left one by one: it costs what the rows cost, not what codes
# times classes would.


cdef void sum_counts(const Job* job, Room* room) noexcept nogil:
    """Write how many rows a node has, and the sum of their classes' counts squared, or times their logarithms."""
    cdef int32_t k
    cdef int64_t count
    room.n_counted = room.whole = 0
    for k in range(job.width):
        count = <int64_t>room.total[k]
        room.n_counted += count
        room.whole += job.product_of[count] if job.entropy else count * count


cdef void try_bit(const Job* job, Room* room, int32_t feature, const int32_t* ones, Found* best) noexcept nogil:
    """Score the one cut of a column that is a bit."""
    cdef int64_t set_sum = 0, clear_sum = 0, n_set = 0, n_clear, count, rest
    cdef int32_t k
    cdef double score
    for k in range(job.width):
        count = ones[k]
        rest = <int64_t>room.total[k] - count
        n_set += count
        if job.entropy:
            set_sum += job.product_of[count]
            clear_sum += job.product_of[rest]
        else:
            set_sum += count * count
            clear_sum += rest * rest
    n_clear = room.n_counted - n_set
    if n_set < job.min_leaf or n_clear < job.min_leaf:
        return
    if job.entropy:
        score = by_products(job.product_of, set_sum + clear_sum, n_clear, n_set)
    else:
        score = <double>clear_sum / <double>n_clear + <double>set_sum / <double>n_set
    if score <= best.score:
        return
    best.score = score
    best.feature = feature
    best.missing = n_set > n_clear
    best.n_codes = 0
    best.cut = best.low = 0
    best.high = 1


cdef inline double by_products(const int64_t* product_of, int64_t sums, int64_t n_left, int64_t n_right) noexcept nogil:
    """Less the entropy times the weight of both sides, by sums of counts times their logarithms."""
    return <double>(sums - product_of[n_left] - product_of[n_right]) * PRODUCT_STEP


cdef void list_rows(const Job* job, Room* room, const uint8_t* record, int64_t n) noexcept nogil:
    """Write class and count of every row, the first at 1, for all columns of a node."""
    cdef int64_t i
    cdef FewRow* row = room.few
    for i in range(n):
        row += 1
        row.label = (<const int32_t*>(record + job.label))[0]
        row.count = (<const int32_t*>(record + job.weight))[0]
        row.whole = <int64_t>room.total[row.label]
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
    cdef const int64_t* product_of = job.product_of
    cdef int64_t before, after
    while row:
        few = &room.few[row]
        before = left[few.label]
        after = before + few.count
        left[few.label] = after
        sides.n_left += few.count
        if entropy:
            sides.both += product_of[after] - product_of[before]
            sides.both += product_of[few.whole - after] - product_of[few.whole - before]
        else:
            sides.both += few.count * (before + after)
            sides.products += few.count * few.whole
        row = room.next_row[row]


cdef inline void try_chains(const Job* job, Room* room, int32_t feature, int32_t n, int32_t missing_row, int side,
                            Found* best, bint entropy) noexcept nogil:
    """The best cut between codes, rows without the value on the right, or on the left."""
    cdef int64_t* left = room.left_counts
    cdef Sides sides
    cdef const int64_t* product_of = job.product_of
    cdef int64_t total = room.n_counted, whole = room.whole, least = <int64_t>ceil(job.min_leaf)
    cdef int32_t i, n_cuts = n if missing_row and side == 0 else n - 1
    cdef double score
    memset(left, 0, job.width * sizeof(int64_t))
    sides.products = sides.n_left = 0
    sides.both = whole if entropy else 0
    if side == 1:
        move_chain(job, room, missing_row, &sides, left, entropy)
    for i in range(n_cuts):
        move_chain(job, room, room.places[i], &sides, left, entropy)
        if sides.n_left < least or total - sides.n_left < least:
            continue
        if entropy:
            score = by_products(product_of, sides.both, sides.n_left, total - sides.n_left)
        else:  # the sum of (whole - left) squared, by its parts
            score = <double>sides.both / <double>sides.n_left
            score += <double>(whole - 2 * sides.products + sides.both) / <double>(total - sides.n_left)
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
