/* The innermost loops of distances: what one column adds to the distances of one row from a run of others.

   Every row's sum is taken column by column. What a pair with a missing value adds is passed in: `other` where the
   other row's value is missing; in hb_d_far, where this row's value is missing, the distance of the other row's value
   from the farther of `low` and `high` (the limits of the column), or `both` where that is missing too. */
#pragma once
#include <math.h>
#include <stdint.h>
#include "hornbeam/core/base/simd.h"

/* without errno, square roots are vectorized */
#if HB_GNU && !defined(__clang__)
#define HB_NO_ERRNO __attribute__((optimize("no-math-errno")))
#else
#define HB_NO_ERRNO
#endif

HB_INLINE void hb_d_squares_loop(double* sum, const double* x, double q, double w, int64_t n) {
    for (int64_t i = 0; i < n; i++) { double d = q - x[i]; sum[i] += w * (d * d); }
}
HB_DISPATCH(void, hb_d_squares, (double* sum, const double* x, double q, double w, int64_t n), (sum, x, q, w, n))

HB_INLINE void hb_d_sizes_loop(double* sum, const double* x, double q, double w, int64_t n) {
    for (int64_t i = 0; i < n; i++) sum[i] += w * fabs(q - x[i]);
}
HB_DISPATCH(void, hb_d_sizes, (double* sum, const double* x, double q, double w, int64_t n), (sum, x, q, w, n))

HB_INLINE void hb_d_squares_or_loop(double* sum, const double* x, double q, double w, double other, int64_t n) {
    for (int64_t i = 0; i < n; i++) { double d = x[i] == x[i] ? q - x[i] : other; sum[i] += w * (d * d); }
}
HB_DISPATCH(void, hb_d_squares_or, (double* sum, const double* x, double q, double w, double other, int64_t n),
            (sum, x, q, w, other, n))

HB_INLINE void hb_d_sizes_or_loop(double* sum, const double* x, double q, double w, double other, int64_t n) {
    for (int64_t i = 0; i < n; i++) { double d = x[i] == x[i] ? fabs(q - x[i]) : other; sum[i] += w * d; }
}
HB_DISPATCH(void, hb_d_sizes_or, (double* sum, const double* x, double q, double w, double other, int64_t n),
            (sum, x, q, w, other, n))

HB_INLINE void hb_d_far_loop(double* sum, const double* x, double low, double high, double both, double w, int squared,
                             int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double under = x[i] - low, over = high - x[i], d = under > over ? under : over;
        d = x[i] == x[i] ? d : both;
        sum[i] += w * (squared ? d * d : d);
    }
}
HB_DISPATCH(void, hb_d_far, (double* sum, const double* x, double low, double high, double both, double w, int squared,
                             int64_t n),
            (sum, x, low, high, both, w, squared, n))

HB_INLINE void hb_d_known_loop(double* known, const double* x, double w, int64_t n) {
    for (int64_t i = 0; i < n; i++) known[i] += x[i] == x[i] ? w : 0.0;
}
HB_DISPATCH(void, hb_d_known, (double* known, const double* x, double w, int64_t n), (known, x, w, n))

HB_INLINE void hb_d_codes_loop(double* sum, const int32_t* c, int32_t q, int32_t none, double differ, double absent,
                               int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        double d = c[i] == q ? 0.0 : differ;
        sum[i] += c[i] == none ? absent : d;
    }
}
HB_DISPATCH(void, hb_d_codes, (double* sum, const int32_t* c, int32_t q, int32_t none, double differ, double absent,
                               int64_t n),
            (sum, c, q, none, differ, absent, n))

HB_INLINE void hb_d_known_codes_loop(double* known, const int32_t* c, int32_t none, double w, int64_t n) {
    for (int64_t i = 0; i < n; i++) known[i] += c[i] == none ? 0.0 : w;
}
HB_DISPATCH(void, hb_d_known_codes, (double* known, const int32_t* c, int32_t none, double w, int64_t n),
            (known, c, none, w, n))

HB_INLINE void hb_d_same_loop(double* sum, double add, int64_t n) {
    for (int64_t i = 0; i < n; i++) sum[i] += add;
}
HB_DISPATCH(void, hb_d_same, (double* sum, double add, int64_t n), (sum, add, n))

HB_NO_ERRNO static void hb_d_roots_plain(double* sum, int64_t n) {
    for (int64_t i = 0; i < n; i++) sum[i] = sqrt(sum[i]);
}
#if HB_X86
HB_NO_ERRNO HB_TARGET("avx2") static void hb_d_roots_avx2(double* sum, int64_t n) {
    for (int64_t i = 0; i < n; i++) sum[i] = sqrt(sum[i]);
}
#endif
HB_CHOOSE(void, hb_d_roots, (double* sum, int64_t n), (sum, n))
