"""What kernels call to learn that their work is to end early."""


cdef int stopping() noexcept nogil
cdef int raise_stopped() except -1
cdef int poll() except -1 nogil
