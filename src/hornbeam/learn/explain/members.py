"""The trees of an ensemble, whatever kind of ensemble it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.model.forests.ensemble import Ensemble
from hornbeam.model.forests.forest import Forest
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Ints32
    from hornbeam.data.table import Table


def trees_of(model: Any) -> Iterator[Tree]:
    """The trees, one after another.

    Parameters
    ----------
    model : Tree, Forest, Ensemble, fitted estimator, or sequence of these
        A TypeError is raised if a member is not a tree.
    """
    model = getattr(model, "model_", model)
    if isinstance(model, Tree):
        yield model
    elif isinstance(model, Forest):
        for number in range(model.n_trees):
            yield model.tree(number)
    elif isinstance(model, Ensemble):
        for member in model.members:
            yield from trees_of(member)
    elif isinstance(model, Iterable):
        for member in model:
            yield from trees_of(member)
    else:
        raise _not_trees(model)


def leaves_of(model: Any, table: Table) -> Ints32:
    """The leaf where each row ends in each tree, of shape (rows, trees); of a divided row that of its largest part."""
    model = getattr(model, "model_", model)
    if isinstance(model, Tree):
        return model.apply(table)[:, np.newaxis]
    if isinstance(model, Forest):
        return model.apply(table)
    if isinstance(model, Ensemble):
        return np.concatenate([leaves_of(member, table) for member in model.members], axis=1)
    raise _not_trees(model)


def _not_trees(model: Any) -> TypeError:
    return TypeError(f"a {type(model).__name__} has no trees; expected trees, a forest, or an ensemble of them")
