"""Rule sets for one class, by minimum description length, and their refinement rule by rule.

Rules for a class are added until the description of the class's rows gets clearly longer. Then every rule is compared
with two variants, one newly grown and one extended, and the one with the shortest description is kept. Both variants
are pruned on rows that no later rule covers, so the coverage of later rules is computed once and kept.

References
----------
W. W. Cohen, Fast effective rule induction, *ICML* (1995) 115-123.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rules.pruning import errors_length, rule_length, shortest
from hornbeam.learn.rules.separate_and_conquer import Found, separate_and_conquer

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats
    from hornbeam.learn.rules.grower import Covered, Rows, RuleGrower, Steps
    from hornbeam.learn.rules.separate_and_conquer import Dealer

SURPLUS = 64.0  # bits by which a description may exceed the shortest before it
ALMOST = 1e-6  # smaller weights are rounding errors


@dataclass(frozen=True)
class SetChoices:
    """How the rules for a class are learned."""

    measure: str = "smoothed-gain"
    least: float = 2.0  # minimum weight of the class after each condition
    prune: bool = True
    passes: int = 2
    limit_errors: bool = True  # rules that are wrong in half of their rows are rejected
    min_accuracy: float = 0.0  # rules with a smaller accuracy on the rows that reach them are rejected


@dataclass
class _State:
    """The covered and uncovered weights of the rules so far, and the length of the description."""

    uncovered: float
    missed: float
    length: float
    shortest: float
    covered: float = 0.0
    wrong: float = 0.0

    def add(self, cover: Covered) -> None:
        self.covered += cover.covered
        self.wrong += cover.wrong
        self.uncovered -= cover.covered
        self.missed -= cover.right


class ClassRules:
    """Learns the rules for one class from the rows that are left for it.

    Parameters
    ----------
    grower : RuleGrower
    rows : array of int
        Rows of this class and of later classes that no rule of an earlier class covers.
    label : int
        The class.
    share : float
        The weight of the class as a fraction of that of its own and all later classes, in the whole table.
    choices : SetChoices
    dealer : Dealer
        Divides rows into rows for growing and for pruning.
    """

    def __init__(
        self, grower: RuleGrower, rows: Rows, label: int, share: float, choices: SetChoices, dealer: Dealer
    ) -> None:
        self.grower, self.label, self.share, self.choices, self.dealer = grower, label, share, choices, dealer
        self.rows = rows
        self.weight, self.positive = grower.weigh(rows, label)
        grower.engine.restore(rows)

    def learn(self) -> tuple[list[Steps], Rows]:
        """The rules in order, and the rows that they do not cover."""
        rules, left = self._first_set()
        if self.choices.prune:
            for _ in range(self.choices.passes):
                rules, left = self._refined(rules)
        if self.choices.min_accuracy > 0:
            rules, left = self._accurate(rules)
        return rules, left

    def _accurate(self, rules: list[Steps]) -> tuple[list[Steps], Rows]:
        """The rules that are accurate enough, which is not checked during refinement."""
        rows, kept = self.rows, []
        for body in rules:
            cover = self.grower.cover(body, rows, self.label)
            if cover.right >= self.choices.min_accuracy * cover.covered:
                kept.append(body)
                rows = self.grower.without(rows, cover.rows)
        return kept, rows

    def _state(self) -> _State:
        length = errors_length(self.share, 0.0, self.weight, 0.0, self.positive)
        return _State(self.weight, self.positive, length, length)

    # ---- the first set ----

    def _first_set(self) -> tuple[list[Steps], Rows]:
        state = self._state()
        order = self.dealer.deal(self.rows) if self.choices.prune else self.rows
        first = [order]  # the first division also sets the order of the rows for all later ones

        def find(rows: Rows) -> tuple[int, Steps]:
            return self.label, self._new(
                first.pop() if first else self.dealer.deal(rows) if self.choices.prune else rows
            )

        def accept(found: Found) -> bool:
            return self._accepts(state, found.body, found.cover)

        rules, left = separate_and_conquer(self.grower, order, find, accept, goal=lambda _: state.missed <= ALMOST)
        return [each.body for each in rules], left if rules else self.rows

    def _new(self, dealt: Rows) -> Steps:
        """A new rule, pruned if pruning is on."""
        if not self.choices.prune:
            return self.grower.grow(dealt, self.label, self.choices.measure, self.choices.least)
        growing, pruning = self.dealer.parts(dealt)
        body = self.grower.grow(growing, self.label, self.choices.measure, self.choices.least)
        return self._pruned(body, pruning)

    def _pruned(self, body: Steps, rows: Rows, *, whole: bool = False) -> Steps:
        """The first conditions of a rule, up to the best score on the pruning rows.

        The score is (p + 1)/(t + 2), or for a rule within a set the fraction of all rows that it classifies correctly,
        including uncovered rows of other classes.
        """
        all_weight, positive = self.grower.weigh(rows, self.label)
        if all_weight <= ALMOST or not body:
            return body
        covered, right, _ = self.grower.narrow(body, rows, self.label)
        if whole:
            worth = (right + (all_weight - positive) - (covered - right)) / all_weight
        else:
            worth = (right + 1.0) / (covered + 2.0)
        best = int(np.argmax(worth))
        return body[: best + 1] if worth[best] > (positive + 1.0) / (all_weight + 2.0) else ()

    def _accepts(self, state: _State, body: Steps, cover: Covered) -> bool:
        """Add a rule at the end of the set to the description; return whether to keep it."""
        before = errors_length(self.share, state.covered, state.uncovered, state.wrong, state.missed)
        state.add(cover)
        after = errors_length(self.share, state.covered, state.uncovered, state.wrong, state.missed)
        state.length += after + rule_length(len(body), self.grower.possible) - before
        state.shortest = min(state.shortest, state.length)
        if state.length > state.shortest + SURPLUS or cover.right <= ALMOST:
            return False
        if cover.right < self.choices.min_accuracy * cover.covered:
            return False
        return not (self.choices.limit_errors and cover.wrong / cover.covered >= 0.5)  # noqa: PLR2004 - half

    # ---- refinement ----

    def _refined(self, rules: list[Steps]) -> tuple[list[Steps], Rows]:
        """One pass over the rules: each replaced by a variant where that shortens the description; then fewer rules."""
        grower, state = self.grower, self._state()
        grower.engine.restore(self.rows)
        later = _Later(grower, rules, self.rows, self.label)
        made: list[Steps] = []
        rows = left = self.rows
        while state.missed > ALMOST:
            dealt = self.dealer.deal(rows)
            if len(made) < len(rules):
                old = rules[len(made)]
                later.enter(len(made))
                cover = grower.cover(old, rows, self.label)
                if not len(cover.rows):  # there is nothing to compare; the division of rows stays the same
                    made.append(old)
                    rows = dealt
                    continue
                body, cover = self._best_variant(old, cover, dealt, rows, state, later)
                state.add(cover)
            else:
                body = self._new(dealt)
                cover = grower.cover(body, rows, self.label)
                if not self._accepts(state, body, cover):
                    break
            made.append(body)
            rows = left = grower.without(left, cover.rows)
            grower.engine.remove(cover.rows)
        return self._reduced(made + rules[len(made) :])

    def _best_variant(
        self, old: Steps, cover: Covered, dealt: Rows, rows: Rows, state: _State, later: _Later
    ) -> tuple[Steps, Covered]:
        """The best of a rule, a new one in its place and an extension of it, by the shortest description."""
        grower, choices = self.grower, self.choices
        growing, pruning = self.dealer.parts(dealt)
        pruning = pruning[later.free(pruning)]
        anew = grower.grow(growing, self.label, choices.measure, choices.least)
        anew = self._pruned(anew, pruning, whole=True)
        further = grower.grow(growing, self.label, choices.measure, choices.least, old)
        further = self._pruned(further, pruning, whole=True)
        later.count(rows)
        tried = [(old, cover)] + [(body, grower.cover(body, rows, self.label)) for body in (further, anew)]
        lengths = [self._length(state, each, later) + rule_length(len(body), grower.possible) for body, each in tried]
        return tried[int(np.argmin(lengths))]  # on a tie the first

    def _length(self, state: _State, cover: Covered, later: _Later) -> float:
        """Bits for errors with a rule in this place, after dropping later rules that do not save bits."""
        rules = later.counts - later.of(cover.rows)
        totals = np.array(
            [
                state.covered + cover.covered + rules[:-1, 0].sum(),
                rules[-1, 0],
                state.wrong + cover.wrong + rules[:-1, 1].sum(),
                rules[-1, 0] - rules[-1, 1],
            ]
        )
        bits, _ = shortest(
            self.share, totals, rules[:-1], later.sizes, self.grower.possible, later.position + 1, 1,
            self.choices.limit_errors,
        )  # fmt: skip
        return bits

    def _reduced(self, rules: list[Steps]) -> tuple[list[Steps], Rows]:
        """The rules without those, from the last to the first, whose removal does not lengthen the description."""
        rows = self.rows
        counts = np.zeros((len(rules), 2))
        for place, body in enumerate(rules):
            cover = self.grower.cover(body, rows, self.label)
            counts[place] = cover.covered, cover.wrong
            rows = self.grower.without(rows, cover.rows)
        uncovered, missed = self.grower.weigh(rows, self.label)
        totals = np.array([counts[:, 0].sum(), uncovered, counts[:, 1].sum(), missed])
        sizes = np.array([len(body) for body in rules], np.int64)
        _, dropped = shortest(
            self.share, totals, counts, sizes, self.grower.possible, len(rules) - 1, -1, self.choices.limit_errors
        )
        kept = [body for place, body in enumerate(rules) if place not in dropped]
        if dropped:
            rows = self.rows
            for body in kept:
                rows = self.grower.without(rows, self.grower.cover(body, rows, self.label).rows)
        return kept, rows


class _Later:
    """The first rule after the current one that covers each row, updated during the pass."""

    def __init__(self, grower: RuleGrower, rules: list[Steps], rows: Rows, label: int) -> None:
        self._grower, self._label, self._none = grower, label, len(rules)
        self.position = -1
        self.sizes = np.array([len(body) for body in rules], np.int64)
        self.counts = np.zeros((len(rules) + 1, 2))  # covered and wrong weight; last: of uncovered rows
        self._first = np.full(grower.table.n_rows, len(rules), np.int32)
        self._covered = [grower.cover(body, rows, label).rows for body in rules]
        self._next = [np.empty(0, np.int32)] * len(rules)  # for a rule's rows, the first rule after it that covers them
        for place in reversed(range(len(rules))):
            self._next[place] = self._first[self._covered[place]]
            self._first[self._covered[place]] = place

    def enter(self, position: int) -> None:
        """Move to the next rule."""
        self.position = position
        self._first[self._covered[position]] = self._next[position]

    def free(self, rows: Rows) -> Bools:
        """Whether no later rule covers a row."""
        free: Bools = self._first[rows] == self._none
        return free

    def of(self, rows: Rows) -> Floats:
        """The covered and misclassified weight of each later rule on some rows."""
        first, weights = self._first[rows], self._grower.weights
        other = self._grower.classes[rows] != self._label
        each = None if weights is None else weights[rows]
        covered = np.bincount(first, each, self._none + 1)
        wrong = np.bincount(first, other if each is None else other * each, self._none + 1)
        return np.stack([covered, wrong], axis=1).astype(np.float64)

    def count(self, rows: Rows) -> None:
        """Count the coverage of later rules on the remaining rows."""
        self.counts = self.of(rows)
