/* Small trees as bits: every test of a tree is evaluated for many rows at once, and no row walks the tree.

   The leaves of a tree, from left to right, are bits. A test that is false for a row rules out the leaves of its
   first branch: the row's bits are narrowed by a mask. After all tests of the tree, the lowest bit left is the row's
   leaf, whatever the order of the tests. Trees with more leaves than a word has bits take several words, each with
   the tests that touch it. So a test costs a comparison and two operations for a whole vector of rows. (The idea is
   QuickScorer's, of Lucchese et al. 2015.)

   Numbers of 32 bits go with words of 32 bits, those of 64 with words of 64. With a compiler without vectors,
   `hb_width` is 0, and no tree becomes bits. */
#pragma once
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

#define HB_BLOCK_ROWS 128  /* rows of a block; the widest kernel processes them all at once */

typedef union { float number; uint32_t code; } hb_slot32;
typedef union { double number; uint64_t code; } hb_slot64;
typedef struct { float cut; uint32_t mask; int32_t column; } hb_test32;
typedef struct { double cut; uint64_t mask; int64_t column; } hb_test64;
/* a test of categories: bits of the codes that go to the first branch, `n_words` words from `set` on */
typedef struct { uint32_t mask; int32_t column; int32_t n_words; int64_t set; } hb_set_test32;
typedef struct { uint64_t mask; int32_t column; int32_t n_words; int64_t set; } hb_set_test64;
typedef struct { int64_t test; int64_t set_test; } hb_word;  /* where a word's tests begin */

#if HB_GNU
#define HB_FEW_WORDS 8  /* sets up to this size are looked up word by word, for all rows at once */
#define HB_EACH(do) do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)
#define HB_DECLARE(j) bits b##j = ~(bits){0};
#define HB_ASK(j) b##j &= (bits)(x[j] <= cut) | mask;
#define HB_ASK_SET(j) { \
    bits hit = {0}; \
    for (int k = 0; k < test->n_words; k++) \
        hit |= ((set[k] >> (c[j] & LAST)) & 1) & (bits)((c[j] >> SHIFT) == (one)k); \
    b##j &= -hit | mask; \
}
#define HB_ASK_LARGE_SET(j) { \
    bits hit = {0}; \
    for (int i = 0; i < LANES; i++) { \
        one code = c[j][i]; \
        hit[i] = (set[code >> SHIFT] >> (code & LAST)) & 1; \
    } \
    b##j &= -hit | mask; \
}
#define HB_KEEP(j) { \
    bits some = (bits)(b##j != 0); \
    found[j] = (b##j & some) | (found[j] & ~some); \
    before[j] = ((w * (LAST + 1)) & some) | (before[j] & ~some); \
}

#define HB_BITS(name, attribute, size, real, word, test_type, set_type, count_zeros) \
attribute static void name(const hb_word* words, int64_t n_words, const test_type* tests, \
                           const set_type* set_tests, const word* sets, const real* const* columns, int count, \
                           int32_t* leaf) { \
    typedef word one; \
    typedef real numbers __attribute__((vector_size(size), aligned(sizeof(real)), may_alias)); \
    typedef word bits __attribute__((vector_size(size), aligned(sizeof(real)), may_alias)); \
    enum { LANES = size / sizeof(real), LAST = 8 * sizeof(word) - 1, SHIFT = sizeof(word) == 4 ? 5 : 6 }; \
    bits found[8], before[8]; \
    for (int start = 0; start < count; start += 8 * LANES) { \
        for (int j = 0; j < 8; j++) found[j] = before[j] = (bits){0}; \
        for (word w = (word)n_words; w-- > 0;) { \
            HB_EACH(HB_DECLARE) \
            for (const test_type* test = tests + words[w].test; test < tests + words[w + 1].test; test++) { \
                const numbers* x = (const numbers*)(columns[test->column] + start); \
                numbers cut = test->cut - (numbers){0};  /* the same in every lane */ \
                word mask = test->mask; \
                HB_EACH(HB_ASK) \
            } \
            const set_type* stop = set_tests + words[w + 1].set_test; \
            for (const set_type* test = set_tests + words[w].set_test; test < stop; test++) { \
                const bits* c = (const bits*)(columns[test->column] + start); \
                const word* set = sets + test->set; \
                word mask = test->mask; \
                if (test->n_words <= HB_FEW_WORDS) { HB_EACH(HB_ASK_SET) } \
                else { HB_EACH(HB_ASK_LARGE_SET) } \
            } \
            HB_EACH(HB_KEEP) \
        } \
        for (int j = 0; j < 8; j++) \
            for (int i = 0; i < LANES; i++) \
                leaf[start + j * LANES + i] = (int32_t)before[j][i] + count_zeros(found[j][i]); \
    } \
}
#define HB_BITS_BOTH(name, attribute, size) \
    HB_BITS(name##32, attribute, size, float, uint32_t, hb_test32, hb_set_test32, hb_lowest_bit) \
    HB_BITS(name##64, attribute, size, double, uint64_t, hb_test64, hb_set_test64, hb_lowest_bit)
HB_BITS_BOTH(hb_bits_plain, , 16)
#if HB_X86
HB_BITS_BOTH(hb_bits_wide, HB_TARGET("avx2,bmi"), 32)
HB_BITS_BOTH(hb_bits_widest, HB_TARGET("avx512f,avx512vl,avx512bw,avx512dq,bmi"), 64)
static int hb_width(void) {
    if (HB_HAS("avx512f") && HB_HAS("avx512vl") && HB_HAS("avx512bw") && HB_HAS("avx512dq")) return 64;
    return HB_HAS("avx2") && HB_HAS("bmi") ? 32 : 16;
}
#define HB_FIND_LEAVES(bits, ...) \
    if (width == 64) hb_bits_widest##bits(__VA_ARGS__); \
    else if (width == 32) hb_bits_wide##bits(__VA_ARGS__); \
    else hb_bits_plain##bits(__VA_ARGS__);
#else
static int hb_width(void) { return 16; }
#define HB_FIND_LEAVES(bits, ...) hb_bits_plain##bits(__VA_ARGS__);
#endif
#else
static int hb_width(void) { return 0; }
#define HB_FIND_LEAVES(bits, ...)
#endif

/* the leaf of every row of a block in one tree, counted from the left */
static void hb_find_leaves32(int width, const hb_word* words, int64_t n_words, const hb_test32* tests,
                             const hb_set_test32* set_tests, const uint32_t* sets, const hb_slot32* const* columns,
                             int count, int32_t* leaf) {
    HB_FIND_LEAVES(32, words, n_words, tests, set_tests, sets, (const float* const*)columns, count, leaf)
}
static void hb_find_leaves64(int width, const hb_word* words, int64_t n_words, const hb_test64* tests,
                             const hb_set_test64* set_tests, const uint64_t* sets, const hb_slot64* const* columns,
                             int count, int32_t* leaf) {
    HB_FIND_LEAVES(64, words, n_words, tests, set_tests, sets, (const double* const*)columns, count, leaf)
}
