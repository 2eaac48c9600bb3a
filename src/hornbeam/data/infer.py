"""Kinds of columns that the source leaves open, and changing a kind on request.

Every guess is reported in `Table.notes`, with the option that changes it. Kinds named by the caller are applied here to
any table, wherever it came from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data import dates
from hornbeam.data.columns.numbers import LEAST_CELLS, PLAIN, SHARE, Notation, Reading, Style, read_numbers
from hornbeam.data.errors import Change, DataError, label, option, shorten
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.text.sniff import NUMBER, is_hexadecimal

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.table import Table

# Missing in delimited text, unless the caller gives other texts; an empty value is always missing.
MISSING = (
    "", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NaT", "NULL", "null", "\\N",
    "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!",
)  # fmt: skip
# These, in upper or lower case, are missing if all else in the column is a number or a date.
_AMONG_NUMBERS = frozenset(
    ("none", "-", "--", "---", ".", "..", "...", "*", "missing", "unknown", "unk", "na", "n.a.", "n.a", "n/a", "nan",
     "null", "nil", "tbd", "tba", "tbc", "not available", "not applicable", "no data", "\u2013", "\u2014", "?")
)  # fmt: skip
# Of these there is a note where they are categories; the others above are often real categories.
_POINTED_OUT = frozenset(
    ("na", "n.a.", "n.a", "n/a", "nan", "null", "tbd", "tba", "missing", "-", "--", "?", "no data")
)


def is_marker(text: str) -> bool:
    """Whether a text among numbers means that the value is missing.

    Examples
    --------
    >>> is_marker("Unknown"), is_marker("n.a."), is_marker("call us")
    (True, True, False)
    """
    return text.strip().casefold() in _AMONG_NUMBERS


def may_be_missing(text: str) -> bool:
    """Whether a category looks like a marker for a missing value."""
    return text.strip().casefold() in _POINTED_OUT


# More distinct integers than this are hardly categories, so there is no note.
FEW_INTEGERS = 100
EXACT = 2.0**53  # whole numbers below this are kept exactly
# This many texts without a number are enough to call a column nominal.
_FIRST_TEXTS = 1_000
_LEAST_AMOUNTS = 3
ALTHOUGH = "read as nominal although"  # of a column of numbers with other texts
_DIGIT = re.compile("[0-9]")
_CODE = re.compile("[A-Za-z]+[0-9]+")


@dataclass(frozen=True)
class Kinds:
    """The kinds of columns that the caller named."""

    # nominal, numeric: columns to read as categories, or as numbers
    nominal: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    # categories in their order; an empty tuple where they are taken from the data
    ordered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    # ``strftime`` patterns; None if the pattern is guessed
    dates: dict[str, str | None] = field(default_factory=dict)
    style: Style = PLAIN  # how numbers are written
    # how numbers or dates of some columns are written: as in the model for which new rows are read
    notations: dict[str, Notation | str] = field(default_factory=dict)

    @classmethod
    def resolve(
        cls,
        names: Sequence[str],
        nominal: Collection[str | int],
        numeric: Collection[str | int],
        ordered: Mapping[str | int, Sequence[str]] | Iterable[str | int],
        dates: Mapping[str | int, str | None] | Iterable[str | int],
        style: Style = PLAIN,
        notations: Mapping[str, Notation | str] | None = None,
    ) -> Kinds:
        """Turn names and positions into names; unknown columns and contradictions are errors."""
        where = Schema(tuple(Numeric(name) for name in names))

        def name(column: str | int) -> str:
            return names[where.position(column)]

        order = ordered if isinstance(ordered, Mapping) else dict.fromkeys(listed(ordered), ())
        patterns = dates if isinstance(dates, Mapping) else dict.fromkeys(listed(dates))
        kinds = cls(
            frozenset(map(name, listed(nominal))),
            frozenset(map(name, listed(numeric))),
            {name(column): tuple(map(str, categories)) for column, categories in order.items()},
            {name(column): pattern for column, pattern in patterns.items()},
            style,
            {column: notation for column, notation in (notations or {}).items() if column in names},
        )
        named = [(kinds.numeric, "numeric"), (kinds.dates, "a date"), (kinds.nominal | set(kinds.ordered), "nominal")]
        for i, (columns, kind) in enumerate(named):
            for others, other in named[i + 1 :]:
                if both := sorted(set(columns) & set(others)):
                    msg = f"to be read as {kind} and as {other}; expected one kind"
                    raise DataError(msg, column=both[0])
        return kinds

    @property
    def as_text(self) -> frozenset[str]:
        """Columns that a reader of text must not convert to numbers."""
        return self.nominal | frozenset(self.ordered) | frozenset(self.dates) | frozenset(self.notations)

    @property
    def named(self) -> frozenset[str]:
        """Every column whose kind the caller named."""
        return self.as_text | self.numeric


def notations_of(columns: Iterable[Column]) -> dict[str, Notation | str]:
    """How the numbers and dates of a model's columns are written, where they are not plain numbers."""
    numbers = (column for column in columns if isinstance(column, Numeric) and column.derived is None)
    return {column.name: how for column in numbers if (how := column.notation or column.format) is not None}


FindKinds = Callable[[Sequence[str]], Kinds]  # given the names of the columns


def listed(columns: Iterable[str | int]) -> list[str | int]:
    """Return column names as a list; a single name is also accepted."""
    return [columns] if isinstance(columns, str | int) else list(columns)


def integer_note(name: str, values: Floats) -> str | None:
    """Return a note where a column of integers may be categories.

    Examples
    --------
    >>> integer_note("zip", np.array([1.0, 2.0, 1.0]))
    'zip: 2 distinct integers, read as numeric; --nominal zip to change'
    """
    largest = max(float(np.nanmax(values, initial=0.0)), -float(np.nanmin(values, initial=0.0)))
    if largest >= EXACT:
        return lost_digits_note(name, largest)
    known = values[: 20 * FEW_INTEGERS]
    known = known[~np.isnan(known)]
    if len(np.unique(known)) > FEW_INTEGERS:  # most columns stop here, before the whole column is counted
        return None
    distinct = _count_integers(values)
    if distinct <= 1 or distinct > FEW_INTEGERS:
        return None
    return (
        f"{label(name)}: {plural(distinct, 'distinct integer')}, read as numeric; {option('nominal', name)} to change"
    )


def lost_digits_note(name: str, largest: float) -> str:
    """Return a note that a column has integers that are not kept exactly."""
    what = f"integers up to {largest:.3g}, more than a number keeps exactly"
    return f"{label(name)}: {what}; {option('nominal', name)} to change"


def _count_integers(values: Floats) -> int:
    low, high = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
    if high < low:
        return 0
    if high - low < 10_000:  # noqa: PLR2004 (a count table this small stays in the processor's cache)
        offsets = np.where(np.isnan(values), -1, values - low).astype(np.int64)
        return int(np.count_nonzero(np.bincount(offsets[offsets >= 0])))
    return len(np.unique(values[~np.isnan(values)]))


def text_column(
    name: str,
    categories: Sequence[str],
    codes: Ints32,
    notes: list[str],
    *,
    keep: bool = False,
    plain: bool = True,
    style: Style = PLAIN,
) -> tuple[Column, AnyArray]:
    """Decide whether texts are categories, or numbers as people write them, with markers for missing ones.

    Parameters
    ----------
    name : str
        The column's name.
    categories : sequence of str
        The distinct texts.
    codes : array of int32
        The text of each row; -1 is missing.
    notes : list of str
        Guesses are added here.
    keep : bool
        Whether the caller named the column nominal.
    plain : bool
        Whether texts that are plain numbers become numbers; otherwise only those with currencies, separators or units.
    style : Style
        What is known about how numbers are written.
    """
    nominal = Nominal(name, tuple(categories))
    if keep or not categories:
        return nominal, codes
    if not any(map(_DIGIT.search, categories[:_FIRST_TEXTS])):  # most columns of text stop here
        _point_out_markers(nominal, codes, notes)
        return nominal, codes
    weights = np.bincount(codes[codes >= 0], minlength=len(categories))
    marked = np.array([is_marker(text) for text in categories])
    lone = _only_word(categories, weights, marked)
    if lone is not None:
        marked[lone] = True
    rest = [text for text, marker in zip(categories, marked, strict=True) if not marker]
    reading = read_numbers(rest, weights[~marked], style)
    if reading is None or not (plain or reading.decorated) or _may_be_names(reading):
        _point_out_markers(nominal, codes, notes)
        return nominal, codes
    known = float(weights[~marked].sum())
    wrong = np.isnan(reading.values) & (weights[~marked] > 0)
    lost = float(weights[~marked][wrong].sum())
    others = [text for text, is_wrong in zip(rest, wrong, strict=True) if is_wrong]
    row = int(np.argmax(codes == categories.index(others[0]))) + 1 if others else 0
    if lost and (known < LEAST_CELLS or lost > (1 - SHARE) * known or _have_codes(others)):
        if len(others) < len(rest) / 2:
            notes.append(
                f"{label(name)}: {ALTHOUGH} most of its {len(rest)} values are numbers, for "
                f"{shorten(others[0])} (row {row}) is not; {option('missing', others[0])} to read it as missing"
            )
        return nominal, codes
    numbers = np.full(len(categories) + 1, np.nan)
    numbers[:-1][~marked] = reading.values
    markers = [text for text, marker in zip(categories, marked, strict=True) if marker]
    notes += _number_notes(name, reading.removed, markers, lost, others, row)
    return Numeric(name, notation=reading.notation if reading.decorated else None), numbers[codes]


def _only_word(categories: Sequence[str], weights: AnyArray, marked: AnyArray) -> int | None:
    """Find a text that must mean a missing value: the only one without a digit among many others, in half the rows."""
    without = (i for i, text in enumerate(categories) if not marked[i] and weights[i] and not _DIGIT.search(text))
    found = list(islice(without, 2))
    if len(found) != 1:
        return None
    others = ~marked & (weights > 0)
    others[found] = False
    is_rare = weights[found[0]] <= weights[others].sum()
    return found[0] if is_rare and np.count_nonzero(others) >= LEAST_CELLS else None


def _have_codes(others: Sequence[str]) -> bool:
    """Whether texts among numbers show that the numbers are codes: hexadecimal digits, or several like c168."""
    return any(map(is_hexadecimal, others)) or (len(others) > 1 and all(map(_CODE.fullmatch, others)))


def _may_be_names(reading: Reading) -> bool:
    """Whether numbers with a unit are too few to be amounts: 2wd and 4wd are categories."""
    return reading.has_unit and len(np.unique(reading.values[~np.isnan(reading.values)])) < _LEAST_AMOUNTS


def _number_notes(
    name: str, removed: str, markers: Sequence[str], lost: float, others: Sequence[str], row: int
) -> list[str]:
    """Add notes on what was removed from texts to get numbers, and on cells that became missing."""
    shown, change = label(name), option("nominal", name)
    notes: list[str] = [Change(f"{shown}: read as numbers {removed}; {change} to change")] if removed else []
    if markers:
        marked = ", ".join(map(shorten, markers))
        notes.append(f"{shown}: {marked} read as missing among numbers; {change} to change")
    if others:
        cells = f"{plural(int(lost), 'cell')} that {'is' if lost == 1 else 'are'} not a number"
        first = f"{'' if lost == 1 else 'first '}{shorten(others[0])} in row {row}"
        notes.append(Change(f"{shown}: {cells} read as missing ({first}); {change} to change"))
    return notes


def _point_out_markers(column: Nominal, codes: Ints32, notes: list[str]) -> None:
    """Note categories that may mean a missing value."""
    for code, text in enumerate(column.categories[:_FIRST_TEXTS]):
        if may_be_missing(text) and (count := int(np.count_nonzero(codes == code))):
            notes.append(
                f"{label(column.name)}: {shorten(text)} ({plural(count, 'row')}) is a category; "
                f"{option('missing', text)} to read it as missing"
            )


def apply_kinds(table: Table, kinds: Kinds) -> Table:
    """Return the table with the kinds of columns that the caller named."""
    if not kinds.named and not kinds.notations:
        return table
    columns, arrays = list(table.schema.columns), list(table.columns)
    for name in table.schema.names:
        i = table.schema.position(name)
        if name in kinds.numeric:
            columns[i], arrays[i] = as_numeric(columns[i], arrays[i], kinds.style)
        elif name in kinds.dates:
            columns[i], arrays[i] = as_date(columns[i], arrays[i], kinds.dates[name])
        elif name in kinds.ordered:
            columns[i], arrays[i] = as_ordered(columns[i], arrays[i], kinds.ordered[name])
        elif name in kinds.nominal:
            columns[i], arrays[i] = as_nominal(columns[i], arrays[i])
        elif name in kinds.notations:
            columns[i], arrays[i] = as_written(columns[i], arrays[i], kinds.notations[name])
    # Guesses about a column whose kind was named no longer matter.
    notes = [note for note in table.notes if not any(note.startswith(f"{label(name)}: ") for name in kinds.named)]
    return table.replaced(replace(table.schema, columns=tuple(columns)), arrays, notes)


def as_written(column: Column, values: AnyArray, how: Notation | str) -> tuple[Column, AnyArray]:
    """Read a column as it was read for a model; the format of dates that are written otherwise is guessed."""
    if isinstance(how, Notation):
        return as_numeric(column, values, notation=how)
    try:
        return as_date(column, values, how)
    except DataError:
        return column, values


def as_nominal(column: Column, values: AnyArray) -> tuple[Nominal, AnyArray]:
    """Convert a column to categories without order: numbers in rising order, written as short as possible."""
    if isinstance(column, Nominal):
        return replace(column, ordered=False), values
    known = ~np.isnan(values)
    distinct, indices = np.unique(values[known] + 0.0, return_inverse=True)  # + 0.0: one zero, not two
    codes = np.full(len(values), -1, np.int32)
    pattern = column.format
    texts = [show_number(v) if pattern is None else dates.show(float(v), pattern) for v in distinct]
    merged = list(dict.fromkeys(texts))  # without the time of day, two moments may have the same text
    code_of = {text: code for code, text in enumerate(merged)}
    codes[known] = np.array([code_of[text] for text in texts], np.int32)[indices]
    return Nominal(column.name, tuple(merged)), codes


def as_numeric(
    column: Column, values: AnyArray, style: Style = PLAIN, notation: Notation | None = None
) -> tuple[Numeric, AnyArray]:
    """Convert a column to numbers; a category that is neither a number nor a marker for missing is an error.

    Parameters
    ----------
    column, values : Column and array
        The column.
    style : Style
        What is known about how numbers are written.
    notation : Notation, optional
        How they are written in the rows that a model learned from; another unit is an error.
    """
    if isinstance(column, Numeric):
        return Numeric(column.name, notation=column.notation), values
    if notation is not None:
        style = Style(notation.decimal, notation.thousands, factors=notation.factors)
    used = np.bincount(values[values >= 0], minlength=len(column.categories))
    open_ = np.array([not is_marker(text) for text in column.categories], bool) & (used > 0)
    numbers = np.full(len(column.categories) + 1, np.nan)
    texts = [text for text, is_open in zip(column.categories, open_, strict=True) if is_open]
    if notation is not None or not all(map(NUMBER.fullmatch, texts)):
        reading = read_numbers(texts, used[open_], style) if texts else None
        read = reading.values if reading is not None else [float(t) if NUMBER.fullmatch(t) else np.nan for t in texts]
        found = None if reading is None or not reading.decorated else reading.notation
    else:
        read, found = list(map(float, texts)), None
    numbers[:-1][open_] = read
    for code in np.flatnonzero(open_ & np.isnan(numbers[:-1])).tolist():
        row = int(np.argmax(values == code)) + 1
        text = column.categories[code]
        how = "" if _DIGIT.search(text) else f"; {option('missing', text)} reads it as missing"
        raise DataError(f"row {row}: found {shorten(text)}; expected a number{how}", column=column.name)
    if notation is not None and found is not None and found.unit and found.unit != notation.unit:
        wanted = f"in {shorten(notation.unit)}" if notation.unit else "without a unit"
        raise DataError(f"found numbers in {shorten(found.unit)}; expected numbers {wanted}", column=column.name)
    return Numeric(column.name, notation=notation or found), numbers[values]


def as_ordered(column: Column, values: AnyArray, order: Sequence[str]) -> tuple[Nominal, AnyArray]:
    """Convert a column to ordered categories; by default numbers rise and texts keep their order."""
    nominal, codes = as_nominal(column, values)
    wanted = list(order)
    if not wanted:
        wanted = list(nominal.categories)
        if all(map(NUMBER.fullmatch, wanted)):
            wanted.sort(key=float)
    code_of = {text: code for code, text in enumerate(wanted)}
    if len(code_of) != len(wanted):
        msg = f"a category occurs twice in its order {wanted}"
        raise DataError(msg, column=column.name)
    for code, text in enumerate(nominal.categories):
        if text not in code_of and (rows := np.flatnonzero(codes == code)).size:
            msg = f"row {rows[0] + 1}: found {shorten(text)}, which is not in the order given: {', '.join(wanted)}"
            raise DataError(msg, column=column.name)
    moved = np.array([*(code_of.get(text, -1) for text in nominal.categories), -1], np.int32)[codes]
    return Nominal(column.name, tuple(wanted), ordered=True), moved


def as_date(column: Column, values: AnyArray, pattern: str | None) -> tuple[Numeric, AnyArray]:
    """Convert a column to dates: texts are read by the pattern; numbers are seconds since 1970."""
    if isinstance(column, Numeric) and pattern == dates.DIGITS and column.format is None:
        column, values = as_nominal(column, values)
    if isinstance(column, Numeric):
        return Numeric(column.name, pattern or column.format or dates.SECOND), values
    used = pattern or dates.guess_pattern(column.categories, column.name)
    numbers = np.array([*dates.parse_each(column.categories, used), np.nan])
    for code in np.flatnonzero(np.isnan(numbers[:-1])).tolist():
        text, rows = column.categories[code], np.flatnonzero(values == code)
        if len(rows) and not is_marker(text):
            msg = f"row {rows[0] + 1}: found {shorten(text)}; expected a date written as {used}"
            raise DataError(msg, column=column.name)
    return Numeric(column.name, used), numbers[values]


def show_number(value: float) -> str:
    """Write a number as short as possible without loss; whole numbers without a point.

    Examples
    --------
    >>> show_number(3.0), show_number(0.1)
    ('3', '0.1')
    """
    number = float(value)
    return str(int(number)) if number.is_integer() and abs(number) < EXACT else repr(number)
