"""Memory in large pages, and reading ahead (see memory.h)."""

from libc.stdint cimport int64_t

cdef extern from "hornbeam/core/base/memory.h":
    void* hb_take(int64_t size) noexcept nogil
    void hb_large_pages(void* memory, int64_t size) noexcept nogil
    void hb_fetch(const void* place) noexcept nogil  # read ahead
