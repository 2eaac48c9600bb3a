"""Predictions of `hornbeam predict` as one table, and as JSON."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.cli.predict import Prediction
    from hornbeam.core.base.arrays import AnyArray


def joined(tables: Sequence[Table]) -> Table:
    """Concatenate tables with the same columns; text columns with only numbers become numeric."""
    columns: list[Column] = []
    arrays: list[AnyArray] = []
    for place, first in enumerate(tables[0].schema.columns):
        column, values = _column(first, [(table.schema.columns[place], table.columns[place]) for table in tables])
        columns.append(column)
        arrays.append(values)
    names = tables[0].schema
    return Table(Schema(tuple(columns), names.roles, names.name), arrays, copy=False)


def _column(first: Column, parts: list[tuple[Column, AnyArray]]) -> tuple[Column, AnyArray]:
    """Join the parts of a column: its categories are those of all parts, in order of appearance."""
    if not isinstance(first, Nominal):
        return first, np.concatenate([values for _, values in parts])
    categories = tuple(dict.fromkeys(name for column, _ in parts for name in getattr(column, "categories", ())))
    code_of = {name: code for code, name in enumerate(categories)}
    codes = [
        np.array([*(code_of[name] for name in getattr(column, "categories", ())), -1], np.int32)[values]
        for column, values in parts
    ]
    return Nominal(first.name, categories), np.concatenate(codes)


def with_numbers(table: Table, names: set[str]) -> Table:
    """Convert text columns to numbers, if every text is what this program would write for the number."""
    columns, arrays = list(table.schema.columns), list(table.columns)
    for place, column in enumerate(columns):
        if column.name not in names or not isinstance(column, Nominal):
            continue
        numbers = [number_of(text) for text in column.categories]
        if None not in numbers:
            columns[place] = Numeric(column.name)
            arrays[place] = np.array([*numbers, math.nan], np.float64)[arrays[place]]
    return Table(Schema(tuple(columns), table.schema.roles, table.schema.name), arrays, copy=False)


def number_of(text: str) -> float | None:
    """Return the number that a text is, if this program would write it so."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) and show_number(value) == text else None


def plain_values(column: Column, values: AnyArray) -> list[Any]:
    """Return the values of a column for JSON: texts, numbers, dates as texts, None if missing."""
    if isinstance(column, Nominal):
        names = [*column.categories, None]
        return [names[code] for code in values.tolist()]
    if column.format is not None:
        from hornbeam.data.dates import show

        return [None if math.isnan(value) else show(value, column.format) for value in values.tolist()]
    return [None if math.isnan(value) else value for value in values.tolist()]


def as_json(table: Table, prediction: Prediction) -> str:
    """Write predictions as one JSON object, column by column."""
    first = len(table.columns) - prediction.n_predicted
    columns = [plain_values(*pair) for pair in zip(table.schema.columns, table.columns, strict=True)]
    result: dict[str, Any] = {"target": prediction.column.name, "predictions": columns[first]}
    if first:
        result["kept"] = dict(zip(table.schema.names[:first], columns[:first], strict=True))
    if prediction.proba:
        assert isinstance(prediction.column, Nominal)
        rows = np.column_stack(table.columns[first + 1 :]).tolist() if table.n_rows else []
        result |= {"classes": list(prediction.column.categories), "probabilities": rows}
    if prediction.judging is not None:
        result |= prediction.judging.to_json()
    return json.dumps(result, indent=None, allow_nan=False)
