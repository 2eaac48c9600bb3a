"""e to the power of a number not above zero, in plain arithmetic: loops over it use wide registers, and the result is
the same on every machine. Off by less than 1e-15 of itself; 0 below -700.
"""

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    static inline double hb_exponential(double x) {
        const double shift = 6755399441055744.0;  /* adding it rounds to a whole number, which its last bits then hold */
        double below = x < -700.0 ? -700.0 : x;
        double whole = below * 1.4426950408889634 + shift;
        int64_t bits;
        memcpy(&bits, &whole, 8);
        whole -= shift;
        double r = (below - whole * 0.693147180369123816490) - whole * 1.90821492927058770002e-10;
        double sum = 1.0 / 6227020800.0;
        sum = sum * r + 1.0 / 479001600.0;
        sum = sum * r + 1.0 / 39916800.0;
        sum = sum * r + 1.0 / 3628800.0;
        sum = sum * r + 1.0 / 362880.0;
        sum = sum * r + 1.0 / 40320.0;
        sum = sum * r + 1.0 / 5040.0;
        sum = sum * r + 1.0 / 720.0;
        sum = sum * r + 1.0 / 120.0;
        sum = sum * r + 1.0 / 24.0;
        sum = sum * r + 1.0 / 6.0;
        sum = sum * r + 0.5;
        sum = sum * r + 1.0;
        sum = sum * r + 1.0;
        int64_t result;
        memcpy(&result, &sum, 8);
        result = (int64_t)((uint64_t)result + ((uint64_t)bits << 52));
        memcpy(&sum, &result, 8);
        return x < -700.0 ? 0.0 : sum;
    }
    """
    double hb_exponential(double x) noexcept nogil
