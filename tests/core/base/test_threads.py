"""Threads for parts of a piece of work: what they give, and how they end when the work is given up."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from hornbeam.core.base.interrupt import Stop, check
from hornbeam.core.base.threads import Threads
from hornbeam.core.clusters.agglomerate import by_vectors
from hornbeam.learn.base.in_threads import in_order_of_arrival

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = 30.0  # seconds
SOON = 5.0  # far less, even on a busy machine


def test_results_come_in_order_and_threads_end() -> None:
    before = threading.active_count()
    with Threads(3) as threads:
        assert list(threads.map(lambda a, b: a * b, range(50), range(50))) == [i * i for i in range(50)]
        part = threads.submit(lambda: threading.current_thread().daemon)
        assert part.result() is True
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="have ended"):
        threads.submit(print)


def test_parts_that_nobody_asks_for_are_done_too() -> None:
    done: list[int] = []
    with Threads(2) as threads:
        for number in range(20):
            threads.submit(done.append, number)
    assert sorted(done) == list(range(20))


def test_an_error_comes_out() -> None:
    def fail(number: int) -> None:
        raise TimeoutError(number)

    with pytest.raises(TimeoutError, match="7"), Threads(2) as threads:  # the error that waiting raises, too
        threads.submit(fail, 7).result()


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Ctrl-C after a while; the block must end soon."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    handler = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    begin = time.monotonic()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
    assert time.monotonic() - begin < SOON


def gone(before: int) -> bool:
    """Whether threads end, given a while."""
    end = time.monotonic() + SOON
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.01)
    return threading.active_count() <= before


def sleep_or_fail(number: int) -> None:
    if number == 1:
        time.sleep(0.1)
        raise ZeroDivisionError
    time.sleep(LONG)


def test_parts_that_cannot_be_stopped_are_not_waited_for() -> None:
    begin = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        in_order_of_arrival(sleep_or_fail, 2, 2)
    assert time.monotonic() - begin < SOON
    with interrupted_after(0.2), pytest.raises(KeyboardInterrupt):
        in_order_of_arrival(lambda _: time.sleep(LONG), 2, 2)


def busy(_: int) -> None:
    end = time.monotonic() + LONG
    while time.monotonic() < end:
        pass


def kernel(_: int) -> None:
    by_vectors(np.random.default_rng(0).normal(size=(8, 60_000)), np.ones(60_000))


def nested(number: int) -> None:
    in_order_of_arrival(busy if number else kernel, 2, 2)


@pytest.mark.parametrize("part", [busy, kernel, nested])
def test_parts_are_stopped(part: Any) -> None:
    before = threading.active_count()
    with interrupted_after(0.3), pytest.raises(KeyboardInterrupt):
        in_order_of_arrival(part, 4, 2)
    assert gone(before)
    assert in_order_of_arrival(lambda number: number, 5, 2) == {number: number for number in range(5)}


def test_a_group_within_a_part_hears_of_its_end() -> None:
    outer = Stop()
    outer.enter()
    try:
        inner = Stop()
    finally:
        outer.leave()
    assert not inner.is_set()
    outer.set()
    assert inner.is_set()
    check()  # this thread works for neither
    inner.enter()
    try:
        with pytest.raises(KeyboardInterrupt):
            check()
    finally:
        inner.leave()
    check()


def test_a_process_ends_though_a_part_goes_on() -> None:
    program = (
        "import signal, time\n"
        "from hornbeam.learn.base.in_threads import in_order_of_arrival\n"
        "signal.signal(signal.SIGALRM, signal.default_int_handler)\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        f"in_order_of_arrival(lambda _: time.sleep({2 * LONG}), 2, 2)\n"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=LONG, check=False)
    assert "KeyboardInterrupt" in found.stderr


def test_a_thread_that_has_not_started_is_not_waited_for() -> None:
    pool = Threads(2)
    pool.threads.append(threading.Thread(target=pool.take_parts))  # as if Ctrl-C came before its start
    pool.give_up()
    assert pool.closed
