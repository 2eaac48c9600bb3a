# Part of grower.pyx: weights and scores of rows; sums of a node's rows by code.


cdef inline bint as_counts(const Job* job, double total) noexcept nogil:
    """Whether sides are scored by integers: squares, or counts times their logarithms if these are tabulated."""
    return not job.entropy or (job.product_of != NULL and total < MOST_PRODUCTS)


cdef inline double mass(const Job* job, const double* sums, double weight) noexcept nogil:
    """The score of a branch: the sum of squares divided by its weight, or minus its entropy times its weight."""
    cdef double total = 0.0
    cdef int64_t products = 0
    cdef int32_t k
    if weight <= 0.0:
        return 0.0
    if job.n_classes == 0:
        return sums[1] * sums[1] / weight
    if job.entropy:
        if job.kind == CLASSES and as_counts(job, weight):
            for k in range(job.n_classes):
                products += job.product_of[<int64_t>sums[k]]
            return <double>(products - job.product_of[<int64_t>weight]) * PRODUCT_STEP
        for k in range(job.n_classes):
            if sums[k] > 0.0:
                total += sums[k] * hb_log2(sums[k])
        return total - weight * hb_log2(weight)
    for k in range(job.n_classes):
        total += sums[k] * sums[k]
    return total / weight


cdef inline double row_weight(const Job* job, const uint8_t* record) noexcept nogil:
    cdef const uint8_t* place = record + job.weight
    if job.kind == PAIRS:
        return (<const int32_t*>place)[0] + (<const int32_t*>place)[1]
    if job.kind == CLASSES:
        return (<const int32_t*>place)[0]
    if job.kind == PACKED:
        return <double>((<const int64_t*>place)[0] & ((<int64_t>1 << job.count_bits) - 1))
    return (<const double*>place)[0]


cdef inline int32_t label_of(const Job* job, const uint8_t* record) noexcept nogil:
    if job.kind == PAIRS:
        return (<const int32_t*>(record + job.weight))[0] == 0
    return (<const int32_t*>(record + job.label))[0]


cdef inline double number_of(const Job* job, const uint8_t* record) noexcept nogil:
    return (<const double*>(record + job.number))[0]


cdef inline uint32_t origin_of(const Job* job, const uint8_t* record) noexcept nogil:
    return (<const uint32_t*>(record + job.origin))[0]


cdef inline double halfway(double low, double high) noexcept nogil:
    """The midpoint of two values; the lower one if rounding would reach the higher."""
    cdef double middle = low + (high - low) * 0.5
    if not middle < INFINITY:
        middle = low * 0.5 + high * 0.5
    return middle if middle < high else low


cdef inline void add_row(const Job* job, const uint8_t* record, double* sums) noexcept nogil:
    cdef double weight = row_weight(job, record)
    if job.n_classes:
        sums[label_of(job, record)] += weight
    else:
        sums[0] += weight
        sums[1] += weight * number_of(job, record)


cdef inline double weight_of(const Job* job, const double* sums) noexcept nogil:
    cdef double total = 0.0
    cdef int32_t k
    if job.n_classes == 0:
        return sums[0]
    for k in range(job.n_classes):
        total += sums[k]
    return total


cdef inline void add_words(word_t* bins, const uint8_t* record, int64_t n, int64_t size, int64_t weight,
                           const int64_t* offset, int n_columns) noexcept nogil:
    """Sum rows by code, one word per row."""
    cdef int64_t i
    cdef word_t word
    cdef int b
    for i in range(n):
        word = (<const word_t*>(record + weight))[0]
        for b in range(n_columns):
            bins[b * MOST_CODES + record[offset[b]]] += word
        record += size


cdef void count_words(word_t* bins, const Job* job, const uint8_t* records, int64_t n, const int64_t* offset,
                      int n_columns) noexcept nogil:
    """The same, with a separate loop for every number of columns."""
    if n_columns == 1:
        add_words(bins, records, n, job.size, job.weight, offset, 1)
    elif n_columns == 2:
        add_words(bins, records, n, job.size, job.weight, offset, 2)
    elif n_columns == 3:
        add_words(bins, records, n, job.size, job.weight, offset, 3)
    elif n_columns == 4:
        add_words(bins, records, n, job.size, job.weight, offset, 4)
    elif n_columns == 5:
        add_words(bins, records, n, job.size, job.weight, offset, 5)
    elif n_columns == 6:
        add_words(bins, records, n, job.size, job.weight, offset, 6)
    elif n_columns == 7:
        add_words(bins, records, n, job.size, job.weight, offset, 7)
    else:
        add_words(bins, records, n, job.size, job.weight, offset, 8)


cdef inline void count_classes(Tally* width, const Job* job, const uint8_t* records, int64_t n, Tally** starts,
                               const int64_t* offset, int n_columns) noexcept nogil:
    """Sum rows by code and class."""
    cdef const uint8_t* record = records
    cdef int64_t i, size = job.size, n_classes = job.width, label, label_at = job.label, weight_at = job.weight
    cdef Tally weight
    cdef Tally* first = starts[0]
    cdef Tally* second = starts[1]
    cdef Tally* third = starts[2]
    cdef Tally* fourth = starts[3]
    cdef int64_t place0 = offset[0], place1 = offset[1], place2 = offset[2], place3 = offset[3]
    cdef int b
    for i in range(n):
        if Tally is int32_t:
            weight = (<const int32_t*>(record + weight_at))[0]
        else:
            weight = (<const double*>(record + weight_at))[0]
        label = (<const int32_t*>(record + label_at))[0]
        if n_columns >= 4:  # the most frequent case, unrolled
            first[record[place0] * n_classes + label] += weight
            second[record[place1] * n_classes + label] += weight
            third[record[place2] * n_classes + label] += weight
            fourth[record[place3] * n_classes + label] += weight
            for b in range(4, n_columns):
                starts[b][record[offset[b]] * n_classes + label] += weight
        else:
            for b in range(n_columns):
                starts[b][record[offset[b]] * n_classes + label] += weight
        record += size


cdef inline void count_pairs(Tally* width, const Job* job, const uint8_t* records, int64_t n, Tally** starts,
                             const int64_t* offset, int n_columns) noexcept nogil:
    """Sum rows by code and class, for two classes: both counts of a bin share one word."""
    cdef int b = 1
    while b < n_columns and starts[b] == starts[0] + <int64_t>b * MOST_CODES * 2:
        b += 1
    if b == n_columns:
        count_words(<word_t*>starts[0], job, records, n, offset, n_columns)
        return
    for b in range(n_columns):  # wide columns are interspersed
        count_words(<word_t*>starts[b], job, records, n, offset + b, 1)


cdef inline void count_numbers(Tally* width, const Job* job, const uint8_t* records, int64_t n, Tally** starts,
                               const int64_t* offset, int n_columns) noexcept nogil:
    """Sum weights, and numbers times weights, by code."""
    cdef const uint8_t* record = records
    cdef int64_t i, size = job.size
    cdef double weight, product
    cdef Tally* place
    cdef int b
    for i in range(n):
        weight = row_weight(job, record)
        product = weight * number_of(job, record)
        for b in range(n_columns):
            place = starts[b] + <int64_t>record[offset[b]] * NUMBER_WIDTH
            place[0] += <Tally>weight
            place[1] += <Tally>product
        record += size


cdef inline void count_packed(Tally* width, const Job* job, Room* room, const uint8_t* records, int64_t n,
                              Tally** starts, const int64_t* offset, int n_columns) noexcept nogil:
    """The same with one sum for both: rounded numbers are above the counts in a word; they are separated at the end."""
    cdef int64_t i, packed, mask = (<int64_t>1 << job.count_bits) - 1
    cdef word_t* bins = room.packed_bins
    cdef double size = 1.0 / job.scale
    cdef int b
    count_words(bins, job, records, n, offset, n_columns)
    for b in range(n_columns):
        for i in range(MOST_CODES):
            packed = bins[b * MOST_CODES + i]
            starts[b][i * NUMBER_WIDTH] = <Tally>(packed & mask)
            starts[b][i * NUMBER_WIDTH + 1] = <Tally>(<double>(packed >> job.count_bits) * size)
    memset(bins, 0, n_columns * MOST_CODES * sizeof(int64_t))


cdef inline void count_few(Tally* width, const Job* job, const uint8_t* record, int64_t n, Tally** starts,
                           uint64_t** marks, const int64_t* offset, int n_columns) noexcept nogil:
    """Sum few rows by code, whatever their kind, and mark the codes that occur."""
    cdef int64_t i, label = 0, n_sums = job.width, size = job.size
    cdef bint numbers = job.n_classes == 0
    cdef Tally weight, product = 0
    cdef Tally* place
    cdef uint8_t code
    cdef int b
    for i in range(n):
        weight = <Tally>row_weight(job, record)
        if numbers:
            product = <Tally>(row_weight(job, record) * number_of(job, record))
        else:
            label = label_of(job, record)
        for b in range(n_columns):
            code = record[offset[b]]
            marks[b][code >> 6] |= <uint64_t>1 << (code & 63)
            place = starts[b] + code * n_sums + label
            place[0] += weight
            if numbers:
                place[1] += product
        record += size


cdef void count_bits(const Job* job, Room* room, const uint8_t* records, int64_t n, const int32_t* features,
                     int n_batch) noexcept nogil:
    """Count the rows whose bits are set, by class, for those columns that are bits."""
    cdef uint64_t shift[BATCH]
    cdef int column[BATCH]
    cdef uint64_t pairs[BATCH]
    cdef int b, i, n_bits
    cdef int32_t word, k
    for word in range(job.n_words):
        n_bits = 0
        for b in range(n_batch):
            if is_bit(job, features[b]) and job.place[features[b]] >> 3 == word:
                shift[n_bits] = (job.place[features[b]] & 7) * 8 + job.shift[features[b]]
                column[n_bits] = b
                n_bits += 1
        if n_bits == 0:
            continue
        for i in range(n_bits, BATCH):
            shift[i] = 0
        if job.kind == PAIRS:
            hb_count_pairs(pairs, records, n, job.size, word * 8, job.weight, shift)
            for i in range(n_bits):
                memcpy(room.ones + column[i] * 2, pairs + i, 8)
            continue
        memset(room.bit_sums, 0, 2 * BATCH * job.width * sizeof(int32_t))
        hb_count_ones(room.bit_sums, records, n, job.size, word * 8, job.label, job.weight, shift)
        for i in range(n_bits):
            for k in range(job.width):
                room.ones[column[i] * job.width + k] = (
                    room.bit_sums[2 * BATCH * k + i] + room.bit_sums[2 * BATCH * k + BATCH + i]
                )


cdef inline bint is_bit(const Job* job, int32_t feature) noexcept nogil:
    return job.mask[feature] == 1


cdef inline bint in_histogram(const Job* job, const Room* room, int32_t feature) noexcept nogil:
    """Whether a node's rows are summed over all codes of a column."""
    if job.wide[feature] != NULL or is_bit(job, feature):
        return False
    return job.nominal[feature] or not room.chained


cdef inline bint varies(const Job* job, const Room* room, int32_t feature) noexcept nogil:
    """Whether the bit of a column is not the same in all rows of a node."""
    cdef int32_t bit = job.place[feature] * 8 + job.shift[feature]
    return (room.varying[bit >> 6] >> (bit & 63)) & 1


cdef void count_batch(Tally* width, const Job* job, Room* room, const uint8_t* records, int64_t n,
                      const int32_t* features, int n_batch, bint mark) noexcept nogil:
    """Sum a node's rows by the codes of some columns; mark the codes seen where there are few rows."""
    cdef int b, n_narrow = 0
    cdef int64_t offset[BATCH]
    cdef Tally* starts[BATCH]
    cdef uint64_t* marks[BATCH]
    memset(offset, 0, sizeof(offset))
    memset(starts, 0, sizeof(starts))
    for b in range(n_batch):
        if in_histogram(job, room, features[b]):
            offset[n_narrow] = job.place[features[b]]
            starts[n_narrow] = <Tally*>room.histogram + <int64_t>b * MOST_CODES * job.width
            marks[n_narrow] = room.seen + b * WORDS
            n_narrow += 1
    if job.n_words:
        count_bits(job, room, records, n, features, n_batch)
    if n_narrow == 0:
        return
    if mark:
        count_few(width, job, records, n, starts, marks, offset, n_narrow)
    elif job.kind == PAIRS:
        count_pairs(width, job, records, n, starts, offset, n_narrow)
    elif job.n_classes:
        count_classes(width, job, records, n, starts, offset, n_narrow)
    elif job.kind == PACKED:
        count_packed(width, job, room, records, n, starts, offset, n_narrow)
    else:
        count_numbers(width, job, records, n, starts, offset, n_narrow)


cdef int32_t list_present(Tally* width, const Job* job, Room* room, int b, int32_t n_codes, bint marked) noexcept nogil:
    """List the codes of a node's rows in ascending order, with the positions of their sums; clears the marks."""
    cdef const Tally* histogram = <const Tally*>room.histogram + <int64_t>b * MOST_CODES * job.width
    cdef uint64_t* seen = room.seen + b * WORDS
    cdef uint64_t bits
    cdef int32_t n = 0, code, k
    cdef int word
    if marked:
        for word in range(WORDS):
            bits = seen[word]
            seen[word] = 0
            while bits:
                room.present[n] = room.places[n] = word * 64 + hb_lowest_bit(bits)
                n += 1
                bits &= bits - 1
        return n
    for code in range(n_codes):
        for k in range(job.width if job.n_classes else 1):
            if histogram[code * job.width + k] != 0:
                room.present[n] = room.places[n] = code
                n += 1
                break
    return n


cdef int32_t list_wide(Tally* width, const Job* job, Room* room, const uint8_t* records, int64_t n,
                       int32_t feature) noexcept nogil:
    """The same for a column with too many codes to count: a node's rows are sorted by code, and runs are summed."""
    cdef const int32_t* codes = job.wide[feature]
    cdef const uint8_t* record
    cdef Tally* runs = <Tally*>room.runs
    cdef Tally* place = runs - job.width
    cdef int64_t i
    cdef int32_t n_runs = 0, code
    cdef int n_digits = 1
    cdef uint32_t[4 << CODE_BITS] counts
    cdef const uint64_t* keys
    for i in range(n):
        room.keys[i] = (<uint64_t>codes[origin_of(job, records + i * job.size)] << 32) | <uint64_t>i
    while job.n_bins[feature] >> (n_digits * CODE_BITS):
        n_digits += 1
    keys = <const uint64_t*>hb_radix_sort(
        room.keys, room.other_keys, n, sizeof(uint64_t), False, 32, CODE_BITS, n_digits, counts)
    for i in range(n):
        code = <int32_t>(keys[i] >> 32)
        if n_runs == 0 or room.present[n_runs - 1] != code:
            room.present[n_runs] = code
            room.places[n_runs] = n_runs
            n_runs += 1
            place += job.width
            memset(place, 0, job.width * sizeof(Tally))
        record = records + <int64_t>(<uint32_t>keys[i]) * job.size
        if job.n_classes:
            place[label_of(job, record)] += <Tally>row_weight(job, record)
        else:
            place[0] += <Tally>row_weight(job, record)
            place[1] += <Tally>(row_weight(job, record) * number_of(job, record))
    return n_runs
