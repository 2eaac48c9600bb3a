"""Interruption of kernels, by Ctrl-C or because other work has failed: the one module that they poll.

A kernel polls once for every piece of its work (a row, a node, a step) whether it should stop. There are two possible
reasons. On the main thread a signal may have arrived whose handler raises. On a thread of `threads.Threads`, the work
that the thread belongs to may have been canceled: by Ctrl-C, or because another part has failed.

Polling costs a few nanoseconds, so a piece may be as small as a microsecond. A piece should not be longer than a tenth
of a second, or than one pass over the rows. Signals are checked at most every `patience` seconds, since that takes the
interpreter's lock.
"""

import threading

from cpython.exc cimport PyErr_Occurred
from libc.stdint cimport int64_t

current = threading.local()  # .stop: the work that this thread belongs to

cdef extern from "hornbeam/core/base/interrupt.h":
    ctypedef struct hb_flag:
        int set
        const hb_flag* parent
    int64_t hb_patience
    int hb_polls_left
    int hb_flag_set(const hb_flag* flag) noexcept nogil
    void hb_set_flag(hb_flag* flag) noexcept nogil
    const hb_flag* hb_get_own_flag() noexcept nogil
    void hb_put_own_flag(const hb_flag* flag) noexcept nogil
    void hb_put_stopped(int stopped) noexcept nogil
    int hb_poll() noexcept nogil

cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept  # an exception raised by a handler stays set


cdef int signalled() noexcept with gil:
    """Run the handlers of signals that have arrived; returns whether one of them raised."""
    return PyErr_CheckSignals() != 0


cdef int stopping() noexcept nogil:
    """Whether to stop; stays true until the kernel has cleaned up and calls `raise_stopped`.

    A signal's handler may have raised already, so there must be no Python code in between.
    """
    cdef int found = hb_poll()
    if found == 2:
        found = signalled()
        hb_put_stopped(found)
    return found


cdef int raise_stopped() except -1:
    """Raise the exception that a signal handler set, or KeyboardInterrupt if there is none."""
    hb_put_stopped(0)
    if PyErr_Occurred() == NULL:
        raise KeyboardInterrupt
    return -1


cdef int poll() except -1 nogil:
    """Poll, and raise at once: for kernels with nothing to clean up."""
    if not stopping():
        return 0
    with gil:
        return raise_stopped()


def check():
    """Raise KeyboardInterrupt if this thread's work has been canceled."""
    poll()


cdef class Stop:
    """A flag that cancels a piece of work; seen by the threads that entered it and by groups of threads inside it."""

    cdef hb_flag flag
    cdef Stop outer

    def __cinit__(self):
        self.flag.set = 0
        self.flag.parent = hb_get_own_flag()
        self.outer = getattr(current, "stop", None)  # keeps the parent's flag alive

    def set(self):
        """Make every kernel of this work stop soon."""
        hb_set_flag(&self.flag)

    def is_set(self):
        """Whether this work, or the work it is part of, has been canceled."""
        return bool(hb_flag_set(&self.flag))

    def enter(self):
        """Assign the calling thread to this work, until it calls `leave`."""
        current.stop = self
        hb_put_own_flag(&self.flag)

    def leave(self):
        """Undo `enter`."""
        hb_put_own_flag(NULL)
        current.stop = None


def look_every(double seconds):
    """Set how many seconds may pass between two checks for signals; return the previous setting."""
    global hb_patience
    cdef double before = 1e-9 * hb_patience
    hb_patience = <int64_t>(1e9 * seconds)
    return before


def stop_after(int polls):
    """For tests: raise KeyboardInterrupt once, after this many polls; -1: never. Returns how many were left."""
    global hb_polls_left
    cdef int before = hb_polls_left
    hb_polls_left = polls
    return before
