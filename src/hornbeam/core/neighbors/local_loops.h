/* The loops of local regressions: sums of products of columns, and weights of rows.

   Several sums are accumulated in parallel, in an order that does not depend on the registers. */
#pragma once
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

#define HB_L_ROWS 64  /* of a block */
#define HB_L_LANES 4

/* one block: weighted columns times columns, i times j up to i, added to `square`; (columns, rows) each */
HB_INLINE void hb_l_squares_loop(const double* weighted, const double* plain, int p, double* square) {
    for (int i = 0; i < p; i++)
        for (int j = 0; j <= i; j++) {
            double lanes[2][HB_L_LANES] = {{0.0}};
            const double* a = weighted + i * HB_L_ROWS;
            const double* b = plain + j * HB_L_ROWS;
            for (int r = 0; r < HB_L_ROWS; r += 2 * HB_L_LANES)
                for (int lane = 0; lane < HB_L_LANES; lane++) {
                    lanes[0][lane] += a[r + lane] * b[r + lane];
                    lanes[1][lane] += a[r + HB_L_LANES + lane] * b[r + HB_L_LANES + lane];
                }
            double sum = 0.0;
            for (int lane = 0; lane < HB_L_LANES; lane++) sum += lanes[0][lane] + lanes[1][lane];
            square[i * p + j] += sum;
        }
}
HB_DISPATCH(void, hb_l_squares, (const double* weighted, const double* plain, int p, double* square),
            (weighted, plain, p, square))

/* distances become weights: (1 - u^3)^3 within the bandwidth, times the rows' own weights; 0 for NaN */
HB_INLINE void hb_l_tricube_loop(double* away, const double* own, double bandwidth, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double u = away[i] / bandwidth, rest = 1.0 - u * u * u;
        away[i] = u < 1.0 ? own[i] * (rest * rest * rest) : 0.0;
    }
}
HB_DISPATCH(void, hb_l_tricube, (double* away, const double* own, double bandwidth, int64_t n),
            (away, own, bandwidth, n))
