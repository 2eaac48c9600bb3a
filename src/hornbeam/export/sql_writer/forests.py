"""Forests as SQL: every tree is an expression, and they are summed in batches."""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING, Any

from hornbeam.export.sql_writer.trees import Outputs, compared, greatest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.sql_writer.layers import Layers

LARGEST = sys.float_info.max  # stands for a missing value: above every cut, and with a minus sign below every cut


class ForestQuery:
    """A forest of a program, and the query that it becomes part of.

    Every tree is a CASE with one WHEN for each node at which the path leaves the larger part of the tree, so that an
    expression has few levels: at most the logarithm of the number of leaves if all splits are numeric.
    """

    def __init__(self, layers: Layers, plain: dict[str, Any]) -> None:
        self.layers, self.plain = layers, plain
        self.first: list[int] = plain["first"]
        self.most = layers.dialect.depth
        self.filled: dict[tuple[int, bool], str] = {}  # by column and whether missing values are high
        n_nodes = len(self.first)
        self.leaves, self.nested, self.taken = [1] * n_nodes, [0] * n_nodes, [0] * n_nodes
        for node in range(n_nodes - 1, -1, -1):  # children follow their parent
            first = self.first[node]
            if first < 0:
                continue
            self.leaves[node] = self.leaves[first] + self.leaves[first + 1]
            self.taken[node] = int(self._then_second(node))
            then, other = first + self.taken[node], first + 1 - self.taken[node]
            self.nested[node] = max(1 + self.nested[then], self.nested[other])

    def _then_second(self, node: int) -> bool:
        """Whether the second branch follows THEN: the smaller one does, unless missing values must be ELSE."""
        if self._is_filled(node):
            return self.leaves[self.first[node] + 1] < self.leaves[self.first[node]]
        return not self.plain["missing"][node]

    def _is_filled(self, node: int) -> bool:
        """Whether missing values are compared as a very large or very small number."""
        test = self.plain["tests"][node]
        return not isinstance(test, list) and abs(float(test)) < LARGEST

    def fill(self, kept: Sequence[str]) -> list[str]:
        """Add the columns in which missing values are numbers; return the columns that are kept from now on."""
        plain = self.plain
        wanted = {
            (plain["column"][node], not plain["missing"][node])
            for node in range(len(self.first))
            if self.first[node] >= 0 and self._is_filled(node)
        }
        listed = sorted(wanted)
        number = self.layers.dialect.number
        names = self.layers.add(
            [f"COALESCE({self.layers.values[c]}, {number(-LARGEST if low else LARGEST)})" for c, low in listed], kept
        )
        self.filled = dict(zip(listed, names, strict=True))
        return [*names, *kept]

    def _condition(self, node: int) -> str:
        """Return the condition for the branch after THEN."""
        test, column = self.plain["tests"][node], self.plain["column"][node]
        second = bool(self.taken[node])
        if isinstance(test, list):
            known = set(test)
            rest = [code for code in range(len(self.layers.columns[column]["categories"])) if code not in known]
            return self.layers.is_in(column, rest if second else test)
        value = self.filled.get((column, not self.plain["missing"][node]), "")
        value = value if self._is_filled(node) else self.layers.values[column]
        return compared(value, ">" if second else "<=", float(test), self.layers.dialect.number)

    def _chosen(self, node: int, below: Callable[[int], str]) -> str:
        """Return the value at a node, from the values of its children."""
        whens = []
        while self.first[node] >= 0:
            first = self.first[node]
            whens.append((self._condition(node), below(first + self.taken[node])))
            node = first + 1 - self.taken[node]
        otherwise = below(node)
        while whens and whens[-1][1] == otherwise:
            whens.pop()
        text = " ".join(f"WHEN {condition} THEN {value}" for condition, value in whens)
        return f"CASE {text} ELSE {otherwise} END" if whens else otherwise

    def _value(self, node: int, k: int) -> str:
        """Return the k-th value of the leaf below a node that a row reaches."""
        if self.first[node] < 0:
            return self.layers.dialect.number(_single(float(self.plain["value"][node][k])))
        return self._chosen(node, lambda below: self._value(below, k))

    def _reached(self, node: int, depth: int, front: list[int]) -> str:
        """Return the node that a row reaches after some levels; add those nodes to a list."""
        if depth == 0 or self.first[node] < 0:
            front.append(node)
            return str(node)
        return self._chosen(node, lambda below: self._reached(below, depth - 1, front))

    def trees(self, n_values: Sequence[int], kept: Sequence[str]) -> list[list[str]]:
        """Return for every tree one expression per value of its leaves; what they need is added and kept."""
        expressions: list[list[str]] = []
        self.needed = self.fill(kept)
        for root, count in zip(self.plain["roots"], n_values, strict=True):
            if self.nested[root] <= self.most:
                expressions.append([self._value(root, k) for k in range(count)])
                continue
            node, front = self._deep(root)
            self.needed.append(node)
            expressions.append([self._by_node(node, front, k) for k in range(count)])
        return expressions

    def _deep(self, root: int) -> tuple[str, list[int]]:
        """Add columns with the node that each row reaches, until what is below fits into one expression."""
        front: list[int] = []
        (name,) = self.layers.add([self._reached(root, self.most, front)], self.needed)
        while max(self.nested[node] for node in front) > self.most - 1:
            deeper: list[int] = []
            whens = [
                f"WHEN {node} THEN {self._reached(node, self.most - 1, deeper)}"
                for node in front
                if self.first[node] >= 0
            ]
            deeper += [node for node in front if self.first[node] < 0]
            (name,) = self.layers.add([f"CASE {name} {' '.join(whens)} ELSE {name} END"], [name, *self.needed])
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
    query = ForestQuery(layers, plain)
    trees = query.trees(counts, kept)
    unit = plain.get("unit")
    terms: list[list[str]] = [[] if unit is not None else [dialect.number(each)] for each in base]
    for tree, values in enumerate(trees):
        to = plain["output"][tree] if "output" in plain else 0
        for k, value in enumerate(values):
            terms[to + k].append(value)
    sums = [f"({dialect.sum_of(each)})" for each in terms]
    if plain["mean"]:
        sums = [f"{each} / {dialect.number(float(len(roots)))}" for each in sums]
    if unit is not None:
        sums = [
            f"{each} * {dialect.number(float(unit))} + {dialect.number(middle)}"
            for each, middle in zip(sums, base, strict=True)
        ]
    columns = layers.add(sums, [*query.needed, *kept])
    if plain["mean"] and len(columns) > 1:
        total = " + ".join(columns)
        columns = layers.add([f"{each} / ({total})" for each in columns], [*columns, *kept])
    columns = linked(layers, columns, plain["link"], kept)
    if len(columns) == 1:
        return Outputs(columns, "0")  # a number, or the only class
    label, *needed = greatest(layers, columns, 0.0, [*columns, *kept])
    (name,) = layers.add([label], [*columns, *needed, *kept])
    return Outputs(columns, name)


def linked(layers: Layers, sums: list[str], link: str, kept: Sequence[str]) -> list[str]:
    """Add the columns of outputs, computed from the sums of a forest."""
    number = layers.dialect.number
    one = number(1.0)
    if link == "logistic":
        (small,) = layers.add([layers.dialect.exp(f"-ABS({sums[0]})")], [*sums, *kept])
        second = f"(CASE WHEN {sums[0]} >= {number(0.0)} THEN {one} ELSE {small} END) / ({one} + {small})"
        (second,) = layers.add([second], [*sums, small, *kept])
        (first,) = layers.add([f"{one} - {second}"], [second, *kept])
        return [first, second]
    if link == "exp":
        return layers.add([layers.dialect.exp(each) for each in sums], [*sums, *kept])
    if link != "softmax":
        return sums
    (most,) = layers.add([greatest_value(layers, sums)], [*sums, *kept])
    raised = layers.add([layers.dialect.exp(f"{each} - {most}") for each in sums], [*sums, most, *kept])
    (total,) = layers.add([layers.dialect.sum_of(list(raised))], [*raised, *kept])
    return layers.add([f"{each} / {total}" for each in raised], [*raised, total, *kept])


def greatest_value(layers: Layers, values: Sequence[str]) -> str:
    """Return the expression of the greatest of some columns."""
    return values[0] if len(values) == 1 else layers.dialect.greatest(values)


def _single(value: float) -> float:
    number: float = struct.unpack("f", struct.pack("f", value))[0]
    return number
