"""Trees as formulas: nested IF, and the weight of a divided row at every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.core.base.tolerance import TIE
from hornbeam.export.excel_writer.outputs import Divided, Results, best_of
from hornbeam.export.excel_writer.rules import equation_or
from hornbeam.export.excel_writer.sheet import FALSE, ONE, ZERO, Formula, number
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, FRACTIONAL, LEAST_SHARE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.export.excel_writer.sheet import Sheet

    Branches = tuple[Formula, list[tuple[int, Formula]]]  # whether the value is known, and the conditions of branches
WITHOUT = Formula("-1")  # the branch of a row without a value


def branches(sheet: Sheet, split: Sequence[Any]) -> Branches:
    """Return whether a row has the value of a split, and the conditions of the branches for rows that have it."""
    kind = split[0]
    if kind in (CODES, CODE_SETS):
        sets = _sets(sheet, split)
        listed = [code for codes in sets.values() for code in codes]
        found = [(branch, sheet.is_in(split[1], sorted(codes))) for branch, codes in sorted(sets.items())]
        return sheet.is_in(split[1], sorted(listed)), found
    if kind == CUTS:
        sides, cuts, value, known = split[2], split[3], sheet.number_of(split[1]), sheet.is_known(split[1])
    else:
        sides, cuts = split[1], split[2]
        terms = [sheet.product([number(float(c)), sheet.value(i)]) for i, c in zip(split[3], split[4], strict=True)]
        value, known = sheet.total(terms), sheet.both([sheet.is_known(i) for i in split[3]])
        value = sheet.helper("sum", sheet.choose(known, value, Formula('""')))
    low, last = "<=" if sides & 1 else "<", len(cuts)
    found = []
    for interval in range(last):  # tried in this order: the first that holds decides
        branch = last - interval if sides >> 1 else interval
        found.append((branch, sheet.compared(value, low, float(cuts[interval]))))
    return known, [*found, (0 if sides >> 1 else last, Formula("TRUE"))]


def _sets(sheet: Sheet, split: Sequence[Any]) -> dict[int, list[int]]:
    """Return the categories of each branch."""
    size = len(sheet.columns[split[1]]["categories"])
    if split[0] == CODES:
        to = [(code, branch) for code, branch in enumerate(split[2]) if branch >= 0 and code < size]
    else:
        listed = dict(zip(split[3], split[4], strict=True))
        to = [(code, listed.get(code, split[2])) for code in range(size)]
    sets: dict[int, list[int]] = {}
    for code, branch in to:
        if branch >= 0:
            sets.setdefault(branch, []).append(code)
    return sets


class TreeFormulas:
    """A tree of a program, and the sheet that it becomes part of."""

    def __init__(self, sheet: Sheet, plain: dict[str, Any]) -> None:
        self.sheet, self.plain = sheet, plain
        self.first, self.children, self.share = plain["first"], plain["children"], plain.get("share", ())
        self.n_nodes = len(self.first)

    def is_leaf(self, node: int) -> bool:
        """Whether a node has no branches."""
        return bool(self.first[node] < 0)

    def divided(self, node: int) -> list[int]:
        """Return the children among which a row without a value is divided; empty: it is not divided."""
        if self.is_leaf(node) or self.plain["missing"][node] != FRACTIONAL:
            return []
        children = range(self.first[node], self.first[node] + self.children[node])
        return [child for child in children if float(self.share[child]) > LEAST_SHARE]

    def stops(self, node: int) -> bool:
        """Whether a row without the value ends at a node that is not a leaf."""
        return not self.is_leaf(node) and self.plain["missing"][node] < 0 and not self.divided(node)

    def ends(self) -> list[int]:
        """Return the nodes where a row may end."""
        return [node for node in range(self.n_nodes) if self.is_leaf(node) or self.stops(node)]

    def splits(self, node: int) -> list[Branches]:
        """Return the split of a node and its surrogates."""
        plain = self.plain
        others = plain["surrogates"][node] if plain.get("surrogates") else ()
        return [branches(self.sheet, plain["splits"][each]) for each in (plain["split"][node], *others)]

    def whole(self, end: Callable[[int], Formula], several: Formula) -> Formula:
        """Return the result of the node where a row ends; `several` if it is divided."""
        sheet, found = self.sheet, [ZERO] * self.n_nodes
        for node in reversed(range(self.n_nodes)):
            if self.is_leaf(node):
                found[node] = end(node)
                continue
            first, missing = self.first[node], self.plain["missing"][node]
            without = several if self.divided(node) else end(node) if missing < 0 else found[first + missing]
            below = [found[first + branch] for branch in range(self.children[node])]
            splits = self.splits(node)
            if len(splits) > 1:
                branch = self.branch(node)
                result = without
                for place in reversed(range(len(below))):
                    is_taken = sheet.compare(branch, "=", number(float(place)))
                    result = sheet.choose(is_taken, below[place], result)
            else:
                result = self._chosen(splits[0], below, without, by_set=self._by_set(node))
            found[node] = result
        return found[0]

    def _by_set(self, node: int) -> bool:
        return self.plain["splits"][self.plain["split"][node]][0] in (CODES, CODE_SETS)

    def _chosen(self, split: Branches, below: Sequence[Formula], without: Formula, *, by_set: bool) -> Formula:
        """Return the result of the branch that a row takes, or the result for a missing value."""
        sheet, (known, conditions) = self.sheet, split
        if by_set:  # no condition holds for a missing value
            result = without
            for branch, condition in reversed(conditions):
                result = sheet.choose(condition, below[branch], result)
            return result
        if len(conditions) == 2:  # noqa: PLR2004 - one cut, and the missing value takes a branch
            (low, condition), (high, _) = conditions
            if without == below[high]:
                return sheet.choose(sheet.both([known, condition]), below[low], below[high])
        result = below[conditions[-1][0]]
        for branch, condition in reversed(conditions[:-1]):
            result = sheet.choose(condition, below[branch], result)
        return sheet.choose(known, result, without)

    def branch(self, node: int) -> Formula:
        """Return the branch that a row takes at a node, -1 if unknown, in a separate column."""
        found = WITHOUT
        by_set = [self.plain["splits"][each][0] in (CODES, CODE_SETS) for each in self._all_splits(node)]
        numbers = [number(float(k)) for k in range(self.children[node])]
        for split, is_set in reversed(list(zip(self.splits(node), by_set, strict=True))):
            found = self._chosen(split, numbers, found, by_set=is_set)
        return self.sheet.helper(f"branch at {node}", found)

    def _all_splits(self, node: int) -> list[int]:
        others = self.plain["surrogates"][node] if self.plain.get("surrogates") else ()
        return [self.plain["split"][node], *others]

    def weights(self) -> dict[int, Formula]:
        """Return the fraction of a row that ends at each node, each in a separate column."""
        sheet, reaches, ends = self.sheet, {0: ONE}, {}
        for node in range(self.n_nodes):
            if self.is_leaf(node):
                ends[node] = reaches[node]
                continue
            branch, missing, divided = self.branch(node), self.plain["missing"][node], self.divided(node)
            without = sheet.compare(branch, "=", WITHOUT)
            if self.stops(node):
                stopped = sheet.choose(without, reaches[node], ZERO)
                ends[node] = sheet.helper(f"fraction at {node}", stopped)
            for place in range(self.children[node]):
                child = self.first[node] + place
                share = ONE if place == missing else number(float(self.share[child])) if child in divided else ZERO
                taken = sheet.compare(branch, "=", number(float(place)))
                factor = sheet.choose(taken, ONE, sheet.choose(without, share, ZERO))
                part = sheet.product([reaches[node], factor])
                reaches[child] = sheet.helper(f"fraction at {child}", part)
        return ends

    def values(self, node: int) -> list[float]:
        """Return the outputs of a node."""
        plain, pseudo = self.plain, [float(each) for each in self.plain["pseudo"]]
        source = plain["source"][node] if "source" in plain else node
        total = float(plain["weight"][source]) + float(plain["pseudoTotal"]) if "weight" in plain else 1.0
        value = plain["value"][source]
        return [(float(value[k]) + p) / total if total > 0 else 1 / len(pseudo) for k, p in enumerate(pseudo)]


def tree_results(sheet: Sheet, plain: dict[str, Any]) -> Results:
    """Return the results of a tree."""
    tree = TreeFormulas(sheet, plain)
    ends = tree.ends()
    place = {node: k for k, node in enumerate(ends)}
    labels = plain.get("label")
    found = Results(
        lambda end, several: tree.whole(lambda node: end(place[node]), several),
        outputs=[[0.0] if "equations" in plain else tree.values(node) for node in ends],
        labels=[labels[node] if labels else -1 for node in ends],
    )
    if "equations" in plain:
        found.equations = {}
        for node in ends:
            equation = equation_or(sheet, plain["equations"][node], float(plain["value"][node][0]))
            found.equations[place[node]] = sheet.helper(f"equation at {node}", equation)
    if any(tree.divided(node) for node in range(tree.n_nodes)):
        found.divided = _divided(tree, ends, found)
    return found


def _divided(tree: TreeFormulas, ends: list[int], found: Results) -> Divided:
    """Return the outputs and the label of a row that is divided."""
    sheet, weights = tree.sheet, tree.weights()
    if found.equations is not None:  # not divided by the sum of the fractions
        parts = [sheet.product([weights[node], found.equations[k]]) for k, node in enumerate(ends)]
        return Divided([sheet.helper("mean of divided rows", sheet.total(parts))], None)
    total = sheet.helper("sum of fractions", sheet.total([weights[node] for node in ends]))
    columns = []
    for k in range(len(found.outputs[0])):
        parts = [
            sheet.product([weights[node], number(outputs[k])])
            for node, outputs in zip(ends, found.outputs, strict=True)
            if outputs[k] != 0
        ]
        mean = sheet.joined([sheet.total(parts), total], "/")
        columns.append(sheet.helper("mean of divided rows", mean))
    if "label" not in tree.plain:
        return Divided(columns, None)
    label = sheet.helper("class of divided rows", best_of(sheet, columns, TIE))
    if any(len(tree.divided(node)) == 1 for node in range(tree.n_nodes)):  # it may end at one node and get its label
        alone, positive = FALSE, [sheet.compare(weights[node], ">", ZERO) for node in ends]
        for condition, own in zip(reversed(positive), reversed(found.labels), strict=True):
            alone = number(float(own)) if alone == FALSE else sheet.choose(condition, number(float(own)), alone)
        count = sheet.total([sheet.choose(each, ONE, ZERO) for each in positive])
        one = sheet.compare(sheet.helper("ends of divided rows", count), "=", ONE)
        label = sheet.helper("class of divided rows", sheet.choose(one, alone, label))
    return Divided(columns, label)
