/* The two sorts of the kernels, both stable: by merging, for keys that are doubles, and by digits (radix sort), for many
   items or keys that are integers. Constants in a call specialize the loops. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"

#define HB_SORT_RUN 8  /* items that are sorted by insertion before they are merged */
#define HB_SORT_FEW 48  /* items that are sorted by insertion instead of by digits */

/* ---- merging ---- */

/* an item is an index of `keys`, or, if these are NULL, a struct whose first field is its key */
HB_INLINE double hb_key_of(const char* item, const double* keys) {
    double key;
    int32_t index;
    if (keys) { memcpy(&index, item, sizeof index); return keys[index]; }
    memcpy(&key, item, sizeof key);
    return key;
}

/* Whether the first item belongs after the second. `by_row`: equal keys are ordered by the row (uint32) that follows. */
HB_INLINE int hb_is_after(const char* one, const char* other, const double* keys, int by_row) {
    double key = hb_key_of(one, keys), other_key = hb_key_of(other, keys);
    uint32_t row, other_row;
    if (!by_row || key != other_key) return key > other_key;
    memcpy(&row, one + sizeof(double), sizeof row);
    memcpy(&other_row, other + sizeof(double), sizeof other_row);
    return row > other_row;
}

/* Returns where the sorted items are: `items` or `spare`. */
HB_INLINE void* hb_merge_sort_by(void* items, void* spare, int64_t n, size_t size, const double* keys, int by_row) {
    char *from = (char*)items, *to = (char*)spare, moved[64];
    for (int64_t start = 0; start < n; start += HB_SORT_RUN) {
        int64_t end = start + HB_SORT_RUN < n ? start + HB_SORT_RUN : n;
        for (int64_t i = start + 1; i < end; i++) {
            int64_t j = i;
            memcpy(moved, from + i * size, size);
            for (; j > start && hb_is_after(from + (j - 1) * size, moved, keys, by_row); j--)
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
                    && (j >= end || !hb_is_after(from + i * size, from + j * size, keys, by_row));
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
    return hb_merge_sort_by(items, spare, n, size, NULL, 0);
}

/* the same for structs of 16 bytes; equal keys are ordered by the row that follows the key */
static inline void* hb_merge_sort_rows(void* items, void* spare, int64_t n) {
    return hb_merge_sort_by(items, spare, n, 16, NULL, 1);
}

/* indices 0 to n - 1 of keys */
static inline void hb_sort_indices(int32_t* indices, int32_t* spare, const double* keys, int64_t n) {
    for (int64_t i = 0; i < n; i++) indices[i] = (int32_t)i;
    void* sorted = hb_merge_sort_by(indices, spare, n, sizeof(int32_t), keys, 0);
    if (sorted != (void*)indices) memcpy(indices, sorted, (size_t)n * sizeof(int32_t));
}

/* ---- digits ---- */

/* an integer with the same order as a double; -0.0 comes before 0.0 */
HB_INLINE uint64_t hb_ordered_bits(uint64_t bits) {
    return bits ^ ((0 - (bits >> 63)) | (uint64_t)1 << 63);
}

/* the first field of an item: an unsigned integer or, if `doubles` is set, a double */
HB_INLINE uint64_t hb_digits_of(const char* item, int doubles) {
    uint64_t key;
    memcpy(&key, item, sizeof key);
    return doubles ? hb_ordered_bits(key) : key;
}

/* Sort structs that begin with their key by `n_digits` digits of `bits` bits, from the bit `shift` up; the lower bits of
   the keys must be equal or in order, or not matter to the caller. `counts` is memory for n_digits << bits numbers;
   there are fewer than 2^32 items.
   Returns where the sorted items are: `items` or `spare`. */
HB_INLINE void* hb_radix_sort(void* items, void* spare, int64_t n, size_t size, int doubles, int shift, int bits,
                              int n_digits, uint32_t* counts) {
    char *from = (char*)items, *to = (char*)spare, moved[64];
    uint64_t mask = ((uint64_t)1 << bits) - 1;
    if (n <= HB_SORT_FEW) {
        for (int64_t i = 1; i < n; i++) {
            int64_t j = i;
            memcpy(moved, from + i * size, size);
            uint64_t key = hb_digits_of(moved, doubles);
            for (; j > 0 && hb_digits_of(from + (j - 1) * size, doubles) > key; j--)
                memcpy(from + j * size, from + (j - 1) * size, size);
            memcpy(from + j * size, moved, size);
        }
        return from;
    }
    memset(counts, 0, ((size_t)n_digits << bits) * sizeof(uint32_t));
    for (int64_t i = 0; i < n; i++) {
        uint64_t digits = hb_digits_of(from + i * size, doubles) >> shift;
        for (int digit = 0; digit < n_digits; digit++)
            counts[((int64_t)digit << bits) + (int64_t)((digits >> (digit * bits)) & mask)]++;
    }
    for (int digit = 0; digit < n_digits; digit++) {
        uint32_t* before = counts + ((int64_t)digit << bits);
        int here = shift + digit * bits;
        uint32_t total = 0;
        if (before[(hb_digits_of(from, doubles) >> here) & mask] == (uint32_t)n) continue;  /* all alike */
        for (int64_t value = 0; value <= (int64_t)mask; value++) {
            uint32_t count = before[value];
            before[value] = total;
            total += count;
        }
        for (int64_t i = 0; i < n; i++) {
            const char* item = from + i * size;
            memcpy(to + before[(hb_digits_of(item, doubles) >> here) & mask]++ * size, item, size);
        }
        char* other = from;
        from = to;
        to = other;
    }
    return from;
}
