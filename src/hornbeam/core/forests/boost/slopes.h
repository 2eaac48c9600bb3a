/* Gradients of the losses of boosting, row by row, and their rounding to integers. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/exp.h"

#define HB_MOST_LEVELS 4194304.0  /* maximum number of levels of a rounded gradient: the precision of a float */
#define HB_MOST_GRADIENT 1e37  /* close to the largest float */

enum { HB_SQUARED, HB_ABSOLUTE, HB_HUBER, HB_QUANTILE, HB_POISSON, HB_LOGISTIC, HB_MULTINOMIAL };

/* gradients of rows `first` to `end`, and next to them second derivatives if these are not all 1;
   `parameter`: Huber's bend, the quantile, a factor of multinomial curves; `chance`: probability of class `which` */
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
HB_INLINE void hb_slope_loop(int loss, const double* score, const double* target, const float* chance,
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
HB_DISPATCH(void, hb_slope, (int loss, const double* score, const double* target, const float* chance,
                             const double* weight, double parameter, double which, int64_t first, int64_t end,
                             float* slope),
            (loss, score, target, chance, weight, parameter, which, first, end, slope))

/* probabilities of the classes; scores and probabilities class by class, n rows each */
HB_INLINE void hb_probabilities_loop(const double* score, int n_classes, int64_t n, int64_t first, int64_t end,
                                     float* probability) {
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
            float* out = probability + k * n + start;
            for (int i = 0; i < size; i++) power[i] = hb_exp(own[i] - most[i]);
            for (int i = 0; i < size; i++) total[i] += power[i];
            for (int i = 0; i < size; i++) out[i] = (float)power[i];
        }
        for (int i = 0; i < size; i++) total[i] = 1.0 / total[i];
        for (int k = 0; k < n_classes; k++) {
            float* out = probability + k * n + start;
            for (int i = 0; i < size; i++) out[i] = (float)(out[i] * total[i]);
        }
    }
}
HB_DISPATCH(void, hb_probabilities,
            (const double* score, int n_classes, int64_t n, int64_t first, int64_t end, float* probability),
            (score, n_classes, n, first, end, probability))

/* the largest absolute value of every step-th number; their bits compare as integers */
HB_INLINE float hb_most_loop(const float* numbers, int step, int64_t first, int64_t end) {
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
HB_DISPATCH(float, hb_most, (const float* numbers, int step, int64_t first, int64_t end), (numbers, step, first, end))

/* the sum of absolute values of every step-th number, in eight parts, so that the order is the same everywhere */
static double hb_total(const float* numbers, int step, int64_t first, int64_t end) {
    double part[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int64_t i = first;
    for (; i + 8 <= end; i += 8)
        for (int k = 0; k < 8; k++) part[k] += fabs((double)numbers[step * (i + k)]);
    for (; i < end; i++) part[0] += fabs((double)numbers[step * i]);
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* the sum of squares of every step-th number, in the same way; with weights, as for repeated rows */
static double hb_squares(const float* numbers, const double* weight, int step, int64_t first, int64_t end) {
    double part[8] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    int64_t i = first;
    if (weight) {  /* a row of weight w counts as w rows, each with 1 / w of its gradient */
        for (; i < end; i++)
            if (weight[i] > 0.0) part[i & 7] += (double)numbers[step * i] * numbers[step * i] / weight[i];
    }
    for (; i + 8 <= end; i += 8)
        for (int k = 0; k < 8; k++) part[k] += (double)numbers[step * (i + k)] * numbers[step * (i + k)];
    for (; i < end; i++) part[0] += (double)numbers[step * i] * numbers[step * i];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/* ---- rounding ---- */

HB_INLINE uint32_t hb_scramble(uint32_t word) {  /* a bijection in which every output bit depends on every input bit */
    word ^= word >> 16;
    word *= 0x7feb352dU;
    word ^= word >> 15;
    word *= 0x846ca68bU;
    return word ^ (word >> 16);
}

/* words of rows: gradients and curves (1 if they are all equal), in units, rounded up or down at random */
HB_INLINE void hb_round_loop(const float* slope, int curved, double per_gradient, double per_curve, uint32_t key,
                             int64_t first, int64_t end, int64_t* words) {
    const double share = 1.0 / 65536.0, shift = 8388608.0;  /* makes it positive, so that truncation rounds down */
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
HB_DISPATCH(void, hb_round, (const float* slope, int curved, double per_gradient, double per_curve, uint32_t key,
                             int64_t first, int64_t end, int64_t* words),
            (slope, curved, per_gradient, per_curve, key, first, end, words))
