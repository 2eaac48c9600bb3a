"""Work in parts, shared out over threads: folds, members of an ensemble. Kernels let other threads run meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

Progress = Callable[[int, int], None]
Result = TypeVar("Result")


def in_order_of_arrival(
    run: Callable[[int], Result], total: int, threads: int, progress: Progress | None = None
) -> dict[int, Result]:
    """Run every part, in threads where asked, and say after each how many are done.

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
    with ThreadPoolExecutor(threads) as pool:
        waiting = {pool.submit(run, number): number for number in range(total)}
        try:
            while waiting:
                done, _ = wait(waiting, return_when=FIRST_COMPLETED)
                for future in done:
                    results[waiting.pop(future)] = future.result()
                report(len(results), total)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C and errors do not wait for the other parts
            raise
    return results
