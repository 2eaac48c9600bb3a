"""Run parts of the work in threads: folds, members of an ensemble. Kernels release the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, wait
from typing import TypeVar

from hornbeam.core.base.interrupt import check
from hornbeam.core.base.threads import Threads

Progress = Callable[[int, int], None]
Result = TypeVar("Result")

LOOK_EVERY = 0.1  # seconds


def in_order_of_arrival(
    run: Callable[[int], Result], total: int, threads: int, progress: Progress | None = None
) -> dict[int, Result]:
    """Run every part, in threads if there are several, and report after each part how many are done.

    If a part fails, or Ctrl-C is pressed, running parts are stopped and the others are not started.

    Parameters
    ----------
    run : callable
        Runs a part, given its number from 0.
    total : int
        The number of parts.
    threads : int
        The number of threads.
    progress : callable, optional
        Called with the number of finished parts and the total.

    Returns
    -------
    dict
        The result of each part, by its number.
    """
    results: dict[int, Result] = {}
    report = progress or (lambda _done, _total: None)
    report(0, total)
    if threads == 1:
        for number in range(total):
            results[number] = run(number)
            report(len(results), total)
        return results
    with Threads(threads) as pool:
        waiting = {pool.submit(run, number): number for number in range(total)}
        while waiting:
            done, _ = wait(waiting, LOOK_EVERY, FIRST_COMPLETED)
            check()  # these parts may belong to a part of other work, which may have been stopped
            for future in done:
                results[waiting.pop(future)] = future.result()
                report(len(results), total)
    return results
