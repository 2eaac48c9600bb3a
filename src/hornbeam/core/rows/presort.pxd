"""The order in which WEKA sorts the rows of a node (see tie_order.pxi)."""

from libc.stdint cimport int64_t

cdef void sort_range(int64_t* rows, const double* values, int64_t left, int64_t right) noexcept nogil
