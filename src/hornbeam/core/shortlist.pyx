"""Rows that may be among the nearest, picked from a block of products of matrices in single precision.

With x a row to choose from and q one that asks, |x|²/2 - q·x ranks the rows as distances do. It is known up to an error
that has a limit, so that all rows within the k-th least and twice that limit are kept, and their distances can be taken
exactly.
"""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_S_X86 1
    #else
    #define HB_S_X86 0
    #endif
    #define HB_S_RUN 32

    /* the first place from `i` on, a multiple of a run before it, where a run has a score of at most `most` */
    #define HB_S_LOOK(name, kind) \\
    kind static int64_t name(const float* product, const float* half, float most, int64_t i, int64_t n) { \\
        for (; i + HB_S_RUN <= n; i += HB_S_RUN) { \\
            int found = 0; \\
            for (int j = 0; j < HB_S_RUN; j++) found |= (half[i + j] - product[i + j]) <= most; \\
            if (found) return i; \\
        } \\
        return i; \\
    }
    HB_S_LOOK(hb_s_plain, )
    #if HB_S_X86
    HB_S_LOOK(hb_s_wide, __attribute__((target("avx2"))))
    #endif
    static int64_t hb_s_look(const float* product, const float* half, float most, int64_t i, int64_t n) {
    #if HB_S_X86
        if (__builtin_cpu_supports("avx2")) return hb_s_wide(product, half, most, i, n);
    #endif
        return hb_s_plain(product, half, most, i, n);
    }
    """
    int64_t hb_s_look(const float* product, const float* half, float most, int64_t i, int64_t n) noexcept nogil
    int64_t HB_S_RUN


cdef inline float limit_of(const float* least, int64_t k, float slack) noexcept nogil:
    return least[k - 1] + slack


cdef void take_in(float* least, int64_t k, float score) noexcept nogil:
    """Put a score in its place among the k least."""
    cdef int64_t i = k - 1
    if not score < least[i]:
        return
    while i > 0 and least[i - 1] > score:
        least[i] = least[i - 1]
        i -= 1
    least[i] = score


cdef int32_t squeeze(int32_t* rows, float* scores, int32_t count, float most) noexcept nogil:
    cdef int32_t i, left = 0
    for i in range(count):
        if scores[i] <= most:
            rows[left] = rows[i]
            scores[left] = scores[i]
            left += 1
    return left


def shortlist(const float[:, ::1] products, const float[::1] half, int64_t first, float[:, ::1] least,
              const float[::1] slack, int32_t[:, ::1] rows, float[:, ::1] scores, int32_t[::1] counts):
    """Look through one block of rows, which begin with row `first`.

    `products` holds q·x by asking row and row, `half` |x|²/2 by row. `least` has the k least scores so far (infinite at
    first), `rows`, `scores` and `counts` the rows that may be among the nearest; a count of -1 tells that there was no
    room for them all. All are brought up to date.
    """
    cdef int64_t q, i, j, end, n = products.shape[1], k = least.shape[1], room = rows.shape[1]
    cdef float most, score
    cdef const float* product
    with nogil:
        for q in range(products.shape[0]):
            if counts[q] < 0:
                continue
            product = &products[q, 0]
            most = limit_of(&least[q, 0], k, slack[q])
            i = 0
            while i < n:
                i = hb_s_look(product, &half[0], most, i, n)
                end = min(i + HB_S_RUN, n)
                for j in range(i, end):
                    score = half[j] - product[j]
                    if score > most:
                        continue
                    take_in(&least[q, 0], k, score)
                    most = limit_of(&least[q, 0], k, slack[q])
                    if counts[q] == room:
                        counts[q] = squeeze(&rows[q, 0], &scores[q, 0], counts[q], most)
                    if counts[q] == room:
                        counts[q] = -1
                        break
                    rows[q, counts[q]] = <int32_t>(first + j)
                    scores[q, counts[q]] = score
                    counts[q] += 1
                if counts[q] < 0:
                    break
                i = end


def within(const float[:, ::1] least, const float[::1] slack, int32_t[:, ::1] rows, float[:, ::1] scores,
           int32_t[::1] counts):
    """Leave only the rows within the limit once all blocks were looked through."""
    cdef int64_t q
    with nogil:
        for q in range(least.shape[0]):
            if counts[q] > 0:
                counts[q] = squeeze(&rows[q, 0], &scores[q, 0], counts[q],
                                    limit_of(&least[q, 0], least.shape[1], slack[q]))
