"""Trees of a random forest, written to be read: what the compiled grower does, with the same random numbers.

Columns are given as codes. Every split of a column drawn is worked out anew from the rows.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

MASK = 2**64 - 1
PAIR = 2


def scramble(word: int) -> int:
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) & MASK
    return word ^ (word >> 31)


def mix(seed: int, first: int, second: int) -> int:
    word = scramble((seed + 0x9E3779B97F4A7C15) & MASK)
    word = scramble(word ^ ((first * 0xD1342543DE82EF95 + 1) & MASK))
    return scramble(word ^ ((second * 0xDA942042E4DD58B5 + 1) & MASK))


class Stream:
    """Random numbers one after another."""

    def __init__(self, state: int) -> None:
        self.state = state

    def word(self) -> int:
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        return scramble(self.state)

    def below(self, limit: int) -> int:
        return ((self.word() >> 32) * limit) >> 32

    def unit(self) -> float:
        return (self.word() >> 11) / 2**53


@dataclass
class Split:
    score: float
    feature: int
    cut: int  # last code of the first branch, of an ordered column
    codes: tuple[int, ...] | None  # of the first branch, of a nominal one
    missing: int
    bins: tuple[int, int] | None = None  # beside the cut
    threshold: float | None = None


@dataclass
class Node:
    value: list[float]
    weight: float
    split: Split | None = None
    children: tuple[Node, Node] | None = None
    turn: float = math.inf  # nodes are split one after another


class ForestReference:
    """One forest's columns (codes, one list a feature), target and choices."""

    def __init__(
        self,
        columns: list[list[int]],
        n_bins: list[int],
        nominal: list[bool],
        cuts: list[list[float]],
        target: list[Any],
        n_classes: int,
        weights: list[float] | None,
        choices: dict[str, Any],
        values: dict[int, list[float]] | None = None,
        bits: frozenset[int] = frozenset(),
    ) -> None:
        self.columns, self.n_bins, self.nominal, self.cuts = columns, n_bins, nominal, cuts
        self.target, self.n_classes, self.choices = target, n_classes, choices
        self.given_weights, self.values = weights, values or {}
        self.bits = bits  # columns that are set aside before any is drawn, where they are the same in all rows
        self.n_rows = len(target)

    # ---- sums ----

    def sums(self, rows: list[int]) -> list[float]:
        if self.n_classes:
            found = [0.0] * self.n_classes
            for row in rows:
                found[self.target[row]] += self.weights[row]
            return found
        return [sum(self.weights[r] for r in rows), sum(self.weights[r] * self.target[r] for r in rows)]

    def weight(self, sums: list[float]) -> float:
        return sum(sums) if self.n_classes else sums[0]

    def mass(self, sums: list[float]) -> float:
        weight = self.weight(sums)
        if weight <= 0:
            return 0.0
        if not self.n_classes:
            return sums[1] ** 2 / weight
        if self.choices["entropy"]:
            return sum(s * math.log2(s / weight) for s in sums if s > 0)
        return sum(s * s for s in sums) / weight

    # ---- growing ----

    def grow(self, tree: int) -> Node:
        rows = self.draw(tree)
        self.random = Stream(mix(self.choices["seed"], tree, 1))
        n_features, n_pool = len(self.columns), self.choices["n_pool"]
        self.order = list(range(n_features))
        self.n_split = 0
        for i in range(n_pool if n_pool < n_features else 0):
            self.swap(i, i + self.random.below(n_features - i))
        if self.choices["max_leaves"]:
            return self.grow_best_first(rows)
        root = self.leaf(rows)
        self.split_all(root, rows, 0, 0)
        return root

    def swap(self, one: int, other: int) -> None:
        self.order[one], self.order[other] = self.order[other], self.order[one]

    def draw(self, tree: int) -> list[int]:
        choices, stream = self.choices, Stream(mix(self.choices["seed"], tree, 0))
        counts = [0] * self.n_rows
        if choices["bootstrap"]:
            for _ in range(choices["n_drawn"]):
                counts[stream.below(self.n_rows)] += 1
        elif choices["n_drawn"] == self.n_rows:
            counts = [1] * self.n_rows
        else:
            for row in range(self.n_rows):
                counts[row] = int(stream.below(self.n_rows - row) < choices["n_drawn"] - sum(counts))
        given = self.given_weights or [1.0] * self.n_rows
        self.weights = [count * weight for count, weight in zip(counts, given, strict=True)]
        self.counts = counts
        return [row for row in range(self.n_rows) if counts[row]]

    def leaf(self, rows: list[int]) -> Node:
        sums = self.sums(rows)
        weight = self.weight(sums)
        return Node([s / weight for s in sums] if self.n_classes else [sums[1] / weight], weight)

    def split_all(self, node: Node, rows: list[int], depth: int, n_constant: int) -> None:
        split, n_constant = self.examine(rows, depth, n_constant)
        if split is None:
            return
        parts = self.divide(node, rows, split)
        first = 0 if len(parts[0]) <= len(parts[1]) else 1  # the smaller one
        assert node.children is not None
        for branch in (first, 1 - first):
            self.split_all(node.children[branch], parts[branch], depth + 1, n_constant)

    def grow_best_first(self, rows: list[int]) -> Node:
        root = self.leaf(rows)
        waiting: list[tuple[float, int, Node, list[int], int, Split]] = []
        count = 0

        def wait(node: Node, rows: list[int], depth: int) -> None:
            nonlocal count
            split, _ = self.examine(rows, depth, 0)
            if split is not None:
                waiting.append((-split.score, count, node, rows, depth, split))
            count += 1

        wait(root, rows, 0)
        leaves = 1
        while waiting and leaves < self.choices["max_leaves"]:
            waiting.sort(key=lambda entry: entry[:2])
            _, _, node, own, depth, split = waiting.pop(0)
            parts = self.divide(node, own, split)
            leaves += 1
            assert node.children is not None
            if leaves < self.choices["max_leaves"]:
                for branch in (0, 1):
                    wait(node.children[branch], parts[branch], depth + 1)
        return root

    def divide(self, node: Node, rows: list[int], split: Split) -> tuple[list[int], list[int]]:
        parts: tuple[list[int], list[int]] = ([], [])
        if split.feature in self.values and not self.nominal[split.feature]:
            self.refine(rows, split)
        for row in rows:
            parts[self.side(row, split)].append(row)
        node.split, node.children = split, (self.leaf(parts[0]), self.leaf(parts[1]))
        self.n_split += 1
        node.turn = self.n_split
        return parts

    def side(self, row: int, split: Split) -> int:
        code = self.columns[split.feature][row]
        if code == self.n_bins[split.feature]:
            return split.missing
        if split.codes is None and split.feature in self.values and split.threshold is not None:
            return int(self.values[split.feature][row] > split.threshold)
        return int(code > split.cut) if split.codes is None else int(code not in split.codes)

    def examine(self, rows: list[int], depth: int, n_constant: int) -> tuple[Split | None, int]:
        choices, sums = self.choices, self.sums(rows)
        weight = self.weight(sums)
        if len(rows) < 2 or depth >= choices["max_depth"] or len({self.target[row] for row in rows}) < 2:
            return None, n_constant
        if weight < choices["min_split"] or weight < 2 * choices["min_leaf"]:
            return None, n_constant
        best = Split(-math.inf, -1, 0, None, 0)
        n_constant = self.set_bits_aside(rows, n_constant)
        drawn, n_valid = n_constant, 0
        highest = math.inf if not self.n_classes else 0.0 if choices["entropy"] else weight
        if len(rows) == PAIR:  # whatever parts them is best
            highest = -sys.float_info.max
        while drawn < choices["n_pool"] and n_valid < choices["n_candidates"] and best.score < highest:
            n_batch = min(1 if len(rows) == PAIR else 8, choices["n_candidates"] - n_valid, choices["n_pool"] - drawn)
            for i in range(n_batch):
                self.swap(drawn + i, drawn + i + self.random.below(choices["n_pool"] - drawn - i))
            batch = self.order[drawn : drawn + n_batch]
            for i, feature in enumerate(batch):
                if best.score >= highest:  # no column can do better
                    continue
                if not self.constant(feature, rows):
                    n_valid += 1
                    best = self.try_column(feature, rows, best)
                else:
                    self.order[drawn + i] = self.order[n_constant]
                    self.order[n_constant] = feature
                    n_constant += 1
            drawn += n_batch
        if best.feature < 0:
            return None, n_constant
        best.score -= self.mass(sums)
        return best, n_constant

    def set_bits_aside(self, rows: list[int], n_constant: int) -> int:
        for place in range(n_constant, self.choices["n_pool"]):
            if self.order[place] in self.bits and self.constant(self.order[place], rows):
                self.swap(place, n_constant)
                n_constant += 1
        return n_constant

    def constant(self, feature: int, rows: list[int]) -> bool:
        return len({self.columns[feature][row] for row in rows}) == 1

    def refine(self, rows: list[int], split: Split) -> None:
        """Move the cut to the best place between any two values in the bins beside it."""
        codes, values = self.columns[split.feature], self.values[split.feature]
        split.threshold = math.inf
        if split.bins is None:
            return
        tried = sorted({values[row] for row in rows if codes[row] in split.bins})
        best = -math.inf
        for low, high in pairwise(tried):
            split_at = replace(split, threshold=low)
            left = [row for row in rows if not self.side(row, split_at)]
            right = [row for row in rows if self.side(row, split_at)]
            if min(self.weight(self.sums(left)), self.weight(self.sums(right))) < self.choices["min_leaf"]:
                continue
            score = self.mass(self.sums(left)) + self.mass(self.sums(right))
            if score > best:
                best, split.score = score, score - self.mass(self.sums(rows))
                split.threshold = low + (high - low) * 0.5

    def try_column(self, feature: int, rows: list[int], best: Split) -> Split:  # noqa: C901 - each case in its place
        present = sorted({self.columns[feature][row] for row in rows} - {self.n_bins[feature]})
        by_code = {code: [row for row in rows if self.columns[feature][row] == code] for code in present}
        if not self.nominal[feature]:
            only, cut = None, None
            if self.choices["random_cut"] and len(present) > 1:
                cut = self.random_cut(feature, present)
                only = max(i for i, code in enumerate(present) if code <= cut)
            return self.try_order(feature, rows, present, by_code, only, cut, best)
        orders = [1] if self.n_classes <= 2 or self.choices["random_cut"] else list(range(min(self.n_classes, 8)))
        for wanted in orders:
            if self.n_classes > 8:
                wanted = self.random.below(self.n_classes)  # noqa: PLW2901 - as drawn
            elif self.n_classes > 2 and self.choices["random_cut"]:
                wanted = 0  # noqa: PLW2901
            if self.n_classes > 2 and self.sums(rows)[wanted] <= 0:
                continue
            keys = {}
            for code in present:
                sums = self.sums(by_code[code])
                if self.choices["random_cut"]:
                    keys[code] = self.random.unit()
                elif self.n_classes:
                    keys[code] = sums[wanted] / sum(sums)
                else:
                    keys[code] = sums[1] / sums[0]
            order = sorted(present, key=lambda code, keys=keys: (keys[code], code))  # type: ignore[misc]
            only = None
            if self.choices["random_cut"] and len(order) > 1:
                only = self.random.below(len(order) - 1)
            best = self.try_order(feature, rows, order, by_code, only, None, best)
        return best

    def random_cut(self, feature: int, present: list[int]) -> int:
        cuts = self.cuts[feature]
        low, high = present[0], present[-1] - 1
        wanted = cuts[low] + (cuts[high] - cuts[low]) * self.random.unit()
        return next(i for i in range(low, high + 1) if i == high or not cuts[i] < wanted)

    def try_order(
        self,
        feature: int,
        rows: list[int],
        order: list[int],
        by_code: dict[int, list[int]],
        only: int | None,
        cut: int | None,
        best: Split,
    ) -> Split:
        missing = [row for row in rows if self.columns[feature][row] == self.n_bins[feature]]
        for missing_first in (False, True) if missing else (False,):
            last = len(order) if missing and not missing_first else len(order) - 1
            for i in range(last):
                left = [row for code in order[: i + 1] for row in by_code[code]] + (missing if missing_first else [])
                gone = set(left)
                right = [row for row in rows if row not in gone]
                left_weight, right_weight = self.weight(self.sums(left)), self.weight(self.sums(right))
                if min(left_weight, right_weight) < self.choices["min_leaf"] or (only is not None and i != only):
                    continue
                score = self.mass(self.sums(left)) + self.mass(self.sums(right))
                if score <= best.score:
                    continue
                side = 0 if missing_first else 1
                if not missing:
                    side = int(right_weight > left_weight)
                if self.nominal[feature]:
                    codes = order[: i + 1]
                    if left_weight > right_weight and i < len(order) - 1:
                        codes, side = order[i + 1 :], 1 - side
                    best = Split(score, feature, 0, tuple(sorted(codes)), side)
                elif i == len(order) - 1:
                    best = Split(score, feature, self.n_bins[feature] - 1, None, side)
                else:
                    middle = cut if cut is not None else (order[i] + order[i + 1] - 1) >> 1
                    best = Split(score, feature, middle, None, side, (order[i], order[i + 1]))
        return best


def as_nested(arrays: dict[str, np.ndarray[Any, Any]], nominal: list[bool], n_answers: int, node: int = 0) -> Node:
    """What the compiled grower gives, as nodes."""
    values = arrays["value"].reshape(-1, n_answers)[node]
    result = Node([float(v) for v in values], float(arrays["weight"][node]))
    first = int(arrays["first_child"][node])
    if first < 0:
        return result
    result.turn = (first + 1) // 2
    feature, cut = int(arrays["feature"][node]), int(arrays["cut"][node])
    codes = None
    if nominal[feature]:
        stop = int(arrays["set_stop"][node])
        codes, cut = tuple(sorted(arrays["codes"][stop - cut : stop].tolist())), 0
    threshold = float(arrays["threshold"][node])
    result.split = Split(
        float(arrays["gain"][node]), feature, cut, codes, int(arrays["missing"][node]), None, threshold
    )
    result.children = (
        as_nested(arrays, nominal, n_answers, first),
        as_nested(arrays, nominal, n_answers, first + 1),
    )
    return result
