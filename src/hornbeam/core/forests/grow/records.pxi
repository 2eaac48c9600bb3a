# Part of grower.pyx: a tree's own records of rows. The records of a node are contiguous; its split moves them to its
# branches, so that all work on a node reads memory sequentially.


cdef void lay_out(Job* job, int64_t place) noexcept nogil:
    """Set the layout of a record after its codes."""
    job.origin = place = (place + 3) // 4 * 4
    place += sizeof(uint32_t)
    if job.n_classes and job.kind != PAIRS:
        job.label = place
        place += sizeof(int32_t)
    if job.kind != CLASSES:
        place = (place + 7) // 8 * 8
    if job.n_classes == 0:
        job.number = place
        place += sizeof(double)
    job.weight = place
    place += sizeof(int32_t) if job.kind == CLASSES else sizeof(double)
    job.size = (place + 7) // 8 * 8


cdef int64_t draw_rows(const Job* job, Room* room, uint64_t tree) noexcept nogil:
    """Draw a tree's rows; returns the number of distinct rows."""
    cdef int64_t i, n = 0
    cdef uint64_t state = mix(job.seed, tree, 0)
    if not job.bootstrap and job.n_drawn == job.n_rows:
        for i in range(job.n_rows):
            room.counts[i] = 1
        return job.n_rows
    if job.bootstrap:
        memset(room.counts, 0, job.n_rows * sizeof(int32_t))
        for i in range(job.n_drawn):
            room.counts[below(next_word(&state), job.n_rows)] += 1
        for i in range(job.n_rows):
            n += room.counts[i] > 0
        return n
    for i in range(job.n_rows):  # without replacement: each row is taken with the remaining probability
        room.counts[i] = below(next_word(&state), job.n_rows - i) < job.n_drawn - n
        n += room.counts[i]
    return n


cdef void write_records(const Job* job, const Room* room) noexcept nogil:
    """Make a record for every row drawn."""
    cdef int64_t row, word
    cdef int32_t count
    cdef uint8_t* record = room.records
    cdef uint8_t* weight
    cdef const uint8_t* codes
    for row in range(job.n_rows):
        count = room.counts[row]
        if count == 0:
            continue
        codes = job.codes + row * job.stride
        for word in range(0, job.stride, 8):  # what follows the codes is overwritten later
            memcpy(record + word, codes + word, 8)
        weight = record + job.weight
        (<uint32_t*>(record + job.origin))[0] = <uint32_t>row
        if job.n_classes == 0:
            (<double*>(record + job.number))[0] = job.numbers[row]
        elif job.kind != PAIRS:
            (<int32_t*>(record + job.label))[0] = job.labels[row]
        if job.kind == PAIRS:
            (<int32_t*>weight)[job.labels[row]] = count
            (<int32_t*>weight)[1 - job.labels[row]] = 0
        elif job.kind == CLASSES:
            (<int32_t*>weight)[0] = count
        elif job.kind == PACKED:
            word = <int64_t>rint(job.numbers[row] * job.scale) * count
            (<int64_t*>weight)[0] = word * (<int64_t>1 << job.count_bits) + count
        else:
            (<double*>weight)[0] = count if job.weights == NULL else count * job.weights[row]
        record += job.size


cdef void set_sides(const Job* job, Room* room, const Found* found, bint back) noexcept nogil:
    """Set the branch of every code of a narrow column; for a wide nominal one, of the codes of the first branch.

    Those of a wide column are reset afterwards (`back`), because it may have more categories than the node has rows.
    """
    cdef int32_t n_bins = job.n_bins[found.feature], i
    cdef bint named = job.nominal[found.feature]
    if job.wide[found.feature] == NULL and not back:
        memset(room.side, 1, n_bins)
        if not named:
            memset(room.side, 0, found.cut + 1)
        if n_bins < MOST_CODES:
            room.side[n_bins] = <uint8_t>found.missing
    if named and job.wide[found.feature] != NULL:
        for i in range(found.n_codes):
            room.wide_side[room.best_codes[i]] = back
    elif named:
        for i in range(found.n_codes):
            room.side[room.best_codes[i]] = 0
    elif job.values[found.feature] != NULL and found.low < found.high:
        room.side[found.low] = room.side[found.high] = NEAR


cdef inline void send(const Job* job, const uint8_t* record, int64_t n, int64_t size, int32_t feature,
                      const uint8_t* side, uint8_t** ends, const int64_t* steps) noexcept nogil:
    """Copy records to their branches; the first branch overwrites what has been read."""
    cdef int64_t i, place = job.place[feature]
    cdef uint8_t branch, shift = job.shift[feature], mask = job.mask[feature]
    cdef uint8_t* end
    for i in range(n):
        branch = side[(record[place] >> shift) & mask]
        end = ends[branch]
        memcpy(end, record, size)
        ends[branch] = end + steps[branch]
        record += size


cdef void send_wide(const Job* job, Room* room, const uint8_t* record, int64_t n, const Found* found, uint8_t** ends,
                    const int64_t* steps) noexcept nogil:
    """The same by a wide column."""
    cdef int64_t i
    cdef int32_t code
    cdef int branch
    cdef const int32_t* codes = job.wide[found.feature]
    for i in range(n):
        code = codes[origin_of(job, record)]
        branch = found.missing
        if code != job.n_bins[found.feature]:
            branch = room.wide_side[code] if job.nominal[found.feature] else code > found.cut
        memcpy(ends[branch], record, job.size)
        ends[branch] += steps[branch]
        record += job.size


cdef int64_t part(const Job* job, Room* room, const Task* task, Found* found, double* sums) noexcept nogil:
    """Move a node's records to its branches; returns where the second branch begins. Also stores the sums of both.

    If the column's bins hold several values, the cut is moved to the best position between any two values in the bins
    next to it: records in these bins wait at the end of the spare memory until all others are moved.
    """
    cdef int64_t n = task.end - task.begin, size = job.size, n_first, n_second
    cdef uint8_t* records = room.records + task.begin * size
    cdef uint8_t* ends[3]
    cdef int64_t steps[3]
    ends[0], ends[1], ends[2] = records, room.spare, room.spare + (n - 1) * size
    steps[0], steps[1], steps[2] = size, size, -size
    set_sides(job, room, found, False)
    if job.wide[found.feature] != NULL:
        send_wide(job, room, records, n, found, ends, steps)
        set_sides(job, room, found, True)
    elif size == 24:  # copying a constant number of bytes takes few instructions
        send(job, records, n, 24, found.feature, room.side, ends, steps)
    elif size == 32:
        send(job, records, n, 32, found.feature, room.side, ends, steps)
    elif size == 40:
        send(job, records, n, 40, found.feature, room.side, ends, steps)
    elif size == 48:
        send(job, records, n, 48, found.feature, room.side, ends, steps)
    elif size == 64:
        send(job, records, n, 64, found.feature, room.side, ends, steps)
    elif size == 72:
        send(job, records, n, 72, found.feature, room.side, ends, steps)
    else:
        send(job, records, n, size, found.feature, room.side, ends, steps)
    n_first, n_second = (ends[0] - records) // size, (ends[1] - room.spare) // size
    sum_branches(job, room, task, n_first, n_second, sums)
    if n_first + n_second < n:
        n_first, n_second = send_near(job, room, task, found, n_first, n_second, sums)
    memcpy(records + n_first * size, room.spare, n_second * size)
    return task.begin + n_first


cdef void sum_branches(const Job* job, Room* room, const Task* task, int64_t n_first, int64_t n_second,
                       double* sums) noexcept nogil:
    """Sum both branches: the one with fewer rows directly, the other by subtraction. Undecided rows are in neither.

    Sums of undecided rows are stored in `room.moved`.
    """
    cdef const double* whole = room.nodes.sums + <int64_t>task.node * job.width
    cdef int64_t n_near = task.end - task.begin - n_first - n_second
    cdef int smaller = 0 if n_first <= n_second else 1
    cdef double* other = sums + (1 - smaller) * job.width
    cdef int32_t k
    sum_rows(job, room.spare + (task.end - task.begin - n_near) * job.size, n_near, room.moved)
    if smaller == 0 or job.n_classes and job.kind == WEIGHTS:
        sum_rows(job, room.records + task.begin * job.size, n_first, sums)
    if smaller == 1 or job.n_classes and job.kind == WEIGHTS:
        sum_rows(job, room.spare, n_second, sums + job.width)
    if job.n_classes and job.kind == WEIGHTS:  # an absent class must not keep a rounding residue as its weight
        return
    for k in range(job.width):
        other[k] = whole[k] - sums[smaller * job.width + k] - room.moved[k]


cdef void sum_rows(const Job* job, const uint8_t* record, int64_t n, double* sums) noexcept nogil:
    cdef int64_t i
    memset(sums, 0, job.width * sizeof(double))
    for i in range(n):
        add_row(job, record, sums)
        record += job.size


cdef (int64_t, int64_t) send_near(const Job* job, Room* room, const Task* task, Found* found, int64_t n_first,
                                  int64_t n_second, double* sums) noexcept nogil:
    """Find the best cut within two bins, and move the records in them; updates the sizes of both branches."""
    cdef int64_t size = job.size, n_near = task.end - task.begin - n_first - n_second, i
    cdef uint8_t* records = room.records + task.begin * size
    cdef const uint8_t* near = room.spare + (task.end - task.begin - n_near) * size
    cdef const uint8_t* record = near
    cdef const double* values = job.values[found.feature]
    cdef int32_t k, side
    for i in range(n_near):
        room.near_value[i] = values[origin_of(job, record)]
        record += size
    hb_sort_indices(room.near, room.near_spare, room.near_value, n_near)
    if n_near == 2:  # there is only one cut
        found.threshold = halfway(room.near_value[room.near[0]], room.near_value[room.near[1]])
    else:
        refine(job, room, near, <int32_t>n_near, sums, found, mass(job, room.nodes.sums + task.node * job.width,
               weight_of(job, room.nodes.sums + task.node * job.width)))
    record = near
    for i in range(n_near):  # front to back, so that only records already read are overwritten
        side = values[origin_of(job, record)] > found.threshold
        add_row(job, record, sums + side * job.width)
        if side:
            memmove(room.spare + n_second * size, record, size)
            n_second += 1
        else:
            memcpy(records + n_first * size, record, size)
            n_first += 1
        record += size
    return n_first, n_second


cdef void refine(const Job* job, Room* room, const uint8_t* near, int32_t n, const double* sums, Found* found,
                 double whole) noexcept nogil:
    """Move a cut between two bins to the best position between any two values in them."""
    cdef int32_t i, k
    cdef double best = -INFINITY, score, left_weight, right_weight, value, following
    cdef double* left = room.left
    cdef double* right = room.right
    for k in range(job.width):
        left[k] = sums[k]
        right[k] = sums[job.width + k] + room.moved[k]
    for i in range(n - 1):
        take_row(job, near + room.near[i] * job.size, room.moved, right)
        for k in range(job.width):
            left[k] += room.moved[k]
        value, following = room.near_value[room.near[i]], room.near_value[room.near[i + 1]]
        if value == following:
            continue
        left_weight, right_weight = weight_of(job, left), weight_of(job, right)
        if left_weight < job.min_leaf or right_weight < job.min_leaf or right_weight <= 0.0:
            continue
        score = mass(job, left, left_weight) + mass(job, right, right_weight)
        if score > best:
            best = score
            found.threshold = halfway(value, following)
    if best > -INFINITY:
        found.score = best - whole


cdef inline void take_row(const Job* job, const uint8_t* record, double* moved, double* sums) noexcept nogil:
    """Subtract a row from sums, and keep a copy of the row."""
    cdef int32_t k
    memset(moved, 0, job.width * sizeof(double))
    add_row(job, record, moved)
    for k in range(job.width):
        sums[k] -= moved[k]
