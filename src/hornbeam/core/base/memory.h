/* Memory: large blocks use large pages, blocks are freed together, and values are fetched before they are read. */
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "hornbeam/core/base/compiler.h"
#if defined(__linux__)
#include <sys/mman.h>
#endif

/* memory for free() to release; a large block begins at a large page, because touching many small pages for the first
   time costs more than the work done in them */
static inline void* hb_take(int64_t size) {
    if (size < 0 || (uint64_t)size > SIZE_MAX) return NULL;  /* more than a 32-bit system has */
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

/* changes the size of the block that a pointer at `where` points to; returns 0 and changes nothing if there is not
   enough memory */
static inline int hb_resize(void* where, int64_t size) {
    void* block;
    if (size < 0 || (uint64_t)size > SIZE_MAX) return 0;
    memcpy(&block, where, sizeof block);
    block = realloc(block, size > 0 ? (size_t)size : 1);
    if (!block) return 0;
    memcpy(where, &block, sizeof block);
    return 1;
}

/* blocks that are freed together; initialized with zeros */
typedef struct { void** blocks; int64_t n, room; } hb_pool;

/* hands a block over to a pool; returns the block, or NULL if there is not enough memory */
static inline void* hb_pool_add(hb_pool* pool, void* block) {
    if (block && pool->n == pool->room) {
        int64_t room = 2 * pool->room + 32;
        if (!hb_resize(&pool->blocks, room * (int64_t)sizeof(void*))) { free(block); return NULL; }
        pool->room = room;
    }
    if (block) pool->blocks[pool->n++] = block;
    return block;
}

static inline void hb_pool_free(hb_pool* pool) {
    for (int64_t i = 0; i < pool->n; i++) free(pool->blocks[i]);
    free(pool->blocks);
    memset(pool, 0, sizeof *pool);
}
