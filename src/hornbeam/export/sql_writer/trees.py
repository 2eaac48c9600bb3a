"""Trees and forests as SQL: nested CASE expressions, and products of fractions where rows are divided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import TIE
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.sql_writer.layers import Layers


class Outputs:
    """The columns of a query that hold the outputs of a model, and the expression of its label (None: no classes)."""

    def __init__(self, columns: list[str], label: str | None = None) -> None:
        self.columns = columns
        self.label = label


def branches(layers: Layers, split: Sequence[Any]) -> list[tuple[int, str]]:
    """Return the branches of a split with their conditions; none holds where the value is missing."""
    kind = split[0]
    if kind == CODES:
        to: dict[int, list[int]] = {}
        for code, branch in enumerate(split[2]):
            if branch >= 0 and code < len(layers.columns[split[1]]["categories"]):
                to.setdefault(branch, []).append(code)
        return [(branch, layers.is_in(split[1], codes)) for branch, codes in sorted(to.items())]
    if kind == CODE_SETS:
        return _by_sets(layers, *split[1:])
    number = layers.dialect.number
    if kind == CUTS:
        sides, cuts, value = split[2], split[3], layers.values[split[1]]
    else:
        sides, cuts = split[1], split[2]
        terms = [f"{number(float(c))} * {layers.values[i]}" for i, c in zip(split[3], split[4], strict=True)]
        value = f"({' + '.join(terms)})"
    low, high = ("<=", ">") if sides & 1 else ("<", ">=")
    last = len(cuts)
    found = []
    for interval in range(last + 1):
        parts = []
        if interval > 0:
            parts.append(compared(value, high, float(cuts[interval - 1]), number))
        if interval < last:
            parts.append(compared(value, low, float(cuts[interval]), number))
        found.append((last - interval if sides >> 1 else interval, " AND ".join(parts)))
    return found


def _by_sets(
    layers: Layers, column: int, other: int, listed: Sequence[int], to_branch: Sequence[int]
) -> list[tuple[int, str]]:
    """Return the branches of sets of categories; those that are not listed take the branch `other`."""
    sets: dict[int, list[int]] = {}
    for code, branch in zip(listed, to_branch, strict=True):
        if branch >= 0:  # others count as missing
            sets.setdefault(branch, []).append(code)
    known = set(listed)
    rest = [code for code in range(len(layers.columns[column]["categories"])) if code not in known]
    if other >= 0 and rest:
        sets.setdefault(other, []).extend(rest)  # each branch once; else deep trees would be written several times
    return [(branch, layers.is_in(column, codes)) for branch, codes in sorted(sets.items())]


def compared(value: str, sign: str, cut: float, number: Callable[[float], str]) -> str:
    """Return the comparison of a value with a cut; an infinite one separates known values from missing ones."""
    if cut == float("inf"):
        return f"{value} IS NOT NULL" if sign in ("<=", "<") else "1 = 0"
    return f"{value} {sign} {number(cut)}"


class TreeQuery:
    """A tree of a program, and the query that it becomes part of."""

    def __init__(self, layers: Layers, plain: dict[str, Any]) -> None:
        self.layers, self.plain = layers, plain
        self.first, self.children, self.share = plain["first"], plain["children"], plain.get("share", ())
        self.missing = [self._one_way(node, branch) for node, branch in enumerate(plain["missing"])]

    def _one_way(self, node: int, branch: int) -> int:
        """Return where a row with a missing value goes; it is not divided if its whole weight takes one branch."""
        if branch != FRACTIONAL or self._is_leaf(node) or "equations" in self.plain:
            return branch
        first = self.first[node]
        to = [b for b in range(self.children[node]) if float(self.share[first + b]) > LEAST_SHARE]
        return to[0] if len(to) == 1 and float(self.share[first + to[0]]) == 1 else branch

    def _is_leaf(self, node: int) -> bool:
        return bool(self.first[node] < 0)

    def _splits(self, node: int) -> list[list[Any]]:
        """Return the split of a node and its surrogates."""
        splits, plain = self.plain["splits"], self.plain
        others = plain["surrogates"][node] if plain.get("surrogates") else ()
        return [splits[plain["split"][node]], *(splits[each] for each in others)]

    def _divided(self, node: int) -> list[int]:
        """Return the children among which a row without a value is divided; empty: it is not divided."""
        if self.missing[node] != FRACTIONAL:
            return []
        children = range(self.first[node], self.first[node] + self.children[node])
        return [child for child in children if float(self.share[child]) > LEAST_SHARE]

    def branch(self, node: int) -> str:
        """Return the expression of the branch that a row takes at a node; NULL where none is known."""
        cases = []
        for split in self._splits(node):
            whens = " ".join(f"WHEN {condition} THEN {branch}" for branch, condition in branches(self.layers, split))
            if whens:  # a split of a column without categories has none
                cases.append(f"CASE {whens} END")
        return f"COALESCE({', '.join(cases)})" if len(cases) > 1 else cases[0] if cases else "NULLIF(1, 1)"

    # ---- rows that take one path ----

    def leaf(self) -> str:
        """Add the column with the node where each row ends; NULL if the row is divided."""
        reached = self._descend(0, self.layers.dialect.depth)
        (name,) = self.layers.add([reached], self.kept)
        while self.pending:
            pending, self.pending = self.pending, []
            whens = " ".join(
                f"WHEN {-node - 1} THEN {self._descend(node, self.layers.dialect.depth)}" for node in pending
            )
            (name,) = self.layers.add([f"CASE {name} {whens} ELSE {name} END"], [name, *self.kept])
        return name

    kept: tuple[str, ...] = ()
    pending: list[int]

    def _descend(self, node: int, depth: int) -> str:
        if self._is_leaf(node):
            return str(node)
        if depth == 0:
            self.pending.append(node)
            return str(-node - 1)
        first = self.first[node]
        otherwise = "NULL" if self._divided(node) else str(node)
        if self.missing[node] >= 0:
            otherwise = self._descend(first + self.missing[node], depth - 1)
        splits = self._splits(node)
        if len(splits) > 1:
            to = [b for b in range(self.children[node]) if b != self.missing[node]]
            whens = [f"WHEN {b} THEN {self._descend(first + b, depth - 1)}" for b in to]
            return f"CASE {self.branch(node)} {' '.join(whens)} ELSE {otherwise} END" if whens else otherwise
        whens = [
            f"WHEN {condition} THEN {self._descend(first + branch, depth - 1)}"
            for branch, condition in branches(self.layers, splits[0])
            if branch != self.missing[node]
        ]
        return f"CASE {' '.join(whens)} ELSE {otherwise} END" if whens else otherwise

    # ---- rows that are divided ----

    def ends(self) -> list[tuple[int, list[tuple[int, int]]]]:
        """Return every node where a row may end, with the steps to it: (node, branch), -1 if it stops at the node."""
        found = []
        pending: list[tuple[int, list[tuple[int, int]]]] = [(0, [])]
        while pending:
            node, steps = pending.pop()
            if self._is_leaf(node):
                found.append((node, steps))
                continue
            if self.missing[node] < 0 and not self._divided(node):
                found.append((node, [*steps, (node, -1)]))
            first = self.first[node]
            pending += [(first + b, [*steps, (node, b)]) for b in range(self.children[node] - 1, -1, -1)]
        return found

    def factor(self, node: int, branch: int, taken: str) -> str:
        """Return the fraction of a row at a node that takes a branch; `taken` is the known branch, or NULL."""
        number = self.layers.dialect.number
        first = self.first[node]
        if branch < 0:
            otherwise = number(1.0)
        elif self.missing[node] >= 0:
            otherwise = number(float(branch == self.missing[node]))
        elif first + branch in self._divided(node):
            otherwise = number(float(self.share[first + branch]))
        else:
            otherwise = number(0.0)
        own = f"WHEN {taken} = {branch} THEN {number(1.0)} " if branch >= 0 else ""
        return f"CASE {own}WHEN {taken} IS NOT NULL THEN {number(0.0)} ELSE {otherwise} END"

    def divided(self, leaf: str) -> dict[int, str]:
        """Add the columns with the fraction of each divided row that ends at each node; by node."""
        ends = self.ends()
        steps = list(dict.fromkeys(step for _, path in ends for step in path))
        nodes = list(dict.fromkeys(node for node, _ in steps))
        known = [f"CASE WHEN {leaf} IS NULL THEN {self.branch(node)} END" for node in nodes]
        taken = dict(zip(nodes, self.layers.add(known, [leaf, *self.kept]), strict=True))
        factors = [self.factor(node, branch, taken[node]) for node, branch in steps]
        names = self.layers.add(factors, [leaf, *taken.values(), *self.kept])
        name_of = dict(zip(steps, names, strict=True))
        products = [" * ".join(name_of[step] for step in path) for _, path in ends]
        weights = self.layers.add(products, [leaf, *names, *self.kept])
        return dict(zip((node for node, _ in ends), weights, strict=True))

    def can_be_alone(self) -> bool:
        """Whether a divided row may end at one node only: a node has one branch that gets a fraction of it."""
        return any(len(self._divided(node)) == 1 for node in range(len(self.first)) if not self._is_leaf(node))

    def alone(self, weights: dict[int, str], labels: Sequence[int]) -> str:
        """Return the label of the node where a divided row ends, if it ends at one only; else NULL."""
        zero = self.layers.dialect.number(0.0)
        ends = [node for node in weights if node >= 0]
        reached = " + ".join(f"CASE WHEN {weights[node]} > {zero} THEN 1 ELSE 0 END" for node in ends)
        label = " ".join(f"WHEN {weights[node]} > {zero} THEN {labels[node]}" for node in ends)
        return f"CASE WHEN {reached} = 1 THEN CASE {label} END END"

    def can_divide(self) -> bool:
        """Whether a row may be divided."""
        return any(not self._is_leaf(node) and self._divided(node) for node in range(len(self.first)))


def tree_outputs(layers: Layers, plain: dict[str, Any], kept: Sequence[str], equation: Callable[..., str]) -> Outputs:
    """Add the columns of a tree's outputs."""
    query = TreeQuery(layers, plain)
    query.kept, query.pending = tuple(kept), []
    leaf = query.leaf()
    ends = sorted({node for node, _ in query.ends()})
    values = _leaf_values(layers, plain, ends, equation)
    classes = "label" in plain
    whole = [_by_leaf(leaf, ends, [values[node][k] for node in ends]) for k in range(len(values[ends[0]]))]
    labels = _by_leaf(leaf, ends, [str(plain["label"][node]) for node in ends]) if classes else None
    if not query.can_divide():
        columns = layers.add([*whole, *([labels] if labels else [])], [leaf, *kept])
        return Outputs(columns[: len(whole)], columns[-1] if labels else None)
    weights = query.divided(leaf)
    add = layers.dialect.sum_of
    sums = [add([f"{weights[node]} * ({values[node][k]})" for node in ends]) for k in range(len(whole))]
    if "equations" not in plain:  # equations of a divided row are not divided by the sum of its fractions
        total = add([weights[node] for node in ends])
        (total,) = layers.add([total], [leaf, *weights.values(), *kept])
        sums = [f"({one}) / {total}" for one in sums]
        weights = {**weights, -1: total}
    mixed = [f"CASE WHEN {leaf} IS NULL THEN {one} ELSE {w} END" for one, w in zip(sums, whole, strict=True)]
    columns = layers.add(mixed, [leaf, *weights.values(), *kept])
    if not classes:
        return Outputs(columns)
    own = [*columns, *kept]
    alone = query.alone(weights, plain["label"]) if query.can_be_alone() else None
    if alone is not None:  # a divided row may end at one node only, which then gives the label
        (alone,) = layers.add([alone], [leaf, *weights.values(), *own])
        own.append(alone)
    best, *needed = greatest(layers, columns, TIE, [leaf, *own])
    best = best if alone is None else f"COALESCE({alone}, {best})"
    (label,) = layers.add([f"CASE WHEN {leaf} IS NULL THEN {best} ELSE {labels} END"], [leaf, *needed, *own])
    return Outputs(columns, label)


def _leaf_values(
    layers: Layers, plain: dict[str, Any], ends: list[int], equation: Callable[..., str]
) -> dict[int, list[str]]:
    """Return the expressions of the outputs at every node where a row may end."""
    if "equations" in plain:
        return {node: [equation(layers, plain["equations"][node])] for node in ends}
    number, pseudo = layers.dialect.number, [float(each) for each in plain["pseudo"]]
    found = {}
    for node in ends:
        source = plain["source"][node] if "source" in plain else node
        total = float(plain["weight"][source]) + float(plain["pseudoTotal"]) if "weight" in plain else 1.0
        value = plain["value"][source]
        parts = [(float(value[k]) + p) / total if total > 0 else 1 / len(pseudo) for k, p in enumerate(pseudo)]
        found[node] = [number(part) for part in parts]
    return found


def _by_leaf(leaf: str, ends: list[int], values: list[str]) -> str:
    """Return the value of the node where a row ends, each value once."""
    nodes: dict[str, list[int]] = {}
    for node, value in zip(ends, values, strict=True):
        nodes.setdefault(value, []).append(node)
    if len(nodes) == 1:
        return values[0]
    whens = " ".join(f"WHEN {leaf} IN ({', '.join(map(str, listed))}) THEN {value}" for value, listed in nodes.items())
    return f"CASE {whens} END"


def greatest(layers: Layers, outputs: Sequence[str], slack: float, kept: Sequence[str]) -> list[str]:
    """Return the expression of the greatest output (the first within a slack) and the columns that it needs."""
    more = f" + {layers.dialect.number(slack)}" if slack else ""
    best = outputs[0]
    if len(outputs) == 1:
        return ["0"]
    if len(outputs) == 2:  # noqa: PLR2004 - two classes
        return [f"CASE WHEN {outputs[1]} > {best}{more} THEN 1 ELSE 0 END"]
    for output in outputs[1:]:
        better = f"CASE WHEN {output} > {best}{more} THEN {output} ELSE {best} END"
        (best,) = layers.add([better], [*kept, *outputs, best])
    whens = " ".join(f"WHEN {output} = {best} THEN {k}" for k, output in enumerate(outputs))
    return [f"CASE {whens} END", best]
