"""Constants that several kernels share (see constants.h)."""

cdef extern from "hornbeam/core/base/constants.h":
    const double SLACK "HB_SLACK"
    const double HALF_LOG_2_PI "HB_HALF_LOG_2_PI"
