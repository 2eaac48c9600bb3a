/* Sums of products whose order does not depend on the machine: every element of a result is summed separately, term
   after term. The registers hold different elements, never parts of one sum. */
#pragma once
#include <math.h>
#include <stdint.h>
#include "hornbeam/core/base/exp.h"

#define HB_D_ROWS 4
#define HB_D_COLUMNS 8
#define HB_D_DEPTH 64  /* columns that are factored at a time */

/* c[r][j] += sign * sum over k of a[r][k] * b[k][j], for `rows` by `columns` elements of c; rows of a and b are
   contiguous */
HB_INLINE void hb_d_add_loop(
    const double* a, int64_t wide_a, const double* b, int64_t wide_b, int64_t depth, double sign,
    double* c, int64_t wide_c, int64_t rows, int64_t columns
) {
    int64_t r = 0;
    for (; r + HB_D_ROWS <= rows; r += HB_D_ROWS) {
        int64_t j = 0;
        for (; j + HB_D_COLUMNS <= columns; j += HB_D_COLUMNS) {
            double sum[HB_D_ROWS][HB_D_COLUMNS];
            for (int i = 0; i < HB_D_ROWS; i++)
                for (int t = 0; t < HB_D_COLUMNS; t++) sum[i][t] = c[(r + i) * wide_c + j + t];
            for (int64_t k = 0; k < depth; k++)
                for (int i = 0; i < HB_D_ROWS; i++) {
                    double factor = sign * a[(r + i) * wide_a + k];
                    for (int t = 0; t < HB_D_COLUMNS; t++) sum[i][t] += factor * b[k * wide_b + j + t];
                }
            for (int i = 0; i < HB_D_ROWS; i++)
                for (int t = 0; t < HB_D_COLUMNS; t++) c[(r + i) * wide_c + j + t] = sum[i][t];
        }
        for (int i = 0; i < HB_D_ROWS; i++)
            for (int64_t k = 0; k < depth; k++)
                for (int64_t t = j; t < columns; t++)
                    c[(r + i) * wide_c + t] += sign * a[(r + i) * wide_a + k] * b[k * wide_b + t];
    }
    for (; r < rows; r++)
        for (int64_t k = 0; k < depth; k++)
            for (int64_t t = 0; t < columns; t++)
                c[r * wide_c + t] += sign * a[r * wide_a + k] * b[k * wide_b + t];
}
HB_DISPATCH(void, hb_d_add, (const double* a, int64_t wide_a, const double* b, int64_t wide_b, int64_t depth,
                             double sign, double* c, int64_t wide_c, int64_t rows, int64_t columns),
            (a, wide_a, b, wide_b, depth, sign, c, wide_c, rows, columns))

/* c[r][j] = sum over k of the square of a[r][k] - b[k][j] */
HB_INLINE void hb_d_apart_loop(
    const double* a, const double* b, int64_t depth, double* c, int64_t rows, int64_t columns
) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < columns; j += HB_D_COLUMNS) {
            int64_t n = columns - j < HB_D_COLUMNS ? columns - j : HB_D_COLUMNS;
            double sum[HB_D_COLUMNS] = {0.0};
            if (n == HB_D_COLUMNS)  /* an iteration count that the compiler knows */
                for (int64_t k = 0; k < depth; k++)
                    for (int t = 0; t < HB_D_COLUMNS; t++) {
                        double apart = a[r * depth + k] - b[k * columns + j + t];
                        sum[t] += apart * apart;
                    }
            else
                for (int64_t k = 0; k < depth; k++)
                    for (int64_t t = 0; t < n; t++) {
                        double apart = a[r * depth + k] - b[k * columns + j + t];
                        sum[t] += apart * apart;
                    }
            for (int64_t t = 0; t < n; t++) c[r * columns + j + t] = sum[t];
        }
}
HB_DISPATCH(void, hb_d_apart, (const double* a, const double* b, int64_t depth, double* c, int64_t rows,
                               int64_t columns),
            (a, b, depth, c, rows, columns))

/* The lower triangle of a symmetric matrix becomes its Cholesky factor; 0 if the matrix is not positive definite.
   `spare`: HB_D_DEPTH * n numbers, which hold the transpose of the columns that are being factored, so that rows of the
   matrix are contiguous. */
static int hb_d_factor(double* m, int64_t n, double* spare) {
    for (int64_t first = 0; first < n; first += HB_D_DEPTH) {
        int64_t last = first + HB_D_DEPTH < n ? first + HB_D_DEPTH : n, depth = last - first, left = n - first;
        for (int64_t i = first; i < n; i++)
            for (int64_t k = 0; k < depth; k++) spare[k * left + i - first] = m[i * n + first + k];
        for (int64_t k = 0; k < depth; k++) {
            double* column = spare + k * left;
            for (int64_t before = 0; before < k; before++) {
                const double* other = spare + before * left;
                double factor = other[k];
                for (int64_t i = k; i < left; i++) column[i] -= factor * other[i];
            }
            double size = column[k];
            if (!(size > 0.0) || !(size < INFINITY)) return 0;
            size = sqrt(size);
            for (int64_t i = k; i < left; i++) column[i] /= size;
            column[k] = size;
        }
        for (int64_t i = first; i < n; i++)
            for (int64_t k = 0; k < depth && first + k <= i; k++) m[i * n + first + k] = spare[k * left + i - first];
        for (int64_t i = last; i < n; i += HB_D_DEPTH) {  /* the remainder below the diagonal, some rows at a time */
            int64_t rows = i + HB_D_DEPTH < n ? HB_D_DEPTH : n - i;
            hb_d_add(m + i * n + first, n, spare + depth, left, depth, -1.0, m + i * n + last, n, rows, i + rows - last);
        }
    }
    return 1;
}

/* b becomes the solution of (factor factorᵀ) x = b */
static void hb_d_back(const double* factor, int64_t n, double* b) {
    for (int64_t i = 0; i < n; i++) {
        double sum = b[i];
        for (int64_t k = 0; k < i; k++) sum -= factor[i * n + k] * b[k];
        b[i] = sum / factor[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        b[i] /= factor[i * n + i];
        for (int64_t k = 0; k < i; k++) b[k] -= factor[i * n + k] * b[i];
    }
}

HB_INLINE void hb_d_exp_loop(double* x, int64_t n) {
    for (int64_t i = 0; i < n; i++) x[i] = hb_exp_negative(x[i]);
}
HB_DISPATCH(void, hb_d_exp, (double* x, int64_t n), (x, n))
