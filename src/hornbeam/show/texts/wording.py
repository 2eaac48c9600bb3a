"""Names, numbers, branches and splits as text, for all text styles, pictures and the decision log.

Names come from data, so they may contain line breaks or terminal commands: `printable` escapes these.
"""

from __future__ import annotations

import math
from dataclasses import astuple, dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import printable as printable  # noqa: PLC0414 - texts import all wording from here
from hornbeam.data.in_words import width as width  # noqa: PLC0414 - the same
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, STOP, SUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hornbeam.core.base.arrays import Ints32, Ints64
    from hornbeam.data.schema import Column, Schema
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.split import SplitStore
    from hornbeam.model.trees.tree import Tree

DAY = 86_400.0  # seconds, in which dates are stored
NAME_LIMIT = 40  # a name longer than this is cut in the default style
LIST_LIMIT = 60  # a list of categories longer than this is cut in the default style
SUM_LIMIT = 120  # a sum of columns longer than this is cut in the default style
NOTHING = 1e-6  # smaller weights count as zero: they are rounding errors of sums of fractions
NO_CATEGORIES = "{}"
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠"}
SMALL, LARGE = 1e-3, 1e15  # outside these a number is printed with an exponent


def condition_of(condition: Condition, rules: RuleList) -> str:
    """A condition of a rule as text; if missing is a category of its own, also whether it passes."""
    from hornbeam.model.base.condition import IsMissing

    words = condition.describe(rules.schema)
    own = rules.recipe.get("missing") in {"value", "own-category"}
    whole = condition.if_missing == 1.0 and not isinstance(condition, IsMissing)
    return f"({words} or missing)" if own and whole else words


def conditions_of(conditions: Iterable[Condition], schema: Schema, rules: RuleList | None = None) -> list[str]:
    """Conditions as text, a range of one number as that number: ``x = 7``, not ``x >= 7`` and ``x <= 7``."""
    from hornbeam.model.base.condition import AtLeast, AtMost, describe_number

    words: list[str] = []
    before: Condition | None = None
    for condition in conditions:
        column = schema.columns[condition.column]
        if isinstance(column, Numeric) and isinstance(condition, AtMost) and before == AtLeast(*astuple(condition)):
            words[-1] = f"{printable(column.name)} = {describe_number(column, condition.value)}"
        else:
            words.append(condition.describe(schema) if rules is None else condition_of(condition, rules))
        before = condition
    return words


def with_signs(words: str) -> str:
    """Write comparisons with mathematical signs, as pictures do.

    Examples
    --------
    >>> with_signs("age <= 30")
    'age ≤ 30'
    """
    for sign, symbol in SIGNS.items():
        words = words.replace(f" {sign} ", f" {symbol} ")
    return words


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


def short_number(value: float, digits: int = 4) -> str:
    """Write a number with a few significant digits, whole ones in full.

    Examples
    --------
    >>> short_number(99.33014), short_number(123456.0), short_number(0.000123456)
    ('99.33', '123456', '0.0001235')
    """
    if value == 0 or not math.isfinite(value):
        return number(value)
    if abs(value) < SMALL:
        return f"{value:.{digits}g}"
    return number(round(value, max(digits - 1 - math.floor(math.log10(abs(value))), 0)))


def number_column(values: Sequence[float]) -> list[str]:
    """Write numbers for a column: all with the same number of decimals, enough to distinguish them.

    Examples
    --------
    >>> number_column([110.92, 139.33333, 82.89655])
    ['110.920', '139.333', '82.897']
    >>> number_column([2.0, 40.0])
    ['2', '40']
    """
    known = [abs(value) for value in values]
    if not known or not all(value == 0 or SMALL <= value < LARGE for value in known):
        return [number(value) for value in values]
    width_of_range = max(values) - min(values) or max(known) or 1.0
    decimals = min(max(4 - math.floor(math.log10(width_of_range)), 0), 6)
    texts = [f"{value:.{decimals}f}" for value in values]
    while decimals and all(text.endswith("0") for text in texts):
        texts, decimals = [text[:-1] for text in texts], decimals - 1
    return texts if decimals else [text.removesuffix(".") for text in texts]


def date(value: float, pattern: str) -> str:
    """Write seconds since 1970 as a date; as a number if they are out of range."""
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)).strftime(pattern)
    except (OverflowError, ValueError):
        return number(value)


def amounts(values: Sequence[float]) -> list[str]:
    """Write weights in one format: whole numbers if all are whole, else all with two decimals.

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
    """A branch as text: a column, a relation, and a value."""

    column: str
    relation: str
    value: str

    def __str__(self) -> str:
        return f"{self.column} {self.relation} {self.value}".rstrip()


def branch(tree: Tree, node: int, *, shorten: bool = True, max_chars: int = LIST_LIMIT) -> Branch:
    """Write which rows reach `node` from its parent, and whether rows with a missing value do."""
    parent = int(tree.parent[node])
    position = node - int(tree.first_child[parent])
    found = split_branch(
        tree.splits, int(tree.split[parent]), position, tree.schema.columns, shorten=shorten, max_chars=max_chars
    )
    here = tree.missing[parent] == position
    if found.value == NO_CATEGORIES:  # missing values are a category of their own
        return replace(found, relation="is", value="missing" if here else "known")
    # The split itself may test for missing values; and surrogates, if there are any, are tried first.
    if found.relation == "is" or len(surrogates_of(tree, parent)):
        return found
    return replace(found, value=f"{found.value} or missing") if here else found


def split_branch(
    splits: SplitStore,
    split: int,
    position: int,
    columns: Sequence[Column],
    *,
    shorten: bool = True,
    max_chars: int = LIST_LIMIT,
) -> Branch:
    """Write which rows take branch `position` of a split; a list of categories is cut to `max_chars`."""
    column = columns[int(splits.column[split])]
    kind = int(splits.kind[split])
    if kind == SUMS:
        below, above = ("<=", ">") if splits.equal_low[split] else ("<", ">=")
        cut = number(float(splits.cuts[splits.cut_start[split]]))
        return Branch(
            asked(splits, split, columns, shorten=shorten), above if splits.interval(split, position) else below, cut
        )
    name = printable(column.name, NAME_LIMIT if shorten else None)
    if kind == CUTS:
        cuts = splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]
        place = splits.interval(split, position)
        return _between(column, name, [float(cut) for cut in cuts], place, bool(splits.equal_low[split]))
    assert isinstance(column, Nominal)
    limit = max_chars if shorten else None
    codes = splits.codes[splits.code_start[split] : splits.code_start[split + 1]]
    if kind == CODES:
        chosen = [code for code, target in enumerate(codes) if target == position]
        return Branch(name, *among(column, chosen, limit))
    assert kind == CODE_SETS
    branches = splits.code_branch[splits.code_start[split] : splits.code_start[split + 1]]
    if position == splits.other[split]:
        rest = [int(code) for code in codes[branches != position]]
        relation, value = among(column, rest, limit)
        return Branch(name, {"=": "!=", "in": "not in"}[relation], value)
    return Branch(name, *among(column, [int(code) for code in codes[branches == position]], limit))


def asked(splits: SplitStore, split: int, columns: Sequence[Column], *, shorten: bool = True) -> str:
    """Write what a split tests: its column, or the sum of columns with their coefficients.

    Coefficients have four digits, or are written like other numbers if nothing is shortened.
    """
    limit = NAME_LIMIT if shorten else None
    terms = splits.terms_of(split)
    if terms is None:
        return printable(columns[int(splits.column[split])].name, limit)
    text = ""
    for position, coefficient in zip(*(part.tolist() for part in terms), strict=True):
        size = short_number(abs(coefficient)) if shorten else number(abs(coefficient))
        sign = ("-" if coefficient < 0 else "") if not text else (" - " if coefficient < 0 else " + ")
        text += sign + ("" if size == "1" else f"{size} ") + printable(columns[position].name, limit)
    return printable(text, SUM_LIMIT) if shorten else text


def _between(column: Column, name: str, cuts: list[float], position: int, equal_low: bool) -> Branch:
    """Write one interval of a column cut at `cuts`; rows with a missing value are beyond a cut at infinity."""
    if cuts[-1] == math.inf:
        if position == len(cuts):
            return Branch(name, "is", "missing")
        if len(cuts) == 1:
            return Branch(name, "is", "known")
        cuts = cuts[:-1]
    words, equal_low = _cuts_in_words(column, cuts, equal_low)
    below, above = ("<=", ">") if equal_low else ("<", ">=")
    if position == 0:
        return Branch(name, below, words[0])
    if position == len(words):
        return Branch(name, above, words[-1])
    return Branch(name, above, f"{words[position - 1]} and {below} {words[position]}")


def _cuts_in_words(column: Column, cuts: list[float], equal_low: bool) -> tuple[list[str], bool]:
    """Write cuts as numbers, dates or categories; also return whether an equal value belongs to the lower branch."""
    if isinstance(column, Nominal):  # an ordered column is cut between codes: name the highest category below
        codes = [math.floor(cut) if equal_low else math.ceil(cut) - 1 for cut in cuts]
        return [_category(column, code) for code in codes], True
    if column.format is not None:
        return [printable(date(cut, column.format)) for cut in cuts], equal_low
    return [number(cut) for cut in cuts], equal_low


def _category(column: Nominal, code: int) -> str:
    """The name of a category, or its code if it is beyond the first or the last."""
    return printable(column.categories[code]) if 0 <= code < len(column.categories) else f"code {code}"


def among(column: Nominal, codes: list[int], max_chars: int | None) -> tuple[str, str]:
    """Write a set of categories as a relation and a value; None: names are not cut."""
    limit = None if max_chars is None else min(NAME_LIMIT, max_chars)
    if len(codes) == 1:
        return "=", printable(column.categories[codes[0]], limit)
    shown: list[str] = []
    left = 0 if max_chars is None else max_chars
    for count, code in enumerate(codes):
        word = printable(column.categories[code], limit)
        left -= width(word) + 2
        if max_chars is not None and left < 0 and shown:
            shown.append(f"… {len(codes) - count} more")
            break
        shown.append(word)
    return "in", "{" + ", ".join(shown) + "}"


def split_words(tree: Tree, split: int, *, shorten: bool = True) -> str:
    """Write a split: the first branch of two, else the column and its cuts."""
    splits, columns = tree.splits, tree.schema.columns
    n_branches = int(splits.n_branches[split])
    if n_branches == 2:  # noqa: PLR2004 - the other branch is the opposite
        return str(split_branch(splits, split, 0, columns, shorten=shorten))
    column = columns[int(splits.column[split])]
    name = printable(column.name, NAME_LIMIT if shorten else None)
    if int(splits.kind[split]) != CUTS:
        return f"{name} in {n_branches} branches"
    cuts = [float(cut) for cut in splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]]
    known = [cut for cut in cuts if cut != math.inf]
    words, _ = _cuts_in_words(column, known, bool(splits.equal_low[split]))
    return f"{name} cut at {', '.join(words)}" + (" or missing" if len(known) < len(cuts) else "")


def missing_words(tree: Tree, node: int) -> str:
    """Write what happens to a row with a missing value at an inner node, if no surrogate decides."""
    policy = int(tree.missing[node])
    if policy == FRACTIONAL:
        return "goes down every branch in fractions"
    if policy == STOP:
        return "stops here"
    taken = str(branch(tree, int(tree.first_child[node]) + policy))
    return f"takes the branch {taken.removesuffix(' or missing')}"


def surrogates_of(tree: Tree, node: int) -> Ints32:
    """Splits that replace a node's own if its value is missing, the best first."""
    return _listed(tree.surrogate_start, tree.surrogates, node)


def runners_up(tree: Tree, node: int) -> Ints32:
    """Splits that nearly won at a node, the best first."""
    return _listed(tree.alternative_start, tree.alternatives, node)


def _listed(start: Ints64 | None, listed: Ints32 | None, node: int) -> Ints32:
    if start is None or listed is None:
        return np.empty(0, np.int32)
    return listed[start[node] : start[node + 1]]


def path(tree: Tree, node: int) -> str:
    """Write which rows reach `node`: the conditions from the root down, or ``all rows``."""
    words: list[str] = []
    while tree.parent[node] >= 0:
        words.append(str(branch(tree, node)))
        node = int(tree.parent[node])
    return ", ".join(reversed(words)) or "all rows"
