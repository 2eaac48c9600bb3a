"""Sorting by ascending key (see sort.h)."""

from libc.stdint cimport int32_t, int64_t

cdef extern from "hornbeam/core/rows/sort.h":
    void* hb_merge_sort(void* items, void* spare, int64_t n, size_t size) noexcept nogil
    void hb_sort_indices(int32_t* indices, int32_t* spare, const double* keys, int64_t n) noexcept nogil
    void hb_shell_sort(int32_t* codes, double* key, int32_t n) noexcept nogil
