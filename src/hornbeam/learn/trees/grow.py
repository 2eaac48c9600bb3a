"""Grow a tree by a recipe: the table's columns go to the compiled grower, its arrays become a Tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rows.presort import sort_by_halves
from hornbeam.core.trees.grow.grower import Grower
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.trees.as_tree import as_tree, feature_kinds
from hornbeam.learn.trees.best_first import best_first
from hornbeam.learn.trees.choices import choices
from hornbeam.learn.trees.class_factors import class_factors
from hornbeam.learn.trees.columns import add_columns, at_data_values
from hornbeam.learn.trees.filled import Filled, fill
from hornbeam.model.trees.criterion import NUMBER_CRITERIA
from hornbeam.model.trees.split import CUTS
from hornbeam.model.trees.trace import NO_GAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.as_tree import Arrays
    from hornbeam.learn.trees.class_factors import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree

__all__ = ["LearnError", "WithoutSome", "grow", "grow_whole"]

# A node with no more than one in so many rows is given memory of its own, in which its rows lie close together: sooner
# where values are looked up by row, to see how far neighbors lie apart, than where only lists (and targets) are read.
ZOOM_VALUES, ZOOM_LISTS, ZOOM_TARGETS = 2, 8, 32
# Problems with fewer rows than this are small enough to keep their rows' numbers all the way down.
ZOOM_FROM = 32_768


def grow(
    table: Table,
    recipe: Recipe,
    *,
    reference: Table | None = None,
    n_threads: int = 1,
    keep_candidates: bool = False,
) -> tuple[Tree, Arrays | None]:
    """Grow a tree, without collapsing or pruning it; see `grow_whole`."""
    tree, candidates, gains = grow_whole(
        table, recipe, reference=reference, n_threads=n_threads, keep_candidates=keep_candidates
    )
    if recipe.max_leaf_nodes is not None:
        tree, candidates = best_first(tree, recipe.max_leaf_nodes, gains, candidates)
    return tree, candidates


def grow_whole(
    table: Table,
    recipe: Recipe,
    *,
    reference: Table | None = None,
    n_threads: int = 1,
    keep_candidates: bool = False,
) -> tuple[Tree, Arrays | None, NDArray[np.float64]]:
    """Grow a tree as far as it goes, however many leaves are asked for.

    Parameters
    ----------
    table : Table
        Rows with a known target; weights, if any, above zero.
    recipe : Recipe
        How to grow.
    reference : Table, optional
        Where cuts are looked up and rows counted for the average-gain filter, where that is not `table` itself
        (growing on a part of it).
    n_threads : int
        Threads to use; the tree is the same for any number.
    keep_candidates : bool
        Also give every column's candidate at every node.

    Returns
    -------
    Tree, the candidates as arrays of nodes x features (or None), and what each split takes away in all.
    """
    whole = table if reference is None else reference
    _check_kinds(table, recipe)
    filled: Filled | None = None
    if recipe.missing == "impute":
        filled = fill(table)
        table = filled.table
    features = table.schema.features
    grower, edges = _grower(table, recipe, n_threads, whole)
    arrays = grower.grow(n_threads, keep_candidates)
    candidates = arrays["candidates"]
    if candidates is not None:
        candidates["average_gain"] = _by_node(arrays, "average_gain")
    if recipe.threshold == "data-value":
        arrays["cut"] = at_data_values(
            arrays["cut"], arrays["column"], arrays["kind"] == CUTS, whole, recipe.threshold_slack
        )
        if candidates is not None:
            feature = np.broadcast_to(np.arange(len(features)), candidates["cut"].shape)
            has_cut = (candidates["verdict"] > NO_GAIN) & (feature_kinds(table.schema) == CUTS)
            candidates["cut"] = at_data_values(candidates["cut"], feature, has_cut, whole, recipe.threshold_slack)
    _at_edges(arrays, candidates, features, edges)
    tree = as_tree(arrays, table.schema, recipe, _factors(table, recipe))
    if filled is not None:
        tree = filled.route(tree)
    return tree, candidates, arrays["decrease"]


class WithoutSome:
    """Grows trees on a table without some of its rows, whose lists are made once and only filtered for each tree.

    Parameters
    ----------
    table : Table
        All rows.
    recipe : Recipe
        One that `suits`.
    n_threads : int
        For sorting.
    """

    def __init__(self, table: Table, recipe: Recipe, n_threads: int = 1) -> None:
        self._table = table
        self._lists, _ = _grower(table, recipe, n_threads, table)
        self._lists.keep_lists()

    @staticmethod
    def suits(table: Table, recipe: Recipe) -> bool:
        """Whether trees come out as from the table without these rows: sums row by row, in an order that stays."""
        features = table.schema.features
        if not (recipe.row_by_row and features) or table.weights is not None or recipe.collapse:
            return False
        first = table.schema.columns[features[0]]
        return isinstance(first, Nominal) or not np.isnan(table.columns[features[0]]).any()

    def grow(self, stays: NDArray[np.bool_], rest: Table, recipe: Recipe) -> Tree:
        """Grow on the rows that stay; `rest` needs to have no more than their target."""
        grower = _bare_grower(self._table, recipe, choices(rest, recipe))
        grower.share_lists(self._lists, stays.view(np.uint8))
        return as_tree(grower.grow(), self._table.schema, recipe, _factors(rest, recipe))


def _grower(
    table: Table, recipe: Recipe, n_threads: int, whole: Table
) -> tuple[Grower, dict[int, NDArray[np.float64]]]:
    """A compiled grower with the table's columns, and the edges of intervals where columns are cut into those."""
    features = table.schema.features
    grower = _bare_grower(table, recipe, choices(table, recipe))
    edges = add_columns(grower, table, recipe, n_threads, reference=whole)
    if recipe.row_by_row and features and not isinstance(table.schema.columns[features[0]], Nominal):
        order = table.known_order(features[0])
        complete = order is not None and len(order) == table.n_rows
        grower.sum_in(order if complete and order is not None else sort_by_halves(table.columns[features[0]]))
    return grower, edges


def _bare_grower(table: Table, recipe: Recipe, chosen: dict[str, Any]) -> Grower:
    target = table.schema.target_column
    n_classes = len(target.categories) if isinstance(target, Nominal) else 0
    zoom = ZOOM_VALUES if recipe.min_gap > 0 else ZOOM_LISTS if n_classes else ZOOM_TARGETS
    layout = {"zoom": zoom, "zoom_from": ZOOM_FROM}
    n_columns = max(len(table.schema.features), 1)
    return Grower(table.target_values(), n_classes, table.weights, layout | chosen, n_columns)


def _factors(table: Table, recipe: Recipe) -> ClassFactors | None:
    return class_factors(table, recipe) if isinstance(table.schema.target_column, Nominal) else None


def _by_node(arrays: Arrays, name: str) -> NDArray[np.float64]:
    """What is told of splits, at their nodes; 0 at leaves."""
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
        raise LearnError("surrogates stand in for splits in two; expected subset or one-vs-rest, and one cut")
    if recipe.criterion == "absolute-error" and recipe.numeric == "multi-cut":
        raise LearnError("several cuts are not looked for by the absolute error; expected one cut or another criterion")


def _at_edges(
    arrays: Arrays, candidates: Arrays | None, features: tuple[int, ...], edges: dict[int, NDArray[np.float64]]
) -> None:
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
            has_cut[:, number] = candidates["verdict"][:, number] > NO_GAIN
            _to_edges(candidates["cut"], has_cut, edges[position])


def _to_edges(cuts: NDArray[np.float64], chosen: NDArray[np.bool_], edges: NDArray[np.float64]) -> None:
    middle = cuts[chosen]
    finite = np.isfinite(middle)
    middle[finite] = edges[np.floor(middle[finite]).astype(np.int64)]
    cuts[chosen] = middle
