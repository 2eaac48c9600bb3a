"""Dates as people write them: the pattern of a column, by all of its texts.

Whether the day or the month comes first is decided by evidence: a number above 12 in the column, the other columns of
the table, or a part that is always 1 (monthly data).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data import dates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats

SHARE = 0.95  # of the known cells must be dates
LEAST_CELLS = 20  # with this many known cells, some may be something else
_SAMPLE = 50
_LEAST_DISTINCT = 5  # of numbers such as 20231231
_HEAD = 64  # numbers; most columns have one that is not a date among the first
_FIRST_YEAR, _LAST_YEAR = 1900, 2100

_WEEKDAY = r"(?:(?P<weekday>[A-Z][a-z]{2,8})(?P<gap>,? ))?"
_DAY = (
    r"(?P<ymd>[0-9]{4}(?P<s1>[-/.])[0-9]{1,2}(?P=s1)[0-9]{1,2})"
    r"|(?P<dmy>[0-9]{1,2}(?P<s2>[-/.])[0-9]{1,2}(?P=s2)(?:[0-9]{4}|[0-9]{2}))"
    r"|(?P<dby>[0-9]{1,2}(?P<dot>\.?)(?P<s3>[- /])[A-Za-z]{3,9}(?P<s4>,?[- /])(?:[0-9]{4}|[0-9]{2}))"
    r"|(?P<bdy>[A-Za-z]{3,9}(?P<s5>[- ])[0-9]{1,2}(?P<s6>,? )[0-9]{4})"
    r"|(?P<by>[A-Za-z]{3,9}(?P<s7>[- /])[0-9]{4}|[A-Za-z]{3}(?P<s9>-)[0-9]{2})"
    r"|(?P<ym>[0-9]{4}(?P<s8>[-/.])[0-9]{2})"
    r"|(?P<my>[0-9]{1,2}(?P<s10>[-/])(?:19|20)[0-9]{2})"
)
_TIME = (
    r"(?:(?P<between>T|,? )(?P<time>[0-9]{1,2}:[0-9]{2})(?P<seconds>:[0-9]{2})?(?P<fraction>\.[0-9]{1,6})?"
    r"(?P<half> ?[AaPp][Mm])?(?P<zone> ?(?:Z|UTC|[+-][0-9]{2}:?[0-9]{2}))?)?"
)
_DATE = re.compile(rf"{_WEEKDAY}(?:{_DAY}){_TIME}")
_BASIC = re.compile(r"[0-9]{8}T[0-9]{4}(?P<seconds>[0-9]{2})?(?P<zone>Z|[+-][0-9]{4})?")  # 20231231T140000
# Tue Dec 31 14:00:00 UTC 2023, as Unix prints it
_UNIX = re.compile(
    r"[A-Z][a-z]{2} [A-Z][a-z]{2} +[0-9]{1,2} [0-9]{2}:[0-9]{2}:[0-9]{2} (?P<zone>UTC |[+-][0-9]{4} )?[0-9]{4}"
)
_DIGIT_AND_LETTER = re.compile(r"[0-9].*[^\W\d_]|[^\W\d_].*[0-9]")
_HOURS = re.compile(r"[0-9]{1,2}:[0-9]{2}(?P<seconds>:[0-9]{2})?(?P<half> ?[AaPp][Mm])?")


@dataclass(frozen=True, slots=True)
class DateColumn:
    """Texts read as dates."""

    values: Floats  # seconds of each text; NaN if it is not a date
    pattern: str  # the pattern
    other: str | None = None  # another pattern that fits as well: day and month could be swapped


def patterns_of(text: str) -> list[str]:
    """Return the patterns that a text may be written in, by its shape.

    Examples
    --------
    >>> patterns_of("31/12/2023 14:00")
    ['%m/%d/%Y %H:%M', '%d/%m/%Y %H:%M']
    >>> patterns_of("Dec 31, 2023")
    ['%b %d, %Y', '%B %d, %Y']
    """
    found = _DATE.fullmatch(text)
    if found is None:
        return _other_patterns(text)
    year = (
        "%Y"
        if re.search(r"[0-9]{4}", found[0][: found.end() if found["time"] is None else found.start("time")])
        else "%y"
    )
    if found["ymd"]:
        days = ["%Y{0}%m{0}%d".format(found["s1"])]
    elif found["dmy"]:
        s = found["s2"]
        month_first, day_first = f"%m{s}%d{s}{year}", f"%d{s}%m{s}{year}"
        days = [day_first] if s == "." else [month_first, day_first]
    elif found["dby"]:
        days = [f"%d{found['dot']}{found['s3']}{month}{found['s4']}{year}" for month in ("%b", "%B")]
    elif found["bdy"]:
        days = [f"{month}{found['s5']}%d{found['s6']}{year}" for month in ("%b", "%B")]
    elif found["by"]:
        days = [f"{month}{found['s7'] or found['s9']}{year}" for month in ("%b", "%B")]
    elif found["my"]:
        days = [f"%m{found['s10']}%Y"]
    else:
        days = [f"%Y{found['s8']}%m"]
    weekdays = [f"{name}{found['gap']}" for name in ("%a", "%A")] if found["weekday"] else [""]
    clock = "" if found["time"] is None else _clock(found, found["between"])
    return [f"{weekday}{day}{clock}" for weekday in weekdays for day in days]


def _other_patterns(text: str) -> list[str]:
    if (hours := _HOURS.fullmatch(text)) is not None:
        return [_clock(hours, "")]
    if (basic := _BASIC.fullmatch(text)) is not None:
        return [f"%Y%m%dT%H%M{'%S' if basic['seconds'] else ''}{'%z' if basic['zone'] else ''}"]
    if (unix := _UNIX.fullmatch(text)) is not None:
        zone = unix["zone"] or ""
        return [f"%a %b %d %H:%M:%S {'%Z ' if 'UTC' in zone else '%z ' if zone else ''}%Y"]
    return []


def _clock(found: re.Match[str], before: str) -> str:
    pattern = f"{before}{'%I' if found['half'] else '%H'}:%M" + (":%S" if found["seconds"] else "")
    parts = found.groupdict()
    pattern += ".%f" if parts.get("fraction") else ""
    if found["half"]:
        pattern += f"{' ' if found['half'].startswith(' ') else ''}%p"
    zone = parts.get("zone") or ""
    return pattern + ("" if not zone else (" " if zone.startswith(" ") else "") + ("%Z" if "UTC" in zone else "%z"))


def read_dates(texts: Sequence[str], weights: AnyArray, prefer: Iterable[str] = ()) -> DateColumn | None:
    """Read texts as dates that are all written in one way.

    Parameters
    ----------
    texts : sequence of str
        The distinct texts of a column.
    weights : array
        The rows of each.
    prefer : iterable of str
        Patterns of other columns of the table, for dates that can be read in two ways.

    Returns
    -------
    DateColumn or None
        None if the texts are not dates.
    """
    sample = _in_english([text.strip() for text in texts[:: max(1, len(texts) // _SAMPLE)]])
    shapes: dict[str, int] = {}
    for text in sample:
        for pattern in patterns_of(text):
            shapes[pattern] = shapes.get(pattern, 0) + 1
    likely = [pattern for pattern, count in shapes.items() if count >= SHARE / 2 * len(sample)]
    tried = [(pattern, _parsed(texts, pattern)) for pattern in likely]
    known = float(np.sum(weights))
    fitting = [(float(np.sum(weights[~np.isnan(values)])), pattern, values) for pattern, values in tried]
    most = max((count for count, _, _ in fitting), default=0.0)
    enough = known if known < LEAST_CELLS else SHARE * known
    if not most or most < enough:
        return None
    best = [(pattern, values) for count, pattern, values in fitting if count == most]
    pairs = [(a, b) for a in best for b in best if a[0] < b[0] and _is_swap(a[0], b[0])]
    if not pairs:
        return DateColumn(best[0][1], best[0][0])
    day_first, month_first = pairs[0]  # "%d" sorts before "%m"
    if not np.array_equal(day_first[1], month_first[1], equal_nan=True):
        chosen = _preferred(day_first[0], month_first[0], prefer)
        if chosen is not None:
            sure = day_first if chosen == day_first[0] else month_first
            return DateColumn(sure[1], sure[0])
        first = day_first if _always_first(texts, weights) else month_first
        return DateColumn(first[1], first[0], (month_first if first is day_first else day_first)[0])
    return DateColumn(month_first[1], month_first[0])


def read_digits(values: Floats) -> Floats | None:
    """Read whole numbers such as 20231231 as dates; None if some are not dates, or too few differ to be sure."""
    if any(not _in_years(value) for value in values[:_HEAD].tolist() if value == value):  # noqa: PLR0124 - not NaN
        return None  # most columns stop here
    return digits_as_dates(values, _LEAST_DISTINCT)


def digits_as_dates(values: Floats, least: int = 1) -> Floats | None:
    """As `read_digits`, for a column that is known to hold dates; `least` is the number that must differ."""
    distinct, where = np.unique(values[~np.isnan(values)], return_inverse=True)
    if len(distinct) < least or not _in_years(distinct[0]) or not _in_years(distinct[-1]):
        return None
    seconds = _parsed([str(int(value)) if value == np.floor(value) else "" for value in distinct], dates.DIGITS)
    if np.isnan(seconds).any():
        return None
    result = np.full(len(values), np.nan)
    result[~np.isnan(values)] = seconds[where]
    return result


def _in_years(value: float) -> bool:
    return _FIRST_YEAR * 10_000 < value < _LAST_YEAR * 10_000


def _parsed(texts: Sequence[str], pattern: str) -> Floats:
    return np.array(dates.parse_each(texts, pattern), np.float64)


def _is_swap(one: str, other: str) -> bool:
    return one.replace("%d", "\0").replace("%m", "%d").replace("\0", "%m") == other


def _preferred(day_first: str, month_first: str, prefer: Iterable[str]) -> str | None:
    """Return the pattern in the order of the dates of other columns, if these have one."""
    for pattern in prefer:
        if "%d" in pattern and "%m" in pattern and not pattern.startswith("%Y"):
            return day_first if pattern.index("%d") < pattern.index("%m") else month_first
    return None


def _always_first(texts: Sequence[str], weights: AnyArray) -> bool:
    """Whether the first number is always 1 while the second varies: the first day of months."""
    used = [re.findall(r"[0-9]+", text)[:2] for text, weight in zip(texts, weights, strict=True) if weight > 0]
    firsts, seconds = ({int(pair[i]) for pair in used if len(pair) > i} for i in range(2))
    return firsts == {1} and len(seconds) > 1


def _in_english(texts: list[str]) -> list[str]:
    """Return the texts with English names of months; every date has a digit, so others stay as they are."""
    if not any(_DIGIT_AND_LETTER.search(text) for text in texts):
        return texts
    from hornbeam.data.columns.month_names import in_english  # noqa: PLC0415 (few tables need it)

    return [in_english(text) for text in texts]
