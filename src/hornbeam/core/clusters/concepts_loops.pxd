"""The innermost loops of forming concepts: how well the values of a node's rows could be guessed.

Compiled twice, for any processor and for one with AVX2, with the same result: four sums side by side, however wide the
processor is.
"""

from libc.stdint cimport int64_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_C_WIDE __attribute__((target("avx2")))
    #else
    #define HB_C_WIDE
    #endif

    /* sharp: the sum of 1 / sd over m columns of numbers; three addends of counts, sums and sums of squares (m each).
       alike: the sum over columns of squares / known^2; two addends of either. */
    #define HB_C_LOOPS(name, kind) \\
    kind static double name##_sharp(const double* f, const double* g, const double* row, int64_t m, double least) { \\
        double sum[4] = {0.0, 0.0, 0.0, 0.0}; \\
        int64_t i = 0; \\
        for (; i < m; i += 4) { \\
            int n = m - i < 4 ? (int)(m - i) : 4; \\
            double c[4] = {0.0, 0.0, 0.0, 0.0}, t[4] = {0.0, 0.0, 0.0, 0.0}, q[4] = {0.0, 0.0, 0.0, 0.0}; \\
            if (n == 4) \\
                for (int k = 0; k < 4; k++) { \\
                    c[k] = f[i + k] + g[i + k] + row[i + k]; \\
                    t[k] = f[m + i + k] + g[m + i + k] + row[m + i + k]; \\
                    q[k] = f[2 * m + i + k] + g[2 * m + i + k] + row[2 * m + i + k]; \\
                } \\
            else \\
                for (int k = 0; k < n; k++) { \\
                    c[k] = f[i + k] + g[i + k] + row[i + k]; \\
                    t[k] = f[m + i + k] + g[m + i + k] + row[m + i + k]; \\
                    q[k] = f[2 * m + i + k] + g[2 * m + i + k] + row[2 * m + i + k]; \\
                } \\
            for (int k = 0; k < 4; k++) { \\
                double many = c[k] > 1.0 ? c[k] : 2.0, v = (q[k] - t[k] * t[k] / many) / (many - 1.0); \\
                v = c[k] > 1.0 ? v : 0.0; \\
                t[k] = 1.0 / sqrt(v > least ? v : least); \\
            } \\
            for (int k = 0; k < 4; k++) sum[k] += k < n ? t[k] : 0.0; \\
        } \\
        return (sum[0] + sum[1]) + (sum[2] + sum[3]); \\
    } \\
    kind static double name##_alike(const double* known, const double* squares, const double* more, \\
                                    const double* extra, int64_t m) { \\
        double sum[4] = {0.0, 0.0, 0.0, 0.0}; \\
        int64_t i = 0; \\
        for (; i + 4 <= m; i += 4) \\
            for (int k = 0; k < 4; k++) { \\
                double held = known[i + k] + more[i + k], all = squares[i + k] + extra[i + k]; \\
                double many = held > 0.0 ? held : 1.0, part = all / (many * many); \\
                sum[k] += held > 0.0 ? part : 0.0; \\
            } \\
        for (; i < m; i++) { \\
            double held = known[i] + more[i]; \\
            if (held > 0.0) sum[0] += (squares[i] + extra[i]) / (held * held); \\
        } \\
        return (sum[0] + sum[1]) + (sum[2] + sum[3]); \\
    }
    HB_C_LOOPS(hb_c_plain, )
    #if defined(__x86_64__) && defined(__GNUC__)
    HB_C_LOOPS(hb_c_wide, HB_C_WIDE)
    #define HB_C_CALL(what, ...) (__builtin_cpu_supports("avx2") ? hb_c_wide_##what(__VA_ARGS__) \\
                                                                  : hb_c_plain_##what(__VA_ARGS__))
    #else
    #define HB_C_CALL(what, ...) hb_c_plain_##what(__VA_ARGS__)
    #endif
    static double hb_c_sharp(const double* f, const double* g, const double* row, int64_t m, double least) {
        return HB_C_CALL(sharp, f, g, row, m, least);
    }
    static double hb_c_alike(const double* known, const double* squares, const double* more, const double* extra,
                             int64_t m) {
        return HB_C_CALL(alike, known, squares, more, extra, m);
    }
    """
    double hb_c_sharp(const double* f, const double* g, const double* row, int64_t m, double least) noexcept nogil
    double hb_c_alike(const double* known, const double* squares, const double* more, const double* extra,
                      int64_t m) noexcept nogil
