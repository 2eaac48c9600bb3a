"""Cuts: several cuts of one ordered column at once (see cuts.pyx)."""

from libc.stdint cimport int64_t

cdef struct Bins:  # the bins to cut, by ascending value, each one distinct value or one interval
    int64_t n_bins
    int n_stats  # class weights; or 3: weight, sum, sum of squares about any fixed origin
    const double* stats  # bins x n_stats
    int criterion  # see enums.pxd
    const double* parent_fractions  # CHI_SQUARE: class fractions of all rows
    const double* loss  # MISCLASSIFICATION: by true and predicted class; NULL: every error counts once
    double min_branch  # minimum weight of a branch
    int max_cuts
    int64_t limit  # optimal_cuts: more bins than this are joined first
    int join_alike  # optimal_cuts: adjacent bins with the same class fractions are joined first, however few there are
    double rounding  # set by the functions themselves: sums of squares below this count as zero

cdef int64_t greedy_memory(const Bins* bins) noexcept nogil

cdef int greedy_cuts(const Bins* bins, double* memory, int64_t* cuts, double* impurities) noexcept nogil

cdef int64_t optimal_memory(const Bins* bins) noexcept nogil

cdef int optimal_cuts(const Bins* bins, double* memory, int64_t* cuts, double* impurities) noexcept nogil

cdef int64_t join_alike(const double* stats, int64_t n_bins, int n_stats, double* joined,
                        int64_t* first) noexcept nogil
