"""log2 x and x log2 x (see logarithm.h)."""

cdef extern from "hornbeam/core/base/logarithm.h":
    const double LN_2 "HB_LN_2"  # not math.h's name, which standard C lacks
    const double HALF_LOG_2_PI "HB_HALF_LOG_2_PI"
    void hb_fill_log_tables() noexcept nogil
    double hb_log2(double x) noexcept nogil
    double hb_xlog2x(double x) noexcept nogil
