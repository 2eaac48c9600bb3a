"""Tolerances that kernels and Python share: each value is written here and nowhere else."""

cdef extern from *:
    """
    #define HB_SLACK 1e-6
    #define HB_AVERAGE_SLACK 1e-3
    #define HB_LEAF_MARGIN 0.1
    #define HB_LEAST_SHARE 1e-6
    #define HB_TIE 1e-6
    """
    const double SLACK "HB_SLACK"  # weights, errors and bits closer than this are equal
    const double AVERAGE_SLACK "HB_AVERAGE_SLACK"  # how far below the average gain a split may still win (Quinlan 1993)
    const double LEAF_MARGIN "HB_LEAF_MARGIN"  # a leaf whose estimated errors are at most this much higher is preferred
    const double LEAST_SHARE "HB_LEAST_SHARE"  # a branch with at most this fraction of a row gets no piece of it
    const double TIE "HB_TIE"  # summed class probabilities this close are a tie, which the first class wins
