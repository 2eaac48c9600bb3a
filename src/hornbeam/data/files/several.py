"""Several files with the same columns become one Table: rows one below the other, categories united."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.in_words import plural
from hornbeam.data.infer import as_ordered, integer_note
from hornbeam.data.opening import open_source
from hornbeam.data.schema import Column, Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.opening import Request
    from hornbeam.data.table import Table

_INTEGERS = re.compile(r".*: \d+ distinct integers?, read as numeric; ")  # counted again over all files


def read_several(sources: Sequence[str | os.PathLike[str]], request: Request) -> Table:
    """Read files and put their rows one below the other.

    Parameters
    ----------
    sources : sequence of paths
        The files; columns are matched by name.
    request : Request
        The caller's request, for every file.

    Returns
    -------
    Table
        A column that has numbers in one file and texts in another is nominal.
    """
    names = [Path(os.fspath(source)).name for source in sources]
    tables = [open_source(source, request) for source in sources]
    if len(tables) == 1:
        return tables[0]
    for name, table in zip(names, tables, strict=True):
        _check_columns(tables[0], names[0], table, name)
    texts, notes = _columns_of_text(tables, names)
    if texts:
        for i, table in enumerate(tables):
            again = frozenset(c for c in texts if isinstance(table.schema.columns[table.schema.position(c)], Numeric))
            if again:
                tables[i] = open_source(sources[i], request.with_nominal(again))
    return _united(tables, names, notes)


def _check_columns(first: Table, first_name: str, table: Table, name: str) -> None:
    for here, place, there, other in ((table, name, first, first_name), (first, first_name, table, name)):
        for column in there.schema.names:
            if column not in here.schema.names:
                msg = (
                    f"{place}: there is no column {column!r}, which {other} has; expected the same columns in all files"
                )
                raise DataError(msg, column=None)


def _kind(column: Column, values: AnyArray) -> str | None:
    """Name the kind of a column; None if all values are missing, which fits any kind."""
    if isinstance(column, Nominal):
        return "texts" if column.categories else None
    if not len(values) or bool(np.isnan(values).all()):
        return None
    if column.format is not None:
        return "dates"
    unit, comma = ("", False) if column.notation is None else (column.notation.unit, column.notation.decimal == ",")
    return "numbers" + (f" in {shorten(unit)}" if unit else "") + (" with a decimal comma" if comma else "")


def _columns_of_text(tables: Sequence[Table], names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Find the columns to read as texts in all files, as their kinds differ, with a note for each."""
    texts, notes = list[str](), list[str]()
    for column in tables[0].schema.names:
        found: dict[str, str] = {}
        for table, name in zip(tables, names, strict=True):
            position = table.schema.position(column)
            kind = _kind(table.schema.columns[position], table.columns[position])
            if kind is not None:
                found.setdefault(kind, name)
        if "texts" in found or len(found) > 1:
            texts.append(column)
        if len(found) > 1:
            where = ", ".join(f"{kind} in {shorten(name)}" for kind, name in found.items())
            change = (
                f"{option('numeric', column)} to change"
                if "dates" not in found
                else f"{option('ignore', column)} to leave it out"
            )
            notes.append(f"{label(column)}: {where}, read as nominal; {change}")
    return texts, notes


def _united(tables: Sequence[Table], names: Sequence[str], notes: Sequence[str]) -> Table:
    schema = tables[0].schema
    columns: list[Column] = []
    arrays: list[AnyArray] = []
    counted: list[str] = []
    for name in schema.names:
        parts = [(t.schema.columns[t.schema.position(name)], t.column(name)) for t in tables]
        column, values = _column(name, parts)
        columns.append(column)
        arrays.append(values)
        said = any(note.startswith(f"{label(name)}: ") and _INTEGERS.match(note) for t in tables for note in t.notes)
        note = integer_note(name, values) if said and isinstance(column, Numeric) else None
        counted += [note] if note else []
    rest = _notes(tables, names)
    title = f"{schema.name} and {len(tables) - 1} more"
    return tables[0].replaced(replace(schema, columns=tuple(columns), name=title), arrays, [*notes, *rest, *counted])


def _column(name: str, parts: Sequence[tuple[Column, AnyArray]]) -> tuple[Column, AnyArray]:
    nominal = [column for column, _ in parts if isinstance(column, Nominal)]
    if not nominal:
        formats = [column.format for column, values in parts if isinstance(column, Numeric) and _kind(column, values)]
        longest = max((one for one in formats if one is not None), key=len, default=None)
        numeric = [(column, _kind(column, values)) for column, values in parts if isinstance(column, Numeric)]
        first = next((column for column, kind in numeric if kind), numeric[0][0])
        return replace(first, format=longest), np.concatenate([values for _, values in parts])
    categories = list(dict.fromkeys(category for column in nominal for category in column.categories))
    code_of = {category: code for code, category in enumerate(categories)}
    codes = []
    for column, values in parts:
        if isinstance(column, Nominal):
            codes.append(np.array([*(code_of[category] for category in column.categories), -1], np.int32)[values])
        else:  # all missing
            codes.append(np.full(len(values), -1, np.int32))
    united, whole = Nominal(name, tuple(categories)), np.concatenate(codes)
    if not all(column.ordered for column in nominal):
        return united, whole
    same = all(column.categories == nominal[0].categories for column in nominal)
    return (replace(united, ordered=True), whole) if same else as_ordered(united, whole, ())


def _notes(tables: Sequence[Table], names: Sequence[str]) -> list[str]:
    """Return the notes of all files; a note that several files have in common is returned once."""
    where: dict[str, list[str]] = {}
    for table, name in zip(tables, names, strict=True):
        for note in dict.fromkeys(table.notes):
            if not _INTEGERS.match(note):
                where.setdefault(note, []).append(name)
    return [note if len(files) == len(tables) else f"{note} ({_in_files(files)})" for note, files in where.items()]


def _in_files(files: Sequence[str]) -> str:
    return (
        f"in {shorten(files[0])}" if len(files) == 1 else f"in {plural(len(files), 'file')}, first {shorten(files[0])}"
    )
