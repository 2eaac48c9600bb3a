# Part of grower.pyx: nodes with two rows, of which there are many: any split that separates the rows is best.


cdef inline bint is_plain(const Job* job, int32_t feature) noexcept nogil:
    """Whether a column's codes are ordered and fit in bytes."""
    return job.wide[feature] == NULL and not is_bit(job, feature) and not job.nominal[feature]


cdef inline bint is_pair(const Job* job, const uint8_t* records, int32_t feature) noexcept nogil:
    """Whether a column is plain and not missing in both rows."""
    cdef int32_t n_bins = job.n_bins[feature], place = job.place[feature]
    return is_plain(job, feature) and records[place] != n_bins and records[job.size + place] != n_bins


cdef inline bint try_pair(const Job* job, const uint8_t* records, int32_t feature, Found* best) noexcept nogil:
    """Separate two rows by a column; returns whether they differ."""
    cdef int32_t place = job.place[feature], low = records[place], high = records[job.size + place]
    cdef double first = row_weight(job, records), second = row_weight(job, records + job.size)
    if low == high:
        return False
    if first < job.min_leaf or second < job.min_leaf:
        return True
    best.score = mass_of_row(job, records, first) + mass_of_row(job, records + job.size, second)
    best.feature = feature
    best.missing = second > first if low < high else first > second
    best.low, best.high = min(low, high), max(low, high)
    best.cut = (best.low + best.high - 1) >> 1
    return True


cdef inline double mass_of_row(const Job* job, const uint8_t* record, double weight) noexcept nogil:
    """The score of a branch with one row."""
    if job.n_classes == 0:
        return weight * number_of(job, record) * number_of(job, record)
    return 0.0 if job.entropy else weight


cdef int64_t part_pair(const Job* job, Room* room, const Task* task, const Found* found, double* sums) noexcept nogil:
    """Move two records to their branches by a plain column; returns where the second begins. Also stores the sums."""
    cdef uint8_t* first = room.records + task.begin * job.size
    cdef uint8_t* second = first + job.size
    cdef PairCut* cut
    if first[job.place[found.feature]] > second[job.place[found.feature]]:
        memcpy(room.spare, first, job.size)
        memcpy(first, second, job.size)
        memcpy(second, room.spare, job.size)
    sum_rows(job, first, 1, sums)
    sum_rows(job, second, 1, sums + job.width)
    if job.values[found.feature] != NULL:  # they are scattered in memory: prefetch many before reading the first
        if room.n_pair_cuts == MOST_PAIR_CUTS:
            set_pair_cuts(room)
        cut = &room.pair_cuts[room.n_pair_cuts]
        cut.node = task.node
        cut.low = job.values[found.feature] + origin_of(job, first)
        cut.high = job.values[found.feature] + origin_of(job, second)
        hb_fetch(cut.low)
        hb_fetch(cut.high)
        room.n_pair_cuts += 1
    return task.begin + 1


cdef void set_pair_cuts(Room* room) noexcept nogil:
    """Store the cuts between the values of two rows, for the nodes that still need them."""
    cdef int32_t i
    for i in range(room.n_pair_cuts):
        room.nodes.threshold[room.pair_cuts[i].node] = halfway(room.pair_cuts[i].low[0], room.pair_cuts[i].high[0])
    room.n_pair_cuts = 0
