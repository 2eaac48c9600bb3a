"""Lines that are not rows of a table (rulers, rows without a value), and columns separated by spaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural
from hornbeam.data.text.start import NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_LINES = 10  # listed in a note
_HEAD = 1 << 12
_SAMPLE = 1 << 16
_FEWEST_ROWS = 2
# A ruler below a header, as in |---|---| or ----+----, and the borders of a table drawn with + and -.
_RULER = re.compile(rb"(?m)^[ \t]*(?:[|+][-+|=: ]*[-=][-=][-+|=: ]*|[-=]{2}[-= ]*[|+][-+|=: ]*)[ \t\r]*$")
_QUOTED_OR_SPACES = re.compile(rb'"[^"\n]*"| +')
_DELIMITERS = ",;|\t"


def without_rulers(text: bytes) -> bytes:
    r"""Make lines that only draw the borders of a table empty, if there is one at its start.

    Examples
    --------
    >>> without_rulers(b"| a | b |\n|---|---|\n| 1 | 2 |\n")
    b'| a | b |\n\n| 1 | 2 |\n'
    """
    return _RULER.sub(b"", text) if _RULER.search(text[:_HEAD]) else text


def without_empty_rows(text: bytes, delimiter: str, quote: str) -> tuple[bytes, list[str]]:
    r"""Make rows without a value empty lines, and return a note that lists them.

    Examples
    --------
    >>> without_empty_rows(b"a,b\n1,2\n , \n3,4\n", ",", '"')
    (b'a,b\n1,2\n\n3,4\n', ['rows: 1 row without any value is left out (line 3)'])
    """
    starts = [start + between for start in (b"\n", b"\r") for between in (delimiter.encode(), b" ")]
    places = sorted({place + 1 for start in starts for place in _places(text, start)})
    blank = re.compile(rb"[ " + re.escape(delimiter.encode()) + rb"]+(?=[\r\n]|\Z)")
    mark, pieces, kept, lines, seen, inside = quote.encode(), list[bytes](), 0, list[int](), 0, False
    for place in places:
        found = blank.match(text, place)
        if found is None:
            continue
        inside ^= bool(mark) and text.count(mark, seen, place) % 2 == 1
        seen = place
        if not inside:
            pieces.append(text[kept:place])
            kept = found.end()
            lines.append(place)
    if not lines:
        return text, []
    first = [len(re.findall(rb"\r\n|\r|\n", text[:place])) + 1 for place in lines[:MOST_LINES]]
    more = f" and {len(lines) - len(first)} more" if len(lines) > len(first) else ""
    shown = f"line{'s' * (len(lines) > 1)} {', '.join(map(str, first))}{more}"
    are = "is" if len(lines) == 1 else "are"
    note = f"rows: {plural(len(lines), 'row')} without any value {are} left out ({shown})"
    return b"".join([*pieces, text[kept:]]), [note]


def _places(text: bytes, start: bytes) -> list[int]:
    places, place = [], text.find(start)
    while place >= 0:
        places.append(place)
        place = text.find(start, place + 1)
    return places


def with_tabs(text: bytes) -> bytes | None:
    r"""Put tabs between columns that are separated by spaces; None if they are not.

    Every line must have as many words, the first may have one fewer (as R writes tables with row names), and below it
    a column must hold numbers only.

    Examples
    --------
    >>> with_tabs(b'"x" "size"\n"1" 2.5 "very large"\n"2" 3 "small"\n')
    b'"x"\t"size"\n"1"\t2.5\t"very large"\n"2"\t3\t"small"\n'
    >>> with_tabs(b"town\nNew York\nLos Angeles\n") is None
    True
    """
    head = text[:_SAMPLE].decode("utf-8", "replace")
    complete = head if len(text) <= _SAMPLE else head[: head.rfind("\n")]
    lines = [line for line in complete.splitlines() if line.strip()]
    if len(lines) <= _FEWEST_ROWS or any(mark in head for mark in _DELIMITERS):
        return None
    names, *rows = ([word.strip('"') for word in re.findall(r'"[^"]*"|[^ ]+', line)] for line in lines)
    width = len(rows[0])
    if len(names) < _FEWEST_ROWS or len(names) not in {width, width - 1} or {*map(len, rows)} != {width}:
        return None
    columns: Sequence[Sequence[str]] = list(zip(*rows, strict=True))
    if any(map(NUMBER.fullmatch, names)) or not any(all(map(NUMBER.fullmatch, column)) for column in columns):
        return None
    if len(names) < width and len(set(columns[0])) < len(columns[0]):
        return None

    def tab(found: re.Match[bytes]) -> bytes:
        if found[0][:1] == b'"':
            return found[0]
        around = text[max(found.start() - 1, 0) : found.start()], text[found.end() : found.end() + 1]
        return b"" if any(edge in {b"", b"\n", b"\r"} for edge in around) else b"\t"

    return _QUOTED_OR_SPACES.sub(tab, text)
