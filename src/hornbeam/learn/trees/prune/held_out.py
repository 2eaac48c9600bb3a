"""Reduced-error pruning of numbers: a subtree stays where it serves rows better that it was not grown on.

Classes are pruned likewise by the compiled pruner (`with_rows.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.learn.trees.prune.collapse import childless
from hornbeam.learn.trees.prune.rebuild import rebuild
from hornbeam.model.tree import STOP

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.tree import Tree


def reduced_squared_error(tree: Tree, table: Table) -> Tree:
    """Replace, from the leaves up, every subtree whose squared error on these rows is no less than a leaf's.

    Parameters
    ----------
    tree : Tree
        Of numbers.
    table : Table
        Rows that it was not grown on. A node that none of them reaches becomes a leaf.

    Returns
    -------
    Tree
        Its answers are those of the rows it was grown on.

    Examples
    --------
    >>> import hornbeam
    >>> cpu = hornbeam.read("cpu")
    >>> grown = hornbeam.TreeRegressor().fit(cpu.take(range(0, 209, 2))).model_
    >>> reduced_squared_error(grown, cpu.take(range(1, 209, 2))).n_leaves < grown.n_leaves
    True
    """
    start, nodes, shares = tree.decision_path(table)
    row = np.repeat(np.arange(table.n_rows), np.diff(start))
    weights = shares if table.weights is None else shares * table.weights[row]
    distance = table.target_values()[row] - tree.value[tree.answering[nodes], 1]
    own = np.bincount(nodes, weights * distance**2, tree.n_nodes)
    least = own.tolist()
    leaves = []
    for node in np.flatnonzero(tree.n_children > 0)[::-1].tolist():  # children first
        first = int(tree.first_child[node])
        below = sum(least[first : first + int(tree.n_children[node])])
        if least[node] <= below:
            leaves.append(node)
        else:
            least[node] = below
    if not leaves:
        return tree
    gone = np.array(leaves, np.intp)
    missing = tree.missing.copy()
    missing[gone] = STOP
    return rebuild(tree, {**childless(tree, gone), "missing": missing})
