"""Search: the best split of one column at one node, by any criterion (see search.pyx)."""

from libc.stdint cimport int64_t

from hornbeam.core.trees.split.scan cimport Candidate, Choices, Column, Entry, NodeView, Plan, Scratch

cdef void search_sorted(const Entry* entries, int64_t n_known, const Column* column, const Choices* choices,
                        const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil

cdef void cut_numbers(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                      Candidate* best) noexcept nogil

cdef void cut_pair(const Entry* one, const Entry* other, int64_t n, const Choices* choices, const NodeView* node,
                   Candidate* best) noexcept nogil

cdef bint search_roughly(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node,
                         Scratch* scratch, Candidate* best) noexcept nogil

cdef bint search_pair_roughly(const Entry* one, const Entry* other, int64_t n, const Choices* choices,
                              const NodeView* node, Candidate* best) noexcept nogil

cdef void bound_cuts(const Entry* entries, int64_t n, const Choices* choices, const NodeView* node, double* least_of,
                     double* most_of) noexcept nogil

cdef void search_bins(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                      const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil

cdef void search_codes(const Entry* rows, const double* local_weight, const Column* column, const Choices* choices,
                       const NodeView* node, Scratch* scratch, Candidate* best, Plan* plan) noexcept nogil
