"""Committees of model trees or rules: each member makes up for what the one before it got wrong; all are averaged.

As in Cubist: a row that a member answered too high is given a lower target for the next, by as much as it was too high.
The committee is a list of rules that always hold and vote; the rules of a member are the exceptions to its mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.table import Table
from hornbeam.model.rule import Rule, RuleList, rules_from_tree
from hornbeam.model.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable


def learn_committee(
    table: Table, members: int, learn: Callable[[Table], Tree | RuleList]
) -> tuple[RuleList, tuple[Tree | RuleList, ...]]:
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
    A list with a rule a member, its mean answer with its rules as exceptions; and the members themselves, which answer
    faster: the mean of their answers is the list's, but for rounding.
    """
    place = table.schema.target
    assert place is not None
    truth = table.target_values()
    found: list[Rule] = []
    models: list[Tree | RuleList] = []
    aimed = table
    for _ in range(members):
        model = learn(aimed)
        models.append(model)
        answers = model.predict(table)
        rules = rules_from_tree(model) if isinstance(model, Tree) else model
        weight = float(table.n_rows if table.weights is None else table.weights.sum())
        found.append(Rule((), float(answers.mean()), coverage=weight, exceptions=rules))
        columns = list(table.columns)
        columns[place] = truth - (answers - truth)
        aimed = Table(table.schema, columns, table.notes)
        for position in table.schema.features:
            order = table.known_order(position)
            if order is not None:
                aimed.keep_order(position, order)
    return RuleList(table.schema, tuple(found), decide="vote"), tuple(models)
