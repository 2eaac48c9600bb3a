# Part of cover.pyx: the rows that a rule covers, listed by every column, and the best condition on them.

cdef struct Lists:
    int64_t n_rows
    uint32_t* rows
    int64_t* sizes
    uint32_t** places  # of every numeric column, rising
    uint8_t* inside  # by row of the field; nothing is marked between calls


cdef void scan_list(
    const Field* field, const Search* search, int64_t at, const uint32_t* places, int64_t n,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    """The best cut of a numeric column among the rows that the rule covers."""
    cdef const Column* column = &field.columns[at]
    cdef int64_t i
    cdef uint32_t place
    cdef double known_p = 0.0, known_t = 0.0, p = 0.0, t = 0.0, weight = 1.0
    cdef double cut_p = 0.0, cut_t = 0.0, low = 0.0, high = 0.0, value
    cdef int kind = 0, kind_before = 0  # of the rows with one value: 1 of the class, 2 of others, 3 both
    for i in range(n):
        if field.weights != NULL:
            weight = field.weights[column.rows[places[i]]]
        known_t += weight
        if column.classes[places[i]] == search.label:
            known_p += weight
    # A cut between rows of one class is worse than one farther on, unless it is the first or the last, or sums of
    # weights are not exact. So a cut is offered once the classes above it are known.
    for i in range(n):
        place = places[i]
        value = column.sorted[place]
        if i and value != high:
            if cut_t > 0.0 and (kind_before != kind or kind == 3 or not field.whole_weights):
                offer_cut(search, at, cut_p, cut_t, known_p, known_t, low, high, best)
            kind_before, kind = (kind if cut_t > 0.0 else 0), 0
            cut_p, cut_t, low = p, t, high
        high = value
        if field.weights != NULL:
            weight = field.weights[column.rows[place]]
        t += weight
        if column.classes[place] == search.label:
            p += weight
            kind |= 1
        else:
            kind |= 2
    if cut_t > 0.0:
        offer_cut(search, at, cut_p, cut_t, known_p, known_t, low, high, best)
    if search.own_missing and known_t < search.whole_t * NEAR:
        offer_missing(search, at, search.whole_p - known_p, search.whole_t - known_t, best)


cdef void count_some(
    const Field* field, const Column* column, const uint32_t* rows, int64_t n, int label,  # IN
    Scratch* scratch,  # OUT
) noexcept nogil:
    """Weights of every category among the rows that the rule covers."""
    cdef double* code_p = scratch.code_p
    cdef double* code_t = scratch.code_t
    cdef int64_t i, code
    cdef uint32_t row
    memset(code_p, 0, (column.n_codes + 1) * sizeof(double))
    memset(code_t, 0, (column.n_codes + 1) * sizeof(double))
    for i in range(n):
        row = rows[i]
        code = column.codes[row] if column.codes[row] >= 0 else column.n_codes
        code_t[code] += weight_of(field, row)
        if field.classes[row] == label:
            code_p[code] += weight_of(field, row)


cdef void search_lists(
    const Field* field, const Lists* lists, const Search* search, const uint8_t* used,  # IN
    Scratch* scratch, Best* best,  # OUT
) noexcept nogil:
    """The best condition among the rows listed."""
    cdef int64_t at
    for at in range(field.n_columns):
        if field.columns[at].n_codes == 0:
            if lists.sizes[at]:
                scan_list(field, search, at, lists.places[at], lists.sizes[at], best)
        elif not used[at]:
            count_some(field, &field.columns[at], lists.rows, lists.n_rows, search.label, scratch)
            scan_codes(search, field.columns[at].n_codes, at, scratch, best)


cdef void list_places(const Field* field, Lists* lists, int64_t at) noexcept nogil:
    """The list of a numeric column; the rows are marked as inside."""
    cdef const Column* column = &field.columns[at]
    cdef uint32_t* places = lists.places[at]
    cdef uint32_t row
    cdef int64_t i, n = 0
    if lists.n_rows * 16 > column.n_places:
        for i in range(column.n_places):
            places[n] = <uint32_t>i
            n += lists.inside[column.rows[i]]  # no row that is gone is
    else:
        for i in range(lists.n_rows):
            row = lists.rows[i]
            if column.values[row] == column.values[row]:
                places[n] = column.place[row]
                n += 1
        sort_rising(places, n)
    lists.sizes[at] = n


cdef void list_rows(const Field* field, Lists* lists) noexcept nogil:
    """The lists of every numeric column, from the rows."""
    cdef int64_t i
    for i in range(lists.n_rows):
        lists.inside[lists.rows[i]] = 1
    for i in range(field.n_columns):
        if field.columns[i].n_codes == 0:
            list_places(field, lists, i)
    for i in range(lists.n_rows):
        lists.inside[lists.rows[i]] = 0


cdef void narrow_lists(const Field* field, Lists* lists, const Rule* rule) noexcept nogil:
    """Leave the rows that meet the rule's last condition."""
    cdef const Condition* condition = &rule.conditions[rule.size - 1]
    cdef const uint32_t* row_at
    cdef uint32_t* places
    cdef uint32_t entry
    cdef int64_t i, at, kept = 0
    for i in range(lists.n_rows):
        entry = lists.rows[i]
        lists.inside[entry] = passes(field, rule, condition, entry)
    for at in range(field.n_columns):
        if field.columns[at].n_codes:
            continue
        row_at, places, kept = field.columns[at].rows, lists.places[at], 0
        for i in range(lists.sizes[at]):
            entry = places[i]
            places[kept] = entry
            kept += lists.inside[row_at[entry]]
        lists.sizes[at] = kept
    kept = 0
    for i in range(lists.n_rows):
        entry = lists.rows[i]
        lists.rows[kept] = entry
        kept += lists.inside[entry]
        lists.inside[entry] = 0
    lists.n_rows = kept


cdef void sort_rising(uint32_t* numbers, int64_t n) noexcept nogil:
    """Sort numbers: few by insertion, more by parts around a middle one."""
    cdef int64_t i, j, left = 0, right = n - 1
    cdef uint32_t pivot, other
    while n > 24:
        # the middle one of three, so that sorted numbers are no bad case
        i, j = left, right
        pivot = numbers[left + (right - left) // 2]
        if (numbers[left] < pivot) == (pivot < numbers[right]):
            pass
        elif (pivot < numbers[left]) == (numbers[left] < numbers[right]):
            pivot = numbers[left]
        else:
            pivot = numbers[right]
        while i <= j:
            while numbers[i] < pivot:
                i += 1
            while numbers[j] > pivot:
                j -= 1
            if i <= j:
                other = numbers[i]
                numbers[i] = numbers[j]
                numbers[j] = other
                i += 1
                j -= 1
        # the smaller part by itself, the larger one here: no deeper than the logarithm
        if j - left < right - i:
            sort_rising(numbers + left, j - left + 1)
            left = i
        else:
            sort_rising(numbers + i, right - i + 1)
            right = j
        n = right - left + 1
    for i in range(left + 1, right + 1):
        other = numbers[i]
        j = i - 1
        while j >= left and numbers[j] > other:
            numbers[j + 1] = numbers[j]
            j -= 1
        numbers[j + 1] = other
