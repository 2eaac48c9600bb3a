# Part of cover.pyx: conditions that make a rule perfect, found without listing its rows.
#
# If conditions are ranked by p/t, none is better than one that leaves no other class, and of these the one with the
# most p is taken. Such a condition begins at an end of a column's order, and ends before the first row of another class
# that the rule covers: a scan from the end finds that row soon, unless the rule covers a small part of the rows, which
# are then better listed.

cdef enum:
    FEW_ROWS = 96  # fewer rows are listed directly


cdef inline bint covers(const Field* field, const Rule* rule, uint32_t row) noexcept nogil:
    """Whether a rule covers a row that is not covered yet."""
    cdef int64_t i
    if not field.here[row]:
        return False
    for i in range(rule.size - 1, -1, -1):  # later conditions are met by fewer rows
        if not passes(field, rule, &rule.conditions[i], row):
            return False
    return True


cdef void bounds(const Field* field, const Rule* rule, int64_t at, int64_t* first, int64_t* stop) noexcept nogil:
    """Positions of a numeric column that are left by the rule's conditions on it."""
    cdef const Column* column = &field.columns[at]
    cdef const Condition* condition
    cdef int64_t i, place
    first[0], stop[0] = 0, column.n_places
    for i in range(rule.size):
        condition = &rule.conditions[i]
        if condition.column != at:
            continue
        if condition.relation == IS_MISSING:
            stop[0] = 0
            return
        place = places_below(column, condition.cut)
        if condition.relation == IS_BELOW:
            stop[0] = min(stop[0], place)
        else:
            first[0] = max(first[0], place)


cdef int64_t narrowest(const Field* field, const Rule* rule, int64_t* at) noexcept nogil:
    """The column that leaves a rule the fewest rows to read, and how many; -1 for a rule without conditions."""
    cdef int64_t i, j, first, stop, size, least = -1
    cdef const Condition* condition
    cdef const Column* column
    for i in range(rule.size):
        condition = &rule.conditions[i]
        column = &field.columns[condition.column]
        if condition.relation <= IS_AT_LEAST:
            bounds(field, rule, condition.column, &first, &stop)
            size = max(stop - first, 0)
        elif condition.relation == IS_MISSING:
            size = column.size[column.n_codes]
        else:
            size = 0
            for j in range(condition.first_code, condition.first_code + condition.n_codes):
                size += column.size[rule.codes[j]]
        if least < 0 or size < least:
            least, at[0] = size, i
    return least


cdef int64_t rows_covered(const Field* field, const Rule* rule, int64_t most, uint32_t* rows) noexcept nogil:
    """List the rows that a rule with conditions covers, at most `most`, in no particular order; returns how many."""
    cdef int64_t which = 0, i, j, first, stop, n = 0, code
    cdef const Column* column
    cdef const Condition* condition
    cdef const uint32_t* members
    narrowest(field, rule, &which)
    condition = &rule.conditions[which]
    column = &field.columns[condition.column]
    if condition.relation <= IS_AT_LEAST:
        bounds(field, rule, condition.column, &first, &stop)
        for i in range(first, stop):
            if column.classes[i] >= 0 and covers(field, rule, column.entries[i] >> ROW_SHIFT):
                rows[n] = column.entries[i] >> ROW_SHIFT
                n += 1
                if n == most:
                    break
        return n
    for j in range(1 if condition.relation == IS_MISSING else condition.n_codes):
        code = column.n_codes if condition.relation == IS_MISSING else rule.codes[condition.first_code + j]
        members = column.members + column.start[code]
        for i in range(column.size[code]):
            if covers(field, rule, members[i]):
                rows[n] = members[i]
                n += 1
                if n == most:
                    return n
    return n


cdef double walk(
    const Field* field, const Rule* rule, const Search* search, int64_t at, bint down,  # IN
    int64_t* budget,  # IN, OUT: how many rows may be read; below zero: exceeded
    double* low, double* high,  # OUT: the cut
) noexcept nogil:
    """Weight of the class up to the first row of another, from the lowest value up or from the highest down."""
    cdef const Column* column = &field.columns[at]
    cdef int64_t first, stop, i, step = -1 if down else 1
    cdef double pure = 0.0, group = 0.0, value, before = 0.0
    cdef bint begun = False
    bounds(field, rule, at, &first, &stop)
    i = stop - 1 if down else first
    while first <= i < stop:
        budget[0] -= 1
        if budget[0] < 0:
            return 0.0
        if column.classes[i] >= 0 and covers(field, rule, column.entries[i] >> ROW_SHIFT):
            value = column.sorted[i]
            if begun and value != before:
                pure += group
                group = 0.0
                low[0], high[0] = (value, before) if down else (before, value)
            if column.classes[i] != search.label:
                break
            group += weight_of(field, column.entries[i] >> ROW_SHIFT)
            before, begun = value, True
        i += step
    return pure


cdef double weight_if_pure(
    const Field* field, const Rule* rule, const Search* search, const Column* column, int64_t code,  # IN
    int64_t* budget,  # IN, OUT
) noexcept nogil:
    """Weight of the class in a category, 0 if the rule covers a row of another class there."""
    cdef const uint32_t* members = column.members + column.start[code]
    cdef int64_t i
    cdef double pure = 0.0
    for i in range(column.size[code]):
        budget[0] -= 1
        if budget[0] < 0:
            return 0.0
        if covers(field, rule, members[i]):
            if field.classes[members[i]] != search.label:
                return 0.0
            pure += weight_of(field, members[i])
    return pure


cdef void mark_mixed(
    const Field* field, const Column* column, const uint32_t* some, int64_t n_some, int label,  # IN
    uint8_t* mixed,  # OUT
) noexcept nogil:
    """Mark the categories that contain rows of other classes, among some rows that the rule covers."""
    cdef int64_t i
    memset(mixed, 0, column.n_codes + 1)
    for i in range(n_some):
        if field.classes[some[i]] != label:
            mixed[column.codes[some[i]] if column.codes[some[i]] >= 0 else column.n_codes] = 1


cdef void find_pure_codes(
    const Field* field, const Rule* rule, const Search* search, int64_t at,  # IN
    int64_t* budget, Scratch* scratch, Best* best,  # IN, OUT
) noexcept nogil:
    """Offer the categories of a column that make a rule perfect, alone and together."""
    cdef const Column* column = &field.columns[at]
    cdef int64_t code, n_pure = 0
    cdef double p, together = 0.0
    for code in range(column.n_codes):
        p = column.counts[code * field.n_classes + search.label]
        if scratch.mixed[code] or column.alive[code] == 0 or p <= 0.0:
            continue
        if not search.sets and p < best.p * NEAR:
            continue  # it has less p than the best, pure or not
        p = weight_if_pure(field, rule, search, column, code, budget)
        if p > 0.0:
            column.ranked[n_pure] = <int32_t>code
            n_pure += 1
            together += p
        offer_pure(p, at, IS_IN, code, 1, best)
    if search.own_missing and column.alive[column.n_codes]:
        p = weight_if_pure(field, rule, search, column, column.n_codes, budget)
        offer_pure(p, at, IS_MISSING, 0, 0, best)
    if search.sets and n_pure > 1:
        offer_pure(together, at, IS_IN, 0, n_pure, best)


cdef inline bint offer_pure(
    double p, int64_t at, int relation, int64_t code, int64_t n_codes,  # IN
    Best* best,  # IN, OUT
) noexcept nogil:
    if p <= best.p:
        return False
    fill(best, at, relation, code, n_codes)
    best.p = p
    return True


cdef bint find_pure(
    const Field* field, const Rule* rule, const Search* search, const uint8_t* used,  # IN
    const uint32_t* some, int64_t n_some, int64_t budget,  # IN: some rows that the rule covers
    Scratch* scratch, Best* best,  # OUT
) noexcept nogil:
    """Find the best condition that makes a rule perfect; returns whether one was found within the budget."""
    cdef const Column* column
    cdef int64_t at
    cdef double p, low = 0.0, high = 0.0
    for at in range(field.n_columns):
        column = &field.columns[at]
        if column.n_codes:
            if not used[at]:
                mark_mixed(field, column, some, n_some, search.label, scratch.mixed)
                find_pure_codes(field, rule, search, at, &budget, scratch, best)
        elif column.n_left:
            p = walk(field, rule, search, at, False, &budget, &low, &high)
            if offer_pure(p, at, IS_BELOW, 0, 0, best):
                best.low, best.high = low, high
            p = walk(field, rule, search, at, True, &budget, &low, &high)
            # the lower cut wins ties; it is this one only if no other class has a value
            if p > 0.0 and p == best.p and best.column == at and low < best.low:
                best.p = 0.0
            if offer_pure(p, at, IS_AT_LEAST, 0, 0, best):
                best.low, best.high = low, high
            if search.own_missing and column.alive[0]:
                p = weight_if_pure(field, rule, search, column, 0, &budget)
                offer_pure(p, at, IS_MISSING, 0, 0, best)
        if budget < 0:
            return False
    best.t = best.p
    return best.column >= 0


cdef bint search_pure(
    const Field* field, const Rule* rule, const Search* search, const uint8_t* used,  # IN
    uint32_t* some, Scratch* scratch, Best* best,  # OUT
) noexcept nogil:
    """Find a condition that makes the rule perfect; returns whether there is one and the rule covers many rows."""
    cdef int64_t which = 0, budget
    if search.measure != BY_SHARE or rows_covered(field, rule, FEW_ROWS, some) < FEW_ROWS:
        return False
    # listing the rows for every column would cost more
    budget = narrowest(field, rule, &which) * field.n_columns // 4
    if find_pure(field, rule, search, used, some, FEW_ROWS, budget, scratch, best):
        return True
    begin(search, best)
    return False
