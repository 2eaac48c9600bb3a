"""The rows of an ARFF file: a careful tokenizer for everything, and the compiled CSV reader for plain rows.

Values are separated by commas or blanks. The compiled reader is used only where the characters show that both must
agree; whatever it cannot read is left to the tokenizer, which also reports what is wrong, and where.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import DataError, shorten
from hornbeam.data.schema import Column, Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray

# A value, with the separator after it: quoted with ' or ", or a word. A word may hold quotes after its start.
_VALUE = re.compile(
    r"""(?:'((?:[^'\\]++|\\.)*+)'|"((?:[^"\\]++|\\.)*+)"|([^ \t\v\f,{}'"%][^ \t\v\f,{}]*+))"""
    r"([ \t\v\f]*+)(,?)[ \t\v\f]*+"
)
_SPARSE_INDEX = re.compile(r"([0-9]{1,9}+)[ \t\v\f]++")
_WEIGHT = re.compile(r"\{[ \t\v\f]*+([^{} \t\v\f]++)[ \t\v\f]*+\}[ \t\v\f]*+(?:%.*)?\Z")
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_COMMENT_LINE = re.compile(rb"(?m)^[ \t]*%[^\n]*\n?")
_AROUND_COMMA = re.compile(rb"[ \t]*,[ \t]*")
_AROUND_LINE = re.compile(rb"(?m)^[ \t]+|[ \t]+$")
# Characters that only the tokenizer understands.
_SPECIAL = re.compile(rb"[\x00-\x08\x0b-\x1f\\%{}]")
_PLAIN_QUOTED = re.compile(rb"'[^'\n]+'")
_ODD_QUOTED = re.compile(rb"[^,\n]\x01|\x01[^,\n]|['\" \t]")
# Below this size the tokenizer is done before the compiled reader is imported.
_QUICK_BYTES = 1 << 19
_LARGEST_BLOCK = (1 << 31) - 1
_BLANK = " \t\v\f"


@dataclass(slots=True)
class Rows:
    """Columns of an ARFF file: arrays, the distinct texts of string columns, and row weights if any."""

    arrays: list[AnyArray]
    texts: list[list[str]]
    weights: list[float] | None = None


def read_rows(
    text: str, columns: Sequence[Column], strings: Sequence[bool], first_line: int, *, quick: bool | None = None
) -> Rows:
    r"""Read what follows ``@data``.

    Parameters
    ----------
    text : str
        The rest of the file, lines ended by ``\n``.
    columns : sequence of Numeric or Nominal
        As declared.
    strings : sequence of bool
        Which of them are free text, whose categories are collected here.
    first_line : int
        Line of the file on which `text` starts.
    quick : bool, optional
        Whether to try the compiled reader first; by default for large files.

    Returns
    -------
    Rows
    """
    can = not any(strings) and not any(isinstance(c, Numeric) and c.format for c in columns)
    if can and (len(text) >= _QUICK_BYTES if quick is None else quick):
        arrays = _read_quickly(text, columns)
        if arrays is not None:
            return Rows(arrays, [[] for _ in columns])
    return _Careful(columns, strings).read(text, first_line)


def _read_quickly(text: str, columns: Sequence[Column]) -> list[AnyArray] | None:
    """Read plain dense rows with the compiled CSV reader; None if the tokenizer must decide."""
    data = _plain_rows(text)
    return None if data is None else _parse_plain(data, columns, quoted=b"'" in data)


def _plain_rows(text: str) -> bytes | None:
    """Remove comments, and blanks around commas; None if rows are not plain."""
    data = text.encode("utf-8", "surrogatepass")
    if b"%" in data:
        data = _COMMENT_LINE.sub(b"", data)
    if _SPECIAL.search(data):
        return None
    if b"'" in data:
        if _ODD_QUOTED.search(_PLAIN_QUOTED.sub(b"\x01", data)):
            return None
    elif b'"' in data:
        return None
    elif b" " in data or b"\t" in data:
        data = _AROUND_LINE.sub(b"", _AROUND_COMMA.sub(b",", data))
        if b" " in data or b"\t" in data:  # blanks between values, without a comma
            return None
    empty = data.startswith(b",") or b",," in data or b",\n" in data or b"\n," in data or data.endswith(b",")
    return None if empty or not data.strip(b"\n") else data


def _parse_plain(data: bytes, columns: Sequence[Column], *, quoted: bool) -> list[AnyArray] | None:
    import pyarrow as pa  # noqa: PLC0415 (a small file is read without this import, a quarter of a second)
    import pyarrow.compute as pc  # noqa: PLC0415
    import pyarrow.csv as arrow_csv  # noqa: PLC0415

    names = [f"c{i}" for i in range(len(columns))]
    category = pa.dictionary(pa.int32(), pa.string())
    types = {n: pa.float64() if isinstance(c, Numeric) else category for n, c in zip(names, columns, strict=True)}
    try:
        source = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=names, block_size=min(max(len(data), 1), 1 << 24)),
            arrow_csv.ParseOptions(quote_char="'" if quoted else False, double_quote=False),
            arrow_csv.ConvertOptions(
                column_types=types, null_values=["?"], strings_can_be_null=True, quoted_strings_can_be_null=False
            ),
        )
    except pa.ArrowException:
        return None
    arrays: list[AnyArray] = []
    for name, column in zip(names, columns, strict=True):
        chunks = source.column(name)
        if isinstance(column, Numeric):
            values = chunks.to_numpy()
            if np.count_nonzero(np.isnan(values)) != chunks.null_count or np.isinf(values).any():
                return None  # a number written as nan or inf
            arrays.append(np.array(values))
            continue
        declared = pa.array(column.categories, pa.string())
        whole = chunks.combine_chunks() if chunks.num_chunks != 1 else chunks.chunk(0)
        codes = pc.index_in(whole.dictionary, declared)
        if codes.null_count:
            return None  # a category that was not declared
        moved = np.append(codes.to_numpy(zero_copy_only=False), -1).astype(np.int32)
        arrays.append(moved[whole.indices.fill_null(-1).to_numpy(zero_copy_only=False)])
    return arrays


class _Careful:
    """Reads rows value by value; every error names its line."""

    def __init__(self, columns: Sequence[Column], strings: Sequence[bool]) -> None:
        self.columns = list(columns)
        self.strings = list(strings)
        self.codes: list[dict[str, int] | None] = [
            {text: code for code, text in enumerate(c.categories)} if isinstance(c, Nominal) else None for c in columns
        ]
        self.values: list[list[Any]] = [[] for _ in columns]
        self.moments: dict[tuple[int, str], float] = {}
        self.weights: list[float] = []
        self.weighted = False
        self.line = 0

    def read(self, text: str, first_line: int) -> Rows:
        for self.line, content in enumerate(text.split("\n"), start=first_line):
            row = content.strip(_BLANK)
            if row and row[0] != "%":
                if row[0] == "{":
                    self._sparse(row)
                else:
                    self._dense(row)
        arrays: list[AnyArray] = [
            np.array(values, np.float64 if isinstance(column, Numeric) else np.int32)
            for column, values in zip(self.columns, self.values, strict=True)
        ]
        texts = [list(p) if s and p is not None else [] for p, s in zip(self.codes, self.strings, strict=True)]
        return Rows(arrays, texts, self.weights if self.weighted else None)

    def _fail(self, message: str, column: int | None = None) -> NoReturn:
        name = None if column is None else self.columns[column].name
        raise DataError(message, line=self.line, column=name)

    def _dense(self, row: str) -> None:
        position, column, comma, count, weight = 0, 0, False, len(self.columns), 1.0
        while position < len(row):
            found = _VALUE.match(row, position)
            if found is None:
                if row[position] == "%" and not comma:
                    break
                if row[position] == "{" and column == count:
                    comma = False
                    weight = self._weight(row[position:])
                    break
                self._bad_value(row, position, min(column, count - 1))
            if column == count:
                self._fail(f"more than the {count} values expected: {shorten(row)}")
            self._put(column, found)
            column += 1
            position = found.end()
            comma = bool(found[5])
            if not found[4] and not comma and position < len(row) and row[position] != "{":
                self._fail(f"found {shorten(row[position:])} right after a value; expected a comma", column - 1)
        if column < count:
            self._fail(f"found {column} values, expected {count}: {shorten(row)}")
        if comma:
            self._fail(f"a comma after the last of {count} values: {shorten(row)}")
        self.weights.append(weight)

    def _bad_value(self, row: str, position: int, column: int) -> NoReturn:
        character = row[position]
        if character == ",":
            self._fail("found no value between commas; write ? for a missing one", column)
        if character in "'\"":
            self._fail(f"the quote at the start of {shorten(row[position:])} is never closed", column)
        self._fail(f"found {shorten(row[position:])}; expected a value (quote it if it starts with that)", column)

    def _put(self, column: int, found: re.Match[str]) -> None:
        word = found[3]
        if word == "?":
            self.values[column].append(np.nan if self.codes[column] is None else -1)
            return
        text = word if word is not None else unescape(found[1] if found[1] is not None else found[2])
        self.values[column].append(self._value(column, text))

    def _value(self, column: int, text: str) -> float:
        codes = self.codes[column]
        if codes is not None:
            code = codes.get(text)
            if code is None:
                if not self.strings[column]:
                    self._fail(f"found {shorten(text)}, which is not one of the categories declared", column)
                code = codes[text] = len(codes)
            return code
        kind = self.columns[column]
        pattern = kind.format if isinstance(kind, Numeric) else None
        if pattern is not None:
            return self._moment(column, text, pattern)
        if _NUMBER.fullmatch(text):
            number = float(text)
            if number in (np.inf, -np.inf):
                self._fail(f"the number {shorten(text)} is too large; expected a finite number", column)
            return number
        if text.lower() == "nan":
            return np.nan
        return self._fail(f"found {shorten(text)}; expected a finite number or ?", column)

    def _moment(self, column: int, text: str, pattern: str) -> float:
        known = self.moments.get((column, text))
        if known is None:
            try:
                known = dates.parse(text, pattern)
            except (ValueError, OverflowError):
                self._fail(f"found {shorten(text)}; expected a date written as {pattern}", column)
            self.moments[column, text] = known
        return known

    def _weight(self, rest: str) -> float:
        found = _WEIGHT.match(rest)
        weight = float(found[1]) if found and _NUMBER.fullmatch(found[1]) else -1.0
        if not 0.0 <= weight < np.inf:
            self._fail(f"found {shorten(rest)} after the values; expected a weight such as {{0.5}}")
        self.weighted = True
        return weight

    def _sparse(self, row: str) -> None:
        """Read ``{1 a, 3 b}``; values left out are 0, or the first category."""
        given, position = self._pairs(row)
        for column in range(len(self.columns)):
            found = given.get(column)
            if found is not None:
                self._put(column, found)
            else:
                self._omitted(column)
        rest = row[position + 1 :].strip(" \t\v\f,")
        self.weights.append(1.0 if not rest or rest.startswith("%") else self._weight(rest))

    def _pairs(self, row: str) -> tuple[dict[int, re.Match[str]], int]:
        """Read positions and values up to the closing brace, and return its position."""
        given: dict[int, re.Match[str]] = {}
        position, count, last = 1, len(self.columns), -1
        while position < len(row) and row[position] in _BLANK:
            position += 1
        while position < len(row) and row[position] != "}":
            index = _SPARSE_INDEX.match(row, position)
            if index is None:
                self._fail(f"found {shorten(row[position:])}; expected a position and a value, as in {{1 a, 3 b}}")
            column = int(index[1])
            if column >= count:
                self._fail(f"found position {column}; the positions of {count} attributes end at {count - 1}")
            if column <= last:
                self._fail(f"found position {column} after {last}; expected rising positions", column)
            last = column
            found = _VALUE.match(row, index.end())
            if found is None:
                self._bad_value(row, min(index.end(), len(row) - 1), column)
            given[column] = found
            position = found.end()
            if not found[5] and row[position : position + 1] != "}":
                self._fail(f"found {shorten(row[position:])}; expected a comma or '}}'", column)
        if position >= len(row):
            self._fail(f"the row opens with '{{' and has no '}}': {shorten(row)}")
        return given, position

    def _omitted(self, column: int) -> None:
        codes = self.codes[column]
        if codes is None:
            self.values[column].append(0.0)
        elif self.strings[column]:
            self.values[column].append(codes.setdefault("", len(codes)))
        elif codes:
            self.values[column].append(0)
        else:
            self._fail("its value is left out, but it has no first category", column)


def unescape(text: str) -> str:
    r"""Resolve the backslashes inside a quoted value: ``\n``, ``\r``, ``\t``, else the character itself."""
    return _ESCAPE.sub(lambda found: _ESCAPED.get(found[1], found[1]), text) if "\\" in text else text
