"""What CART does besides growing and pruning: which rows it learns from, the priors it is given, the last resort."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.trees.tree import STOP

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree


def learned_rows(table: Table, *, keep_empty: bool = False) -> Table:
    """The rows with a value in some feature, since others say nothing about a split; all where no row has one.

    Parameters
    ----------
    table : Table
        Rows with a target.
    keep_empty : bool
        Keep rows without any value if rows have weights.
    """
    if not table.schema.features or (keep_empty and table.weights is not None):
        return table
    known = np.zeros(table.n_rows, np.bool_)
    for position in table.schema.features:
        known |= table.known(position)
        if known.all():
            return table
    return table.take(known) if known.any() else table


def to_more_rows(tree: Tree) -> Tree:
    """The tree with another last resort: rows that nothing can send go to the branch with more training rows.

    With as many rows in both branches they stay, and get the node's own prediction.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    first, second = tree.rows[tree.first_child[inner]], tree.rows[tree.first_child[inner] + 1]
    missing = tree.missing.copy()
    missing[inner] = np.where(first > second, 0, np.where(second > first, 1, STOP))
    return replace(tree, missing=missing)


def with_exact_leaves(tree: Tree, table: Table) -> Tree:
    """The tree of numbers, in which a leaf whose rows all have one number predicts just that, without any error.

    Sums are taken row by row, and the mean of equal numbers may then be off in the last digit.
    """
    ends, truth = tree.apply(table), table.target_values()
    least, greatest = np.full(tree.n_nodes, np.inf), np.full(tree.n_nodes, -np.inf)
    np.minimum.at(least, ends, truth)
    np.maximum.at(greatest, ends, truth)
    same = (least == greatest) & (tree.n_children == 0)
    value, error = tree.value.copy(), tree.error.copy()
    value[same, 1], value[same, 2], error[same] = least[same], 0.0, 0.0
    return replace(tree, value=value, error=error)


def by_priors(tree: Tree, factor: NDArray[np.float64]) -> Tree:
    """The tree with class weights as the priors have them; gains per weight are those of the new weights."""
    value = tree.value * factor
    weight = value.sum(axis=1)
    inner = np.flatnonzero(tree.n_children > 0)
    score = tree.splits.score.copy()
    score[tree.split[inner]] *= tree.weight[inner] / weight[inner]
    return replace(tree, value=value, weight=weight, splits=replace(tree.splits, score=score))


def class_priors(priors: Any, classes: list[str], present: NDArray[np.bool_]) -> tuple[float, ...]:
    """Shares of the classes that have rows, from a mapping or a sequence; 0 for the others."""
    if isinstance(priors, Mapping):
        named = {str(name): value for name, value in priors.items()}
        unknown = [name for name in named if name not in classes]
        absent = [name for name, there in zip(classes, present, strict=True) if there and name not in named]
        if unknown or absent:
            wrong = f"name {unknown[0]!r}, which is no class" if unknown else f"leave out the class {absent[0]!r}"
            msg = f"the priors {wrong}; expected a share for each of {', '.join(map(repr, classes))}"
            raise ValueError(msg)
        priors = [named.get(name, 0.0) for name in classes]
    try:
        found = np.array(priors, np.float64)
    except (TypeError, ValueError):
        msg = f"priors is {priors!r}; expected a number for each class"
        raise ValueError(msg) from None
    if (
        found.shape != (len(classes),)
        or not np.isfinite(found).all()
        or (found < 0).any()
        or (found[present] <= 0).any()
    ):
        msg = f"priors is {priors!r}; expected {len(classes)} numbers above 0, one for each class"
        raise ValueError(msg)
    found[~present] = 0.0
    total = float(found.sum())
    return tuple((found if total == 1.0 else found / total).tolist())
