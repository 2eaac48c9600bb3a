"""Entries of long arrays in a given order, with prefetching."""

import numpy as np

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

from hornbeam.core.base.memory cimport hb_fetch

cdef enum:
    AHEAD = 32  # how many entries ahead to prefetch

ctypedef fused Item:
    int8_t
    uint8_t
    int32_t
    int64_t
    double


def take(values, const int64_t[::1] order):
    """Return the entries, or the rows of a float64 matrix, in this order: `numpy.take` for entries that are far apart.

    `order` must contain valid indices, which are not checked.
    """
    if values.ndim == 2:
        return take_rows(values, order)
    plain = values.view(np.uint8) if values.dtype == np.bool_ else values
    taken = np.empty(order.shape[0], plain.dtype)
    take_items(plain, order, taken)
    return taken.view(values.dtype)


def take_items(
    const Item[::1] values, const int64_t[::1] order,  # IN
    Item[::1] taken,  # OUT
):
    """The same for one type of entries."""
    cdef int64_t i, n = order.shape[0]
    with nogil:
        for i in range(n):
            if i + AHEAD < n:
                hb_fetch(&values[order[i + AHEAD]])
            taken[i] = values[order[i]]


cdef take_rows(const double[:, ::1] values, const int64_t[::1] order):
    cdef int64_t i, k, n = order.shape[0], width = values.shape[1]
    found = np.empty((n, width))
    cdef double[:, ::1] taken = found
    with nogil:
        for i in range(n):
            if i + AHEAD < n:
                hb_fetch(&values[order[i + AHEAD], 0])
            for k in range(width):
                taken[i, k] = values[order[i], k]
    return found
