/* Distances in single precision of four query rows from sixteen others at a time, so that sums stay in registers.

   The candidate rows are in panels of sixteen, column by column: numbers without missing values, numbers with
   missing values (NaN), categories as numbers (NaN: missing), and categories with tables of differences. The version
   for AVX2 uses fused multiply-add: the result is close to the distance, but not the same on every machine. */
#pragma once
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "hornbeam/core/base/simd.h"
#define HB_N_LANES 16
#define HB_N_TILE 4

typedef struct {
    const float* values;  /* (panels, columns, lanes) */
    const float* norms;  /* (panels, lanes): sums of squares, if no column is nominal or has missing values; or NULL */
    const float* far;  /* (panels, numbers, lanes): what is added if the query row's value is missing; or NULL */
    int n_columns, n_whole, n_numbers, n_overlap;  /* numbers without missing values, all numbers, then categories */
    int ignore, squared, lacks;  /* lacks: whether a missing category adds something other than a different one */
} hb_n_rows;

typedef struct {  /* four query rows; arrays are by column and row, where not stated otherwise */
    const float* q;  /* NaN: missing */
    const float* twice;  /* -2 q */
    const float* fill;  /* of numbers: what is added where the other value is missing */
    const float* weight;  /* 0: missing */
    const float* lack;  /* of categories: how much less a missing one adds than a different one */
    const float* const* table;  /* of categories with tables: what each adds */
    const int32_t* gone;  /* by column: whether a row's value is missing */
    int any_gone;  /* whether one of the first `n_whole` numbers is missing */
} hb_n_tile;

/* ---- for any processor ---- */

/* what one column adds to the distance of one row */
HB_INLINE float hb_n_power(float d, const int squared) { return squared ? d * d : fabsf(d); }

/* the distances of a tile's row `t` from the rows of a panel; missing values are filled */
HB_INLINE void hb_n_filled(const hb_n_rows* r, const hb_n_tile* a, const float* x, const float* norms, const float* far,
                           int t, float* out, const int squared) {
    float sum[HB_N_LANES];
    int f = 0, whole = norms && !a->any_gone;
    for (int i = 0; i < HB_N_LANES; i++) sum[i] = whole ? norms[i] : 0.0f;
    for (; whole && f < r->n_whole; f++) {
        float twice = a->twice[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) sum[i] += x[f * HB_N_LANES + i] * twice;
    }
    for (; f < r->n_numbers; f++) {
        float q = a->q[f * HB_N_TILE + t], fill = a->fill[f * HB_N_TILE + t];
        const float* other = a->gone[f] && far && q != q ? far + f * HB_N_LANES : 0;
        for (int i = 0; i < HB_N_LANES; i++) {
            float d = x[f * HB_N_LANES + i] - q;
            sum[i] += d == d ? hb_n_power(d, squared) : other ? other[i] : fill;
        }
    }
    for (; f < r->n_numbers + r->n_overlap; f++) {
        float q = a->q[f * HB_N_TILE + t], weight = a->weight[f * HB_N_TILE + t], lack = a->lack[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) {
            float value = x[f * HB_N_LANES + i];
            sum[i] -= value == q ? weight : 0.0f;
            sum[i] -= r->lacks && value != value ? lack : 0.0f;
        }
    }
    for (; f < r->n_columns; f++) {
        const float* row = a->table[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) sum[i] += row[(int32_t)x[f * HB_N_LANES + i]];
    }
    memcpy(out, sum, sizeof sum);
}

/* the same for the mean over the columns known in both; NaN if there is none */
HB_INLINE void hb_n_ignored(const hb_n_rows* r, const hb_n_tile* a, const float* x, int t, float* out,
                            const int squared) {
    float sum[HB_N_LANES], known[HB_N_LANES];
    for (int i = 0; i < HB_N_LANES; i++) sum[i] = known[i] = 0.0f;
    for (int f = r->n_numbers; f < r->n_numbers + r->n_overlap; f++) {
        float q = a->q[f * HB_N_TILE + t], weight = a->weight[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) {
            float value = x[f * HB_N_LANES + i];
            known[i] += value == value ? weight : 0.0f;
            sum[i] -= value == q ? weight : 0.0f;
        }
    }
    for (int i = 0; i < HB_N_LANES; i++) sum[i] += known[i];
    for (int f = r->n_numbers + r->n_overlap; f < r->n_columns; f++) {
        const float* row = a->table[f * HB_N_TILE + t];
        float weight = a->weight[f * HB_N_TILE + t], none = a->fill[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) {
            float code = x[f * HB_N_LANES + i];
            sum[i] += weight > 0.0f ? row[(int32_t)code] : 0.0f;
            known[i] += code == none ? 0.0f : weight;
        }
    }
    for (int f = 0; f < r->n_numbers; f++) {
        float q = a->q[f * HB_N_TILE + t], weight = a->weight[f * HB_N_TILE + t];
        for (int i = 0; i < HB_N_LANES; i++) {
            float value = x[f * HB_N_LANES + i], d = value - q;
            sum[i] += d == d ? hb_n_power(d, squared) : 0.0f;
            known[i] += value == value ? weight : 0.0f;
        }
    }
    for (int i = 0; i < HB_N_LANES; i++) out[i] = sum[i] / known[i];
}

static void hb_n_plain(
    const hb_n_rows* r, const hb_n_tile* a, int64_t first, int64_t n_panels, float* out, int64_t stride
) {
    for (int64_t p = first; p < first + n_panels; p++, out += HB_N_LANES) {
        const float* x = r->values + p * r->n_columns * HB_N_LANES;
        const float* norms = r->norms ? r->norms + p * HB_N_LANES : 0;
        const float* far = r->far ? r->far + p * r->n_numbers * HB_N_LANES : 0;
        for (int t = 0; t < HB_N_TILE; t++) {
            float* to = out + t * stride;
            if (r->ignore && r->squared) hb_n_ignored(r, a, x, t, to, 1);
            else if (r->ignore) hb_n_ignored(r, a, x, t, to, 0);
            else if (r->squared) hb_n_filled(r, a, x, norms, far, t, to, 1);
            else hb_n_filled(r, a, x, norms, far, t, to, 0);
        }
    }
}

/* the start of the first run, from `i` on, that has a score of at most `most` */
HB_INLINE int64_t hb_n_look_loop(const float* score, float most, int64_t i, int64_t n) {
    for (; i + 2 * HB_N_LANES <= n; i += 2 * HB_N_LANES) {
        int found = 0;
        for (int j = 0; j < 2 * HB_N_LANES; j++) found |= score[i + j] <= most;
        if (found) return i;
    }
    return i;
}
HB_DISPATCH(int64_t, hb_n_look, (const float* score, float most, int64_t i, int64_t n), (score, most, i, n))

/* squared distances of a tile's rows from ranges (lows, then highs) */
static void hb_n_beyond(const float* q, const float* ranges, int64_t n_columns, float* out) {
    float sum[HB_N_TILE] = {0.0f};
    for (int64_t f = 0; f < n_columns; f++)
        for (int t = 0; t < HB_N_TILE; t++) {
            float under = ranges[f] - q[f * HB_N_TILE + t], over = q[f * HB_N_TILE + t] - ranges[n_columns + f];
            under = (under > 0.0f ? under : 0.0f) + (over > 0.0f ? over : 0.0f);
            sum[t] += under * under;
        }
    memcpy(out, sum, sizeof sum);
}

/* ---- with AVX2 and fused multiply-add ---- */

#if HB_X86
#include <immintrin.h>

typedef float hb_n_v __attribute__((vector_size(32)));
typedef int32_t hb_n_m __attribute__((vector_size(32)));

#define HB_N_SPLAT(x) ((hb_n_v){(x), (x), (x), (x), (x), (x), (x), (x)})
#define HB_N_AND(mask, x) ((hb_n_v)((mask) & (hb_n_m)(x)))
#define HB_N_LOAD(to, from) memcpy(&(to), (from), sizeof(hb_n_v))
#define HB_N_STORE(to, from) memcpy((to), &(from), sizeof(hb_n_v))
#define HB_N_POWER(d) (squared ? (d) * (d) : (hb_n_v)((hb_n_m)(d) & 0x7FFFFFFF))

#define HB_N_MULTIPLY_ADD(a, b, c) ((hb_n_v)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define HB_N_ABOVE_ZERO(x) ((hb_n_v)_mm256_max_ps((__m256)(x), _mm256_setzero_ps()))  /* 0 for NaN */
#define HB_N_WIDE HB_TARGET("avx2,fma")

/* x^2 - 2 x q, without q^2, which is the same for all: one operation per column instead of two */
HB_N_WIDE HB_INLINE void hb_n_wide_products(
    const hb_n_rows* r, const hb_n_tile* a, const float* x, const float* norms, float* out, int64_t stride
) {
    hb_n_v x0, x1, a0, a1, b0, b1, c0, c1, d0, d1, q;  /* separate names, so that they stay in registers */
    HB_N_LOAD(x0, norms);
    HB_N_LOAD(x1, norms + 8);
    a0 = b0 = c0 = d0 = x0;
    a1 = b1 = c1 = d1 = x1;
    for (int f = 0; f < r->n_whole; f++) {
        const float* twice = a->twice + f * HB_N_TILE;
        HB_N_LOAD(x0, x + f * HB_N_LANES);
        HB_N_LOAD(x1, x + f * HB_N_LANES + 8);
        q = HB_N_SPLAT(twice[0]); a0 = HB_N_MULTIPLY_ADD(x0, q, a0); a1 = HB_N_MULTIPLY_ADD(x1, q, a1);
        q = HB_N_SPLAT(twice[1]); b0 = HB_N_MULTIPLY_ADD(x0, q, b0); b1 = HB_N_MULTIPLY_ADD(x1, q, b1);
        q = HB_N_SPLAT(twice[2]); c0 = HB_N_MULTIPLY_ADD(x0, q, c0); c1 = HB_N_MULTIPLY_ADD(x1, q, c1);
        q = HB_N_SPLAT(twice[3]); d0 = HB_N_MULTIPLY_ADD(x0, q, d0); d1 = HB_N_MULTIPLY_ADD(x1, q, d1);
    }
    HB_N_STORE(out, a0); HB_N_STORE(out + 8, a1);
    HB_N_STORE(out + stride, b0); HB_N_STORE(out + stride + 8, b1);
    HB_N_STORE(out + 2 * stride, c0); HB_N_STORE(out + 2 * stride + 8, c1);
    HB_N_STORE(out + 3 * stride, d0); HB_N_STORE(out + 3 * stride + 8, d1);
}

HB_N_WIDE HB_INLINE void hb_n_wide_filled(
    const hb_n_rows* r, const hb_n_tile* a, const float* x, const float* far, float* out, int64_t stride,
    const int squared
) {
    hb_n_v s[HB_N_TILE][2];
    int f = 0;
    for (int t = 0; t < HB_N_TILE; t++) s[t][0] = s[t][1] = HB_N_SPLAT(0.0f);
    for (; f < r->n_whole && !a->any_gone; f++) {
        hb_n_v x0, x1;
        HB_N_LOAD(x0, x + f * HB_N_LANES);
        HB_N_LOAD(x1, x + f * HB_N_LANES + 8);
        for (int t = 0; t < HB_N_TILE; t++) {
            hb_n_v q = HB_N_SPLAT(a->q[f * HB_N_TILE + t]), d0 = x0 - q, d1 = x1 - q;
            s[t][0] = squared ? HB_N_MULTIPLY_ADD(d0, d0, s[t][0]) : s[t][0] + HB_N_POWER(d0);
            s[t][1] = squared ? HB_N_MULTIPLY_ADD(d1, d1, s[t][1]) : s[t][1] + HB_N_POWER(d1);
        }
    }
    if (f == r->n_columns) {  /* sums never leave the registers */
        for (int t = 0; t < HB_N_TILE; t++) {
            HB_N_STORE(out + t * stride, s[t][0]);
            HB_N_STORE(out + t * stride + 8, s[t][1]);
        }
        return;
    }
    for (; f < r->n_numbers; f++) {
        int from_far = a->gone[f] && far;
        for (int half = 0; half < 2; half++) {
            hb_n_v x0, f0 = HB_N_SPLAT(0.0f);
            HB_N_LOAD(x0, x + f * HB_N_LANES + 8 * half);
            if (from_far) HB_N_LOAD(f0, far + f * HB_N_LANES + 8 * half);
            for (int t = 0; t < HB_N_TILE; t++) {
                float q = a->q[f * HB_N_TILE + t];
                hb_n_v d = x0 - HB_N_SPLAT(q), other = HB_N_SPLAT(a->fill[f * HB_N_TILE + t]);
                if (from_far && q != q) other = f0;
                d = HB_N_POWER(d);
                hb_n_m known = d == d;
                s[t][half] += (hb_n_v)((known & (hb_n_m)d) | (~known & (hb_n_m)other));
            }
        }
    }
    for (; f < r->n_numbers + r->n_overlap; f++)
        for (int half = 0; half < 2; half++) {
            hb_n_v x0;
            HB_N_LOAD(x0, x + f * HB_N_LANES + 8 * half);
            for (int t = 0; t < HB_N_TILE; t++) {
                hb_n_m same = x0 == HB_N_SPLAT(a->q[f * HB_N_TILE + t]);
                s[t][half] -= HB_N_AND(same, HB_N_SPLAT(a->weight[f * HB_N_TILE + t]));
            }
            if (r->lacks)
                for (int t = 0; t < HB_N_TILE; t++)
                    s[t][half] -= HB_N_AND(x0 != x0, HB_N_SPLAT(a->lack[f * HB_N_TILE + t]));
        }
    for (int t = 0; t < HB_N_TILE; t++) {
        HB_N_STORE(out + t * stride, s[t][0]);
        HB_N_STORE(out + t * stride + 8, s[t][1]);
    }
    for (; f < r->n_columns; f++)
        for (int t = 0; t < HB_N_TILE; t++) {
            const float* row = a->table[f * HB_N_TILE + t];
            for (int i = 0; i < HB_N_LANES; i++) out[t * stride + i] += row[(int32_t)x[f * HB_N_LANES + i]];
        }
}

HB_N_WIDE HB_INLINE void hb_n_wide_ignored(
    const hb_n_rows* r, const hb_n_tile* a, const float* x, float* out, int64_t stride, const int squared
) {
    hb_n_v s[HB_N_TILE], known[HB_N_TILE], x0;
    int first = a->any_gone ? 0 : r->n_whole;
    for (int t = 0; t < HB_N_TILE; t++) s[t] = known[t] = HB_N_SPLAT(0.0f);
    for (int f = r->n_numbers; f < r->n_numbers + r->n_overlap; f++) {
        HB_N_LOAD(x0, x + f * HB_N_LANES);
        hb_n_v there = HB_N_AND(x0 == x0, HB_N_SPLAT(1.0f));
        for (int t = 0; t < HB_N_TILE; t++) {
            hb_n_v w = HB_N_SPLAT(a->weight[f * HB_N_TILE + t]);
            known[t] = HB_N_MULTIPLY_ADD(there, w, known[t]);
            s[t] -= HB_N_AND(x0 == HB_N_SPLAT(a->q[f * HB_N_TILE + t]), w);
        }
    }
    for (int t = 0; t < HB_N_TILE; t++) s[t] += known[t];
    for (int f = r->n_numbers + r->n_overlap; f < r->n_columns; f++)
        for (int t = 0; t < HB_N_TILE; t++) {
            const float* row = a->table[f * HB_N_TILE + t];
            float w = a->weight[f * HB_N_TILE + t], none = a->fill[f * HB_N_TILE + t];
            for (int i = 0; i < 8; i++) {
                float code = x[f * HB_N_LANES + i];
                s[t][i] += w > 0.0f ? row[(int32_t)code] : 0.0f;
                known[t][i] += code == none ? 0.0f : w;
            }
        }
    for (int f = 0; f < first; f++) {
        HB_N_LOAD(x0, x + f * HB_N_LANES);
        for (int t = 0; t < HB_N_TILE; t++) {
            hb_n_v d = x0 - HB_N_SPLAT(a->q[f * HB_N_TILE + t]);
            s[t] = squared ? HB_N_MULTIPLY_ADD(d, d, s[t]) : s[t] + HB_N_POWER(d);
            known[t] += HB_N_SPLAT(a->weight[f * HB_N_TILE + t]);
        }
    }
    for (int f = first; f < r->n_numbers; f++) {
        HB_N_LOAD(x0, x + f * HB_N_LANES);
        hb_n_v there = HB_N_AND(x0 == x0, HB_N_SPLAT(1.0f));
        for (int t = 0; t < HB_N_TILE; t++) {
            hb_n_v d = x0 - HB_N_SPLAT(a->q[f * HB_N_TILE + t]);
            d = HB_N_POWER(d);
            s[t] += HB_N_ABOVE_ZERO(d);
            known[t] = HB_N_MULTIPLY_ADD(there, HB_N_SPLAT(a->weight[f * HB_N_TILE + t]), known[t]);
        }
    }
    for (int t = 0; t < HB_N_TILE; t++) {
        s[t] = s[t] / known[t];  /* NaN if no column is known in both */
        HB_N_STORE(out + t * stride, s[t]);
    }
}

HB_N_WIDE static void hb_n_wide(
    const hb_n_rows* r, const hb_n_tile* a, int64_t first, int64_t n_panels, float* out, int64_t stride
) {
    for (int64_t p = 0; p < n_panels; p++) {
        const float* x = r->values + (first + p) * r->n_columns * HB_N_LANES;
        const float* norms = r->norms ? r->norms + (first + p) * HB_N_LANES : 0;
        const float* far = r->far ? r->far + (first + p) * r->n_numbers * HB_N_LANES : 0;
        float* to = out + p * HB_N_LANES;
        if (!r->ignore) {
            if (norms && !a->any_gone) hb_n_wide_products(r, a, x, norms, to, stride);
            else if (r->squared) hb_n_wide_filled(r, a, x, far, to, stride, 1);
            else hb_n_wide_filled(r, a, x, far, to, stride, 0);
        } else for (int half = 0; half < 16; half += 8) {
            if (r->squared) hb_n_wide_ignored(r, a, x + half, to + half, stride, 1);
            else hb_n_wide_ignored(r, a, x + half, to + half, stride, 0);
        }
    }
}
#endif

static void hb_n_scores(
    const hb_n_rows* r, const hb_n_tile* a, int64_t first, int64_t n_panels, float* out, int64_t stride
) {
#if HB_X86
    if (HB_HAS("avx2") && HB_HAS("fma")) { hb_n_wide(r, a, first, n_panels, out, stride); return; }
#endif
    hb_n_plain(r, a, first, n_panels, out, stride);
}
