"""Rows of values from other formats become delimited text, so that their kinds are found as those of CSV files are."""

from __future__ import annotations

import csv
import datetime as dt
import io
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hornbeam.data.text.sniff import TextForm


def as_text(rows: Iterable[Sequence[object]]) -> bytes:
    r"""Write rows of values as comma-separated text; TypeError if a value does not fit into one cell.

    Examples
    --------
    >>> as_text([["a", "b"], [1.0, True], [None, "x, y"]])
    b'a,b\n1,true\n,"x, y"\n'
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow([cell_text(value) for value in row])
    return out.getvalue().encode("utf-8", "replace")


def cell_text(value: object) -> str:  # noqa: PLR0911 (one return per type)
    """Write one value as in a CSV file."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "" if value != value else show_number(value)  # noqa: PLR0124 (NaN)
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, dt.datetime):
        return value.isoformat(" ")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return show_number(value.total_seconds())
    raise TypeError(type(value).__name__)


def of_cells(form: TextForm, *, names: bool) -> TextForm:
    """Return the form of text that `as_text` wrote; with `names`, the header is the first line."""
    plain = replace(form, delimiter=",", quote='"', encoding="utf-8")
    return replace(plain, header=True, skip_rows=0, comment="", empty_rows=True) if names else plain


def wrong_cell(kind: str, row: int, name: str, what: str = "column") -> DataError:
    """Return the error for a value that does not fit into one cell."""
    expected = "a number, a text, a date, true or false"
    return DataError(f"row {row}, {what} {name!r}: found {kind}; expected {expected} (or leave it out: --ignore)")
