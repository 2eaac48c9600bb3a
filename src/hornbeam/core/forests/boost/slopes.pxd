"""Gradients of the losses of boosting, row after row, and their rounding to whole numbers.

See `boost_loops.pxd` on loops that are compiled twice. The exponential is our own, so that it can be taken of several
rows at once and is the same on every machine.
"""

from libc.stdint cimport int64_t, uint32_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #include <string.h>

    #ifndef HB_INLINE
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_WIDE __attribute__((target("avx2")))
    #define HB_IF_WIDE(call) if (__builtin_cpu_supports("avx2")) { call; return; }
    #else
    #define HB_WIDE
    #define HB_IF_WIDE(call)
    #endif
    #define HB_INLINE static inline __attribute__((always_inline))
    #endif

    HB_INLINE double hb_exp(double x) {  /* up to 1e30 */
        const double shift = 6755399441055744.0;  /* 1.5 * 2^52: adding it rounds to whole numbers */
        double whole = x * 1.4426950408889634 + shift, rest, power;
        uint64_t bits;
        int64_t exponent;
        memcpy(&exponent, &whole, 8);
        exponent -= 0x4338000000000000LL;
        exponent = exponent > 100 ? 100 : exponent;  /* what a float holds */
        exponent = exponent < -1022 ? -1022 : exponent;
        whole -= shift;
        rest = x - whole * 0.6931471803691238;
        rest -= whole * 1.9082149292705877e-10;
        power = 1.0 / 479001600.0;
        power = power * rest + 1.0 / 39916800.0;
        power = power * rest + 1.0 / 3628800.0;
        power = power * rest + 1.0 / 362880.0;
        power = power * rest + 1.0 / 40320.0;
        power = power * rest + 1.0 / 5040.0;
        power = power * rest + 1.0 / 720.0;
        power = power * rest + 1.0 / 120.0;
        power = power * rest + 1.0 / 24.0;
        power = power * rest + 1.0 / 6.0;
        power = power * rest + 0.5;
        power = power * rest + 1.0;
        power = power * rest + 1.0;
        bits = (uint64_t)(exponent + 1023) << 52;
        memcpy(&rest, &bits, 8);
        return power * rest;
    }

    enum { HB_SQUARED, HB_ABSOLUTE, HB_HUBER, HB_QUANTILE, HB_POISSON, HB_LOGISTIC, HB_MULTINOMIAL };

    /* gradients of rows `first` to `end` (and beside them second derivatives, where these are not all 1);
       `parameter`: Huber's bend, the quantile, the factor of multinomial curves; `chance`: of class `which`, there */
    HB_INLINE void hb_slope_of(int loss, const double* score, const double* target, const float* chance,
                               double parameter, double which, int64_t first, int64_t end, int step,
                               float* slope) {
        switch (loss) {
        case HB_SQUARED:
            for (int64_t i = first; i < end; i++) slope[step * i] = (float)(score[i] - target[i]);
            break;
        case HB_ABSOLUTE:
            for (int64_t i = first; i < end; i++) {
                double off = score[i] - target[i];
                slope[step * i] = (float)((off > 0.0) - (off < 0.0));
            }
            break;
        case HB_HUBER:
            for (int64_t i = first; i < end; i++) {
                double off = score[i] - target[i];
                off = off > parameter ? parameter : off;
                slope[step * i] = (float)(off < -parameter ? -parameter : off);
            }
            break;
        case HB_QUANTILE:
            for (int64_t i = first; i < end; i++) {
                double off = score[i] - target[i];
                slope[step * i] = (float)(off > 0.0 ? 1.0 - parameter : off < 0.0 ? -parameter : 0.0);
            }
            break;
        case HB_POISSON:
            for (int64_t i = first; i < end; i++) {
                double mean = hb_exp(score[i]);
                slope[2 * i] = (float)(mean - target[i]);
                slope[2 * i + 1] = (float)mean;
            }
            break;
        case HB_LOGISTIC:
            for (int64_t i = first; i < end; i++) {
                double share = 1.0 / (1.0 + hb_exp(-score[i]));
                slope[2 * i] = (float)(share - target[i]);
                slope[2 * i + 1] = (float)(share * (1.0 - share));
            }
            break;
        default:
            for (int64_t i = first; i < end; i++) {
                double share = chance[i];
                slope[2 * i] = (float)(share - (target[i] == which ? 1.0 : 0.0));
                slope[2 * i + 1] = (float)(parameter * share * (1.0 - share));
            }
        }
    }
    HB_INLINE void hb_slope_body(int loss, const double* score, const double* target, const float* chance,
                                 const double* weight, double parameter, double which, int64_t first, int64_t end,
                                 float* slope) {
        if (!weight) {
            hb_slope_of(loss, score, target, chance, parameter, which, first, end, 1, slope);
            return;
        }
        hb_slope_of(loss, score, target, chance, parameter, which, first, end, 2, slope);
        for (int64_t i = first; i < end; i++) {
            float curve = loss < HB_POISSON ? 1.0f : slope[2 * i + 1];
            slope[2 * i] = (float)(slope[2 * i] * weight[i]);
            slope[2 * i + 1] = (float)(curve * weight[i]);
        }
    }

    /* shares of the classes; scores and shares class after class, n rows each */
    HB_INLINE void hb_shares_body(const double* score, int n_classes, int64_t n, int64_t first, int64_t end,
                                  float* share) {
        double most[256], total[256], power[256];
        for (int64_t start = first; start < end; start += 256) {
            int size = (int)(end - start < 256 ? end - start : 256);
            for (int i = 0; i < size; i++) most[i] = score[start + i];
            for (int k = 1; k < n_classes; k++) {
                const double* own = score + k * n + start;
                for (int i = 0; i < size; i++) most[i] = own[i] > most[i] ? own[i] : most[i];
            }
            for (int i = 0; i < size; i++) total[i] = 0.0;
            for (int k = 0; k < n_classes; k++) {
                const double* own = score + k * n + start;
                float* out = share + k * n + start;
                for (int i = 0; i < size; i++) power[i] = hb_exp(own[i] - most[i]);
                for (int i = 0; i < size; i++) total[i] += power[i];
                for (int i = 0; i < size; i++) out[i] = (float)power[i];
            }
            for (int i = 0; i < size; i++) total[i] = 1.0 / total[i];
            for (int k = 0; k < n_classes; k++) {
                float* out = share + k * n + start;
                for (int i = 0; i < size; i++) out[i] = (float)(out[i] * total[i]);
            }
        }
    }

    /* the greatest size of every step-th number; sizes compare as the whole numbers that their bits are */
    HB_INLINE float hb_most_body(const float* numbers, int step, int64_t first, int64_t end) {
        int32_t most = 0;
        float found;
        if (step == 1) {
            for (int64_t i = first; i < end; i++) {
                int32_t bits;
                memcpy(&bits, numbers + i, 4);
                bits &= 0x7fffffff;
                most = bits > most ? bits : most;
            }
        } else {
            for (int64_t i = first; i < end; i++) {
                int32_t bits;
                memcpy(&bits, numbers + 2 * i, 4);
                bits &= 0x7fffffff;
                most = bits > most ? bits : most;
            }
        }
        memcpy(&found, &most, 4);
        return found;
    }

    /* the sum of sizes of every step-th number, in eight parts: the same order wherever it is taken */
    static double hb_total(const float* numbers, int step, int64_t first, int64_t end) {
        double part[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        int64_t i = first;
        for (; i + 8 <= end; i += 8)
            for (int k = 0; k < 8; k++) part[k] += fabs((double)numbers[step * (i + k)]);
        for (; i < end; i++) part[0] += fabs((double)numbers[step * i]);
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }

    /* the sum of squares of every step-th number, in the same way */
    static double hb_squares(const float* numbers, int step, int64_t first, int64_t end) {
        double part[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        int64_t i = first;
        for (; i + 8 <= end; i += 8)
            for (int k = 0; k < 8; k++) part[k] += (double)numbers[step * (i + k)] * numbers[step * (i + k)];
        for (; i < end; i++) part[0] += (double)numbers[step * i] * numbers[step * i];
        return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
    }

    /* ---- rounding ---- */

    HB_INLINE uint32_t hb_scramble(uint32_t word) {  /* a bijection in which every bit depends on every other */
        word ^= word >> 16;
        word *= 0x7feb352dU;
        word ^= word >> 15;
        word *= 0x846ca68bU;
        return word ^ (word >> 16);
    }

    /* words of rows: gradients, and curves (1 where they are all the same), in units, rounded up or down by chance */
    HB_INLINE void hb_round_body(const float* slope, int curved, double per_gradient, double per_curve, uint32_t key,
                                 int64_t first, int64_t end, int64_t* words) {
        const double share = 1.0 / 65536.0, shift = 8388608.0;  /* makes it positive, so that cutting off rounds down */
        if (!curved) {
            for (int64_t i = first; i < end; i++) {
                uint32_t chance = hb_scramble((uint32_t)i ^ key);
                double g = slope[i] * per_gradient + ((double)(int32_t)(chance & 65535) * share + shift);
                words[i] = (int64_t)((int32_t)g - 8388608) * 4294967296LL + 1;
            }
            return;
        }
        for (int64_t i = first; i < end; i++) {
            uint32_t chance = hb_scramble((uint32_t)i ^ key);
            double g = slope[2 * i] * per_gradient + ((double)(int32_t)(chance & 65535) * share + shift);
            double h = slope[2 * i + 1] * per_curve + (double)(int32_t)(chance >> 16) * share;
            int32_t curve = (int32_t)h;
            curve = curve > 1 ? curve : 1;
            words[i] = (int64_t)((int32_t)g - 8388608) * 4294967296LL + curve;
        }
    }

    HB_WIDE static void hb_slope_wide(int loss, const double* score, const double* target, const float* chance,
                                      const double* weight, double parameter, double which, int64_t first, int64_t end,
                                      float* slope) {
        hb_slope_body(loss, score, target, chance, weight, parameter, which, first, end, slope);
    }
    static void hb_slope(int loss, const double* score, const double* target, const float* chance,
                         const double* weight, double parameter, double which, int64_t first, int64_t end,
                         float* slope) {
        HB_IF_WIDE(hb_slope_wide(loss, score, target, chance, weight, parameter, which, first, end, slope))
        hb_slope_body(loss, score, target, chance, weight, parameter, which, first, end, slope);
    }
    HB_WIDE static void hb_shares_wide(const double* score, int n_classes, int64_t n, int64_t first, int64_t end,
                                       float* share) {
        hb_shares_body(score, n_classes, n, first, end, share);
    }
    static void hb_shares(const double* score, int n_classes, int64_t n, int64_t first, int64_t end, float* share) {
        HB_IF_WIDE(hb_shares_wide(score, n_classes, n, first, end, share))
        hb_shares_body(score, n_classes, n, first, end, share);
    }
    HB_WIDE static float hb_most_wide(const float* numbers, int step, int64_t first, int64_t end) {
        return hb_most_body(numbers, step, first, end);
    }
    static float hb_most(const float* numbers, int step, int64_t first, int64_t end) {
    #if defined(__x86_64__) && defined(__GNUC__)
        if (__builtin_cpu_supports("avx2")) return hb_most_wide(numbers, step, first, end);
    #endif
        return hb_most_body(numbers, step, first, end);
    }
    HB_WIDE static void hb_round_wide(const float* slope, int curved, double per_gradient, double per_curve,
                                      uint32_t key, int64_t first, int64_t end, int64_t* words) {
        hb_round_body(slope, curved, per_gradient, per_curve, key, first, end, words);
    }
    static void hb_round(const float* slope, int curved, double per_gradient, double per_curve, uint32_t key,
                         int64_t first, int64_t end, int64_t* words) {
        HB_IF_WIDE(hb_round_wide(slope, curved, per_gradient, per_curve, key, first, end, words))
        hb_round_body(slope, curved, per_gradient, per_curve, key, first, end, words);
    }
    """
    cdef enum:
        HB_SQUARED, HB_ABSOLUTE, HB_HUBER, HB_QUANTILE, HB_POISSON, HB_LOGISTIC, HB_MULTINOMIAL
    double hb_exp(double x) noexcept nogil
    void hb_slope(int loss, const double* score, const double* target, const float* chance, const double* weight,
                  double parameter, double which, int64_t first, int64_t end, float* slope) noexcept nogil
    void hb_shares(const double* score, int n_classes, int64_t n, int64_t first, int64_t end,
                   float* share) noexcept nogil
    double hb_total(const float* numbers, int step, int64_t first, int64_t end) noexcept nogil
    double hb_squares(const float* numbers, int step, int64_t first, int64_t end) noexcept nogil
    float hb_most(const float* numbers, int step, int64_t first, int64_t end) noexcept nogil
    void hb_round(const float* slope, int curved, double per_gradient, double per_curve, uint32_t key, int64_t first,
                  int64_t end, int64_t* words) noexcept nogil
