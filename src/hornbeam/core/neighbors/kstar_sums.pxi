# Part of kstar.pyx: sums over the values of a column that decay with the distance from a number, without all values.

# The sorted values are divided in halves, again and again. Every part keeps its moments: the sums of weight * u ^ m,
# with u the value less the middle, divided by half the width. Where exp(-rate * away) changes little within a part, its
# sum is a short series of the moments, exact to rounding; other parts are divided further, and the last are summed
# value by value.

cdef enum:
    TERMS = 15  # of a series; for 2 * rate * half the width of a part up to 0.5, the next is below 1e-16
    MOMENTS = 17
    LEAF = 32  # values summed one by one

cdef double SHORT = 0.5
cdef double NOTHING = 701.0  # the exponential of less than -700 is 0 in `hb_decay`


cdef struct Part:
    int64_t start
    int64_t end
    int64_t above  # the second half; the first follows its part; 0: not divided
    double middle
    double half_width
    double[MOMENTS] moments


cdef struct Parts:
    const double* values
    const double* weights
    int64_t n
    Part* parts
    int64_t n_parts
    double asked
    double low  # the least distance, which is subtracted from all
    int64_t at  # the greatest value up to `asked`: this value and the next are summed one by one
    int64_t[2] equal  # those of them that count as no farther than the nearest; -1: none
    double[LEAF] away
    double[LEAF] weight


cdef void add_moments(const Part* part, Part* whole) noexcept nogil:
    """Add the moments of a part to those of a part that it is in."""
    cdef double by = (part.middle - whole.middle) / whole.half_width, scale = part.half_width / whole.half_width
    cdef double power = 1.0
    cdef double[MOMENTS] row
    cdef int m, j
    for m in range(MOMENTS):
        row[m] = power * part.moments[m]
        power *= scale
    for m in range(MOMENTS):  # row[j] becomes the sum of weight * (scale * u) ^ (j - m) * (scale * u + by) ^ m
        whole.moments[m] += row[m]
        for j in range(MOMENTS - 1, m, -1):
            row[j] += by * row[j - 1]


cdef int64_t divide(Parts* all, int64_t start, int64_t end) noexcept nogil:
    """Divide some of the values; returns the number of their part."""
    cdef int64_t number = all.n_parts, i, half
    cdef Part* part = &all.parts[number]
    cdef double off, power
    cdef int m
    all.n_parts += 1
    part.start = start
    part.end = end
    part.middle = 0.5 * all.values[start] + 0.5 * all.values[end - 1]
    part.half_width = 0.5 * all.values[end - 1] - 0.5 * all.values[start]
    if part.half_width == 0.0:
        part.half_width = 1.0
    part.above = 0
    memset(part.moments, 0, sizeof(part.moments))
    if end - start <= LEAF:
        for i in range(start, end):
            off = (all.values[i] - part.middle) / part.half_width
            power = all.weights[i]
            for m in range(MOMENTS):
                part.moments[m] += power
                power *= off
        return number
    half = divide(all, start, (start + end) >> 1)
    add_moments(&all.parts[half], part)
    part.above = divide(all, (start + end) >> 1, end)
    add_moments(&all.parts[part.above], part)
    return number


cdef inline void add_series(const Part* part, double away, double sign, double rate, double* sums) noexcept nogil:
    """Add three sums of a part: weight * exp(-rate * away), times away, times away squared, in every second place."""
    cdef double term = exp(-rate * away), s0 = 0.0, s1 = 0.0, s2 = 0.0, step = -rate * sign * part.half_width
    cdef int m
    for m in range(TERMS):
        s0 += term * part.moments[m]
        s1 += term * part.moments[m + 1]
        s2 += term * part.moments[m + 2]
        term *= step / (m + 1)
    s1 *= part.half_width
    s2 *= part.half_width * part.half_width
    sums[0] += s0
    sums[2] += away * s0 + sign * s1
    sums[4] += away * away * s0 + 2.0 * sign * away * s1 + s2


cdef void add_part(Parts* all, int64_t number, double rate, double* sums) noexcept nogil:
    """Add the six sums of a part (see `hb_decay`)."""
    cdef const Part* part = &all.parts[number]
    cdef double away, sign
    cdef double[6] own
    cdef int64_t i
    cdef int k
    if part.start > all.at + 1 and rate * (all.values[part.start] - all.asked - all.low) > NOTHING:
        return
    if part.end <= all.at and rate * (all.asked - all.values[part.end - 1] - all.low) > NOTHING:
        return
    if (part.start > all.at + 1 or part.end <= all.at) and 2.0 * rate * part.half_width <= SHORT:
        sign = 1.0 if part.start > all.at else -1.0
        away = sign * (part.middle - all.asked) - all.low
        add_series(part, away, sign, rate, sums)
        add_series(part, away, sign, 2.0 * rate, sums + 1)
    elif part.above:
        add_part(all, number + 1, rate, sums)
        add_part(all, part.above, rate, sums)
    else:
        for i in range(part.start, part.end):
            away = fabs(all.values[i] - all.asked) - all.low
            all.away[i - part.start] = 0.0 if i == all.equal[0] or i == all.equal[1] else away
        hb_decay(all.away, all.weights + part.start, part.end - part.start, rate, own)
        for k in range(6):
            sums[k] += own[k]


cdef void decay(Parts* all, double rate, double* sums) noexcept nogil:
    """The six sums of `hb_decay` over all values."""
    memset(sums, 0, 6 * sizeof(double))
    add_part(all, 0, rate, sums)


cdef bint begin_parts(Parts* all, const double* values, const double* weights, int64_t n) noexcept nogil:
    """Divide sorted values; False if there is not enough memory."""
    all.values, all.weights, all.n, all.n_parts = values, weights, n, 0
    all.parts = <Part*>malloc((4 * (n // LEAF) + 4) * sizeof(Part))
    if all.parts == NULL:
        return False
    divide(all, 0, n)
    return True


cdef double ask(Parts* all, double asked, int64_t at, double low) noexcept nogil:
    """Prepare for a number; returns the weight of the values no farther than the nearest."""
    cdef int64_t i
    cdef double near = 0.0
    all.asked, all.at, all.low = asked, at, low
    all.equal[0] = all.equal[1] = -1
    for i in range(at, min(at + 2, all.n)):
        if fabs(all.values[i] - asked) - low <= ROUNDING * max(fabs(all.values[i]), fabs(asked)):
            all.equal[i - at] = i
            near += all.weights[i]
    return near


cdef double mean_away(const Parts* all) noexcept nogil:
    """The weighted sum of the distances, less the least."""
    cdef double mean = 0.0
    cdef int64_t i
    for i in range(all.n):
        if i != all.equal[0] and i != all.equal[1]:
            mean += all.weights[i] * (fabs(all.values[i] - all.asked) - all.low)
    return mean


cdef double next_nearest(const Parts* all) noexcept nogil:
    """The least distance above that of the nearest values, less it."""
    cdef double found = INFINITY, away
    cdef int64_t i, j
    cdef int side
    for side in range(2):  # downward and upward from the number, where distances grow
        i = all.at if side == 0 else all.at + 1
        while 0 <= i < all.n:
            away = fabs(all.values[i] - all.asked) - all.low
            if i != all.equal[0] and i != all.equal[1] and away > 0.0:
                found = min(found, away)
                break
            i += 2 * side - 1
    return found
