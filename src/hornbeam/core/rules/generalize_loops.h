/* The innermost loop of generalizing rules: counts of rows in bit sets, for processors with and without bit
   counting. */
#pragma once
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

/* for a rule: rows covered and those of another class (at n), and rows that break only condition i (at i) */
#define HB_BLOCK 128  /* words processed at a time, so that they stay in the cache */
#define HB_LOOK_OVER(name, kind) \
kind static void name(const uint64_t** bits, int n, int64_t n_words, const uint64_t* all_rows, \
                      const uint64_t* right, int64_t* count, int64_t* wrong) { \
    uint64_t once[HB_BLOCK], only[HB_BLOCK]; \
    for (int64_t start = 0; start < n_words; start += HB_BLOCK) { \
        int64_t size = n_words - start < HB_BLOCK ? n_words - start : HB_BLOCK, covered = 0, errors = 0; \
        for (int64_t w = 0; w < size; w++) once[w] = only[w] = 0;  /* `only` holds `twice` at first */ \
        for (int i = 0; i < n; i++) { \
            const uint64_t* passes = bits[i] + start; \
            for (int64_t w = 0; w < size; w++) { \
                uint64_t broken = ~passes[w]; \
                only[w] |= once[w] & broken; \
                once[w] |= broken; \
            } \
        } \
        for (int64_t w = 0; w < size; w++) { \
            uint64_t rows = all_rows[start + w], here = ~once[w] & rows; \
            only[w] = once[w] & ~only[w] & rows; \
            covered += hb_count_bits(here); \
            errors += hb_count_bits(here & ~right[start + w]); \
        } \
        count[n] += covered; \
        wrong[n] += errors; \
        for (int i = 0; i < n; i++) { \
            const uint64_t* passes = bits[i] + start; \
            covered = errors = 0; \
            for (int64_t w = 0; w < size; w++) { \
                uint64_t broken = only[w] & ~passes[w]; \
                covered += hb_count_bits(broken); \
                errors += hb_count_bits(broken & ~right[start + w]); \
            } \
            count[i] += covered; \
            wrong[i] += errors; \
        } \
    } \
}
HB_LOOK_OVER(hb_look_over_plainly, )
#if HB_X86  /* the same, for processors with bit-count instructions, for one word or several at a time */
HB_LOOK_OVER(hb_look_over_counting, HB_TARGET("avx2,popcnt"))
HB_LOOK_OVER(hb_look_over_counting_many, HB_TARGET("avx2,popcnt,avx512f,avx512vl,avx512bw,avx512vpopcntdq"))
#endif

static void hb_look_over(const uint64_t** bits, int n, int64_t n_words, const uint64_t* all_rows,
                         const uint64_t* right, int64_t* count, int64_t* wrong) {
#if HB_X86
    if (HB_HAS("avx512vpopcntdq") && HB_HAS("avx512vl") && HB_HAS("avx512bw")) {
        hb_look_over_counting_many(bits, n, n_words, all_rows, right, count, wrong);
        return;
    }
    if (HB_HAS("avx2") && HB_HAS("popcnt")) {
        hb_look_over_counting(bits, n, n_words, all_rows, right, count, wrong);
        return;
    }
#endif
    hb_look_over_plainly(bits, n, n_words, all_rows, right, count, wrong);
}
