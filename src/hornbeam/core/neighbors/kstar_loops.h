/* The inner loops of K*: sums over rows of weights that decay exponentially with the distance. */
#pragma once
#include "hornbeam/core/base/exp.h"
#include <math.h>

#define HB_DECAY_LANES 4  /* sums accumulated in parallel, in an order that does not depend on the registers */
#define HB_COST_ROWS 16   /* rows whose costs are summed together */

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
    double change = rate * fabs(value - asked);
    return change == change ? change : without;
}

typedef struct { const double* values; double asked, rate, without; } hb_asked;
/* codes: -1: missing */
typedef struct { const int32_t* codes; int32_t asked; double same, other, without; } hb_asked_code;

/* add what four, two or one numeric columns cost every row, in their order */
HB_INLINE void hb_add_four(double* cost, const hb_asked* columns, int64_t n) {
    const hb_asked a = columns[0], b = columns[1], c = columns[2], d = columns[3];
    for (int64_t i = 0; i < n; i++) {
        double sum = cost[i] + hb_number_cost(a.values[i], a.asked, a.rate, a.without);
        sum += hb_number_cost(b.values[i], b.asked, b.rate, b.without);
        sum += hb_number_cost(c.values[i], c.asked, c.rate, c.without);
        cost[i] = sum + hb_number_cost(d.values[i], d.asked, d.rate, d.without);
    }
}

HB_INLINE void hb_add_one(double* cost, const hb_asked* columns, int64_t n) {
    const hb_asked a = columns[0];
    for (int64_t i = 0; i < n; i++) cost[i] += hb_number_cost(a.values[i], a.asked, a.rate, a.without);
}

HB_INLINE double hb_code_cost(int32_t code, int32_t asked, double same, double other, double without) {
    double different = code >= 0 ? other : without;
    return code == asked ? same : different;
}

/* the same of two nominal columns or one */
HB_INLINE void hb_add_two_codes(double* cost, const hb_asked_code* columns, int64_t n) {
    const hb_asked_code a = columns[0], b = columns[1];
    for (int64_t i = 0; i < n; i++) {
        double sum = cost[i] + hb_code_cost(a.codes[i], a.asked, a.same, a.other, a.without);
        cost[i] = sum + hb_code_cost(b.codes[i], b.asked, b.same, b.other, b.without);
    }
}

HB_INLINE void hb_add_code(double* cost, const hb_asked_code* columns, int64_t n) {
    const hb_asked_code a = columns[0];
    for (int64_t i = 0; i < n; i++) cost[i] += hb_code_cost(a.codes[i], a.asked, a.same, a.other, a.without);
}

/* what the columns cost every row, summed in their order */
HB_INLINE void hb_costs_loop(double* cost, const hb_asked* numbers, int n_numbers, const hb_asked_code* codes,
                             int n_codes, int64_t n) {
    int c = 0;
    for (int64_t i = 0; i < n; i++) cost[i] = 0.0;
    for (; c + 4 <= n_numbers; c += 4) hb_add_four(cost, numbers + c, n);
    for (; c < n_numbers; c++) hb_add_one(cost, numbers + c, n);
    for (c = 0; c + 2 <= n_codes; c += 2) hb_add_two_codes(cost, codes + c, n);
    if (c < n_codes) hb_add_code(cost, codes + c, n);
}
HB_DISPATCH(void, hb_costs, (double* cost, const hb_asked* numbers, int n_numbers, const hb_asked_code* codes,
            int n_codes, int64_t n), (cost, numbers, n_numbers, codes, n_codes, n))

/* the least of the costs, none of which is NaN */
HB_INLINE double hb_least_loop(const double* cost, int64_t n) {
    double least[HB_COST_ROWS], found = INFINITY;
    int64_t i = 0;
    for (int lane = 0; lane < HB_COST_ROWS; lane++) least[lane] = INFINITY;
    for (; i + HB_COST_ROWS <= n; i += HB_COST_ROWS)
        for (int lane = 0; lane < HB_COST_ROWS; lane++)
            least[lane] = cost[i + lane] < least[lane] ? cost[i + lane] : least[lane];
    for (; i < n; i++) found = cost[i] < found ? cost[i] : found;
    for (int lane = 0; lane < HB_COST_ROWS; lane++) found = least[lane] < found ? least[lane] : found;
    return found;
}
HB_DISPATCH(double, hb_least, (const double* cost, int64_t n), (cost, n))

/* weight * exp(least - cost), in place of the costs */
HB_INLINE void hb_likely_loop(double* cost, const double* weight, int64_t n, double least) {
    for (int64_t i = 0; i < n; i++) cost[i] = weight[i] * hb_exp_negative(least - cost[i]);
}
HB_DISPATCH(void, hb_likely, (double* cost, const double* weight, int64_t n, double least), (cost, weight, n, least))
