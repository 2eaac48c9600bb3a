"""Rules with exceptions, learned from all rows at once.

Three steps: a default class; one good rule for another class; the same again for the rows that the rule covers, where
its class is the default, and for the rows that it does not cover. A good rule is grown by one condition after another
and then cut back to where it is most significant: least likely to be as good by chance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.rules.grower import Covering
from hornbeam.learn.rules.rule_learner import class_weights
from hornbeam.learn.rules.significance import log_significance
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.rule import MOST_NESTED, Rule, RuleList

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.grower import Grown, Measure, Missing, NominalTests
    from hornbeam.learn.rules.significance import Distribution
    from hornbeam.model.base.condition import Condition

SLACK = 1e-9  # logarithms of significances this near are the same


@dataclass(frozen=True)
class Choices:
    """What a good rule is."""

    max_significance: float
    distribution: Distribution
    min_coverage: float
    min_accuracy: float
    max_depth: int
    measure: Measure
    nominal: NominalTests
    missing: Missing


def learn_exceptions(table: Table, choices: Choices) -> RuleList:
    """Learn a default with exceptions from rows that all have a class."""
    overall = class_weights(table)
    label = int(overall.argmax())
    return RuleList(table.schema, (), _with_exceptions(table, (), label, choices, 0))


def _with_exceptions(table: Table, conditions: tuple[Condition, ...], label: int, choices: Choices, depth: int) -> Rule:
    """A rule that covers all rows of a table, with its exceptions."""
    value = class_weights(table)
    coverage, errors = float(value.sum()), float(value.sum() - value[label])
    exceptions: list[Rule] = []
    left = value
    if errors > 0 and depth < min(choices.max_depth, MOST_NESTED):
        covering = Covering(table, measure=choices.measure, missing=choices.missing, nominal=choices.nominal)
        while (good := _good_rule(covering, label, choices)) is not None:
            rows = covering.rows(good)
            if not len(rows):
                break
            exceptions.append(
                _with_exceptions(table.take(rows), simplify(good.conditions), good.label, choices, depth + 1)
            )
            covering.engine.remove(rows)
        left = covering.class_weights
    # shares are those of the rows that no exception decides
    return Rule(
        conditions,
        left if left.any() else value,
        label,
        coverage,
        errors,
        RuleList(table.schema, tuple(exceptions)) if exceptions else None,
    )


def _good_rule(covering: Covering, default: int, choices: Choices) -> Grown | None:
    """The most significant rule for a class other than the default's, if it is good enough."""
    limit = math.log(choices.max_significance) if choices.max_significance > 0 else -math.inf
    best: tuple[float, Grown] | None = None
    for label in np.flatnonzero(covering.class_weights).tolist():
        if label == default:
            continue
        found = _cut_back(covering.grow(label), choices)
        if found is not None and found[0] <= limit and (best is None or found[0] < best[0] - SLACK):
            best = found
    return None if best is None else best[1]


def _cut_back(grown: Grown, choices: Choices) -> tuple[float, Grown] | None:
    """The rule with as many of its first conditions as make it most significant; more than half of it must be right."""
    best: tuple[float, int] | None = None
    for length in range(1, len(grown.conditions) + 1):
        right, covered = grown.right[length], grown.covered[length]
        if covered < choices.min_coverage or 2 * right <= covered or right < choices.min_accuracy * covered:
            continue
        found = log_significance(right, covered, grown.right[0], grown.covered[0], choices.distribution)
        if best is None or found < best[0] - SLACK:
            best = found, length
    return None if best is None else (best[0], grown.upto(best[1]))
