/* Sorting by ascending key: a stable merge sort, and Shell's sort in place for lists that are usually short. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"

#define HB_SORT_RUN 8  /* items that are sorted by insertion */

/* an item is an index of `keys`, or, if these are NULL, a struct whose first field is its key */
HB_INLINE double hb_key_of(const char* item, const double* keys) {
    double key;
    int32_t index;
    if (keys) { memcpy(&index, item, sizeof index); return keys[index]; }
    memcpy(&key, item, sizeof key);
    return key;
}

/* Returns where the sorted items are: `items` or `spare`. Constants in the call (`size`, NULL) specialize the loops. */
HB_INLINE void* hb_merge_sort_by(void* items, void* spare, int64_t n, size_t size, const double* keys) {
    char *from = (char*)items, *to = (char*)spare, moved[64];
    for (int64_t start = 0; start < n; start += HB_SORT_RUN) {
        int64_t end = start + HB_SORT_RUN < n ? start + HB_SORT_RUN : n;
        for (int64_t i = start + 1; i < end; i++) {
            int64_t j = i;
            memcpy(moved, from + i * size, size);
            double key = hb_key_of(moved, keys);
            for (; j > start && hb_key_of(from + (j - 1) * size, keys) > key; j--)
                memcpy(from + j * size, from + (j - 1) * size, size);
            memcpy(from + j * size, moved, size);
        }
    }
    for (int64_t width = HB_SORT_RUN; width < n; width *= 2) {
        for (int64_t start = 0; start < n;) {
            int64_t middle = start + width < n ? start + width : n, end = middle + width < n ? middle + width : n;
            int64_t i = start, j = middle;
            for (int64_t out = start; out < end; out++) {
                int first = i < middle
                    && (j >= end || hb_key_of(from + i * size, keys) <= hb_key_of(from + j * size, keys));
                memcpy(to + out * size, from + (first ? i++ : j++) * size, size);
            }
            start = end;
        }
        char* other = from;
        from = to;
        to = other;
    }
    return from;
}

/* structs of at most 64 bytes that begin with their key */
HB_INLINE void* hb_merge_sort(void* items, void* spare, int64_t n, size_t size) {
    return hb_merge_sort_by(items, spare, n, size, NULL);
}

/* indices 0 to n - 1 of keys */
static inline void hb_sort_indices(int32_t* indices, int32_t* spare, const double* keys, int64_t n) {
    for (int64_t i = 0; i < n; i++) indices[i] = (int32_t)i;
    void* sorted = hb_merge_sort_by(indices, spare, n, sizeof(int32_t), keys);
    if (sorted != (void*)indices) memcpy(indices, sorted, (size_t)n * sizeof(int32_t));
}

/* codes and their keys in place, by Shell's method; equal keys by code */
static inline void hb_shell_sort(int32_t* codes, double* key, int32_t n) {
    int32_t gap = 1;
    while (gap < n / 9) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int32_t i = gap; i < n; i++) {
            int32_t code = codes[i], j = i;
            double value = key[i];
            for (; j >= gap && (key[j - gap] > value || (key[j - gap] == value && codes[j - gap] > code)); j -= gap) {
                codes[j] = codes[j - gap];
                key[j] = key[j - gap];
            }
            codes[j] = code;
            key[j] = value;
        }
}
