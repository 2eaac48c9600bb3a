"""Which branch of a split a value takes: the only place where that is decided."""

from libc.stdint cimport int8_t, int32_t, int64_t

from hornbeam.core.base.enums cimport BY_CODES, BY_CUTS, BY_SUMS
from hornbeam.core.base.memory cimport hb_take

cdef struct Split:
    double cut  # the cut, if there is only one
    int64_t start  # where its cuts, codes or terms begin
    int64_t stop
    int32_t column
    int32_t other
    int8_t kind
    int8_t equal_low
    int8_t flipped

cdef struct SplitView:
    Split* splits
    const double* cuts
    const int32_t* codes
    const int32_t* code_branch
    const int32_t* term_column  # as numbered by `column`; NULL if no split uses a sum
    const double* term_coefficient


cdef inline int32_t branch_of(const SplitView* view, const Split* split, double value) noexcept nogil:
    """The branch a value (or code, or sum of terms) takes, or -1 if it counts as missing.

    A sum is added up term by term from 0, in the order of the terms, and is NaN if a term is missing.
    """
    cdef int64_t low, high, middle
    cdef int32_t code
    if value != value:
        return -1
    low, high = split.start, split.stop
    if split.kind == BY_CUTS:
        if high - low == 1:
            return (value > split.cut if split.equal_low else value >= split.cut) ^ split.flipped
        while low < high:
            middle = (low + high) >> 1
            if value > view.cuts[middle] or (value == view.cuts[middle] and not split.equal_low):
                low = middle + 1
            else:
                high = middle
        return <int32_t>(split.stop - low if split.flipped else low - split.start)
    if split.kind == BY_SUMS:
        return (value > split.cut if split.equal_low else value >= split.cut) ^ split.flipped
    code = <int32_t>value
    if split.kind == BY_CODES:
        return view.codes[low + code] if code < high - low else -1
    while low < high:
        middle = (low + high) >> 1
        if view.codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    if low < split.stop and view.codes[low] == code:
        return view.code_branch[low]
    return split.other


cdef inline int fill_splits(SplitView* view, splits) except -1:
    """Prepare the arrays of a split store, by name, for `branch_of`.

    The arrays must outlive the view, and the caller must free its `splits`.
    """
    cdef const int32_t[::1] column = splits["column"], codes = splits["codes"], code_branch = splits["code_branch"]
    cdef const int32_t[::1] other = splits["other"], term_column = splits.get("term_column")
    cdef const int8_t[::1] kind = splits["kind"], sides = splits["sides"]
    cdef const int64_t[::1] cut_start = splits["cut_start"], code_start = splits["code_start"]
    cdef const int64_t[::1] term_start = splits.get("term_start")
    cdef const double[::1] cuts = splits["cuts"], term_coefficient = splits.get("term_coefficient")
    cdef int64_t i, n_splits = column.shape[0]
    cdef Split* split
    view.splits = <Split*>hb_take((n_splits + 1) * sizeof(Split))
    if view.splits == NULL:
        raise MemoryError("not enough memory for the splits of a tree")
    for i in range(n_splits):
        split = &view.splits[i]
        split.column = column[i]
        split.kind = kind[i]
        split.equal_low = sides[i] & 1
        split.flipped = sides[i] >> 1
        split.other = other[i]
        split.start = cut_start[i] if kind[i] == BY_CUTS else code_start[i]
        split.stop = cut_start[i + 1] if kind[i] == BY_CUTS else code_start[i + 1]
        if kind[i] == BY_CUTS and split.stop > split.start:
            split.cut = cuts[split.start]
        elif kind[i] == BY_SUMS:
            split.cut = cuts[cut_start[i]]
            split.start = term_start[i]
            split.stop = term_start[i + 1]
        else:
            split.cut = 0.0
    view.cuts = &cuts[0] if cuts.shape[0] else NULL
    view.codes = &codes[0] if codes.shape[0] else NULL
    view.code_branch = &code_branch[0] if code_branch.shape[0] else NULL
    view.term_column = NULL
    view.term_coefficient = NULL
    if term_column is not None and term_column.shape[0]:
        view.term_column = &term_column[0]
        view.term_coefficient = &term_coefficient[0]
    return 0
