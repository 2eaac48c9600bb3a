"""Columns of two codes, a bit each in the words that a record begins with: rows whose bits are set, by class.

Loops are compiled twice, for wide registers too; sums are whole numbers, so both give the same.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    #if defined(__x86_64__) && defined(__GNUC__)
    #define HB_ONES_WIDE __attribute__((target("avx2")))
    #define HB_ONES_CALL(what, ...) \\
        if (__builtin_cpu_supports("avx2")) { what##_wide(__VA_ARGS__); return; } \\
        what##_any(__VA_ARGS__);
    #else
    #define HB_ONES_WIDE
    #define HB_ONES_CALL(what, ...) what##_any(__VA_ARGS__);
    #endif
    #define HB_ONES_INLINE static inline __attribute__((always_inline))

    typedef uint64_t hb_four __attribute__((vector_size(32)));
    typedef int32_t hb_eight __attribute__((vector_size(32)));

    /* eight sums by class: ones[16 * class + column] of rows in even places, and [16 * class + 8 + column] of the
       others: so a sum seldom waits for the one before */
    HB_ONES_INLINE void hb_ones_by_class(int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                                         int64_t label_at, int64_t count_at, const uint64_t* shift) {
        /* halves of both are taken, which puts columns in this order */
        const hb_four low = {shift[0], shift[1], shift[4], shift[5]}, high = {shift[2], shift[3], shift[6], shift[7]};
        for (int64_t i = 0; i < n; i++, record += size) {
            uint64_t word;
            int32_t label, count;
            hb_eight sums;
            memcpy(&word, record + word_at, 8);
            memcpy(&label, record + label_at, 4);
            memcpy(&count, record + count_at, 4);
            const hb_four words = {word, word, word, word};
            const hb_eight counts = {count, count, count, count, count, count, count, count};
            const hb_eight order = {0, 2, 8, 10, 4, 6, 12, 14};
            const hb_eight bits = __builtin_shuffle((hb_eight)(words >> low), (hb_eight)(words >> high), order) & 1;
            int32_t* place = ones + 16 * (int64_t)label + 8 * (i & 1);
            memcpy(&sums, place, sizeof sums);
            sums += -bits & counts;
            memcpy(place, &sums, sizeof sums);
        }
    }
    HB_ONES_WIDE static void hb_ones_by_class_wide(int32_t* ones, const uint8_t* record, int64_t n, int64_t size,
            int64_t word_at, int64_t label_at, int64_t count_at, const uint64_t* shift) {
        hb_ones_by_class(ones, record, n, size, word_at, label_at, count_at, shift);
    }
    static void hb_ones_by_class_any(int32_t* ones, const uint8_t* record, int64_t n, int64_t size,
            int64_t word_at, int64_t label_at, int64_t count_at, const uint64_t* shift) {
        hb_ones_by_class(ones, record, n, size, word_at, label_at, count_at, shift);
    }
    static void hb_count_ones(int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                              int64_t label_at, int64_t count_at, const uint64_t* shift) {
        HB_ONES_CALL(hb_ones_by_class, ones, record, n, size, word_at, label_at, count_at, shift)
    }

    /* the same where both counts of two classes are one word: eight such words */
    HB_ONES_INLINE void hb_ones_of_pairs(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size,
                                         int64_t word_at, int64_t count_at, const uint64_t* shift) {
        const hb_four low = {shift[0], shift[1], shift[2], shift[3]}, high = {shift[4], shift[5], shift[6], shift[7]};
        hb_four lower = {0, 0, 0, 0}, upper = {0, 0, 0, 0};
        for (int64_t i = 0; i < n; i++, record += size) {
            uint64_t word, count;
            memcpy(&word, record + word_at, 8);
            memcpy(&count, record + count_at, 8);
            const hb_four words = {word, word, word, word}, counts = {count, count, count, count};
            lower += -((words >> low) & 1) & counts;
            upper += -((words >> high) & 1) & counts;
        }
        memcpy(ones, &lower, sizeof lower);
        memcpy(ones + 4, &upper, sizeof upper);
    }
    HB_ONES_WIDE static void hb_ones_of_pairs_wide(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size,
            int64_t word_at, int64_t count_at, const uint64_t* shift) {
        hb_ones_of_pairs(ones, record, n, size, word_at, count_at, shift);
    }
    static void hb_ones_of_pairs_any(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size,
            int64_t word_at, int64_t count_at, const uint64_t* shift) {
        hb_ones_of_pairs(ones, record, n, size, word_at, count_at, shift);
    }
    static void hb_count_pairs(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                               int64_t count_at, const uint64_t* shift) {
        HB_ONES_CALL(hb_ones_of_pairs, ones, record, n, size, word_at, count_at, shift)
    }

    /* bits that are not the same in all rows */
    static uint64_t hb_varying(const uint8_t* record, int64_t n, int64_t size) {
        uint64_t first, word, found = 0;
        memcpy(&first, record, 8);
        for (int64_t i = 1; i < n; i++) {
            memcpy(&word, record + i * size, 8);
            found |= word ^ first;
        }
        return found;
    }
    """
    void hb_count_ones(int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at, int64_t label_at,
                       int64_t count_at, const uint64_t* shift) noexcept nogil
    void hb_count_pairs(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                        int64_t count_at, const uint64_t* shift) noexcept nogil
    uint64_t hb_varying(const uint8_t* record, int64_t n, int64_t size) noexcept nogil
