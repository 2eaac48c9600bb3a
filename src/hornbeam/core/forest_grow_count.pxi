# Part of forest_grow.pyx: what rows weigh and score; a node's rows summed by the codes of columns.


cdef inline double mass(const Job* job, const double* sums, double weight) noexcept nogil:
    """What a branch scores: the sum of squares over its weight, or less its entropy times its weight."""
    cdef double total = 0.0
    cdef int32_t k
    if weight <= 0.0:
        return 0.0
    if job.n_classes == 0:
        return sums[1] * sums[1] / weight
    if job.entropy:
        for k in range(job.n_classes):
            if sums[k] > 0.0:
                total += sums[k] * log2(sums[k] / weight)
        return total
    for k in range(job.n_classes):
        total += sums[k] * sums[k]
    return total / weight


cdef inline double row_weight(const View* view, int64_t row) noexcept nogil:
    return <double>view.counts[row] if view.weights == NULL else view.weights[row]


cdef inline double halfway(double low, double high) noexcept nogil:
    """Between two values; the lower one where rounding would reach the higher."""
    cdef double middle = low + (high - low) * 0.5
    if not middle < INFINITY:
        middle = low * 0.5 + high * 0.5
    return middle if middle < high else low


cdef inline void add_row(const Job* job, const View* view, int64_t row, double* sums) noexcept nogil:
    cdef double weight = row_weight(view, row)
    if job.n_classes:
        sums[view.labels[row]] += weight
    else:
        sums[0] += weight
        sums[1] += weight * view.numbers[row]


cdef inline double weight_of(const Job* job, const double* sums) noexcept nogil:
    cdef double total = 0.0
    cdef int32_t k
    if job.n_classes == 0:
        return sums[0]
    for k in range(job.n_classes):
        total += sums[k]
    return total


cdef inline void count_classes(Tally* width, const Job* job, const View* view, const uint32_t* rows, int64_t n,
                               Tally** starts, const int* offset, int n_columns) noexcept nogil:
    """Sum rows by code and class."""
    cdef const uint8_t* records = view.records
    cdef const uint8_t* record
    cdef int64_t i, row, stride = job.stride, n_classes = job.width, label, n_ahead = n - AHEAD
    cdef Tally weight
    cdef Tally* first = starts[0]
    cdef Tally* second = starts[1]
    cdef Tally* third = starts[2]
    cdef Tally* fourth = starts[3]
    cdef int64_t place0 = offset[0], place1 = offset[1], place2 = offset[2], place3 = offset[3]
    cdef int b
    for i in range(n):
        row = rows[i]
        record = records + row * stride
        if i < n_ahead:
            prefetch(records + <int64_t>rows[i + AHEAD] * stride)
        if Tally is int32_t:
            weight = view.counts[row]
        else:
            weight = row_weight(view, row)
        label = view.labels[row]
        if n_columns >= 4:  # the most frequent case without a loop
            first[record[place0] * n_classes + label] += weight
            second[record[place1] * n_classes + label] += weight
            third[record[place2] * n_classes + label] += weight
            fourth[record[place3] * n_classes + label] += weight
            for b in range(4, n_columns):
                starts[b][record[offset[b]] * n_classes + label] += weight
        else:
            for b in range(n_columns):
                starts[b][record[offset[b]] * n_classes + label] += weight


cdef inline void count_numbers(Tally* width, const Job* job, const View* view, const uint32_t* rows, int64_t n,
                               Tally** starts, const int* offset, int n_columns) noexcept nogil:
    """Sum weights, and numbers times weights, by code."""
    cdef const uint8_t* record
    cdef int64_t i, row, stride = job.stride, n_ahead = n - AHEAD
    cdef double weight, product
    cdef Tally* place
    cdef int b
    for i in range(n):
        row = rows[i]
        record = view.records + row * stride
        if i < n_ahead:
            prefetch(view.records + <int64_t>rows[i + AHEAD] * stride)
        weight = row_weight(view, row)
        product = weight * view.numbers[row]
        for b in range(n_columns):
            place = starts[b] + <int64_t>record[offset[b]] * NUMBER_WIDTH
            place[0] += <Tally>weight
            place[1] += <Tally>product


cdef inline void count_packed(Tally* width, const Job* job, const View* view, Room* room, const uint32_t* rows,
                              int64_t n, Tally** starts, const int* offset, int n_columns) noexcept nogil:
    """The same with one sum for both: rounded numbers stand above the counts in a word; they are parted at the end."""
    cdef const uint8_t* records = view.records
    cdef const uint8_t* record
    cdef int64_t i, row, packed, stride = job.stride, n_ahead = n - AHEAD, mask = (<int64_t>1 << job.count_bits) - 1
    cdef int64_t* first = room.packed_bins
    cdef int64_t* second = first + MOST_CODES
    cdef int64_t* third = second + MOST_CODES
    cdef int64_t place0 = offset[0], place1 = offset[1], place2 = offset[2]
    cdef double size = 1.0 / job.scale
    cdef int b
    for i in range(n):
        row = rows[i]
        record = records + row * stride
        if i < n_ahead:
            prefetch(records + <int64_t>rows[i + AHEAD] * stride)
        packed = view.packed[row]
        if n_columns >= 3:
            first[record[place0]] += packed
            second[record[place1]] += packed
            third[record[place2]] += packed
            for b in range(3, n_columns):
                first[b * MOST_CODES + record[offset[b]]] += packed
        else:
            for b in range(n_columns):
                first[b * MOST_CODES + record[offset[b]]] += packed
    for b in range(n_columns):
        for i in range(MOST_CODES):
            packed = first[b * MOST_CODES + i]
            starts[b][i * NUMBER_WIDTH] = <Tally>(packed & mask)
            starts[b][i * NUMBER_WIDTH + 1] = <Tally>(<double>(packed >> job.count_bits) * size)
    memset(first, 0, n_columns * MOST_CODES * sizeof(int64_t))


cdef void count_batch(Tally* width, const Job* job, const View* view, Room* room, const uint32_t* rows, int64_t n,
                      const int32_t* features, int n_batch, bint mark) noexcept nogil:
    """Sum a node's rows by the codes of some columns; mark the codes seen where there are few rows."""
    cdef const uint8_t* record
    cdef int64_t i
    cdef int b, n_narrow = 0
    cdef int offset[BATCH]
    cdef Tally* starts[BATCH]
    cdef uint64_t* marks[BATCH]
    cdef int32_t code
    memset(offset, 0, sizeof(offset))
    memset(starts, 0, sizeof(starts))
    for b in range(n_batch):
        if job.wide[features[b]] == NULL:
            offset[n_narrow] = features[b]
            starts[n_narrow] = <Tally*>room.histogram + <int64_t>b * MOST_CODES * job.width
            marks[n_narrow] = room.seen + b * WORDS
            n_narrow += 1
    if n_narrow == 0:
        return
    if job.n_classes:
        count_classes(width, job, view, rows, n, starts, offset, n_narrow)
    elif job.count_bits and not mark:
        count_packed(width, job, view, room, rows, n, starts, offset, n_narrow)
    else:
        count_numbers(width, job, view, rows, n, starts, offset, n_narrow)
    if mark:
        for i in range(n):
            record = view.records + rows[i] * job.stride
            for b in range(n_narrow):
                code = record[offset[b]]
                marks[b][code >> 6] |= <uint64_t>1 << (code & 63)


cdef int32_t list_present(Tally* width, const Job* job, Room* room, int b, int32_t n_codes, bint marked) noexcept nogil:
    """The codes that a node's rows have, in rising order, and where their sums are; marks are taken back."""
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
                room.present[n] = room.places[n] = word * 64 + trailing_zeros(bits)
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


cdef int32_t list_wide(Tally* width, const Job* job, const View* view, Room* room, const uint32_t* rows, int64_t n,
                       int32_t feature) noexcept nogil:
    """The same of a column whose codes are too many to count: a node's rows are sorted by code, and runs summed."""
    cdef const int32_t* codes = job.wide[feature]
    cdef Tally* runs = <Tally*>room.runs
    cdef Tally* place = runs - job.width
    cdef int64_t i, row
    cdef int32_t n_runs = 0, code
    cdef const uint64_t* keys
    for i in range(n):
        row = rows[i] if view.origin == NULL else view.origin[rows[i]]
        room.keys[i] = (<uint64_t>codes[row] << 32) | <uint64_t>i
    keys = in_order(room.keys, room.other_keys, n, job.n_bins[feature])
    for i in range(n):
        code = <int32_t>(keys[i] >> 32)
        if n_runs == 0 or room.present[n_runs - 1] != code:
            room.present[n_runs] = code
            room.places[n_runs] = n_runs
            n_runs += 1
            place += job.width
            memset(place, 0, job.width * sizeof(Tally))
        row = rows[<uint32_t>keys[i]]
        if Tally is int32_t:
            place[view.labels[row]] += view.counts[row]
        elif job.n_classes:
            place[view.labels[row]] += row_weight(view, row)
        else:
            place[0] += row_weight(view, row)
            place[1] += row_weight(view, row) * view.numbers[row]
    return n_runs


cdef uint64_t* in_order(uint64_t* keys, uint64_t* other, int64_t n, int32_t largest) noexcept nogil:
    """Keys by their upper halves, equal ones as they were; in one of the two places."""
    cdef int64_t counts[256]
    cdef int64_t i, j, total, count
    cdef uint64_t key
    cdef int shift = 32
    if n <= 48:
        for i in range(1, n):
            key = keys[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = key
        return keys
    while shift < 64 and (<uint64_t>largest >> (shift - 32)):
        memset(counts, 0, sizeof(counts))
        for i in range(n):
            counts[(keys[i] >> shift) & 255] += 1
        total = 0
        for i in range(256):
            count = counts[i]
            counts[i] = total
            total += count
        for i in range(n):
            key = keys[i]
            j = (key >> shift) & 255
            other[counts[j]] = key
            counts[j] += 1
        keys, other = other, keys
        shift += 8
    return keys
