"""JSON (an array of records, an object of columns, the other forms of pandas) and JSON Lines (a record per line)."""

from __future__ import annotations

import json
from typing import Any

from hornbeam.data.encoding import decode_text
from hornbeam.data.errors import DataError, label, shorten
from hornbeam.data.files.cells import as_text, wrong_cell
from hornbeam.data.in_words import plural

MOST_COLUMNS = 100_000
MOST_DEPTH = 8  # of objects inside objects
MOST_NAMES = 10  # listed in a note

Record = dict[str, Any]


def json_as_text(data: bytes, encoding: str | None, ignore: tuple[str, ...]) -> tuple[bytes, list[str]]:
    """Turn the records of a JSON file into delimited text with a header, and return the notes about it."""
    text, notes = decode_text(data, encoding)
    records = _records(text, notes)
    records = _flat(records, ignore, notes)
    names = list(dict.fromkeys(key for record in records for key in record))
    if len(names) > MOST_COLUMNS:
        msg = f"the records have {len(names)} different keys; expected at most {MOST_COLUMNS} columns"
        raise DataError(msg)
    if not names:
        raise DataError("the file has no records; expected an array of objects, or an object of columns")
    nested = {name for name in names if name in ignore and any(isinstance(r.get(name), dict | list) for r in records)}
    notes += [f"{label(name)}: left out, a table has no columns of objects or arrays" for name in sorted(nested)]
    kept = [name for name in names if name not in nested]
    if len({name.strip() for name in kept}) < len(kept) or not all(name.strip() for name in kept):
        raise DataError("two keys differ only by blanks, or a key is empty; expected names that differ")
    for number, record in enumerate(records, start=1):
        for key in kept:
            if isinstance(value := record.get(key), dict | list):
                raise wrong_cell(_shown(value), number, key, "key")
    return as_text([kept, *([record.get(key) for key in kept] for record in records)]), notes


def _flat(records: list[Record], ignore: tuple[str, ...], notes: list[str]) -> list[Record]:
    """Return records without objects inside: the keys of an object become columns, such as ``home.town``."""
    inside: dict[str, list[str]] = {}

    def add(record: Record, before: str, to: Record, depth: int) -> None:
        for key, value in record.items():
            name = f"{before}{key}"
            if not isinstance(value, dict) or name in ignore or depth >= MOST_DEPTH:
                to[name] = value
                continue
            names = inside.setdefault(name, [])
            names += [f"{name}.{one}" for one in value if f"{name}.{one}" not in names]
            add(value, f"{name}.", to, depth + 1)

    if not any(isinstance(value, dict) for record in records for value in record.values()):
        return records
    flat: list[Record] = []
    for record in records:
        flat.append({})
        add(record, "", flat[-1], 0)
    for name, names in inside.items():
        shown = ", ".join(map(label, names[:MOST_NAMES])) + (", ..." if len(names) > MOST_NAMES else "")
        notes.append(f"{label(name)}: an object, read by its keys: {shown}")
        for record in flat:  # where the object is absent, its keys are
            if name in record and record[name] is None:
                del record[name]
    return flat


def _records(text: str, notes: list[str]) -> list[Record]:
    try:
        content = json.loads(text)
    except ValueError as error:
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and lines[0].lstrip().startswith("{") and lines[0].rstrip().endswith("}"):
            return _from_lines(text)
        raise _wrong(error) from None
    except RecursionError:
        raise DataError("the JSON is nested too deeply; expected an array of objects") from None
    if isinstance(content, list):
        if content and all(isinstance(row, list) for row in content):
            return _from_rows(content)
        return [_record(value, f"item {number}") for number, value in enumerate(content, start=1)]
    if isinstance(content, dict):
        return _from_object(content, notes)
    msg = f"found {_shown(content)}; expected an array of objects, or an object of columns"
    raise DataError(msg)


def _from_lines(text: str) -> list[Record]:
    records: list[Record] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            records.append(_record(json.loads(line), f"line {number}"))
        except ValueError as error:
            if isinstance(error, DataError):
                raise
            raise _wrong(error, number) from None
        except RecursionError:
            raise DataError("the JSON is nested too deeply; expected an object", line=number) from None
    return records


def _record(value: object, place: str) -> Record:
    if not isinstance(value, dict):
        msg = f'{place}: found {_shown(value)}; expected an object such as {{"age": 3}}'
        raise DataError(msg)
    return value


def _from_object(content: dict[str, Any], notes: list[str]) -> list[Record]:
    """Read an object: records or rows under one of its keys, a record per key, or columns."""
    names, rows = content.get("columns"), content.get("data")
    if isinstance(names, list) and isinstance(rows, list) and all(isinstance(row, list) for row in rows):
        return _from_rows(rows, [str(name) for name in names])
    tables = [key for key, value in content.items() if _are_records(value)]
    if len(tables) == 1 and len(content[tables[0]]) and not all(isinstance(v, list) for v in content.values()):
        notes.append(f"records: those of the key {tables[0]!r} are read, other keys are not")
    if len(tables) == 1:
        return [_record(value, f"item {number}") for number, value in enumerate(content[tables[0]], start=1)]
    if _is_by_row(content):
        notes.append("records: one for each key of the file")
        numbered = all(key.isdigit() for key in content)
        return [record if numbered else {"key": key, **record} for key, record in content.items()]
    return _from_columns(content)


def _are_records(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _is_by_row(content: dict[str, Any]) -> bool:
    """Whether an object of objects has a record per key, not a column: its values are of several types."""
    if not content or not all(isinstance(record, dict) and record for record in content.values()):
        return False
    if any(key.isdigit() for record in content.values() for key in record):
        return False  # rows are numbered in every column
    if all(key.isdigit() for key in content):
        return True
    kinds = [{isinstance(value, str) for value in record.values() if value is not None} for record in content.values()]
    return any(len(kind) > 1 for kind in kinds)


def _from_rows(rows: list[list[Any]], names: list[str] | None = None) -> list[Record]:
    """Read an array of rows; without names, a first row of texts above other values has them."""
    if names is None:
        first = rows[0]
        named = all(isinstance(name, str) for name in first) and len(set(first)) == len(first)
        named = named and any(value is not None and not isinstance(value, str) for row in rows[1:] for value in row)
        names, rows = (first, rows[1:]) if named else ([f"column{i + 1}" for i in range(len(first))], rows)
    if len(set(names)) < len(names):
        raise DataError("two columns have the same name; expected names that differ")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            msg = (
                f"row {number}: found {plural(len(row), 'value')}; expected {len(names)}, as many as there are columns"
            )
            raise DataError(msg)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _from_columns(content: dict[str, Any]) -> list[Record]:
    """Read an object of columns: arrays of one length, or objects with the same keys, as pandas writes."""
    values = list(content.values())
    if all(isinstance(column, dict) for column in values) and values:
        rows = list(values[0])
        for name, column in content.items():
            if column.keys() != values[0].keys():
                raise DataError("it has other rows than the first column; expected the same keys", column=name)
        return [{name: column[row] for name, column in content.items()} for row in rows]
    if any(isinstance(column, list) for column in values):
        for name, column in content.items():
            if not isinstance(column, list):
                raise DataError(
                    f"found {_shown(column)}; expected an array of values, as in other columns", column=name
                )
            if len(column) != len(values[0]):
                msg = f"it has {plural(len(column), 'value')}; expected {len(values[0])}, as in the first column"
                raise DataError(msg, column=name)
        return [dict(zip(content, row, strict=True)) for row in zip(*values, strict=True)] or [dict.fromkeys(content)][
            :0
        ]
    return [content] if values else []


def _shown(value: object) -> str:
    return {"dict": "an object", "list": "an array"}.get(type(value).__name__) or shorten(json.dumps(value))


def _wrong(error: ValueError, line: int | None = None) -> DataError:
    if isinstance(error, json.JSONDecodeError):
        where = error.lineno if line is None else line
        return DataError(f"the JSON is damaged at character {error.colno}: {error.msg}", line=where)
    return DataError(f"the JSON cannot be read: {shorten(str(error), 200)}", line=line)
