"""Rules evaluated on rows: coverage and lift of each, overlaps, and conditions that could be removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.plain import Plain
from hornbeam.model.base.align import align
from hornbeam.model.base.plain import ModelError
from hornbeam.model.rules.exceptions import as_if_else
from hornbeam.model.rules.rule import FIRES, RuleList
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, amounts, number, printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

SLACK = 1e-9  # accuracies that differ by less are the same


@dataclass(frozen=True)
class RuleMetrics(Plain):
    """One rule on some rows.

    Parameters
    ----------
    text : str
        The rule as text.
    holds : float
        Weight of the rows for which it holds, regardless of other rules.
    right : float
        Weight of those that are of its class.
    decides : float
        Weight of the rows that it decides: it holds, and no earlier rule does.
    decides_right : float
        Weight of those that are of its class.
    lift : float or None
        How many times as frequent its class is among these rows as among all rows; None if undefined.
    could_go : tuple of str
        Conditions that could each be removed without lower accuracy or coverage.
    """

    _json = "rule=text holds right decides decides_right lift could_go"

    text: str
    holds: float
    right: float
    decides: float
    decides_right: float
    lift: float | None
    could_go: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class RuleReport(ShowsText, Plain):
    """All rules of a list on some rows: the result of `rule_report`.

    Parameters
    ----------
    rules : tuple of RuleMetrics
        In order; the default is not among them.
    overlap : array of shape (rules, rules)
        Weight of the rows for which both rules hold; the diagonal has the weight of each rule.
    left : float
        Weight of the rows for which no rule holds.
    total : float
        Weight of all rows.
    """

    rules: tuple[RuleMetrics, ...]
    overlap: NDArray[np.float64]
    left: float
    total: float

    def _short(self) -> str:
        return str(self)

    def __str__(self) -> str:
        rows = [["", "rule", "holds", "right", "decides", "right", "lift"]]
        for place, rule in enumerate(self.rules, start=1):
            described = amounts([rule.holds, rule.right, rule.decides, rule.decides_right])
            rows.append([f"{place}.", rule.text, *described, "" if rule.lift is None else f"{rule.lift:.2f}"])
        text = aligned(rows, left={0, 1})
        left, total = amounts([self.left, self.total])
        text += ["", f"no rule holds: weight {left} of {total}"]
        text += [
            f"rules {one + 1} and {other + 1} hold together: weight {number(float(self.overlap[one, other]))}"
            for one in range(len(self.rules))
            for other in range(one + 1, len(self.rules))
            if self.overlap[one, other] > 0
        ]
        text += [
            f"rule {place}: {words} could go"
            for place, rule in enumerate(self.rules, start=1)
            for words in rule.could_go
        ]
        return "\n".join(text)


@takes_rows(needs_target=True)
def rule_report(model: Any, table: Table) -> RuleReport:  # noqa: ANN401 - a RuleList, or an estimator with one
    """Evaluate a list of rules on rows with known classes.

    Parameters
    ----------
    model : RuleList or fitted estimator
        Classification rules, learned or written by hand. Rules with exceptions are first converted to rules without
        (`as_if_else`).
    table : Table
        Rows with the model's columns and classes; rows without a class are left out.

    Returns
    -------
    RuleReport
        Print it, or read its values.

    Examples
    --------
    >>> import hornbeam
    >>> weather = hornbeam.read("weather")
    >>> rules = hornbeam.PrismClassifier().fit(weather)
    >>> print(hornbeam.evaluate.rule_report(rules, weather))
        rule                                                  holds  right  decides  right  lift
    1.  if outlook = overcast then yes                            4      4        4      4  1.56
    2.  if humidity = normal and windy = FALSE then yes           4      4        3      3  1.56
    3.  if temperature = mild and humidity = normal then yes      2      2        1      1  1.56
    4.  if outlook = rainy and windy = FALSE then yes             3      3        1      1  1.56
    5.  if outlook = sunny and humidity = high then no            3      3        3      3  2.80
    6.  if outlook = rainy and windy = TRUE then no               2      2        2      2  2.80
    <BLANKLINE>
    no rule holds: weight 0 of 14
    rules 1 and 2 hold together: weight 1
    rules 2 and 3 hold together: weight 1
    rules 2 and 4 hold together: weight 2
    rules 3 and 4 hold together: weight 1
    """
    rules = getattr(model, "model_", model)
    if not isinstance(rules, RuleList):
        raise TypeError(f"a {type(rules).__name__} was given; expected a RuleList or a fitted estimator with one")
    target = rules.schema.target_column
    if not isinstance(target, Nominal):
        raise ModelError(f"the target {target.name!r} is a number; rule coverage is reported for classes only")
    if rules.decide == "first":
        rules = as_if_else(rules)
    rows = align(rules.schema, table)
    classes = rows.target_values()
    known = classes >= 0
    rows, classes = rows.take(known), classes[known]
    weights = np.ones(rows.n_rows) if table.weights is None else table.weights[known]
    holds = np.array([rule.holds(rows) >= FIRES for rule in rules.rules], np.bool_).reshape(len(rules), rows.n_rows)
    free = np.ones(rows.n_rows, np.bool_)
    found = []
    for place, rule in enumerate(rules.rules):
        here, right = holds[place], classes == rule.label
        decides = here & free if rules.decide == "first" else here
        free &= ~here
        usual = float(weights[right].sum()) / float(weights.sum()) if rows.n_rows else 0.0
        covered = float(weights[here].sum())
        share = float(weights[here & right].sum()) / covered if covered > 0 else 0.0
        found.append(
            RuleMetrics(
                _words(rules, place),
                covered,
                float(weights[here & right].sum()),
                float(weights[decides].sum()),
                float(weights[decides & right].sum()),
                share / usual if covered > 0 and usual > 0 else None,
                _could_go(rules, place, rows, right, weights, share),
            )
        )
    overlap = (holds * weights) @ holds.T.astype(np.float64)
    return RuleReport(tuple(found), overlap, float(weights[free].sum()), float(weights.sum()))


def _could_go(
    rules: RuleList,
    place: int,
    rows: Table,
    right: NDArray[np.bool_],
    weights: NDArray[np.float64],
    share: float,
) -> tuple[str, ...]:
    """Conditions of a rule that can be removed without lower accuracy."""
    conditions = rules.rules[place].conditions
    passed = np.array([c.holds(rows) >= FIRES for c in conditions], np.bool_).reshape(len(conditions), rows.n_rows)
    failed = (~passed).sum(axis=0)
    described = []
    for position, condition in enumerate(conditions):
        wider = (failed == 0) | ((failed == 1) & ~passed[position])
        covered = float(weights[wider].sum())
        if covered > 0 and float(weights[wider & right].sum()) / covered >= share - SLACK:
            described.append(condition.describe(rules.schema))
    return tuple(described)


def _words(rules: RuleList, place: int) -> str:
    rule, target = rules.rules[place], rules.schema.target_column
    assert isinstance(target, Nominal)
    prediction = printable(target.categories[rule.label], NAME_LIMIT) if rule.label >= 0 else "unknown"
    words = " and ".join(condition.describe(rules.schema) for condition in rule.conditions)
    return f"if {words} then {prediction}" if words else f"always {prediction}"
