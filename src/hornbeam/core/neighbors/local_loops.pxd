"""The loops of local regressions: sums of products of columns, some rows at a time, in wide registers.

Each is compiled twice, for any processor of the kind and for one with AVX2; sums are taken side by side in an order
that does not depend on the registers, so the results are the same bit for bit.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_L_WIDE __attribute__((target("avx2")))
    #define HB_L_IF_WIDE(call) if (__builtin_cpu_supports("avx2")) { call; return; }
    #else
    #define HB_L_WIDE
    #define HB_L_IF_WIDE(call)
    #endif
    #define HB_L_INLINE static inline __attribute__((always_inline)) void
    #define HB_L_ROWS 64  /* of a block */
    #define HB_L_LANES 4

    /* one block: weighted columns times columns, i times j up to i, added to `square`; (columns, rows) each */
    HB_L_INLINE hb_l_squares_loop(const double* weighted, const double* plain, int p, double* square) {
        for (int i = 0; i < p; i++)
            for (int j = 0; j <= i; j++) {
                double lanes[2][HB_L_LANES] = {{0.0}};
                const double* a = weighted + i * HB_L_ROWS;
                const double* b = plain + j * HB_L_ROWS;
                for (int r = 0; r < HB_L_ROWS; r += 2 * HB_L_LANES)
                    for (int lane = 0; lane < HB_L_LANES; lane++) {
                        lanes[0][lane] += a[r + lane] * b[r + lane];
                        lanes[1][lane] += a[r + HB_L_LANES + lane] * b[r + HB_L_LANES + lane];
                    }
                double sum = 0.0;
                for (int lane = 0; lane < HB_L_LANES; lane++) sum += lanes[0][lane] + lanes[1][lane];
                square[i * p + j] += sum;
            }
    }
    HB_L_WIDE static void hb_l_squares_wide(const double* weighted, const double* plain, int p, double* square) {
        hb_l_squares_loop(weighted, plain, p, square);
    }
    static void hb_l_squares(const double* weighted, const double* plain, int p, double* square) {
        HB_L_IF_WIDE(hb_l_squares_wide(weighted, plain, p, square))
        hb_l_squares_loop(weighted, plain, p, square);
    }

    /* (1 - u^3)^3 up to the reach, times the rows' own weights, in place of distances; NaN: none */
    HB_L_INLINE hb_l_tricube_loop(double* away, const double* own, double wide, int64_t n) {
        for (int64_t i = 0; i < n; i++) {
            double u = away[i] / wide, rest = 1.0 - u * u * u;
            away[i] = u < 1.0 ? own[i] * (rest * rest * rest) : 0.0;
        }
    }
    HB_L_WIDE static void hb_l_tricube_wide(double* away, const double* own, double wide, int64_t n) {
        hb_l_tricube_loop(away, own, wide, n);
    }
    static void hb_l_tricube(double* away, const double* own, double wide, int64_t n) {
        HB_L_IF_WIDE(hb_l_tricube_wide(away, own, wide, n))
        hb_l_tricube_loop(away, own, wide, n);
    }
    """
    enum:
        HB_L_ROWS
    void hb_l_squares(const double* weighted, const double* plain, int p, double* square) noexcept nogil
    void hb_l_tricube(double* away, const double* own, double wide, int64_t n) noexcept nogil
