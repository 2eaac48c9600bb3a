"""The naive forest: a row down every tree, one node at a time, by the words of `hornbeam.model.forests.forest`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.forests.forest import Forest


def end_of(forest: Forest, table: Table, row: int, tree: int) -> int:
    """The node of the forest where a row ends in one tree."""
    node = int(forest.roots[tree])
    while forest.first_child[node] >= 0:
        position = forest.schema.features[forest.feature[node]]
        column, value = forest.schema.columns[position], table.columns[position][row]
        nominal = isinstance(column, Nominal)
        if (nominal and value < 0) or (not nominal and math.isnan(value)):
            branch = int(forest.missing[node])
        elif isinstance(column, Nominal) and not column.ordered:
            assert forest.set_start is not None
            assert forest.codes is not None
            listed = forest.codes[forest.set_start[node] : forest.set_start[node + 1]]
            branch = 0 if value in listed else 1
        else:
            branch = 0 if value <= forest.cut[node] else 1
        node = int(forest.first_child[node]) + branch
    return node


def scores_of(forest: Forest, table: Table, row: int, n_trees: int | None = None) -> list[float]:
    """The sums of the first trees' values, or their means."""
    count = forest.n_trees if n_trees is None else n_trees
    about = forest.unit is not None  # values are distances from the base
    sums = [0.0 if about else float(start) for start in forest.base]
    for tree in range(count):
        values = forest.value[end_of(forest, table, row, tree)]
        if forest.output is not None:
            sums[forest.output[tree]] += float(values[0])
        else:
            sums = [total + float(value) for total, value in zip(sums, values, strict=True)]
    if forest.combine == "mean":
        sums = [total / count for total in sums]
    if forest.unit is not None:
        sums = [total * float(forest.unit[0]) + float(base) for total, base in zip(sums, forest.base, strict=True)]
    return sums


def answer_of(forest: Forest, scores: list[float]) -> list[float]:
    """Class shares, or one number."""
    if forest.link == "logistic":
        second = 1 / (1 + math.exp(-scores[0]))
        return [1 - second, second]
    if forest.link == "softmax":
        parts = [math.exp(score) for score in scores]
        return [part / sum(parts) for part in parts]
    if forest.link == "exp":
        return [math.exp(scores[0])]
    if len(scores) > 1:  # averages of rounded shares
        return [score / sum(scores) for score in scores]
    return scores


def answers_of(forest: Forest, table: Table) -> np.ndarray[Any, Any]:
    """Class shares (or the number, in one column) of every row."""
    found = [answer_of(forest, scores_of(forest, table, row)) for row in range(table.n_rows)]
    width = len(forest.base) + (forest.link == "logistic")
    return np.array(found, np.float64).reshape(table.n_rows, width)
