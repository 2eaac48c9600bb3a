"""The nouns of the naive CART: columns, splits, nodes, and the training rows with their weights."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

LEFT, STAY, RIGHT = -1, 0, 1
LONG = 11  # segments that reach so far beyond their first entry are divided, shorter ones sorted by insertion


@dataclass(frozen=True)
class Options:
    """How a tree is grown."""

    criterion: str = "gini"  # for classes: "gini" or "information"; numbers always have their squared error
    cp: float = 0.01
    min_split: int = 20
    min_bucket: int = 7
    max_surrogates: int = 5
    priors: tuple[float, ...] | None = None
    loss: tuple[tuple[float, ...], ...] | None = None  # row: the true class, column: the answer


@dataclass
class Column:
    """A feature: numbers with NaN, or codes with -1."""

    name: str
    values: NDArray[np.float64]
    n_categories: int = 0  # 0: a number

    def known(self, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of the rows have a value."""
        return self.values[rows] >= 0 if self.n_categories else ~np.isnan(self.values[rows])


@dataclass
class Split:
    """A test of one column, with two sides."""

    column: int
    gain: float  # of a surrogate: its agreement
    cut: float = np.nan
    below: int = LEFT  # the side of numbers below the cut
    side_of: dict[int, int] = field(default_factory=dict)  # the side of each category; others have none
    adjusted: float = 0.0  # of a surrogate: how much better than sending all rows the more frequent way

    def sides(self, column: Column, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Where the rows go; STAY where the split cannot tell."""
        values = column.values[rows]
        if column.n_categories:
            return np.array([self.side_of.get(int(code), STAY) for code in values], np.int64)
        side = np.where(values < self.cut, self.below, -self.below)
        return np.where(np.isnan(values), STAY, side)


@dataclass
class Node:
    """A node of the tree, with all that was found out about it."""

    number: int
    rows: NDArray[np.intp]
    weight: float
    value: list[float]  # class weights, or the mean
    label: int
    risk: float
    complexity: float = 0.0
    split: Split | None = None
    competitors: list[Split] = field(default_factory=list)  # each column's best split, the best first
    surrogates: list[Split] = field(default_factory=list)
    majority: int = STAY
    left: Node | None = None
    right: Node | None = None

    def walk(self) -> Iterator[Node]:
        """The node and all below it, left first."""
        yield self
        if self.left is not None and self.right is not None:
            yield from self.left.walk()
            yield from self.right.walk()


@dataclass
class Sample:
    """The training rows; of classes also what a row of each counts, in answers and in splits."""

    columns: list[Column]
    target: NDArray[np.float64]
    n_classes: int  # 0: a number
    options: Options
    weights: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    place: list[NDArray[np.intp]] = field(default_factory=list)  # of each row, when a column's rows are visited

    def __post_init__(self) -> None:
        if not len(self.weights):
            self.weights = np.ones(len(self.target))
        if not self.place:
            self.place = [np.argsort(arrange(column)) for column in self.columns]
        if self.n_classes:
            self._weigh_classes()

    def _weigh_classes(self) -> None:
        """Sums and quotients in this order: rounding here decides between equally good splits."""
        classes = self.classes(np.arange(len(self.target)))
        counts = np.bincount(classes, self.weights, self.n_classes)
        shares = counts / in_turn(self.weights)
        if self.options.priors is not None:
            priors = np.asarray(self.options.priors)
        else:  # summed again, with more digits than the shares
            sums = [math.fsum(self.weights[classes == k]) for k in range(self.n_classes)]
            priors = np.array(sums) / math.fsum(sums)
        self.loss = 1.0 - np.eye(self.n_classes) if self.options.loss is None else np.asarray(self.options.loss)
        altered, whole = [0.0] * self.n_classes, 0.0
        for k in range(self.n_classes):
            for cost in self.loss[k]:
                altered[k] += cost * priors[k]
                whole += cost * priors[k]
        self.predicting_node = np.array([p / share if share else 0.0 for p, share in zip(priors, shares, strict=True)])
        self.splitting = np.array(
            [a / (whole * share) if share else 0.0 for a, share in zip(altered, shares, strict=True)]
        )

    def costs(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each answer costs on rows with these class weights."""
        return np.array([in_turn(self.loss[:, k] * counts * self.predicting_node) for k in range(self.n_classes)])

    def classes(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """The rows' classes."""
        return self.target[rows].astype(np.int64)

    def in_order(self, position: int, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """The rows in the order in which a column visits them."""
        return rows[np.argsort(self.place[position][rows])]


def in_turn(values: NDArray[np.float64]) -> float:
    """The sum, added up one after another: its rounding decides between equally good splits."""
    return float(np.cumsum(values)[-1])


def arrange(column: Column) -> NDArray[np.intp]:  # noqa: C901 - one procedure, as observed
    """The order in which a column's rows are visited: by value, with the program's own order of equal values.

    Divide by the middle one of three values, swap pairs from both ends; a missing value counts as 0. The order of equal
    values follows from the way this is done; it matters, since sums are rounded in that order.
    """
    rows = np.arange(len(column.values))
    if column.n_categories:
        return rows
    values, order = np.nan_to_num(column.values).tolist(), rows.tolist()
    todo = [(0, len(values) - 1)]
    while todo:
        low, high = todo.pop()
        if high - low < LONG:
            order[low : high + 1] = sorted(order[low : high + 1], key=values.__getitem__)
            continue
        pivot = sorted(values[order[place]] for place in (low, (low + high) // 2, high))[1]
        i, j = low, high
        while i < j:
            while values[order[i]] < pivot:
                i += 1
            while values[order[j]] > pivot:
                j -= 1
            if i < j:
                if values[order[i]] > values[order[j]]:
                    order[i], order[j] = order[j], order[i]
                i, j = i + 1, j - 1
        while values[order[i]] >= pivot and i > low:
            i -= 1
        while values[order[j]] <= pivot and j < high:
            j += 1
        todo += [(low, i), (j, high)]
    return np.array(order, np.intp)
