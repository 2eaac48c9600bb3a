"""Cost-complexity pruning by its definition: the weakest link is cut again and again; and pruning to a size.

The cost of a tree is the sum of the costs of its leaves, plus a price per leaf. As the price rises, smaller trees
become the cheapest, each a pruned form of the one before. The next node to become a leaf is the one whose subtree saves
least for each additional leaf.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), ch. 3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.trees.prune.complexity import weakest_links
from hornbeam.core.trees.prune.cut_back import depths
from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.parameters import at_least, one_of, whole
from hornbeam.learn.trees.prune.held_out import held_out
from hornbeam.learn.trees.prune.path import ByLevel, PruningPath, Tally, by_level, path_by_steps
from hornbeam.learn.trees.prune.rebuild import Cost, costs_of, the_tree, with_leaves

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

ROUNDING = 1e-12  # prices closer than this fraction of the cost of the root are equal


@takes_rows()
def cost_complexity(
    tree: Tree, *, cost: Cost = "error", table: Table | None = None, strength: float | None = None
) -> PruningPath:
    """Cut the weakest links, one after another, down to the root.

    Parameters
    ----------
    tree : Tree or estimator
        The tree to prune; it is not changed.
    cost : {"error", "impurity"}
        The cost of a leaf: the misclassified weight, or impurity times weight (the entropy if the tree was grown by it,
        otherwise the Gini index). For numbers, both are the squared error.
    table : Table, optional
        Held-out rows with a target, for `held_out_error`.
    strength : float, optional
        The price of a leaf, as a fraction of the training weight: the smallest of the cheapest trees is chosen. Without
        it, the tree with the least error on `table` (of equal ones the smallest); without both, the given tree.

    Returns
    -------
    PruningPath
        The nested sequence; `strength` is the price from which on each tree is the cheapest. `estimate` is the cost of
        a tree including its leaves at the chosen price.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("iris")).model_
    >>> path = hornbeam.prune.cost_complexity(tree, strength=0.01)
    >>> path.strength.round(4).tolist(), path.best.n_leaves
    ([0.0, 0.0033, 0.0067, 0.0133, 0.2933, 0.3333], 4)
    """
    tree = the_tree(tree)
    one_of("cost", cost, ("error", "impurity"))
    own = costs_of(tree, cost)
    weight = float(tree.weight[0]) if tree.weight[0] > 0 else 1.0
    order, price = _weakest_first(tree, own, weight)
    held_out_costs = None if table is None else held_out(tree, table)
    path = path_by_steps(
        tree,
        order,
        method="cost-complexity",
        chosen=0,
        leaf_cost=own,
        scale=weight,
        strength=price,
        held_out=held_out_costs,
    )
    chosen, paid = 0, 0.0
    if strength is not None:
        paid = at_least("strength", strength, 0)
        chosen = int(np.searchsorted(price, paid * (1.0 + ROUNDING) + ROUNDING, side="right")) - 1
    elif held_out_costs is not None:
        error = path.held_out_error
        chosen = int(np.flatnonzero(error <= error.min() * (1.0 + ROUNDING) + ROUNDING)[-1])
        paid = float(price[chosen])
    return PruningPath(
        path.method, chosen, path.trees, lambda: replace(path.statistics, estimate=path.estimate + paid * path.n_leaves)
    )


def to_size(tree: Tree, n_leaves: int) -> Tree:
    """Prune a tree to a number of leaves.

    Parameters
    ----------
    tree : Tree or estimator
        The tree to prune; it is not changed.
    n_leaves : int
        The maximum number of leaves.

    Returns
    -------
    Tree
        The largest tree of the cost-complexity sequence by impurity that has at most this many leaves. It may have
        fewer, since one step can remove several splits.

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.TreeClassifier().fit(hornbeam.read("vote")).model_
    >>> [hornbeam.prune.to_size(tree, n_leaves).n_leaves for n_leaves in (1, 4, 10, 100)]
    [1, 3, 8, 27]
    """
    tree = the_tree(tree)
    most = whole("n_leaves", n_leaves, 1)
    if tree.n_leaves <= most:
        return tree
    weight = float(tree.weight[0]) if tree.weight[0] > 0 else 1.0
    order, _ = _weakest_first(tree, costs_of(tree, "impurity"), weight)
    sizes, _ = Tally(tree, order).sizes()
    return with_leaves(tree, order.leaves(int(np.argmax(sizes <= most))))


def _weakest_first(tree: Tree, own: NDArray[np.float64], weight: float) -> tuple[ByLevel, NDArray[np.float64]]:
    """When each node becomes a leaf, weakest links first, and the price of a leaf at every step."""
    prices = np.maximum(weakest_links(tree.parent, tree.n_children, own), 0.0) / weight
    order, levels = by_level(tree, prices, ROUNDING * abs(float(own[0])) / weight)
    return order, np.append(0.0, levels)


def levels(tree: Tree, k: int) -> Tree:
    """Remove the lowest levels of a tree.

    Parameters
    ----------
    tree : Tree or estimator
        Any tree; it is not changed.
    k : int
        How many levels to remove; at the least, one leaf is left.

    Returns
    -------
    Tree

    Examples
    --------
    >>> import hornbeam
    >>> tree = hornbeam.ID3Classifier().fit(hornbeam.read("iris")).model_
    >>> [hornbeam.prune.levels(tree, k).depth for k in range(4)]
    [5, 4, 3, 2]
    """
    tree = the_tree(tree)
    depth = depths(tree.parent)
    return with_leaves(tree, depth >= int(depth.max()) - whole("k", k, 0))
