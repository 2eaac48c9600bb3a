"""The innermost loop of forming concepts: how sharp a node's numbers are once a row is among them.

Compiled twice, for any processor and for one with AVX2, with the same result.
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

    /* The sum of 1 / sd over columns, all values known, once w times x is put to the sums f: four sums side by side,
       so that the result is the same however wide the processor is. */
    #define HB_C_SHARP(name, kind) \\
    kind static double name(const double* f, const double* x, double w, int64_t m, double count, double least) { \\
        const double *total = f + m, *squares = f + 2 * m; \\
        double part = count > 0.0 ? 1.0 / count : 0.0, rest = count > 1.0 ? 1.0 / (count - 1.0) : 0.0; \\
        double sum[4] = {0.0, 0.0, 0.0, 0.0}; \\
        int64_t i = 0; \\
        for (; i + 4 <= m; i += 4) \\
            for (int k = 0; k < 4; k++) { \\
                double t = total[i + k] + w * x[i + k], q = squares[i + k] + w * x[i + k] * x[i + k]; \\
                double v = (q - t * t * part) * rest; \\
                sum[k] += 1.0 / sqrt(v > least ? v : least); \\
            } \\
        for (; i < m; i++) { \\
            double t = total[i] + w * x[i], q = squares[i] + w * x[i] * x[i], v = (q - t * t * part) * rest; \\
            sum[0] += 1.0 / sqrt(v > least ? v : least); \\
        } \\
        return (sum[0] + sum[1]) + (sum[2] + sum[3]); \\
    }
    HB_C_SHARP(hb_c_plain, )
    #if defined(__x86_64__) && defined(__GNUC__)
    HB_C_SHARP(hb_c_wide, HB_C_WIDE)
    static double hb_c_sharp(const double* f, const double* x, double w, int64_t m, double count, double least) {
        return __builtin_cpu_supports("avx2") ? hb_c_wide(f, x, w, m, count, least)
                                              : hb_c_plain(f, x, w, m, count, least);
    }
    #else
    #define hb_c_sharp hb_c_plain
    #endif
    """
    double hb_c_sharp(const double* f, const double* x, double w, int64_t m, double count, double least) noexcept nogil
