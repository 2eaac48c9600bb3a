"""IREP: each rule is pruned as soon as it is grown, on newly held-out rows.

References
----------
J. Fürnkranz and G. Widmer, Incremental reduced error pruning, *ICML* (1994) 70-77.
C. A. Brunk and M. J. Pazzani, An investigation of noise-tolerant relational concept learning algorithms, *Machine
Learning Workshop* (1991) 389-393 (pruning of the whole list).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, one_of, share, whole
from hornbeam.learn.rules.grower import MEASURES
from hornbeam.learn.rules.score import WORTHS
from hornbeam.learn.rules.separate_and_conquer import (
    Dealer,
    Found,
    HeldOutClassifier,
    as_rule_list,
    seed_state,
    separate_and_conquer,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Bools, Floats, Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.grower import Rows, RuleGrower, Steps
    from hornbeam.learn.rules.score import Worth
    from hornbeam.model.rules.rule import RuleList

ALMOST = 1e-9  # smaller differences are rounding errors


@estimator
class IrepClassifier(HeldOutClassifier):
    """Rules by incremental reduced-error pruning.

    The remaining rows are divided, stratified by class, into two parts for growing and one for pruning. For every class
    with rows in both, a rule is grown until it is perfect, and its last condition is dropped as long as that improves
    its score on the pruning rows. The rule with the best score is kept, the rows that it covers are removed, and this
    is repeated.

    Parameters
    ----------
    worth : {"margin", "share", "correct", "significance"}
        How a rule is scored on the pruning rows, if it covers t, p of them of its class, where P of T are of the class:
        (p - n)/t, p/t, [p + (N - n)]/T, or minus the logarithm of its significance.
    measure : {"gain", "smoothed-gain", "share"}
        How conditions are chosen: by p (log p/t - log P/T), the same with one row added to every count, or p/t.
    prune : {"incremental", "whole-list", None}
        Prune every rule as soon as it is grown, on newly held-out rows; or, after all rules are grown, prune the whole
        list on rows held out once: rules and last conditions are dropped as long as errors do not increase. None: no
        pruning; of the rules for the classes the one that scores best on the rows it was grown from is kept.
    min_accuracy : float
        The list ends before the first rule that is less accurate than this on the remaining rows.

    Attributes
    ----------
    model_ : RuleList
        The default is the most frequent class of the rows that no rule covers.

    Examples
    --------
    >>> import hornbeam
    >>> rules = hornbeam.IrepClassifier().fit(hornbeam.read("iris"))
    >>> rules.model_.rules[0].describe(rules.schema_)
    'if petallength <= 1.9 then class = Iris-setosa'
    """

    worth: Worth = "margin"
    measure: Literal["gain", "smoothed-gain", "share"] = "gain"
    prune: Literal["incremental", "whole-list"] | None = "incremental"
    min_accuracy: float = 0.5

    def _learn_rules(self, table: Table) -> RuleList:
        worth = WORTHS[one_of("worth", self.worth, tuple(WORTHS))]
        measure = one_of("measure", self.measure, tuple(MEASURES))
        prune = one_of("prune", self.prune, ("incremental", "whole-list", None))
        least = at_least("min_samples_rule", self.min_samples_rule, 0)
        min_accuracy = share("min_accuracy", self.min_accuracy)
        grower = self._grower(table)
        dealer = Dealer(grower.classes, whole("folds", self.folds, 2), seed_state(self.random_state))

        def find(rows: Rows) -> tuple[int, Steps] | None:
            growing, pruning = dealer.parts(dealer.deal(rows)) if prune == "incremental" else (rows, rows)
            best: tuple[float, float, int, Steps] | None = None
            for label in np.intersect1d(grower.classes[growing], grower.classes[pruning]).tolist():
                body = grower.grow(growing, label, measure, least)
                body, value, right = _pruned(grower, body, pruning, label, worth, shorten=prune == "incremental")
                if best is None or (value, right) > best[:2]:
                    best = value, right, label, body
            return None if best is None else best[2:]

        def accept(found: Found) -> bool:
            cover = found.cover
            return len(found.body) > 0 and cover.right > 0 and cover.right >= min_accuracy * cover.covered

        rows, held_out = grower.all_rows, grower.all_rows[:0]
        if prune == "whole-list":
            rows, held_out = dealer.parts(dealer.deal(rows))
        found, left = separate_and_conquer(grower, rows, find, accept)
        rules = [(each.label, each.body) for each in found]
        if prune == "whole-list":
            default = int(np.argmax(grower.class_weights(left if len(left) else grower.all_rows)))
            rules = prune_whole(grower, rules, default, held_out)
        recipe: dict[str, str | float | bool | None] = {
            "layout": "bracketed",
            "worth": self.worth,
            "measure": measure,
            "prune": prune,
            "min_accuracy": min_accuracy,
            "folds": dealer.folds,
            "nominal": self.nominal,
            "missing": self.missing,
            "beam_width": grower.beam_width,
            "min_samples_rule": least,
        }
        return as_rule_list(grower, rules, None, recipe)


def _pruned(
    grower: RuleGrower, body: Steps, rows: Rows, label: int, worth: Any, *, shorten: bool
) -> tuple[Steps, float, float]:
    """The rule without last conditions that lower its score; its score, and its correctly classified weight."""
    total, of_class = grower.weigh(rows, label)
    covered, right, _ = grower.narrow(body, rows, label)
    sums = [(of_class, total), *zip(right.tolist(), covered.tolist(), strict=True)]
    size = len(body)
    value = worth(*sums[size], of_class, total)
    while shorten and size and (shorter := worth(*sums[size - 1], of_class, total)) > value:
        size, value = size - 1, shorter
    return body[:size], value, sums[size][0]


def prune_whole(
    grower: RuleGrower, rules: Sequence[tuple[int, Steps]], default: int, rows: Rows
) -> list[tuple[int, Steps]]:
    """Drop rules, and last conditions of rules, as long as errors do not increase.

    The one whose removal leaves the fewest errors is removed first; on a tie, a whole rule before a condition, and the
    last rule first.

    Parameters
    ----------
    grower : RuleGrower
    rules : sequence of (int, Steps)
        Class and conditions of the rules, in order; the first that holds decides.
    default : int
        The class if no rule holds.
    rows : array of int
        Rows for pruning.

    Returns
    -------
    list of (int, Steps)
    """
    kept = list(rules)
    if not kept:
        return kept
    truth = grower.classes[rows]
    weights = np.ones(len(rows)) if grower.weights is None else grower.weights[rows]
    place = np.full(len(grower.classes), -1, np.int64)
    place[rows] = np.arange(len(rows))

    def hit(label: int, body: Steps) -> Bools:
        mask = np.zeros(len(rows), np.bool_)
        mask[place[grower.cover(body, rows, label).rows]] = True
        return mask

    # last: the default, which always holds
    hits = np.array([*(hit(*rule) for rule in kept), np.ones(len(rows), np.bool_)])
    loose = np.array([hit(label, body[:-1]) for label, body in kept]).reshape(len(kept), len(rows))
    labels = np.array([*(label for label, _ in kept), default])
    first = hits.argmax(axis=0)
    gone = np.zeros(len(kept), np.bool_)
    gains = np.full((2, len(kept)), -np.inf)  # of a rule without its last condition, and of the list without the rule

    def update_gains(rule: int) -> None:
        mine = np.flatnonzero(first == rule)
        then = rule + 1 + hits[rule + 1 :, mine].argmax(axis=0)
        gains[1, rule] = _better(labels, rule, then, truth[mine], weights[mine])
        if len(kept[rule][1]) > 1:
            more = np.flatnonzero(loose[rule] & ~hits[rule] & (first > rule))
            gains[0, rule] = -_better(labels, rule, first[more], truth[more], weights[more])

    changed = np.arange(len(kept))
    while True:
        for rule in changed.tolist():
            update_gains(rule)
        best = max(
            (float(own[last := len(own) - 1 - int(own[::-1].argmax())]), way > 0, last) for way, own in enumerate(gains)
        )
        if best <= (-ALMOST, False, -1):
            break
        _, whole, rule = best
        label, body = kept[rule]
        touched = hits[rule] | loose[rule]  # rows that another rule may decide now, or would after a removal
        before = first[touched]
        gains[:, rule] = -np.inf
        if whole:
            gone[rule], hits[rule], loose[rule] = True, False, False
        else:
            kept[rule], hits[rule] = (label, body[:-1]), loose[rule]
            loose[rule] = hit(label, body[:-2])
        first[touched] = hits[:, touched].argmax(axis=0)
        deciding = np.unique(np.concatenate([before, first[touched], [rule]]))
        moved = np.flatnonzero(touched)[first[touched] != before]
        covering = np.flatnonzero(loose[:, moved].any(axis=1))
        changed = np.union1d(deciding[deciding < len(kept)], covering)
        changed = changed[~gone[changed]]
    return [rule for rule, dropped in zip(kept, gone, strict=True) if not dropped]


def _better(labels: Ints64, rule: int, other: Ints64, truth: Rows, weights: Floats) -> float:
    """The increase of correct weight if other rules decide some rows instead of one; rounded, for exact ties."""
    gained = (labels[other] == truth).astype(np.float64) - (labels[rule] == truth)
    return round(float(gained @ weights), 9)
