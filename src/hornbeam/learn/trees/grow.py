"""Grow a tree by a recipe: the table's columns go to the compiled grower, its arrays become a Tree."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base import enums
from hornbeam.core.rows.presort import sort_by_halves
from hornbeam.core.trees.grow.grower import Grower
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.trees.as_tree import as_tree, feature_kinds
from hornbeam.learn.trees.choices import choices, class_factors
from hornbeam.learn.trees.columns import Filled, add_columns, at_data_values, fill
from hornbeam.learn.trees.prune.rebuild import nodes_left, with_leaves
from hornbeam.model.trees.criterion import NUMBER_CRITERIA
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.as_tree import Arrays
    from hornbeam.learn.trees.choices import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree


__all__ = ["LearnError", "SharedLists", "grow"]

# A node with at most one in this many rows gets its own memory, in which its rows are close together. This pays off
# sooner if values are looked up by row (to see how far apart neighbors are) than if only lists (and targets) are read.
ZOOM_VALUES, ZOOM_LISTS, ZOOM_TARGETS = 2, 8, 32
# Tables with fewer rows than this are small enough to keep their row numbers all the way down.
ZOOM_FROM = 32_768


def grow(
    table: Table, recipe: Recipe, *, reference: Table | None = None, n_threads: int = 1, keep_candidates: bool = False
) -> tuple[Tree, Arrays | None]:
    """Grow a tree, without collapsing or pruning it.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    recipe : Recipe
        How to grow.
    reference : Table, optional
        The table in which values of cuts are looked up and rows are counted for the average-gain filter, if it is not
        `table` itself (when growing on a part of it).
    n_threads : int
        Number of threads; the tree is the same for any number.
    keep_candidates : bool
        Also return the candidate of every column at every node.

    Returns
    -------
    The tree, and the candidates as arrays of nodes x features (or None).
    """
    whole = table if reference is None else reference
    _check_kinds(table, recipe)
    filled: Filled | None = None
    if recipe.missing == "impute":
        filled = fill(table)
        table = filled.table
    features = table.schema.features
    kernel, edges = _loaded_kernel(table, recipe, n_threads, whole)
    arrays = kernel.grow(n_threads, keep_candidates)
    candidates = arrays["candidates"]
    if candidates is not None:
        candidates["average_gain"] = _by_node(arrays, "average_gain")
    if recipe.threshold == "data-value":
        arrays["cut"] = at_data_values(
            arrays["cut"], arrays["column"], arrays["kind"] == CUTS, whole, recipe.threshold_slack
        )
        if candidates is not None:
            feature = np.broadcast_to(np.arange(len(features)), candidates["cut"].shape)
            has_cut = (candidates["verdict"] > enums.NO_GAIN) & (feature_kinds(table.schema) == CUTS)
            candidates["cut"] = at_data_values(candidates["cut"], feature, has_cut, whole, recipe.threshold_slack)
    _at_edges(arrays, candidates, features, edges)
    tree = as_tree(arrays, table.schema, recipe, _factors(table, recipe))
    if filled is not None:
        tree = filled.route(tree)
    if recipe.max_leaf_nodes is not None:
        tree, candidates = _best_first(tree, recipe.max_leaf_nodes, arrays["decrease"], candidates)
    return tree, candidates


class SharedLists:
    """Grows trees on parts of a table. The sorted lists of all rows are made once and filtered for each tree.

    Parameters
    ----------
    table : Table
        All rows.
    recipe : Recipe
        A recipe for which `suits` is true.
    n_threads : int
        Number of threads for sorting.
    """

    def __init__(self, table: Table, recipe: Recipe, n_threads: int = 1) -> None:
        self._table = table
        self._lists, _ = _loaded_kernel(table, recipe, n_threads, table)
        self._lists.keep_lists()

    @staticmethod
    def suits(table: Table, recipe: Recipe) -> bool:
        """Whether trees are the same as from a table without the other rows: sums row by row, in a fixed order."""
        features = table.schema.features
        if not (recipe.row_by_row and features) or table.weights is not None or recipe.collapse:
            return False
        first = table.schema.columns[features[0]]
        return isinstance(first, Nominal) or not np.isnan(table.columns[features[0]]).any()

    def grow(self, kept: Bools, rest: Table, recipe: Recipe) -> Tree:
        """Grow on the rows that are kept; `rest` is the table of these rows, which needs no column but the target."""
        kernel = _kernel(self._table, recipe, choices(rest, recipe))
        kernel.share_lists(self._lists, kept.view(np.uint8))
        return as_tree(kernel.grow(), self._table.schema, recipe, _factors(rest, recipe))


def _loaded_kernel(table: Table, recipe: Recipe, n_threads: int, whole: Table) -> tuple[Grower, dict[int, Floats]]:
    """The compiled grower with the columns of the table, and the edges of the intervals of discretized columns."""
    features = table.schema.features
    kernel = _kernel(table, recipe, choices(table, recipe))
    edges = add_columns(kernel, table, recipe, n_threads, reference=whole)
    if recipe.row_by_row and features and not isinstance(table.schema.columns[features[0]], Nominal):
        order = table.known_order(features[0])
        complete = order is not None and len(order) == table.n_rows
        kernel.sum_in(order if complete and order is not None else sort_by_halves(table.columns[features[0]]))
    return kernel, edges


def _kernel(table: Table, recipe: Recipe, chosen: dict[str, Any]) -> Grower:
    target = table.schema.target_column
    n_classes = len(target.categories) if isinstance(target, Nominal) else 0
    zoom = ZOOM_VALUES if recipe.min_gap > 0 else ZOOM_LISTS if n_classes else ZOOM_TARGETS
    layout = {"zoom": zoom, "zoom_from": ZOOM_FROM}
    n_columns = max(len(table.schema.features), 1)
    return Grower(table.target_values(), n_classes, table.weights, layout | chosen, n_columns)


def _factors(table: Table, recipe: Recipe) -> ClassFactors | None:
    return class_factors(table, recipe) if isinstance(table.schema.target_column, Nominal) else None


def _by_node(arrays: Arrays, name: str) -> Floats:
    """Values of splits, by node; 0 at leaves."""
    result = np.zeros(len(arrays["split"]))
    result[arrays["n_children"] > 0] = arrays[name]
    return result


def _check_kinds(table: Table, recipe: Recipe) -> None:
    target = table.schema.target_column
    if isinstance(target, Nominal) and recipe.criterion in NUMBER_CRITERIA:
        msg = f"the target {target.name!r} is nominal, and {recipe.criterion!r} is a criterion for numbers"
        raise LearnError(msg)
    if not isinstance(target, Nominal) and recipe.criterion not in NUMBER_CRITERIA:
        msg = f"the target {target.name!r} is numeric, and {recipe.criterion!r} is a criterion for classes"
        raise LearnError(msg)
    if recipe.missing == "surrogate" and (
        recipe.nominal not in {"subset", "one-vs-rest"} or recipe.numeric == "multi-cut"
    ):
        raise LearnError("surrogate splits need binary splits; expected subset or one-vs-rest, and one cut")
    if recipe.criterion == "absolute-error" and recipe.numeric == "multi-cut":
        raise LearnError(
            "several cuts per split are not supported with the absolute error; expected one cut or another criterion"
        )


def _at_edges(arrays: Arrays, candidates: Arrays | None, features: tuple[int, ...], edges: dict[int, Floats]) -> None:
    """Turn cuts between the numbers of intervals into the edges between them."""
    for number, position in enumerate(features):
        if position not in edges or not len(edges[position]):
            continue
        own = (arrays["column"] == number) & (arrays["kind"] == CUTS)
        several = np.zeros(len(own), np.bool_) if arrays["n_extra"] is None else arrays["n_extra"] > 0
        _to_edges(arrays["cut"], own & ~several, edges[position])
        for node in np.flatnonzero(own & several):
            part = slice(arrays["extra_start"][node], arrays["extra_start"][node] + arrays["n_extra"][node])
            _to_edges(arrays["extra"][part], np.ones(arrays["n_extra"][node], np.bool_), edges[position])
        kept = arrays["surrogates"]
        _to_edges(kept["cut"], (kept["column"] == number) & (kept["kind"] == CUTS), edges[position])
        if candidates is not None:
            has_cut = np.zeros(candidates["cut"].shape, np.bool_)
            has_cut[:, number] = candidates["verdict"][:, number] > enums.NO_GAIN
            _to_edges(candidates["cut"], has_cut, edges[position])


def _to_edges(cuts: Floats, chosen: Bools, edges: Floats) -> None:
    middle = cuts[chosen]
    finite = np.isfinite(middle)
    middle[finite] = edges[np.floor(middle[finite]).astype(np.int64)]
    cuts[chosen] = middle


def _best_first(tree: Tree, most_leaves: int, gain: Floats, candidates: Arrays | None) -> tuple[Tree, Arrays | None]:
    """The part of a fully grown tree that best-first growing gives: the leaf whose split gains most is split next.

    The split of a node does not depend on the order in which nodes are split, so the tree can be grown first and then
    opened from the root. A split with more branches than there are leaves left is skipped. Candidates are kept for the
    nodes of the new tree.
    """
    n_leaves, opened = 1, np.zeros(tree.n_nodes, np.bool_)
    waiting = [(-gain[tree.split[0]], 0)] if tree.n_children[0] else []
    while waiting:
        _, node = heapq.heappop(waiting)
        count = int(tree.n_children[node])
        if n_leaves + count - 1 > most_leaves:
            continue
        opened[node] = True
        n_leaves += count - 1
        for child in range(tree.first_child[node], tree.first_child[node] + count):
            if tree.n_children[child]:
                heapq.heappush(waiting, (-gain[tree.split[child]], child))
    kept = None
    if candidates is not None:
        order, _, _ = nodes_left(tree, ~opened)
        number = np.full(tree.n_nodes, -1, np.int32)
        number[order] = np.arange(len(order), dtype=np.int32)
        inside = number[candidates["node"]] >= 0
        kept = {
            name: array[inside] if name not in ("extra", "average_gain") else array
            for name, array in candidates.items()
        }
        kept["node"] = number[kept["node"]]
        kept["average_gain"] = candidates["average_gain"][order]
    return with_leaves(tree, ~opened), kept
