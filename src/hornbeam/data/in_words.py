"""Counts, fractions and names as text, for messages of every layer."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Cc control, Cf invisible formatting (writing direction too), Cs half of a pair, Cn no character, Zl and Zp line ends.
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})


def plural(count: int, word: str, words: str = "") -> str:
    """Write a count with its noun; `words` is the plural, by default `word` with an s.

    Examples
    --------
    >>> plural(1, "leaf", "leaves"), plural(2, "leaf", "leaves"), plural(3, "row")
    ('1 leaf', '2 leaves', '3 rows')
    """
    return f"{count} {word if count == 1 else words or word + 's'}"


def with_commas(text: str) -> str:
    """Write the whole numbers of a text with separators of thousands.

    Examples
    --------
    >>> with_commas("29135 rows, 6476.5 wrong")
    '29,135 rows, 6,476.5 wrong'
    """
    return re.sub(r"(?<![\d.])\d{4,}", lambda found: f"{int(found[0]):,}", text)


def percent(fraction: float, decimals: int = 1) -> str:
    """Write a fraction as a percentage, or a dash for NaN.

    Examples
    --------
    >>> percent(0.1234), percent(0.1234, 2), percent(float("nan"))
    ('12.3%', '12.34%', '-')
    """
    return "-" if math.isnan(fraction) else f"{100 * fraction:.{decimals}f}%"


def letter(place: int) -> str:
    """Name a position: a to z, then aa, ab and so on.

    Examples
    --------
    >>> letter(0), letter(25), letter(26), letter(53)
    ('a', 'z', 'aa', 'bb')
    """
    before, last = divmod(place, len(ascii_lowercase))
    return (letter(before - 1) if before else "") + ascii_lowercase[last]


def printable(name: str, limit: int | None = None) -> str:
    r"""Write a name without terminal commands; cut it to `limit` columns, if given.

    Examples
    --------
    >>> printable("two\nlines")
    'two\\nlines'
    >>> printable("\x1b[31mred")
    '\\x1b[31mred'
    >>> printable("a very long name", limit=8)
    'a very …'
    """
    if not name.isprintable():
        name = "".join(_escaped(c) if unicodedata.category(c) in UNPRINTABLE else c for c in name)
    if limit is None or width(name) <= limit:
        return name
    kept, left = [], limit - 1
    for character in name:
        left -= width(character)
        if left < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def shortened(names: Sequence[str], limit: int) -> list[str]:
    """Write names without terminal commands, cut to `limit` columns; those that would be equal are cut in the middle.

    Examples
    --------
    >>> shortened(["cat", "north-east of town", "north-east of the city"], limit=9)
    ['cat', 'nort…town', 'nort…city']
    """
    short = [printable(name, limit) for name in names]
    times = Counter(short)
    for place, name in enumerate(map(printable, names)):
        if times[short[place]] > 1 and width(name) > limit:
            end = printable(name[::-1], limit - limit // 2)[:-1][::-1]
            short[place] = printable(name, limit - width(end)) + end
    return short


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """Columns a text takes on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)
