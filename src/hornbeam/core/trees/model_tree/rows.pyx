"""Model trees whose sums are taken one row after another, in the order in which WEKA's quicksort leaves the rows.

The rounding of these sums decides ties, so they are reproduced exactly: a node's rows are one list, sorted in place by
one column after another; sums run along it; systems of equations are solved by elimination with row exchanges. This is
slower than `equations.pyx`, and bit-identical on every machine.
"""

import numpy as np

from libc.math cimport fabs, pow, sqrt
from libc.stdint cimport int64_t, uint8_t

from hornbeam.core.rows.presort cimport sort_range


cdef double deviation_of(const int64_t* rows, const double* target, int64_t n_rows) noexcept nogil:
    """Standard deviation of some rows' targets, dividing by their number."""
    cdef double total = 0, squares = 0, value
    cdef int64_t i
    if n_rows < 2:
        return 0.0
    for i in range(n_rows):
        value = target[rows[i]]
        total += value
        squares += value * value
    return sqrt(fabs((squares - total * total / n_rows) / n_rows))


def deviation(const int64_t[::1] rows, const double[::1] target):
    """Standard deviation of some rows' targets, dividing by their number."""
    return deviation_of(&rows[0], &target[0], len(rows)) if len(rows) else 0.0


cdef double spread(double count, double total, double squares) noexcept nogil:
    return fabs(count * squares - total * total) / (count * count)


cdef double gain_of(
    double count, double whole, double left, double left_sum, double left_squares, double right, double right_sum,
    double right_squares, double root,
) noexcept nogil:
    return (
        whole
        - left / count * pow(spread(left, left_sum, left_squares), root)
        - right / count * pow(spread(right, right_sum, right_squares), root)
    )


cdef double best_cut(
    const int64_t* rows, const double* values, const double* target, int64_t n_rows, double root, double slack,  # IN
    int64_t margin_share,  # IN
    double* cut, int64_t* position,  # OUT
) noexcept nogil:
    """The cut of sorted rows with the greatest reduction of variance ** root; position is -1 if there is none."""
    cdef double best = -1e20, gain, value, total = 0, squares = 0, whole
    cdef double left_sum = 0, left_squares = 0, right_sum = 0, right_squares = 0
    cdef int64_t i, margin = n_rows // margin_share
    position[0] = -1
    if margin < 1:
        margin = 1
    for i in range(n_rows):
        value = target[rows[i]]
        total += value
        squares += value * value
        if i < margin:
            left_sum += value
            left_squares += value * value
        else:
            right_sum += value
            right_squares += value * value
    whole = pow(fabs((squares - total * total / n_rows) / n_rows), root)
    for i in range(margin, n_rows - 1 - margin):
        value = target[rows[i]]
        left_sum += value
        right_sum -= value
        value = value * value
        left_squares += value
        right_squares -= value
        if fabs(values[rows[i + 1]] - values[rows[i]]) < slack:
            continue
        gain = gain_of(
            n_rows, whole, i + 1, left_sum, left_squares, n_rows - i - 1, right_sum, right_squares, root
        )
        if gain > best:
            best = gain
            cut[0] = (values[rows[i]] + values[rows[i + 1]]) * 0.5
            position[0] = i
    return best


def best_split(
    int64_t[::1] rows, const double[:, ::1] columns, const double[::1] target, double root, double slack,
    int64_t margin_share,
):
    """The best split of some rows: column (-1: none), cut, gain. Afterwards the rows are sorted by the last column."""
    cdef int64_t n_rows = len(rows), position, chosen = -1, chosen_position = -1
    cdef int64_t j
    cdef double cut = 0, gain, best = -1e20, best_at = 0
    with nogil:
        for j in range(columns.shape[0]):
            sort_range(&rows[0], &columns[j, 0], 0, n_rows - 1)
            gain = best_cut(
                &rows[0], &columns[j, 0], &target[0], n_rows, root, slack, margin_share, &cut, &position
            )
            if fabs(gain - best) > slack and gain > best + slack:
                best, best_at, chosen, chosen_position = gain, cut, j, position
    if chosen < 0 or chosen_position < 1 or chosen_position > n_rows - 1:
        return -1, 0.0, 0.0
    return chosen, best_at, best


# ---- linear models ----


cdef bint eliminate(double* matrix, double* prediction, int64_t size, double* column) noexcept nogil:
    """Solve a square system in place by left-looking elimination with row exchanges; False if it is singular."""
    cdef int64_t i, j, k, pivot, most
    cdef double total, kept
    for j in range(size):
        for i in range(size):
            column[i] = matrix[i * size + j]
        for i in range(size):
            most = i if i < j else j
            total = 0
            for k in range(most):
                total += matrix[i * size + k] * column[k]
            column[i] -= total
            matrix[i * size + j] = column[i]
        pivot = j
        for i in range(j + 1, size):
            if fabs(column[i]) > fabs(column[pivot]):
                pivot = i
        if pivot != j:
            for k in range(size):
                kept = matrix[pivot * size + k]
                matrix[pivot * size + k] = matrix[j * size + k]
                matrix[j * size + k] = kept
            kept = prediction[pivot]
            prediction[pivot] = prediction[j]
            prediction[j] = kept
        if matrix[j * size + j] != 0.0:
            for i in range(j + 1, size):
                matrix[i * size + j] /= matrix[j * size + j]
    for j in range(size):
        if matrix[j * size + j] == 0.0:
            return False
    for k in range(size):
        for i in range(k + 1, size):
            prediction[i] -= prediction[k] * matrix[i * size + k]
    for k in range(size - 1, -1, -1):
        prediction[k] /= matrix[k * size + k]
        for i in range(k):
            prediction[i] -= prediction[k] * matrix[i * size + k]
    return True


cdef class Regression:
    """Ridge regression on some rows, for repeated choices of columns.

    Columns are centered and scaled; sums of products are computed once, for all of them. Rows may have weights: then
    sums are weighted, but a squared error still counts every row once.
    """

    cdef int64_t n_rows, n_columns
    cdef const int64_t[::1] rows
    cdef const double[:, ::1] columns
    cdef const double[::1] target
    cdef const int64_t[::1] features
    cdef const double[::1] weights
    cdef bint weighted
    cdef double[:, ::1] products, system
    cdef double[::1] moments, prediction, scratch
    cdef readonly double target_mean, target_deviation
    cdef double[::1] means, deviations

    def __init__(
        self, const int64_t[::1] rows, const double[:, ::1] columns, const double[::1] target,
        const int64_t[::1] features, weights=None,
    ):
        cdef int64_t size = max(len(features), 1)
        self.rows, self.columns, self.target, self.features = rows, columns, target, features
        self.n_rows, self.n_columns = len(rows), len(features)
        self.weighted = weights is not None
        self.weights = weights if self.weighted else target
        self.products, self.system = np.zeros((size, size)), np.zeros((size, size))
        self.moments, self.prediction, self.scratch = np.zeros(size), np.zeros(size), np.zeros(size)
        self.means, self.deviations = np.zeros(size), np.zeros(size)
        scaled = np.empty((size, max(self.n_rows, 1)))
        cdef double[:, ::1] room = scaled
        with nogil:
            self.sum_up(room)

    @property
    def column_deviations(self):
        """Standard deviations of the columns, dividing by one less than the number of rows."""
        return np.asarray(self.deviations)[:self.n_columns].copy()

    cdef void mean_and_deviation(self, const double* values, double* mean, double* deviation) noexcept nogil:
        cdef double total = 0, squares = 0, value, variance = 0, w, whole = self.n_rows
        cdef int64_t i
        if self.weighted:
            whole = 0
            for i in range(self.n_rows):
                value, w = values[self.rows[i]], self.weights[self.rows[i]]
                whole += w
                total += w * value
                squares += w * value * value
        else:
            for i in range(self.n_rows):
                value = values[self.rows[i]]
                total += value
                squares += value * value
        mean[0] = total / whole
        if whole > 1:
            variance = (squares - total * total / whole) / (whole - 1)
        deviation[0] = sqrt(variance) if variance > 0 else 0.0

    cdef void sum_up(self, double[:, ::1] scaled) noexcept nogil:
        cdef int64_t i, j, k, n = self.n_rows
        cdef double total
        self.mean_and_deviation(&self.target[0], &self.target_mean, &self.target_deviation)
        if self.n_columns == 0:
            return
        for j in range(self.n_columns):
            self.mean_and_deviation(
                &self.columns[self.features[j], 0], &self.means[j], &self.deviations[j]
            )
            for i in range(n):
                scaled[j, i] = (
                    (self.columns[self.features[j], self.rows[i]] - self.means[j]) / self.deviations[j]
                )
                if self.weighted:
                    scaled[j, i] *= sqrt(self.weights[self.rows[i]])
        for j in range(self.n_columns):
            for k in range(j + 1):
                total = 0
                for i in range(n):
                    total += scaled[j, i] * scaled[k, i]
                self.products[j, k] = total
                self.products[k, j] = total
            total = 0
            for i in range(n):
                if self.weighted:
                    total += scaled[j, i] * (self.target[self.rows[i]] * sqrt(self.weights[self.rows[i]]))
                else:
                    total += scaled[j, i] * self.target[self.rows[i]]
            self.moments[j] = total

    def solve(self, const uint8_t[::1] chosen, double ridge):
        """Coefficients of the chosen columns (0 for the others), and the intercept after them."""
        cdef int64_t size = 0, j, k, row, place
        cdef double penalty = ridge
        found = np.zeros(self.n_columns + 1)
        cdef double[::1] coefficients = found
        for j in range(self.n_columns):
            size += chosen[j] != 0
        while size:
            row = 0
            for j in range(self.n_columns):
                if not chosen[j]:
                    continue
                place = row * size
                for k in range(self.n_columns):
                    if chosen[k]:
                        (&self.system[0, 0])[place] = self.products[j, k] + (penalty if j == k else 0.0)
                        place += 1
                self.prediction[row] = self.moments[j]
                row += 1
            if eliminate(&self.system[0, 0], &self.prediction[0], size, &self.scratch[0]):
                break
            penalty *= 10
        row = 0
        coefficients[self.n_columns] = self.target_mean
        for j in range(self.n_columns):
            if chosen[j]:
                coefficients[j] = self.prediction[row] / self.deviations[j]
                coefficients[self.n_columns] -= coefficients[j] * self.means[j]
                row += 1
        return found

    def squared_error(self, const double[::1] coefficients):
        """Sum of squared errors on the rows, row after row."""
        cdef double total = 0, prediction
        cdef int64_t i, j
        with nogil:
            for i in range(self.n_rows):
                prediction = 0
                for j in range(self.n_columns):
                    if coefficients[j] != 0.0:
                        prediction += coefficients[j] * self.columns[self.features[j], self.rows[i]]
                prediction += coefficients[self.n_columns]
                prediction -= self.target[self.rows[i]]
                total += prediction * prediction
        return total
