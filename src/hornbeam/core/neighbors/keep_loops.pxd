"""The innermost loops of the tree over kept rows: lower bounds of distances, to a part's ranges and to rows of a leaf.

Compiled twice, for any processor and for one with AVX2; the sums are taken in the same order either way. Columns are
filled up to a multiple of four with ones that add nothing. What categories add is not in `scale`, but in `differ`.
"""

from libc.stdint cimport int64_t, uint8_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_K_X86 1
    #else
    #define HB_K_X86 0
    #endif
    #define HB_K_LANES 8
    #define HB_K_COLUMNS 4

    typedef double hb_k_v __attribute__((vector_size(32)));
    typedef int64_t hb_k_m __attribute__((vector_size(32)));

    #define HB_K_SPLAT(x) ((hb_k_v){(x), (x), (x), (x)})
    #define HB_K_AND(mask, x) ((hb_k_v)((mask) & (hb_k_m)(x)))
    #define HB_K_LOAD(to, from) memcpy(&(to), (from), sizeof(hb_k_v))
    #define HB_K_STORE(to, from) memcpy((to), &(from), sizeof(hb_k_v))

    #define HB_K_LOOPS(name, kind) \\
    /* numbers alone; nothing where `x` is missing */ \\
    kind static double name##_beyond(const double* x, const double* low, const double* high, const double* scale, \\
                                     int p) { \\
        hb_k_v sum = HB_K_SPLAT(0.0), here, least, most, d, over; \\
        for (int f = 0; f < p; f += HB_K_COLUMNS) { \\
            HB_K_LOAD(here, x + f); \\
            HB_K_LOAD(least, low + f); \\
            HB_K_LOAD(most, high + f); \\
            d = least - here; \\
            over = here - most; \\
            d = HB_K_AND(d > 0.0, d) + HB_K_AND(over > 0.0, over); \\
            HB_K_LOAD(here, scale + f); \\
            d *= here; \\
            sum += d * d; \\
        } \\
        return (sum[0] + sum[1]) + (sum[2] + sum[3]); \\
    } \\
    /* the bound of every row, eight of them column after column; which may be as near as `enough`: a bit each */ \\
    kind static void name##_near(const double* x, const double* block, const double* scale, const double* differ, \\
                                 int p, int64_t n_blocks, double enough, double* bound, uint8_t* found) { \\
        for (int64_t b = 0; b < n_blocks; b++) { \\
            hb_k_v one = HB_K_SPLAT(0.0), other = one, y, z, d, e; \\
            hb_k_m near, far; \\
            for (int f = 0; f < p; f++, block += HB_K_LANES) { \\
                HB_K_LOAD(y, block); \\
                HB_K_LOAD(z, block + 4); \\
                d = (y - x[f]) * scale[f]; \\
                e = (z - x[f]) * scale[f]; \\
                one += HB_K_AND(d == d, d * d); \\
                other += HB_K_AND(e == e, e * e); \\
                if (differ[f] > 0.0) { \\
                    one += HB_K_AND(y != x[f], HB_K_SPLAT(differ[f])); \\
                    other += HB_K_AND(z != x[f], HB_K_SPLAT(differ[f])); \\
                } \\
            } \\
            HB_K_STORE(bound + b * HB_K_LANES, one); \\
            HB_K_STORE(bound + b * HB_K_LANES + 4, other); \\
            near = one <= enough; \\
            far = other <= enough; \\
            found[b] = (uint8_t)((near[0] & 1) | (near[1] & 2) | (near[2] & 4) | (near[3] & 8) \\
                                 | (far[0] & 16) | (far[1] & 32) | (far[2] & 64) | (far[3] & 128)); \\
        } \\
    }

    HB_K_LOOPS(hb_k_plain, )
    #if HB_K_X86
    HB_K_LOOPS(hb_k_wide, __attribute__((target("avx2"))))
    #define HB_K_CALL(what, ...) \\
        (__builtin_cpu_supports("avx2") ? hb_k_wide_##what(__VA_ARGS__) : hb_k_plain_##what(__VA_ARGS__))
    #else
    #define HB_K_CALL(what, ...) hb_k_plain_##what(__VA_ARGS__)
    #endif

    static inline double hb_k_beyond(const double* x, const double* low, const double* high, const double* scale,
                                     int p) {
        return HB_K_CALL(beyond, x, low, high, scale, p);
    }
    static inline void hb_k_near(const double* x, const double* block, const double* scale, const double* differ,
                                 int p, int64_t n_blocks, double enough, double* bound, uint8_t* found) {
        HB_K_CALL(near, x, block, scale, differ, p, n_blocks, enough, bound, found);
    }
    """
    enum:
        HB_K_LANES
        HB_K_COLUMNS

    double hb_k_beyond(const double* x, const double* low, const double* high, const double* scale,
                       int p) noexcept nogil
    void hb_k_near(const double* x, const double* block, const double* scale, const double* differ, int p,
                   int64_t n_blocks, double enough, double* bound, uint8_t* found) noexcept nogil
