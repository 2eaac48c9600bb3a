"""Names, numbers and branches in words, for every text view.

Names come from data, so they may hold line breaks or terminal commands: `printable` makes them harmless. The
words of a branch (``age <= 30``, ``colour in {red, blue}``) are made here once, for trees and the decision log.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.split import CODE_SETS, CODES, CUTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.schema import Column
    from hornbeam.model.split import SplitStore
    from hornbeam.model.tree import Tree

# Cc control, Cf invisible formatting (writing direction too), Cs half of a pair, Cn no character, Zl and Zp line ends.
UNPRINTABLE = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
NAME_LIMIT = 40  # a name longer than this is cut in the default style
LIST_LIMIT = 60  # room for the names of a list of categories in the default style
NOTHING = 1e-6  # weights up to this are none: what is left of sums of fractions
NO_CATEGORIES = "{}"
SMALL, LARGE = 1e-3, 1e15  # outside these a number is printed with an exponent


def printable(name: str, limit: int | None = None) -> str:
    r"""Write a name without anything a terminal would obey; cut it to `limit` columns where one is given.

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
    kept, room = [], limit - 1
    for character in name:
        room -= width(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept) + "…"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def width(text: str) -> int:
    """Columns a text takes on a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) != 0 for c in text)


def number(value: float) -> str:
    """Write a number with at most six decimals, small and large ones with an exponent.

    Examples
    --------
    >>> number(2.0), number(0.1 + 0.2), number(1.5e-7)
    ('2', '0.3', '1.5e-07')
    """
    if value == 0.0:
        return "0"
    if not SMALL <= abs(value) < LARGE:
        return f"{value:.6g}"
    return f"{value:.6f}".rstrip("0").rstrip(".")


def date(value: float, pattern: str) -> str:
    """Write seconds since 1970 as a date; what is no date any more is written as a number."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)).strftime(pattern)
    except (OverflowError, ValueError):
        return number(value)


def amounts(values: Sequence[float]) -> list[str]:
    """Write weights alike: whole numbers where all are whole, else all with two decimals.

    Examples
    --------
    >>> amounts([50.0, 3.0])
    ['50', '3']
    >>> amounts([15.266, 3.0, 0.0])
    ['15.27', '3.00', '0']
    """
    whole = all(abs(value - round(value)) < NOTHING for value in values)
    return ["0" if value == 0.0 else f"{value:.0f}" if whole else f"{value:.2f}" for value in values]


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch in words: a column, how it compares, and with what."""

    column: str
    relation: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.relation} {self.value}".rstrip()


def branch(tree: Tree, node: int, *, shorten: bool = True) -> Branch:
    """Say in words which rows come to `node` from its parent, rows without a value included where they all do."""
    parent = int(tree.parent[node])
    position = node - int(tree.first_child[parent])
    found = split_branch(tree.splits, int(tree.split[parent]), position, tree.schema.columns, shorten=shorten)
    here = tree.missing[parent] == position
    if found.value == NO_CATEGORIES:  # missing values are a category of their own
        return replace(found, relation="is", value="missing" if here else "known")
    return replace(found, value=f"{found.value} or missing") if here else found


def split_branch(
    splits: SplitStore, split: int, position: int, columns: Sequence[Column], *, shorten: bool = True
) -> Branch:
    """Say in words which rows take branch `position` of a split."""
    column = columns[int(splits.column[split])]
    name = printable(column.name, NAME_LIMIT if shorten else None)
    kind = int(splits.kind[split])
    if kind == CUTS:
        cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
        return _between(column, name, [float(cut) for cut in cuts], position, bool(splits.equal_low[split]))
    assert isinstance(column, Nominal)
    codes = splits.codes[splits.code_start[split] : splits.code_start[split + 1]]
    if kind == CODES:
        chosen = [code for code, target in enumerate(codes) if target == position]
        return Branch(name, *_among(column, chosen, shorten))
    assert kind == CODE_SETS
    branches = splits.code_branch[splits.code_start[split] : splits.code_start[split + 1]]
    if position == splits.other[split]:
        rest = [int(code) for code in codes[branches != position]]
        relation, value = _among(column, rest, shorten)
        return Branch(name, {"=": "!=", "in": "not in"}[relation], value)
    return Branch(name, *_among(column, [int(code) for code in codes[branches == position]], shorten))


def _between(column: Column, name: str, cuts: list[float], position: int, equal_low: bool) -> Branch:
    """Words of one interval of a column cut at `cuts`."""
    if isinstance(column, Nominal):  # an ordered column is cut between codes: name the highest category below
        cuts = [math.floor(cut) if equal_low else math.ceil(cut) - 1 for cut in cuts]
        equal_low = True
        words = [printable(column.categories[int(cut)]) for cut in cuts]
    elif isinstance(column, Numeric) and column.format is not None:
        words = [printable(date(cut, column.format)) for cut in cuts]
    else:
        words = [number(cut) for cut in cuts]
    below, above = ("<=", ">") if equal_low else ("<", ">=")
    if position == 0:
        return Branch(name, below, words[0])
    if position == len(words):
        return Branch(name, above, words[-1])
    return Branch(name, above, f"{words[position - 1]} and {below} {words[position]}")


def _among(column: Nominal, codes: list[int], shorten: bool) -> tuple[str, str]:
    """Words of a set of categories, as a relation and what it relates to."""
    limit = NAME_LIMIT if shorten else None
    if len(codes) == 1:
        return "=", printable(column.categories[codes[0]], limit)
    shown: list[str] = []
    room = LIST_LIMIT
    for count, code in enumerate(codes):
        word = printable(column.categories[code], limit)
        room -= width(word) + 2
        if shorten and room < 0 and shown:
            shown.append(f"… {len(codes) - count} more")
            break
        shown.append(word)
    return "in", "{" + ", ".join(shown) + "}"


def path(tree: Tree, node: int) -> str:
    """Say in words how a row comes to `node`: the conditions from the root down, or ``all rows``."""
    words: list[str] = []
    while tree.parent[node] >= 0:
        words.append(str(branch(tree, node)))
        node = int(tree.parent[node])
    return ", ".join(reversed(words)) or "all rows"
