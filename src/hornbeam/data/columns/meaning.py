"""Columns of a file or a data frame that are left out, or replaced by other columns.

ARFF files and example sets declare their columns, so nothing is changed in them. Every change is in `Table.notes`,
with the option that undoes it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.dates import DIGITS, is_calendar
from hornbeam.data.errors import Change, DataError, label, option, shorten
from hornbeam.data.in_words import plural
from hornbeam.data.infer import ALTHOUGH, as_nominal, is_marker, show_number, text_column
from hornbeam.data.notices import are_ranks, are_texts, identifies_rows, numbers_rows
from hornbeam.data.schema import Column, Nominal, Numeric, SchemaError
from hornbeam.data.text.start import NUMBER

_DIGIT = re.compile("[0-9]")
_FIRST_TEXTS = 1_000
_FIRST_DAY = 19_000_101  # the first date that a number is read as

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.columns.numbers import Style
    from hornbeam.data.table import Table


@dataclass(frozen=True, slots=True)
class ColumnOptions:
    """The caller's options for columns."""

    named: Collection[str]  # columns whose kind was named; it stays
    keep: Collection[str]  # columns to use as they are
    text: Collection[str]  # columns of texts, to be used by their words
    style: Style  # how numbers are written
    parts: Mapping[str, Sequence[str]]  # columns of dates, and the parts to use them by
    is_file: bool  # whether the table was read from a file: only then columns are left out


def with_meaning(table: Table, options: ColumnOptions) -> Table:
    """Return the table without unusable columns, and with dates and texts replaced by useful columns.

    Parameters
    ----------
    table : Table
        As it was read, with roles.
    options : ColumnOptions
        The caller's options.

    Returns
    -------
    Table
    """
    table = _with_words(table, options.text)
    if table.declared:
        return table
    table = _texts_as_numbers(table, options)
    table = _with_dates(table, options)
    if isinstance(table.schema.target_column if table.schema.target is not None else None, Numeric):
        from hornbeam.data.columns.meaning import as_target  # noqa: PLC0415 (only for numbers)

        table = as_target(table, options.named)
    if options.is_file:
        table = _without_identifiers(table, options)
    return _with_date_parts(table, options)


def _changed(table: Table, place: int, column: Column, values: AnyArray, notes: Collection[str]) -> Table:
    """Return the table with another column at an index, and more notes; older notes about the column go."""
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[place], arrays[place] = column, values
    kept = [note for note in table.notes if not note.startswith(f"{label(column.name)}: ")]
    return table.replaced(replace(table.schema, columns=tuple(columns)), arrays, [*kept, *notes])


def _with_words(table: Table, text: Collection[str]) -> Table:
    for name in text:
        from hornbeam.data.columns.derived import with_derived  # noqa: PLC0415 (few tables need it)
        from hornbeam.data.columns.words import word_columns  # noqa: PLC0415 (the same)

        place = table.schema.position(name)
        column = table.schema.columns[place]
        if not isinstance(column, Nominal):
            raise DataError(f"numbers; expected texts, whose words {option('text', name)} would count", column=name)
        words = word_columns(column, table.columns[place], table.schema.names)
        if not words:
            raise DataError("no word occurs in two of its texts", column=name)
        table = with_derived(table, words, source=name)
        kept = [note for note in table.notes if not note.startswith(f"{label(name)}: ")]
        table = table.with_notes([*kept, f"{label(name)}: texts, used by {plural(len(words), 'word')}"])
    return table


def _texts_as_numbers(table: Table, options: ColumnOptions) -> Table:
    """Read texts as numbers where they are written with currencies, separators or units.

    For one file this was done before; data frames also have texts, and each of several files may have its own notation.
    """
    for place, column in enumerate(table.schema.columns):
        if isinstance(column, Nominal) and not column.ordered and column.derived is None and _is_open(column, options):
            notes: list[str] = []
            new, values = text_column(
                column.name, column.categories, table.columns[place], notes, plain=False, style=options.style
            )
            if isinstance(new, Numeric):
                table = _changed(table, place, new, values, notes)
    return table


def _is_open(column: Column, options: ColumnOptions) -> bool:
    return column.name not in options.named and column.name not in options.text


def _with_dates(table: Table, options: ColumnOptions) -> Table:
    """Read texts and numbers such as 20231231 as dates."""
    patterns = [c.format for c in table.schema.columns if isinstance(c, Numeric) and c.format is not None]
    unsure: list[int] = []
    if not any(map(_may_be_date, table.schema.columns, table.columns)):
        return table
    from hornbeam.data.columns.written_dates import read_digits  # noqa: PLC0415 (many tables have no such column)

    for place, column in enumerate(table.schema.columns):
        if not _is_open(column, options) or table.schema.roles[place] in ("weight", "group"):
            continue
        if isinstance(column, Nominal) and not column.ordered and column.derived is None and _has_digits(column):
            found = _read_column(table, place, ())
            if found is None:
                continue
            new, notes, is_sure = found
            if is_sure:
                table = _changed(table, place, *new, notes)
                patterns.insert(0, str(new[0].format))
            else:
                unsure.append(place)
        elif isinstance(column, Numeric) and column.format is None and table.schema.roles[place] == "feature":
            seconds = read_digits(table.columns[place])
            if seconds is not None:
                change = option("numeric", column.name)
                note = f"{label(column.name)}: numbers such as 20231231 read as dates; {change} to change"
                table = _changed(table, place, Numeric(column.name, DIGITS), seconds, [Change(note)])
    for place in unsure:
        found = _read_column(table, place, patterns)
        assert found is not None
        table = _changed(table, place, *found[0], found[1])
    return table


def _may_be_date(column: Column, values: AnyArray) -> bool:
    if isinstance(column, Numeric):  # numbers such as 20231231
        return not bool((values < _FIRST_DAY).any())
    return _has_digits(column)


def _has_digits(column: Nominal) -> bool:
    return any(map(_DIGIT.search, column.categories[:_FIRST_TEXTS]))


def _read_column(
    table: Table, place: int, prefer: Collection[str]
) -> tuple[tuple[Numeric, AnyArray], list[str], bool] | None:
    """Read a nominal column as dates, with notes, and whether the order of day and month is sure."""
    from hornbeam.data.columns.written_dates import read_dates  # noqa: PLC0415 (see above)

    column, codes = table.schema.columns[place], table.columns[place]
    assert isinstance(column, Nominal)
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    used = [code for code, count in enumerate(counts) if count and not is_marker(column.categories[code])]
    if not used:
        return None
    read = read_dates([column.categories[code] for code in used], counts[used], prefer)
    if read is None:
        return None
    seconds = np.full(len(column.categories) + 1, np.nan)
    seconds[used] = read.values
    values = seconds[codes]
    shown = label(column.name)
    notes: list[str] = []
    if read.other is not None:
        change = option("dates", f"{column.name}={read.other}")
        said = f"{shown}: dates read as {read.pattern}, but day and month could be swapped; {change} to change"
        notes.append(Change(said))
    else:
        notes.append(f"{shown}: dates written as {read.pattern}; {option('nominal', column.name)} to change")
    lost = (codes >= 0) & np.isnan(values)
    if lost.any():
        row = int(np.argmax(lost))
        cells = plural(int(lost.sum()), "cell")
        text = shorten(column.categories[int(codes[row])])
        notes.append(Change(f"{shown}: {cells} without such a date read as missing ({text} in row {row + 1})"))
    return (Numeric(column.name, read.pattern), values), notes, read.other is None


def _without_identifiers(table: Table, options: ColumnOptions) -> Table:
    """Leave out columns that name rows, as long as others remain."""
    schema = table.schema
    remaining = sum(column.derived is None for column in map(schema.columns.__getitem__, schema.features))
    needed = 1 if schema.target is not None else 2  # without a target, one of them will be that
    notes = list(table.notes)
    left: list[str] = []
    ranks = [schema.names[i] for i in schema.features if are_ranks(schema.columns[i], table.columns[i])]
    kept = {
        *options.keep,
        *options.named,
        *(ranks if len(ranks) > 1 else ()),
    }  # one is a number of rows, several are not
    for place in schema.features:
        column, values = schema.columns[place], table.columns[place]
        if column.name in kept or remaining <= needed or not table.n_rows:
            continue
        why = _why_left_out(column, values)
        if why is not None:
            about = f"{label(column.name)}: "
            notes = [note for note in notes if not note.startswith(about) or f"{about}{ALTHOUGH}" in note]
            notes.append(Change(f"{label(column.name)}: {why}"))
            left.append(column.name)
            remaining -= 1
    return table.assign(dict.fromkeys(left, "ignored")).with_notes(notes) if left else table


def _why_left_out(column: Column, values: AnyArray) -> str | None:
    keep = option("keep", column.name)
    if numbers_rows(column, values):
        return f"numbers the rows ({values[0]:g}, {values[1]:g}, ...) and is left out; {keep} to use it"
    words = are_texts(column, values)
    if words is not None:
        text = option("text", column.name)
        return f"texts of about {words:.0f} words, left out; {text} to use the words, {keep} to use texts as categories"
    why = identifies_rows(column, values)
    return None if why is None else f"{why}, left out; {keep} to use it"


def _with_date_parts(table: Table, options: ColumnOptions) -> Table:
    """Replace features that are dates by their parts."""
    schema = table.schema
    _check_parts(table, options.parts)
    features = [schema.columns[place] for place in schema.features]
    for column in features:
        if not isinstance(column, Numeric) or not is_calendar(column.format) or column.name in options.keep:
            continue
        from hornbeam.data.columns.date_parts import PARTS, part_columns  # noqa: PLC0415 (few tables need it)
        from hornbeam.data.columns.derived import with_derived  # noqa: PLC0415 (the same)

        wanted = options.parts.get(column.name, PARTS)
        parts = part_columns(column, table.column(column.name), table.schema.names, wanted)
        if not parts:
            continue
        table = with_derived(table, parts, source=column.name)
        names = [str(part.derived.argument) for part in parts if part.derived is not None]
        listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
        change = option("keep", column.name)
        note = f"{label(column.name)}: a date, replaced by its {listed}; {change} to use the date itself"
        if column.name not in options.parts:
            note += ", --date-parts for other parts"
        kept = [n for n in table.notes if not n.startswith(f"{label(column.name)}: dates, numbers that print")]
        table = table.with_notes([*kept, Change(note)])
    return table


def _check_parts(table: Table, parts: Mapping[str, Sequence[str]]) -> None:
    """Raise an error for parts that dates do not have, and for parts of columns without dates."""
    for name, wanted in parts.items():
        from hornbeam.data.columns.date_parts import EVERY_PART  # noqa: PLC0415 (few tables need it)

        column = table.schema.columns[table.schema.position(name)]
        if not isinstance(column, Numeric) or not is_calendar(column.format):
            raise DataError(f"no dates, so it has no parts; {option('dates', name)} reads dates", column=name)
        unknown = [part for part in wanted if part not in EVERY_PART]
        if unknown or not wanted:
            found = repr(unknown[0]) if unknown else "nothing"
            raise DataError(f"found {found} as a part of dates; expected some of {', '.join(EVERY_PART)}", column=name)


MOST_CLASSES = 50
_TWO = 2
_FEW = 10
_HEAD = 1_000


def as_target(table: Table, named: Collection[str] = ()) -> Table:
    """Return the table with a numeric target of two values as classes; a few integers are pointed out in a note.

    Parameters
    ----------
    table : Table
        With a target.
    named : collection of str
        Columns whose kind was named by the caller, which stays.

    Returns
    -------
    Table
    """
    place = table.schema.target
    if place is None or table.declared:
        return table
    column, values = table.schema.columns[place], table.columns[place]
    if not isinstance(column, Numeric) or column.format is not None or column.name in named:
        return table
    if len(np.unique(values[:_HEAD])) > _FEW + 1:  # true for most targets
        return table
    distinct = np.unique(values[~np.isnan(values)])
    notes = [note for note in table.notes if not note.startswith(f"{label(column.name)}: ") or "distinct" not in note]
    if len(distinct) == _TWO:
        low, high = map(show_number, distinct)
        change = option("numeric", column.name)
        notes.append(Change(f"{label(column.name)}: two values, {low} and {high}, read as classes; {change} to change"))
        nominal, codes = as_nominal(column, values)
        columns = list(table.schema.columns)
        arrays = list(table.columns)
        columns[place], arrays[place] = nominal, codes
        return table.replaced(replace(table.schema, columns=tuple(columns)), arrays, notes)
    if _TWO < len(distinct) <= _FEW and bool((distinct == np.floor(distinct)).all()):
        notes.append(
            f"{label(column.name)}: the target has {len(distinct)} distinct integers and is predicted as a number; "
            f"{option('nominal', column.name)} to predict classes"
        )
        return table.with_notes(notes)
    return table


def check_target(table: Table, most: int = MOST_CLASSES) -> None:
    """Raise an error for a target that must be a mistake: hundreds of classes, dates, or no values."""
    column = table.schema.target_column
    if not table.n_rows:
        raise SchemaError(f"the table {table.schema.name!r} has no rows; expected at least one below the header")
    if column.missing(table.target_values()).all():
        msg = f"the target {column.name!r} is missing in every row; name another column with --target"
        raise SchemaError(msg)
    if isinstance(column, Numeric) and is_calendar(column.format):
        numeric = option("numeric", column.name)
        msg = f"the target is a date; name another with --target, or {numeric} to predict seconds since 1970"
        raise DataError(msg, column=column.name)
    if not isinstance(column, Nominal):
        return
    codes = table.target_values()
    classes = int(np.count_nonzero(np.bincount(codes[codes >= 0], minlength=1)))
    if classes > most:
        texts = column.categories
        are_numbers = sum(NUMBER.fullmatch(text) is not None for text in texts) > len(texts) / 2
        ways = f"{option('numeric', column.name)} to predict numbers, " if are_numbers else ""
        msg = (
            f"the target {column.name!r} has {classes} distinct values and would be predicted as classes; "
            f"{ways}--target to choose another column, or --max-classes {classes} to learn it anyway"
        )
        raise SchemaError(msg)
