"""What a user should know about a table before learning: printed by the commands, and issued as warnings in Python.

Columns that name rows are useless for other rows: row numbers, identifiers, and long texts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.errors import Change, DataWarning, in_python, warn
from hornbeam.data.schema import Nominal, Numeric

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.examine import Finding
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table

# A nominal column identifies rows where its values are nearly all distinct.
DISTINCT_SHARE = 0.9
FEWEST_ROWS = 20
FEWEST_NAMES = 8
_FEWEST_NUMBERED = 3  # rows, where the column's name suggests that it numbers them
_MOST_WORDS = 1_000  # texts whose words are counted
_TEXT_WORDS = 5  # in the mean, from which on categories are texts
_TEXT_SHARE = 0.5  # of the rows have a text of their own

_UNNAMED = re.compile(r"column[0-9]+|Unnamed: ?[0-9]+|index|level_0|X|\.\.\.1|_c0", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:row|obs(?:ervation)?|case|record|rec|line|entry|serial|seq|item|doc|s)?[ _.-]?"
    r"(?:id|ids|idx|index|no|nr|num|number|names?|#)\.?|row|rownames|obs|case|record|observation|s\.?no\.?",
    re.IGNORECASE,
)
# Names of what occurs in several rows too: people, households.
_GROUP = r"(?:.*[ _.-])?(?:id|ID|Id)|.*[a-z](?:Id|ID)|[CPSU]ID|[Ss]ubject|[Pp]atient|[Pp]erson|[Hh]ousehold|[Cc]ustomer"
_GROUPS = re.compile(_GROUP)
_IDENTIFIER = re.compile(rf"{_GROUP}|(?:.*[ _.-])?(?:uuid|guid|UUID|GUID|key)|.*[a-z]No|row.?names?|.*[Cc]ode?|[Ss]ite")
_CLOCK = r"year|date|day|month|week|hour|time|quarter|season|\byr\b|\bt\b"
_CALENDAR = re.compile(_CLOCK, re.IGNORECASE)
_TIME = re.compile(rf"{_CLOCK}|\bage\b", re.IGNORECASE)


def numbers_rows(column: Column, values: AnyArray) -> bool:
    """Whether a column counts the rows: 0, 1, 2 or 1, 2, 3 and so on, in order.

    Only columns whose names suggest row numbers are recognized in tables of few rows, and columns of time, such
    as a year, never are.
    """
    if not isinstance(column, Numeric) or column.format is not None or column.derived is not None:
        return False
    named = bool(_UNNAMED.fullmatch(column.name) or _NUMBERED.fullmatch(column.name))
    if len(values) < (_FEWEST_NUMBERED if named else FEWEST_ROWS):
        return False
    if (
        values[1] - values[0] != 1
        or values[0] < 0
        or values[0] != np.floor(values[0])
        or (_TIME.search(column.name) and not named)
    ):
        return False  # most columns stop here
    return bool((np.diff(values) == 1).all())


def identifies_rows(column: Column, values: AnyArray) -> str | None:  # noqa: PLR0911 (quick ways out)
    """Return how a column identifies rows, other than by numbering them; None if it does not."""
    if column.derived is not None:
        return None
    if isinstance(column, Nominal):
        n_known = int(np.count_nonzero(values >= 0))
        if n_known >= FEWEST_ROWS and len(column.categories) <= DISTINCT_SHARE * n_known:
            return None  # most nominal columns stop here
        known = values[values >= 0]
        distinct = int(np.count_nonzero(np.bincount(known, minlength=1)))
        few = len(known) < FEWEST_ROWS
        enough = distinct == len(known) >= FEWEST_NAMES if few else distinct > DISTINCT_SHARE * len(known)
        return f"{distinct} categories in {len(known)} rows identify rows" if enough else None
    if column.format is not None or len(values) < FEWEST_ROWS:
        return None
    first = values[:FEWEST_ROWS]
    if not (first == np.floor(first)).all() or len(np.unique(first)) <= DISTINCT_SHARE * len(first):
        return None  # most columns of numbers stop here
    if _TIME.search(column.name) or not (values == np.floor(values)).all():
        return None
    distinct = len(np.unique(values))
    if distinct < len(values):
        nearly = distinct > DISTINCT_SHARE * len(values) and _IDENTIFIER.fullmatch(column.name)
        return f"{distinct} distinct integers in {len(values)} rows identify rows" if nearly else None
    low, high = float(values.min()), float(values.max())
    if high - low == len(values) - 1:
        return f"holds each integer from {low:.0f} to {high:.0f} once and identifies rows"
    if _UNNAMED.fullmatch(column.name) or _IDENTIFIER.fullmatch(column.name) or _NUMBERED.fullmatch(column.name):
        return "a different integer in every row identifies rows"
    return None


def are_ranks(column: Column, values: AnyArray) -> bool:
    """Whether a column holds each integer once, in any order, and its name does not suggest row numbers."""
    if not isinstance(column, Numeric) or numbers_rows(column, values) or identifies_rows(column, values) is None:
        return False
    return not any(pattern.fullmatch(column.name) for pattern in (_UNNAMED, _IDENTIFIER, _NUMBERED))


def is_time(name: str) -> bool:
    """Whether the name of a column suggests times, such as years or days."""
    return _CALENDAR.search(name) is not None


def names_groups(name: str) -> bool:
    """Whether the name of a column suggests that it identifies a group of rows, such as the rows of one patient."""
    return _GROUPS.fullmatch(name) is not None


def may_leak(column: Column) -> bool:
    """Whether a column may name groups of rows, or hold times."""
    return names_groups(column.name) or is_time(column.name) or (isinstance(column, Numeric) and bool(column.format))


def are_texts(column: Column, values: AnyArray) -> float | None:
    """Return the mean number of words where a column holds texts, nearly all different; None if it does not."""
    if not isinstance(column, Nominal) or column.derived is not None:
        return None
    fewest = max(FEWEST_NAMES, _TEXT_SHARE * np.count_nonzero(values >= 0))
    if len(column.categories) < fewest:
        return None  # most nominal columns stop here
    distinct = np.unique(values[values >= 0])
    if len(distinct) < fewest:
        return None
    words = [len(column.categories[code].split()) for code in distinct[:_MOST_WORDS].tolist()]
    mean = float(np.mean(words))
    return mean if mean >= _TEXT_WORDS else None


_HEAD = 64  # rows; a column that varies among the first ones is not constant


def cautions(table: Table, order: str | None = None) -> list[str]:
    """Return the warnings about a table, as sentences.

    Parameters
    ----------
    table : Table
        The table to learn from.
    order : str, optional
        The column of time by which rows are split, if any: then a model may use dates.

    Returns
    -------
    list of str
    """
    return [found.message for found in findings_of(table, order)]


def findings_of(table: Table, order: str | None) -> list[Finding]:
    """Return what `hornbeam.data.examine.examine` finds, without the dates if rows are split in order of time."""
    from hornbeam.data.examine import examine  # noqa: PLC0415 (not needed to warn of a few columns)

    return [found for found in examine(table) if order is None or found.kind != "calendar"]


def warn_of(table: Table) -> None:
    """Issue a `DataWarning` for everything that was changed while reading, and for columns that cannot help.

    Parameters
    ----------
    table : Table
        A table that was read from a file or a data frame.
    """
    found = [str(note) for note in table.notes if isinstance(note, Change)]
    if not table.declared:
        found += useless_columns(table) + _leaks(table)
    for message in found:
        warn(in_python(message), DataWarning)
    if table.schema.target is not None:
        warn_of_target(table)


def warn_of_target(table: Table) -> None:
    """Issue a `DataWarning` for every feature that alone determines the target."""
    if table.declared:
        return
    from hornbeam.data.examine import examine_target  # noqa: PLC0415 (it imports this module)

    for found in examine_target(table):
        warn(in_python(found.message), DataWarning)


def _leaks(table: Table) -> list[str]:
    """Find features by which held-out rows are like training rows: names of groups, times, and many categories."""
    features = [table.schema.columns[place] for place in table.schema.features]
    if not any(may_leak(column) or isinstance(column, Nominal) for column in features):
        return []
    from hornbeam.data.examine import examine_leaks  # noqa: PLC0415 (few tables need it)

    return [found.message for found in examine_leaks(table)]


def useless_columns(table: Table) -> list[str]:
    """Find features that only number or name rows, or have one value; quick, since `fit` calls it too."""
    messages = []
    for place in table.schema.features:
        column, values = table.schema.columns[place], table.columns[place]
        if not len(values):
            continue
        if numbers_rows(column, values):
            messages.append(f"the column {column.name!r} only numbers the rows; leave it out?")
        elif isinstance(column, Nominal) and identifies_rows(column, values) is not None:
            messages.append(f"the column {column.name!r} has a different category in nearly every row; leave it out?")
        elif (
            len(values) >= FEWEST_ROWS
            and bool((values[:_HEAD] == values[0]).all())
            and bool(np.all(values == values[0]))
        ):
            messages.append(f"the column {column.name!r} has the same value in every row")
    return messages
