"""Two lists of rules side by side: rules in both, rules changed, rules in one of them alone, rules that moved.

Rules that say the same are paired first, then those with the same conditions, then those most alike: conditions in both
count whole, conditions on the same column that differ in their value count half.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.evaluate.by_name import answer_in_words, name_of, shared_categories
from hornbeam.evaluate.tree_difference import ONLY_A, ONLY_B, OTHER_ANSWER, SAME, matched
from hornbeam.show.wording import condition_of

if TYPE_CHECKING:
    from hornbeam.evaluate.by_name import Name, Shared
    from hornbeam.model.rule import Rule, RuleList

OTHER_CONDITIONS = "other conditions"
ALIKE = 0.5  # rules that are less alike than this have nothing to do with each other
DEFAULT = -1  # the place of what is answered where no rule holds


@dataclass(frozen=True, slots=True)
class RulePair:
    """A rule of each list, or of one of them alone.

    Parameters
    ----------
    kind : {"same", "other answer", "other conditions", "only in a", "only in b"}
        How they differ; rules with other conditions may have other answers too.
    a, b : int or None
        Their places, from 0; -1 is the default; None where only the other list has one.
    rule_a, rule_b : str
        In words; empty where there is none.
    answer_a, answer_b : str or None
        What they answer.
    moved : bool
        Whether they stand elsewhere among the rules of both lists, in lists whose first rule that holds answers.
    exceptions : RuleDifference or None
        How their exceptions differ; None where neither has any.
    """

    kind: str
    a: int | None
    b: int | None
    rule_a: str = ""
    rule_b: str = ""
    answer_a: str | None = None
    answer_b: str | None = None
    moved: bool = False
    exceptions: RuleDifference | None = None

    @property
    def is_same(self) -> bool:
        """Whether nothing differs, exceptions included."""
        return self.kind == SAME and not self.moved and (self.exceptions is None or self.exceptions.is_empty)


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """What `compare_rules` finds.

    Parameters
    ----------
    pairs : tuple of RulePair
        In the order of the first list, with those of the other where they stand there; the default last.
    decide_a, decide_b : str
        How the lists decide: by the first rule that holds, by vote, or by remaining weight.
    """

    pairs: tuple[RulePair, ...]
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
        """Plain data for programs."""
        return {
            "counts": self.counts,
            "decide_a": self.decide_a,
            "decide_b": self.decide_b,
            "rules": [asdict(pair) for pair in self.pairs],
        }


def compare_rules(a: RuleList, b: RuleList) -> RuleDifference:
    """Put two lists of rules side by side.

    Parameters
    ----------
    a, b : RuleList
        For the same target. Columns and categories are found by name.

    Returns
    -------
    RuleDifference

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
    # What only the other list has goes after what it follows there.
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
        self.answers = [self.answer(rule) for rule in rules.rules]

    def rule(self, place: int | None) -> Rule | None:
        if place is None:
            return None
        return self.rules.default if place == DEFAULT else self.rules.rules[place]

    def answer(self, rule: Rule) -> str:
        value = 0.0 if isinstance(rule.value, np.ndarray) else float(rule.value)
        return answer_in_words(self.rules.schema, rule.label, value, rule.terms)

    def words(self, place: int | None) -> str:
        rule = self.rule(place)
        if rule is None:
            return ""
        if place == DEFAULT:
            return f"otherwise {self.answer(rule)}"
        conditions = " and ".join(condition_of(condition, self.rules) for condition in rule.conditions)
        return f"if {conditions} then {self.answer(rule)}" if conditions else f"always {self.answer(rule)}"


def _pair(sides: tuple[_Side, _Side], left: int | None, right: int | None, *, moved: bool) -> RulePair:
    a, b = sides
    ours, theirs = a.rule(left), b.rule(right)
    answers = [None if rule is None else side.answer(rule) for side, rule in zip(sides, (ours, theirs), strict=True)]
    if ours is None or theirs is None:
        kind = ONLY_A if theirs is None else ONLY_B
    elif left != DEFAULT and left is not None and right is not None and a.names[left] != b.names[right]:
        kind = OTHER_CONDITIONS
    else:
        kind = SAME if answers[0] == answers[1] else OTHER_ANSWER
    below = _exceptions(sides, ours, theirs)
    return RulePair(kind, left, right, a.words(left), b.words(right), answers[0], answers[1], moved, below)


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
    """Which rule of one list answers to which of the other."""
    ours = list(zip(a.names, a.answers, strict=True))
    theirs = list(zip(b.names, b.answers, strict=True))
    found: dict[int, int] = {}
    # By what they say, in the order of the lists; comparing all with all is for what is left.
    for parts in (2, 1):  # conditions and answer, then conditions alone
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
    rest = matched([ours[i] for i in left], [theirs[j] for j in right], _alike, least=ALIKE)
    return found | {left[one]: right[other] for one, other in rest.items()}


def _alike(one: tuple[frozenset[Name], str], other: tuple[frozenset[Name], str]) -> float:
    """How alike two rules are, from 0 to 1; a rule for another answer is less so."""
    ours, theirs = one[0], other[0]
    both = len(ours & theirs)
    near = Counter(name[:2] for name in ours - theirs) & Counter(name[:2] for name in theirs - ours)
    longest = max(len(ours), len(theirs), 1)
    score = (both + 0.5 * near.total()) / longest
    return score if one[1] == other[1] else 0.75 * score


def _moved(partner: dict[int, int]) -> set[int]:
    """The fewest rules, or nearly, without which the others stand in the same order in both lists.

    Those that have changed sides with most others are taken away until none has.
    """
    left, moved = dict(partner), set[int]()
    while True:
        crossed = {i: sum((i - k) * (j - m) < 0 for k, m in left.items()) for i, j in left.items()}
        most = max(crossed.values(), default=0)
        if not most:
            return moved
        gone = {i for i, count in crossed.items() if count == most}
        moved |= gone
        left = {i: j for i, j in left.items() if i not in gone}
