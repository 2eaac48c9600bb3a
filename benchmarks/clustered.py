"""Shared by the races of clusters: rows around fifty places, given starts, a fixed number of steps, the time of one."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows

COLUMNS = 16
PLACES = 50
STEPS = 20
LONG = 1.0  # seconds: fits that take longer are not repeated


def matrix(rows: Rows) -> NDArray[np.float64]:
    """The first columns, moved to one of the places each."""
    random = np.random.default_rng(10)
    places = 2 * random.normal(size=(PLACES, COLUMNS))
    return np.ascontiguousarray(rows.numbers[:, :COLUMNS] + places[random.integers(0, PLACES, len(rows))], np.float64)


def clustered(
    fit: Callable[[NDArray[np.float64], int], Any], score: Callable[[Any], float], made: Callable[[Any], int]
) -> Learner:
    """A learner of clusters in a given number of steps: `score` gives the final error or likelihood.

    The time of one step is the difference between all steps and half of them, by the steps that were `made`: what is
    done before and after them is not in it.
    """

    def steps(rows: Rows) -> dict[str, float]:
        x = matrix(rows)
        more = made(fit(x, STEPS)) - made(fit(x, STEPS // 2))
        half, whole = _best(lambda: fit(x, STEPS // 2)), _best(lambda: fit(x, STEPS))
        return {"steps": more, "step": (whole[0] - half[0]) / more, "step_wall": (whole[1] - half[1]) / more}

    return Learner(
        fit=lambda x: fit(x, STEPS),
        predict=lambda _, rows: np.zeros(len(rows), np.int32),  # there is nothing to be right about
        facts=lambda model: {"final": float(score(model))},
        ready=matrix,
        stages=steps,
    )


def _best(work: Callable[[], Any]) -> tuple[float, float]:
    """Seconds of CPU and by the clock, the best of several times where it is short."""
    cpu, wall = [], []
    while not wall or (len(wall) < 5 and sum(wall) < LONG):  # noqa: PLR2004 - times
        begun, started = time.process_time(), time.perf_counter()
        work()
        cpu.append(time.process_time() - begun)
        wall.append(time.perf_counter() - started)
    return min(cpu), min(wall)
