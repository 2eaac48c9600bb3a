# Part of cover.pyx: rules as lists of conditions, and the rows that meet a condition.

cdef struct Condition:
    int64_t column
    int relation
    double cut
    int64_t first_code, n_codes  # a set: where its codes begin among those of the rule, and how many there are


cdef struct Rule:
    int64_t size, room
    Condition* conditions
    int64_t n_codes, codes_room
    int32_t* codes


cdef int add_condition(Rule* rule, const Best* best, const int32_t* ranked) except -1 nogil:
    """Add a condition; the codes of a set are the first of the ranked codes."""
    cdef Condition* condition
    cdef int64_t i
    if rule.size == rule.room:
        rule.room = 2 * rule.room + 8
        enlarge(&rule.conditions, rule.room * sizeof(Condition))
    if rule.n_codes + best.n_codes > rule.codes_room:
        rule.codes_room = 2 * rule.codes_room + best.n_codes + 8
        enlarge(&rule.codes, rule.codes_room * sizeof(int32_t))
    condition = &rule.conditions[rule.size]
    condition.column, condition.relation, condition.cut = best.column, best.relation, best.cut
    condition.first_code, condition.n_codes = rule.n_codes, best.n_codes
    for i in range(best.n_codes):
        rule.codes[rule.n_codes + i] = <int32_t>best.code if best.n_codes == 1 else ranked[i]
    rule.n_codes += best.n_codes
    rule.size += 1
    return 0


cdef inline uint8_t passes(
    const Field* field, const Rule* rule, const Condition* condition, uint32_t row
) noexcept nogil:
    """Whether a row meets a condition; a missing value meets no condition except that it is missing."""
    cdef const Column* column = &field.columns[condition.column]
    cdef const int32_t* codes = rule.codes + condition.first_code
    cdef int64_t i
    if condition.relation == IS_AT_MOST:
        return column.values[row] <= condition.cut
    if condition.relation == IS_AT_LEAST:
        return column.values[row] >= condition.cut
    if condition.relation == IS_BELOW:
        return column.values[row] < condition.cut
    if condition.relation == IS_MISSING:
        return column.codes[row] < 0 if column.n_codes else column.values[row] != column.values[row]
    if condition.relation == IS_NOT_IN:
        return (column.codes[row] != codes[0]) & (column.codes[row] >= 0)
    if condition.n_codes == 1:
        return column.codes[row] == codes[0]
    for i in range(condition.n_codes):
        if codes[i] == column.codes[row]:
            return 1
    return 0


cdef int64_t keep_passing(
    const Field* field, const Rule* rule, int64_t at, int shift,  # IN: entries are rows, shifted to the left
    uint32_t* entries, int64_t n,  # IN, OUT
    uint8_t* state,  # OUT: cleared for the rows that do not pass; NULL: not needed
) noexcept nogil:
    """Keep the rows that meet one condition of a rule, in their order; returns how many."""
    cdef Condition condition = rule.conditions[at]  # a copy, so that the loop can be specialized for its relation
    cdef int64_t i, kept = 0
    cdef uint32_t entry
    cdef uint8_t meets
    if state == NULL and shift == 0 and condition.relation in (IS_AT_MOST, IS_AT_LEAST):
        return keep_one_side(field.columns[condition.column].values, condition.relation, condition.cut, entries, n)
    if state == NULL and shift == 0 and condition.relation == IS_IN and condition.n_codes == 1:
        return keep_one_code(field.columns[condition.column].codes, rule.codes[condition.first_code], entries, n)
    for i in range(n):
        entry = entries[i]
        meets = passes(field, rule, &condition, entry >> shift)
        if state != NULL:
            state[entry >> shift] &= <uint8_t>(-meets)
        entries[kept] = entry
        kept += meets
    return kept


cdef int64_t keep_one_side(
    const double* values, int relation, double cut,  # IN
    uint32_t* rows, int64_t n,  # IN, OUT
) noexcept nogil:
    """The same for a bound on a number; branchless."""
    cdef int64_t i, kept = 0
    cdef uint32_t row
    if relation == IS_AT_MOST:
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += values[row] <= cut
        return kept
    for i in range(n):
        row = rows[i]
        rows[kept] = row
        kept += values[row] >= cut
    return kept


cdef int64_t keep_one_code(
    const int32_t* codes, int32_t code,  # IN
    uint32_t* rows, int64_t n,  # IN, OUT
) noexcept nogil:
    """The same for one category."""
    cdef int64_t i, kept = 0
    cdef uint32_t row
    for i in range(n):
        row = rows[i]
        rows[kept] = row
        kept += codes[row] == code
    return kept
