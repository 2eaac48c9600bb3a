"""Kinds of columns that the source leaves open, and changing a kind on request.

Every guess is reported in `Table.notes`, with the option that changes it. Kinds named by the caller are applied here to
any table, wherever it came from.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.sniff import NUMBER
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

# More distinct integers than this are hardly categories, so there is no note.
FEW_INTEGERS = 100
# These also mean missing where every other value of a column is a number.
MISSING_NUMBERS = ("none", "None", "NONE", "-", "--", ".", "*", "missing", "unknown")
EXACT = 2.0**53  # whole numbers below this are kept exactly
# This many texts without a number are enough to call a column nominal.
_FIRST_TEXTS = 1_000


@dataclass(frozen=True)
class Kinds:
    """The kinds of columns that the caller named.

    Parameters
    ----------
    nominal, numeric : frozenset of str
        Columns to read as categories, or as numbers.
    ordered : dict
        Categories in their order; an empty tuple where they are taken from the data.
    dates : dict
        ``strftime`` patterns; None where the pattern is guessed.
    """

    nominal: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()
    ordered: dict[str, tuple[str, ...]] = field(default_factory=dict)
    dates: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def resolve(
        cls,
        names: Sequence[str],
        nominal: Collection[str | int],
        numeric: Collection[str | int],
        ordered: Mapping[str | int, Sequence[str]] | Iterable[str | int],
        dates: Mapping[str | int, str | None] | Iterable[str | int],
    ) -> Kinds:
        """Turn names and positions into names; unknown columns and contradictions are errors."""
        where = Schema(tuple(Numeric(name) for name in names))

        def name(column: str | int) -> str:
            return names[where.position(column)]

        order = ordered if isinstance(ordered, Mapping) else dict.fromkeys(_listed(ordered), ())
        patterns = dates if isinstance(dates, Mapping) else dict.fromkeys(_listed(dates))
        kinds = cls(
            frozenset(map(name, _listed(nominal))),
            frozenset(map(name, _listed(numeric))),
            {name(column): tuple(map(str, categories)) for column, categories in order.items()},
            {name(column): pattern for column, pattern in patterns.items()},
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
        return self.nominal | frozenset(self.ordered) | frozenset(self.dates)

    @property
    def named(self) -> frozenset[str]:
        """Every column whose kind the caller named."""
        return self.as_text | self.numeric


FindKinds = Callable[[Sequence[str]], Kinds]  # given the names of the columns


def _listed(columns: Iterable[str | int]) -> list[str | int]:
    return [columns] if isinstance(columns, str | int) else list(columns)


def integer_note(name: str, values: NDArray[np.float64]) -> str | None:
    """Give a note where a column of integers may be categories.

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
    if distinct == 0 or distinct > FEW_INTEGERS:
        return None
    return (
        f"{label(name)}: {plural(distinct, 'distinct integer')}, read as numeric; {option('nominal', name)} to change"
    )


def lost_digits_note(name: str, largest: float) -> str:
    """Give a note that a column has integers that are not kept exactly."""
    what = f"integers up to {largest:.3g}, more than a number keeps exactly"
    return f"{label(name)}: {what}; {option('nominal', name)} to change"


def _count_integers(values: NDArray[np.float64]) -> int:
    low, high = float(np.nanmin(values, initial=np.inf)), float(np.nanmax(values, initial=-np.inf))
    if high < low:
        return 0
    if high - low < 10_000:  # noqa: PLR2004 (a count table this small stays in the processor's cache)
        offsets = np.where(np.isnan(values), -1, values - low).astype(np.int64)
        return int(np.count_nonzero(np.bincount(offsets[offsets >= 0])))
    return len(np.unique(values[~np.isnan(values)]))


def text_column(
    name: str, categories: Sequence[str], codes: NDArray[np.int32], notes: list[str], *, keep: bool = False
) -> tuple[Column, NDArray[Any]]:
    """Decide whether texts are categories, or numbers with an undeclared marker for missing.

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
    """
    nominal = Nominal(name, tuple(categories))
    if keep or not categories:
        return nominal, codes
    head = [bool(NUMBER.fullmatch(text)) for text in categories[:_FIRST_TEXTS]]
    if not any(head):  # most columns of text stop here
        return nominal, codes
    number = head + [bool(NUMBER.fullmatch(text)) for text in categories[_FIRST_TEXTS:]]
    others = [text for text, is_number in zip(categories, number, strict=True) if not is_number]
    if all(text.strip() in MISSING_NUMBERS for text in others):
        if others:
            shown = ", ".join(map(shorten, others))
            notes.append(f"{label(name)}: {shown} read as missing among numbers; {option('nominal', name)} to change")
        values = [float(text) if ok else np.nan for text, ok in zip(categories, number, strict=True)]
        return Numeric(name), np.append(values, np.nan)[codes]
    if sum(number) > len(categories) / 2:
        row = int(np.argmax(codes == categories.index(others[0]))) + 1
        notes.append(
            f"{label(name)}: read as nominal although most of its {len(categories)} values are numbers, for "
            f"{shorten(others[0])} (row {row}) is not; --missing to name markers"
        )
    return nominal, codes


def apply_kinds(table: Table, kinds: Kinds) -> Table:
    """Give the table with the kinds of columns that the caller named."""
    if not kinds.named:
        return table
    columns, arrays = list(table.schema.columns), list(table.columns)
    for name in table.schema.names:
        i = table.schema.position(name)
        if name in kinds.numeric:
            columns[i], arrays[i] = as_numeric(columns[i], arrays[i])
        elif name in kinds.dates:
            columns[i], arrays[i] = as_date(columns[i], arrays[i], kinds.dates[name])
        elif name in kinds.ordered:
            columns[i], arrays[i] = as_ordered(columns[i], arrays[i], kinds.ordered[name])
        elif name in kinds.nominal:
            columns[i], arrays[i] = as_nominal(columns[i], arrays[i])
    # Guesses about a column whose kind was named no longer matter.
    notes = [note for note in table.notes if not any(note.startswith(f"{label(name)}: ") for name in kinds.named)]
    return Table(replace(table.schema, columns=tuple(columns)), arrays, notes, copy=False)


def as_nominal(column: Column, values: NDArray[Any]) -> tuple[Nominal, NDArray[Any]]:
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


def as_numeric(column: Column, values: NDArray[Any]) -> tuple[Numeric, NDArray[Any]]:
    """Convert a column to numbers; a category that is neither a number nor a marker for missing is an error."""
    if isinstance(column, Numeric):
        return Numeric(column.name), values
    numbers = np.full(len(column.categories) + 1, np.nan)
    for code, text in enumerate(column.categories):
        if NUMBER.fullmatch(text):
            numbers[code] = float(text)
        elif text.strip() not in MISSING_NUMBERS:
            rows = np.flatnonzero(values == code)
            if len(rows):
                msg = f"row {rows[0] + 1}: found {shorten(text)}; expected a number"
                raise DataError(msg, column=column.name)
    return Numeric(column.name), numbers[values]


def as_ordered(column: Column, values: NDArray[Any], order: Sequence[str]) -> tuple[Nominal, NDArray[Any]]:
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


def as_date(column: Column, values: NDArray[Any], pattern: str | None) -> tuple[Numeric, NDArray[Any]]:
    """Convert a column to dates: texts are read by the pattern; numbers are seconds since 1970."""
    if isinstance(column, Numeric):
        return Numeric(column.name, pattern or column.format or dates.SECOND), values
    used = pattern or dates.guess_pattern(column.categories, column.name)
    numbers = np.full(len(column.categories) + 1, np.nan)
    for code, text in enumerate(column.categories):
        try:
            numbers[code] = dates.parse(text.strip(), used)
        except (ValueError, OverflowError):
            row = int(np.argmax(values == code)) + 1
            msg = f"row {row}: found {shorten(text)}; expected a date written as {used}"
            raise DataError(msg, column=column.name) from None
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
