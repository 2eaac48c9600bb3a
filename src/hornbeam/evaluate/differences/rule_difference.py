"""Two lists of rules side by side: rules in both, changed, in only one, and moved; and two equations, term by term.

Equal rules are paired first, then those with the same conditions, then the most similar: equal conditions count 1,
conditions on the same column with a different value count half. Terms of equations are paired by what they multiply.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.evaluate.differences.tree_difference import (
    FIGURES,
    ONLY_A,
    ONLY_B,
    OTHER_PREDICTION,
    SAME,
    matched,
    name_of,
    prediction_in_words,
    shared_categories,
)
from hornbeam.evaluate.plain import Plain
from hornbeam.show.texts.linear.linear_text import term_words
from hornbeam.show.texts.wording import condition_of, short_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Floats, Indices
    from hornbeam.evaluate.differences.tree_difference import Name, Shared
    from hornbeam.model.linear.linear import LinearModel
    from hornbeam.model.rules.rule import Rule, RuleList

    Said = tuple[frozenset[Name], str]  # a rule: its conditions, its prediction

OTHER_CONDITIONS = "other conditions"
ALIKE = 0.5  # rules with less similarity are not paired
OTHERWISE = 0.75  # factor on the similarity of rules with different predictions
MOST_PAIRS = 4_000_000  # if there are more pairs, similar rules are not searched for
DEFAULT = -1  # the position of the default, which decides if no rule holds
INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True)
class RulePair:
    """A pair of rules from both lists, or a rule of one list."""

    # {"same", "other prediction", "other conditions", "only in a", "only in b"}: how they differ; rules with other
    # conditions may have other predictions too
    kind: str
    # a, b: their positions, from 0; -1 is the default; None if only the other list has it
    a: int | None
    b: int | None
    # rule_a, rule_b: the rules as text; empty if there is none
    rule_a: str = ""
    rule_b: str = ""
    # prediction_a, prediction_b: what they predict
    prediction_a: str | None = None
    prediction_b: str | None = None
    # whether the position differs, in lists where the first rule that holds decides
    moved: bool = False
    exceptions: RuleDifference | None = None  # how their exceptions differ; None if neither has any

    @property
    def is_same(self) -> bool:
        """Whether nothing differs, exceptions included."""
        return self.kind == SAME and not self.moved and (self.exceptions is None or self.exceptions.is_empty)


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """The result of `compare_rules`."""

    # in the order of the first list, with those of the other list at their positions; the default last
    pairs: tuple[RulePair, ...]
    # decide_a, decide_b: how the lists decide: by the first rule that holds, by vote, or by remaining weight
    decide_a: str
    decide_b: str

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs there are of each kind, and how many moved."""
        found = Counter(pair.kind for pair in self.pairs)
        moved = sum(pair.moved for pair in self.pairs)
        return dict(found) | ({"moved": moved} if moved else {})

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return self.decide_a == self.decide_b and all(pair.is_same for pair in self.pairs)

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "counts": self.counts,
            "decide_a": self.decide_a,
            "decide_b": self.decide_b,
            "rules": [asdict(pair) for pair in self.pairs],
        }


def compare_rules(a: RuleList, b: RuleList) -> RuleDifference:
    """Compare two lists of rules.

    Parameters
    ----------
    a, b : RuleList
        Models for the same target. Columns and categories are matched by name.

    Examples
    --------
    >>> import hornbeam
    >>> weather = hornbeam.read("weather")
    >>> one = hornbeam.PartClassifier().fit(weather).model_
    >>> other = hornbeam.OneRClassifier().fit(weather).model_
    >>> compare_rules(one, other).counts
    {'only in b': 2, 'same': 2, 'only in a': 1}
    """
    shared = shared_categories(a.schema, b.schema)
    sides = _Side(a, shared), _Side(b, shared)
    partner = _partners(*sides)
    moved = _moved(partner) if a.decide == b.decide == "first" else set()
    back = {other: one for one, other in partner.items()}
    pairs = [_pair(sides, place, partner.get(place), moved=place in moved) for place in range(len(a.rules))]
    # A rule that only the other list has is inserted after the rule that it follows there.
    for place in range(len(b.rules)):
        if place not in back:
            before = next((at for at, pair in enumerate(pairs) if place > 0 and pair.b == place - 1), -1)
            pairs.insert(before + 1, _pair(sides, None, place, moved=False))
    if a.default is not None or b.default is not None:
        ours, theirs = (DEFAULT if rules.default is not None else None for rules in (a, b))
        pairs.append(_pair(sides, ours, theirs, moved=False))
    return RuleDifference(tuple(pairs), a.decide, b.decide)


class _Side:
    """One of the lists, its conditions by name."""

    def __init__(self, rules: RuleList, shared: Shared) -> None:
        self.rules = rules
        self.names = [
            frozenset(name_of(condition, rules.schema, shared) for condition in rule.conditions) for rule in rules.rules
        ]
        self.predictions = [self.prediction(rule) for rule in rules.rules]

    def rule(self, place: int | None) -> Rule | None:
        if place is None:
            return None
        return self.rules.default if place == DEFAULT else self.rules.rules[place]

    def prediction(self, rule: Rule) -> str:
        value = 0.0 if isinstance(rule.value, np.ndarray) else float(rule.value)
        return prediction_in_words(self.rules.schema, rule.label, value, rule.terms)

    def words(self, place: int | None) -> str:
        rule = self.rule(place)
        if rule is None:
            return ""
        if place == DEFAULT:
            return f"otherwise {self.prediction(rule)}"
        conditions = " and ".join(condition_of(condition, self.rules) for condition in rule.conditions)
        return f"if {conditions} then {self.prediction(rule)}" if conditions else f"always {self.prediction(rule)}"


def _pair(sides: tuple[_Side, _Side], left: int | None, right: int | None, *, moved: bool) -> RulePair:
    a, b = sides
    ours, theirs = a.rule(left), b.rule(right)
    predictions = [
        None if rule is None else side.prediction(rule) for side, rule in zip(sides, (ours, theirs), strict=True)
    ]
    if ours is None or theirs is None:
        kind = ONLY_A if theirs is None else ONLY_B
    elif left != DEFAULT and left is not None and right is not None and a.names[left] != b.names[right]:
        kind = OTHER_CONDITIONS
    else:
        kind = SAME if predictions[0] == predictions[1] else OTHER_PREDICTION
    below = _exceptions(sides, ours, theirs)
    return RulePair(kind, left, right, a.words(left), b.words(right), predictions[0], predictions[1], moved, below)


def _exceptions(sides: tuple[_Side, _Side], ours: Rule | None, theirs: Rule | None) -> RuleDifference | None:
    lists = [None if rule is None else rule.exceptions for rule in (ours, theirs)]
    if lists == [None, None]:
        return None
    whole = [
        type(side.rules)(side.rules.schema, ()) if found is None else found
        for side, found in zip(sides, lists, strict=True)
    ]
    return compare_rules(whole[0], whole[1])


def _partners(a: _Side, b: _Side) -> dict[int, int]:
    """Which rule of one list matches which rule of the other."""
    ours = list(zip(a.names, a.predictions, strict=True))
    theirs = list(zip(b.names, b.predictions, strict=True))
    found: dict[int, int] = {}
    # Equal rules first, in the order of the lists; all remaining pairs are compared afterwards.
    for parts in (2, 1):  # conditions and prediction, then only conditions
        taken = set(found.values())
        waiting: dict[Any, list[int]] = {}
        for place, rule in enumerate(theirs):
            if place not in taken:
                waiting.setdefault(rule[:parts], []).append(place)
        for place, rule in enumerate(ours):
            if place not in found and waiting.get(rule[:parts]):
                found[place] = waiting[rule[:parts]].pop(0)
    left = [place for place in range(len(ours)) if place not in found]
    right = [place for place in range(len(theirs)) if place not in set(found.values())]
    rest = matched(_alike([ours[i] for i in left], [theirs[j] for j in right]), least=ALIKE)
    return found | {left[one]: right[other] for one, other in rest.items()}


def _alike(ours: Sequence[Said], theirs: Sequence[Said]) -> Floats:
    """The similarity of every pair of rules, from 0 to 1; lower for different predictions.

    Equal conditions count 1 and those that differ only in their value count one half. This is the mean of the number of
    equal conditions and the number of equal pairs of column and operator.
    """
    if not ours or not theirs or len(ours) * len(theirs) > MOST_PAIRS:
        return np.zeros((0, 0))
    parts = np.zeros((len(ours), len(theirs)))
    for key in (slice(3), slice(2)):  # operator, column and value; then without the value
        one, other = (_counts([rule[0] for rule in side], key) for side in (ours, theirs))
        for name in one.keys() & other.keys():
            (places, counts), (beside, others) = one[name], other[name]
            parts[np.ix_(places, beside)] += 0.5 * np.minimum.outer(counts, others)
    lengths = [np.array([max(len(rule[0]), 1) for rule in side]) for side in (ours, theirs)]
    predictions = [np.array([rule[1] for rule in side], dtype=object) for side in (ours, theirs)]
    same = np.equal.outer(*predictions).astype(np.bool_)
    scores: Floats = parts / np.maximum.outer(*lengths) * np.where(same, 1.0, OTHERWISE)
    return scores


def _counts(rules: Sequence[frozenset[Name]], key: slice) -> dict[Any, tuple[Indices, Floats]]:
    """For every key of a condition, the rules that have it, and how often."""
    found: dict[Any, dict[int, int]] = {}
    for place, names in enumerate(rules):
        for part, count in Counter(name[key] for name in names).items():
            found.setdefault(part, {})[place] = count
    return {part: (np.array([*at], np.intp), np.array([*at.values()], np.float64)) for part, at in found.items()}


def _moved(partner: dict[int, int]) -> set[int]:
    """A nearly minimal set of rules without which the others are in the same order in both lists.

    The rule that is out of order with most others is removed, until all others are in order.
    """
    ours, theirs = np.array([*partner], np.int64), np.array([*partner.values()], np.int64)
    crossed = np.subtract.outer(ours, ours) * np.subtract.outer(theirs, theirs) < 0
    counts = crossed.sum(axis=1)
    moved: set[int] = set()
    while counts.max(initial=0) > 0:
        gone = counts == counts.max()
        moved |= set(ours[gone].tolist())
        counts -= crossed[:, gone].sum(axis=1)
        counts[gone] = 0
        crossed[gone] = False
    return moved


@dataclass(frozen=True, slots=True)
class ItemDifference:
    """An item that both models may have: a parameter, a value, a term."""

    name: str  # what it is
    # a, b: its value in each model; None if a model does not have it
    a: Any
    b: Any


@dataclass(frozen=True, slots=True)
class EquationDifference(Plain):
    """The result of `compare_equations`."""

    # all terms of either equation, the intercept first, with their coefficients; None if an equation does not have the
    # term
    terms: tuple[ItemDifference, ...]

    @property
    def is_empty(self) -> bool:
        """Whether no value that is shown differs."""
        return all(None not in (one.a, one.b) and _text(one.a) == _text(one.b) for one in self.terms)


def compare_equations(a: LinearModel, b: LinearModel) -> EquationDifference:
    """Compare two equations.

    Parameters
    ----------
    a, b : LinearModel
        For the same target.

    Examples
    --------
    >>> import hornbeam
    >>> cpu = hornbeam.read("cpu")
    >>> a, b = hornbeam.LinearRegressor().fit(cpu).model_, hornbeam.LinearRegressor(selection=None).fit(cpu).model_
    >>> [term.name for term in compare_equations(a, b).terms if term.a is None]
    ['CHMIN']
    """
    ours, theirs = (
        {INTERCEPT: model.intercept, **{term_words(term, model.schema): term.coefficient for term in model.terms}}
        for model in (a, b)
    )
    return EquationDifference(
        tuple(ItemDifference(name, ours.get(name), theirs.get(name)) for name in dict.fromkeys((*ours, *theirs)))
    )


def _text(coefficient: float) -> str:
    return short_number(coefficient, FIGURES)
