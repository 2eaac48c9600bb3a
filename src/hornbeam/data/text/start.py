"""Where the table starts in a delimited text: skipped lines, comments and titles above it.

Skipped lines are replaced by empty ones, which the parser ignores, so that line numbers stay those of the file.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from hornbeam.core.base.arrays import Bools, Indices, Uints8

NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
COMMENT = "#"  # recognized without being named, at the start of a file
MOST_TITLES = 20
_LINE_END = re.compile(rb"\r\n|\r|\n")
_REGULAR = 0.5  # at least this fraction of the rows below a title have the width of the table
_FEWEST_ROWS = 2
_CACHED = 1 << 17  # bytes that stay in a near cache
_FEWEST_CELLS = 3  # of a table where one filled cell is a title


@dataclass(frozen=True, slots=True)
class Start:
    """The first row of a table among the rows of a text."""

    rows: int = 0  # rows above the header, or above the first row if there is none
    # before, after: columns without a name before and after those that the header names
    before: int = 0
    after: int = 0


def begins_line(text: bytes, *marks: str) -> bool:
    r"""Whether a line after the first begins with one of these characters.

    Examples
    --------
    >>> begins_line(b"a,b\n,2\n", ",", " "), begins_line(b"a,b\n1,2\n", ",", " ")
    (True, False)
    """
    firsts = [mark.encode()[0] for mark in marks]
    ends = [end for end in b"\n\r" if text.find(bytes([end])) >= 0]
    for start in range(0, len(text) - 1, _CACHED):
        part = np.frombuffer(text, np.uint8, min(_CACHED + 1, len(text) - start), start)
        for end in ends:
            ended = part[:-1] == end
            if any((ended & (part[1:] == first)).any() for first in firsts):
                return True
    return False


def blanked(text: bytes, lines: int) -> bytes:
    """Replace the first lines of a text by empty ones."""
    if not lines:
        return text
    ends = itertools.islice(_LINE_END.finditer(text), lines - 1, None)
    end = next(ends, None)
    if end is None:
        found = len(_LINE_END.findall(text)) + (not text.endswith((b"\n", b"\r")))
        msg = f"{lines} lines are to be skipped, but there are {found}; expected a table below them"
        raise DataError(msg)
    return b"\n" * lines + text[end.end() :]


def without_comments(text: bytes, comment: str, quote: str) -> bytes:
    r"""Replace lines that start with the comment character by empty ones, except inside quotes.

    Examples
    --------
    >>> without_comments(b"# by 'us'\na,b\n#c\n", "#", '"')
    b'\na,b\n\n'
    """
    mark, pieces, position, inside = quote.encode(), list[bytes](), 0, False
    for found in re.finditer(rb"(?:^|(?<=[\r\n]))" + re.escape(comment.encode()) + rb"[^\r\n]*", text):
        piece = text[position : found.start()]
        inside ^= bool(mark) and piece.count(mark) % 2 == 1
        pieces.append(piece)
        position = found.start() if inside else found.end()
        if inside:
            inside ^= found[0].count(mark) % 2 == 1
            pieces.append(found[0])
            position = found.end()
    return b"".join([*pieces, text[position:]]) if pieces else text


def comment_lines(text: str) -> int:
    """Count the lines at the start of a text that are comments or empty, up to the last comment."""
    count = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.startswith(COMMENT):
            count = number
        elif line.strip():
            break
    return count


def is_header(line: str, rows: Sequence[Sequence[str]], cells: int, missing: Collection[str]) -> bool:
    """Whether the last comment line above a table, with this many cells, names its columns: ``#id,size``."""
    if not rows or cells != len(rows[0]):
        return False
    return _has_number(rows[0], missing) or not line[len(COMMENT) :].startswith(" ")


def find_start(rows: Sequence[Sequence[str]], missing: Collection[str]) -> Start:
    """Find the first row of the table: rows above it have fewer cells than the rows of the table."""
    if not rows:
        return Start()
    counts = Counter(map(len, rows))
    width = max(counts, key=lambda cells: (counts[cells], cells))
    first = next(i for i, row in enumerate(rows) if len(row) == width)
    full = [row for row in rows[first:] if len(row) == width]
    if first and not _is_below_titles(rows, first, full):
        return Start()
    if first and _ends_empty(rows[first - 1], full, missing):
        return Start(first - 1, 0, width - len(rows[first - 1]))
    if first and len(rows[first - 1]) == width - 1 and _names_fewer(rows[first - 1], full, missing):
        ends_empty = all(not row[-1].strip() for row in full)  # every row ends with a delimiter
        return Start(first - 1, int(not ends_empty), int(ends_empty))
    return Start(first + _filled_titles(rows[first:], width, missing))


def _is_below_titles(rows: Sequence[Sequence[str]], first: int, full: Sequence[Sequence[str]]) -> bool:
    return (
        first <= MOST_TITLES
        and max(map(len, rows[:first])) < len(full[0])
        and len(full) >= max(_FEWEST_ROWS, _REGULAR * (len(rows) - first))
    )


def _ends_empty(short: Sequence[str], full: Sequence[Sequence[str]], missing: Collection[str]) -> bool:
    """Whether a short row is a header: the cells beyond its width are empty in all rows, which end with delimiters."""
    if len(short) == 1 or any(cell in missing or NUMBER.fullmatch(cell) for cell in short):
        return False
    return not any(cell.strip() for row in full for cell in row[len(short) :])


def _names_fewer(short: Sequence[str], full: Sequence[Sequence[str]], missing: Collection[str]) -> bool:
    """Whether a row with one cell fewer than the others is a header that does not name the row names, as R writes."""
    if any(cell in missing or NUMBER.fullmatch(cell) for cell in short):
        return False
    if _has_number(full[0], missing):
        return True
    has_numbers = any(all(map(NUMBER.fullmatch, column)) for column in _columns(full[1:], len(full[0]), missing))
    return not has_numbers and len(short) > 1


def _filled_titles(rows: Sequence[Sequence[str]], width: int, missing: Collection[str]) -> int:
    """Count title lines that are padded with empty cells to the width of the table, as spreadsheets write them."""
    filled = [sum(cell not in missing for cell in row) if len(row) == width else 0 for row in rows[: MOST_TITLES + 1]]
    header = next((i for i, count in enumerate(filled) if 2 * count > width), 0)
    if not header or _has_number(rows[header], missing):
        return 0
    if width >= _FEWEST_CELLS and filled[header] == width and max(filled[:header]) <= 1:
        return header
    below = _columns(rows[header + 1 :], width, missing)
    return header if any(column and all(map(NUMBER.fullmatch, column)) for column in below) else 0


def _has_number(row: Sequence[str], missing: Collection[str]) -> bool:
    return any(cell not in missing and NUMBER.fullmatch(cell) for cell in row)


def _columns(rows: Sequence[Sequence[str]], width: int, missing: Collection[str]) -> list[list[str]]:
    return [[row[i] for row in rows if len(row) == width and row[i] not in missing] for i in range(width)]


_BLOCK = 1 << 22
_LINE_ENDS = b"\r\n"


@dataclass(frozen=True)
class Codes:
    """Columns, by position, with values that begin like 007 (`padded`) and like 0x1F (`hexadecimal`).

    A column may be listed because of a text with such a word inside, so its values must be checked.
    """

    padded: frozenset[int]
    hexadecimal: frozenset[int]

    def among(self, columns: Collection[int]) -> list[int]:
        """Return those of some columns that have either."""
        return sorted((self.padded | self.hexadecimal) & set(columns))


def find_codes(text: bytes, delimiter: str, quote: str, block: int = _BLOCK) -> Codes:
    """Find the columns of a delimited text that may have codes.

    Examples
    --------
    >>> find_codes(b"1,007,0x1F", ",", '"')
    Codes(padded=frozenset({1}), hexadecimal=frozenset({2}))
    """
    data = np.frombuffer(text, np.uint8)
    before = _table(_LINE_ENDS + b" \t" + delimiter.encode() + quote.encode())
    after = np.zeros(256, np.int8)
    after[list(b"0123456789")] = 1
    after[list(b"xX")] = 2
    columns = _Columns(data, delimiter, quote)
    found: tuple[set[int], set[int]] = set(), set()
    for start in range(0, len(data), block):
        part = data[start : start + block]
        at = np.flatnonzero(part == ord("0")) + start
        at = at[at + 1 < len(data)]
        kind = after[data[at + 1]]
        kind[~before[data[np.maximum(at - 1, 0)]] & (at > 0)] = 0
        columns_of = columns.of(at[kind > 0], start, start + len(part))
        kind = kind[kind > 0]
        for number in (1, 2):
            found[number - 1].update(np.unique(columns_of[kind == number]).tolist())
    return Codes(frozenset(found[0]), frozenset(found[1]))


def _table(characters: bytes) -> Bools:
    table = np.zeros(256, np.bool_)
    table[list(characters)] = True
    return table


class _Columns:
    """Finds the columns of positions in a text, one block after another."""

    def __init__(self, data: Uints8, delimiter: str, quote: str) -> None:
        self.data, self.delimiter = data, ord(delimiter)
        self.quote = ord(quote) if quote and bool((data == ord(quote)).any()) else None
        self.inside = 0  # whether the block begins inside quotes
        self.column = 0  # the column that it begins in

    def of(self, positions: Indices, start: int, end: int) -> Indices:
        """Return the columns of rising positions between `start` and `end`."""
        if self.quote is None:
            if not len(positions):
                return positions
            start = self._line_start(start)
            self.column = 0
        part = self.data[start:end]
        delimiters = np.flatnonzero(part == self.delimiter) + start
        ends = np.flatnonzero((part == _LINE_ENDS[0]) | (part == _LINE_ENDS[1])) + start
        if self.quote is not None:
            quotes = np.flatnonzero(part == self.quote) + start
            delimiters, ends = self._outside(delimiters, quotes), self._outside(ends, quotes)
            self.inside = (self.inside + len(quotes)) % 2
        columns = self._count(positions, delimiters, ends)
        self.column = int(self._count(np.array([end]), delimiters, ends)[0])
        return columns

    def _line_start(self, position: int) -> int:
        """Return where the line of a position begins, in a text without quotes."""
        while position > 0:
            first = max(position - _BLOCK, 0)
            part = self.data[first:position]
            ends = np.flatnonzero((part == _LINE_ENDS[0]) | (part == _LINE_ENDS[1]))
            if len(ends):
                return first + int(ends[-1]) + 1
            position = first
        return 0

    def _outside(self, positions: Indices, quotes: Indices) -> Indices:
        outside: Indices = positions[(np.searchsorted(quotes, positions) + self.inside) % 2 == 0]
        return outside

    def _count(self, positions: Indices, delimiters: Indices, ends: Indices) -> Indices:
        """Count the delimiters between each position and the start of its line."""
        line = np.searchsorted(ends, positions)  # ends before the position
        begin = np.append(ends, 0)[line - 1]  # the last of them
        counted = np.searchsorted(delimiters, positions)
        here = counted - np.searchsorted(delimiters, begin)
        return np.where(line > 0, here, counted + self.column).astype(np.intp)
