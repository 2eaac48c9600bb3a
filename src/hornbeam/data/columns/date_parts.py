"""Parts of dates as columns: year, month, weekday and hour; on request also the day of the month and days."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Column, Derivation, Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.core.base.arrays import AnyArray, Floats

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
PARTS = ("year", "month", "weekday", "hour")  # used by default
EVERY_PART = ("year", "month", "day", "weekday", "hour", "days")
_SINCE = "days since "  # the first date of the table, from which the days of new rows are counted too
# The strftime directives of patterns that have a part.
_DIRECTIVES = {
    "year": "YyGcxs", "month": "mbBjcxs", "day": "djcxs", "weekday": "djaAcxs", "hour": "HIcXs", "days": "djcxs",
}  # fmt: skip
_NAMES = {"month": MONTHS, "weekday": WEEKDAYS}
_DAY = 86_400
_THURSDAY = 3  # 1970-01-01


def _has(pattern: str, part: str) -> bool:
    return any(f"%{letter}" in pattern for letter in _DIRECTIVES[part])


def part_columns(
    column: Numeric, values: Floats, taken: Collection[str], parts: Collection[str] = PARTS
) -> list[Column]:
    """Return a column for each part of a date that varies.

    Parameters
    ----------
    column : Numeric
        A column of dates.
    values : array
        Its seconds.
    taken : collection of str
        Names that columns have already.
    parts : collection of str
        Which of `EVERY_PART`.

    Returns
    -------
    list of Column
        Named like ``month of departure``; months and weekdays are ordered categories.
    """
    assert column.format is not None
    columns: list[Column] = []
    for part in parts:
        if not _has(column.format, part) or np.isnan(values).all():
            continue
        argument, name = part, f"{part} of {column.name}"
        if part == "days":
            first = np.datetime64(int(np.nanmin(values) // _DAY), "D")
            argument, name = f"{_SINCE}{first}", f"{name} since {first}"
        numbers = _numbers(argument, values)
        if name in taken or np.nanmin(numbers) == np.nanmax(numbers):
            continue
        how = Derivation(column.name, "date part", argument)
        if part in _NAMES:
            columns.append(Nominal(name, _NAMES[part], ordered=True, derived=how))
        else:
            columns.append(Numeric(name, derived=how))
    return columns


def date_part(wanted: Column, source: Column, values: AnyArray) -> AnyArray:
    """Compute a part of every date; missing where the date is missing."""
    del source
    assert wanted.derived is not None
    numbers = _numbers(wanted.derived.argument, values)
    if isinstance(wanted, Numeric):
        return numbers
    return np.where(np.isnan(numbers), -1, numbers).astype(np.int32)


def _numbers(part: str, values: Floats) -> Floats:
    """Return a part of every date as a number; months and weekdays count from 0."""
    known = ~np.isnan(values)
    seconds = np.floor(np.where(known, values, 0.0)).astype(np.int64)
    if part.startswith(_SINCE):
        numbers = seconds // _DAY - np.datetime64(part.removeprefix(_SINCE), "D").astype(np.int64)
    elif part == "hour":
        numbers = seconds % _DAY // 3600
    elif part == "weekday":
        numbers = (seconds // _DAY + _THURSDAY) % 7
    elif part == "day":
        days = seconds.astype("datetime64[s]").astype("datetime64[D]")
        numbers = (days - days.astype("datetime64[M]")).astype(np.int64) + 1
    else:
        months = seconds.astype("datetime64[s]").astype("datetime64[M]").astype(np.int64)
        numbers = months % 12 if part == "month" else months // 12 + 1970
    return np.where(known, numbers.astype(np.float64), np.nan)
