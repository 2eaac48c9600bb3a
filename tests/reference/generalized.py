"""Rules that lose conditions, and sets of rules described in bits, written to be read."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from reference.c45_prune import extra_errors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition

SLACK = 1e-6


def rows_of(conditions: Sequence[Condition], table: Table) -> NDArray[np.bool_]:
    """Rows that pass all conditions."""
    passes = np.ones(table.n_rows, bool)
    for condition in conditions:
        passes &= condition.holds(table) >= 0.5
    return passes


def weights_of(table: Table) -> NDArray[np.float64]:
    return np.ones(table.n_rows) if table.weights is None else table.weights


def estimate(conditions: Sequence[Condition], label: int, table: Table, confidence: float | None) -> float:
    """Share of errors to expect of a rule."""
    rows = rows_of(conditions, table)
    weight = float(weights_of(table)[rows].sum())
    errors = float(weights_of(table)[rows & (table.target_values() != label)].sum())
    if confidence is None:
        return (errors + 1) / (weight + 2)
    return (errors + extra_errors(weight, errors, confidence)) / weight if weight > 0 else 1.0


def generalized(
    conditions: Sequence[Condition], label: int, table: Table, confidence: float | None
) -> tuple[list[Condition], float]:
    """Drop the condition without which the rule is expected to err least, until each is missed."""
    kept = list(conditions)
    while True:
        now = estimate(kept, label, table, confidence)
        best, least = None, now + SLACK
        for place in range(len(kept)):
            without = estimate(kept[:place] + kept[place + 1 :], label, table, confidence)
            if without < least - (0.0 if best is None else SLACK):
                best, least = place, without
        if best is None:
            return kept, now
        del kept[best]


def log2_choose(total: float, some: float) -> float:
    """Bits that say which of some things are meant."""
    return (math.lgamma(total + 1) - math.lgamma(some + 1) - math.lgamma(total - some + 1)) / math.log(2)


def description_length(
    covers: Sequence[NDArray[np.int32]], bits: Sequence[float], label: int, table: Table, theory_weight: float
) -> float:
    """Bits of rules for a class, and of the rows that they cover wrongly or fail to cover."""
    weights, own = weights_of(table), table.target_values() == label
    covered = np.zeros(table.n_rows, bool)
    for rows in covers:
        covered[rows] = True
    fires, wrong = float(weights[covered].sum()), float(weights[covered & ~own].sum())
    failed = float(weights[~covered & own].sum())
    theory = max(sum(bits) - math.lgamma(len(covers) + 1) / math.log(2), 0.0)
    rest = float(weights.sum()) - fires
    return log2_choose(fires, wrong) + log2_choose(rest, failed) + theory_weight * theory
