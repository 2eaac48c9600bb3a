"""Counter-based random numbers: a number depends on the seed and its position only."""

from libc.stdint cimport int64_t, uint64_t


cdef inline uint64_t scramble(uint64_t word) noexcept nogil:
    """Mix the bits of a word (the finalizer of SplitMix64; Steele, Lea & Flood 2014)."""
    word = (word ^ (word >> 30)) * <uint64_t>0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t>0x94D049BB133111EB
    return word ^ (word >> 31)


cdef inline uint64_t mix(uint64_t seed, uint64_t first, uint64_t second) noexcept nogil:
    """The random word of a seed at position (first, second)."""
    cdef uint64_t word = scramble(seed + <uint64_t>0x9E3779B97F4A7C15)
    word = scramble(word ^ (first * <uint64_t>0xD1342543DE82EF95 + 1))
    return scramble(word ^ (second * <uint64_t>0xDA942042E4DD58B5 + 1))


cdef inline uint64_t next_word(uint64_t* state) noexcept nogil:
    """The next random word of a stream (SplitMix64)."""
    state[0] += <uint64_t>0x9E3779B97F4A7C15
    return scramble(state[0])


cdef inline int64_t below(uint64_t word, int64_t limit) noexcept nogil:
    """A random word as an integer below a limit of at most 2**32, with a bias of less than limit / 2**32."""
    return <int64_t>(((word >> 32) * <uint64_t>limit) >> 32)


cdef inline double unit(uint64_t word) noexcept nogil:
    """A random word as a number in [0, 1)."""
    return <double>(word >> 11) * (1.0 / 9007199254740992.0)
