# Part of grower.pyx: the best cut of a column in a node of few rows, where rows of several classes are counted.
# Rows are chained by code and moved from right to left one by one, so the cost is proportional to the rows, not to
# codes times classes.


cdef void sum_counts(const Job* job, Room* room) noexcept nogil:
    """Store the rows of a node, and the sum of its class counts squared or times their logarithms."""
    cdef int32_t k
    cdef int64_t count
    room.n_counted = room.whole = 0
    for k in range(job.width):
        count = <int64_t>room.total[k]
        room.n_counted += count
        room.whole += job.product_of[count] if job.entropy else count * count


cdef void try_bit(const Job* job, Room* room, int32_t feature, const int32_t* ones, Found* best) noexcept nogil:
    """Score the only cut of a column that is a bit."""
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
    """Minus the entropy times the weight of both sides, from sums of counts times their logarithms."""
    return <double>(sums - product_of[n_left] - product_of[n_right]) * PRODUCT_STEP


cdef void list_rows(const Job* job, Room* room, const uint8_t* record, int64_t n) noexcept nogil:
    """Store class and count of every row, starting at index 1, for all columns of a node.

    If few classes are left, a word holds a count for each: the row's count is in the lane of its class.
    """
    cdef int64_t i
    cdef int32_t k
    cdef int lane[MOST_LABELS]
    cdef FewRow* row = room.few
    room.n_lanes = 0
    for k in range(job.width):
        if room.total[k] > 0.0:
            if room.n_lanes < LANES and k < MOST_LABELS:
                room.lane_total[room.n_lanes] = <int64_t>room.total[k]
                lane[k] = room.n_lanes * LANE_BITS
            else:
                room.n_lanes = LANES
            room.n_lanes += 1
    if room.n_lanes > LANES or room.n_counted >= 1 << LANE_BITS:
        room.n_lanes = 0
    for i in range(n):
        row += 1
        row.label = (<const int32_t*>(record + job.label))[0]
        row.count = (<const int32_t*>(record + job.weight))[0]
        if room.n_lanes:
            row.word = <uint64_t>row.count << lane[row.label]
        else:
            row.word = <uint64_t>room.total[row.label]
        record += job.size


cdef int32_t sum_lanes(const Job* job, Room* room, const uint8_t* record, int64_t n, int64_t place) noexcept nogil:
    """Sum the words of rows by code; returns how many codes occur, listed in ascending order with their sums."""
    cdef int64_t i
    cdef uint64_t seen[WORDS]
    cdef uint64_t bits
    cdef uint64_t* bins = room.lane_bins
    cdef int32_t n_codes = 0, code
    cdef int word
    memset(seen, 0, sizeof(seen))
    for i in range(1, n + 1):
        code = record[place]
        bins[code] += room.few[i].word
        seen[code >> 6] |= <uint64_t>1 << (code & 63)
        record += job.size
    for word in range(WORDS):
        bits = seen[word]
        while bits:
            code = word * 64 + hb_lowest_bit(bits)
            room.present[n_codes] = code
            room.lane_sums[n_codes] = bins[code]
            bins[code] = 0
            n_codes += 1
            bits &= bits - 1
    return n_codes


cdef inline void try_lanes(const Job* job, Room* room, int32_t feature, int32_t n, uint64_t missing, int side,
                           Found* best, int n_lanes) noexcept nogil:
    """The best cut between codes, with missing values on the right or on the left."""
    cdef const int64_t* product_of = job.product_of
    cdef int64_t total = room.n_counted, least = <int64_t>ceil(job.min_leaf), n_left, count, rest, left_sum, right_sum
    cdef int64_t n_first = 0
    cdef uint64_t left = missing if side == 1 else 0
    cdef int32_t i, n_cuts = n if missing and side == 0 else n - 1, last = -1
    cdef double score, highest = best.score
    cdef bint entropy = job.entropy
    cdef int k
    for i in range(n_cuts):
        left += room.lane_sums[i]
        n_left = left_sum = right_sum = 0
        for k in range(n_lanes):
            count = <int64_t>((left >> (k * LANE_BITS)) & LANE_MASK)
            rest = room.lane_total[k] - count
            n_left += count
            if entropy:
                left_sum += product_of[count] + product_of[rest]
            else:
                left_sum += count * count
                right_sum += rest * rest
        if n_left < least or total - n_left < least:
            continue
        if entropy:
            score = by_products(product_of, left_sum, n_left, total - n_left)
        else:
            score = <double>left_sum / <double>n_left + <double>right_sum / <double>(total - n_left)
        if score > highest:
            highest, last, n_first = score, i, n_left
    keep_cut(job, room, feature, n, last, highest, n_first, missing != 0, side, best)


cdef int32_t chain_rows(const Job* job, Room* room, const uint8_t* record, int64_t n, int64_t place) noexcept nogil:
    """Chain rows of the same code; returns how many codes occur, listed in ascending order with their first rows."""
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
            code = word * 64 + hb_lowest_bit(bits)
            room.present[n_codes] = code
            room.places[n_codes] = room.first_row[code]
            room.first_row[code] = 0
            n_codes += 1
            bits &= bits - 1
    return n_codes


cdef inline void move_chain(const Job* job, const Room* room, int32_t row, Sides* sides, int64_t* left,
                            bint entropy) noexcept nogil:
    """Move the rows of a code from right to left."""
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
            sides.both += product_of[<int64_t>few.word - after] - product_of[<int64_t>few.word - before]
        else:
            sides.both += few.count * (before + after)
            sides.products += few.count * <int64_t>few.word
        row = room.next_row[row]


cdef inline void try_chains(const Job* job, Room* room, int32_t feature, int32_t n, int32_t missing_row, int side,
                            Found* best, bint entropy) noexcept nogil:
    """The best cut between codes, with missing values on the right or on the left."""
    cdef int64_t* left = room.left_counts
    cdef Sides sides
    cdef const int64_t* product_of = job.product_of
    cdef int64_t total = room.n_counted, whole = room.whole, least = <int64_t>ceil(job.min_leaf)
    cdef int64_t n_first = 0
    cdef int32_t i, n_cuts = n if missing_row and side == 0 else n - 1, last = -1
    cdef double score, highest = best.score
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
        else:  # the sum of (whole - left) squared, expanded
            score = <double>sides.both / <double>sides.n_left
            score += <double>(whole - 2 * sides.products + sides.both) / <double>(total - sides.n_left)
        if score > highest:
            highest, last, n_first = score, i, sides.n_left
    keep_cut(job, room, feature, n, last, highest, n_first, missing_row != 0, side, best)


cdef inline void keep_cut(const Job* job, const Room* room, int32_t feature, int32_t n, int32_t last, double score,
                          int64_t n_first, bint missing, int side, Found* best) noexcept nogil:
    """Store the cut after a code, if there is one."""
    if last < 0:
        return
    best.score = score
    best.feature = feature
    best.n_codes = 0
    best.missing = side ^ 1
    if not missing:  # follow the majority
        best.missing = 2 * n_first < room.n_counted
    set_cut(job, room, feature, last, n, best)


cdef bint try_few(const Job* job, Room* room, const uint8_t* records, int64_t n_rows, int32_t feature,
                  Found* best) noexcept nogil:
    """Search a numeric column's best cut; returns whether it has any cut."""
    if room.n_lanes:
        return try_few_classes(job, room, records, n_rows, feature, best)
    return try_many_classes(job, room, records, n_rows, feature, best)


cdef bint try_few_classes(const Job* job, Room* room, const uint8_t* records, int64_t n_rows, int32_t feature,
                          Found* best) noexcept nogil:
    cdef int32_t n = sum_lanes(job, room, records, n_rows, job.place[feature])
    cdef uint64_t missing = 0
    cdef int side
    if n < 2:
        return False
    if room.present[n - 1] == job.n_bins[feature]:
        n -= 1
        missing = room.lane_sums[n]
    for side in range(2 if missing else 1):
        if room.n_lanes == 2:
            try_lanes(job, room, feature, n, missing, side, best, 2)
        elif room.n_lanes == 3:
            try_lanes(job, room, feature, n, missing, side, best, 3)
        else:
            try_lanes(job, room, feature, n, missing, side, best, 4)
    return True


cdef bint try_many_classes(const Job* job, Room* room, const uint8_t* records, int64_t n_rows, int32_t feature,
                           Found* best) noexcept nogil:
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
