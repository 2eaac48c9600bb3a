"""Growing a C4.5 tree, written to be read: the parts of the tree, the choice of a split, the way rows go down.

A node's rows are a list of (row, weight) pairs; everything else is counted from them again wherever it is needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reference.rows import Rows

SLACK = 1e-6  # differences up to this are not differences
Pieces = list[tuple[int, float]]  # rows, each with the weight with which it reaches a node


def greater(a: float, b: float) -> bool:
    """Whether a is above b by more than the slack."""
    return a - b > SLACK


def at_most(a: float, b: float) -> bool:
    """Whether a is below b, or above it within the slack."""
    return a - b < SLACK or a <= b


def at_least(a: float, b: float) -> bool:
    """Whether a is above b, or below it within the slack."""
    return b - a < SLACK or a >= b


def equal(a: float, b: float) -> bool:
    """Whether a and b differ by less than the slack."""
    return abs(a - b) < SLACK


@dataclass(frozen=True)
class Options:
    """The choices of a recipe; the defaults are those of the reference program."""

    confidence: float = 0.25
    minimum: float = 2.0
    prune: str | None = "pessimistic"
    raising: bool = True
    one_vs_rest: bool = False
    mdl: bool = True
    collapse: bool = True
    laplace: bool = False
    cut_slack: float = SLACK  # 0 in the newer version of the reference program
    grow_rows: Sequence[int] | None = None  # reduced-error pruning: rows to grow from,
    prune_rows: Sequence[int] | None = None  # and rows to prune with


@dataclass
class Counts:
    """Class weights of each branch."""

    table: list[list[float]]

    @property
    def branches(self) -> list[float]:
        """Weight of each branch."""
        return [sum(branch) for branch in self.table]

    @property
    def classes(self) -> list[float]:
        """Weight of each class."""
        return [sum(column) for column in zip(*self.table, strict=True)]

    @property
    def total(self) -> float:
        """Weight of everything."""
        return sum(self.branches)

    def majority(self) -> int:
        """The class with the greatest weight; the first on a tie."""
        best, best_weight = 0, 0.0
        for code, weight in enumerate(self.classes):
            if greater(weight, best_weight):
                best, best_weight = code, weight
        return best

    def errors(self) -> float:
        """Weight outside the majority class."""
        return self.total - self.classes[self.majority()]

    def branch(self, number: int) -> Counts:
        """One branch as counts of its own."""
        return Counts([self.table[number]])

    def merged(self) -> Counts:
        """All branches as one."""
        return Counts([self.classes])


@dataclass
class Split:
    """A test on one column; `cut` for a numeric one, `category` for one category against the rest."""

    column: int
    counts: Counts
    gain: float
    ratio: float
    cut: float | None = None
    category: int | None = None

    def branch(self, rows: Rows, row: int, slack: float) -> int | None:
        """The branch a row takes; None where its value is missing."""
        value = rows.columns[self.column].values[row]
        if value is None:
            return None
        if self.cut is not None:
            return 0 if value <= self.cut or value - self.cut < slack else 1
        if self.category is not None:
            return 0 if value == self.category else 1
        return int(value)


@dataclass
class Node:
    """A node with its counts: one branch of counts at a leaf, one for each child elsewhere."""

    counts: Counts
    pieces: Pieces = field(default_factory=list)
    split: Split | None = None
    children: list[Node] = field(default_factory=list)
    empty: bool = False
    held_out: Counts = field(default_factory=lambda: Counts([]))  # reduced-error pruning

    def become_leaf(self) -> None:
        """Forget what is below."""
        self.counts, self.split, self.children = self.counts.merged(), None, []


def x_log_x(x: float) -> float:
    """x times its logarithm to base 2; 0 for what is as good as 0."""
    return 0.0 if x < SLACK else x * math.log(x) / math.log(2)


def entropy_before(counts: Counts) -> float:
    """Entropy of the classes, times the weight."""
    return x_log_x(counts.total) - sum(x_log_x(weight) for weight in counts.classes)


def entropy_after(counts: Counts) -> float:
    """Entropy of the classes within branches, times the weight."""
    within = sum(x_log_x(weight) for branch in counts.table for weight in branch)
    return sum(x_log_x(weight) for weight in counts.branches) - within


def information_gain(counts: Counts, node_weight: float) -> float:
    """Gain per unit of weight, scaled down by the share of rows with a missing value."""
    known = counts.total
    gain = (entropy_before(counts) - entropy_after(counts)) * (known / node_weight)
    return 0.0 if equal(gain, 0) else gain / known


def gain_ratio(counts: Counts, node_weight: float, gain: float) -> float:
    """Gain divided by the split information, in which the rows with a missing value are one more branch."""
    if not greater(counts.total, 0):
        return 0.0
    information = x_log_x(node_weight) - x_log_x(node_weight - counts.total)
    information -= sum(x_log_x(weight) for weight in counts.branches)
    return 0.0 if equal(information, 0) else gain / (information / node_weight)


def enough_branches(counts: Counts, minimum: float) -> bool:
    """Whether at least two branches hold the minimum weight."""
    return sum(at_least(weight, minimum) for weight in counts.branches) > 1


def count(rows: Rows, pieces: Pieces) -> Counts:
    """Class weights of some rows."""
    table = [0.0] * len(rows.classes)
    for row, weight in pieces:
        table[rows.of_class(row)] += weight
    return Counts([table])


def nominal_counts(rows: Rows, known: Pieces, column: int) -> Counts:
    """Class weights of each category."""
    categories = rows.columns[column].categories
    assert categories is not None
    table = [[0.0] * len(rows.classes) for _ in categories]
    for row, weight in known:
        code = rows.columns[column].values[row]
        assert code is not None
        table[int(code)][rows.of_class(row)] += weight
    return Counts(table)


def nominal_split(rows: Rows, known: Pieces, column: int, node_weight: float, options: Options) -> Split | None:
    """One branch for each category."""
    counts = nominal_counts(rows, known, column)
    if not enough_branches(counts, options.minimum):
        return None
    gain = information_gain(counts, node_weight)
    return Split(column, counts, gain, gain_ratio(counts, node_weight, gain))


def one_vs_rest_split(rows: Rows, known: Pieces, column: int, node_weight: float, options: Options) -> Split | None:
    """Try one category against the rest: the one with the greatest gain ratio.

    The first category is taken without being asked for a positive ratio. A column whose every allowed test gains
    nothing still is a candidate (with gain 0, so that it lowers the average gain), but can not win.
    """
    counts = nominal_counts(rows, known, column)
    all_classes = counts.classes
    best: Split | None = None
    for category, inside in enumerate(counts.table):
        outside = [a - b for a, b in zip(all_classes, inside, strict=True)]
        against = Counts([inside, outside])
        if not enough_branches(against, options.minimum):
            continue
        gain = information_gain(against, node_weight)
        ratio = gain_ratio(against, node_weight, gain)
        if best is None:
            best = Split(column, against, 0.0, 0.0, category=category)
        if category == 0 or greater(ratio, best.ratio):
            best = Split(column, against, gain, ratio, category=category)
    return best


def numeric_split(rows: Rows, known: Pieces, column: int, node_weight: float, options: Options) -> Split | None:
    """Find the cut with the greatest gain; the gain then pays for having had a choice of cuts."""
    values = rows.columns[column].values
    ordered = sorted(known, key=lambda piece: values[piece[0]])  # type: ignore[arg-type, return-value]
    above = count(rows, ordered).table[0]
    below = [0.0] * len(rows.classes)
    least = 0.1 * sum(above) / len(rows.classes)
    if at_most(least, options.minimum):
        least = options.minimum
    elif greater(least, 25):
        least = 25
    if len(known) < 2 * least - SLACK:  # rows are counted, whatever they weigh
        return None
    gain, at, tried = 0.0, -1, 0
    counts = Counts([below, above])
    for place in range(1, len(ordered)):
        row, weight = ordered[place - 1]
        below[rows.of_class(row)] += weight
        above[rows.of_class(row)] -= weight
        here, after = values[row], values[ordered[place][0]]
        assert here is not None
        assert after is not None
        if here + 1e-5 < after and all(at_least(weight, least) for weight in counts.branches):
            tried += 1
            candidate = information_gain(counts, node_weight)
            if greater(candidate, gain):
                gain, at = candidate, place
    if tried == 0:
        return None
    if options.mdl:
        gain -= math.log2(tried) / node_weight
    if at_most(gain, 0):
        return None
    sides = Counts([count(rows, ordered[:at]).table[0], count(rows, ordered[at:]).table[0]])
    low, high = values[ordered[at - 1][0]], values[ordered[at][0]]
    assert low is not None
    assert high is not None
    return Split(column, sides, gain, gain_ratio(sides, node_weight, gain), cut=(low + high) / 2)


def many_valued(rows: Rows, column: int) -> bool:
    """Whether a nominal column has so many categories that it may not raise the average gain."""
    categories = rows.columns[column].categories
    return categories is not None and not greater(0.3 * len(rows.weights), len(categories))


def choose_split(rows: Rows, pieces: Pieces, options: Options) -> Split | None:
    """Choose the greatest gain ratio among the columns whose gain is about average or better; None for a leaf."""
    here = count(rows, pieces)
    node_weight = here.total
    if greater(2 * options.minimum, node_weight) or equal(node_weight, here.classes[here.majority()]):
        return None
    candidates: list[Split] = []
    for column, described in enumerate(rows.columns):
        known = [piece for piece in pieces if described.values[piece[0]] is not None]
        nominal = one_vs_rest_split if options.one_vs_rest else nominal_split
        find = numeric_split if described.numeric else nominal
        found = find(rows, known, column, node_weight, options)
        if found is not None:
            candidates.append(found)
    all_many = all(many_valued(rows, column) for column in range(len(rows.columns)))
    averaged = [split.gain for split in candidates if all_many or not many_valued(rows, split.column)]
    if not averaged:
        return None
    average = sum(averaged) / len(averaged)
    best: Split | None = None
    for split in candidates:
        if split.gain >= average - 1e-3 and greater(split.ratio, best.ratio if best else 0.0):
            best = split
    if best is None:
        return None
    best.counts = completed(rows, best.counts, pieces, best.column)
    if best.cut is not None:
        best.cut = largest_value_at_most(rows, best.column, best.cut, options.cut_slack)
    return best


def completed(rows: Rows, counts: Counts, pieces: Pieces, column: int) -> Counts:
    """Share the rows with a missing value among the branches, in proportion to the known weights."""
    total = counts.total
    shares = [1 / len(counts.table) if equal(total, 0) else weight / total for weight in counts.branches]
    table = [list(branch) for branch in counts.table]
    for row, weight in pieces:
        if rows.columns[column].values[row] is None:
            for branch, share in zip(table, shares, strict=True):
                branch[rows.of_class(row)] += share * weight
    return Counts(table)


def largest_value_at_most(rows: Rows, column: int, midpoint: float, slack: float) -> float:
    """Find the largest value in all of the training rows that is at most the midpoint."""
    largest = -math.inf
    for value in rows.columns[column].values:
        if value is not None and value - largest > slack and (value <= midpoint or value - midpoint < slack):
            largest = value
    return largest


def part(rows: Rows, pieces: Pieces, split: Split, counts: Counts, options: Options) -> list[Pieces]:
    """Send rows down the branches; one with a missing value goes down all of them, in fractions."""
    parts: list[Pieces] = [[] for _ in counts.table]
    weights = counts.branches
    total = counts.total
    for row, weight in pieces:
        branch = split.branch(rows, row, options.cut_slack)
        if branch is not None:
            parts[branch].append((row, weight))
            continue
        for number, branch_weight in enumerate(weights):
            if greater(branch_weight / total, 0):
                parts[number].append((row, weight * branch_weight / total))
    return parts


def grow(rows: Rows, pieces: Pieces, options: Options) -> Node:
    """Grow the whole tree."""
    split = choose_split(rows, pieces, options)
    if split is None:
        leaf = Node(count(rows, pieces), pieces)
        leaf.empty = equal(leaf.counts.total, 0)
        return leaf
    node = Node(split.counts, pieces, split)
    node.children = [grow(rows, below, options) for below in part(rows, pieces, split, split.counts, options)]
    return node
