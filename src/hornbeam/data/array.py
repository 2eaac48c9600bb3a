"""NumPy arrays to and from a Table: numbers, objects (numbers and texts mixed), and structured arrays."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.infer import integer_note, show_number
from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray


def from_array(array: AnyArray, *, name: str = "array", names: Sequence[str] | None = None) -> Table:
    """Convert a two-dimensional or a structured array to a Table.

    Columns without names are called x0, x1, and so on, as scikit-learn does.

    Examples
    --------
    >>> from_array(np.array([[1.5, "a"], [None, "b"]], dtype=object)).schema.columns
    (Numeric(name='x0', format=None), Nominal(name='x1', categories=('a', 'b'), ordered=False))
    """
    if array.dtype.names is not None:
        parts = [np.ravel(array[field]) for field in array.dtype.names]
        labels = list(names or array.dtype.names)
    else:
        if array.ndim != 2:  # noqa: PLR2004 (rows and columns)
            msg = f"the array has {array.ndim} dimensions; expected two, rows and columns"
            raise DataError(msg)
        labels = list(names or (f"x{i}" for i in range(array.shape[1])))
        parts = [array[:, i] for i in range(array.shape[1])]
    notes: list[str] = []
    columns: list[Column] = []
    values: list[AnyArray] = []
    for given, part in zip(labels, parts, strict=True):
        column, found = _column(given, np.ma.filled(part, np.nan) if np.ma.isMaskedArray(part) else part, notes)
        columns.append(column)
        values.append(found)
    return Table(Schema(tuple(columns), name=name), values, notes, declared=True)


def to_array(table: Table) -> AnyArray:
    """Convert to a two-dimensional array: float64 if all columns are numeric, else objects with None for missing.

    Examples
    --------
    >>> from hornbeam.data.read import read
    >>> to_array(read("weather.numeric"))[0].tolist()
    ['sunny', 85.0, 85.0, 'FALSE', 'no']
    """
    if all(isinstance(column, Numeric) for column in table.schema.columns):
        return np.column_stack(table.columns) if table.columns else np.empty((0, 0))
    whole = np.empty((table.n_rows, len(table.columns)), object)
    for i, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
        if isinstance(column, Nominal):
            whole[:, i] = np.array([*column.categories, None], object)[values]
        else:
            whole[:, i] = values
            whole[np.isnan(values), i] = None
    return whole


def _column(name: str, part: AnyArray, notes: list[str]) -> tuple[Column, AnyArray]:
    kind = part.dtype.kind
    if kind in "iuf":
        values = part.astype(np.float64)
        if kind != "f" and (note := integer_note(name, values)) is not None:
            notes.append(note)
        return Numeric(name), values
    if kind == "b":
        return Nominal(name, ("false", "true")), part.astype(np.int32)
    if kind == "M":
        seconds = part.astype("datetime64[us]").astype(np.int64) / 1e6
        seconds[np.isnat(part)] = np.nan
        return Numeric(name, "%Y-%m-%dT%H:%M:%S"), seconds
    if kind in "US":
        part = part.astype(str).astype(object)
        kind = "O"
    if kind != "O":
        msg = f"its values are of NumPy type {part.dtype}; expected numbers, texts, booleans or dates"
        raise DataError(msg, column=name)
    return _objects(name, part, notes)


def _objects(name: str, part: AnyArray, notes: list[str]) -> tuple[Column, AnyArray]:
    missing = np.array([_is_missing(value) for value in part], bool)
    known = part[~missing]
    booleans = sum(isinstance(value, bool | np.bool_) for value in known)
    n_numbers = sum(isinstance(value, numbers.Real) for value in known) - booleans
    if not len(known) or n_numbers == len(known):
        values = np.full(len(part), np.nan)
        values[~missing] = known.astype(np.float64)
        whole = len(known) and all(isinstance(value, numbers.Integral) for value in known)
        if whole and (note := integer_note(name, values)) is not None:
            notes.append(note)
        return Numeric(name), values
    codes = np.full(len(part), -1, np.int32)
    if booleans == len(known):
        codes[~missing] = known.astype(np.int32)
        return Nominal(name, ("false", "true")), codes
    code_of: dict[str, int] = {}
    for row in np.flatnonzero(~missing):
        codes[row] = code_of.setdefault(_text(name, part[row], int(row)), len(code_of))
    if n_numbers:
        notes.append(f"{label(name)}: numbers and texts mixed, read as nominal; {option('numeric', name)} to change")
    return Nominal(name, tuple(code_of)), codes


def _text(name: str, value: object, row: int) -> str:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(value).lower()
    if isinstance(value, numbers.Real):
        return show_number(float(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    msg = f"row {row + 1}: found {shorten(repr(value))}; expected a number, a text or None"
    raise DataError(msg, column=name)


def _is_missing(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(np.isnan(value))
    return type(value).__name__ in {"NAType", "NaTType"}  # pandas.NA and NaT, without importing pandas
