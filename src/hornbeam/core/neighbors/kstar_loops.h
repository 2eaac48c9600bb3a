/* The inner loops of K*: sums over rows of weights that decay exponentially with the distance. */
#pragma once
#include "hornbeam/core/base/exp.h"

#define HB_DECAY_LANES 4  /* sums accumulated in parallel, in an order that does not depend on the registers */

HB_INLINE void hb_decay_add(double lanes[6][HB_DECAY_LANES], const double* away, const double* weight, double rate) {
    for (int lane = 0; lane < HB_DECAY_LANES; lane++) {
        double at = away[lane], power = hb_exp_negative(-rate * at);
        double one = weight[lane] * power, both = one * power, one_away = one * at, both_away = both * at;
        lanes[0][lane] += one;
        lanes[1][lane] += both;
        lanes[2][lane] += one_away;
        lanes[3][lane] += both_away;
        lanes[4][lane] += one_away * at;
        lanes[5][lane] += both_away * at;
    }
}

/* six sums: of p = weight * exp(-rate * away), of p * exp(-rate * away), of both times `away` and times away squared */
HB_INLINE void hb_decay_loop(const double* away, const double* weight, int64_t n, double rate, double* sums) {
    double lanes[6][HB_DECAY_LANES] = {{0.0}}, last_away[HB_DECAY_LANES] = {0.0}, last_weight[HB_DECAY_LANES] = {0.0};
    int64_t i = 0;
    for (; i + HB_DECAY_LANES <= n; i += HB_DECAY_LANES) hb_decay_add(lanes, away + i, weight + i, rate);
    for (int lane = 0; lane < n - i; lane++) {
        last_away[lane] = away[i + lane];
        last_weight[lane] = weight[i + lane];
    }
    hb_decay_add(lanes, last_away, last_weight, rate);
    for (int k = 0; k < 6; k++) {
        sums[k] = 0.0;
        for (int lane = 0; lane < HB_DECAY_LANES; lane++) sums[k] += lanes[k][lane];
    }
}
HB_DISPATCH(void, hb_decay, (const double* away, const double* weight, int64_t n, double rate, double* sums),
            (away, weight, n, rate, sums))

/* what a number costs: the rate times the difference; `without` for NaN */
HB_INLINE double hb_number_cost(double value, double asked, double rate, double without) {
    double off = value - asked, change = rate * (off < 0.0 ? -off : off);
    return value == value ? change : without;
}

typedef struct { const double* values; double asked, rate, without; } hb_asked;

/* add what numeric columns cost every row, two at a time, in their order */
HB_INLINE void hb_add_numbers_loop(double* cost, const hb_asked* columns, int n_columns, int64_t n) {
    int c = 0;
    for (; c + 2 <= n_columns; c += 2) {
        const hb_asked one = columns[c], two = columns[c + 1];
        for (int64_t i = 0; i < n; i++) {
            double sum = cost[i] + hb_number_cost(one.values[i], one.asked, one.rate, one.without);
            cost[i] = sum + hb_number_cost(two.values[i], two.asked, two.rate, two.without);
        }
    }
    if (c < n_columns) {
        const hb_asked one = columns[c];
        for (int64_t i = 0; i < n; i++) cost[i] += hb_number_cost(one.values[i], one.asked, one.rate, one.without);
    }
}
HB_DISPATCH(void, hb_add_numbers, (double* cost, const hb_asked* columns, int n_columns, int64_t n),
            (cost, columns, n_columns, n))

/* add what a nominal column costs every row; -1: missing */
HB_INLINE void hb_add_code_loop(double* cost, const int32_t* codes, int64_t n, int32_t asked, double same,
                                double other, double without) {
    for (int64_t i = 0; i < n; i++) {
        double different = codes[i] >= 0 ? other : without;
        cost[i] += codes[i] == asked ? same : different;
    }
}
HB_DISPATCH(void, hb_add_code, (double* cost, const int32_t* codes, int64_t n, int32_t asked, double same,
            double other, double without), (cost, codes, n, asked, same, other, without))

/* weight * exp(least - cost), in place of the costs */
HB_INLINE void hb_likely_loop(double* cost, const double* weight, int64_t n, double least) {
    for (int64_t i = 0; i < n; i++) cost[i] = weight[i] * hb_exp_negative(least - cost[i]);
}
HB_DISPATCH(void, hb_likely, (double* cost, const double* weight, int64_t n, double least), (cost, weight, n, least))
