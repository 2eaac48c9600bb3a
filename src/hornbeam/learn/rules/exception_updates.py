"""Add an exception for a misclassified row: conditions that separate it from correctly classified rows.

Earlier rows are kept. An exception is added to the rule that decided the new row; it must hold for that row and for
none of the rows of other classes that the rule decides. Conditions are chosen as in the covering algorithm, by p/t and
then by p; on a tie, the one with the widest gap between the new row and the rows that it excludes, relative to the
range of the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.rules.cover import AT_LEAST, BELOW, IN, MISSING, OWN_MISSING
from hornbeam.data.table import Table
from hornbeam.learn.rules.grower import Beam, Grower
from hornbeam.learn.rules.rule_learner import class_weights, rule_of
from hornbeam.model.base.condition import Condition, simplify
from hornbeam.model.rules.exceptions import decided_by, measured, reached, with_exception
from hornbeam.model.rules.rule import MOST_NESTED

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.learn.rules.grower import Steps
    from hornbeam.model.rules.rule import RuleList


def learn_row(rules: RuleList, table: Table, row: int, *, own_missing: bool = False) -> RuleList:
    """Add an exception for one row, if it is misclassified and some conditions separate it from other rows.

    Parameters
    ----------
    rules : RuleList
        A default with exceptions.
    table : Table
        Rows, all with a class.
    row : int
        The new row; earlier rows have been learned.
    own_missing : bool
        Whether conditions may test for missing values.
    """
    label = int(table.target_values()[row])
    one = table.take(np.array([row]))
    place = decided_by(rules, one)[0]
    if place is None or int(rules.predict_codes(one)[0]) == label or len(place) > MOST_NESTED:
        return rules
    here = reached(rules, table)[place][1]
    here[row + 1 :] = False
    conditions = _conditions(table.take(here), int(np.count_nonzero(here[:row])), own_missing=own_missing)
    if conditions is None:
        return rules
    return with_exception(rules, rule_of(conditions, label, _alone(table, label)), place)


def _alone(table: Table, label: int) -> Floats:
    """Class weights of a rule before it is counted on the rows."""
    value = np.zeros_like(class_weights(table))
    value[label] = 1.0
    return value


def _conditions(table: Table, row: int, *, own_missing: bool) -> tuple[Condition, ...] | None:
    """Conditions that hold for a row and for no row of another class; None if there are none."""
    grower = Grower(table, table.weights, [], indexed=False)
    classes = table.target_values()
    beam = Beam(grower.engine, int(classes[row]), "share", OWN_MISSING if own_missing else 0, 1)
    missing = [place for place in grower.features if table.missing(place)[row]]
    mine = np.array([np.nan if place in missing else float(table.columns[place][row]) for place in grower.features])
    ranges = np.array([_range(table.columns[place]) for place in grower.features])
    rows = np.arange(table.n_rows, dtype=np.int32)
    steps: Steps = ()
    while (classes[rows] != beam.label).any():
        offered = grower.engine.candidates(rows, beam.label, beam.choices, steps)
        if offered is not None:
            offered = offered[_holds(offered, mine[offered["column"]])]
        if offered is None or not len(offered):
            return None
        cut = offered["relation"] <= AT_LEAST
        gaps = np.where(cut, (offered["high"] - offered["low"]) / ranges[offered["column"]], 1.0)
        best = np.lexsort((-gaps, -offered["p"], -offered["p"] / offered["t"]))[0]
        steps = (*steps, beam.step(offered[best]))
        _, _, rows = grower.engine.narrow(rows, beam.label, steps[-1:])
    return simplify(grower.conditions(steps))


def _holds(offered: AnyArray, mine: Floats) -> Bools:
    """Which conditions hold for a row."""
    relation = offered["relation"]
    holds: Bools = (relation == BELOW) & (mine <= offered["low"]) | (relation == AT_LEAST) & (mine >= offered["high"])
    holds |= (relation == IN) & (mine == offered["code"])
    holds |= (relation == MISSING) & np.isnan(mine)
    return holds


def _range(values: AnyArray) -> float:
    if values.dtype != np.float64 or np.isnan(values).all():
        return 1.0
    return float(np.nanmax(values) - np.nanmin(values)) or 1.0


def learn_rows(rules: RuleList, table: Table, first: int, *, own_missing: bool = False) -> RuleList:
    """Add exceptions for rows from `first` on, in order; count coverage and errors on all rows."""
    for row in range(first, table.n_rows):
        rules = learn_row(rules, table, row, own_missing=own_missing)
    return measured(rules, table)


def joined(one: Table, other: Table) -> Table:
    """The rows of two tables of one schema."""
    pairs = zip(one.columns, other.columns, strict=True)
    return Table(one.schema, [np.concatenate(pair) for pair in pairs], copy=False)
