"""log2 x and x log2 x (see logarithm.h)."""

cdef extern from "hornbeam/core/base/logarithm.h":
    void hb_fill_log_tables() noexcept nogil
    double hb_log2(double x) noexcept nogil
    double hb_xlog2x(double x) noexcept nogil
