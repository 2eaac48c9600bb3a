"""The two sorts of the kernels, both stable: by merging and by digits (see sort.h)."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

cdef extern from "hornbeam/core/rows/sort.h":
    void* hb_merge_sort(void* items, void* spare, int64_t n, size_t size) noexcept nogil
    void* hb_merge_sort_rows(void* items, void* spare, int64_t n) noexcept nogil
    void hb_sort_indices(int32_t* indices, int32_t* spare, const double* keys, int64_t n) noexcept nogil
    void* hb_radix_sort(void* items, void* spare, int64_t n, size_t size, bint doubles, int shift, int bits,
                        int n_digits, uint32_t* counts) noexcept nogil
    uint64_t hb_ordered_bits(uint64_t bits) noexcept nogil
