"""The innermost loops of support vector machines (see loops.h)."""

from libc.stdint cimport int64_t

cdef extern from "hornbeam/core/svm/loops.h":
    enum:
        HB_TILE
        HB_LINEAR
        HB_POLYNOMIAL
        HB_RBF
        HB_SIGMOID
    ctypedef struct hb_kernel:
        int kind
        int degree
        double gamma
        double coef0
    void hb_m_tiles(hb_kernel k, const float* x, int64_t d, const float* p, int64_t n, float* out) noexcept nogil
    void hb_m_powers(hb_kernel k, const float* x, int64_t d, const double* p, int64_t n, double* out) noexcept nogil
    void hb_m_finish(hb_kernel k, const double* v, float* out) noexcept nogil
    void hb_m_lessen(double* f, const float* row, double factor, int64_t n) noexcept nogil
    void hb_m_step(
        double* up, double* low, const float* ki, const float* kj, double step, int64_t first, int64_t last,
        double* top, int64_t* where, double* bottom
    ) noexcept nogil
    void hb_m_partner(
        const double* low, const float* ki, const float* diagonal, float kii, double top, int64_t first, int64_t last,
        float* gain, int64_t* where
    ) noexcept nogil
    double hb_m_weigh(const double* c, const float* row, int64_t n) noexcept nogil
    double hb_m_weigh_wide(const double* c, const double* row, int64_t n) noexcept nogil
