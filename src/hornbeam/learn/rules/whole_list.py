"""Reduced-error pruning of a whole list of rules on rows held out, the list as it answers and not rule by rule.

References
----------
C. A. Brunk and M. J. Pazzani, An investigation of noise-tolerant relational concept learning algorithms, *Machine
Learning Workshop* (1991) 389-393.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.learn.rules.grower import Rows, RuleGrower, Steps

ALMOST = 1e-9  # differences up to this are nothing but rounding


def prune_whole(
    grower: RuleGrower, rules: Sequence[tuple[int, Steps]], default: int, rows: Rows
) -> list[tuple[int, Steps]]:
    """Drop rules, and last conditions of rules, as long as the list does not get more of the rows wrong.

    Of all that can go, that goes first which leaves the list with most rows right; of equal ones a whole rule before a
    condition, and the last rule first.

    Parameters
    ----------
    grower : RuleGrower
    rules : sequence of (int, Steps)
        Class and conditions of the rules, in order; the first that holds answers.
    default : int
        The class where none holds.
    rows : array of int
        Rows to prune with.

    Returns
    -------
    list of (int, Steps)
    """
    kept = list(rules)
    truth = grower.classes[rows]
    weights = np.ones(len(rows)) if grower.weights is None else grower.weights[rows]
    place = np.full(len(grower.classes), -1, np.int64)
    place[rows] = np.arange(len(rows))

    def hit(label: int, body: Steps) -> NDArray[np.bool_]:
        mask = np.zeros(len(rows), np.bool_)
        mask[place[grower.cover(body, rows, label).rows]] = True
        return mask

    # last: the default, which always holds
    hits = np.array([*(hit(*rule) for rule in kept), np.ones(len(rows), np.bool_)])
    loose = [hit(label, body[: len(body) - 1]) for label, body in kept]
    while kept:
        labels = np.array([*(label for label, _ in kept), default])
        first = hits.argmax(axis=0)
        best = (-ALMOST, False, -1)  # rows more that are right, whether the whole rule goes, which
        for rule in range(len(kept)):
            mine = np.flatnonzero(first == rule)
            then = rule + 1 + hits[rule + 1 :, mine].argmax(axis=0)
            best = max(best, (_better(labels, rule, then, truth[mine], weights[mine]), True, rule))
            if len(kept[rule][1]) > 1:
                more = np.flatnonzero(loose[rule] & ~hits[rule] & (first > rule))
                gained = -_better(labels, rule, first[more], truth[more], weights[more])
                best = max(best, (gained, False, rule))
        _, whole, rule = best
        if rule < 0:
            break
        if whole:
            del kept[rule], loose[rule]
            hits = np.delete(hits, rule, axis=0)
        else:
            label, body = kept[rule]
            kept[rule] = label, body[: len(body) - 1]
            hits[rule] = loose[rule]
            loose[rule] = hit(label, body[: len(body) - 2])
    return kept


def _better(
    labels: NDArray[np.int64], rule: int, other: NDArray[np.int64], truth: Rows, weights: NDArray[np.float64]
) -> float:
    """By how much more weight is right if others answer some rows in a rule's place; rounded, so that ties are ties."""
    gained = (labels[other] == truth).astype(np.float64) - (labels[rule] == truth)
    return round(float(gained @ weights), 9)
