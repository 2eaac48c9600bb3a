"""Cuts: several cuts of one ordered column at once (see cuts.pyx)."""

from libc.stdint cimport int64_t

cdef struct Bins:  # what is to be cut: bins by rising value, each one distinct value or one interval
    int64_t n_bins
    int n_stats  # class weights; or 3: weight, sum, sum of squares about any fixed origin
    const double* stats  # bins x n_stats
    int criterion  # see enums.pxd
    const double* parent_shares  # CHI_SQUARE: class shares of all rows
    const double* loss  # MISCLASSIFICATION: by true class and answer; NULL: every error counts once
    double min_branch  # least weight of a branch
    int max_cuts
    int64_t limit  # optimal_cuts: with more bins than this they are joined first
    int join_alike  # optimal_cuts: neighbors of the same shares are joined first, however few
    double rounding  # set by the functions themselves: sums of squares below this are nothing

cdef int64_t greedy_memory(const Bins* bins) noexcept nogil

cdef int greedy_cuts(const Bins* bins, double* memory, int64_t* cuts, double* masses) noexcept nogil

cdef int64_t optimal_memory(const Bins* bins) noexcept nogil

cdef int optimal_cuts(const Bins* bins, double* memory, int64_t* cuts, double* masses) noexcept nogil

cdef int64_t join_alike(const double* stats, int64_t n_bins, int n_stats, double* joined,
                        int64_t* first) noexcept nogil
