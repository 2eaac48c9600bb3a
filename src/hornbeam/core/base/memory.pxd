"""Memory in large pages, blocks that are freed together, and reading ahead (see memory.h)."""

from libc.stdint cimport int64_t
from libc.stdlib cimport calloc
from libc.string cimport memcpy

cdef extern from "hornbeam/core/base/memory.h":
    ctypedef struct hb_pool:
        pass
    void* hb_take(int64_t size) noexcept nogil
    void hb_large_pages(void* memory, int64_t size) noexcept nogil
    bint hb_resize(void* where, int64_t size) noexcept nogil
    void* hb_pool_add(hb_pool* pool, void* block) noexcept nogil
    void hb_pool_free(hb_pool* pool) noexcept nogil
    void hb_fetch(const void* place) noexcept nogil  # read ahead


cdef inline void* in_pool(hb_pool* pool, void* block) except NULL:
    if block != NULL and pool != NULL:
        block = hb_pool_add(pool, block)
    if block == NULL:
        raise MemoryError("not enough memory")
    return block


cdef inline void* take(hb_pool* pool, size_t count, size_t size) except NULL:
    """Memory filled with zeros, freed with the pool, or by the caller if the pool is NULL."""
    return in_pool(pool, calloc(count + 1, size))


cdef inline void* take_raw(hb_pool* pool, int64_t size) except NULL:
    """The same without filling it; large blocks use large pages."""
    return in_pool(pool, hb_take(size + 64))


cdef inline int take_at(void* where, hb_pool* pool, size_t count, size_t size) except -1:
    """`take` for a pointer of any type, stored at `where`."""
    cdef void* block = take(pool, count, size)
    memcpy(where, &block, sizeof(void*))
    return 0


cdef inline int take_raw_at(void* where, hb_pool* pool, int64_t size) except -1:
    """`take_raw` for a pointer of any type, stored at `where`."""
    cdef void* block = take_raw(pool, size)
    memcpy(where, &block, sizeof(void*))
    return 0


cdef inline int enlarge(void* where, int64_t size) except -1 nogil:
    """Change the size of the block that a pointer at `where` points to."""
    if not hb_resize(where, size):
        with gil:
            raise MemoryError("not enough memory")
    return 0
