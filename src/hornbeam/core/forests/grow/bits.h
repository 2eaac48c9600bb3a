/* Columns with two codes, one bit each in the words that a record begins with: counts of rows whose bits are set, by
   class. */
#pragma once
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"

#define HB_PRODUCT_STEP 9.094947017729282e-13  /* 2**-40 */

/* two counts are also read and written as one word */
typedef int64_t HB_MAY_ALIAS hb_word;

/* eight sums by class: ones[16 * class + column] of even rows, and [16 * class + 8 + column] of odd rows, so that an
   addition rarely waits for the previous one */
static void hb_count_ones_plain(int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                                int64_t label_at, int64_t count_at, const uint64_t* shift) {
    for (int64_t i = 0; i < n; i++, record += size) {
        uint64_t word;
        int32_t label, count;
        memcpy(&word, record + word_at, 8);
        memcpy(&label, record + label_at, 4);
        memcpy(&count, record + count_at, 4);
        int32_t* at = ones + 16 * (int64_t)label + 8 * (i & 1);
        for (int k = 0; k < 8; k++) at[k] += -(int32_t)(word >> shift[k] & 1) & count;
    }
}

/* the same for two classes whose counts share a word: eight such words */
static void hb_count_pairs_plain(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                                 int64_t count_at, const uint64_t* shift) {
    for (int k = 0; k < 8; k++) ones[k] = 0;
    for (int64_t i = 0; i < n; i++, record += size) {
        uint64_t word, count;
        memcpy(&word, record + word_at, 8);
        memcpy(&count, record + count_at, 8);
        for (int k = 0; k < 8; k++) ones[k] += (0 - (word >> shift[k] & 1)) & count;
    }
}

#if HB_X86
typedef uint64_t hb_four __attribute__((vector_size(32)));
typedef int32_t hb_eight __attribute__((vector_size(32)));
#if defined(__clang__)
#define HB_LOWER_HALVES(x, y) __builtin_shufflevector(x, y, 0, 2, 8, 10, 4, 6, 12, 14)
#else
#define HB_LOWER_HALVES(x, y) __builtin_shuffle(x, y, (hb_eight){0, 2, 8, 10, 4, 6, 12, 14})
#endif

HB_TARGET("avx2") static void hb_count_ones_avx2(int32_t* ones, const uint8_t* record, int64_t n, int64_t size,
                                                 int64_t word_at, int64_t label_at, int64_t count_at,
                                                 const uint64_t* shift) {
    /* taking half of each puts the columns in this order */
    const hb_four low = {shift[0], shift[1], shift[4], shift[5]}, high = {shift[2], shift[3], shift[6], shift[7]};
    for (int64_t i = 0; i < n; i++, record += size) {
        uint64_t word;
        int32_t label, count;
        hb_eight sums;
        memcpy(&word, record + word_at, 8);
        memcpy(&label, record + label_at, 4);
        memcpy(&count, record + count_at, 4);
        const hb_four words = {word, word, word, word};
        const hb_eight counts = {count, count, count, count, count, count, count, count};
        const hb_eight bits = HB_LOWER_HALVES((hb_eight)(words >> low), (hb_eight)(words >> high)) & 1;
        int32_t* at = ones + 16 * (int64_t)label + 8 * (i & 1);
        memcpy(&sums, at, sizeof sums);
        sums += -bits & counts;
        memcpy(at, &sums, sizeof sums);
    }
}

HB_TARGET("avx2") static void hb_count_pairs_avx2(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size,
                                                  int64_t word_at, int64_t count_at, const uint64_t* shift) {
    const hb_four low = {shift[0], shift[1], shift[2], shift[3]}, high = {shift[4], shift[5], shift[6], shift[7]};
    hb_four lower = {0, 0, 0, 0}, upper = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++, record += size) {
        uint64_t word, count;
        memcpy(&word, record + word_at, 8);
        memcpy(&count, record + count_at, 8);
        const hb_four words = {word, word, word, word}, counts = {count, count, count, count};
        lower += -((words >> low) & 1) & counts;
        upper += -((words >> high) & 1) & counts;
    }
    memcpy(ones, &lower, sizeof lower);
    memcpy(ones + 4, &upper, sizeof upper);
}
#endif
HB_CHOOSE(void, hb_count_ones, (int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                                int64_t label_at, int64_t count_at, const uint64_t* shift),
          (ones, record, n, size, word_at, label_at, count_at, shift))
HB_CHOOSE(void, hb_count_pairs, (uint64_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                                 int64_t count_at, const uint64_t* shift),
          (ones, record, n, size, word_at, count_at, shift))

/* bits that are not the same in all records */
static uint64_t hb_varying(const uint8_t* record, int64_t n, int64_t size) {
    uint64_t first, word, varying = 0;
    memcpy(&first, record, 8);
    for (int64_t i = 1; i < n; i++) {
        memcpy(&word, record + i * size, 8);
        varying |= word ^ first;
    }
    return varying;
}
