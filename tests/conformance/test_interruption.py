"""Ctrl-C and work that is given up: heard soon by every estimator, and the next fit gives the right model."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import itertools
import signal
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import NEVER_LONG
from every_setting import FEW, fingerprint, settings

from hornbeam.core.base.interrupt import look_every, stop_after
from hornbeam.core.base.threads import Threads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ALL = settings()
MANY = 1_000_000_000  # polls; more than there are
STOPS, LITTLE = 6, 900  # how often work is stopped; bytes kept each time, less than a column of the table

pytestmark = pytest.mark.filterwarnings("ignore")


@contextmanager
def stopped_after(polls: int) -> Iterator[Callable[[], int]]:
    """Let a poll raise; gives a function that says how many polls there have been."""
    stop_after(polls)
    try:
        yield lambda: polls - stop_after(-1)
    finally:
        stop_after(-1)


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_fit_that_is_stopped_leaves_nothing_behind(name: str) -> None:
    setting = ALL[name]
    table = setting.table(FEW)
    with stopped_after(MANY) as polls:
        fitted = setting.new().fit(table)
        n_polls = polls()
    right = fingerprint(fitted, table)
    assert (n_polls > 0) == (name not in NEVER_LONG)
    before = threading.active_count()
    for n_jobs, place in [(1, 0), (1, n_polls - 1), (2, n_polls // 2)] if n_polls else []:
        with stopped_after(place), pytest.raises(KeyboardInterrupt):
            setting.new(n_jobs=n_jobs).fit(table)
        assert threading.active_count() == before
    assert fingerprint(setting.new().fit(table), table) == right


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_prediction_that_is_stopped_leaves_nothing_behind(name: str) -> None:
    setting = ALL[name]
    table = setting.table(FEW)
    fitted = setting.new().fit(table)
    if not hasattr(fitted, "predict"):
        return
    right = fingerprint(fitted, table)
    with stopped_after(MANY) as polls:
        fitted.predict(table)
        n_polls = polls()
    assert n_polls > 0 or not setting.asked
    for place in (0, n_polls - 1) if n_polls else ():
        with stopped_after(place), pytest.raises(KeyboardInterrupt):
            fitted.predict(table)
    assert fingerprint(fitted, table) == right


class Usage(ctypes.Structure):
    """What the C library tells about its memory (`mallinfo2`)."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    ))  # fmt: skip


def used_memory() -> int:
    """Bytes in use that kernels and arrays have asked the C library for; 0 where it does not tell."""
    tell = getattr(ctypes.CDLL(None), "mallinfo2", None)
    if tell is None:
        return 0
    tell.restype = Usage
    gc.collect()
    usage = tell()
    return int(usage.uordblks + usage.hblkhd)


@pytest.mark.parametrize("name", sorted(ALL))
def test_stopped_work_releases_its_memory_and_leaves_no_files(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    setting = ALL[name]
    table = setting.table(FEW)
    with stopped_after(MANY) as polls:
        fitted = setting.new().fit(table)
        n_polls = polls()

    def stopped(place: int) -> None:
        with stopped_after(place), contextlib.suppress(KeyboardInterrupt):
            setting.new().fit(table)
        if hasattr(fitted, "predict"):
            with stopped_after(0), contextlib.suppress(KeyboardInterrupt):
                fitted.predict(table)

    places = np.linspace(0, max(n_polls - 1, 0), STOPS).astype(int).tolist()
    for place in places:  # what is made once is made
        stopped(place)
    before = used_memory()
    for place in places:
        stopped(place)
    assert used_memory() - before < STOPS * LITTLE
    assert not list(tmp_path.iterdir())


def longest_silence(work: Callable[[], Any], limit: float) -> float:
    """Do some of the work, interrupt it, and give the longest time that Ctrl-C would not have been heard.

    In seconds of the thread's CPU time, which do not depend on what else the machine does. A timer sends a signal every
    ten milliseconds. Its handler runs where Python code does, and where kernels poll.
    """
    heard, end = [time.thread_time()], [time.process_time() + limit]

    def note(*_: object) -> None:
        heard.append(time.thread_time())
        if time.process_time() > end[0]:
            end[0] += limit  # once more: Python drops what is raised while it clears objects away
            raise KeyboardInterrupt

    handler, patience = signal.signal(signal.SIGALRM, note), look_every(0.005)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        look_every(patience)
    return max(later - earlier for earlier, later in itertools.pairwise(heard))


LONG_FITS = sorted(name for name, setting in ALL.items() if setting.rows)
LONG_PREDICTIONS = sorted(name for name, setting in ALL.items() if setting.asked)
LONG, SOON = 0.25, 0.5  # seconds: when the work is interrupted, and within which it must have been heard


@pytest.mark.slow  # depends on how fast the machine is
@pytest.mark.parametrize("name", LONG_FITS)
def test_ctrl_c_is_heard_in_a_long_fit(name: str) -> None:
    setting = ALL[name]
    table = setting.table(setting.rows)
    learner = setting.new()
    assert longest_silence(lambda: learner.fit(table), LONG) < SOON


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG_PREDICTIONS)
def test_ctrl_c_is_heard_in_long_predictions(name: str) -> None:
    setting = ALL[name]
    table = setting.table(setting.asked)
    learner = setting.new().fit(table if not setting.rows else table.take(range(setting.rows // 20)))
    assert longest_silence(lambda: learner.predict(table), LONG) < SOON


@pytest.mark.parametrize("name", ["RipperClassifier", "SVMClassifier", "CartClassifier", "HierarchicalClustering"])
def test_a_long_fit_in_a_thread_ends_when_it_is_given_up(name: str) -> None:
    setting = ALL[name]
    table = setting.table(setting.rows)
    fits: list[threading.Thread] = []

    def fit() -> None:
        fits.append(threading.current_thread())
        setting.new(n_jobs=2).fit(table)

    before = threading.active_count()
    threads = Threads(1)
    threads.submit(fit)
    time.sleep(0.3)
    threads.give_up()
    fits[0].join(20)
    assert threading.active_count() == before
