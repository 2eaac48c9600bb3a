/* exp in plain arithmetic: loops over it are vectorized, and the result is the same on every machine.

   hb_exp: any sign, up to 1e30; hb_exp_negative: x <= 0, gives 0 below -700; hb_exp_negative32: the same in single
   precision, gives 0 below -87. Relative errors are below 1e-15 (1e-6 in single precision). */
#pragma once
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"

/* x = whole * log(2) + rest; the last bits of `bits` hold `whole` */
HB_INLINE double hb_exp_rest(double x, int64_t* bits) {
    const double shift = 6755399441055744.0;  /* 1.5 * 2^52: adding it rounds to an integer, held in the last bits */
    double whole = x * 1.4426950408889634 + shift;
    memcpy(bits, &whole, 8);
    whole -= shift;
    return (x - whole * 0.6931471803691238) - whole * 1.9082149292705877e-10;
}

/* the Taylor series from its term of degree 12 on, by Horner's rule; `sum`: the coefficient of that term */
HB_INLINE double hb_exp_series(double r, double sum) {
    sum = sum * r + 1.0 / 39916800.0;
    sum = sum * r + 1.0 / 3628800.0;
    sum = sum * r + 1.0 / 362880.0;
    sum = sum * r + 1.0 / 40320.0;
    sum = sum * r + 1.0 / 5040.0;
    sum = sum * r + 1.0 / 720.0;
    sum = sum * r + 1.0 / 120.0;
    sum = sum * r + 1.0 / 24.0;
    sum = sum * r + 1.0 / 6.0;
    sum = sum * r + 0.5;
    sum = sum * r + 1.0;
    return sum * r + 1.0;
}

HB_INLINE double hb_exp(double x) {
    int64_t exponent;
    double r = hb_exp_rest(x, &exponent), scale;
    exponent -= 0x4338000000000000LL;
    exponent = exponent > 100 ? 100 : exponent;  /* the result fits in a float */
    exponent = exponent < -1022 ? -1022 : exponent;
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    memcpy(&scale, &bits, 8);
    return hb_exp_series(r, 1.0 / 479001600.0) * scale;
}

HB_INLINE double hb_exp_negative(double x) {
    /* compared as integers: comparisons of floats would keep compilers from vectorizing */
    const int64_t limit = 0x4085E00000000000;  /* 700 */
    int64_t size, bits, result;
    memcpy(&size, &x, 8);
    size &= 0x7FFFFFFFFFFFFFFF;
    int64_t beyond = -(int64_t)(size > limit);
    size = (beyond & limit) | (~beyond & size);
    double below;
    memcpy(&below, &size, 8);
    double r = hb_exp_rest(-below, &bits), sum = hb_exp_series(r, 1.0 / 6227020800.0 * r + 1.0 / 479001600.0);
    memcpy(&result, &sum, 8);
    result = (int64_t)((uint64_t)result + ((uint64_t)bits << 52)) & ~beyond;
    memcpy(&sum, &result, 8);
    return sum;
}

HB_INLINE float hb_exp_negative32(float x) {
    const float shift = 12582912.0f;  /* 1.5 * 2^23 */
    const int32_t limit = 0x42AE0000;  /* 87 */
    int32_t size, bits, result;
    memcpy(&size, &x, 4);
    size &= 0x7FFFFFFF;
    int32_t beyond = -(int32_t)(size > limit);
    size = (beyond & limit) | (~beyond & size);
    float below;
    memcpy(&below, &size, 4);
    below = -below;
    float whole = below * 1.44269504f + shift;
    memcpy(&bits, &whole, 4);
    whole -= shift;
    float r = (below - whole * 0.693359375f) + whole * 2.12194440e-4f;
    float sum = 1.0f / 5040.0f;
    sum = sum * r + 1.0f / 720.0f;
    sum = sum * r + 1.0f / 120.0f;
    sum = sum * r + 1.0f / 24.0f;
    sum = sum * r + 1.0f / 6.0f;
    sum = sum * r + 0.5f;
    sum = sum * r + 1.0f;
    sum = sum * r + 1.0f;
    memcpy(&result, &sum, 4);
    result = (int32_t)((uint32_t)result + ((uint32_t)bits << 23)) & ~beyond;
    memcpy(&sum, &result, 4);
    return sum;
}
