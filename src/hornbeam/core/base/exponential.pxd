"""e to the power of a number not above zero, in plain arithmetic: loops over it use wide registers, and the result is
the same on every machine: compiled twice, for wider registers too, with no operation joined with another. Off by less
than 1e-15 of itself; 0 below -700.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_EXP_WIDE __attribute__((target("avx2")))
    #define HB_EXP_IF_WIDE(call) if (__builtin_cpu_supports("avx2")) { call; return; }
    #else
    #define HB_EXP_WIDE
    #define HB_EXP_IF_WIDE(call)
    #endif
    #define HB_EXP_LANES 4  /* sums taken side by side, in an order that does not depend on the registers */

    static inline __attribute__((always_inline)) double hb_exponential(double x) {
        const double shift = 6755399441055744.0;  /* adding it rounds to a whole number, held in the last bits */
        /* compared as whole numbers: comparisons of floats would keep compilers from working on several at a time */
        const int64_t limit = 0x4085E00000000000;  /* 700 */
        int64_t size, bits;
        memcpy(&size, &x, 8);
        size &= 0x7FFFFFFFFFFFFFFF;
        int64_t beyond = -(int64_t)(size > limit);
        size = (beyond & limit) | (~beyond & size);
        double below;
        memcpy(&below, &size, 8);
        below = -below;
        double whole = below * 1.4426950408889634 + shift;
        memcpy(&bits, &whole, 8);
        whole -= shift;
        double r = (below - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10;
        double sum = 1.0 / 6227020800.0;
        sum = sum * r + 1.0 / 479001600.0;
        sum = sum * r + 1.0 / 39916800.0;
        sum = sum * r + 1.0 / 3628800.0;
        sum = sum * r + 1.0 / 362880.0;
        sum = sum * r + 1.0 / 40320.0;
        sum = sum * r + 1.0 / 5040.0;
        sum = sum * r + 1.0 / 720.0;
        sum = sum * r + 1.0 / 120.0;
        sum = sum * r + 1.0 / 24.0;
        sum = sum * r + 1.0 / 6.0;
        sum = sum * r + 0.5;
        sum = sum * r + 1.0;
        sum = sum * r + 1.0;
        int64_t result;
        memcpy(&result, &sum, 8);
        result = (int64_t)((uint64_t)result + ((uint64_t)bits << 52)) & ~beyond;
        memcpy(&sum, &result, 8);
        return sum;
    }

    static inline __attribute__((always_inline)) void hb_decay_add(
        double lanes[6][HB_EXP_LANES], const double* away, const double* weight, double rate
    ) {
        for (int lane = 0; lane < HB_EXP_LANES; lane++) {
            double at = away[lane], power = hb_exponential(-rate * at);
            double one = weight[lane] * power, both = one * power, one_away = one * at, both_away = both * at;
            lanes[0][lane] += one;
            lanes[1][lane] += both;
            lanes[2][lane] += one_away;
            lanes[3][lane] += both_away;
            lanes[4][lane] += one_away * at;
            lanes[5][lane] += both_away * at;
        }
    }
    /* sums of weight times e at -rate * away, of its square, and of both times away and away squared: six numbers */
    static inline __attribute__((always_inline)) void hb_decay_loop(
        const double* away, const double* weight, int64_t n, double rate, double* sums
    ) {
        double lanes[6][HB_EXP_LANES] = {{0.0}}, last_away[HB_EXP_LANES] = {0.0}, last_weight[HB_EXP_LANES] = {0.0};
        int64_t i = 0;
        for (; i + HB_EXP_LANES <= n; i += HB_EXP_LANES) hb_decay_add(lanes, away + i, weight + i, rate);
        for (int lane = 0; lane < n - i; lane++) {
            last_away[lane] = away[i + lane];
            last_weight[lane] = weight[i + lane];
        }
        hb_decay_add(lanes, last_away, last_weight, rate);
        for (int k = 0; k < 6; k++) {
            sums[k] = 0.0;
            for (int lane = 0; lane < HB_EXP_LANES; lane++) sums[k] += lanes[k][lane];
        }
    }
    HB_EXP_WIDE static void hb_decay_wide(const double* a, const double* w, int64_t n, double rate, double* sums) {
        hb_decay_loop(a, w, n, rate, sums);
    }
    static void hb_decay(const double* a, const double* w, int64_t n, double rate, double* sums) {
        HB_EXP_IF_WIDE(hb_decay_wide(a, w, n, rate, sums))
        hb_decay_loop(a, w, n, rate, sums);
    }

    /* weights times e at least - cost, in place of the costs */
    static inline __attribute__((always_inline)) void hb_likely_loop(
        double* cost, const double* weight, int64_t n, double least
    ) {
        for (int64_t i = 0; i < n; i++) cost[i] = weight[i] * hb_exponential(least - cost[i]);
    }
    HB_EXP_WIDE static void hb_likely_wide(double* cost, const double* weight, int64_t n, double least) {
        hb_likely_loop(cost, weight, n, least);
    }
    static void hb_likely(double* cost, const double* weight, int64_t n, double least) {
        HB_EXP_IF_WIDE(hb_likely_wide(cost, weight, n, least))
        hb_likely_loop(cost, weight, n, least);
    }
    """
    double hb_exponential(double x) noexcept nogil
    void hb_decay(const double* away, const double* weight, int64_t n, double rate, double* sums) noexcept nogil
    void hb_likely(double* cost, const double* weight, int64_t n, double least) noexcept nogil
