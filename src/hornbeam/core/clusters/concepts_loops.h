/* The innermost loops of concept formation: how well the values of a node's rows can be predicted.

   Four sums are accumulated in parallel, whatever the size of the registers. */
#pragma once
#include <math.h>
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

/* the sum of 1 / sd over m numeric columns; counts, sums and sums of squares (m each) are given as three addends */
HB_INLINE double hb_c_sharp_loop(const double* f, const double* g, const double* row, int64_t m, double least) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    for (int64_t i = 0; i < m; i += 4) {
        int n = m - i < 4 ? (int)(m - i) : 4;
        double c[4] = {0.0, 0.0, 0.0, 0.0}, t[4] = {0.0, 0.0, 0.0, 0.0}, q[4] = {0.0, 0.0, 0.0, 0.0};
        if (n == 4)  /* an iteration count that the compiler knows */
            for (int k = 0; k < 4; k++) {
                c[k] = f[i + k] + g[i + k] + row[i + k];
                t[k] = f[m + i + k] + g[m + i + k] + row[m + i + k];
                q[k] = f[2 * m + i + k] + g[2 * m + i + k] + row[2 * m + i + k];
            }
        else
            for (int k = 0; k < n; k++) {
                c[k] = f[i + k] + g[i + k] + row[i + k];
                t[k] = f[m + i + k] + g[m + i + k] + row[m + i + k];
                q[k] = f[2 * m + i + k] + g[2 * m + i + k] + row[2 * m + i + k];
            }
        for (int k = 0; k < 4; k++) {
            double count = c[k] > 1.0 ? c[k] : 2.0, v = (q[k] - t[k] * t[k] / count) / (count - 1.0);
            v = c[k] > 1.0 ? v : 0.0;
            t[k] = 1.0 / sqrt(v > least ? v : least);
        }
        for (int k = 0; k < 4; k++) sum[k] += k < n ? t[k] : 0.0;
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
HB_DISPATCH(double, hb_c_sharp, (const double* f, const double* g, const double* row, int64_t m, double least),
            (f, g, row, m, least))

/* the sum over m columns of squares / known^2; each is given as two addends */
HB_INLINE double hb_c_alike_loop(const double* known, const double* squares, const double* more, const double* extra,
                                 int64_t m) {
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int64_t i = 0;
    for (; i + 4 <= m; i += 4)
        for (int k = 0; k < 4; k++) {
            double held = known[i + k] + more[i + k], all = squares[i + k] + extra[i + k];
            double count = held > 0.0 ? held : 1.0, part = all / (count * count);
            sum[k] += held > 0.0 ? part : 0.0;
        }
    for (; i < m; i++) {
        double held = known[i] + more[i];
        if (held > 0.0) sum[0] += (squares[i] + extra[i]) / (held * held);
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
HB_DISPATCH(double, hb_c_alike, (const double* known, const double* squares, const double* more, const double* extra,
                                 int64_t m),
            (known, squares, more, extra, m))
