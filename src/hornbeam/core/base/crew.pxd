"""A crew of threads for a whole fit (see crew.h)."""

cdef extern from "hornbeam/core/base/crew.h":
    ctypedef struct hb_crew:
        int size
    ctypedef void (*hb_work)(void* what, int number) noexcept nogil
    hb_crew* hb_crew_begin(int size) noexcept nogil
    void hb_crew_end(hb_crew* crew) noexcept nogil
    void hb_crew_run(hb_crew* crew, hb_work work, void* what) noexcept nogil
    void hb_crew_done(int* counter) noexcept nogil
    void hb_crew_wait(int* counter, int wanted) noexcept nogil
    int hb_crew_next(int* counter) noexcept nogil
