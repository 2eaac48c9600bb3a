"""Expected errors of a leaf or rule: the upper confidence limit of its training errors (Quinlan 1993, chapter 4)."""

from libc.math cimport fmax, pow, sqrt


cdef inline double beyond_one(double weight, double errors, double z) noexcept nogil:
    """What the limit adds to one or more errors; `z` is the normal quantile of the confidence."""
    cdef double f, limit
    if errors + 0.5 >= weight:
        return fmax(weight - errors, 0.0)
    f = (errors + 0.5) / weight
    limit = f + z * z / (2 * weight) + z * sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight))
    return limit / (1 + z * z / weight) * weight - errors


cdef inline double expected_errors(double weight, double errors, double confidence, double z) noexcept nogil:
    """Errors plus what the limit adds to them; below one error, interpolated linearly between zero and one."""
    cdef double none
    if confidence > 0.5 or weight <= 0.0:
        return errors
    if errors >= 1.0:
        return errors + beyond_one(weight, errors, z)
    none = weight * (1.0 - pow(confidence, 1.0 / weight))
    if errors == 0.0:
        return none
    return errors + (none + errors * (beyond_one(weight, 1.0, z) - none))
