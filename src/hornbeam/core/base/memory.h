/* Memory: large blocks use large pages, and values are fetched before they are read. */
#pragma once
#include <stdint.h>
#include <stdlib.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* memory for free() to release; a large block begins at a large page: touching many small pages for the first time
   costs more than the work done in them */
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
