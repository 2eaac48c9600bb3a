"""Impurity: how mixed a set of rows is, times its weight; the impurity after a split is the sum over its branches.

A criterion is a number chosen outside the inner loops, and its impurity a function of the rows' statistics: class
weights, or weight, sum and sum of squares of a number (relative to any fixed origin; the closer to the mean, the
smaller the rounding errors). A module that uses ENTROPY calls `hb_fill_log_tables()` of logarithm.pxd once, when it is
imported.
"""

from libc.math cimport NAN, exp, fabs, isnan, log, log1p, sqrt

from hornbeam.core.base.enums cimport (
    ABSOLUTE, CHI_SQUARE, DEVIATION, ENTROPY, GINI, MISCLASSIFICATION, VARIANCE, is_number,
)
from hornbeam.core.base.logarithm cimport HALF_LOG_2_PI, hb_xlog2x


cdef inline double entropy_impurity(const double* stats, int n_stats) noexcept nogil:
    cdef double weight = 0.0, bits = 0.0
    cdef int k
    for k in range(n_stats):
        weight += stats[k]
        bits -= hb_xlog2x(stats[k])
    bits += hb_xlog2x(weight)
    return bits if bits > 0.0 else 0.0


cdef inline double gini_impurity(const double* stats, int n_stats) noexcept nogil:
    cdef double weight = 0.0, squares = 0.0
    cdef int k
    for k in range(n_stats):
        weight += stats[k]
        squares += stats[k] * stats[k]
    return weight - squares / weight if weight > 0.0 else 0.0


cdef inline double misclassification_impurity(const double* stats, int n_stats, const double* loss) noexcept nogil:
    """`loss` is by true and predicted class (row by row); NULL counts every wrong prediction once."""
    cdef double weight = 0.0, most = 0.0, cost, least = 0.0
    cdef int k, prediction
    if loss == NULL:
        for k in range(n_stats):
            weight += stats[k]
            if stats[k] > most:
                most = stats[k]
        return weight - most
    for prediction in range(n_stats):
        cost = 0.0
        for k in range(n_stats):
            cost += stats[k] * loss[k * n_stats + prediction]
        if prediction == 0 or cost < least:
            least = cost
    return least


cdef inline double chi_square_impurity(const double* stats, int n_stats, const double* parent_fractions) noexcept nogil:
    cdef double weight = 0.0, squares = 0.0
    cdef int k
    for k in range(n_stats):
        weight += stats[k]
        if parent_fractions[k] > 0.0:
            squares += stats[k] * stats[k] / parent_fractions[k]
    return -squares / weight if weight > 0.0 else 0.0


cdef inline double variance_impurity(const double* stats) noexcept nogil:
    cdef double squares
    if stats[0] <= 0.0:
        return 0.0
    squares = stats[2] - stats[1] * stats[1] / stats[0]
    return squares if squares > 0.0 else 0.0  # rounding


cdef inline double impurity(int criterion, const double* stats, int n_stats, const double* parent_fractions,
                            const double* loss) noexcept nogil:
    """Impurity of a set of rows by its statistics: n_stats class weights, or weight, sum and sum of squares.

    `parent_fractions` is read by CHI_SQUARE only; `loss` by MISCLASSIFICATION only, and may be NULL. A criterion
    that is not handled here gives NaN: `check_criterion` rejects it before the search.
    """
    if criterion == ENTROPY:
        return entropy_impurity(stats, n_stats)
    if criterion == GINI:
        return gini_impurity(stats, n_stats)
    if criterion == MISCLASSIFICATION:
        return misclassification_impurity(stats, n_stats, loss)
    if criterion == CHI_SQUARE:
        return chi_square_impurity(stats, n_stats, parent_fractions)
    if criterion == VARIANCE:
        return variance_impurity(stats)
    if criterion == DEVIATION:
        return sqrt(stats[0] * variance_impurity(stats)) if stats[0] > 0.0 else 0.0
    return NAN


cdef inline int check_criterion(int criterion) except -1:
    """Raise an error unless there is an impurity for a criterion; ABSOLUTE has its own search by medians."""
    cdef double stats[3]
    cdef double parent[3]
    stats[0] = stats[1] = stats[2] = parent[0] = parent[1] = parent[2] = 1.0
    if criterion != ABSOLUTE and isnan(impurity(criterion, stats, 3, parent, NULL)):
        raise ValueError(f"split criterion number {criterion} is unknown: see enums.pxd and impurity.pxd")
    return 0


cdef inline double stats_weight(int criterion, const double* stats, int n_stats) noexcept nogil:
    """The weight of the rows behind the statistics."""
    cdef double weight = 0.0
    cdef int k
    if is_number(criterion):
        return stats[0]
    for k in range(n_stats):
        weight += stats[k]
    return weight


# ---- p-values ------------------------------------------------------------------------------------------------------

cdef inline double log_gamma_density(double a, double x) noexcept nogil:
    """Log of x^a exp(-x) / gamma(a + 1), without the difference of large numbers if a and x are close."""
    cdef double product = 1.0, z = a, w, stirling
    # Stirling's series is exact to rounding from 16 on; below, gamma(a + 1) = gamma(z + 1) / ((a + 1) ... z)
    while z < 16.0:
        z += 1.0
        product *= z
    w = 1.0 / (z * z)
    stirling = (1.0 / 12 - w * (1.0 / 360 - w * (1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188
                - w * 691.0 / 360360))))) / z
    if z == a and fabs(x - a) < 0.5 * a:
        return a * log1p((x - a) / a) - (x - a) - 0.5 * log(a) - HALF_LOG_2_PI - stirling
    if z == a:
        return a * log(x / a) - (x - a) - 0.5 * log(a) - HALF_LOG_2_PI - stirling
    return a * log(x) - x - ((z + 0.5) * log(z) - z + HALF_LOG_2_PI + stirling) + log(product)


cdef inline double log_chi_square_tail(double statistic, double df) noexcept nogil:
    """Natural log of the probability that a chi-square variable with `df` degrees of freedom exceeds `statistic`.

    The incomplete gamma function, by its series below the mean and by its continued fraction above, which stays in
    logs, so that large statistics do not underflow. Below 1e6 and up to 10^4 degrees, the relative error is at most
    1e-10.
    """
    cdef double a = 0.5 * df, x = 0.5 * statistic, term, total, b, c, d, factor, step
    cdef int i
    if not (statistic > 0.0) or not (df > 0.0):
        return 0.0
    if x < a + 1.0:
        # lower tail = density (1 + x / (a + 1) + x^2 / ((a + 1)(a + 2)) + ...)
        term = total = 1.0
        b = a
        while term > 1e-17 * total:
            b += 1.0
            term *= x / b
            total += term
        factor = exp(log_gamma_density(a, x) + log(total))
        return log1p(-factor) if factor < 1.0 else log1p(-1.0)
    # upper tail = a density / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), by Lentz
    b = x + 1.0 - a
    c = 1e300
    d = 1.0 / b
    total = d
    for i in range(1, 100000):
        factor = -i * (i - a)
        b += 2.0
        d = 1.0 / (factor * d + b)
        c = b + factor / c
        step = c * d
        total *= step
        if fabs(step - 1.0) < 1e-16:
            break
    return log_gamma_density(a, x) + log(a) + log(total)
