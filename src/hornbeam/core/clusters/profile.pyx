"""Means and deviations of a numeric column by cluster, for the profiles of clusters."""

from libc.math cimport INFINITY, fabs, isfinite, sqrt
from libc.stdint cimport int32_t, int64_t


def moments(const double[::1] values, const int32_t[::1] member, const double[::1] weights, double[:] known,
            double[:] mean, double[:] deviation):
    """Fill in the weight, mean and standard deviation of the known values of each cluster; the last entry is for all
    rows.

    `member` is the cluster of each row, or -1 for none; without weights (an empty array) a row counts once. Sums are
    taken of differences from the overall mean, divided by the largest one, so that large values and outliers lose no
    precision.
    """
    cdef int64_t i, k = known.shape[0] - 1, c
    cdef double w = 1.0, total = 0.0, low = INFINITY, high = -INFINITY, center, size, apart
    cdef bint weighted = weights.shape[0] > 0
    with nogil:
        for c in range(k + 1):
            known[c] = mean[c] = deviation[c] = 0.0
        for i in range(values.shape[0]):
            if values[i] != values[i] or member[i] < 0:
                continue
            if weighted:
                w = weights[i]
            known[member[i]] += w
            total += w * values[i]
            low = min(low, values[i])
            high = max(high, values[i])
        for c in range(k):
            known[k] += known[c]
        if known[k] > 0.0:
            center = total / known[k]
            if not isfinite(center):  # the sum of very large numbers
                center = low / 2 + high / 2
            size = max(fabs(high - center), fabs(center - low))
            if not 0.0 < size < INFINITY:
                size = 1.0
            for i in range(values.shape[0]):
                if values[i] != values[i] or member[i] < 0:
                    continue
                apart = (values[i] - center) / size
                mean[member[i]] += weights[i] * apart if weighted else apart
            for c in range(k):
                mean[k] += mean[c]
            for c in range(k + 1):
                if known[c] > 0.0:
                    mean[c] /= known[c]
            for i in range(values.shape[0]):
                if values[i] != values[i] or member[i] < 0:
                    continue
                if weighted:
                    w = weights[i]
                apart = (values[i] - center) / size
                deviation[member[i]] += w * ((apart - mean[member[i]]) * (apart - mean[member[i]]))
                deviation[k] += w * ((apart - mean[k]) * (apart - mean[k]))
            for c in range(k + 1):
                if known[c] > 0.0:
                    mean[c] = center + size * mean[c]
                    deviation[c] = size * sqrt(deviation[c] / known[c])
