"""Functions that kernels call to find out whether they should stop early."""


cdef int stopping() noexcept nogil
cdef int raise_stopped() except -1
cdef int poll() except -1 nogil
