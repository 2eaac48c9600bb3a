/* The inner loops of k-means: the nearest and the second nearest center of several rows.

   Scores (half the center's square minus the product with the row) are single precision, with centers in tiles of
   sixteen; with few centers, rows come in blocks of sixteen instead, so that no lane is idle. The caller knows the
   error bound of the scores and computes exact distances where it matters. So the wide versions may use fused
   multiply-add: labels are the same on every machine. */
#pragma once
#include <stdint.h>
#include "hornbeam/core/base/simd.h"
#define HB_K_TILE 16
#define HB_K_ROWS 6
#define HB_K_CENTERS 5
#if HB_X86
#include <immintrin.h>
#endif
#define HB_K_WIDE HB_TARGET("avx2,fma")
#define HB_K_IS_WIDE (HB_HAS("avx2") && HB_HAS("fma"))

static void hb_k_plain(const float* const* rows, int n_rows, int64_t d, const float* tiles, const float* half,
                       int64_t n_tiles, float* best, float* second, int32_t* slot) {
    for (int r = 0; r < n_rows; r++) {
        const float* x = rows[r];
        float b1 = 3e38f, b2 = 3e38f;
        int32_t s1 = 0;
        for (int64_t t = 0; t < n_tiles; t++) {
            float sum[HB_K_TILE];
            const float* tile = tiles + t * d * HB_K_TILE;
            for (int i = 0; i < HB_K_TILE; i++) sum[i] = half[t * HB_K_TILE + i];
            for (int64_t j = 0; j < d; j++)
                for (int i = 0; i < HB_K_TILE; i++) sum[i] -= x[j] * tile[j * HB_K_TILE + i];
            for (int i = 0; i < HB_K_TILE; i++) {
                if (sum[i] < b1) { b2 = b1; b1 = sum[i]; s1 = (int32_t)(t * HB_K_TILE + i); }
                else if (sum[i] < b2) b2 = sum[i];
            }
        }
        best[r] = b1; second[r] = b2; slot[r] = s1;
    }
}

#if HB_X86
/* the six rows' scores with sixteen centers stay in twelve registers; each lane keeps its nearest and second nearest */
HB_K_WIDE static void hb_k_wide(const float* const* rows, int64_t d, const float* tiles, const float* half,
                                int64_t n_tiles, float* best, float* second, int32_t* slot) {
    __m256 b1[HB_K_ROWS], b2[HB_K_ROWS];
    __m256i s1[HB_K_ROWS];
    __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i eight = _mm256_set1_epi32(8);
    const float *x0 = rows[0], *x1 = rows[1], *x2 = rows[2], *x3 = rows[3], *x4 = rows[4], *x5 = rows[5];
    for (int r = 0; r < HB_K_ROWS; r++) {
        b1[r] = b2[r] = _mm256_set1_ps(3e38f);
        s1[r] = _mm256_setzero_si256();
    }
    for (int64_t t = 0; t < n_tiles; t++) {
        const float* tile = tiles + t * d * HB_K_TILE;
        __m256 low = _mm256_loadu_ps(half + t * HB_K_TILE), high = _mm256_loadu_ps(half + t * HB_K_TILE + 8);
        __m256 a0 = low, a1 = low, a2 = low, a3 = low, a4 = low, a5 = low;
        __m256 c0 = high, c1 = high, c2 = high, c3 = high, c4 = high, c5 = high;
        __m256i after = _mm256_add_epi32(place, eight);
        for (int64_t j = 0; j < d; j++) {
            __m256 left = _mm256_loadu_ps(tile + j * HB_K_TILE), right = _mm256_loadu_ps(tile + j * HB_K_TILE + 8);
            __m256 x = _mm256_broadcast_ss(x0 + j);
            a0 = _mm256_fnmadd_ps(x, left, a0); c0 = _mm256_fnmadd_ps(x, right, c0);
            x = _mm256_broadcast_ss(x1 + j);
            a1 = _mm256_fnmadd_ps(x, left, a1); c1 = _mm256_fnmadd_ps(x, right, c1);
            x = _mm256_broadcast_ss(x2 + j);
            a2 = _mm256_fnmadd_ps(x, left, a2); c2 = _mm256_fnmadd_ps(x, right, c2);
            x = _mm256_broadcast_ss(x3 + j);
            a3 = _mm256_fnmadd_ps(x, left, a3); c3 = _mm256_fnmadd_ps(x, right, c3);
            x = _mm256_broadcast_ss(x4 + j);
            a4 = _mm256_fnmadd_ps(x, left, a4); c4 = _mm256_fnmadd_ps(x, right, c4);
            x = _mm256_broadcast_ss(x5 + j);
            a5 = _mm256_fnmadd_ps(x, left, a5); c5 = _mm256_fnmadd_ps(x, right, c5);
        }
#define HB_K_KEEP(r, a, where) \
        do { \
            __m256 less = _mm256_cmp_ps(a, b1[r], _CMP_LT_OQ); \
            b2[r] = _mm256_min_ps(b2[r], _mm256_max_ps(a, b1[r])); \
            b1[r] = _mm256_min_ps(a, b1[r]); \
            s1[r] = _mm256_castps_si256(_mm256_blendv_ps(_mm256_castsi256_ps(s1[r]), \
                                                        _mm256_castsi256_ps(where), less)); \
        } while (0)
        HB_K_KEEP(0, a0, place); HB_K_KEEP(0, c0, after);
        HB_K_KEEP(1, a1, place); HB_K_KEEP(1, c1, after);
        HB_K_KEEP(2, a2, place); HB_K_KEEP(2, c2, after);
        HB_K_KEEP(3, a3, place); HB_K_KEEP(3, c3, after);
        HB_K_KEEP(4, a4, place); HB_K_KEEP(4, c4, after);
        HB_K_KEEP(5, a5, place); HB_K_KEEP(5, c5, after);
        place = _mm256_add_epi32(after, eight);
    }
    for (int r = 0; r < HB_K_ROWS; r++) {
        __m256 least = _mm256_min_ps(b1[r], _mm256_permute2f128_ps(b1[r], b1[r], 1)), others;
        int32_t where[8];
        int lane;
        least = _mm256_min_ps(least, _mm256_shuffle_ps(least, least, 0x4e));
        least = _mm256_min_ps(least, _mm256_shuffle_ps(least, least, 0xb1));
        lane = __builtin_ctz((unsigned)_mm256_movemask_ps(_mm256_cmp_ps(b1[r], least, _CMP_EQ_OQ)) | 256u) & 7;
        _mm256_storeu_si256((__m256i*)where, s1[r]);
        /* the second best: the second of the lane with the nearest, or the nearest of another lane */
        others = _mm256_blendv_ps(b1[r], b2[r], _mm256_castsi256_ps(_mm256_cmpeq_epi32(
            _mm256_set1_epi32(lane), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))));
        others = _mm256_min_ps(others, _mm256_permute2f128_ps(others, others, 1));
        others = _mm256_min_ps(others, _mm256_shuffle_ps(others, others, 0x4e));
        others = _mm256_min_ps(others, _mm256_shuffle_ps(others, others, 0xb1));
        best[r] = _mm256_cvtss_f32(least);
        second[r] = _mm256_cvtss_f32(others);
        slot[r] = where[lane];
    }
}
#endif

/* nearest center, its score and the second best score of up to six rows (always six pointers) */
static inline void hb_k_nearest(const float* const* rows, int n_rows, int64_t d, const float* tiles,
                                const float* half, int64_t n_tiles, float* best, float* second, int32_t* slot) {
#if HB_X86
    if (HB_K_IS_WIDE) { hb_k_wide(rows, d, tiles, half, n_tiles, best, second, slot); return; }
#endif
    hb_k_plain(rows, n_rows, d, tiles, half, n_tiles, best, second, slot);
}

/* the same for sixteen rows, column by column, and few centers, row by row */
static void hb_k_block_plain(const float* x, int64_t d, const float* centers, const float* half, int64_t k,
                             float* best, float* second, int32_t* slot) {
    for (int i = 0; i < HB_K_TILE; i++) { best[i] = second[i] = 3e38f; slot[i] = 0; }
    for (int64_t c = 0; c < k; c++) {
        float sum[HB_K_TILE];
        for (int i = 0; i < HB_K_TILE; i++) sum[i] = half[c];
        for (int64_t j = 0; j < d; j++)
            for (int i = 0; i < HB_K_TILE; i++) sum[i] -= x[j * HB_K_TILE + i] * centers[c * d + j];
        for (int i = 0; i < HB_K_TILE; i++) {
            float more = sum[i] > best[i] ? sum[i] : best[i];
            second[i] = more < second[i] ? more : second[i];
            slot[i] = sum[i] < best[i] ? (int32_t)c : slot[i];
            best[i] = sum[i] < best[i] ? sum[i] : best[i];
        }
    }
}

#if HB_X86
/* `many` is a constant wherever this is inlined, so that loops are unrolled and sums stay in registers */
HB_K_WIDE HB_INLINE void hb_k_some(
        const int many, const float* x, int64_t d, const float* centers, const float* half, int32_t first,
        __m256* b1, __m256* b2, __m256i* s1) {
    __m256 sum[2 * HB_K_CENTERS];
    for (int c = 0; c < many; c++) sum[2 * c] = sum[2 * c + 1] = _mm256_broadcast_ss(half + c);
    for (int64_t j = 0; j < d; j++) {
        __m256 left = _mm256_loadu_ps(x + j * HB_K_TILE), right = _mm256_loadu_ps(x + j * HB_K_TILE + 8);
        for (int c = 0; c < many; c++) {
            __m256 at = _mm256_broadcast_ss(centers + c * d + j);
            sum[2 * c] = _mm256_fnmadd_ps(at, left, sum[2 * c]);
            sum[2 * c + 1] = _mm256_fnmadd_ps(at, right, sum[2 * c + 1]);
        }
    }
    for (int c = 0; c < many; c++)
        for (int h = 0; h < 2; h++) {
            __m256 a = sum[2 * c + h], less = _mm256_cmp_ps(a, b1[h], _CMP_LT_OQ);
            b2[h] = _mm256_min_ps(b2[h], _mm256_max_ps(a, b1[h]));
            b1[h] = _mm256_min_ps(a, b1[h]);
            s1[h] = _mm256_castps_si256(_mm256_blendv_ps(
                _mm256_castsi256_ps(s1[h]), _mm256_castsi256_ps(_mm256_set1_epi32(first + c)), less));
        }
}

HB_K_WIDE static void hb_k_block_wide(const float* x, int64_t d, const float* centers, const float* half, int64_t k,
                                      float* best, float* second, int32_t* slot) {
    __m256 b1[2], b2[2];
    __m256i s1[2];
    b1[0] = b1[1] = b2[0] = b2[1] = _mm256_set1_ps(3e38f);
    s1[0] = s1[1] = _mm256_setzero_si256();
    for (int64_t c = 0; c < k; c += HB_K_CENTERS, centers += HB_K_CENTERS * d, half += HB_K_CENTERS) {
        int32_t at = (int32_t)c;
        switch (k - c) {
            case 1: hb_k_some(1, x, d, centers, half, at, b1, b2, s1); break;
            case 2: hb_k_some(2, x, d, centers, half, at, b1, b2, s1); break;
            case 3: hb_k_some(3, x, d, centers, half, at, b1, b2, s1); break;
            case 4: hb_k_some(4, x, d, centers, half, at, b1, b2, s1); break;
            default: hb_k_some(HB_K_CENTERS, x, d, centers, half, at, b1, b2, s1);
        }
    }
    for (int h = 0; h < 2; h++) {
        _mm256_storeu_ps(best + 8 * h, b1[h]);
        _mm256_storeu_ps(second + 8 * h, b2[h]);
        _mm256_storeu_si256((__m256i*)(slot + 8 * h), s1[h]);
    }
}
#endif

static inline void hb_k_block(const float* x, int64_t d, const float* centers, const float* half, int64_t k,
                              float* best, float* second, int32_t* slot) {
#if HB_X86
    if (HB_K_IS_WIDE) { hb_k_block_wide(x, d, centers, half, k, best, second, slot); return; }
#endif
    hb_k_block_plain(x, d, centers, half, k, best, second, slot);
}

static inline float hb_k_product(const float* x, const float* c, int64_t d) {
    float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
    int64_t j = 0;
    for (; j + 4 <= d; j += 4)
        for (int i = 0; i < 4; i++) sum[i] += x[j + i] * c[j + i];
    for (; j < d; j++) sum[0] += x[j] * c[j];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}
