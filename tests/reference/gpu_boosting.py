"""Boosting as the kernels in `hornbeam/gpu/kernels` do it, in NumPy: the same steps, a function for each kernel.

It takes the place of the compiled kernel in tests, so that the order of steps, the formulas and the sums are compared
where there is no GPU. On a GPU, `python -m benchmarks.gpu` compares the kernels themselves.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hornbeam.gpu.boost import mix

CHUNK, BINS, AT_ONCE = 8192, 256, 32
SQUARED, ABSOLUTE, HUBER, QUANTILE, POISSON, LOGISTIC, MULTINOMIAL = range(7)


def plain_exp(x: Any) -> Any:
    whole = x * 1.4426950408889634 + 6755399441055744.0
    exponent = np.clip(whole.view(np.int64) - 0x4338000000000000, -1022, 100)
    whole = whole - 6755399441055744.0
    r = (x - whole * 0.6931471803691238) - whole * 1.9082149292705877e-10
    total = np.full(x.shape, 1.0 / 479001600.0)
    for k in range(11, -1, -1):
        total = total * r + 1.0 / math.factorial(k)
    return total * np.ldexp(1.0, exponent)


def gradient_of(word: Any) -> Any:
    return (word >> np.int64(32)).astype(np.float64)


def curve_of(word: Any) -> Any:
    return (word & np.int64(0xFFFFFFFF)).astype(np.float64)


def in_order(numbers: Any) -> float:
    """Their sum, added one after the other."""
    return float(np.cumsum(numbers)[-1]) if len(numbers) else 0.0


def in_eight_parts(numbers: Any) -> float:
    """Their sum in eight parts; what is left over is added to the first."""
    whole = len(numbers) // 8 * 8
    part = np.zeros(8)
    if whole:
        part = np.cumsum(numbers[:whole].reshape(-1, 8), axis=0)[-1]
    part[0] = in_order(np.append(part[0], numbers[whole:]))
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))


@dataclass(eq=False)
class Node:
    rows: Any
    total: Any
    depth: int = 0
    low: float = -math.inf
    high: float = math.inf
    gain: float = 0.0
    value: float = 0.0
    gradient: float = 0.0
    curve: float = 0.0
    number: int = -1
    divided: bool = False
    sums: Any = None
    split: dict = field(default_factory=dict)
    children: tuple = ()


class Twin:
    """One boosting run; the parameters are those of `Booster`."""

    def __init__(
        self,
        codes: Any,
        _wide: Any,
        n_codes: Any,
        has_missing: Any,
        nominal: Any,
        monotone: Any,
        target: Any,
        _weights: Any,
        loss: Any,
        n_outputs: Any,
        choices: Any,
    ) -> None:
        self.codes, self.n_codes = codes, [int(n) for n in n_codes]
        self.has_missing, self.nominal = [bool(b) for b in has_missing], [bool(b) for b in nominal]
        self.monotone = [int(m) for m in monotone] or [0] * len(codes)
        self.target, self.loss, self.choices = target, loss, choices
        self.score = np.zeros((n_outputs, codes.shape[1]))
        self.curved, self.limited = loss >= POISSON, any(self.monotone)
        self.active = np.ones(len(codes), np.uint8)
        self.use(None, np.empty(0, np.uint32))

    def start(self, scores: Any) -> None:
        self.score[:] = scores

    def scores_of(self, rows: Any) -> Any:
        return self.score[:, rows]

    def use(self, used: Any, others: Any) -> None:
        self.used = np.arange(self.codes.shape[1]) if used is None else used.astype(np.int64)
        self.others = others.astype(np.int64)

    def choose_columns(self, active: Any) -> None:
        self.active = active

    def take_probabilities(self) -> None:
        most = self.score.max(axis=0)
        power = plain_exp(self.score - most)
        total = np.zeros(len(most))
        for own in power:
            total += own
        self.probability = (power.astype(np.float32) * (1.0 / total)).astype(np.float32)

    # ---- slopes.cu ----

    def slopes(self, output: Any, parameter: Any, turn: Any) -> None:
        g, h = self.slope_of(output, parameter)
        self.slope = np.stack([g.astype(np.float32), h.astype(np.float32)]).astype(np.float32)
        self.units()
        self.round_slopes(mix(self.choices["seed"], turn, 0x5C0FE) >> 16 & 0xFFFFFFFF)

    def slope_of(self, output: Any, parameter: Any) -> Any:
        score, target = self.score[output], self.target
        off, one = score - target, np.ones(len(target))
        if self.loss == SQUARED:
            return off, one
        if self.loss == HUBER:
            return np.clip(off, -parameter, parameter), one
        if self.loss == POISSON:
            mean = plain_exp(score)
            return mean - target, mean
        if self.loss == LOGISTIC:
            share = 1.0 / (1.0 + plain_exp(-score))
            return share - target, share * (1.0 - share)
        share = self.probability[output].astype(np.float64)
        return share - (target == output), parameter * share * (1.0 - share)

    def units(self) -> None:
        g, h = self.slope.astype(np.float64)
        n = len(g)
        chunks = [slice(first, first + CHUNK) for first in range(0, n, CHUNK)]
        total = in_order([in_eight_parts(np.abs(g[chunk])) for chunk in chunks])
        curves = in_order([in_eight_parts(h[chunk]) for chunk in chunks])
        squares = in_order([in_eight_parts(g[chunk] * g[chunk]) for chunk in chunks])
        self.gradient_unit = unit_for(np.abs(g).max(), total, n)
        self.curve_unit = unit_for(h.max(), curves, n) if self.curved else 1.0
        gu, hu, choices = self.gradient_unit, self.curve_unit, self.choices
        count = curves if self.curved else float(n)
        self.charge = choices["category_charge"] * squares / count * hu / gu / gu if count > 0 else 0.0
        self.min_gain = max(2.0 * choices["min_gain"] / gu / gu * hu, 0.0)
        self.l1, self.l2 = choices["l1"] / gu, choices["l2"] / hu
        self.smoothing = choices["nominal_smoothing"] / hu
        self.floor = max(choices["min_curve"] / hu, 1.0)

    def round_slopes(self, key: Any) -> None:
        chance = scramble(np.arange(len(self.target), dtype=np.uint32) ^ np.uint32(key))
        g = self.slope[0] * (1.0 / self.gradient_unit) + ((chance & 65535) / 65536.0 + 8388608.0)
        h = np.ones(len(g), np.int64)
        if self.curved:
            h = np.maximum((self.slope[1] * (1.0 / self.curve_unit) + (chance >> 16) / 65536.0).astype(np.int64), 1)
        self.words = (g.astype(np.int64) - 8388608) * 4294967296 + h
        least, most = (float(h.min()), float(h.max())) if self.curved else (1.0, 1.0)
        weight = self.choices["min_weight"]
        self.least = max(least * weight * (1.0 - 1e-9), self.floor)
        self.sure = 0.0 if weight <= 1.0 or not self.curved else most * weight * (1 + 1e-9)

    # ---- grow.cu ----

    def grow(self, output: Any, _level: float = 0.5) -> dict[str, Any]:
        root = Node(self.used, self.words[self.used].sum(), number=0)
        self.stored, self.open, self.n_numbered, self.n_leaves = [root], [], 1, 1
        if self.choices["max_leaves"] > 1 and self.is_wanted(root):
            root.sums = self.add_up(root)
            self.search(root)
            self.add_open(root)
            while self.choose_leaves():
                for node in self.round:
                    self.divide(node)
                self.take_open()
        self.values()
        for node in self.stored:
            if node.number >= 0 and not node.divided:
                self.score[output, node.rows] += np.float32(node.value)
        for row in self.others:
            self.score[output, row] += np.float32(self.leaf_of(row).value)
        return self.tree()

    def is_wanted(self, node: Any) -> bool:
        depth = self.choices["max_depth"]
        return len(node.rows) > 1 and len(node.rows) >= 2 * self.choices["min_weight"] and not 0 <= depth <= node.depth

    def side_of(self, split: Any, codes: Any) -> Any:
        column = split["column"]
        absent = self.n_codes[column]
        side = ~np.isin(codes, list(split["codes"])) if self.nominal[column] else codes > split["cut"]
        return np.where(codes == absent, split["missing"], side).astype(bool)

    def divide(self, node: Any) -> None:
        side = self.side_of(node.split, self.codes[node.split["column"]][node.rows])
        first = node.split["first"]
        one = Node(node.rows[~side], first, node.depth + 1)
        other = Node(node.rows[side], node.total - first, node.depth + 1)
        self.limit(node, one, other)
        node.gain = 0.5 * node.split["gain"] * self.gradient_unit * self.gradient_unit / self.curve_unit
        if node.split["missing"] < 0:
            node.split["missing"] = int(len(other.rows) > len(one.rows))
        node.children = (one, other)
        self.stored += node.children
        small, large = (other, one) if len(other.rows) < len(one.rows) else (one, other)
        if self.is_wanted(small) or self.is_wanted(large):
            small.sums = self.add_up(small)
            large.sums = node.sums - small.sums
        for child in (small, large):
            if self.is_wanted(child):
                self.search(child)

    def limit(self, node: Any, one: Any, other: Any) -> None:
        for child in (one, other):
            child.low, child.high = node.low, node.high
        monotone = self.monotone[node.split["column"]]
        if not monotone:
            return
        unit = self.gradient_unit / self.curve_unit
        low, high = node.low / unit, node.high / unit
        middle = 0.5 * unit * (self.best(one.total, low, high) + self.best(other.total, low, high))
        middle = min(max(middle, node.low), node.high)
        if monotone > 0:
            one.high = other.low = middle
        else:
            one.low = other.high = middle

    def add_up(self, node: Any) -> Any:
        sums = np.zeros((len(self.codes), BINS), np.int64)
        for column, codes in zip(sums, self.codes, strict=True):
            np.add.at(column, codes[node.rows], self.words[node.rows])
        return sums

    # ---- search.cu ----

    def best(self, total: Any, low: Any, high: Any) -> Any:
        value = -shrunk(gradient_of(total), self.l1) / (curve_of(total) + self.l2)
        return np.minimum(np.maximum(value, low), high)

    def worth(self, total: Any) -> Any:
        pull = shrunk(gradient_of(total), self.l1)
        return pull * pull / (curve_of(total) + self.l2)

    def worth_of(self, value: Any, total: Any) -> Any:
        h = curve_of(total) + self.l2
        return -(2.0 * gradient_of(total) * value + h * value * value + 2.0 * self.l1 * np.abs(value))

    def worth_of_node(self, node: Any) -> Any:
        if not self.limited:
            return self.worth(node.total)
        unit = self.gradient_unit / self.curve_unit
        return self.worth_of(self.best(node.total, node.low / unit, node.high / unit), node.total)

    def worth_of_cuts(self, node: Any, first: Any, monotone: Any) -> Any:
        rest = node.total - first
        if not self.limited:
            return self.worth(first) + self.worth(rest)
        unit = self.gradient_unit / self.curve_unit
        low, high = node.low / unit, node.high / unit
        one, other = self.best(first, low, high), self.best(rest, low, high)
        worth = self.worth_of(one, first) + self.worth_of(other, rest)
        return np.where((other - one) * monotone < 0.0, -np.inf, worth)

    def is_heavy(self, node: Any, first: Any, counts: Any) -> Any:
        h = curve_of(first)
        rest = curve_of(node.total) - h
        if counts is None:
            return (h >= self.least) & (rest >= self.least) & (h >= self.floor) & (rest >= self.floor)
        weight = self.choices["min_weight"]
        enough = (counts >= weight) & (len(node.rows) - counts >= weight)
        return (h >= self.floor) & (rest >= self.floor) & enough

    @np.errstate(divide="ignore", invalid="ignore")  # of cuts that are not allowed
    def search(self, node: Any) -> None:
        parent = self.worth_of_node(node)
        found = {c: self.search_column(node, c, parent, None) for c in np.flatnonzero(self.active)}
        node.split = first_of(found.values())
        if node.split["column"] < 0:
            return
        first = curve_of(node.split["first"])
        if first >= self.sure and curve_of(node.total) - first >= self.sure:
            return
        weight = self.choices["min_weight"]
        kept = int((~self.side_of(node.split, self.codes[node.split["column"]][node.rows])).sum())
        if kept >= weight and len(node.rows) - kept >= weight:
            return
        best = first_of([])
        tops = {c: split["top"] for c, split in found.items() if split["top"] > 0.0}
        for c in sorted(tops, key=lambda c: (-tops[c], c)):
            if tops[c] < best["gain"]:
                break
            counts = np.bincount(self.codes[c][node.rows], minlength=BINS)
            best = first_of([best, self.search_column(node, c, parent, counts)])
        node.split = best

    def search_column(self, node: Any, c: Any, parent: Any, counts: Any) -> Any:
        if self.n_codes[c] + self.has_missing[c] < 2:
            return first_of([])
        find = self.search_nominal if self.nominal[c] else self.search_numeric
        return find(node, int(c), parent, counts)

    def search_numeric(self, node: Any, c: Any, parent: Any, counts: Any) -> Any:
        n, best = self.n_codes[c], first_of([])
        missing = node.sums[c][n] if self.has_missing[c] else np.int64(0)
        running = np.cumsum(node.sums[c][:n])
        plain = not (self.limited or self.choices["l1"] > 0.0 or counts is not None)
        for way in range(2 if missing else 1):
            first = running + (missing if way else 0)
            counted = None if counts is None else np.cumsum(counts[:n]) + (counts[n] if way else 0)
            if plain:
                gain = self.plain_scores(node, first) - parent
            else:
                gain = self.worth_of_cuts(node, first, self.monotone[c]) - parent
                gain[~self.is_heavy(node, first, counted)] = -np.inf
                gain[n if missing and not way else n - 1 :] = -np.inf
            cut = int(np.argmax(gain))
            if gain[cut] > best["gain"]:
                side = -1 if missing == 0 else 1 - way
                best = {
                    "gain": float(gain[cut]),
                    "column": c,
                    "cut": cut,
                    "missing": side,
                    "first": first[cut],
                    "codes": (),
                }
                best["top"] = best["gain"]
        return best

    def plain_scores(self, node: Any, first: Any) -> Any:
        g, h = gradient_of(first), curve_of(first)
        rest_g, rest_h = gradient_of(node.total) - g, curve_of(node.total) - h
        a, b = h + self.l2, rest_h + self.l2
        score = (g * g * b + rest_g * rest_g * a) / (a * b)
        return np.where((h >= self.least) & (rest_h >= self.least), score, 0.0)

    def search_nominal(self, node: Any, c: Any, parent: Any, counts: Any) -> Any:
        sums = node.sums[c][: self.n_codes[c] + self.has_missing[c]]
        held = np.flatnonzero(sums)
        order = held[np.argsort(gradient_of(sums[held]) / (curve_of(sums[held]) + self.smoothing), kind="stable")]
        n, first = len(order), np.cumsum(sums[order])
        gain = self.worth_of_cuts(node, first, 0) - parent - self.charge * float(n - 2)
        gain[~self.is_heavy(node, first, None if counts is None else np.cumsum(counts[order]))] = -np.inf
        gain[n - 1 :] = -np.inf
        place = int(np.argmax(gain))
        if not gain[place] > 0.0:
            return first_of([])
        absent, own = self.n_codes[c], first[place]
        turned = 2 * curve_of(own) > curve_of(node.total)
        if not turned and place == 0 and order[0] == absent:
            turned = True
        elif turned and place == n - 2 and order[-1] == absent:
            turned = False
        listed = order[place + 1 :] if turned else order[: place + 1]
        return {
            "gain": float(gain[place]),
            "top": float(gain[place]),
            "column": c,
            "cut": 0,
            "missing": 0 if absent in listed else 1,
            "first": node.total - own if turned else own,
            "codes": tuple(sorted(int(code) for code in listed if code != absent)),
        }

    def add_open(self, node: Any) -> None:
        if node.split.get("column", -1) >= 0 and node.split["gain"] > self.min_gain:
            self.open.append(node)

    def take_open(self) -> None:
        """Take leaves in their order while the children of the next one are known."""
        while self.open and self.n_leaves < self.choices["max_leaves"]:
            node = min(self.open, key=lambda node: (-node.split["gain"], node.number))
            if not node.children:
                return
            self.open.remove(node)
            node.divided = True
            self.n_leaves += 1
            for child in node.children:
                child.number = self.n_numbered
                self.n_numbered += 1
                self.add_open(child)

    def choose_leaves(self) -> bool:
        left = min(self.choices["max_leaves"] - self.n_leaves, AT_ONCE)
        waiting = [node for node in self.open if not node.children]
        self.round = sorted(waiting, key=lambda node: (-node.split["gain"], node.number))[:left]
        return bool(self.round)

    # ---- leaves.cu ----

    def values(self) -> None:
        g, h = self.slope.astype(np.float64)
        choices = self.choices
        for node in reversed(self.stored):
            if node.divided:
                node.gradient = node.children[0].gradient + node.children[1].gradient
                node.curve = node.children[0].curve + node.children[1].curve
            elif node.number >= 0:
                for first in range(0, len(node.rows), CHUNK):
                    rows = node.rows[first : first + CHUNK]
                    node.gradient += in_order(g[rows[::2]]) + in_order(g[rows[1::2]])
                    node.curve += in_order(h[rows[::2]]) + in_order(h[rows[1::2]]) if self.curved else float(len(rows))
            if node.number >= 0 and node.curve + choices["l2"] > 1e-30:
                value = -shrunk(np.float64(node.gradient), choices["l1"]) / (node.curve + choices["l2"])
                node.value = float(choices["shrink"] * min(max(value, node.low), node.high))

    def leaf_of(self, row: Any) -> Node:
        node = self.stored[0]
        while node.divided:
            code = self.codes[node.split["column"], row]
            node = node.children[int(self.side_of(node.split, np.array([code]))[0])]
        return node

    def tree(self) -> dict[str, Any]:
        nodes = sorted((node for node in self.stored if node.number >= 0), key=lambda node: node.number)
        split = [node.split if node.divided else {"column": -1, "cut": 0, "missing": 0, "codes": ()} for node in nodes]
        return {
            "feature": np.array([one["column"] for one in split], np.int32),
            "cut": np.array([one["cut"] for one in split], np.int32),
            "first_child": np.array([node.children[0].number if node.divided else -1 for node in nodes], np.int32),
            "missing": np.array([one["missing"] for one in split], np.int8),
            "weight": np.array([len(node.rows) for node in nodes], np.float32),
            "value": np.array([node.value for node in nodes], np.float32),
            "gain": np.array([node.gain if node.divided else 0.0 for node in nodes], np.float32),
            "set_size": np.array([len(one["codes"]) for one in split], np.int32),
            "codes": np.array([code for one in split for code in one["codes"]], np.int32),
        }


def shrunk(gradient: Any, l1: Any) -> Any:
    return np.where(gradient > l1, gradient - l1, np.where(gradient < -l1, gradient + l1, 0.0))


def first_of(splits: Any) -> Any:
    """The split with the greatest gain, of equal ones that of the first column."""
    best = {"gain": 0.0, "column": -1, "top": 0.0}
    for split in splits:
        before = best["column"] < 0 or split["column"] < best["column"]
        if split["column"] >= 0 and (split["gain"] > best["gain"] or (split["gain"] == best["gain"] > 0.0 and before)):
            best = split
    return best


def unit_for(most: Any, total: Any, n: Any) -> float:
    if not total > 0.0:
        return 1.0
    exponent = math.frexp(max(total / (2147483000.0 - n), float(most) / 4194304.0))[1]
    return math.ldexp(1.0, max(exponent, -120))


def scramble(word: Any) -> Any:
    word = word ^ (word >> np.uint32(16))
    word = word * np.uint32(0x7FEB352D)
    word = word ^ (word >> np.uint32(15))
    word = word * np.uint32(0x846CA68B)
    return word ^ (word >> np.uint32(16))
