"""Large CSV files in parts: each part is a small CSV file with the same header, read like any other file."""

from __future__ import annotations

import tempfile
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from hornbeam.cli.options import detail, remark
from hornbeam.data.errors import DataError
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Numeric
from hornbeam.model.base.plain import UnseenCategoryWarning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hornbeam.data.table import Table

BLOCK = 1 << 25  # bytes of a part
ENDINGS = (".csv", ".tsv", ".tab", ".txt", ".data")
BINARY = b"\x1f\x8b", b"PK", b"PAR1", b"ARROW1", b"\xff\xfe", b"\xfe\xff", b"SQLite"  # the last but one: UTF-16
MOST_LINES_ABOVE = 100  # titles, comments and the header
MOST_WARNINGS = 5


def parts_of(path: str, reading: dict[str, Any], read: Callable[[str, dict[str, Any]], Table]) -> Iterator[Table]:
    """Read a file in parts if that gives the same rows as reading it at once; else read it at once.

    Parameters
    ----------
    path : str
        The file.
    reading : dict
        Options for reading, by the names of their parameters.
    read : callable
        Reads a file with such options.
    """
    first: Table | None = None
    above, n_rows, options = b"", 0, reading
    with Path(path).open("rb") as file, tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / Path(path).name
        for part in _parts(file, path, reading):
            place.write_bytes(above + part)
            table = read(str(place), options)
            if first is None:
                lines = _lines_above(part, table.n_rows)
                if lines is None:
                    break
                first, above, options = table, lines, {**reading, "header": bool(lines)}
            elif _forms(table) != _forms(first):
                msg = f"{path}: the rows from {n_rows + 1} on are not written like those before; split the file there"
                raise DataError(msg)
            n_rows += table.n_rows
            detail(f"read {n_rows} rows")
            yield table
    if first is None:
        yield read(path, reading)


def _forms(table: Table) -> list[tuple[str, str | None]]:
    """Return the names of the columns, and how dates are written."""
    columns = table.schema.columns
    return [(column.name, column.format if isinstance(column, Numeric) else None) for column in columns]


def _parts(file: IO[bytes], path: str, reading: dict[str, Any]) -> Iterator[bytes]:
    """Divide a file between rows; yield nothing if it cannot be divided."""
    rest = file.read(BLOCK)
    named = Path(path).suffix.lower() in ENDINGS
    if not named or rest.startswith(BINARY) or b"\n" not in rest or reading.get("skip_bad_rows"):
        return
    quote = (reading.get("quote") or '"').encode()
    while rest:
        end = _end_of_rows(rest, quote)
        data = file.read(BLOCK)
        if not data:
            yield rest
            return
        if end:
            yield rest[:end]
        rest = rest[end:] + data


def _end_of_rows(text: bytes, quote: bytes) -> int:
    """Return where the last whole row ends: after a line end that is not inside quotes; 0 if there is none."""
    quotes, end = text.count(quote), text.rfind(b"\n") + 1
    while end and (quotes - text.count(quote, end)) % 2:
        end = text.rfind(b"\n", 0, end - 1) + 1
    return end


def _lines_above(text: bytes, n_rows: int) -> bytes | None:
    """Return the lines above the first of `n_rows` rows: titles, comments, names; None if that is unclear."""
    starts: list[int] = []
    start, inside = 0, False
    for line in text.splitlines(keepends=True):
        if not inside and line.strip():
            starts.append(start)
        inside ^= bool(line.count(b'"') % 2)
        start += len(line)
    lines_above = len(starts) - n_rows
    return text[: starts[lines_above]] if 0 <= lines_above <= min(MOST_LINES_ABOVE, len(starts) - 1) else None


@contextmanager
def few_warnings() -> Iterator[None]:
    """Show only the first warnings about categories not seen in training, and count the others."""
    before, count = warnings.showwarning, 0

    def show(message: Warning | str, category: type[Warning], *place: Any) -> None:  # noqa: ANN401 - Python's
        nonlocal count
        count += issubclass(category, UnseenCategoryWarning)
        if count <= MOST_WARNINGS or not issubclass(category, UnseenCategoryWarning):
            before(message, category, *place)

    warnings.showwarning = show  # type: ignore[assignment]
    try:
        yield
    finally:
        warnings.showwarning = before
    if count > MOST_WARNINGS:
        remark(f"… categories not seen in training in {plural(count - MOST_WARNINGS, 'more part')} of the file")
