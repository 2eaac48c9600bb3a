"""Entropic distances: how likely it is that random steps in every column turn one row into another.

The likelihood of a number falls off exponentially with the difference, at a rate that is found for every query value
(`rates`), so that a given fraction of the rows counts. Logarithms are summed over the columns (`costs`), so that one
exponential per pair of rows is enough, and nothing underflows. Query rows are independent of each other: threads share
them.
"""

from libc.math cimport INFINITY, NAN, exp, fabs, log
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hornbeam.core.base.interrupt cimport poll, stopping

cdef extern from "hornbeam/core/neighbors/kstar_loops.h":
    void hb_decay(const double* away, const double* weight, int64_t n, double rate, double* sums) noexcept nogil
    ctypedef struct hb_asked:
        const double* values
        double asked
        double rate
        double without
    ctypedef struct hb_asked_code:
        const int32_t* codes
        int32_t asked
        double same
        double other
        double without
    void hb_costs(double* cost, const hb_asked* numbers, int n_numbers, const hb_asked_code* codes, int n_codes,
                  int64_t n) noexcept nogil
    double hb_least(const double* cost, int64_t n) noexcept nogil
    void hb_likely(double* cost, const double* weight, int64_t n, double least) noexcept nogil

cdef enum:
    MOST_STEPS = 200
    MOST_HALVINGS = 40
    BLOCK = 1024  # rows processed at a time, so that they stay in the cache
    AVERAGE = 0  # treatments of a missing value
    FARTHEST = 1
    EXCLUDE = 2
    EQUAL = 3

cdef double CLOSE = 1e-12
cdef double ROUNDING = 1e-15  # of a difference, as a fraction of the larger number
cdef double NEAR_STEP = 1e-4  # the error after such a step is about its third power
cdef double LONGEST_STEP = 3.0
cdef double WIDEST = 16.0  # halving starts below this multiple of its first rate
cdef double RATE_OF_EQUALS = 2.0  # halving does not start if all numbers are equally far


include "kstar_sums.pxi"


cdef struct Reach:
    double rate
    double unlikely  # minus the logarithm of the sum of likelihoods at that rate


cdef Reach reach_of(Parts* all, double aim, double start) noexcept nogil:
    """The rate at which the effective number of rows is `aim`: Halley's method on logarithms, kept between bounds."""
    cdef double low = -INFINITY, high = INFINITY, place = log(start), step = 0.0, off, rate
    cdef double one, one_square, both, both_square, slope, bend, slope_one, bend_one
    cdef double[6] sums  # see `hb_decay`
    cdef Reach reach
    cdef int _turn
    for _turn in range(MOST_STEPS):
        rate = exp(place)
        decay(all, rate, sums)
        off = 2.0 * log(sums[0]) - log(sums[1]) - log(aim)
        one, one_square = rate * sums[2] / sums[0], rate * rate * sums[4] / sums[0]
        both, both_square = 2.0 * rate * sums[3] / sums[1], 4.0 * rate * rate * sums[5] / sums[1]
        slope_one, bend_one = -one, -one + one_square - one * one  # of the logarithm of the first sum
        slope = 2.0 * slope_one + both
        bend = 2.0 * bend_one + both - both_square + both * both
        if off > 0.0:
            low = place
        else:
            high = place
        step = 0.0
        if fabs(off) >= CLOSE:
            step = 2.0 * slope * slope - off * bend
            step = -2.0 * off * slope / step if slope < 0.0 and step > 0.0 else NAN
            # If the sums are flat, steps are short although the target is far: such a step is not taken.
            if not (
                fabs(step) < LONGEST_STEP and low < place + step < high and fabs(off + slope * step) <= 0.5 * fabs(off)
            ):
                if low > -INFINITY and high < INFINITY:
                    step = 0.5 * (low + high) - place
                else:
                    step = 1.0 if off > 0.0 else -1.0
        place += step
        if fabs(step) < NEAR_STEP:
            break
    reach.rate = exp(place)
    reach.unlikely = -(log(sums[0]) + step * (slope_one + 0.5 * step * bend_one))
    return reach


cdef Reach halved_reach(Parts* all, double aim, double least_rate, double within) noexcept nogil:
    """A rate at which the effective number of rows is nearly `aim`: WEKA bisects until it is close enough.

    The first rate is given by the distance from the nearest number to the next.
    """
    cdef double next_away = next_nearest(all), low = least_rate, high, effective
    cdef double[6] sums
    cdef Reach reach
    cdef int _turn
    reach.rate = 2.0 / next_away
    high = WIDEST * reach.rate
    for _turn in range(MOST_HALVINGS):
        decay(all, reach.rate, sums)
        effective = sums[0] * sums[0] / sums[1]
        if fabs(effective - aim) <= within:
            break
        if effective > aim:
            low = reach.rate
        else:
            high = reach.rate
        reach.rate = 0.5 * (low + high)
    decay(all, reach.rate, sums)
    reach.unlikely = -log(sums[0])
    return reach


def rates(
    const double[::1] asked,  # IN: numbers, none missing, ascending
    const double[::1] values,  # IN: of the training rows, ascending, distinct
    const double[::1] weights,  # IN: of these
    double blend,
    double least_rate,
    double within,  # IN: above 0: bisect until the effective number of rows is this close
    int missing,
    double[::1] found,  # OUT: the rate for every query number
    double[::1] without,  # OUT: minus the logarithm of the likelihood of a missing value; infinite: none
):
    """Find how fast likelihood falls off around every query number; the search starts from the previous rate."""
    cdef int64_t n = values.shape[0], n_asked = asked.shape[0], i, j, at = 0
    cdef double total = 0.0, near, low, farthest, start = 0.0
    cdef double[6] sums
    cdef Parts all
    cdef Reach reach
    cdef bint enough
    if n == 0 or n_asked == 0:
        found[:] = 0.0
        without[:] = 0.0
        return
    with nogil:
        enough = begin_parts(&all, &values[0], &weights[0], n)
        if enough:
            for i in range(n):
                total += weights[i]
            for j in range(n_asked):
                if stopping():
                    break
                while at < n - 1 and values[at + 1] <= asked[j]:
                    at += 1
                low = fabs(values[at] - asked[j])  # the nearest is there, or next to it
                if at < n - 1:
                    low = min(low, fabs(values[at + 1] - asked[j]))
                farthest = max(fabs(values[0] - asked[j]), fabs(values[n - 1] - asked[j]))
                near = ask(&all, asked[j], at, low)
                reach.rate = reach.unlikely = 0.0
                if within > 0.0 and near >= total:
                    reach.rate = RATE_OF_EQUALS
                    reach.unlikely = -log(total)
                elif within > 0.0 and blend < 1.0:
                    reach = halved_reach(&all, near + blend * (total - near), least_rate, within)
                elif near < total and blend < 1.0:
                    if start == 0.0:
                        start = total / mean_away(&all)
                    reach = reach_of(&all, near + blend * (total - near), start)
                    start = reach.rate
                if reach.rate < least_rate or reach.rate == 0.0:
                    reach.rate = max(reach.rate, least_rate)
                    decay(&all, reach.rate, sums)
                    reach.unlikely = -log(sums[0])
                found[j] = reach.rate
                if missing == AVERAGE:
                    without[j] = reach.rate * low + reach.unlikely + log(total)
                elif missing == FARTHEST:
                    without[j] = reach.rate * farthest
                elif missing == EXCLUDE:
                    without[j] = INFINITY
                else:
                    without[j] = reach.rate * low
    if not enough:
        raise MemoryError
    free(all.parts)
    poll()


def costs(
    const double[:, ::1] numbers,  # IN: (numeric columns, training rows); NaN: missing
    const int32_t[:, ::1] codes,  # IN: (nominal columns, training rows); -1: missing
    const double[:, ::1] asked_numbers,  # IN: (query rows, numeric columns); NaN: the column is unknown
    const double[:, ::1] asked_rates,  # IN: the same
    const double[:, ::1] number_without,  # IN: the same
    const int32_t[:, ::1] asked_codes,  # IN: (query rows, nominal columns)
    const double[:, :, ::1] code_costs,  # IN: (query rows, nominal columns, same / other / missing)
    int64_t first,
    int64_t last,
    double[:, ::1] out,  # OUT: (query rows, training rows): minus the logarithm of the likelihood
):
    """Sum costs over columns for some of the query rows."""
    cdef int64_t n = out.shape[1], row, start = 0, size
    cdef int column, n_numbers, n_codes
    cdef hb_asked* known = <hb_asked*>malloc((numbers.shape[0] + 1) * sizeof(hb_asked))
    cdef hb_asked_code* known_codes = <hb_asked_code*>malloc((codes.shape[0] + 1) * sizeof(hb_asked_code))
    if known == NULL or known_codes == NULL:
        free(known)
        free(known_codes)
        raise MemoryError
    with nogil:
        while start < n:
            size = min(<int64_t>BLOCK, n - start)
            for row in range(first, last):
                n_numbers = n_codes = 0
                for column in range(<int>numbers.shape[0]):
                    known[n_numbers].values = &numbers[column, start]
                    known[n_numbers].asked = asked_numbers[row, column]
                    known[n_numbers].rate = asked_rates[row, column]
                    known[n_numbers].without = number_without[row, column]
                    n_numbers += asked_numbers[row, column] == asked_numbers[row, column]
                for column in range(<int>codes.shape[0]):
                    known_codes[n_codes].codes = &codes[column, start]
                    known_codes[n_codes].asked = asked_codes[row, column]
                    known_codes[n_codes].same = code_costs[row, column, 0]
                    known_codes[n_codes].other = code_costs[row, column, 1]
                    known_codes[n_codes].without = code_costs[row, column, 2]
                    n_codes += asked_codes[row, column] >= 0
                hb_costs(&out[row, start], known, n_numbers, known_codes, n_codes, size)
            start += size
            if stopping():
                break
    free(known)
    free(known_codes)
    poll()


def likelihoods(
    double[:, ::1] cost,  # IN, OUT: costs become likelihoods, the greatest of every row being 1
    const double[::1] weights,  # IN: of the training rows; they are multiplied in
    int64_t first,
    int64_t last,
):
    """Turn costs into likelihoods; zeros in a row where every cost is infinite."""
    cdef int64_t n = cost.shape[1], row, i
    cdef double least
    with nogil:
        for row in range(first, last):
            poll()
            least = hb_least(&cost[row, 0], n) if n > 0 else INFINITY
            if least == INFINITY:
                for i in range(n):
                    cost[row, i] = 0.0
                continue
            hb_likely(&cost[row, 0], &weights[0], n, least)
