"""Dates as numbers: seconds since 1970-01-01 UTC, and the patterns for reading and printing them.

Learners cut dates like any other number; a column keeps its ``strftime`` pattern so that a cut prints as a
date. ARFF files write patterns in another notation (``yyyy-MM-dd``), which is converted here in both directions.
"""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hornbeam.data.errors import DataError, shorten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

DAY = "%Y-%m-%d"
SECOND = "%Y-%m-%dT%H:%M:%S"
DIGITS = "%Y%m%d"
TIME_OF_DAY = "%H:%M:%S"
_TIMES = (TIME_OF_DAY, "%H:%M", "%H:%M:%S.%f")  # all are read as the first
DEFAULT_LETTERS = "yyyy-MM-dd'T'HH:mm:ss"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_GUESSES = (
    DAY, SECOND, "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%m-%dT%H:%M:%S%z", "%Y/%m/%d", DIGITS, "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", TIME_OF_DAY,
)  # fmt: skip
# Runs of one letter in the ARFF notation (that of Java's SimpleDateFormat) against strftime directives.
_LETTERS = {
    "y": {4: "%Y", 2: "%y", 1: "%Y"}, "M": {4: "%B", 3: "%b", 2: "%m", 1: "%m"}, "d": {2: "%d", 1: "%d"},
    "H": {2: "%H", 1: "%H"}, "h": {2: "%I", 1: "%I"}, "m": {2: "%M", 1: "%M"}, "s": {2: "%S", 1: "%S"},
    "S": {3: "%f", 6: "%f", 1: "%f"}, "a": {1: "%p"}, "E": {4: "%A", 3: "%a", 1: "%a"},
    "D": {3: "%j", 1: "%j"}, "Z": {1: "%z"}, "X": {1: "%z", 2: "%z", 3: "%z"}, "z": {1: "%Z"},
}  # fmt: skip
_DIRECTIVES = {
    "%Y": "yyyy", "%y": "yy", "%B": "MMMM", "%b": "MMM", "%m": "MM", "%d": "dd", "%H": "HH", "%I": "hh",
    "%M": "mm", "%S": "ss", "%f": "SSS", "%p": "a", "%A": "EEEE", "%a": "EEE", "%j": "DDD", "%z": "Z", "%Z": "z",
}  # fmt: skip
_YEAR = re.compile("%[YyGcxs]")
_PIECE = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|.", re.DOTALL)


def parse(text: str, pattern: str) -> float:
    """Return the seconds since 1970-01-01 UTC of a date written as `pattern`; without a time zone it is UTC.

    Examples
    --------
    >>> parse("1970-01-02", "%Y-%m-%d")
    86400.0
    """
    try:
        moment = datetime.strptime(text, pattern)  # noqa: DTZ007 (the zone is settled below)
    except re.error:
        msg = f"the date pattern {shorten(pattern)} has a part of a date twice"
        raise DataError(msg) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (moment - _EPOCH).total_seconds()


def is_calendar(pattern: str | None) -> bool:
    """Whether a pattern is one of dates, not of times of day; None is the pattern of numbers.

    Examples
    --------
    >>> is_calendar("%Y-%m-%d"), is_calendar("%H:%M"), is_calendar(None)
    (True, False, False)
    """
    return pattern is not None and _YEAR.search(pattern) is not None


def is_clear(pattern: str | None) -> bool:
    """Whether dates written in a pattern can be read in one way only, so that a reader need not know it."""
    return pattern is not None and pattern.startswith("%Y-")


def parse_each(texts: Sequence[str], pattern: str) -> list[float]:
    """Parse many texts; NaN where one is not written as `pattern`. Times without a date are seconds of the day.

    Examples
    --------
    >>> parse_each(["00:01", "x"], "%H:%M")
    [60.0, nan]
    """
    start = 0.0 if is_calendar(pattern) else parse("", "")  # 1900-01-01
    seconds = [_parsed(text.strip(), pattern) - start for text in texts]
    if any(map(math.isnan, seconds)) and re.search("%[bBd]", pattern):
        from hornbeam.data.columns.month_names import in_english  # noqa: PLC0415 (few tables need it)

        return [
            _parsed(in_english(text.strip()), pattern) - start if math.isnan(number) else number
            for text, number in zip(texts, seconds, strict=True)
        ]
    return seconds


def _parsed(text: str, pattern: str) -> float:
    for each in _TIMES if pattern == TIME_OF_DAY else (pattern,):
        try:
            return parse(text, each)
        except (ValueError, OverflowError):
            continue
    return math.nan


def show(seconds: float, pattern: str) -> str:
    """Write a number of seconds since 1970-01-01 UTC as `pattern`.

    Examples
    --------
    >>> show(86400.0, "%Y-%m-%d")
    '1970-01-02'
    """
    try:
        moment = _EPOCH + timedelta(seconds=seconds)
    except OverflowError:  # outside the years 1 to 9999
        return f"{seconds:g} s"
    year = f"{moment.year:04d}"  # strftime pads years before 1000 on some systems only
    return moment.strftime(re.sub(r"%.", lambda found: year if found[0] == "%Y" else found[0], pattern))


def guess_pattern(texts: Iterable[str], column: str) -> str:
    """Find the one known pattern that fits every text; raise an error if none or several do."""
    fitting = list(_GUESSES)
    for text in texts:
        remaining = [pattern for pattern in fitting if _reads(text, pattern)]
        if not remaining:
            wanted = f"a date like the others ({fitting[0]})" if len(fitting) < len(_GUESSES) else "a date"
            msg = f"found {shorten(text)}, expected {wanted}; give the pattern, e.g. dates={{{column!r}: '%d %b %Y'}}"
            raise DataError(msg, column=column)
        fitting = remaining
    if len(fitting) > 1 and len(fitting) < len(_GUESSES):
        msg = f"its dates can be read as {' or '.join(fitting)}; name one, e.g. dates={{{column!r}: {fitting[0]!r}}}"
        raise DataError(msg, column=column)
    return fitting[0]


def _reads(text: str, pattern: str) -> bool:
    try:
        parse(text, pattern)
    except (ValueError, OverflowError):
        return False
    return True


def from_letters(letters: str) -> str:
    """Return the ``strftime`` pattern for a pattern in the notation of ARFF files.

    Examples
    --------
    >>> from_letters("yyyy-MM-dd'T'HH:mm:ss")
    '%Y-%m-%dT%H:%M:%S'
    """
    parts = []
    for piece in _PIECE.finditer(letters):
        quoted, letter = piece[1], piece[2]
        if quoted is not None:
            parts.append((quoted.replace("''", "'") if quoted else "'").replace("%", "%%"))
        elif letter:
            lengths = _LETTERS.get(letter, {})
            run = len(piece[0])
            # A longer run of a known letter only means padding, which does not matter for reading.
            directive = lengths.get(run) or (lengths.get(max(lengths)) if lengths and run > max(lengths) else None)
            if directive is None:
                known = " ".join(sorted(_LETTERS))
                msg = f"the date pattern {shorten(letters)} has {piece[0]!r}; the letters known are {known}"
                raise DataError(msg)
            if directive in parts:
                msg = f"the date pattern {shorten(letters)} has {piece[0]!r} where that part of a date was named before"
                raise DataError(msg)
            parts.append(directive)
        else:
            parts.append(piece[0].replace("%", "%%"))
    return "".join(parts)


def to_letters(pattern: str) -> str | None:
    """Return the ARFF notation of a ``strftime`` pattern; None if a part of it has none."""
    parts, literal = [], ""

    def close() -> None:
        nonlocal literal
        if literal:
            escaped = literal.replace("'", "''")
            parts.append(f"'{escaped}'" if any(c.isalpha() and c.isascii() for c in literal) else escaped)
            literal = ""

    for piece in re.finditer(r"%.|[^%]", pattern, re.DOTALL):
        if piece[0] == "%%":
            literal += "%"
        elif piece[0].startswith("%"):
            if piece[0] not in _DIRECTIVES:
                return None
            close()
            parts.append(_DIRECTIVES[piece[0]])
        else:
            literal += piece[0]
    close()
    return "".join(parts)
