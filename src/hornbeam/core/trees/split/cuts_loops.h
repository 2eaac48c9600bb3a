/* The inner loops of several cuts: the impurity of the bins from every start up to one end, and the best of the starts.

   Running sums are stored statistic by statistic (`stride` of them each). Every interval's impurity is computed by the
   same operations in the same order as in impurity.pxd. */
#pragma once
#include "hornbeam/core/base/simd.h"
#include "hornbeam/core/base/logarithm.h"
#include <math.h>

#define HB_STARTS 64 /* intervals computed together */
#define HB_TESTED 8  /* totals compared together */

/* how the impurity of class weights is summed: one term per class, and what the terms and their weight give */
enum { HB_BY_SQUARES, HB_BY_BITS, HB_BY_LARGEST, HB_BY_EXPECTED };

HB_INLINE void hb_class_terms(double* weight, double* terms, const double* sums, double whole, double fraction, int n,
                              int by) {
    for (int i = 0; i < n; i++) {
        double part = whole - sums[i];
        weight[i] += part;
        if (by == HB_BY_SQUARES) terms[i] += part * part;
        if (by == HB_BY_BITS) terms[i] -= hb_xlog2x(part);
        if (by == HB_BY_LARGEST) terms[i] = part > terms[i] ? part : terms[i];
        if (by == HB_BY_EXPECTED) terms[i] += part * part / fraction;
    }
}

HB_INLINE void hb_class_left(double* left, const double* weight, const double* terms, int n, int by) {
    for (int i = 0; i < n; i++) {
        double all = weight[i], of = terms[i], bits = of + hb_xlog2x(all);
        if (by == HB_BY_SQUARES) left[i] = all > 0.0 ? all - of / all : 0.0;
        if (by == HB_BY_BITS) left[i] = bits > 0.0 ? bits : 0.0;
        if (by == HB_BY_LARGEST) left[i] = all - of;
        if (by == HB_BY_EXPECTED) left[i] = all > 0.0 ? -of / all : 0.0;
    }
}

HB_INLINE void hb_classes_by(const double* sums, int64_t stride, int n_stats, const double* fractions, int64_t end,
                             int64_t n, double* left, int by) {
    double weight[HB_STARTS], terms[HB_STARTS];
    for (int64_t start = 0; start < n; start += HB_STARTS) {
        int many = n - start < HB_STARTS ? (int)(n - start) : HB_STARTS;
        for (int i = 0; i < HB_STARTS; i++) weight[i] = terms[i] = 0.0;
        for (int k = 0; k < n_stats; k++) {
            const double* own = sums + k * stride;
            double fraction = by == HB_BY_EXPECTED ? fractions[k] : 1.0;
            if (fraction > 0.0) {
                hb_class_terms(weight, terms, own + start, own[end], fraction, many, by);
            } else {
                for (int i = 0; i < many; i++) weight[i] += own[end] - own[start + i];
            }
        }
        hb_class_left(left + start, weight, terms, many, by);
    }
}

/* the impurity of the bins from each of the first n starts up to `end`, of class weights */
HB_INLINE void hb_classes_left_loop(const double* sums, int64_t stride, int n_stats, const double* fractions,
                                    int64_t end, int64_t n, double* left, int by) {
    if (by == HB_BY_SQUARES) hb_classes_by(sums, stride, n_stats, fractions, end, n, left, HB_BY_SQUARES);
    if (by == HB_BY_BITS) hb_classes_by(sums, stride, n_stats, fractions, end, n, left, HB_BY_BITS);
    if (by == HB_BY_LARGEST) hb_classes_by(sums, stride, n_stats, fractions, end, n, left, HB_BY_LARGEST);
    if (by == HB_BY_EXPECTED) hb_classes_by(sums, stride, n_stats, fractions, end, n, left, HB_BY_EXPECTED);
}
HB_DISPATCH(void, hb_classes_left,
            (const double* sums, int64_t stride, int n_stats, const double* fractions, int64_t end, int64_t n,
             double* left, int by),
            (sums, stride, n_stats, fractions, end, n, left, by))

/* the same of numbers: the sum of squares, or its root times that of the weight; at most `rounding` is zero */
HB_INLINE void hb_numbers_left_loop(const double* sums, int64_t stride, int64_t end, int64_t n, double rounding,
                                    int by_root, double* left) {
    const double *weights = sums, *totals = sums + stride, *squares = sums + 2 * stride;
    double weight_end = weights[end], total_end = totals[end], square_end = squares[end];
    for (int64_t i = 0; i < n; i++) {
        double weight = weight_end - weights[i], total = total_end - totals[i], square = square_end - squares[i];
        double off = square - total * total / weight;
        off = weight > 0.0 ? off : 0.0;
        off = off > 0.0 ? off : 0.0;
        off = off > rounding ? off : 0.0;
        left[i] = by_root ? sqrt(weight > 0.0 ? weight * off : 0.0) : off;
    }
}
HB_DISPATCH(void, hb_numbers_left,
            (const double* sums, int64_t stride, int64_t end, int64_t n, double rounding, int by_root, double* left),
            (sums, stride, end, n, rounding, by_root, left))

/* the least of before[i] + left[i] for i from `first` up to n, in this order, a later one only if less by more than the
   slack; INFINITY if there is none. `best`: its place */
HB_INLINE double hb_least_total_loop(const double* before, const double* left, int64_t first, int64_t n, double slack,
                                     int64_t* best) {
    double least = INFINITY, limit = INFINITY;
    for (int64_t i = first; i < n;) {
        int64_t many = n - i < HB_TESTED ? n - i : HB_TESTED;
        if (many == HB_TESTED) {
            int lower = 0;
            for (int j = 0; j < HB_TESTED; j++) lower |= before[i + j] + left[i + j] < limit;
            if (!lower) {
                i += HB_TESTED;
                continue;
            }
        }
        for (int64_t last = i + many; i < last; i++) {
            double total = before[i] + left[i];
            if (total < limit) {
                least = total;
                limit = least - slack;
                *best = i;
            }
        }
    }
    return least;
}
HB_DISPATCH(double, hb_least_total,
            (const double* before, const double* left, int64_t first, int64_t n, double slack, int64_t* best),
            (before, left, first, n, slack, best))
