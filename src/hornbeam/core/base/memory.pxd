"""Memory: large blocks ask for large pages, since to touch small ones for the first time costs more than the work done;
what lies far away is fetched before it is read.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <stdlib.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    /* memory to be freed by free(); a large block begins where a large page does */
    static inline void* hb_take(int64_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        void* memory = NULL;
        if (size >= (2 << 20)) {
            if (posix_memalign(&memory, 2 << 20, (size_t)size)) return NULL;
            madvise(memory, (size_t)size & ~(size_t)4095, MADV_HUGEPAGE);
            return memory;
        }
    #endif
        return malloc((size_t)size);
    }

    static inline void hb_large_pages(void* memory, int64_t size) {
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        uintptr_t page = 4096, start = ((uintptr_t)memory + page - 1) & ~(page - 1);
        uintptr_t end = ((uintptr_t)memory + (uintptr_t)size) & ~(page - 1);
        if (memory && size >= (4 << 20) && end > start) madvise((void*)start, end - start, MADV_HUGEPAGE);
    #endif
    }

    #if defined(__GNUC__)
    #define hb_fetch(place) __builtin_prefetch(place)
    #else
    #define hb_fetch(place) ((void)(place))
    #endif
    """
    void* hb_take(int64_t size) noexcept nogil
    void hb_large_pages(void* memory, int64_t size) noexcept nogil
    void hb_fetch(const void* place) noexcept nogil  # what is soon to be read
