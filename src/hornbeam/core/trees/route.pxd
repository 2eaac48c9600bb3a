"""Rows as `route` stores them, for other kernels that route rows."""

from cpython.buffer cimport Py_buffer
from libc.stdint cimport int8_t, int64_t

from hornbeam.core.base.memory cimport hb_pool
from hornbeam.core.forests.descend cimport Source


cdef class Rows:
    cdef hb_pool pool
    cdef Source source
    cdef Py_buffer* buffers
    cdef int64_t n_buffers

    cdef Py_buffer* hold(self, array) except NULL
    cdef int8_t kind_of(self, Py_buffer* buffer) except -1
    cdef int hold_columns(self, columns) except -1
    cdef int hold_matrix(self, matrix) except -1
