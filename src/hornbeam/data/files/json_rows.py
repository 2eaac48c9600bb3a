"""JSON (an array of records, or an object of columns) and JSON Lines (a record per line)."""

from __future__ import annotations

import json
from typing import Any

from hornbeam.data.encoding import decode_text
from hornbeam.data.errors import DataError, label, shorten
from hornbeam.data.files.cells import as_text, wrong_cell

MOST_COLUMNS = 100_000

Record = dict[str, Any]


def json_as_text(data: bytes, encoding: str | None, ignore: tuple[str, ...]) -> tuple[bytes, list[str]]:
    """Turn the records of a JSON file into delimited text with a header, and give the notes about it."""
    text, notes = decode_text(data, encoding)
    records = _records(text)
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


def _records(text: str) -> list[Record]:
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
        return [_record(value, f"item {number}") for number, value in enumerate(content, start=1)]
    if isinstance(content, dict):
        return _from_columns(content)
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
                msg = f"it has {len(column)} values; expected {len(values[0])}, as in the first column"
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
