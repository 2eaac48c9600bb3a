"""One more exception for a row that rules get wrong: conditions that tell it from the rows that they get right.

The rows known so far are kept. An exception is added to the rule that decided the new row; it must hold for that row
and for none of the rows of other classes that the rule decides. Conditions are chosen as the covering algorithm does,
by p/t and then by p; of equals, that with the widest gap between the new row and the rows it shuts out, measured by the
range of the column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rules.cover import middle
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.rules.rule_learner import class_weights, rule_of
from hornbeam.model.base.condition import AtLeast, Below, Condition, IsIn, IsMissing, simplify
from hornbeam.model.rules.exceptions import decided_by, measured, reached, with_exception
from hornbeam.model.rules.rule import MOST_NESTED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from hornbeam.model.rules.rule import RuleList

Candidate = tuple[float, float, float, Condition]  # p/t, p, gap, and the condition


def learn_row(rules: RuleList, table: Table, row: int, *, own_missing: bool = False) -> RuleList:
    """The rules with an exception for one row, if they get it wrong and something tells it from other rows.

    Parameters
    ----------
    rules : RuleList
        A default with exceptions.
    table : Table
        Rows, all with a class.
    row : int
        The new row; those before it are known.
    own_missing : bool
        A condition may ask for a missing value.
    """
    label = int(table.target_values()[row])
    one = table.take(np.array([row]))
    place = decided_by(rules, one)[0]
    if place is None or int(rules.predict(one)[0]) == label or len(place) > MOST_NESTED:
        return rules
    here = reached(rules, table)[place][1]
    here[row + 1 :] = False
    conditions = _conditions(table.take(here), int(np.count_nonzero(here[:row])), own_missing=own_missing)
    if conditions is None:
        return rules
    return with_exception(rules, rule_of(conditions, label, _alone(table, label)), place)


def _alone(table: Table, label: int) -> NDArray[np.float64]:
    """Class weights of a rule before its figures are counted."""
    value = np.zeros_like(class_weights(table))
    value[label] = 1.0
    return value


def _conditions(table: Table, row: int, *, own_missing: bool) -> tuple[Condition, ...] | None:
    """Conditions that hold for a row and for no row of another class; None where none can be found."""
    codes = table.target_values()
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    right = codes == codes[row]
    inside = np.ones(table.n_rows, np.bool_)
    ranges = {place: _range(table.columns[place]) for place in table.schema.features}
    chosen: list[Condition] = []
    while (inside & ~right).any():
        best: Candidate | None = None
        for place in table.schema.features:
            for found in _candidates(table, place, row, inside, right, weights, ranges[place], own_missing=own_missing):
                if best is None or found[:3] > best[:3]:
                    best = found
        if best is None:
            return None
        chosen.append(best[3])
        inside &= best[3].holds(table) > 0
    return simplify(chosen)


def _range(values: NDArray[Any]) -> float:
    if values.dtype != np.float64 or np.isnan(values).all():
        return 1.0
    return float(np.nanmax(values) - np.nanmin(values)) or 1.0


def _candidates(
    table: Table,
    place: int,
    row: int,
    inside: NDArray[np.bool_],
    right: NDArray[np.bool_],
    weights: NDArray[np.float64],
    width: float,
    *,
    own_missing: bool,
) -> Iterator[Candidate]:
    """Conditions on one column that hold for the row and exclude some other, with what they are worth."""
    column, values = table.schema.columns[place], table.columns[place]
    missing = column.missing(values)
    if missing[row]:
        if own_missing and not missing[inside].all():
            yield (*_worth(inside & missing, right, weights), 1.0, IsMissing(place))
        return
    if isinstance(column, Nominal) and not column.ordered:
        same = values == values[row]
        if not same[inside].all():
            yield (*_worth(inside & same, right, weights), 1.0, IsIn(place, (int(values[row]),)))
        return
    known = inside & ~missing
    others = np.unique(values[known])
    here = float(values[row])
    for low, high in zip(others[:-1].tolist(), others[1:].tolist(), strict=True):
        cut = middle(low, high)
        kept = known & (values < cut if here <= low else values >= cut)
        side = Below(place, cut) if here <= low else AtLeast(place, cut)
        yield (*_worth(kept, right, weights), (high - low) / width, side)


def _worth(kept: NDArray[np.bool_], right: NDArray[np.bool_], weights: NDArray[np.float64]) -> tuple[float, float]:
    covered = float(weights[kept].sum())
    of_class = float(weights[kept & right].sum())
    return of_class / covered, of_class


def learn_rows(rules: RuleList, table: Table, first: int, *, own_missing: bool = False) -> RuleList:
    """The rules with exceptions for rows from `first` on, one after another; figures are those of all rows."""
    for row in range(first, table.n_rows):
        rules = learn_row(rules, table, row, own_missing=own_missing)
    return measured(rules, table)


def joined(one: Table, other: Table) -> Table:
    """The rows of two tables of one schema."""
    pairs = zip(one.columns, other.columns, strict=True)
    return Table(one.schema, [np.concatenate(pair) for pair in pairs], copy=False)
