/* Loops that are compiled twice: for any processor, and for one with AVX2, which is chosen at run time.

   Operations are not contracted or reordered (see meson.build), so both versions give the same bits. */
#pragma once
#include "hornbeam/core/base/compiler.h"

#if defined(__x86_64__) && defined(__GNUC__) && HB_GNU && !defined(_WIN32)  /* GCC misaligns wide vectors there */
#define HB_X86 1
#define HB_TARGET(features) __attribute__((target(features)))
#define HB_HAS(feature) __builtin_cpu_supports(feature)
/* NAME, which calls NAME_avx2 or NAME_plain; `parameters` and `arguments` are lists in parentheses. */
#define HB_CHOOSE(type, name, parameters, arguments) \
    static inline type name parameters { return HB_HAS("avx2") ? name##_avx2 arguments : name##_plain arguments; }
/* Both versions of NAME_loop, an HB_INLINE function, and NAME, which chooses. */
#define HB_DISPATCH(type, name, parameters, arguments) \
    static type name##_plain parameters { return name##_loop arguments; } \
    HB_TARGET("avx2") static type name##_avx2 parameters { return name##_loop arguments; } \
    HB_CHOOSE(type, name, parameters, arguments)
#else
#define HB_X86 0
#define HB_CHOOSE(type, name, parameters, arguments) \
    static inline type name parameters { return name##_plain arguments; }
#define HB_DISPATCH(type, name, parameters, arguments) \
    static type name parameters { return name##_loop arguments; }
#endif
