/* The inner loops of boosting: sums by bin, the best cut among running sums, rows to branches.

   A row's gradient and second derivative are integers in one 64-bit word, the gradient in the upper half; so one
   addition sums both, and the order of additions does not matter. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"

#define HB_AHEAD 12  /* rows to read ahead */
#define HB_BINS 256

/* ---- sums by bin ---- */

HB_INLINE void hb_add_eight(int64_t* sums, const uint8_t* record, int64_t word) {
    uint64_t codes;
    memcpy(&codes, record, 8);
    sums[codes & 255] += word;
    sums[HB_BINS + ((codes >> 8) & 255)] += word;
    sums[2 * HB_BINS + ((codes >> 16) & 255)] += word;
    sums[3 * HB_BINS + ((codes >> 24) & 255)] += word;
    sums[4 * HB_BINS + ((codes >> 32) & 255)] += word;
    sums[5 * HB_BINS + ((codes >> 40) & 255)] += word;
    sums[6 * HB_BINS + ((codes >> 48) & 255)] += word;
    sums[7 * HB_BINS + (codes >> 56)] += word;
}

HB_INLINE void hb_add_row(int64_t* sums, const uint8_t* record, int n, int64_t word) {
    while (n >= 8) {
        hb_add_eight(sums, record, word);
        sums += 8 * HB_BINS;
        record += 8;
        n -= 8;
    }
    if (n & 4) {
        sums[record[0]] += word;
        sums[HB_BINS + record[1]] += word;
        sums[2 * HB_BINS + record[2]] += word;
        sums[3 * HB_BINS + record[3]] += word;
        sums += 4 * HB_BINS;
        record += 4;
    }
    if (n & 2) {
        sums[record[0]] += word;
        sums[HB_BINS + record[1]] += word;
        sums += 2 * HB_BINS;
        record += 2;
    }
    if (n & 1) sums[record[0]] += word;
}

/* add the words of some rows (of all from `first` on, if `rows` is NULL) to the bins of n columns */
HB_INLINE void hb_sum_some(const uint8_t* records, int64_t stride, int n, const int64_t* words,
                           const uint32_t* rows, int64_t first, int64_t n_rows, int64_t* sums) {
    if (!rows) {
        for (int64_t row = first; row < first + n_rows; row++)
            hb_add_row(sums, records + row * stride, n, words[row]);
        return;
    }
    for (int64_t i = 0; i < n_rows; i++) {
        int64_t row = rows[i], later = rows[i + HB_AHEAD < n_rows ? i + HB_AHEAD : n_rows - 1];
        hb_fetch(words + later);
        for (int64_t part = 0; part < stride; part += 64) hb_fetch(records + later * stride + part);
        hb_add_row(sums, records + row * stride, n, words[row]);
    }
}

/* for the usual numbers of columns, the number is a constant */
static void hb_sum(const uint8_t* records, int64_t stride, int n, const int64_t* words,
                   const uint32_t* rows, int64_t first, int64_t n_rows, int64_t* sums) {
    switch (n >> 3) {
        case 0: hb_sum_some(records, stride, n & 7, words, rows, first, n_rows, sums); return;
        case 1: hb_sum_some(records, stride, 8 + (n & 7), words, rows, first, n_rows, sums); return;
        case 2: hb_sum_some(records, stride, 16 + (n & 7), words, rows, first, n_rows, sums); return;
        case 3: hb_sum_some(records, stride, 24 + (n & 7), words, rows, first, n_rows, sums); return;
        default: hb_sum_some(records, stride, n, words, rows, first, n_rows, sums);
    }
}

/* ---- the best cut among running sums ---- */

typedef struct {
    double gradient, curve;  /* of all rows of the node */
    double extra_gradient, extra_curve;  /* of rows that go to the first branch at every cut */
    double penalty;  /* added to each branch's curve */
    double least;  /* minimum curve of each branch */
} hb_cutting;

/* The score of the cut after every running sum (0: not allowed), 4 at a time; returns the best score. The arrays have
   room for three more sums, whose curve must be too large to be allowed. */
static double hb_score_cuts_plain(const int64_t* running, int n, const hb_cutting* cutting, double* score) {
    double best = 0.0;
    for (int i = 0; i < ((n + 3) & ~3); i++) {
        double g = (double)(int32_t)(running[i] >> 32) + cutting->extra_gradient;
        double h = (double)(uint32_t)running[i] + cutting->extra_curve;
        double rest_g = cutting->gradient - g, rest_h = cutting->curve - h;
        double a = h + cutting->penalty, b = rest_h + cutting->penalty;
        double gain = (g * g * b + rest_g * rest_g * a) / (a * b);
        score[i] = h >= cutting->least && rest_h >= cutting->least ? gain : 0.0;
        best = score[i] > best ? score[i] : best;
    }
    return best;
}

#if HB_X86
typedef double hb_four __attribute__((vector_size(32)));
typedef int64_t hb_four_long __attribute__((vector_size(32)));
typedef uint64_t hb_four_word __attribute__((vector_size(32)));

/* half a word is converted to a double through the bits of a double whose last bit counts 1 */
HB_TARGET("avx2") static double hb_score_cuts_avx2(const int64_t* running, int n, const hb_cutting* cutting,
                                                   double* score) {
    const uint64_t bits = 0x4330000000000000ULL, half = 0x80000000ULL, low = 0xFFFFFFFFULL;
    const double bits_number = 4503599627370496.0, half_number = 4503601774854144.0;  /* 2^52, and 2^31 more */
    double c[6] = {cutting->gradient, cutting->curve, cutting->extra_gradient, cutting->extra_curve,
                   cutting->penalty, cutting->least}, best = 0.0, most[4];
    hb_four total_g = {c[0], c[0], c[0], c[0]}, total_h = {c[1], c[1], c[1], c[1]};
    hb_four extra_g = {c[2], c[2], c[2], c[2]}, extra_h = {c[3], c[3], c[3], c[3]};
    hb_four penalty = {c[4], c[4], c[4], c[4]}, least = {c[5], c[5], c[5], c[5]}, top = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < n; i += 4) {
        hb_four_word words;
        memcpy(&words, running + i, 32);
        hb_four g = ((hb_four)(((words >> 32) ^ half) | bits) - half_number) + extra_g;
        hb_four h = ((hb_four)((words & low) | bits) - bits_number) + extra_h;
        hb_four rest_g = total_g - g, rest_h = total_h - h;
        hb_four a = h + penalty, b = rest_h + penalty;
        hb_four gain = (g * g * b + rest_g * rest_g * a) / (a * b);
        hb_four_long allowed = (h >= least) & (rest_h >= least);
        gain = (hb_four)((hb_four_long)gain & allowed);
        hb_four_long better = gain > top;
        top = (hb_four)(((hb_four_long)gain & better) | ((hb_four_long)top & ~better));
        memcpy(score + i, &gain, 32);
    }
    memcpy(most, &top, 32);
    for (int i = 0; i < 4; i++) best = most[i] > best ? most[i] : best;
    return best;
}
#endif
HB_CHOOSE(double, hb_score_cuts, (const int64_t* running, int n, const hb_cutting* cutting, double* score),
          (running, n, cutting, score))

/* ---- rows to branches ---- */

/* rows of side 0 stay, in order, at the front; those of side 1 go to `spare`; returns how many stay */
static int64_t hb_part(uint32_t* rows, int64_t n, uint32_t* stay, uint32_t* spare, const uint8_t* codes,
                       const uint8_t* side) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        hb_fetch(codes + rows[i + 2 * HB_AHEAD < n ? i + 2 * HB_AHEAD : n - 1]);
        int other = side[codes[row]];
        stay[kept] = row;
        spare[i - kept] = row;
        kept += !other;
    }
    return kept;
}
static int64_t hb_part_wide(uint32_t* rows, int64_t n, uint32_t* stay, uint32_t* spare, const int32_t* codes,
                            const uint8_t* side) {
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t row = rows[i];
        int other = side[codes[row]];
        stay[kept] = row;
        spare[i - kept] = row;
        kept += !other;
    }
    return kept;
}
