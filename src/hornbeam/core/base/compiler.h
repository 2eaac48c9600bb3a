/* What differs from compiler to compiler: inlining, bits of words, reading ahead, values shared by threads.

   HB_PORTABLE (meson's option `portable`) turns off everything that needs a certain compiler, processor or system. */
#pragma once
#include <stdint.h>

#if (defined(__GNUC__) || defined(__clang__)) && !defined(HB_PORTABLE)
#define HB_GNU 1
#else
#define HB_GNU 0
#endif

#if HB_GNU
#define HB_INLINE static inline __attribute__((always_inline))
#define HB_MAY_ALIAS __attribute__((may_alias))
#define HB_THREAD_LOCAL _Thread_local
#elif defined(_MSC_VER)
#define HB_INLINE static __forceinline
#define HB_MAY_ALIAS  /* its optimizer expects pointers of different types to the same memory */
#define HB_THREAD_LOCAL __declspec(thread)
#else
#define HB_INLINE static inline
#define HB_MAY_ALIAS
#define HB_THREAD_LOCAL _Thread_local
#endif

/* ---- bits ---- */

/* how many bits of a word are set */
HB_INLINE int hb_count_bits(uint64_t word) {
#if HB_GNU
    return __builtin_popcountll(word);
#else
    word -= (word >> 1) & 0x5555555555555555ULL;
    word = (word & 0x3333333333333333ULL) + ((word >> 2) & 0x3333333333333333ULL);
    return (int)((((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0FULL) * 0x0101010101010101ULL) >> 56);
#endif
}

/* the position of the lowest bit that is set; the word must not be 0 */
HB_INLINE int hb_lowest_bit(uint64_t word) {
#if HB_GNU
    return __builtin_ctzll(word);
#else
    return hb_count_bits((word & (~word + 1)) - 1);
#endif
}

/* ---- memory ---- */

#if HB_GNU
#define hb_fetch(place) __builtin_prefetch(place)
#else
#define hb_fetch(place) ((void)(place))
#endif

/* ---- integers that several threads read and write ---- */

#if defined(_MSC_VER) && !defined(__clang__)
#include <intrin.h>
static inline int hb_shared_get(const int* at) { return _InterlockedOr((volatile long*)at, 0); }
static inline void hb_shared_set(int* at, int value) { _InterlockedExchange((volatile long*)at, value); }
/* returns the value before the addition */
static inline int hb_shared_add(int* at, int value) { return _InterlockedExchangeAdd((volatile long*)at, value); }
#elif defined(__GNUC__) || defined(__clang__)  /* also if HB_PORTABLE: Python itself may have threads */
static inline int hb_shared_get(const int* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static inline void hb_shared_set(int* at, int value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }
static inline int hb_shared_add(int* at, int value) { return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST); }
#else
#error "hornbeam/core/base/compiler.h needs atomic operations for this compiler"
#endif
