"""The effect of each threshold on the probability, for two classes: counts of held-out rows.

A row is predicted as the rarer class if its probability is at least the threshold. The counts for every hundredth are
enough to compute precision, recall and costs on a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.evaluate.plain import Plain

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.comparison import HeldOut

STEPS = 100  # thresholds are hundredths
ROUNDING = 1e-7


@dataclass(frozen=True, slots=True)
class Thresholds(Plain):
    """Held-out rows at each threshold."""

    # positive, negative: the rarer class, and the other one
    positive: str
    negative: str
    # positives, negatives: the weight of their rows
    positives: float
    negatives: float
    # by threshold in hundredths, from 0 to 100: rows of the positive class with at least this probability
    found: tuple[float, ...]
    alarms: tuple[float, ...]  # the same for the negative class


def thresholds(table: Table, held_out: HeldOut) -> Thresholds | None:
    """Count held-out rows by threshold; None if there are not two classes, or no probabilities.

    Parameters
    ----------
    table : Table
        The rows.
    held_out : HeldOut
        Their probabilities.
    """
    target = table.schema.target_column
    if not isinstance(target, Nominal) or held_out.probabilities is None:
        return None
    held = held_out.fold >= 0
    truth, probabilities = table.target_values()[held], held_out.probabilities[held]
    weights = np.ones(len(truth)) if table.weights is None else table.weights[held]
    counts = np.bincount(truth, weights, len(target.categories))
    there = np.flatnonzero(counts)
    if len(there) != 2 or not np.isfinite(probabilities).all():  # noqa: PLR2004 - two classes
        return None
    rare = int(min(there, key=lambda code: (counts[code], -code)))
    other = int(there.sum() - rare)
    # A probability of 0.29 may be stored as a slightly smaller number.
    step = np.clip(np.floor(probabilities[:, rare] * STEPS + ROUNDING), 0, STEPS).astype(np.intp)
    found, alarms = (
        np.bincount(step[truth == code], weights[truth == code], STEPS + 1)[::-1].cumsum()[::-1]
        for code in (rare, other)
    )
    return Thresholds(
        target.categories[rare],
        target.categories[other],
        float(counts[rare]),
        float(counts[other]),
        tuple(found.tolist()),
        tuple(alarms.tolist()),
    )
