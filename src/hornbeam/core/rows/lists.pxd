"""Lists: the table as sorted lists, which the tree grower and the partial trees share (see lists.pyx)."""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t, uint32_t

from hornbeam.core.base.enums cimport BELOW_AVERAGE, CHOSEN, OUTSCORED
from hornbeam.core.base.memory cimport hb_pool
from hornbeam.core.base.tolerance cimport AVERAGE_SLACK, SLACK
from hornbeam.core.trees.split.scan cimport Candidate, Choices, Column, Entry, Scratch, SORTED, code_of, value_of

cdef class ColumnLists:
    cdef hb_pool pool  # memory that is freed with this object
    cdef Choices choices
    cdef Column* columns
    cdef int n_columns
    cdef int64_t n_rows
    cdef list lists  # (values, order, ours) of the sorted columns, in order
    cdef list kept  # arrays that must outlive the fit
    cdef object labels
    cdef object weights
    cdef object xlogx
    cdef double scale
    cdef object code_counts  # by column
    cdef bint wide_entries
    cdef bint coded  # some column is held as codes
    cdef bint lacking  # some value is missing; codes are only checked if rows are divided into pieces
    cdef int most_codes

    cdef set_up(self, labels, int n_classes, weights, given, int n_columns)
    cdef fill_logarithms(self, bint counted)
    cdef take_scratch(self, Scratch* scratch, hb_pool* pool)

cdef void fill_list(Entry* entries, const double* values, const uint32_t* order, int64_t n, const int32_t* labels,
                    int shift, double min_gap) noexcept nogil

cdef void compare_neighbors(Entry* entries, int64_t n, const double* values, int shift, double min_gap) noexcept nogil

cdef void fill_rows(Entry* entries, int64_t n, const uint32_t* order, const int32_t* labels, int shift) noexcept nogil


cdef inline int majority(const double* counts, int n_classes) noexcept nogil:
    """The class with the greatest weight; the first wins ties."""
    cdef int k, best = 0
    cdef double most = 0.0
    for k in range(n_classes):
        if counts[k] > most + SLACK:
            most = counts[k]
            best = k
    return best


cdef inline int choose(const Column* columns, int n_columns, const Choices* choices, Candidate* candidates,
                       double* average) noexcept nogil:
    """The column to split on, or -1; sets the verdict of every candidate."""
    cdef double total = 0.0, best_score = choices.min_gain + SLACK - choices.tolerance
    cdef int c, counted = 0, best = -1
    average[0] = 0.0
    if choices.average_filter:
        for c in range(n_columns):
            if candidates[c].verdict == OUTSCORED and not columns[c].many_valued:
                total += candidates[c].gain
                counted += 1
        if counted == 0:
            return -1
        average[0] = total / counted
    for c in range(n_columns):
        if candidates[c].verdict != OUTSCORED:
            continue
        if choices.average_filter and candidates[c].gain < average[0] - AVERAGE_SLACK:
            candidates[c].verdict = BELOW_AVERAGE
        elif choices.any_criterion:  # each alone is good enough
            if best < 0 or candidates[c].score > best_score + choices.tolerance * fabs(best_score):
                best = c
                best_score = candidates[c].score
        elif candidates[c].score > best_score + choices.tolerance:
            best = c
            best_score = candidates[c].score
    if (best >= 0 and choices.min_decrease > 0.0 and choices.any_criterion
            and candidates[best].decrease < choices.min_decrease):
        return -1
    if best >= 0:
        candidates[best].verdict = CHOSEN
    return best


cdef inline bint values_at_cut(const Entry* entries, int64_t n, const Column* column, const Candidate* candidate,
                               int shift, double* low, double* high) noexcept nogil:
    """Find the two values that a candidate's cut is between; False if no value is above it.

    `entries` are those of the sorted column, or of the node's row list if the column is stored as codes.
    """
    cdef int code, next_code = column.n_codes
    cdef int64_t i
    if column.kind == SORTED:
        low[0] = value_of(column, entries[candidate.position - 1] >> shift)
        high[0] = value_of(column, entries[candidate.position] >> shift)
        return True
    low[0] = column.values[candidate.code]
    for i in range(n):  # the next code that occurs here
        code = code_of(column, entries[i] >> shift)
        if candidate.code < code < next_code:
            next_code = code
    if next_code == column.n_codes:
        return False
    high[0] = column.values[next_code]
    return True


cdef inline double middle_of(double low, double high) noexcept nogil:
    """The midpoint of two values; the lower one if rounding leaves nothing in between."""
    cdef double middle = (low + high) / 2
    return low if middle == high else middle


cdef inline void weigh_pieces(double* row_weight, const uint32_t* rows, const double* weight, int64_t n,
                              double share) noexcept nogil:
    """Set the weights of rows with a missing value to the fraction that a branch gets."""
    cdef int64_t i
    for i in range(n):
        row_weight[rows[i]] = weight[i] * share
