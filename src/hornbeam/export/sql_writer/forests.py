"""Forests as SQL: every tree is a column, and the columns are summed in batches."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from hornbeam.export.sql_writer.trees import Outputs, compared, greatest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.export.sql_writer.layers import Layers


class ForestQuery:
    """A forest of a program, and the query that it becomes part of."""

    def __init__(self, layers: Layers, plain: dict[str, Any]) -> None:
        self.layers, self.plain = layers, plain
        self.first: list[int] = plain["first"]
        self.height = [0] * len(self.first)
        for node in range(len(self.first) - 1, -1, -1):  # children follow their parent
            if self.first[node] >= 0:
                self.height[node] = 1 + max(self.height[self.first[node]], self.height[self.first[node] + 1])
        self.most = layers.dialect.depth

    def _conditions(self, node: int) -> tuple[str, str]:
        """Return when a row takes the first branch, and when the second."""
        test, column = self.plain["tests"][node], self.plain["column"][node]
        if isinstance(test, list):
            known = set(test)
            rest = [code for code in range(len(self.layers.columns[column]["categories"])) if code not in known]
            return self.layers.is_in(column, test), self.layers.is_in(column, rest)
        value, number = self.layers.values[column], self.layers.dialect.number
        return compared(value, "<=", float(test), number), compared(value, ">", float(test), number)

    def _chosen(self, node: int, low: str, high: str) -> str:
        """Return what a row gets at a node, of what it gets below."""
        if low == high:
            return low
        if_low, if_high = self._conditions(node)
        if self.plain["missing"][node]:
            return f"CASE WHEN {if_low} THEN {low} ELSE {high} END"
        return f"CASE WHEN {if_high} THEN {high} ELSE {low} END"

    def _value(self, node: int, k: int) -> str:
        """Return the k-th value of the leaf below a node that a row reaches."""
        first = self.first[node]
        if first < 0:
            return self.layers.dialect.number(_single(float(self.plain["value"][node][k])))
        return self._chosen(node, self._value(first, k), self._value(first + 1, k))

    def _reached(self, node: int, depth: int, front: list[int]) -> str:
        """Return the node that a row reaches after some levels; add those nodes to a list."""
        if depth == 0 or self.first[node] < 0:
            front.append(node)
            return str(node)
        first = self.first[node]
        return self._chosen(node, self._reached(first, depth - 1, front), self._reached(first + 1, depth - 1, front))

    def trees(self, n_values: Sequence[int], kept: Sequence[str]) -> list[list[str]]:
        """Add the columns of all trees; for every tree, one name per value of its leaves."""
        expressions: list[list[str]] = []
        needed: list[str] = []
        for root, count in zip(self.plain["roots"], n_values, strict=True):
            if self.height[root] <= self.most:
                expressions.append([self._value(root, k) for k in range(count)])
                continue
            node, front = self._deep(root, [*needed, *kept])
            needed.append(node)
            expressions.append([self._by_node(node, front, k) for k in range(count)])
        names = iter(self.layers.add([each for tree in expressions for each in tree], [*needed, *kept]))
        return [[next(names) for _ in tree] for tree in expressions]

    def _deep(self, root: int, kept: list[str]) -> tuple[str, list[int]]:
        """Add columns with the node that each row reaches, until what is below fits into one expression."""
        front: list[int] = []
        (name,) = self.layers.add([self._reached(root, self.most, front)], kept)
        while max(self.height[node] for node in front) > self.most:
            deeper: list[int] = []
            whens = [
                f"WHEN {node} THEN {self._reached(node, self.most, deeper)}" for node in front if self.first[node] >= 0
            ]
            deeper += [node for node in front if self.first[node] < 0]
            (name,) = self.layers.add([f"CASE {name} {' '.join(whens)} ELSE {name} END"], [name, *kept])
            front = deeper
        return name, front

    def _by_node(self, name: str, front: list[int], k: int) -> str:
        whens = " ".join(f"WHEN {node} THEN {self._value(node, k)}" for node in front)
        return f"CASE {name} {whens} END"


def forest_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str]) -> Outputs:
    """Add the columns of a forest's outputs."""
    dialect, base, roots = layers.dialect, [float(each) for each in plain["base"]], plain["roots"]
    leaf_of = {root: root for root in roots}
    for root in roots:
        while plain["first"][leaf_of[root]] >= 0:
            leaf_of[root] = plain["first"][leaf_of[root]]
    counts = [len(plain["value"][leaf_of[root]]) for root in roots]
    trees = ForestQuery(layers, plain).trees(counts, kept)
    unit = plain.get("unit")
    terms: list[list[str]] = [[] if unit is not None else [dialect.number(each)] for each in base]
    for tree, names in enumerate(trees):
        to = plain["output"][tree] if "output" in plain else 0
        for k, name in enumerate(names):
            terms[to + k].append(name)
    sums = [f"({dialect.sum_of(each)})" for each in terms]
    if plain["mean"]:
        sums = [f"{each} / {dialect.number(float(len(roots)))}" for each in sums]
    if unit is not None:
        sums = [
            f"{each} * {dialect.number(float(unit))} + {dialect.number(middle)}"
            for each, middle in zip(sums, base, strict=True)
        ]
    columns = layers.add(sums, [*(name for names in trees for name in names), *kept])
    if plain["mean"] and len(columns) > 1:
        total = " + ".join(columns)
        columns = layers.add([f"{each} / ({total})" for each in columns], [*columns, *kept])
    columns = linked(layers, columns, plain["link"], kept)
    if len(columns) == 1:
        return Outputs(columns)
    label, *needed = greatest(layers, columns, 0.0, [*columns, *kept])
    (name,) = layers.add([label], [*columns, *needed, *kept])
    return Outputs(columns, name)


def linked(layers: Layers, sums: list[str], link: str, kept: Sequence[str]) -> list[str]:
    """Add the columns of outputs, of the sums of a forest."""
    number = layers.dialect.number
    one = number(1.0)
    if link == "logistic":
        (small,) = layers.add([f"EXP(-ABS({sums[0]}))"], [*sums, *kept])
        second = f"(CASE WHEN {sums[0]} >= {number(0.0)} THEN {one} ELSE {small} END) / ({one} + {small})"
        (second,) = layers.add([second], [*sums, small, *kept])
        (first,) = layers.add([f"{one} - {second}"], [second, *kept])
        return [first, second]
    if link == "exp":
        return layers.add([f"EXP({each})" for each in sums], [*sums, *kept])
    if link != "softmax":
        return sums
    (most,) = layers.add([greatest_value(layers, sums)], [*sums, *kept])
    raised = layers.add([f"EXP({each} - {most})" for each in sums], [*sums, most, *kept])
    (total,) = layers.add([layers.dialect.sum_of(list(raised))], [*raised, *kept])
    return layers.add([f"{each} / {total}" for each in raised], [*raised, total, *kept])


def greatest_value(layers: Layers, values: Sequence[str]) -> str:
    """Return the expression of the greatest of some columns."""
    return values[0] if len(values) == 1 else layers.dialect.greatest(values)


def _single(value: float) -> float:
    number: float = struct.unpack("f", struct.pack("f", value))[0]
    return number
