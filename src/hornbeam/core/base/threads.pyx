"""Threads for the parts of one piece of work, which end with it or soon after it is given up.

They are used as `concurrent.futures.ThreadPoolExecutor` is. The difference is what happens when an error or Ctrl-C
leaves the `with` block: parts that have not begun are dropped, and those that run are stopped, kernels by the flag that
they poll (`interrupt.Stop`), Python code by SystemExit raised in its thread. Parts that wait for parts of their own
hear of it too. What cannot be stopped, such as one long call of another library, is waited for only shortly; it then
goes on in the background, what it gives is dropped, and it does not keep the process from ending.
"""

import threading
import time
from collections import deque
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue

from cpython.object cimport PyObject

from hornbeam.core.base.interrupt import Stop, check

cdef extern from "Python.h":
    int PyThreadState_SetAsyncExc(unsigned long thread, PyObject* error)

SLICE = 0.1  # seconds that a thread waits before it looks whether its own work is to stop
FAREWELL = 0.5  # seconds that parts are given to stop


class Part(Future):
    """What a part of the work will give."""

    def result(self, timeout=None):
        """Wait for the part; what it gives, or the error it has raised."""
        while timeout is None and not self.done():
            try:
                return super().result(SLICE)
            except TimeoutError:
                if not self.done():
                    check()
        return super().result(timeout)


class Threads:
    """Up to `count` threads, started as they are needed."""

    def __init__(self, int count):
        self.count = count
        self.stop = Stop()
        self.threads, self.queue = [], SimpleQueue()
        self.lock = threading.Lock()
        self.running = set()  # threads that are at work on a part
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self.give_up()

    def submit(self, work, *arguments):
        """Let a thread call `work`; give the part, which is asked for its result."""
        if self.closed:
            raise RuntimeError("these threads have ended")
        part = Part()
        self.queue.put((part, work, arguments))
        if len(self.threads) < self.count:
            thread = threading.Thread(target=self.take_parts, name="hornbeam", daemon=True)
            self.threads.append(thread)
            thread.start()
        return part

    def map(self, work, *lists):
        """Call `work` with one of each list, in threads; what it gives, in order."""
        return results_of(deque([self.submit(work, *arguments) for arguments in zip(*lists, strict=True)]))

    def close(self):
        """Wait until all parts are done, then let the threads end; nothing is left to do after `give_up`."""
        if self.closed:
            return
        self.say_end()
        try:
            for thread in self.threads:
                while thread.is_alive():
                    thread.join(SLICE)
                    check()
        except BaseException:
            self.give_up()
            raise

    def give_up(self):
        """Stop all parts; come back when they have stopped, or after a short while."""
        self.stop.set()
        while not self.queue.empty():
            with suppress(Empty):
                found = self.queue.get_nowait()
                if found is not None:
                    found[0].cancel()
        self.say_end()
        with self.lock:  # so that they are at work all the while
            for thread in self.running:
                PyThreadState_SetAsyncExc(thread, <PyObject*>SystemExit)
            self.running.clear()
        end = time.monotonic() + FAREWELL
        for thread in self.threads:
            thread.join(max(0.0, end - time.monotonic()))

    def say_end(self):
        """Let every thread end when it comes to this place in the queue."""
        self.closed = True
        for _ in self.threads:
            self.queue.put(None)

    def take_parts(self):
        """What each thread does: take parts until there are no more."""
        own = threading.get_ident()
        self.stop.enter()
        try:
            found = self.queue.get()
            while found is not None:
                with self.lock:
                    self.running.add(own)
                run(*found)
                with self.lock:
                    self.running.discard(own)
                found = None  # else what it holds would stay while this thread waits
                found = self.queue.get()
        except SystemExit:  # by `give_up`, after its part had ended
            pass
        try:
            threading.current_thread()  # Python code: raises what `give_up` sent, if that is still to come
        except SystemExit:
            pass
        self.stop.leave()


def results_of(parts):
    """What the parts give, in order; each is let go once it has been given."""
    while parts:
        yield parts.popleft().result()


def run(part, work, arguments):
    """Do a part, and hand on what it gives or raises."""
    if not part.set_running_or_notify_cancel():
        return
    try:
        found = work(*arguments)
    except BaseException as error:
        part.set_exception(error)
    else:
        part.set_result(found)
