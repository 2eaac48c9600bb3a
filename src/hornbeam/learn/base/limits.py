"""Refuse numbers that are too large or too small to learn from, with the name of their column.

Learners add numbers, and many square them. If that overflows, or gives zero for other numbers, a model would be wrong
without notice. Multiplying the column by a constant solves this. scikit-learn's checks of arrays add numbers, too: they
are called here without the warnings of these sums, in which large numbers of both signs give inf - inf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import validation

from hornbeam.data.errors import warn
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats
    from hornbeam.data.table import Table

ADDED = 2.0**1000  # sums of eight million such numbers are finite
SQUARED = 2.0**450  # so are sums of their squares, times weights
NOT_BY_RANGE = ("deviation", "standardize", "as-is", None)  # ways of scaling columns by which their numbers are squared
SMALL_MEAN = 1e-3  # of row weights
MOST_INDICATORS = 2000  # columns that categories may become, in equations and planes
MOST_CODES = 2**24  # categories of a column that occur, times those it declares: each occurring one lists the others


class LearnError(ValueError):
    """The table cannot be learned from with these parameters."""


class SmallWeightsWarning(UserWarning):
    """Row weights are far below 1, and the learner counts them as rows."""


def warn_of_small_weights(learner: str, weights: Floats) -> None:
    """Warn of weights that are so small that their sums look like no rows at all.

    Learners that count weights as rows compare sums of weights with minimum numbers of rows, and treat sums that differ
    by a millionth as equal.
    """
    mean = float(weights[weights > 0].mean())
    if mean < SMALL_MEAN:
        msg = (
            f"the row weights are {mean:.3g} on average, and {learner} counts weights as numbers of rows: multiply all "
            "weights by a constant, so that their mean is about 1"
        )
        warn(msg, SmallWeightsWarning)


def check_numbers(table: Table, used: Bools, *, squared: bool) -> None:
    """Check the numbers to learn from.

    Parameters
    ----------
    table : Table
        The table of the caller, so that row numbers are those of the caller.
    used : array of bool
        Which rows are learned from.
    squared : bool
        Whether the learner squares the features; targets always are.

    Raises
    ------
    LearnError
        Names the column, the row and the number.
    """
    schema = table.schema
    if schema.target is not None and isinstance(schema.columns[schema.target], Numeric):
        _check(table, schema.target, used, 1 / SQUARED, SQUARED)
    for place in schema.features:
        if isinstance(schema.columns[place], Numeric):
            _check(table, place, used, 1 / ADDED, SQUARED if squared else ADDED)


def check_indicators(table: Table, learner: str, most: int, *, lists_others: bool = True) -> None:
    """Check the number of columns if a learner makes one of each category.

    Parameters
    ----------
    table : Table
        Rows to learn from.
    learner : str
        Its name, for the message.
    most : int
        The maximum number of columns.
    lists_others : bool
        Whether each column lists all categories on its side, including those without rows.

    Raises
    ------
    LearnError
        Names the column with the most categories, and what to do.
    """
    counts = {}
    for place in table.schema.features:
        column = table.schema.columns[place]
        if isinstance(column, Nominal) and not column.ordered:
            there = len(np.unique(table.columns[place][table.columns[place] >= 0]))
            counts[column.name] = (there, len(column.categories))
    occurring = sum(there for there, _ in counts.values())
    too_long = lists_others and any(there * declared > MOST_CODES for there, declared in counts.values())
    if occurring <= most and not too_long:
        return
    name, (there, declared) = max(counts.items(), key=lambda entry: entry[1][0] * entry[1][1])
    if occurring > most:
        msg = (
            f"column {name!r} has {there} different categories in {table.n_rows} rows, and {learner} makes a column of "
            f"each: {occurring} in all, more than the {most} it supports; ignore the column if it identifies rows, "
            "or group its categories"
        )
    else:
        msg = (
            f"column {name!r} declares {declared} categories, of which {there} occur: too many for {learner}; declare "
            "only those that occur, or ignore the column"
        )
    raise LearnError(msg)


def _check(table: Table, place: int, used: Bools, least: float, most: float) -> None:
    values = table.columns[place]
    largest = _largest(values if used.all() else values[used])
    if largest == 0 or least <= largest <= most:
        return
    size = np.where(used, np.abs(values), 0.0)
    row = int(np.nanargmax(size))
    what = "the target" if place == table.schema.target else "column"
    if largest > most:
        msg = (
            f"{what} {table.schema.columns[place].name!r} reaches {values[row]:.3g} in row {row + 1}: too large for "
            f"this learner, whose limit is {most:.2g}; use another unit (divide it by a constant)"
        )
    else:
        msg = (
            f"{what} {table.schema.columns[place].name!r} is at most {values[row]:.3g} (row {row + 1}): too small for "
            f"this learner, whose limit is {least:.2g}; use another unit (multiply it by a constant)"
        )
    raise LearnError(msg)


def _largest(values: Floats) -> float:
    """The largest absolute number; 0 if no number is known."""
    if not len(values):
        return 0.0
    low, high = np.fmin.reduce(values), np.fmax.reduce(values)
    return 0.0 if np.isnan(low) else float(max(-low, high))


def validate_data(learner: Any, *arrays: Any, **checks: Any) -> Any:
    """`sklearn.utils.validation.validate_data`: features and targets as arrays, the features counted and named."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validation.validate_data(learner, *arrays, **checks)


def check_sample_weight(weights: Any, rows: Any, **checks: Any) -> Any:
    """`sklearn.utils.validation._check_sample_weight`: a weight for each row, as an array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validation._check_sample_weight(weights, rows, **checks)
