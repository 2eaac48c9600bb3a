"""Rows sent as JSON or CSV become a table of the model's columns."""

from __future__ import annotations

import csv
import io
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.data.schema import Column

MISSING = ("", "?", "NA", "NaN", "nan", "null", "NULL")  # missing values in CSV


class RowError(Exception):
    """Rows that cannot be predicted: what was found, what was expected, and where.

    Parameters
    ----------
    message : str
        One sentence.
    row : int, optional
        The row, counted from 1.
    column : str, optional
        The name of the column.
    """

    def __init__(self, message: str, row: int | None = None, column: str | None = None) -> None:
        super().__init__(message)
        self.row, self.column = row, column


def from_json(body: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Return the rows of a JSON text, and whether it was one row: an object, a list of objects, or {"rows": [...]}."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        msg = f"the body is not JSON: {error}"
        raise RowError(msg) from None
    if isinstance(found, dict) and set(found) == {"rows"} and isinstance(found["rows"], list):
        found = found["rows"]
    if isinstance(found, dict):
        return [found], True
    if not isinstance(found, list):
        msg = f"the body is a JSON {_kind(found)}; expected an object, a list of objects, or an object with 'rows'"
        raise RowError(msg)
    for number, row in enumerate(found, 1):
        if not isinstance(row, dict):
            msg = f"row {number} is a JSON {_kind(row)}; expected an object of column names and values"
            raise RowError(msg, number)
    return found, False


def from_csv(body: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows of a CSV text with a header, and the header; empty fields are missing."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"the body is not UTF-8: {error.reason} at byte {error.start}"
        raise RowError(msg) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[dict[str, Any]] = []
    try:
        header = next(reader, None)
        if not header:
            raise RowError("the body is empty; expected a line of column names")
        if len(set(header)) < len(header):
            twice = max(header, key=header.count)
            msg = f"the first line names the column {twice!r} more than once; expected different names"
            raise RowError(msg)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                msg = f"line {reader.line_num} has {len(cells)} fields; expected {len(header)}, as in the first line"
                raise RowError(msg, len(rows) + 1)
            values = (None if cell in MISSING else cell for cell in cells)
            rows.append(dict(zip(header, values, strict=True)))
    except csv.Error as error:
        msg = f"line {reader.line_num} of the body is not CSV: {error}"
        raise RowError(msg) from None
    return rows, header


def table_of(schema: Schema, rows: list[dict[str, Any]], header: list[str] | None = None) -> Table:
    """Make the table of the columns that a model needs.

    Parameters
    ----------
    schema : Schema
        The schema of the model.
    rows : list of dict
        Values by column name; other columns are not used. None is a missing value.
    header : list of str, optional
        The columns of the rows, if they have a line of names.

    Raises
    ------
    RowError
        If a column is in no row, or a value is of the wrong kind.
    """
    wanted = needed(schema)
    columns, arrays = [], []
    for column in wanted:
        if column.name not in header if header is not None else rows and not any(column.name in row for row in rows):
            which = "no row has" if header is None else "the first line does not name"
            msg = f"{which} the column {column.name!r}; expected the columns {_names(wanted)} (null: missing)"
            raise RowError(msg, column=column.name)
        values = [row.get(column.name) for row in rows]
        made, array = _numeric(column, values) if isinstance(column, Numeric) else _nominal(column, values)
        columns.append(made)
        arrays.append(array)
    return Table(Schema(tuple(columns), name="rows"), arrays)


def needed(schema: Schema) -> list[Column]:
    """Return the columns that rows must have: the features, and the sources of computed columns."""
    from hornbeam.data.columns.derived import originals

    sources = originals(schema)
    by_name = {column.name: column for column in schema.columns}
    found = [by_name.get(name) or kind(name) for name, kind in sources.items()]
    features = (schema.columns[position] for position in schema.features)
    return [*found, *(column for column in features if column.derived is None and column.name not in sources)]


def _numeric(column: Numeric, values: list[Any]) -> tuple[Numeric, Any]:
    numbers = np.full(len(values), np.nan)
    for place, value in enumerate(values):
        if value is None:
            continue
        number = _number(column, value)
        if number is None:
            expected = f"a date written as {column.format}" if column.format else "a number"
            msg = f"row {place + 1}, column {column.name!r}: found {_shown(value)}; expected {expected} or null"
            raise RowError(msg, place + 1, column.name)
        numbers[place] = number
    return column, numbers


def _number(column: Numeric, value: Any) -> float | None:  # noqa: ANN401 - whatever was sent
    if isinstance(value, bool):
        return None
    try:
        number = float(value.replace("_", "x") if isinstance(value, str) else value)  # "1_0" is not a number
    except (TypeError, ValueError, OverflowError):
        if column.format is None or not isinstance(value, str):
            return None
        try:
            return float(dates.parse(value.strip(), column.format))
        except (ValueError, OverflowError):
            return None
    return number if math.isfinite(number) else None


def _nominal(column: Nominal, values: list[Any]) -> tuple[Nominal, Any]:
    """Return the column, with new categories of these rows added; the model treats these as missing."""
    codes = {category: code for code, category in enumerate(column.categories)}
    found = np.full(len(values), -1, np.int32)
    for place, value in enumerate(values):
        if value is None:
            continue
        if isinstance(value, dict | list):
            msg = f"row {place + 1}, column {column.name!r}: found {_shown(value)}; expected a text or null"
            raise RowError(msg, place + 1, column.name)
        text = value if isinstance(value, str) else _text(value, codes)
        found[place] = codes.setdefault(text, len(codes))
    return Nominal(column.name, tuple(codes), ordered=False), found


def _text(value: Any, codes: dict[str, int]) -> str:  # noqa: ANN401 - a JSON scalar
    """Return a number or a truth value as the text of a category."""
    if isinstance(value, bool):
        written = str(value)
        return next((text for text in (written, written.lower(), written.upper()) if text in codes), written)
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _kind(value: Any) -> str:  # noqa: ANN401 - a JSON value
    kinds = {list: "list", dict: "object", str: "text", bool: "truth value", type(None): "null"}
    return kinds.get(type(value), "number")


def _shown(value: Any) -> str:  # noqa: ANN401 - a JSON value
    text = json.dumps(value, ensure_ascii=True)
    return text if len(text) <= 40 else f"{text[:37]}..."  # noqa: PLR2004 - fits a line


def _names(columns: list[Column]) -> str:
    shown = ", ".join(repr(column.name) for column in columns[:10])
    return shown if len(columns) <= 10 else f"{shown} and {len(columns) - 10} more"  # noqa: PLR2004 - enough to see
