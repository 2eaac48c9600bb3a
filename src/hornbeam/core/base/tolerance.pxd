"""Tolerances that kernels and Python share: the values are in tolerance.h."""

cdef extern from "hornbeam/core/base/tolerance.h":
    const double SLACK "HB_SLACK"  # weights, errors and bits closer than this are equal
    const double AVERAGE_SLACK "HB_AVERAGE_SLACK"  # how far below the average a gain may lie and still win (Quinlan 1993)
    const double LEAF_MARGIN "HB_LEAF_MARGIN"  # a leaf whose estimated errors are at most this much higher is preferred
    const double LEAST_SHARE "HB_LEAST_SHARE"  # a branch with at most this fraction of a row gets no piece of it
    const double TIE "HB_TIE"  # summed class probabilities this close are a tie, which the first class wins
    const double HALF_LOG_2_PI "HB_HALF_LOG_2_PI"
