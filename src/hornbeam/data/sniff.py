"""The layout of a delimited text file: delimiter, quote and header, guessed from its first block.

Only the start of a file is examined, so that the file itself is parsed once, by the compiled reader. The caller can
give each of these instead, and each guess that is not the usual one adds a note.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError, shorten

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

LONGEST_FIRST_LINE = 1 << 22
MOST_COLUMNS = 100_000
SAMPLE_ROWS = 500
# Of several equally regular delimiters the first is taken: a comma comes last because it also occurs inside numbers
# and texts.
DELIMITERS = ("\t", ";", "|", ",")

NUMBER = re.compile(r"\s*[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\s*")
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+\s*")
# Digits after a leading zero are a code (a postcode, an account) that a number would not keep; so is 0x1F.
_CODE = re.compile(r"0[0-9xX][0-9A-Fa-f]*")
_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]+")


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a delimited text.

    Parameters
    ----------
    delimiter, quote : str
        One character each; `quote` may be empty.
    header : bool
        Whether the first line names the columns.
    names : tuple of str
        Column names, from the header or generated.
    decimal : str
        The decimal point.
    trim : bool
        Whether to remove blanks around values.
    codes : tuple of int
        Columns that look like numbers but must be read as text.
    notes : tuple of str
        What was guessed.
    """

    delimiter: str
    quote: str
    header: bool
    names: tuple[str, ...]
    decimal: str
    trim: bool
    codes: tuple[int, ...]
    notes: tuple[str, ...]


def sniff(  # noqa: C901 (one parameter and a few steps for each guess)
    sample: str,
    *,
    complete: bool,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    missing: Collection[str] = ("",),
    prefer: str | None = None,
) -> Layout:
    """Guess the layout of a text from its first block.

    Parameters
    ----------
    sample : str
        The first lines of the text.
    complete : bool
        Whether `sample` is the whole text; else its last line may be incomplete.
    delimiter, quote, header : optional
        Given by the caller, not guessed.
    missing : collection of str
        Texts that mean a missing value.
    prefer : str, optional
        The delimiter that the file's name suggests.

    Returns
    -------
    Layout
    """
    text = sample.replace("\r\n", "\n").replace("\r", "\n")
    notes: list[str] = []
    used_quote = _find_quote(text) if quote is None else quote
    if delimiter is None:
        delimiter = _find_delimiter(text, used_quote, complete=complete, prefer=prefer)
        if delimiter not in {",", prefer}:
            notes.append(f"delimiter: {delimiter!r} found between values; --delimiter to change")
    if used_quote == "'" and quote is None:
        notes.append("quote: values are in '...', not \"...\"; --quote to change")
    rows = split_rows(text, delimiter, used_quote)
    if not complete and len(rows) > 1:
        rows.pop()
    if not rows:
        raise DataError("the file has no lines; expected a header line and rows")
    first, rest = rows[0], rows[1:]
    if len(first) > MOST_COLUMNS:
        msg = f"more than {MOST_COLUMNS} values; expected at most that many columns"
        raise DataError(msg, line=1)
    width = len(first)
    below = [[row[i] for row in rest if len(row) == width and row[i] not in missing] for i in range(width)]
    has_header = header
    if has_header is None:
        has_header, reason = _find_header(first, below, missing)
        if not has_header:
            notes.append(f"header: none, {reason}; columns are named column1 ...; --header to change")
    names = _names(first, notes) if has_header else tuple(f"column{i + 1}" for i in range(width))
    if not has_header:
        for value, column in zip(first, below, strict=True):
            if value not in missing:
                column.insert(0, value)
    decimal = "."
    if delimiter != "," and _has_decimal_comma(below):
        decimal = ","
        notes.append("decimal point: ',' in numbers such as 1,5")
    trim = any(value != value.strip() for column in below for value in column[:SAMPLE_ROWS])
    codes = tuple(i for i, column in enumerate(below) if are_codes([value.strip() for value in column]))
    return Layout(delimiter, used_quote, has_header, names, decimal, trim, codes, tuple(notes))


def are_codes(values: Sequence[str]) -> bool:
    """Whether the values of a column are codes, some of which would change as numbers."""
    return any(map(_CODE.fullmatch, values)) and all(map(str.isalnum, values))


def is_hexadecimal(value: str) -> bool:
    """Whether a value is written like 0x1F."""
    return _HEXADECIMAL.fullmatch(value) is not None


def split_rows(text: str, delimiter: str, quote: str, most: int = SAMPLE_ROWS) -> list[list[str]]:
    """Split a text into rows of values, without blank lines."""
    if not quote or quote not in text:
        return [line.split(delimiter) for line in text.split("\n") if line.strip(" ")][:most]
    d, q = re.escape(delimiter), re.escape(quote)
    value = re.compile(rf"(?:{q}((?:[^{q}]++|{q}{q})*+){q}([^{d}\n]*)|([^{d}\n]*))({d}|\n|\Z)")
    rows: list[list[str]] = []
    row: list[str] = []
    position = 0
    while position < len(text) and len(rows) < most:
        found = value.match(text, position)
        if found is None:  # cannot happen: the unquoted form matches everywhere
            break
        quoted, after, plain, end = found.groups()
        row.append(plain if quoted is None else quoted.replace(quote * 2, quote) + after)
        position = found.end()
        if end != delimiter:
            if len(row) > 1 or row[0].strip(" ") or quoted is not None:
                rows.append(row)
            row = []
        elif position == len(text):
            row.append("")
    if row:
        rows.append(row)
    return rows


def _find_quote(text: str) -> str:
    edges = r"(?:^|[,\t;|\n])", r"(?=[,\t;|\n]|\Z)"
    double = len(re.findall(rf'{edges[0]}"', text))
    single = len(re.findall(rf"{edges[0]}'[^'\n]*'{edges[1]}", text))
    return "'" if single and not double else '"'


def _find_delimiter(text: str, quote: str, *, complete: bool, prefer: str | None) -> str:
    best, best_fraction = prefer or ",", 0.0
    order = DELIMITERS if prefer is None else (prefer, *(d for d in DELIMITERS if d != prefer))
    for delimiter in order:
        if delimiter not in text:
            continue
        counts = Counter(map(len, (rows := split_rows(text, delimiter, quote))[: None if complete else -1]))
        if not counts:  # one incomplete line is all there is
            counts = Counter(map(len, rows))
        count, occurs = max(counts.items(), key=lambda item: (item[1], item[0]))
        fraction = occurs / counts.total()
        if count > 1 and fraction > best_fraction:
            best, best_fraction = delimiter, fraction
    return best


def _find_header(first: Sequence[str], below: Sequence[Sequence[str]], missing: Collection[str]) -> tuple[bool, str]:
    for position, value in enumerate(first):
        if value not in missing and NUMBER.fullmatch(value):
            return False, f"the first line has the number {value.strip()} in column {position + 1}"
    if any(column and all(map(NUMBER.fullmatch, column)) for column in below):
        return True, ""
    known = [(value, column) for value, column in zip(first, below, strict=True) if value not in missing]
    if known and all(value in column for value, column in known):
        return False, "every value of the first line occurs again below it"
    return True, ""


def _names(first: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    names: list[str] = []
    seen: dict[str, int] = {}
    for position, given in enumerate(first):
        name = given.strip()
        if not name:
            name = f"column{position + 1}"
            notes.append(f"column {position + 1} has no name in the header; it is called {name}")
        if name in seen:
            msg = f"columns {seen[name] + 1} and {position + 1} are both called {shorten(name)}; names must differ"
            raise DataError(msg, line=1)
        seen[name] = position
        names.append(name)
    return tuple(names)


def _has_decimal_comma(columns: Sequence[Sequence[str]]) -> bool:
    found = False
    for column in columns:
        if any(NUMBER.fullmatch(value) and "." in value for value in column):
            return False
        commas = [bool(_DECIMAL_COMMA.fullmatch(value)) for value in column]
        found = found or (any(commas) and all(c or NUMBER.fullmatch(v) for c, v in zip(commas, column, strict=True)))
    return found
