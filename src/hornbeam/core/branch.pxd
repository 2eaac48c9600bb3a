"""Which branch of a split a value takes: the one place where that is decided."""

from libc.stdint cimport int8_t, int32_t, int64_t

cdef enum SplitKind:  # as in model/split.py
    BY_CUTS = 0
    BY_CODES = 1
    BY_CODE_SETS = 2

cdef struct Split:
    double cut  # the cut, where there is only one
    int64_t start  # of its cuts or codes
    int64_t stop
    int32_t column
    int32_t other
    int8_t kind
    int8_t equal_low

cdef struct SplitView:
    Split* splits
    const double* cuts
    const int32_t* codes
    const int32_t* code_branch


cdef inline int32_t branch_of(const SplitView* view, const Split* split, double value) noexcept nogil:
    """The branch a value (or code) takes, or -1 where it counts as missing."""
    cdef int64_t low, high, middle
    cdef int32_t code
    if value != value:
        return -1
    low, high = split.start, split.stop
    if split.kind == BY_CUTS:
        if high - low == 1:
            return value > split.cut if split.equal_low else value >= split.cut
        while low < high:
            middle = (low + high) >> 1
            if value > view.cuts[middle] or (value == view.cuts[middle] and not split.equal_low):
                low = middle + 1
            else:
                high = middle
        return <int32_t>(low - split.start)
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
