"""Products and distances, Cholesky's method and exp, bit-identical on every machine.

Linear algebra libraries sum in an order that depends on the processor. If rounding decides what follows, the model
would depend on the machine on which it was trained.
"""

import numpy as np

from libc.stdint cimport int64_t

cdef extern from "hornbeam/core/svm/dense_loops.h":
    enum:
        HB_D_DEPTH
    void hb_d_add(const double* a, int64_t wide_a, const double* b, int64_t wide_b, int64_t depth, double sign,
                  double* c, int64_t wide_c, int64_t rows, int64_t columns) noexcept nogil
    void hb_d_apart(const double* a, const double* b, int64_t depth, double* c, int64_t rows,
                    int64_t columns) noexcept nogil
    bint hb_d_factor(double* m, int64_t n, double* spare) noexcept nogil
    void hb_d_back(const double* factor, int64_t n, double* b) noexcept nogil
    void hb_d_exp(double* x, int64_t n) noexcept nogil


def products(
    const double[:, ::1] a,  # IN: (rows, columns)
    const double[:, ::1] b,  # IN: (other rows, columns)
):
    """Products of every row of a with every row of b."""
    if a.shape[1] != b.shape[1]:
        raise ValueError("the matrices have different numbers of columns")
    found = np.zeros((a.shape[0], b.shape[0]))
    cdef const double[:, ::1] turned = np.ascontiguousarray(np.asarray(b).T)
    cdef double[:, ::1] out = found
    cdef int64_t rows = a.shape[0], others = b.shape[0], columns = a.shape[1]
    if rows and others and columns:
        with nogil:
            hb_d_add(&a[0, 0], columns, &turned[0, 0], others, columns, 1.0, &out[0, 0], others, rows, others)
    return found


def squared_distances(
    const double[:, ::1] a,  # IN: (rows, columns)
    const double[:, ::1] b,  # IN: (other rows, columns)
):
    """Squared distances of every row of a from every row of b."""
    if a.shape[1] != b.shape[1]:
        raise ValueError("the matrices have different numbers of columns")
    found = np.zeros((a.shape[0], b.shape[0]))
    cdef const double[:, ::1] turned = np.ascontiguousarray(np.asarray(b).T)
    cdef double[:, ::1] out = found
    cdef int64_t rows = a.shape[0], others = b.shape[0], columns = a.shape[1]
    if rows and others and columns:
        with nogil:
            hb_d_apart(&a[0, 0], &turned[0, 0], columns, &out[0, 0], rows, others)
    return found


def cholesky(
    double[:, ::1] matrix,  # IN, OUT: symmetric; its lower triangle becomes the factor
):
    """Whether the matrix is positive definite; if not, the factor is not complete."""
    cdef int64_t n = matrix.shape[0]
    cdef bint definite = True
    cdef double[::1] spare = np.empty(HB_D_DEPTH * n)
    if matrix.shape[1] != n:
        raise ValueError("the matrix is not square")
    if n:
        with nogil:
            definite = hb_d_factor(&matrix[0, 0], n, &spare[0])
    return definite


def solve(
    const double[:, ::1] factor,  # IN: from `cholesky`
    double[:, ::1] given,  # IN, OUT: (right-hand sides, rows), replaced by the solutions
):
    """Solve the equations whose matrix was factored, for every right-hand side."""
    cdef int64_t n = factor.shape[0], side
    if factor.shape[1] != n or given.shape[1] != n:
        raise ValueError("the factor and the right-hand sides have different sizes")
    if n:
        with nogil:
            for side in range(given.shape[0]):
                hb_d_back(&factor[0, 0], n, &given[side, 0])


def exp_negative(
    double[::1] x,  # IN, OUT: at most 0
):
    """Replace numbers by their exponentials; 0 below -700."""
    if x.shape[0]:
        with nogil:
            hb_d_exp(&x[0], x.shape[0])
