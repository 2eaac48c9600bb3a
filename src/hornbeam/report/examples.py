"""Rows to trace through the model: those first that were answered most wrongly while they were held out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

WRONG_SHARE = 0.6  # of the rows shown, where there are as many


@dataclass(frozen=True, slots=True)
class Example:
    """One row, with what it is and what was answered.

    Parameters
    ----------
    row : int
        Its number in the table, from 1.
    values : tuple
        Of the features, in the table's order: numbers, names of categories, None where missing.
    truth, answer : str or float or None
        The row's own, and what a model said that had not seen it.
    error : float
        1 where that was wrong, else 0; of numbers the absolute error.
    """

    row: int
    values: tuple[float | str | None, ...]
    truth: float | str | None
    answer: float | str | None
    error: float

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {
            "row": self.row,
            "values": list(self.values),
            "truth": self.truth,
            "answer": self.answer,
            "error": self.error,
        }


def examples(
    table: Table,
    answers: NDArray[Any],
    shares: NDArray[np.float64] | None,
    errors: NDArray[np.float64],
    most: int,
) -> tuple[Example, ...]:
    """Choose rows to show: the most wrong, then others spread evenly over the table.

    Parameters
    ----------
    table : Table
        The rows.
    answers : array, one entry a row
        What was answered while the row was held out: codes, or numbers.
    shares : array, (rows, classes), optional
        The classes' shares; a wrong answer given with a great share comes first.
    errors : array, one entry a row
        1 or 0, or the absolute error; NaN: the row was never held out.
    most : int
        How many.

    Returns
    -------
    tuple of Example
        The most wrong first.
    """
    known = np.flatnonzero(~np.isnan(errors))
    degree = errors[known].copy()
    if shares is not None:  # wrong answers by how sure they were
        sure = shares[known].max(axis=1)
        degree = np.where(degree > 0, degree + np.nan_to_num(sure), 0.0)
    by_degree = known[np.argsort(-degree, kind="stable")]
    wrong = by_degree[errors[by_degree] > 0][: int(np.ceil(WRONG_SHARE * most))]
    others = np.setdiff1d(known, wrong)
    right = others[errors[others] == 0]
    others = right if isinstance(table.schema.target_column, Nominal) and len(right) else others
    spread = (
        others[np.unique(np.linspace(0, len(others) - 1, most - len(wrong)).astype(np.intp))] if len(others) else []
    )
    chosen = [*wrong.tolist(), *map(int, spread)][:most]
    return tuple(_example(table, row, answers[row], float(errors[row])) for row in chosen)


def _example(table: Table, row: int, answer: Any, error: float) -> Example:  # noqa: ANN401 - a code or a number
    schema = table.schema
    assert schema.target is not None
    values = tuple(value_of(table, position, row) for position in schema.features)
    target = schema.target_column
    said: float | str | None
    if isinstance(target, Nominal):
        said = target.categories[int(answer)] if answer >= 0 else None
    else:
        said = None if np.isnan(answer) else float(answer)
    return Example(row + 1, values, value_of(table, schema.target, row), said, error)


def value_of(table: Table, position: int, row: int) -> float | str | None:
    """One value: a number, the name of a category, or None where it is missing."""
    column, value = table.schema.columns[position], table.columns[position][row]
    if isinstance(column, Nominal):
        return column.categories[int(value)] if value >= 0 else None
    return None if np.isnan(value) else float(value)
