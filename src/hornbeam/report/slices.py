"""Where a model is wrong: errors by category, or by interval of numbers, of every column.

Every slice is tested against the other rows, and the p-values are adjusted for the number of slices by Holm's method,
so that a slice rarely stands out by chance. Each row counts once, regardless of its weight.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.comparing.significance import LEVEL, holm
from hornbeam.evaluate.intervals import wilson_interval
from hornbeam.evaluate.plain import Plain
from hornbeam.report.parts import parts_of

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.table import Table

BINS = 4  # quarters of a numeric column
MOST_CATEGORIES = 12  # slices of a nominal column: the most common
LEAST_ROWS = 5  # smaller slices are left out
CONFIDENCE_POINT = 0.975  # quantile for a 95% interval
ROUNDING = 1e-12  # a smaller relative difference of means counts as zero


@dataclass(frozen=True, slots=True)
class Slice(Plain):
    """The rows with some values of one column, and the errors of the model on them."""

    _json = "column part rows error interval rest p_value adjusted_p_value=adjusted stands_out"

    # column, part: the column, and which of its values
    column: str
    part: str
    rows: int  # how many rows
    error: float  # fraction of them predicted wrongly, or the mean absolute error
    interval: tuple[float, float]  # its 95% interval: Wilson's, or Student's
    rest: float  # the same for all other rows
    # p_value, adjusted: the p-value of Fisher's exact test (classes) or Welch's t-test (numbers), one-sided, against
    # the other rows; and the same adjusted for the number of slices
    p_value: float
    adjusted: float = 1.0

    @property
    def stands_out(self) -> bool:
        """Whether there are significantly more errors here than elsewhere."""
        return self.adjusted < LEVEL


def slices(table: Table, errors: Floats) -> tuple[Slice, ...]:
    """Compute errors by slice, worst first.

    Parameters
    ----------
    table : Table
        The rows.
    errors : array, one entry per row
        1 where the prediction is wrong, else 0; or the absolute error. Rows with NaN are left out.

    Returns
    -------
    tuple of Slice
        By adjusted p-value, then by error; slices of fewer than 5 rows, and of all rows, are left out.

    Examples
    --------
    >>> import hornbeam, numpy as np
    >>> iris = hornbeam.read("iris")
    >>> wrong = (iris.column("petallength") > 4.9).astype(float)
    >>> worst = slices(iris, wrong)[0]
    >>> worst.column, worst.part, worst.rows, worst.stands_out
    ('petallength', '> 5.15', 34, True)
    """
    known = ~np.isnan(errors)
    nominal = isinstance(table.schema.target_column, Nominal)
    sliced: list[Slice] = []
    for position in table.schema.features:
        parts = parts_of(table, position, BINS, MOST_CATEGORIES)
        names = (*parts.names, "missing")
        codes = np.where(parts.codes < 0, len(parts.names), parts.codes)[known]
        counted = _counted(codes, errors[known], len(names), nominal=nominal)
        column = table.schema.columns[position].name
        sliced += [
            Slice(column, names[part], *counts)
            for part, counts in counted.items()
            if LEAST_ROWS <= counts[0] < int(known.sum())
        ]
    adjusted = holm([one.p_value for one in sliced])
    whole = [replace(one, adjusted=p) for one, p in zip(sliced, adjusted, strict=True)]
    return tuple(sorted(whole, key=lambda one: (not one.stands_out, one.p_value, -one.error)))


Counts = tuple[int, float, tuple[float, float], float, float]


def _counted(codes: AnyArray, errors: Floats, n_parts: int, *, nominal: bool) -> dict[int, Counts]:
    """Return rows, error, interval, error of the rest and p-value of every part that occurs."""
    rows = np.bincount(codes, minlength=n_parts)
    sums = np.bincount(codes, errors, n_parts)
    squares = np.bincount(codes, errors**2, n_parts)
    total, all_rows, all_squares = float(errors.sum()), len(errors), float((errors**2).sum())
    counted: dict[int, Counts] = {}
    for part in np.flatnonzero(rows).tolist():
        here, others = int(rows[part]), all_rows - int(rows[part])
        error = float(sums[part]) / here
        rest = (total - float(sums[part])) / others if others else np.nan
        if nominal:
            interval = wilson_interval(error, here)
            p_value = _fisher(int(sums[part]), here, round(total), all_rows)
        else:
            variance = _variance(float(sums[part]), float(squares[part]), here)
            other = _variance(total - float(sums[part]), all_squares - float(squares[part]), others)
            interval = _student(error, variance, here)
            p_value = _welch(error, variance, here, (rest, other, others))
        counted[part] = (here, error, interval, rest, p_value)
    return counted


def _fisher(wrong: int, rows: int, all_wrong: int, all_rows: int) -> float:
    """Return the probability of at least this many wrong rows in a random slice."""
    from scipy.stats import hypergeom  # noqa: PLC0415 - half a second

    return min(float(hypergeom.sf(wrong - 1, all_rows, all_wrong, rows)), 1.0)


def _variance(total: float, squares: float, rows: int) -> float:
    return max(squares - total**2 / rows, 0.0) / (rows - 1) if rows > 1 else np.nan


def _student(mean: float, variance: float, rows: int) -> tuple[float, float]:
    from scipy.special import stdtrit  # noqa: PLC0415 - only numbers need it

    reach = float(stdtrit(rows - 1, CONFIDENCE_POINT)) * (variance / rows) ** 0.5 if rows > 1 else np.nan
    return (max(mean - reach, 0.0), mean + reach)


def _welch(mean: float, variance: float, rows: int, rest: tuple[float, float, int]) -> float:
    """Return the p-value of Welch's t-test against the rest, given as its mean, variance and rows."""
    from scipy.special import stdtr  # noqa: PLC0415 - only numbers need it

    other_mean, other_variance, others = rest
    if rows < 2 or others < 2:  # noqa: PLR2004 - one row has no variance
        return 1.0
    difference = mean - other_mean
    if abs(difference) <= ROUNDING * max(mean, other_mean):
        difference = 0.0
    one, two = variance / rows, other_variance / others
    if one + two <= 0:
        return 0.0 if difference > 0 else 1.0
    degrees = (one + two) ** 2 / (one**2 / (rows - 1) + two**2 / (others - 1))
    return float(stdtr(degrees, -difference / (one + two) ** 0.5))
