"""Work in parts, shared out over threads: folds, members of an ensemble. Kernels let other threads run meanwhile."""

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
    """Run every part, in threads where asked, and say after each how many are done.

    Where a part fails, or Ctrl-C is pressed, parts that run are stopped and the others are not begun.

    Parameters
    ----------
    run : callable
        Given the number of a part, from 0.
    total : int
        How many parts.
    threads : int
        How many at a time.
    progress : callable, optional
        Called with the number of parts done and the number in all.

    Returns
    -------
    dict
        What each part gave, by its number.
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
            check()  # these parts may themselves belong to a part of other work, which may have been given up
            for future in done:
                results[waiting.pop(future)] = future.result()
            if done:
                report(len(results), total)
    return results
