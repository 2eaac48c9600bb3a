"""Threads for the parts of one piece of work. They end with it, or soon after it is canceled.

They are used like `concurrent.futures.ThreadPoolExecutor`. The difference is what happens when an error or Ctrl-C
leaves the `with` block: parts that have not begun are dropped, and those that run are stopped, kernels by the flag that
they poll (`interrupt.Stop`), Python code by SystemExit raised in its thread. This includes parts that wait for parts of
their own. Code that cannot be stopped, such as one long call of another library, is waited for only shortly; it then
continues in the background, its result is dropped, and it does not keep the process from exiting.
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

SLICE = 0.1  # seconds that a thread waits before it checks whether its own work should stop
FAREWELL = 0.5  # seconds that parts have to stop


class Part(Future):
    """The future result of a part of the work."""

    def result(self, timeout=None):
        """Wait for the part; returns its result, or raises its error."""
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
        self.running = set()  # threads that are working on a part
        self.closed = False

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self.give_up()

    def submit(self, work, *arguments):
        """Let a thread call `work`; returns the part."""
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
        """Call `work` with one item of each list, in threads; yields the results in order."""
        return results_of(deque([self.submit(work, *arguments) for arguments in zip(*lists, strict=True)]))

    def close(self):
        """Wait until all parts are done, then let the threads end; does nothing after `give_up`."""
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
        """Stop all parts; returns when they have stopped, or after a short while."""
        self.stop.set()
        while not self.queue.empty():
            with suppress(Empty):
                found = self.queue.get_nowait()
                if found is not None:
                    found[0].cancel()
        self.say_end()
        with self.lock:  # so that none of them changes in the meantime
            for thread in self.running:
                PyThreadState_SetAsyncExc(thread, <PyObject*>SystemExit)
            self.running.clear()
        end = time.monotonic() + FAREWELL
        for thread in self.threads:
            with suppress(RuntimeError):  # of a thread that had not started yet
                thread.join(max(0.0, end - time.monotonic()))

    def say_end(self):
        """Let every thread end when it gets to this point of the queue."""
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
                found = None  # do not keep it alive while this thread waits
                found = self.queue.get()
        except SystemExit:  # raised by `give_up` after its part had ended
            pass
        try:
            threading.current_thread()  # Python code: raises what `give_up` sent, if it is still pending
        except SystemExit:
            pass
        self.stop.leave()


def results_of(parts):
    """The results of the parts in order; each part is released after its result is yielded."""
    while parts:
        yield parts.popleft().result()


def run(part, work, arguments):
    """Run a part, and store its result or error."""
    if not part.set_running_or_notify_cancel():
        return
    try:
        found = work(*arguments)
    except BaseException as error:
        part.set_exception(error)
    else:
        part.set_result(found)
