"""Columns of codes such as 007 and 0x1F in delimited text.

The parser reads 007 as 7 and 0x1F as 31, which loses the text. So the bytes of the file are searched for values that
start with a zero followed by a digit or an x, which takes little time compared with parsing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

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
        """Give those of some columns that have either."""
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


def _table(characters: bytes) -> NDArray[np.bool_]:
    table = np.zeros(256, np.bool_)
    table[list(characters)] = True
    return table


class _Columns:
    """Finds the columns of positions in a text, one block after another."""

    def __init__(self, data: NDArray[np.uint8], delimiter: str, quote: str) -> None:
        self.data, self.delimiter = data, ord(delimiter)
        self.quote = ord(quote) if quote and bool((data == ord(quote)).any()) else None
        self.inside = 0  # whether the block begins inside quotes
        self.column = 0  # the column that it begins in

    def of(self, positions: NDArray[np.intp], start: int, end: int) -> NDArray[np.intp]:
        """Give the columns of rising positions between `start` and `end`."""
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
        """Give where the line of a position begins, in a text without quotes."""
        while position > 0:
            first = max(position - _BLOCK, 0)
            part = self.data[first:position]
            ends = np.flatnonzero((part == _LINE_ENDS[0]) | (part == _LINE_ENDS[1]))
            if len(ends):
                return first + int(ends[-1]) + 1
            position = first
        return 0

    def _outside(self, positions: NDArray[np.intp], quotes: NDArray[np.intp]) -> NDArray[np.intp]:
        outside: NDArray[np.intp] = positions[(np.searchsorted(quotes, positions) + self.inside) % 2 == 0]
        return outside

    def _count(
        self, positions: NDArray[np.intp], delimiters: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> NDArray[np.intp]:
        """Count the delimiters between each position and the start of its line."""
        line = np.searchsorted(ends, positions)  # ends before the position
        begin = np.append(ends, 0)[line - 1]  # the last of them
        counted = np.searchsorted(delimiters, positions)
        here = counted - np.searchsorted(delimiters, begin)
        return np.where(line > 0, here, counted + self.column).astype(np.intp)
