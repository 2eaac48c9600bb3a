"""Rules for one class by description length, the slow way: every count is taken anew from the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan, log2
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.compat.weka import JavaRandom, shuffled

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table

Condition = tuple[int, str, float]  # feature, "<=", ">=" or "=", value
Rule = list[Condition]
SLACK = 1e-6


def passes(values: list[Any], condition: Condition) -> bool:
    feature, sign, limit = condition
    value = values[feature]
    if value is None:
        return False
    return bool(value <= limit if sign == "<=" else value >= limit if sign == ">=" else value == limit)


def choice_bits(total: float, chosen: float, share: float) -> float:
    bits = -chosen * log2(share) if share > SLACK else 0.0
    return bits - (total - chosen) * log2(max(1 - share, SLACK)) if total - chosen > SLACK else bits


def error_bits(share: float, covered: float, uncovered: float, wrong: float, missed: float) -> float:
    """Which of the covered are wrong, which of the others missed; the larger group's rate is the expected one."""
    bits = log2(covered + uncovered + 1)
    if covered - uncovered > SLACK:
        bits += choice_bits(covered, wrong, share * (wrong + missed) / covered)
        return bits + (choice_bits(uncovered, missed, missed / uncovered) if uncovered > SLACK else 0.0)
    bits += choice_bits(covered, wrong, wrong / covered) if covered > SLACK else 0.0
    return bits + choice_bits(uncovered, missed, (1 - share) * (wrong + missed) / uncovered)


def rule_bits(conditions: int, possible: float) -> float:
    if not conditions:
        return 0.0
    bits = log2(conditions)
    if conditions > 1:
        bits += 2 * log2(bits)
    return 0.5 * (bits + choice_bits(possible, conditions, conditions / possible))


@dataclass
class Rows:
    """A table as lists of values, None for missing; ordered categories count as numbers."""

    values: list[list[Any]]
    classes: list[int]
    weights: list[float]
    numeric: list[bool]
    n_codes: list[int]
    possible: float = field(init=False)

    def __post_init__(self) -> None:
        self.possible = 0.0
        for feature, numeric in enumerate(self.numeric):
            known = {row[feature] for row in self.values if row[feature] is not None}
            self.possible += 2 * len(known) if numeric else self.n_codes[feature]

    def weigh(self, rows: list[int], wanted: Callable[[int], bool] = lambda _: True) -> float:
        return sum(self.weights[row] for row in rows if wanted(row))

    def covered(self, rule: Rule, rows: list[int]) -> list[int]:
        return [row for row in rows if all(passes(self.values[row], each) for each in rule)]

    def of_class(self, label: int) -> Callable[[int], bool]:
        return lambda row: self.classes[row] == label


def rows_of(table: Table) -> Rows:
    features = [(table.schema.columns[i], table.columns[i].tolist()) for i in table.schema.features]
    numeric = [not isinstance(column, Nominal) or column.ordered for column, _ in features]
    columns = [
        [None if (value < 0 if isinstance(column, Nominal) else isnan(value)) else value for value in values]
        for column, values in features
    ]
    return Rows(
        values=[list(row) for row in zip(*columns, strict=True)],
        classes=table.target_values().tolist(),
        weights=[1.0] * table.n_rows if table.weights is None else table.weights.tolist(),
        numeric=numeric,
        n_codes=[len(column.categories) if isinstance(column, Nominal) else 0 for column, _ in features],
    )


def grow(
    rows: Rows, chosen: list[int], label: int, start: Rule, measure: str = "smoothed-gain", least: float = 2.0
) -> Rule:
    """Add the best condition again and again."""
    rule = list(start)
    added = 1.0 if measure == "smoothed-gain" else 0.0
    left = rows.covered(rule, chosen)
    while left:
        total, positive = rows.weigh(left), rows.weigh(left, rows.of_class(label))
        rate = (positive + added) / (total + added)
        if rate > 1 - SLACK:
            break
        best: tuple[Condition, float] | None = None
        mark: tuple[float, float] = (0.0, 0.0) if measure != "share" else (positive / total, positive)
        for condition in candidates(rows, left, rule):
            inside = rows.covered([condition], left)
            covered, right = rows.weigh(inside), rows.weigh(inside, rows.of_class(label))
            if right <= 0:
                continue
            if measure == "share":
                worth = (right / covered, right)
            else:
                worth = (right * (log2((right + added) / (covered + added)) - log2(rate)), 0.0)
            if worth[0] > mark[0] + 1e-12 or (abs(worth[0] - mark[0]) <= 1e-12 and worth[1] > mark[1] + 1e-12):
                best, mark = (condition, right), worth
        if best is None or best[1] < least - SLACK:
            break
        rule.append(best[0])
        left = rows.covered([best[0]], left)
    return rule


def candidates(rows: Rows, left: list[int], rule: Rule) -> list[Condition]:
    """Every condition there is to add, in the order in which ties are decided."""
    found: list[Condition] = []
    for feature, numeric in enumerate(rows.numeric):
        if numeric:
            known = sorted({rows.values[row][feature] for row in left if rows.values[row][feature] is not None})
            found += [(feature, sign, value) for value in known for sign in (">=", "<=")]
        elif not any(each[0] == feature for each in rule):
            found += [(feature, "=", code) for code in range(rows.n_codes[feature])]
    return found


@dataclass
class ClassLearner:
    """The rules for a class, by the same choices as the compiled learner's defaults."""

    rows: Rows
    chosen: list[int]
    label: int
    share: float
    groups: list[int]
    random: JavaRandom
    folds: int = 3
    passes: int = 2

    def deal(self, chosen: list[int]) -> list[int]:
        order: list[int] = []
        for group in sorted(set(self.groups)):
            bag = [row for row in chosen if self.groups[row] == group]
            order += [bag[place] for place in shuffled(len(bag), self.random)]
        return [row for first in range(self.folds) for row in order[first :: self.folds]]

    def parts(self, dealt: list[int]) -> tuple[list[int], list[int]]:
        place = len(dealt) * (self.folds - 1) // self.folds
        return dealt[:place], dealt[place:]

    def figures(self, rules: list[Rule], chosen: list[int]) -> list[tuple[float, float]]:
        """Covered and wrong of every rule among the rows that reach it; last, uncovered and those of other classes."""
        found = []
        for rule in rules:
            inside = self.rows.covered(rule, chosen)
            found.append((self.rows.weigh(inside), self.rows.weigh(inside, lambda row: not self.mine(row))))
            chosen = [row for row in chosen if row not in set(inside)]
        found.append((self.rows.weigh(chosen), self.rows.weigh(chosen, lambda row: not self.mine(row))))
        return found

    def mine(self, row: int) -> bool:
        return self.rows.classes[row] == self.label

    def bits(self, figures: list[tuple[float, float]]) -> float:
        covered, wrong = sum(each[0] for each in figures[:-1]), sum(each[1] for each in figures[:-1])
        return error_bits(self.share, covered, figures[-1][0], wrong, figures[-1][0] - figures[-1][1])

    def without(self, figures: list[tuple[float, float]], place: int) -> list[tuple[float, float]]:
        """The figures with a rule gone, its rows uncovered."""
        gone = figures[place]
        rest = (figures[-1][0] + gone[0], figures[-1][1] + gone[1])
        return [*((0.0, 0.0) if i == place else each for i, each in enumerate(figures[:-1])), rest]

    def droppable(self, rules: list[Rule], figures: list[tuple[float, float]], place: int) -> float | None:
        """What is saved by dropping a rule; None where it is to stay."""
        saved = self.bits(figures) + rule_bits(len(rules[place]), self.rows.possible)
        saved -= self.bits(self.without(figures, place))
        covered, wrong = figures[place]
        return saved if saved > -SLACK or (covered > 0 and wrong / covered >= 0.5 - SLACK) else None

    def best_bits(self, rules: list[Rule], first: int) -> float:
        """Bits for errors, less what is saved by dropping rules from `first` on."""
        figures, total = self.figures(rules, self.chosen), 0.0
        for place in range(first, len(rules)):
            saved = self.droppable(rules, figures, place)
            if saved is not None:
                figures = self.without(figures, place)
                total += saved
        return self.bits(figures) - total

    def relative(self, rules: list[Rule], place: int) -> float:
        """Description length with a rule less that without it."""
        without = rules[:place] + rules[place + 1 :]
        with_rule = self.best_bits(rules, place + 1) + rule_bits(len(rules[place]), self.rows.possible)
        return with_rule - self.best_bits(without, place)

    def prune(self, rule: Rule, pruning: list[int], *, whole: bool) -> Rule:
        total, positive = self.rows.weigh(pruning), self.rows.weigh(pruning, self.mine)
        if total <= SLACK:
            return rule
        best, kept = (positive + 1) / (total + 2), 0
        for size in range(1, len(rule) + 1):
            inside = self.rows.covered(rule[:size], pruning)
            covered, right = self.rows.weigh(inside), self.rows.weigh(inside, self.mine)
            worth = (right + (total - positive) - (covered - right)) / total if whole else (right + 1) / (covered + 2)
            if worth > best:
                best, kept = worth, size
        return rule[:kept]

    def new_rule(self, dealt: list[int]) -> Rule:
        growing, pruning = self.parts(dealt)
        return self.prune(grow(self.rows, growing, self.label, []), pruning, whole=False)

    def stops(self, rules: list[Rule], chosen: list[int], length: float, shortest: float) -> bool:
        inside = self.rows.covered(rules[-1], chosen)
        covered, right = self.rows.weigh(inside), self.rows.weigh(inside, self.mine)
        return length > shortest + 64 or right <= SLACK or (covered - right) / covered >= 0.5

    def learn(self) -> tuple[list[Rule], list[int]]:
        """The rules, and the rows that they leave: as they were first dealt, where there were rules and no passes."""
        rules: list[Rule] = []
        first = self.bits(self.figures([], self.chosen))
        length = shortest = first
        dealt = self.deal(self.chosen)
        order = left = dealt
        while any(self.mine(row) for row in left):
            rules.append(self.new_rule(dealt))
            length += self.relative(rules, len(rules) - 1)
            shortest = min(shortest, length)
            if self.stops(rules, left, length, shortest):
                rules.pop()
                break
            left = [row for row in left if row not in set(self.rows.covered(rules[-1], order))]
            if any(self.mine(row) for row in left):
                dealt = self.deal(left)
        for _ in range(self.passes):
            rules = self.refined(rules, first)
        order = self.chosen if self.passes or not rules else order
        return rules, [row for row in order if not any(self.rows.covered(rule, [row]) for rule in rules)]

    def refined(self, rules: list[Rule], first: float) -> list[Rule]:
        made: list[Rule] = []
        rows = left = self.chosen
        length = shortest = first
        while any(self.mine(row) for row in left):
            dealt = self.deal(rows)
            if len(made) < len(rules):
                old, later = rules[len(made)], rules[len(made) + 1 :]
                if not self.rows.covered(old, rows):
                    made.append(old)
                    rows = dealt
                    continue
                growing, pruning = self.parts(dealt)
                pruning = [row for row in pruning if not any(self.rows.covered(rule, [row]) for rule in later)]
                anew = self.prune(grow(self.rows, growing, self.label, []), pruning, whole=True)
                further = self.prune(grow(self.rows, growing, self.label, old), pruning, whole=True)
                lengths = [self.relative([*made, each, *later], len(made)) for each in (old, further, anew)]
                made.append((old, further, anew)[int(np.argmin(np.round(lengths, 9)))])
            else:
                made.append(self.new_rule(dealt))
                length += self.relative(made, len(made) - 1)
                shortest = min(shortest, length)
                if self.stops(made, left, length, shortest):
                    made.pop()
                    break
            rows = left = [row for row in left if row not in set(self.rows.covered(made[-1], left))]
        made += rules[len(made) :]
        figures = self.figures(made, self.chosen)
        dropped = []
        for place in reversed(range(len(made))):
            if self.droppable(made, figures, place) is not None:
                figures = self.without(figures, place)
                dropped.append(place)
        return [rule for place, rule in enumerate(made) if place not in dropped]
