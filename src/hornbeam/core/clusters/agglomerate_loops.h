/* The innermost loops of agglomeration: the nearest cluster, found block by block. */
#pragma once
#include <math.h>
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

#define HB_A_BLOCK 256

/* The nearest of m clusters to cluster `a` by |x - y|^2 size / (size + size of a); `before` wins ties.
   columns: d columns of `room` numbers each. Sums are taken column by column. */
HB_INLINE int64_t hb_a_nearest_loop(const double* columns, const double* size, int64_t room, int64_t m, int64_t d,
                                    int64_t a, int64_t before, double* least) {
    double sum[HB_A_BLOCK], best = INFINITY, own = size[a];
    int64_t nearest = -1;
    for (int64_t first = 0; first < m; first += HB_A_BLOCK) {
        int64_t n = m - first < HB_A_BLOCK ? m - first : HB_A_BLOCK;
        for (int64_t i = 0; i < n; i++) sum[i] = 0.0;
        for (int64_t f = 0; f < d; f++) {
            const double* x = columns + f * room + first;
            double q = columns[f * room + a];
            for (int64_t i = 0; i < n; i++) { double apart = x[i] - q; sum[i] += apart * apart; }
        }
        const double* s = size + first;
        for (int64_t i = 0; i < n; i++) sum[i] *= s[i] / (s[i] + own);
        if (a >= first && a < first + n) sum[a - first] = INFINITY;
        double low = INFINITY;
        for (int64_t i = 0; i < n; i++) low = sum[i] < low ? sum[i] : low;
        if (low < best) {
            best = low;
            for (int64_t i = 0; i < n; i++) if (sum[i] == low) { nearest = first + i; break; }
        }
        if (before >= first && before < first + n && sum[before - first] == best) nearest = before;
    }
    *least = best;
    return nearest;
}
HB_DISPATCH(int64_t, hb_a_nearest, (const double* columns, const double* size, int64_t room, int64_t m, int64_t d,
                                    int64_t a, int64_t before, double* least),
            (columns, size, room, m, d, a, before, least))

/* The index of the smallest of m numbers; `before` wins ties. */
HB_INLINE int64_t hb_a_least_loop(const double* x, int64_t m, int64_t before, double* least) {
    double best = INFINITY;
    int64_t index = -1;
    for (int64_t first = 0; first < m; first += HB_A_BLOCK) {
        int64_t n = m - first < HB_A_BLOCK ? m - first : HB_A_BLOCK;
        double low = INFINITY;
        for (int64_t i = 0; i < n; i++) low = x[first + i] < low ? x[first + i] : low;
        if (low < best) {
            best = low;
            for (int64_t i = 0; i < n; i++) if (x[first + i] == low) { index = first + i; break; }
        }
    }
    if (before >= 0 && x[before] == best) index = before;
    *least = best;
    return index;
}
HB_DISPATCH(int64_t, hb_a_least, (const double* x, int64_t m, int64_t before, double* least), (x, m, before, least))
