"""The part of the Python runtime for trees, rules, equations, forests and ensembles.

A model is a function from the values of a row to (outputs, label): outputs are the probabilities of the classes, or one
number; the label is a code or -1. Sums are taken in the order of the compiled kernels, so that predictions are equal.
"""

from __future__ import annotations

import math
import operator
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.export.runtimes.python import LEAST_SHARE, TIE, model_of

FIRES = 0.5  # deciding by first match, a rule fires for a row that passes with at least this weight
CUTS, CODES, CODE_SETS, SUMS = 0, 1, 2, 3  # kinds of splits
FRACTIONAL = -1  # a row with a missing value goes down every branch in fractions
COMPARE = {"<=": operator.le, "<": operator.lt, ">": operator.gt, ">=": operator.ge}


# ---- splits ----


def split_of(plain):
    """Make a function from the values of a row to a branch; -1 where the value is missing."""
    kind = plain[0]
    if kind == CODES:
        column, branches = plain[1:]

        def by_code(values):
            code = values[column]
            return -1 if code != code or code >= len(branches) else branches[code]

        return by_code
    if kind == CODE_SETS:
        column, other, listed, to = plain[1:]
        branch_of = dict(zip(listed, to))
        return lambda values: -1 if values[column] != values[column] else branch_of.get(values[column], other)
    sides, cuts = (plain[2], plain[3]) if kind == CUTS else (plain[1], plain[2])
    cuts, equal_low, flipped = [float(cut) for cut in cuts], sides & 1, sides >> 1

    def by_value(value):
        if value != value:
            return -1
        interval = 0
        while interval < len(cuts) and (value > cuts[interval] or (value == cuts[interval] and not equal_low)):
            interval += 1
        return len(cuts) - interval if flipped else interval

    if kind == CUTS:
        column = plain[1]
        return lambda values: by_value(values[column])
    terms = list(zip(plain[3], plain[4]))

    def by_sum(values):
        total = 0.0
        for column, coefficient in terms:
            total += coefficient * values[column]
        return by_value(total)

    return by_sum


# ---- trees ----


class Tree:
    """A tree as a function."""

    def __init__(self, plain):
        self.plain = plain
        self.splits = [split_of(split) for split in plain["splits"]]
        self.equations = [each and equation_of(each) for each in plain.get("equations", ())]
        self.first, self.children, self.missing = plain["first"], plain["children"], plain["missing"]
        self.share, self.surrogates = plain.get("share"), plain.get("surrogates")
        self.source, self.value, self.pseudo = plain.get("source"), plain["value"], plain["pseudo"]
        self.weights, self.labels = plain.get("weight"), plain.get("label")

    def branch_of(self, node, values):
        branch = self.splits[self.plain["split"][node]](values)
        for surrogate in self.surrogates[node] if branch < 0 and self.surrogates else ():
            branch = self.splits[surrogate](values)
            if branch >= 0:
                break
        return self.missing[node] if branch < 0 else branch

    def ends_of(self, values):
        """Return the nodes where a row, or a fraction of it, ends, each with its weight."""
        ends, pending = [], [(0, 1.0)]
        while pending:
            node, weight = pending.pop()
            first, branches = self.first[node], []
            if first >= 0:
                branch = self.branch_of(node, values)
                if branch >= 0:
                    branches = [(first + branch, weight)]
                elif branch == FRACTIONAL:
                    children = range(first + self.children[node] - 1, first - 1, -1)
                    branches = [(c, weight * self.share[c]) for c in children if self.share[c] > LEAST_SHARE]
            pending += branches
            if not branches:
                ends.append((node, weight))
        return ends

    def add(self, node, weight, sums):
        node = self.source[node] if self.source else node
        total = self.weights[node] + self.plain["pseudoTotal"] if self.weights else 1
        for k in range(len(sums)):
            known = total > 0
            sums[k] += weight * ((self.value[node][k] + self.pseudo[k]) / total) if known else weight / len(sums)

    def summed(self, ends):
        sums = [0.0] * len(self.pseudo)
        if len(ends) > 1:
            total = 0.0
            for node, weight in ends:
                self.add(node, weight, sums)
                total += weight
            if total > 0:
                return [part / total for part in sums]
            sums = [0.0] * len(self.pseudo)
        self.add(0 if len(ends) > 1 else ends[0][0], 1, sums)
        return sums

    def by_equations(self, ends, values):
        total = 0.0
        for node, weight in ends:
            computed = self.equations[node](values)
            result = computed if math.isfinite(computed) else self.value[node][0]
            if len(ends) == 1 and weight == 1:
                return result
            total += weight * result
        return total

    def __call__(self, values):
        ends = self.ends_of(values)
        if self.equations:
            return [self.by_equations(ends, values)], -1
        outputs = self.summed(ends)
        if len(ends) > 1:
            return outputs, greatest(outputs, TIE)
        return outputs, self.labels[ends[0][0]] if self.labels else -1


def greatest(outputs, slack=0.0):
    """Return the index of the greatest output, the first of those that are equal."""
    best = 0
    for k in range(1, len(outputs)):
        if outputs[k] > outputs[best] + slack:
            best = k
    return best


# ---- equations ----


def looked_up(table, code):
    """Return the entry of a code; the last one is for a missing value."""
    return table[-1 if code != code else code]


def factor_of(factor, values):
    """Return the value of a factor: [column, table], or [column, fill, power]."""
    value = values[factor[0]]
    if len(factor) == 2:
        return looked_up(factor[1], value)
    known = value if value == value else float(factor[1])
    if factor[2] == 1:
        return known
    if factor[2] == 2:
        return known * known
    try:
        return math.pow(known, factor[2])
    except OverflowError:
        return math.inf if known > 0 or factor[2] % 2 == 0 else -math.inf


def equation_of(plain):
    """Make the function of an equation: parts are [coefficient, factors] or [table, column]."""

    def compute(values):
        total = float(plain["intercept"])
        for weight, rest in plain["parts"]:
            if isinstance(weight, list):
                total += looked_up(weight, values[rest])
                continue
            product = factor_of(rest[0], values)
            for factor in rest[1:]:
                product *= factor_of(factor, values)
            total += weight * product
        return total

    return compute


def linear_of(plain):
    """Make the function of a linear model."""
    equation = equation_of(plain)

    def predict(values):
        value = equation(values)
        if not math.isfinite(value):
            raise ValueError("values so large that the equation has no finite result")
        return [value], -1

    return predict


# ---- rules ----


def holds(condition, values):
    """Return with which weight a row satisfies a condition."""
    sign, column, bound, if_missing = condition[:4]
    value = values[column]
    if value != value:
        return if_missing
    if sign in ("in", "missing"):
        if value in condition[4]:
            return if_missing
        return 1.0 if value in bound else 0.0
    bound = float(bound)
    return float(COMPARE[sign](value, bound))


def rule_of(plain):
    """Make two functions of a rule: with which weight a row satisfies it, and what it predicts."""
    equation = equation_of(plain["equation"]) if "equation" in plain else None
    exceptions = list_of(plain["exceptions"]) if "exceptions" in plain else None
    outputs = [float(value) for value in plain["outputs"]]

    def weight_of(values):
        weight = 1.0
        for condition in plain["conditions"]:
            weight *= holds(condition, values)
        return weight

    def predict(values):
        if exceptions:
            inner, label, fired = exceptions(values)
            if fired >= 0:
                return inner, label
        if equation:
            value = equation(values)
            return [value if math.isfinite(value) else outputs[0]], plain["label"]
        return outputs, plain["label"]

    return weight_of, predict


def list_of(plain):
    """Make the function of a rule list; it also returns the index of the rule that decided."""
    rules = [rule_of(rule) for rule in plain["rules"]]
    fallback = rule_of(plain["default"]) if plain["default"] else None
    nothing = [float(value) for value in plain["nothing"]]

    def by_default(values):
        return (*fallback[1](values), -1) if fallback else (nothing, -1, -1)

    def first_match(values):
        for index, (weight_of, predict) in enumerate(rules):
            if weight_of(values) >= FIRES:
                return (*predict(values), index)
        return by_default(values)

    def weighted(values):
        remaining = plain["decide"] == "remaining"
        sums, total, left, most, fired, label, used = [0.0] * len(nothing), 0.0, 1.0, 0.0, -1, -1, 0
        for index, (weight_of, predict) in enumerate([*rules, fallback] if remaining and fallback else rules):
            is_rule = index < len(rules)
            weight = weight_of(values) if is_rule else float(left > LEAST_SHARE)
            if remaining:
                weight *= left
                left -= weight
            if not weight > 0:
                continue
            outputs, label = predict(values)
            sums = [before + weight * value for before, value in zip(sums, outputs)]
            total += weight
            used += 1
            if weight > most:
                most, fired = weight, index if is_rule else -1
        if not used:
            return by_default(values)
        outputs = [part / total for part in sums]
        return outputs, greatest(outputs, TIE) if used > 1 else label, fired

    return first_match if plain["decide"] == "first" else weighted


def rules_of(plain):
    """Make the function of a rule list."""
    decide = list_of(plain)
    return lambda values: decide(values)[:2]


# ---- several models together ----


def intervals_of(plain):
    """Make the function of a classifier of intervals of a number."""
    classifier = model_of(plain["classifier"])

    def predict(values):
        total = whole = 0.0
        for probability, value in zip(classifier(values)[0], plain["values"]):
            total += probability * float(value)
            whole += probability
        return [total if whole > 0 else float(plain["default"])], -1

    return predict


def ensemble_of(plain):
    """Make the function of an ensemble."""
    members = [model_of(member) for member in plain["members"]]
    default, is_class = [float(value) for value in plain["default"]], plain["classes"]

    def predict(values):
        sums, count, least, most = [0.0] * len(default), 0, math.inf, -math.inf
        for member in members:
            outputs, label = member(values)
            if plain["decide"] == "vote":
                outputs = [float(k == label) for k in range(len(sums))]
            if not (sum(outputs) > 0 if is_class else outputs[0] == outputs[0]):
                continue
            sums = [before + value for before, value in zip(sums, outputs)]
            least, most, count = min(least, outputs[0]), max(most, outputs[0]), count + 1
        outputs = [part / count for part in sums] if count else default
        if count and not is_class:
            # a mean lies between the least and the greatest, even if the sum is rounded or overflows
            outputs[0] = min(max(outputs[0], least), most)
        return outputs, greatest(outputs, TIE)

    return predict


def forest_of(plain):
    """Make the function of a forest."""
    tests = [set(test) if isinstance(test, list) else float(test) for test in plain["tests"]]
    leaves = [value and [single(float(part)) for part in value] for value in plain["value"]]
    first, column, missing, base = plain["first"], plain["column"], plain["missing"], [float(v) for v in plain["base"]]
    unit, output = plain.get("unit"), plain.get("output")

    def leaf_of(node, values):
        while first[node] >= 0:
            value, test = values[column[node]], tests[node]
            second = missing[node] if value != value else value not in test if isinstance(test, set) else value > test
            node = first[node] + int(second)
        return leaves[node]

    def predict(values):
        sums = [0.0] * len(base) if unit is not None else list(base)
        for tree, root in enumerate(plain["roots"]):
            to = output[tree] if output else 0
            for k, part in enumerate(leaf_of(root, values)):
                sums[to + k] += part
        if plain["mean"]:
            sums = [part / len(plain["roots"]) for part in sums]
        if unit is not None:
            sums = [part * float(unit) + middle for part, middle in zip(sums, base)]
        if plain["mean"] and len(sums) > 1:
            total = in_order(sums)
            sums = [part / total for part in sums]
        outputs = linked(sums, plain["link"])
        return outputs, greatest(outputs)

    return predict


def in_order(values):
    """Return the sum, rounded after each value (`sum` of newer Python versions rounds once)."""
    total = 0.0
    for value in values:
        total += value
    return total


def single(value):
    """Round to single precision."""
    return struct.unpack("f", struct.pack("f", value))[0]


def linked(sums, link):
    """Turn the sums of a forest into outputs."""
    if link == "logistic":
        small = math.exp(-abs(sums[0]))
        second = (1 if sums[0] >= 0 else small) / (1 + small)
        return [1 - second, second]
    if link == "exp":
        return [math.exp(value) for value in sums]
    if link != "softmax":
        return sums
    most = max(sums)
    raised = [math.exp(value - most) for value in sums]
    total = in_order(raised)
    return [value / total for value in raised]


MODELS = {
    "tree": Tree,
    "rules": rules_of,
    "linear": linear_of,
    "intervals": intervals_of,
    "ensemble": ensemble_of,
    "forest": forest_of,
}
