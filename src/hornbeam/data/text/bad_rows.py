"""Rows of delimited text with too many or too few cells: an error that names their lines, or left out with a note."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, shorten
from hornbeam.data.in_words import plural
from hornbeam.data.text.start import COMMENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.text.sniff import Layout

MOST_LINES = 10  # listed in a message
_SHOWN_ROW = 60


def bad_rows_note(rows: Sequence[Any], kept: int, text: bytes, layout: Layout) -> str:
    """Return a note about the rows that were left out; an error if they are more than the `kept` rows."""
    count = len(rows)
    if count > kept:
        msg = (
            f"{count} of {plural(kept + count, 'row')} have more or fewer than {plural(len(layout.names), 'cell')}, as "
            "many as the first line has: too many to leave out; --skip-rows if the table starts further down"
        )
        raise DataError(msg, line=layout.above + 1)
    return (
        f"rows: {count} of {plural(kept + count, 'row')} left out, with more or fewer than "
        f"{plural(len(layout.names), 'cell')} ({_lines(rows, text, layout)})"
    )


def bad_rows_error(rows: Sequence[Any], text: bytes, layout: Layout, problem: str) -> DataError:
    """Return the error for the first of the rows, or else the parser's message."""
    if not rows:
        cause = re.sub(r"\s*\(try to increase block size\?\)", "", problem.removeprefix("CSV parse error: "))
        return DataError(f"the file cannot be read as delimited text: {shorten(cause, 200)}")
    row, count = rows[0], len(rows)
    hint = "--skip-bad-rows to leave such rows out"
    if row.text.startswith(COMMENT):
        hint = f"--comment '{COMMENT}' to skip lines that start with {COMMENT}"
    many = f" ({plural(count, 'such row')}: {_lines(rows, text, layout)})" if count > 1 else ""
    message = (
        f"found {plural(row.actual_columns, 'value')}, expected {row.expected_columns}: {shorten(row.text, _SHOWN_ROW)}"
    )
    return DataError(f"{message}{many}; {hint}", line=lines_of(text, [row.number - layout.above], layout.quote)[0])


def _lines(rows: Sequence[Any], text: bytes, layout: Layout) -> str:
    numbers = [row.number - layout.above for row in rows[:MOST_LINES]]
    shown = ", ".join(map(str, lines_of(text, numbers, layout.quote)))
    more = len(rows) - len(numbers)
    return f"line{'s' * (len(rows) > 1)} {shown}" + (f" and {more} more" if more else "")


def lines_of(text: bytes, rows: list[int], quote: str) -> list[int]:
    """Return the lines on which rows start, for ascending row numbers; blank and quoted lines do not count."""
    found: list[int] = []
    row, inside, mark = 0, False, quote.encode() or b"\n"
    for line, content in enumerate(re.finditer(rb"([^\r\n]*)(?:\r\n|\r|\n|\Z)", text), start=1):
        if not inside and content[1]:
            row += 1
            if row == rows[len(found)]:
                found.append(line)
                if len(found) == len(rows):
                    return found
        inside ^= bool(content[1].count(mark) % 2)
    return [*found, *rows[len(found) :]]
