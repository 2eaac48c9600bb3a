"""ID3 as the reference program runs it: greatest information gain, nominal columns only, no missing values.

A branch without rows has no class (its counts are all 0). Gains are compared exactly, so the arithmetic below is part
of the answer: entropy is -sum of n log n over classes, divided by N, plus log N.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reference.rows import Rows

SLACK = 1e-6


@dataclass
class Node:
    """Class counts, and where there is a split the column and one child for each category."""

    counts: list[float]
    column: int | None = None
    children: list[Node] = field(default_factory=list)

    @property
    def label(self) -> int | None:
        """The most frequent class, the first on a tie; None where there are no rows."""
        if sum(self.counts) == 0:
            return None
        return self.counts.index(max(self.counts))


def count(rows: Rows, chosen: list[int]) -> list[float]:
    """Class weights of some rows."""
    counts = [0.0] * len(rows.classes)
    for row in chosen:
        counts[rows.of_class(row)] += rows.weights[row]
    return counts


def entropy(rows: Rows, chosen: list[int]) -> float:
    """Entropy of the classes in bits."""
    counts = count(rows, chosen)
    result = 0.0
    for number in counts:
        if number > 0:
            result -= number * (math.log(number) / math.log(2))
    return result / sum(counts) + math.log(sum(counts)) / math.log(2)


def divided(rows: Rows, chosen: list[int], column: int) -> list[list[int]]:
    """Rows of each category."""
    described = rows.columns[column]
    assert described.categories is not None
    return [[row for row in chosen if described.values[row] == code] for code in range(len(described.categories))]


def gain(rows: Rows, chosen: list[int], column: int) -> float:
    """How many bits knowing the column saves."""
    total = sum(rows.weights[row] for row in chosen)
    result = entropy(rows, chosen)
    for inside in divided(rows, chosen, column):
        if inside:
            result -= sum(rows.weights[row] for row in inside) / total * entropy(rows, inside)
    return result


def grow(rows: Rows, chosen: list[int]) -> Node:
    """Split until no column gains anything."""
    node = Node(count(rows, chosen))
    if not chosen or not rows.columns:
        return node
    gains = [gain(rows, chosen, column) for column in range(len(rows.columns))]
    best = gains.index(max(gains))
    if abs(gains[best]) < SLACK:
        return node
    node.column = best
    node.children = [grow(rows, inside) for inside in divided(rows, chosen, best)]
    return node


def fit(rows: Rows) -> Node:
    """Grow the tree from all rows with a weight."""
    return grow(rows, [row for row, weight in enumerate(rows.weights) if weight > 0])


def predict(node: Node, rows: Rows, row: int) -> int | None:
    """Predicted class of a row, None where the tree has no answer."""
    while node.column is not None:
        code = rows.columns[node.column].values[row]
        assert code is not None
        node = node.children[int(code)]
    return node.label


def text(node: Node, rows: Rows, depth: int = 0) -> str:
    """Write the tree in the classic layout; it starts with a line break unless it is a leaf."""
    if node.column is None:
        return f": {'null' if node.label is None else rows.classes[node.label]}"
    column = rows.columns[node.column]
    assert column.categories is not None
    written = ""
    for category, child in zip(column.categories, node.children, strict=True):
        written += "\n" + "|  " * depth + f"{column.name} = {category}" + text(child, rows, depth + 1)
    return written
