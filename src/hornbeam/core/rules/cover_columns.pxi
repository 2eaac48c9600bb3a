# Part of cover.pyx: columns of the uncovered rows, with sums of blocks, of blocks of blocks and so on.

cdef enum:
    LEVELS = 8
    ROW_SHIFT = 3  # entry >> ROW_SHIFT is the row; an entry is that of the trees' lists, for two classes
    STEP = 4  # 16 positions are a block, 16 blocks are one of the next level


cdef struct Column:
    int64_t n_codes  # 0: numbers
    const double* values  # by row
    const int32_t* codes  # by row
    int32_t* ranked  # categories by descending fraction of the class, as ordered by the last search
    # numbers: positions of the rows with a known value, by ascending value; some of the rows may be removed
    int64_t n_places, n_left
    uint32_t* entries  # by position: row and steps, without a class
    uint32_t* place  # by row
    uint32_t* left  # without an index: the entries of the remaining rows
    # the index, with which a condition on all rows is found without reading all of them
    double* sorted  # values by position
    int32_t* classes  # by position; -1: removed
    int n_levels
    int64_t n_blocks[LEVELS]
    double* sums[LEVELS]  # of every block: the weight of each class, then of all
    double* highest[LEVELS]  # of every block: an upper bound of the fraction of the target class at its cuts
    # rows of every category in turn, then those with a missing value; for numbers, only the latter
    uint32_t* members
    int64_t* start
    int64_t* size  # for each: how many rows to read,
    int64_t* alive  # and how many of them remain
    double* counts  # class weights of every category


cdef struct Field:
    int64_t n_rows, n_columns
    int n_classes
    bint indexed
    Column* columns
    uint8_t* here  # the row is not covered yet
    const int32_t* classes
    const double* weights  # NULL: every row counts once
    double* class_left
    int64_t* rows_left  # of every class
    bint whole_weights  # integer weights, whose sums are exact
    # The fraction of a class below or above a cut can only fall as long as only rows of the class are removed.
    int sought  # the class of the last search, if no row of another class was removed since; else -1
    int64_t in_a_row  # number of consecutive searches for it


cdef inline double weight_of(const Field* field, uint32_t row) noexcept nogil:
    return 1.0 if field.weights == NULL else field.weights[row]


cdef void sum_up(Field* field, Column* column) noexcept nogil:
    """Sum up the blocks of a numeric column, and blocks of blocks until there are few."""
    cdef int64_t i, j, width = field.n_classes + 1, n = column.n_places
    cdef int level = 0
    cdef double* sums
    cdef double weight
    column.n_levels = 0
    while True:
        n = (n + (1 << STEP) - 1) >> STEP
        sums = column.sums[level]
        column.n_blocks[level] = n
        memset(sums, 0, n * width * sizeof(double))
        if level == 0:
            for i in range(column.n_places):
                if column.classes[i] >= 0:
                    weight = weight_of(field, column.entries[i] >> ROW_SHIFT)
                    sums[(i >> STEP) * width + column.classes[i]] += weight
                    sums[(i >> STEP) * width + width - 1] += weight
        else:
            for i in range(column.n_blocks[level - 1]):
                for j in range(width):
                    sums[(i >> STEP) * width + j] += column.sums[level - 1][i * width + j]
        level += 1
        if n <= 1 << STEP or level == LEVELS:
            break
    column.n_levels = level
    forget_bounds(column)


cdef void forget_bounds(Column* column) noexcept nogil:
    """Reset the bounds: no fraction is ruled out."""
    cdef int level
    cdef int64_t block
    for level in range(column.n_levels):
        for block in range(column.n_blocks[level]):
            column.highest[level][block] = 2.0


cdef void close_gaps(Field* field, Column* column) noexcept nogil:
    """Drop the positions of removed rows."""
    cdef int64_t i, n = 0
    cdef uint32_t row
    for i in range(column.n_places):
        if column.classes[i] >= 0:
            row = column.entries[i] >> ROW_SHIFT
            column.entries[n] = row << ROW_SHIFT
            if n > 0 and column.sorted[i] != column.sorted[n - 1]:
                column.entries[n] |= STEPS
            column.place[row], column.sorted[n], column.classes[n] = <uint32_t>n, column.sorted[i], column.classes[i]
            n += 1
    column.n_places = n
    sum_up(field, column)


cdef void take_away(Field* field, Column* column, uint32_t row) noexcept nogil:
    """Remove a row from the index of a column."""
    cdef int64_t code = 0, place, at, i, n, width = field.n_classes + 1
    cdef int level, label = field.classes[row]
    cdef double weight = weight_of(field, row)
    cdef uint32_t* members
    if column.n_codes == 0 and column.values[row] == column.values[row]:
        place = column.place[row]
        column.classes[place] = -1
        column.n_left -= 1
        for level in range(column.n_levels):
            place >>= STEP
            column.sums[level][place * width + label] -= weight
            column.sums[level][place * width + width - 1] -= weight
        if 2 * column.n_left < column.n_places:
            close_gaps(field, column)
        return
    if column.n_codes:
        code = column.codes[row] if column.codes[row] >= 0 else column.n_codes
        column.counts[code * field.n_classes + label] -= weight
    column.alive[code] -= 1
    if 2 * column.alive[code] < column.size[code]:
        members = column.members + column.start[code]
        n = 0
        for i in range(column.size[code]):
            at = members[i]
            members[n] = <uint32_t>at
            n += field.here[at]
        column.size[code] = n


cdef int64_t places_below(const Column* column, double cut) noexcept nogil:
    """How many positions of a numeric column are below a cut."""
    cdef int64_t low = 0, high = column.n_places, half
    while low < high:
        half = (low + high) // 2
        if column.sorted[half] < cut:
            low = half + 1
        else:
            high = half
    return low


cdef void sums_before(
    const Field* field, const Column* column, int64_t place, int label,  # IN
    double* p, double* t,  # OUT
) noexcept nogil:
    """Weight of a class and of all rows before a position."""
    cdef int level = column.n_levels - 1
    cdef int64_t block = 0, width = field.n_classes + 1, end
    p[0] = t[0] = 0.0
    while level >= 0:
        end = place >> (STEP * (level + 1))
        while block < end:
            p[0] += column.sums[level][block * width + label]
            t[0] += column.sums[level][block * width + width - 1]
            block += 1
        block <<= STEP
        level -= 1
    while block < place:
        if column.classes[block] >= 0:
            t[0] += weight_of(field, column.entries[block] >> ROW_SHIFT)
            if column.classes[block] == label:
                p[0] += weight_of(field, column.entries[block] >> ROW_SHIFT)
        block += 1
