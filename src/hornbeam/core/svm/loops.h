/* The innermost loops of support vector machines: kernel values of one row with many, and the passes over gradients.

   Rows are stored in tiles of 32: a tile holds the first column's 32 values, then the second's, and so on.
   One row's sum is taken column by column whatever the size of the registers. Differences are squared one by one, not
   computed from norms and products: rows far from the origin keep their distances. Values of the RBF kernel are at most
   1, so single precision is enough for its sums. Products can be large: they are summed and raised to a power in double
   precision and rounded once, since rounding makes the kernel matrix indefinite, and small tolerances could not be
   met. Predictions with a polynomial kernel are not rounded at all, since large terms cancel in their sums. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/exp.h"

#define HB_TILE 32
#define HB_RUN 512  /* entries among which the best value is found before its index */

enum { HB_LINEAR, HB_POLYNOMIAL, HB_RBF, HB_SIGMOID };
typedef struct { int kind, degree; double gamma, coef0; } hb_kernel;

/* from products (squared distances for HB_RBF) to kernel values */
HB_INLINE void hb_m_finish_loop(hb_kernel k, const double* v, float* out) {
    if (k.kind == HB_RBF) {
        float gamma = (float)k.gamma;
        for (int i = 0; i < HB_TILE; i++) out[i] = hb_exp_negative32(-gamma * (float)v[i]);
    } else if (k.kind == HB_POLYNOMIAL) {
        double base[HB_TILE], power[HB_TILE];
        for (int i = 0; i < HB_TILE; i++) base[i] = power[i] = k.gamma * v[i] + k.coef0;
        for (int times = 1; times < k.degree; times++)
            for (int i = 0; i < HB_TILE; i++) power[i] *= base[i];
        for (int i = 0; i < HB_TILE; i++) out[i] = (float)power[i];
    } else if (k.kind == HB_SIGMOID) {
        for (int i = 0; i < HB_TILE; i++) {
            float z = (float)(k.gamma * v[i] + k.coef0), e = hb_exp_negative32(-2.0f * fabsf(z));
            out[i] = copysignf((1.0f - e) / (1.0f + e), z);
        }
    } else
        for (int i = 0; i < HB_TILE; i++) out[i] = (float)v[i];
}
HB_DISPATCH(void, hb_m_finish, (hb_kernel k, const double* v, float* out), (k, v, out))

HB_INLINE void hb_m_tiles_body(hb_kernel k, const float* tiles, int64_t d, const float* pivot, int64_t n, float* out) {
    float gamma = (float)k.gamma;
    for (int64_t t = 0; t < n; t++) {
        const float* x = tiles + t * d * HB_TILE;
        float* goal = out + t * HB_TILE;
        if (k.kind == HB_RBF) {
            float sum[HB_TILE] = {0.0f};
            for (int64_t c = 0; c < d; c++) {
                float p = pivot[c];
                for (int i = 0; i < HB_TILE; i++) {
                    float away = x[c * HB_TILE + i] - p;
                    sum[i] += away * away;
                }
            }
            for (int i = 0; i < HB_TILE; i++) sum[i] = hb_exp_negative32(-gamma * sum[i]);
            memcpy(goal, sum, sizeof(sum));
        } else {
            double sum[HB_TILE] = {0.0};
            for (int64_t c = 0; c < d; c++) {
                double p = (double)pivot[c];
                for (int i = 0; i < HB_TILE; i++) sum[i] += (double)x[c * HB_TILE + i] * p;
            }
            hb_m_finish_loop(k, sum, goal);
        }
    }
}
/* the kernel is a constant in each call */
HB_INLINE void hb_m_tiles_loop(hb_kernel k, const float* x, int64_t d, const float* p, int64_t n, float* out) {
    hb_kernel fixed = k;
    switch (k.kind) {
        case HB_RBF: fixed.kind = HB_RBF; hb_m_tiles_body(fixed, x, d, p, n, out); break;
        case HB_LINEAR: fixed.kind = HB_LINEAR; hb_m_tiles_body(fixed, x, d, p, n, out); break;
        case HB_POLYNOMIAL: fixed.kind = HB_POLYNOMIAL; hb_m_tiles_body(fixed, x, d, p, n, out); break;
        default: fixed.kind = HB_SIGMOID; hb_m_tiles_body(fixed, x, d, p, n, out);
    }
}
HB_DISPATCH(void, hb_m_tiles, (hb_kernel k, const float* x, int64_t d, const float* p, int64_t n, float* out),
            (k, x, d, p, n, out))

/* values of a polynomial kernel, for predictions: in double precision throughout */
HB_INLINE void hb_m_powers_loop(hb_kernel k, const float* tiles, int64_t d, const double* pivot, int64_t n, double* out) {
    for (int64_t t = 0; t < n; t++) {
        const float* x = tiles + t * d * HB_TILE;
        double sum[HB_TILE] = {0.0}, power[HB_TILE];
        for (int64_t c = 0; c < d; c++)
            for (int i = 0; i < HB_TILE; i++) sum[i] += (double)x[c * HB_TILE + i] * pivot[c];
        for (int i = 0; i < HB_TILE; i++) sum[i] = power[i] = k.gamma * sum[i] + k.coef0;
        for (int times = 1; times < k.degree; times++)
            for (int i = 0; i < HB_TILE; i++) power[i] *= sum[i];
        memcpy(out + t * HB_TILE, power, sizeof(power));
    }
}
HB_DISPATCH(void, hb_m_powers, (hb_kernel k, const float* x, int64_t d, const double* p, int64_t n, double* out),
            (k, x, d, p, n, out))

/* f[t] -= factor * row[t] */
HB_INLINE void hb_m_lessen_loop(double* f, const float* row, double factor, int64_t n) {
    for (int64_t t = 0; t < n; t++) f[t] -= factor * (double)row[t];
}
HB_DISPATCH(void, hb_m_lessen, (double* f, const float* row, double factor, int64_t n), (f, row, factor, n))

/* a step of length `step` from row j towards row i; then the greatest `up` and the least `low` */
HB_INLINE void hb_m_step_loop(
    double* up, double* low, const float* ki, const float* kj, double step, int64_t first, int64_t last,
    double* top, int64_t* where, double* bottom
) {
    double best = -INFINITY, least = INFINITY;
    int64_t best_run = first;
    for (int64_t start = first; start < last; start += HB_RUN) {
        int64_t end = start + HB_RUN < last ? start + HB_RUN : last, t = start;
        double high[8], small[8];
        for (int i = 0; i < 8; i++) { high[i] = -INFINITY; small[i] = INFINITY; }
        for (; t + 8 <= end; t += 8)
            for (int i = 0; i < 8; i++) {
                double by = step * ((double)ki[t + i] - (double)kj[t + i]);
                double u = up[t + i] - by, l = low[t + i] - by;
                up[t + i] = u;
                low[t + i] = l;
                high[i] = u > high[i] ? u : high[i];
                small[i] = l < small[i] ? l : small[i];
            }
        for (; t < end; t++) {
            double by = step * ((double)ki[t] - (double)kj[t]);
            up[t] -= by;
            low[t] -= by;
            high[0] = up[t] > high[0] ? up[t] : high[0];
            small[0] = low[t] < small[0] ? low[t] : small[0];
        }
        for (int i = 1; i < 8; i++) {
            if (high[i] > high[0]) high[0] = high[i];
            if (small[i] < small[0]) small[0] = small[i];
        }
        if (high[0] > best) { best = high[0]; best_run = start; }
        if (small[0] < least) least = small[0];
    }
    *where = -1;
    for (int64_t t = best_run; t < best_run + HB_RUN && t < last; t++)
        if (up[t] == best) { *where = t; break; }
    if (best == -INFINITY) *where = -1;
    *top = best;
    *bottom = least;
}
HB_DISPATCH(void, hb_m_step, (double* up, double* low, const float* ki, const float* kj, double step, int64_t first,
                              int64_t last, double* top, int64_t* where, double* bottom),
            (up, low, ki, kj, step, first, last, top, where, bottom))

/* the partner that lowers the objective most, to second order: (top - low)² / (kii + ktt - 2 kit) */
HB_INLINE void hb_m_partner_loop(
    const double* low, const float* ki, const float* diagonal, float kii, double top, int64_t first, int64_t last,
    float* gain, int64_t* where
) {
    float best = 0.0f;
    int64_t best_run = -1;
    float worth[HB_RUN];
    *where = -1;
    for (int64_t start = first; start < last; start += HB_RUN) {
        int64_t end = start + HB_RUN < last ? start + HB_RUN : last, n = end - start, t = 0;
        float high[8] = {0.0f};
        for (; t + 8 <= n; t += 8)
            for (int i = 0; i < 8; i++) {
                int64_t at = start + t + i;
                float by = (float)(top - low[at]);
                float curve = (kii + diagonal[at]) - 2.0f * ki[at];
                by = by > 0.0f ? by : 0.0f;
                curve = curve > 1e-12f ? curve : 1e-12f;
                float g = by * by / curve;
                worth[t + i] = g;
                high[i] = g > high[i] ? g : high[i];
            }
        for (; t < n; t++) {
            int64_t at = start + t;
            float by = (float)(top - low[at]);
            float curve = (kii + diagonal[at]) - 2.0f * ki[at];
            by = by > 0.0f ? by : 0.0f;
            curve = curve > 1e-12f ? curve : 1e-12f;
            worth[t] = by * by / curve;
            high[0] = worth[t] > high[0] ? worth[t] : high[0];
        }
        for (int i = 1; i < 8; i++) if (high[i] > high[0]) high[0] = high[i];
        if (high[0] > best) {
            best = high[0];
            for (t = 0; t < n; t++) if (worth[t] == best) { best_run = start + t; break; }
        }
    }
    *where = best_run;
    *gain = best;
}
HB_DISPATCH(void, hb_m_partner, (const double* low, const float* ki, const float* diagonal, float kii, double top,
                                 int64_t first, int64_t last, float* gain, int64_t* where),
            (low, ki, diagonal, kii, top, first, last, gain, where))

/* the sum of coefficients times kernel values, in eight parallel sums */
HB_INLINE double hb_m_weigh_loop(const double* c, const float* row, int64_t n) {
    double lanes[8] = {0.0};
    int64_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int i = 0; i < 8; i++) lanes[i] += c[t + i] * (double)row[t + i];
    for (; t < n; t++) lanes[0] += c[t] * (double)row[t];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}
HB_DISPATCH(double, hb_m_weigh, (const double* c, const float* row, int64_t n), (c, row, n))

HB_INLINE double hb_m_weigh_wide_loop(const double* c, const double* row, int64_t n) {
    double lanes[8] = {0.0};
    int64_t t = 0;
    for (; t + 8 <= n; t += 8)
        for (int i = 0; i < 8; i++) lanes[i] += c[t + i] * row[t + i];
    for (; t < n; t++) lanes[0] += c[t] * row[t];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}
HB_DISPATCH(double, hb_m_weigh_wide, (const double* c, const double* row, int64_t n), (c, row, n))
