"""Sequence: the errors of a sequence of pruned trees on held-out rows.

In a nested sequence, rows stop at a node for a range of consecutive trees. So a row has one error for each range of
trees, and as many ranges as nodes above it; every tree's sum takes the rows one after another.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t

from hornbeam.core.base.interrupt cimport poll

cdef enum:
    LOOK_EVERY = 64  # rows

cdef struct Errors:
    const double* prediction  # by node: a number, or the code of a class
    const double* truth  # by row
    const double* costs  # true x predicted class; NULL: an error costs 1
    int64_t n_classes  # 0: numbers


cdef inline double error_of(const Errors* errors, int64_t row, int32_t node) noexcept nogil:
    cdef double difference
    if not errors.n_classes:
        difference = errors.prediction[node] - errors.truth[row]
        return difference * difference
    if errors.costs == NULL:
        return errors.prediction[node] != errors.truth[row]
    return errors.costs[<int64_t>errors.truth[row] * errors.n_classes + <int64_t>errors.prediction[node]]


cdef void add(double* sums, double* squares, int64_t start, int64_t stop, double error, double square) noexcept nogil:
    cdef int64_t level
    for level in range(start, stop):
        sums[level] += error
        squares[level] += square


def greatest_error(const int32_t[::1] ends, const int32_t[::1] parent, const int32_t[:, ::1] levels,
                   const double[::1] prediction, const double[::1] truth, const double[:, ::1] costs,
                   int64_t n_classes):
    """The greatest error of any row by any tree; the parameters are those of `sum_errors`."""
    cdef Errors errors
    cdef double greatest = 0.0, error
    cdef int64_t row
    cdef int32_t node
    errors.prediction, errors.truth, errors.n_classes = &prediction[0], &truth[0], n_classes
    errors.costs = NULL if costs is None else &costs[0, 0]
    with nogil:
        for row in range(ends.shape[0]):
            node = ends[row]
            while node >= 0:
                if levels[node, 0] < levels[node, 1]:
                    error = error_of(&errors, row, node)
                    greatest = error if error > greatest else greatest
                node = parent[node]
    return greatest


def sum_errors(const int32_t[::1] ends, const int32_t[::1] parent, const int32_t[:, ::1] levels,
               const double[::1] prediction, const double[::1] truth, const double[:, ::1] costs, int64_t n_classes,
               const double[::1] weights, double unit, int64_t n_levels):
    """Sums of the errors and of their squares, by tree.

    Parameters
    ----------
    ends : int32 array
        The leaf of each row in the largest tree.
    parent : int32 array
        Parent of each node; -1 at a root.
    levels : int32 array, (nodes, 2)
        The first tree for which rows stop at a node, and the one after the last.
    prediction, truth : float64 arrays
        Of each node and of each row: a number, or the code of a class.
    costs : float64 array or None
        The cost of errors, with the true class by row; None: 1.
    n_classes : int
        0: numbers, whose errors are squared differences.
    weights : float64 array or None
        Weights of rows.
    unit : float
        Errors are divided by this.
    n_levels : int
        How many trees.
    """
    cdef Errors errors
    cdef double error, weight
    cdef int64_t row
    cdef int32_t node
    sums_array, squares_array = np.zeros(n_levels + 1), np.zeros(n_levels + 1)
    cdef double[::1] sums = sums_array, squares = squares_array
    errors.prediction, errors.truth, errors.n_classes = &prediction[0], &truth[0], n_classes
    errors.costs = NULL if costs is None else &costs[0, 0]
    with nogil:
        for row in range(ends.shape[0]):
            if row % LOOK_EVERY == 0:
                poll()
            node = ends[row]
            while node >= 0:
                if levels[node, 0] < levels[node, 1]:
                    error = error_of(&errors, row, node) / unit
                    weight = 1.0 if weights is None else weights[row]
                    add(&sums[0], &squares[0], levels[node, 0], levels[node, 1], weight * error,
                        weight * (error * error))
                node = parent[node]
    return sums_array[:n_levels], squares_array[:n_levels]
