"""1R: rules on one column, the one with the fewest training errors; a baseline for other learners.

References
----------
R. C. Holte, Very simple classification rules perform well on most commonly used datasets, *Machine Learning* 11 (1993)
63-91.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, one_of
from hornbeam.learn.compat.weka import IgnoresWeights
from hornbeam.learn.rules.rule_learner import RuleListClassifier, class_weights, rule_of
from hornbeam.model.base.condition import MOST, AtLeast, AtMost, Below, Condition, IsIn, IsMissing
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table

    FloatArray = Floats

MOST_LISTED = 1000  # number of categories up to which those without rows have rules, too
SLACK = 1e-9  # sums of weights that differ by less are equal


@estimator
class OneRClassifier(IgnoresWeights, RuleListClassifier):
    """Rules on one column: a class for every category or interval, and for missing values.

    A numeric column is cut into intervals in which one class has at least `min_bucket` rows; adjacent intervals of the
    same class are joined. The column with the fewest errors on the training rows is kept, on a tie the first.

    Parameters
    ----------
    min_bucket : float
        Minimum weight of the most frequent class of an interval (except the last one).
    compat : {"weka", None}
        Categories and missing values that no training row has are predicted as the most frequent class; with "weka" as
        the first class, as that program does. With "weka", row weights are ignored.

    Examples
    --------
    >>> import hornbeam
    >>> print(hornbeam.show.text(hornbeam.OneRClassifier().fit(hornbeam.read("weather"))))
    weather.nominal                           weight  wrong
    1. if outlook = sunny then play = no           5      2
    2. if outlook = overcast then play = yes       4
    3. if outlook = rainy then play = yes          5      2
    otherwise play = yes                           0
    <BLANKLINE>
    3 rules; the first rule that holds decides
    """

    min_bucket: float = 6
    compat: Literal["weka"] | None = None

    _poor_score = True  # one column cannot predict much

    def _learn_rules(self, table: Table) -> RuleList:
        least = at_least("min_bucket", self.min_bucket, 0.0)
        first_class = one_of("compat", self.compat, ("weka", None)) == "weka"
        overall = class_weights(table)
        fallback = 0 if first_class else int(overall.argmax())
        best: _Column | None = None
        for place in table.schema.features:
            found = _categories(table, place) if isinstance(table.schema.columns[place], Nominal) else None
            found = found or _intervals(table, place, least)
            if found is not None and (best is None or found.right > best.right + SLACK):
                best = found
        nothing = np.zeros_like(overall)
        if best is None:  # no column has a value
            default = rule_of((), int(overall.argmax()), overall)
            return RuleList(table.schema, (), default, recipe={"layout": "one-column"})
        rules = []
        for conditions, value in zip(best.conditions, best.values, strict=True):
            label = int(value.argmax()) if value.any() else fallback
            rules.append(rule_of(conditions, label, value) if value.any() else Rule(conditions, overall, label))
        missing = best.missing
        if missing.any():
            rules.append(rule_of((IsMissing(best.place),), int(missing.argmax()), missing))
        default = Rule((), overall if not first_class else nothing, fallback)
        return RuleList(table.schema, tuple(rules), default, recipe={"layout": "one-column"})


@dataclass(frozen=True)
class _Column:
    """The rules of one column: class weights for each, and those of the rows with missing values."""

    place: int
    conditions: list[tuple[Condition, ...]]
    values: FloatArray
    missing: FloatArray

    @property
    def right(self) -> float:
        return float(self.values.max(axis=1).sum() + self.missing.max())


def _categories(table: Table, place: int) -> _Column:
    column = table.schema.columns[place]
    assert isinstance(column, Nominal)
    n_classes, n_codes = len(class_weights(table)), len(column.categories)
    codes = np.where(table.columns[place] < 0, n_codes, table.columns[place])
    cells = codes.astype(np.int64) * n_classes + table.target_values()
    counts = np.bincount(cells, table.weights, minlength=(n_codes + 1) * n_classes).reshape(n_codes + 1, n_classes)
    listed = np.arange(n_codes)
    if n_codes > MOST_LISTED:  # the default replaces rules for categories without rows
        listed = np.flatnonzero(counts[:-1].any(axis=1))
    conditions: list[tuple[Condition, ...]] = [(IsIn(place, (code,)),) for code in listed.tolist()]
    return _Column(place, conditions, counts[listed].astype(np.float64), counts[-1].astype(np.float64))


def _intervals(table: Table, place: int, least: float) -> _Column | None:
    values = table.columns[place]
    order = table.sort_order(place)
    if not len(order):
        return None
    missing = class_weights(table, np.isnan(values))
    ordered = values[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1]))
    codes = table.target_values()[order]
    weights = np.ones(len(order)) if table.weights is None else table.weights[order]
    by_value = np.zeros((len(starts), len(missing)))
    np.add.at(by_value, (np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(order)))), codes), weights)
    ends, counts = _buckets(by_value, least)
    cuts = [(float(ordered[starts[end] - 1]) + float(ordered[starts[end]])) / 2 for end in ends[:-1]]
    conditions: list[tuple[Condition, ...]] = []
    for number in range(len(ends)):
        low = (AtLeast(place, cuts[number - 1]),) if number else ()
        high = (Below(place, cuts[number]),) if number < len(cuts) else ()
        conditions.append((*low, *high) or (AtMost(place, MOST),))
    return _Column(place, conditions, counts, missing)


def _buckets(by_value: FloatArray, least: float) -> tuple[list[int], FloatArray]:
    """The ends of intervals, as positions among the ascending values, and the class weights of each.

    An interval is extended until a class has weight `least`, and then while the next values have the same majority
    class.
    """
    n_values = len(by_value)
    sums = np.vstack([np.zeros(by_value.shape[1]), by_value.cumsum(axis=0)])
    leader = by_value.argmax(axis=1)
    changes = np.append(np.flatnonzero(leader[1:] != leader[:-1]) + 1, n_values)  # with another majority class
    ends: list[int] = []
    counts: list[FloatArray] = []
    labels: list[int] = []
    start = 0
    while start < n_values:
        wanted = sums[start] + least - SLACK
        end = max(
            min(int(np.searchsorted(column, goal)) for column, goal in zip(sums.T, wanted, strict=True)), start + 1
        )
        end = min(end, n_values)
        label = int((sums[end] - sums[start]).argmax())
        if end < n_values and leader[end] == label:
            end = int(changes[np.searchsorted(changes, end, side="right")])
        count = sums[end] - sums[start]
        label = int(count.argmax())
        if labels and labels[-1] == label:
            ends[-1] = end
            counts[-1] = counts[-1] + count
        else:
            ends.append(end)
            counts.append(count)
            labels.append(label)
        start = end
    return ends, np.array(counts)
