"""Memory: large blocks ask for large pages; to touch small ones for the first time costs more than the work done."""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    static inline void hb_large_pages(void* memory, int64_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        uintptr_t page = 4096, start = ((uintptr_t)memory + page - 1) & ~(page - 1);
        uintptr_t end = ((uintptr_t)memory + (uintptr_t)size) & ~(page - 1);
        if (memory && size >= (4 << 20) && end > start) madvise((void*)start, end - start, MADV_HUGEPAGE);
    #endif
    }
    """
    void hb_large_pages(void* memory, int64_t size) noexcept nogil
