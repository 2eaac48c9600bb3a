"""The layout of a delimited text file: delimiter, quote, first line and header, guessed from its first block.

Only the start of a file is examined, so that the file itself is parsed once, by the compiled reader. The caller can
give each of these instead, and each guess that is not the usual one adds a note.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError, label
from hornbeam.data.in_words import plural
from hornbeam.data.text.start import COMMENT, NUMBER, Start, comment_lines, find_start, is_header

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["COMMA_NOTE", "NUMBER", "Layout", "TextForm", "are_codes", "is_hexadecimal", "sniff", "split_rows"]

LONGEST_FIRST_LINE = 1 << 22
MOST_COLUMNS = 100_000
SAMPLE_ROWS = 500
BAD_ROWS = ("error", "skip")
MOST_NAMES = 10  # listed in a note
# Of several equally regular delimiters the first is taken: a comma comes last because it also occurs inside numbers
# and texts.
DELIMITERS = ("\t", ";", "|", ",")
COMMA_NOTE = "decimal point: ',' in numbers such as 1,5; --decimal to change"

_FEWEST_LABELS = 3
_DECIMAL_COMMA = re.compile(r"\s*[+-]?[0-9]*,[0-9]+\s*")
# Digits after a leading zero are a code (a postcode, an account) that a number would not keep; so is 0x1F.
_CODE = re.compile(r"0[0-9xX][0-9A-Fa-f]*")
_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]+")


@dataclass(frozen=True)
class TextForm:
    """The layout of a text as given by the caller; what is None is guessed."""

    # delimiter, quote: one character; an empty `quote` means that nothing is quoted
    delimiter: str | None = None
    quote: str | None = None
    header: bool | None = None  # whether the first line of the table names the columns
    # lines above the table that are skipped; by default lines with fewer cells than the table
    skip_rows: int | None = None
    # Lines that start with this character are skipped; empty: none. By default lines at the start of the file that
    # start with ``#``.
    comment: str | None = None
    bad_rows: str = "error"  # {'error', 'skip'}: what to do with rows that have too many or too few cells
    encoding: str | None = None  # the encoding; UTF-8 and UTF-16 are recognized
    missing: Collection[str] | None = None  # texts that mean a missing value; an empty cell always does
    empty_rows: bool = False  # whether rows without any value are rows

    def __post_init__(self) -> None:
        """Check the values; raise a ValueError for the first that is not allowed."""
        for what, character in (("delimiter", self.delimiter), ("quote", self.quote), ("comment", self.comment)):
            is_plain = character is None or (len(character.encode()) == 1 and character not in "\0\r\n")
            if not is_plain and not (what != "delimiter" and not character):
                msg = f"the {what} is {character!r}; expected one plain character"
                raise DataError(msg)
        if self.skip_rows is not None and self.skip_rows < 0:
            msg = f"skip_rows is {self.skip_rows}; expected 0 or more lines to skip"
            raise DataError(msg)
        if self.bad_rows not in BAD_ROWS:
            msg = f"bad_rows is {self.bad_rows!r}; expected {' or '.join(map(repr, BAD_ROWS))}"
            raise DataError(msg)


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a delimited text."""

    # delimiter, quote: one character each; `quote` may be empty
    delimiter: str
    quote: str
    header: bool  # whether the first line of the table names the columns
    above: int  # lines of the file above the table
    names: tuple[str, ...]  # column names, from the header or generated
    decimal: str  # the decimal point
    trim: bool  # whether to remove blanks around values
    codes: tuple[int, ...]  # columns that look like numbers but must be read as text
    unnamed: tuple[int, ...]  # columns without a name in the header
    notes: tuple[str, ...]  # what was guessed


def sniff(
    sample: str,
    form: TextForm | None = None,
    *,
    complete: bool,
    missing: Collection[str] = ("",),
    prefer: str | None = None,
) -> Layout:
    """Guess the layout of a text from its first block.

    Parameters
    ----------
    sample : str
        The first lines of the text.
    form : TextForm, optional
        The layout given by the caller, which is not guessed.
    complete : bool
        Whether `sample` is the whole text; else its last line may be incomplete.
    missing : collection of str
        Texts that mean a missing value.
    prefer : str, optional
        The delimiter that the file's name suggests.

    Returns
    -------
    Layout
    """
    form = form or TextForm()
    text = sample.replace("\r\n", "\n").replace("\r", "\n")
    notes: list[str] = []
    comments = comment_lines(text) if form.comment is None else 0
    lines = text.split("\n", comments)
    below = lines[-1] if len(lines) > comments else ""
    if not below.strip():
        comments, below = 0, text
    delimiter, quote = _find_marks(below, form, notes, complete=complete, prefer=prefer)
    rows = _numbered_rows(below, delimiter, quote)
    if not complete and len(rows) > 1:
        rows.pop()
    if comments and is_header(
        last := lines[comments - 1], [row for _, row in rows], _cells(last, delimiter, quote), missing
    ):
        comments -= 1
        rows.insert(0, (-1, split_rows(last, delimiter, quote)[0]))
        rows = [(line + 1, row) for line, row in rows]
    if not rows:
        raise DataError("the file has no lines; expected a header line and rows")
    _note_comments(comments, notes)
    start = find_start([row for _, row in rows], missing) if form.skip_rows is None else Start()
    above = rows[start.rows][0] + comments
    _note_titles(rows, start, comments, notes)
    first, rest = (
        [""] * start.before + rows[start.rows][1] + [""] * start.after,
        [row for _, row in rows[start.rows + 1 :]],
    )
    if len(first) > MOST_COLUMNS:
        msg = f"more than {MOST_COLUMNS} values; expected at most that many columns"
        raise DataError(msg, line=above + 1)
    return _finish(
        Layout(delimiter, quote, True, above, (), ".", False, (), (), tuple(notes)), form, first, rest, missing
    )


def _finish(
    layout: Layout, form: TextForm, first: list[str], rest: Sequence[Sequence[str]], missing: Collection[str]
) -> Layout:
    """Add what the rows of the table show: whether its first row is a header, and how its values are written."""
    width, notes = len(first), list(layout.notes)
    below = [[row[i] for row in rest if len(row) == width and row[i] not in missing] for i in range(width)]
    has_header = form.header
    if has_header is None:
        has_header, reason = _find_header(first, below, missing)
        if not has_header:
            notes.append(f"header: none, {reason}; columns are named column1 ...; --header to change")
    names = _names(first, notes) if has_header else tuple(f"column{i + 1}" for i in range(width))
    if not has_header:
        for value, column in zip(first, below, strict=True):
            if value not in missing:
                column.insert(0, value)
    unnamed = tuple(i for i, name in enumerate(first) if has_header and not name.strip())
    decimal = "."
    if layout.delimiter != "," and _has_decimal_comma(below):
        decimal = ","
        notes.append(COMMA_NOTE)
    trim = any(value != value.strip() for column in below for value in column[:SAMPLE_ROWS])
    codes = tuple(i for i, column in enumerate(below) if are_codes([value.strip() for value in column]))
    return replace(
        layout,
        header=has_header,
        names=names,
        decimal=decimal,
        trim=trim,
        codes=codes,
        unnamed=unnamed,
        notes=tuple(notes),
    )


def _find_marks(text: str, form: TextForm, notes: list[str], *, complete: bool, prefer: str | None) -> tuple[str, str]:
    """Return the delimiter and the quote."""
    quote = _find_quote(text) if form.quote is None else form.quote
    delimiter = form.delimiter
    if delimiter is None:
        delimiter = _find_delimiter(text, quote, complete=complete, prefer=prefer)
        if delimiter not in {",", prefer}:
            notes.append(f"delimiter: {delimiter!r} found between values; --delimiter to change")
    if quote == "'" and form.quote is None:
        notes.append("quote: values are in '...', not \"...\"; --quote to change")
    return delimiter, quote


def _cells(line: str, delimiter: str, quote: str) -> int:
    return len(split_rows(line, delimiter, quote)[0])


def _note_comments(count: int, notes: list[str]) -> None:
    if count:
        what = "line 1 starts" if count == 1 else f"lines 1 to {count} start"
        notes.append(f"comments: {what} with {COMMENT!r} and {_is(count)} skipped; --comment '' to change")


def _note_titles(rows: Sequence[tuple[int, Sequence[str]]], start: Start, comments: int, notes: list[str]) -> None:
    if start.rows:
        width = len(rows[start.rows][1]) + start.before + start.after
        lines = [comments + line + 1 for line, _ in rows[: start.rows]]
        shown = f"line {lines[0]} is" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]} are"
        notes.append(
            f"titles: {shown} skipped, with fewer cells than the {plural(width, 'column')} of the table; "
            "--skip-rows 0 to change"
        )
    if start.before:
        notes.append(
            "header: it has one name fewer than there are columns, so the first column has no name (row names)"
        )


def _is(count: int) -> str:
    return "is" if count == 1 else "are"


def are_codes(values: Sequence[str]) -> bool:
    """Whether the values of a column are codes, some of which would change as numbers."""
    return any(map(_CODE.fullmatch, values)) and all(map(str.isalnum, values))


def is_hexadecimal(value: str) -> bool:
    """Whether a value is written like 0x1F."""
    return _HEXADECIMAL.fullmatch(value) is not None


def split_rows(text: str, delimiter: str, quote: str, most: int = SAMPLE_ROWS) -> list[list[str]]:
    """Split a text into rows of values, without blank lines."""
    return [row for _, row in _numbered_rows(text, delimiter, quote, most)]


def _numbered_rows(text: str, delimiter: str, quote: str, most: int = SAMPLE_ROWS) -> list[tuple[int, list[str]]]:
    """Split a text into rows of values, each with the number of lines above it."""
    if not quote or quote not in text:
        lines = ((i, line) for i, line in enumerate(text.split("\n")) if line.strip(" "))
        return [(i, line.split(delimiter)) for i, line in itertools.islice(lines, most)]
    d, q = re.escape(delimiter), re.escape(quote)
    value = re.compile(rf"(?:{q}((?:[^{q}]++|{q}{q})*+){q}([^{d}\n]*)|([^{d}\n]*))({d}|\n|\Z)")
    rows: list[tuple[int, list[str]]] = []
    row: list[str] = []
    position = line = above = 0
    while position < len(text) and len(rows) < most:
        found = value.match(text, position)
        if found is None:  # cannot happen: the unquoted form matches everywhere
            break
        quoted, after, plain, end = found.groups()
        row.append(plain if quoted is None else quoted.replace(quote * 2, quote) + after)
        position = found.end()
        line += found[0].count("\n")
        if end != delimiter:
            if len(row) > 1 or row[0].strip(" ") or quoted is not None:
                rows.append((above, row))
            row, above = [], line
        elif position == len(text):
            row.append("")
    if row:
        rows.append((above, row))
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
    if not first[0].strip() and (_counts(below[0]) or _names_columns(first[1:], below)):
        return True, ""  # row numbers or row names, which have no name: the numbers beside it are names
    for position, value in enumerate(first):
        if value not in missing and NUMBER.fullmatch(value):
            return False, f"the first line has the number {value.strip()} in column {position + 1}"
    if any(column and all(map(NUMBER.fullmatch, column)) for column in below):
        return True, ""
    known = [(value, column) for value, column in zip(first, below, strict=True) if value not in missing]
    if known and all(value in column for value, column in known):
        return False, "every value of the first line occurs again below it"
    return True, ""


def _counts(values: Sequence[str]) -> bool:
    """Whether values count the rows, from 0 or 1."""
    return len(values) > 1 and any([*map(str, range(i, i + len(values)))] == list(values) for i in (0, 1))


def _names_columns(numbers: Sequence[str], below: Sequence[Sequence[str]]) -> bool:
    """Whether different numbers in the first line name columns: the column before them has a row name in every row."""
    labels = below[0]
    if len(labels) < max(_FEWEST_LABELS, *map(len, below)) or len(set(labels)) < len(labels):
        return False
    if not all(map(NUMBER.fullmatch, numbers)) or len(set(numbers)) < len(numbers):
        return False
    if not all(map(NUMBER.fullmatch, labels)):
        return True
    step = float(labels[1]) - float(labels[0])
    return all(math.isclose(float(b) - float(a), step, rel_tol=1e-6) for a, b in itertools.pairwise(labels))


def _names(first: Sequence[str], notes: list[str]) -> tuple[str, ...]:
    """Make column names unique: unnamed columns are named by position, repeated names are numbered."""
    given = [name.strip() for name in first]
    taken = {name for name in given if name}
    names: list[str] = []
    repeated: dict[str, list[str]] = {}
    for position, written in enumerate(given):
        name = written
        if not name:
            name = _unused(f"column{position + 1}", taken | set(names))
            notes.append(f"column {position + 1} has no name in the header; it is called {name}")
        elif name in names:
            name = _unused(written, taken | set(names))
            repeated.setdefault(written, [written]).append(name)
        names.append(name)
    for name, numbered in repeated.items():
        shown = ", ".join(map(label, numbered[:MOST_NAMES])) + (", ..." if len(numbered) > MOST_NAMES else "")
        notes.append(f"header: {len(numbered)} columns are called {label(name)}; they are numbered: {shown}")
    return tuple(names)


def _unused(name: str, taken: Collection[str]) -> str:
    """Number a name that is taken: x.2, x.3 and so on."""
    numbered = (f"{name}.{number}" for number in itertools.count(2))
    return name if name not in taken else next(other for other in numbered if other not in taken)


def _has_decimal_comma(columns: Sequence[Sequence[str]]) -> bool:
    found = False
    for column in columns:
        if any(NUMBER.fullmatch(value) and "." in value for value in column):
            return False
        commas = [bool(_DECIMAL_COMMA.fullmatch(value)) for value in column]
        found = found or (any(commas) and all(c or NUMBER.fullmatch(v) for c, v in zip(commas, column, strict=True)))
    return found
