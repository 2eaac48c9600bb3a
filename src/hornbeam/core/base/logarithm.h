/* log2 by a table and a short polynomial, the same on every machine. */
#pragma once

#define HB_LN_2 0.69314718055994530942
#define HB_HALF_LOG_2_PI 0.91893853320467274178
#include <stdint.h>
#include <string.h>
#include <math.h>

/* For 256 steps of the mantissa: reciprocal and logarithm of the center of each step. Filled once, at import. */
static double hb_inverse[256];
static double hb_log2_of[256];

static void hb_fill_log_tables(void) {
    for (int i = 0; i < 256; i++) {
        double center = 1.0 + (i + 0.5) / 256.0;
        hb_inverse[i] = 1.0 / center;
        hb_log2_of[i] = -log2(hb_inverse[i]);
    }
}

static inline double hb_log2(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    int exponent = (int)(bits >> 52) - 1023;
    int step = (int)((bits >> 44) & 255);
    bits = (bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
    double mantissa;
    memcpy(&mantissa, &bits, 8);
    double r = mantissa * hb_inverse[step] - 1.0;
    /* |r| < 1/512, so the series of log2(1 + r) is below rounding after six terms */
    double series = r * (1.4426950408889634 + r * (-0.7213475204444817 + r * (0.48089834696298783
                  + r * (-0.36067376022224085 + r * (0.28853900817779268 + r * -0.24044917348149390)))));
    return (double)exponent + hb_log2_of[step] + series;
}

/* counts below 1e-6 are rounding errors */
static inline double hb_xlog2x(double x) {
    return x < 1e-6 ? 0.0 : x * hb_log2(x);
}
