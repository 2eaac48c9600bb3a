"""Several threads at once, and a process forked after threads have run: every estimator gives what it gives alone."""

from __future__ import annotations

import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from every_setting import FEW, fingerprint, settings

if TYPE_CHECKING:
    from collections.abc import Callable

ALL = settings()
AT_ONCE = 4
PATIENCE = 60.0  # seconds that a forked process may take

pytestmark = pytest.mark.filterwarnings("ignore")


def at_once(work: Callable[[], str]) -> list[str]:
    """What several threads get that do the same, started at the same moment."""
    start = threading.Barrier(AT_ONCE)

    def run(_: int) -> str:
        start.wait()
        return work()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(run, range(AT_ONCE)))


@pytest.mark.parametrize("name", sorted(ALL))
def test_fits_and_predictions_at_once(name: str) -> None:
    setting = ALL[name]
    table = setting.table(FEW)
    alone = fingerprint(setting.new().fit(table), table)
    assert at_once(lambda: fingerprint(setting.new(n_jobs=2).fit(table), table)) == [alone] * AT_ONCE
    fresh = setting.new().fit(table)  # what a model makes ready at its first prediction is made by several at once
    assert at_once(lambda: fingerprint(fresh, table)) == [alone] * AT_ONCE


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_forked_process_learns_the_same(name: str) -> None:
    setting = ALL[name]
    table = setting.table(FEW)
    fitted = setting.new(n_jobs=2).fit(table)  # threads have run
    right = fingerprint(fitted, table)
    child = os.fork()
    if child == 0:  # no assertion, no clean-up of the parent's
        code = 1
        try:
            again = fingerprint(setting.new(n_jobs=2).fit(table), table)
            code = 0 if again == right and fingerprint(fitted, table) == right else 2
        finally:
            os._exit(code)
    assert exit_code(child) == 0


def exit_code(child: int) -> int:
    """Wait for a process, not for ever; a negative number is the signal that ended it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL
