"""Rows to trace through the model: those with the largest held-out errors first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.table import Table

WRONG_SHARE = 0.6  # fraction of wrong predictions among the rows shown, where there are enough


@dataclass(frozen=True, slots=True)
class Example(Plain):
    """One row, with its true value and its prediction."""

    row: int  # its number in the table, from 1
    # values of the features, in the table's order: numbers, names of categories, None if missing
    values: tuple[float | str | None, ...]
    truth: float | str | None  # the true value
    prediction: float | str | None  # the prediction of a model that had not seen the row
    error: float  # 1 where the prediction is wrong, else 0; for numbers the absolute error


def examples(
    table: Table, predicted: AnyArray, probabilities: Floats | None, errors: Floats, most: int
) -> tuple[Example, ...]:
    """Choose rows to show: those with the largest errors, then others spread evenly over the table.

    Parameters
    ----------
    table : Table
        The rows.
    predicted : array, one entry per row
        Predictions while the row was held out: codes, or numbers.
    probabilities : array, (rows, classes), optional
        Wrong predictions with a high probability come first.
    errors : array, one entry per row
        1 or 0, or the absolute error; NaN where the row was never held out.
    most : int
        The number of rows.

    Returns
    -------
    tuple of Example
        Largest errors first.
    """
    known = np.flatnonzero(~np.isnan(errors))
    degree = errors[known].copy()
    if probabilities is not None:  # wrong predictions by their probability
        sure = probabilities[known].max(axis=1)
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
    return tuple(_example(table, row, predicted[row], float(errors[row])) for row in chosen)


def _example(table: Table, row: int, code: Any, error: float) -> Example:  # noqa: ANN401 - a code or a number
    schema = table.schema
    assert schema.target is not None
    values = tuple(value_of(table, position, row) for position in schema.features)
    target = schema.target_column
    prediction: float | str | None
    if isinstance(target, Nominal):
        prediction = target.categories[int(code)] if code >= 0 else None
    else:
        prediction = None if np.isnan(code) else float(code)
    return Example(row + 1, values, value_of(table, schema.target, row), prediction, error)


def value_of(table: Table, position: int, row: int) -> float | str | None:
    """Return one value: a number, the name of a category, or None if it is missing."""
    column, value = table.schema.columns[position], table.columns[position][row]
    if isinstance(column, Nominal):
        return column.categories[int(value)] if value >= 0 else None
    return None if np.isnan(value) else float(value)
