"""Where rows end: at the leaves of a tree, or at the rules of a list. It is all that `conformal` asks of a model.

Places are numbered: the nodes of a tree as they are, the rules of a list from 1, exceptions after their rule and the
default last, as they are printed. Place 0 of a list is where no rule holds. An exception lies under its rule, and all
rules lie under place 0, so that both kinds of models have the form of a tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.rules.exceptions import places, reached
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import FRACTIONAL, LEAST_SHARE, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


@dataclass(frozen=True, eq=False)
class Places:
    """The places of a model.

    Parameters
    ----------
    model : Tree or RuleList
        What answers.
    parent : array
        The place above each, -1 at the first.
    may_end : array of bool
        Whether rows may end there.
    value : array (places, classes) or None
        Class weights, where the target is a class.
    center : array or None
        The answer of each place, where it is a number; NaN where it is an equation, or nothing.
    """

    model: Tree | RuleList
    parent: NDArray[np.int32]
    may_end: NDArray[np.bool_]
    value: NDArray[np.float64] | None
    center: NDArray[np.float64] | None

    @property
    def schema(self) -> Schema:
        """The model's."""
        return self.model.schema

    def ends(self, table: Table) -> NDArray[np.int32]:
        """The place where each row ends; of a row in pieces, that of the largest."""
        if isinstance(self.model, Tree):
            return self.model.apply(table)
        ends = np.zeros(table.n_rows, np.int32)
        for number, (_, decided) in enumerate(reached(self.model, table).values(), start=1):
            ends[decided] = number
        return ends

    def class_surprise(self, *, by_place: bool) -> NDArray[np.float64] | None:
        """How surprising each class is at each place; None where the target is a number.

        Parameters
        ----------
        by_place : bool
            Whether to say it by where the class stands among the others, 0 for the likeliest: the only thing that can
            be compared between models, whose shares are never quite the same. Else it is 1 less its share.

        Returns
        -------
        array (places, classes)
            One row's worth of the place above is mixed into the shares, so that of the classes that a leaf has not
            seen at all, those are less surprising that rows near it have.
        """
        if self.value is None:
            return None
        shares = np.empty_like(self.value)
        evenly = np.full(self.value.shape[1], 1 / self.value.shape[1])
        for place, parent in enumerate(self.parent.tolist()):
            above = evenly if parent < 0 else shares[parent]
            shares[place] = (self.value[place] + above) / (self.value[place].sum() + 1)
        if by_place:
            return np.argsort(np.argsort(-shares, axis=1, kind="stable"), axis=1, kind="stable").astype(np.float64)
        return np.round(1 - shares, SAME)  # equal shares of two leaves are not to differ by how they were summed


SAME = 12  # decimals of a share


def places_of(model: Any) -> Places:  # noqa: ANN401 - anything a caller has
    """The places of a tree, a list of rules, or a fitted estimator of one."""
    found = model if isinstance(model, Tree | RuleList) else getattr(model, "model_", None)
    if isinstance(found, Tree):
        return _of_tree(found)
    if isinstance(found, RuleList):
        return _of_rules(found)
    held = type(model).__name__ if found is None else type(found).__name__
    msg = f"a {held} has no leaves and no rules where rows end; expected a tree, a list of rules, or what learns one"
    raise TypeError(msg)


def _of_tree(tree: Tree) -> Places:
    shared = np.zeros(tree.n_nodes, np.bool_)
    below = tree.parent >= 0
    shared[tree.parent[below & (tree.share > LEAST_SHARE)]] = True
    goes_on = (tree.missing >= 0) | ((tree.missing == FRACTIONAL) & shared)
    may_end = (tree.first_child < 0) | ~goes_on  # leaves, and where a row without the value goes no further
    if tree.task == "classification":
        return Places(tree, tree.parent, may_end, tree.value, None)
    center = tree.value[tree.answering, 1] if tree.intercept is None else np.full(tree.n_nodes, np.nan)
    return Places(tree, tree.parent, may_end, None, center)


def _of_rules(rules: RuleList) -> Places:
    if rules.decide != "first":
        msg = "several rules may decide a row together here; expected a list whose first rule that holds decides"
        raise ValueError(msg)
    listed = list(places(rules))
    number_of = {place: number for number, (place, _) in enumerate(listed, start=1)}
    parent = np.array([-1, *(number_of.get(place[:-1], 0) for place, _ in listed)], np.int32)
    may_end = np.ones(len(parent), np.bool_)
    may_end[0] = rules.default is None
    if isinstance(rules.schema.target_column, Nominal):
        own = np.array([rule.value for _, rule in listed], np.float64).reshape(
            -1, len(rules.schema.target_column.categories)
        )
        return Places(rules, parent, may_end, np.vstack([own.sum(axis=0), own]), None)
    center = [np.nan, *(np.nan if rule.terms else float(rule.value) for _, rule in listed)]
    return Places(rules, parent, may_end, None, np.array(center))
