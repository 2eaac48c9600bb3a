"""Committees of model trees or rules: each member makes up for what the one before it got wrong; all are averaged.

As in Cubist: a row that a member answered too high is given a lower target for the next, by as much as it was too high.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.table import Table
from hornbeam.model.forests.ensemble import Ensemble

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.rules.rule import RuleList
    from hornbeam.model.trees.tree import Tree


def learn_committee(table: Table, members: int, learn: Callable[[Table], Tree | RuleList]) -> Ensemble:
    """Learn several models, each from targets that the one before it has moved.

    Parameters
    ----------
    table : Table
        Training rows, each with a target.
    members : int
        How many models.
    learn : callable
        Learns one.

    Returns
    -------
    The models, which answer with their mean.
    """
    place = table.schema.target
    assert place is not None
    truth = table.target_values()
    models: list[Tree | RuleList] = []
    aimed = table
    for number in range(1, members + 1):
        models.append(learn(aimed))
        if number == members:
            break
        columns = list(table.columns)
        columns[place] = truth - (models[-1].predict_codes(table) - truth)
        aimed = Table(table.schema, columns, table.notes, copy=False)
        for position in table.schema.features:
            order = table.known_order(position)
            if order is not None:
                aimed.keep_order(position, order)
    default = np.array([np.average(truth, weights=table.weights)])
    return Ensemble(table.schema, tuple(models), default, recipe={"committees": float(members)})
