/* The slot of a value in a hash table of 1024: Fibonacci hashing of its bits. */
#pragma once
#include <stdint.h>
#include <string.h>

static inline int hb_slot_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return (int)((bits * 0x9E3779B97F4A7C15ull) >> 54);
}
