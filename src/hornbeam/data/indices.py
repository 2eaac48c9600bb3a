"""Index arrays: offsets of runs of entries, and checks of indices given by callers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import AnyArray, Indices, Ints64


def indices_below(what: str, given: ArrayLike, end: int) -> Ints64:
    """Return a list of whole numbers from 0 to `end` - 1 as int64.

    Raises
    ------
    IndexError
        If the numbers are not whole, not in one dimension, negative or too large.

    Examples
    --------
    >>> indices_below("labels", [0, 2, 1], 3)
    array([0, 2, 1])
    >>> indices_below("labels", [0, 3], 3)
    Traceback (most recent call last):
        ...
    IndexError: labels has 3 at index 1; expected whole numbers from 0 to 2
    """
    values = np.asarray(given)
    if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
        msg = f"{what} is an array of type {values.dtype} and shape {values.shape}; expected a list of whole numbers"
        raise IndexError(msg)
    if values.size and not (values.min() >= 0 and values.max() < end):
        index = int(np.argmax((values < 0) | (values >= end)))
        expected = f"whole numbers from 0 to {end - 1}" if end > 0 else "none"
        msg = f"{what} has {values[index]} at index {index}; expected {expected}"
        raise IndexError(msg)
    return values.astype(np.int64, copy=False)


def offsets(counts: ArrayLike) -> Ints64:
    """Return where each run of entries begins and where the last one ends, from the lengths of the runs.

    Examples
    --------
    >>> offsets([2, 0, 3])
    array([0, 2, 2, 5])
    """
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def check_starts(what: str, start: AnyArray, count: int, end: int) -> None:
    """Check the starts of `count` runs of entries, and the end of the last one: they rise from 0 to at most `end`.

    Raises
    ------
    IndexError
        A sentence on the first thing that is wrong.
    """
    if start.shape != (count + 1,) or start.dtype.kind not in "iu":
        msg = f"{what} is an array of type {start.dtype} and shape {start.shape}; expected {count + 1} whole numbers"
        raise IndexError(msg)
    if start[0] != 0 or start[-1] > end or (start[1:] < start[:-1]).any():
        msg = f"{what} goes from {start[0]} to {start[-1]}, or decreases; expected it to rise from 0 to {end}"
        raise IndexError(msg)


def row_numbers(rows: ArrayLike, n_rows: int) -> Indices:
    """Return row numbers, from the end where negative, or a mask of rows, as row numbers.

    Raises
    ------
    IndexError
        If there is no such row.
    """
    given = np.asarray(rows)
    if given.ndim != 1 or (given.size and given.dtype.kind not in "iub"):
        msg = f"rows are an array of type {given.dtype} and shape {given.shape}; expected row numbers or a mask"
        raise IndexError(msg)
    if given.dtype == np.bool_:
        if len(given) != n_rows:
            msg = f"the mask has {len(given)} entries; the table has {n_rows} rows"
            raise IndexError(msg)
        return np.flatnonzero(given)
    if given.size and not (given.min() >= -n_rows and given.max() < n_rows):
        wrong = given.max() if given.max() >= n_rows else given.min()
        msg = f"there is no row {wrong}; the table has {n_rows} rows"
        raise IndexError(msg)
    return given.astype(np.intp, copy=False)
