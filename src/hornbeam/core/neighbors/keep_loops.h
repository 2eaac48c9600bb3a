/* The innermost loops of the tree over kept rows: lower bounds of distances, to a node's ranges and to rows of a leaf.

   Sums are taken in the same order in both versions. Columns are padded to a multiple of four with columns that add
   nothing. Categories have no `scale`; they add `differ`. */
#pragma once
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"
#define HB_K_LANES 8
#define HB_K_COLUMNS 4

/* numbers only; adds nothing if `x` is missing */
static double hb_k_beyond_plain(const double* x, const double* low, const double* high, const double* scale, int p) {
    double sum[HB_K_COLUMNS] = {0.0};
    for (int f = 0; f < p; f += HB_K_COLUMNS)
        for (int i = 0; i < HB_K_COLUMNS; i++) {
            double under = low[f + i] - x[f + i], over = x[f + i] - high[f + i];
            double d = ((under > 0.0 ? under : 0.0) + (over > 0.0 ? over : 0.0)) * scale[f + i];
            sum[i] += d * d;
        }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* the bound of every row, eight rows at a time, column by column; a bit for each that may be as near as `enough` */
static void hb_k_near_plain(const double* x, const double* block, const double* scale, const double* differ, int p,
                            int64_t n_blocks, double enough, double* bound, uint8_t* found) {
    for (int64_t b = 0; b < n_blocks; b++) {
        double sum[HB_K_LANES] = {0.0};
        int bits = 0;
        for (int f = 0; f < p; f++, block += HB_K_LANES)
            for (int i = 0; i < HB_K_LANES; i++) {
                double d = (block[i] - x[f]) * scale[f];
                sum[i] += d == d ? d * d : 0.0;
                sum[i] += differ[f] > 0.0 && block[i] != x[f] ? differ[f] : 0.0;
            }
        for (int i = 0; i < HB_K_LANES; i++) {
            bound[b * HB_K_LANES + i] = sum[i];
            bits |= (sum[i] <= enough) << i;
        }
        found[b] = (uint8_t)bits;
    }
}

#if HB_X86
typedef double hb_k_v __attribute__((vector_size(32)));
typedef int64_t hb_k_m __attribute__((vector_size(32)));

#define HB_K_SPLAT(x) ((hb_k_v){(x), (x), (x), (x)})
#define HB_K_AND(mask, x) ((hb_k_v)((mask) & (hb_k_m)(x)))
#define HB_K_LOAD(to, from) memcpy(&(to), (from), sizeof(hb_k_v))
#define HB_K_STORE(to, from) memcpy((to), &(from), sizeof(hb_k_v))

HB_TARGET("avx2") static double hb_k_beyond_avx2(const double* x, const double* low, const double* high,
                                                 const double* scale, int p) {
    hb_k_v sum = HB_K_SPLAT(0.0), here, least, most, d, over;
    for (int f = 0; f < p; f += HB_K_COLUMNS) {
        HB_K_LOAD(here, x + f);
        HB_K_LOAD(least, low + f);
        HB_K_LOAD(most, high + f);
        d = least - here;
        over = here - most;
        d = HB_K_AND(d > 0.0, d) + HB_K_AND(over > 0.0, over);
        HB_K_LOAD(here, scale + f);
        d *= here;
        sum += d * d;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

HB_TARGET("avx2") static void hb_k_near_avx2(const double* x, const double* block, const double* scale,
                                             const double* differ, int p, int64_t n_blocks, double enough,
                                             double* bound, uint8_t* found) {
    for (int64_t b = 0; b < n_blocks; b++) {
        hb_k_v one = HB_K_SPLAT(0.0), other = one, y, z, d, e;
        hb_k_m near, far;
        for (int f = 0; f < p; f++, block += HB_K_LANES) {
            HB_K_LOAD(y, block);
            HB_K_LOAD(z, block + 4);
            d = (y - x[f]) * scale[f];
            e = (z - x[f]) * scale[f];
            one += HB_K_AND(d == d, d * d);
            other += HB_K_AND(e == e, e * e);
            if (differ[f] > 0.0) {
                one += HB_K_AND(y != x[f], HB_K_SPLAT(differ[f]));
                other += HB_K_AND(z != x[f], HB_K_SPLAT(differ[f]));
            }
        }
        HB_K_STORE(bound + b * HB_K_LANES, one);
        HB_K_STORE(bound + b * HB_K_LANES + 4, other);
        near = one <= enough;
        far = other <= enough;
        found[b] = (uint8_t)((near[0] & 1) | (near[1] & 2) | (near[2] & 4) | (near[3] & 8)
                             | (far[0] & 16) | (far[1] & 32) | (far[2] & 64) | (far[3] & 128));
    }
}
#endif
HB_CHOOSE(double, hb_k_beyond, (const double* x, const double* low, const double* high, const double* scale, int p),
          (x, low, high, scale, p))
HB_CHOOSE(void, hb_k_near, (const double* x, const double* block, const double* scale, const double* differ, int p,
                            int64_t n_blocks, double enough, double* bound, uint8_t* found),
          (x, block, scale, differ, p, n_blocks, enough, bound, found))
