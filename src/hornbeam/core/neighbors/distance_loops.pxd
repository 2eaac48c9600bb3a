"""The innermost loops of distances: what one column adds to the distances of one row from a run of others.

Each is compiled twice, for any processor of the kind and for one with AVX2; the results are the same bit for bit, since
every row's sum is taken column after column either way.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <math.h>
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_D_X86 1
    #define HB_D_WIDE __attribute__((target("avx2")))
    #else
    #define HB_D_X86 0
    #endif

    /* nobody asks what a root did to errno; with that, roots are taken several at once */
    #if defined(__GNUC__) && !defined(__clang__)
    #define HB_D_ROOTS __attribute__((optimize("no-math-errno")))
    #else
    #define HB_D_ROOTS
    #endif

    /* What a pair with a value missing adds is at hand: `mine` where this row's is missing, `far` where the other's is
       (two numbers: least and greatest place in the column, farther of the two), `both` where both are. */
    #define HB_D_LOOPS(name, kind) \\
    kind static void name##_squares(double* sum, const double* x, double q, double w, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { double d = q - x[i]; sum[i] += w * (d * d); } \\
    } \\
    kind static void name##_sizes(double* sum, const double* x, double q, double w, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) sum[i] += w * fabs(q - x[i]); \\
    } \\
    kind static void name##_squares_or(double* sum, const double* x, double q, double w, double other, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { double d = x[i] == x[i] ? q - x[i] : other; sum[i] += w * (d * d); } \\
    } \\
    kind static void name##_sizes_or(double* sum, const double* x, double q, double w, double other, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { double d = x[i] == x[i] ? fabs(q - x[i]) : other; sum[i] += w * d; } \\
    } \\
    kind static void name##_far(double* sum, const double* x, double low, double high, double both, double w, \\
                                int squared, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { \\
            double under = x[i] - low, over = high - x[i], d = under > over ? under : over; \\
            d = x[i] == x[i] ? d : both; \\
            sum[i] += w * (squared ? d * d : d); \\
        } \\
    } \\
    kind static void name##_known(double* known, const double* x, double w, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) known[i] += x[i] == x[i] ? w : 0.0; \\
    } \\
    kind static void name##_codes(double* sum, const int32_t* c, int32_t q, int32_t none, double differ, \\
                                  double absent, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) { \\
            double d = c[i] == q ? 0.0 : differ; \\
            sum[i] += c[i] == none ? absent : d; \\
        } \\
    } \\
    kind static void name##_known_codes(double* known, const int32_t* c, int32_t none, double w, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) known[i] += c[i] == none ? 0.0 : w; \\
    } \\
    kind HB_D_ROOTS static void name##_roots(double* sum, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) sum[i] = sqrt(sum[i]); \\
    } \\
    kind static void name##_same(double* sum, double add, int64_t n) { \\
        for (int64_t i = 0; i < n; i++) sum[i] += add; \\
    }

    HB_D_LOOPS(hb_d_plain, )
    #if HB_D_X86
    HB_D_LOOPS(hb_d_wide, HB_D_WIDE)
    static int hb_d_is_wide(void) { return __builtin_cpu_supports("avx2"); }
    #define HB_D_CALL(what, ...) \\
        do { if (hb_d_is_wide()) hb_d_wide_##what(__VA_ARGS__); else hb_d_plain_##what(__VA_ARGS__); } while (0)
    #else
    #define HB_D_CALL(what, ...) hb_d_plain_##what(__VA_ARGS__)
    #endif

    static inline void hb_d_squares(double* s, const double* x, double q, double w, int64_t n) {
        HB_D_CALL(squares, s, x, q, w, n);
    }
    static inline void hb_d_sizes(double* s, const double* x, double q, double w, int64_t n) {
        HB_D_CALL(sizes, s, x, q, w, n);
    }
    static inline void hb_d_squares_or(double* s, const double* x, double q, double w, double other, int64_t n) {
        HB_D_CALL(squares_or, s, x, q, w, other, n);
    }
    static inline void hb_d_sizes_or(double* s, const double* x, double q, double w, double other, int64_t n) {
        HB_D_CALL(sizes_or, s, x, q, w, other, n);
    }
    static inline void hb_d_far(double* s, const double* x, double low, double high, double both, double w,
                                int squared, int64_t n) {
        HB_D_CALL(far, s, x, low, high, both, w, squared, n);
    }
    static inline void hb_d_known(double* known, const double* x, double w, int64_t n) {
        HB_D_CALL(known, known, x, w, n);
    }
    static inline void hb_d_codes(double* s, const int32_t* c, int32_t q, int32_t none, double differ, double absent,
                                  int64_t n) {
        HB_D_CALL(codes, s, c, q, none, differ, absent, n);
    }
    static inline void hb_d_known_codes(double* known, const int32_t* c, int32_t none, double w, int64_t n) {
        HB_D_CALL(known_codes, known, c, none, w, n);
    }
    static inline void hb_d_same(double* s, double add, int64_t n) { HB_D_CALL(same, s, add, n); }
    static inline void hb_d_roots(double* s, int64_t n) { HB_D_CALL(roots, s, n); }
    """
    void hb_d_squares(double* s, const double* x, double q, double w, int64_t n) noexcept nogil
    void hb_d_sizes(double* s, const double* x, double q, double w, int64_t n) noexcept nogil
    void hb_d_squares_or(double* s, const double* x, double q, double w, double other, int64_t n) noexcept nogil
    void hb_d_sizes_or(double* s, const double* x, double q, double w, double other, int64_t n) noexcept nogil
    void hb_d_far(double* s, const double* x, double low, double high, double both, double w, int squared,
                  int64_t n) noexcept nogil
    void hb_d_known(double* known, const double* x, double w, int64_t n) noexcept nogil
    void hb_d_codes(double* s, const int32_t* c, int32_t q, int32_t none, double differ, double absent,
                    int64_t n) noexcept nogil
    void hb_d_known_codes(double* known, const int32_t* c, int32_t none, double w, int64_t n) noexcept nogil
    void hb_d_same(double* s, double add, int64_t n) noexcept nogil
    void hb_d_roots(double* s, int64_t n) noexcept nogil
