"""Grow a tree by a recipe: the table's columns go to the compiled grower, its arrays become a Tree."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.grow import Grower
from hornbeam.core.presort import Workroom, few_values, largest_at_most, sort_by_halves, sort_known
from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.as_tree import as_tree, feature_kinds
from hornbeam.learn.trees.best_first import best_first
from hornbeam.learn.trees.choices import NUMBER_CRITERIA, LearnError, choices
from hornbeam.learn.trees.filled import Filled, fill
from hornbeam.model.split import CUTS
from hornbeam.model.trace import NO_GAIN

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.as_tree import Arrays
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.tree import Tree

__all__ = ["LearnError", "grow", "grow_whole"]

# A numeric column with no more distinct values than this is counted, not sorted.
FEW_VALUES = 64
# A node with no more than one in so many rows is given memory of its own, in which its rows lie close together: sooner
# where values are looked up by row, to see how far neighbours lie apart, than where only lists (and targets) are read.
ZOOM_VALUES, ZOOM_LISTS, ZOOM_TARGETS = 2, 8, 32
# Problems with fewer rows than this are small enough to keep their rows' numbers all the way down.
ZOOM_FROM = 32_768
# A nominal column with this many categories a row does not count towards the average gain (Quinlan 1993).
MANY_VALUED_SHARE = 0.3
# Weights and values closer than this are equal.
SLACK = 1e-6


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
    target = table.schema.target_column
    _check_kinds(table, recipe)
    filled: Filled | None = None
    if recipe.missing == "impute":
        filled = fill(table)
        table = filled.table
    features = table.schema.features
    n_classes = len(target.categories) if isinstance(target, Nominal) else 0
    zoom = ZOOM_VALUES if recipe.min_gap > 0 else ZOOM_LISTS if n_classes else ZOOM_TARGETS
    layout = {"zoom": zoom, "zoom_from": ZOOM_FROM}
    grower = Grower(
        table.target_values(), n_classes, table.weights, layout | choices(table, recipe), max(len(features), 1)
    )
    rows_in_whole = float(whole.n_rows if whole.weights is None else whole.weights.sum())
    many = [
        isinstance(column := table.schema.columns[i], Nominal)
        and not column.ordered
        and not len(column.categories) < MANY_VALUED_SHARE * rows_in_whole - SLACK
        for i in features
    ]
    if all(many):  # then no column is set apart
        many = [False] * len(features)
    numeric = [i for i in features if not isinstance(table.schema.columns[i], Nominal)]
    edges: dict[int, NDArray[np.float64]] = {}
    prepared = dict(zip(numeric, _prepare(table, numeric, recipe, n_threads, edges), strict=True))
    for position, set_apart in zip(features, many, strict=True):
        column = table.schema.columns[position]
        if isinstance(column, Nominal):
            _add_nominal(grower, table, position, recipe, many_valued=set_apart)
        else:
            prepared[position](grower)
    prepared.clear()
    if recipe.row_by_row and numeric and features[0] == numeric[0]:
        order = table.known_order(numeric[0])
        complete = order is not None and len(order) == table.n_rows
        grower.sum_in(order if complete and order is not None else sort_by_halves(table.columns[numeric[0]]))
    arrays = grower.grow(n_threads, keep_candidates)
    candidates = arrays["candidates"]
    if candidates is not None:
        candidates["average_gain"] = _by_node(arrays, "average_gain")
    if recipe.threshold == "data-value":
        arrays["cut"] = _at_data_values(
            arrays["cut"], arrays["column"], arrays["kind"] == CUTS, whole, recipe.threshold_slack
        )
        if candidates is not None:
            feature = np.broadcast_to(np.arange(len(features)), candidates["cut"].shape)
            has_cut = (candidates["verdict"] > NO_GAIN) & (feature_kinds(table.schema) == CUTS)
            candidates["cut"] = _at_data_values(candidates["cut"], feature, has_cut, whole, recipe.threshold_slack)
    _at_edges(arrays, candidates, features, edges)
    tree = as_tree(arrays, table.schema, recipe)
    if filled is not None:
        tree = filled.route(tree)
    return tree, candidates, arrays["mass"]


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


def _prepare(
    table: Table, positions: list[int], recipe: Recipe, n_threads: int, edges: dict[int, NDArray[np.float64]]
) -> list[Any]:
    """For each numeric column, what adds it to a grower: codes where values are few, else its sort order."""
    rooms: list[Workroom] = []
    orders = np.empty((len(positions), table.n_rows), np.uint32)  # one block, not touched before it is needed

    def prepare(position: int) -> Any:
        values = table.columns[position]
        if recipe.missing == "error" and np.isnan(values).any():
            _refuse_missing(table, position)
        if recipe.numeric == "discretized":
            edges[position], intervals = _intervals(table, position, recipe)
            numbers = np.arange(len(edges[position]) + 1, dtype=np.float64)
            return lambda grower: grower.add_codes(intervals, numbers, len(numbers), False, False)
        if recipe.row_by_row:
            return _add_in_order(table, position, recipe)
        # sums of columns are made of numbers, not of their codes
        few = (
            None if recipe.combinations else few_values(values, FEW_VALUES)
        )  # first, so that the tree does not depend on which orders are at hand
        if few is not None:
            codes, distinct = few
            return lambda grower: grower.add_codes(codes, distinct, len(distinct), False, False)
        order = table.known_order(position)
        if order is not None:
            return lambda grower: grower.add_sorted(values, order)
        room = rooms.pop() if rooms else Workroom(len(values))
        order = sort_known(values, room, orders[positions.index(position)])
        rooms.append(room)
        if recipe.threshold == "data-value":  # looked up again once the tree is grown
            table.keep_order(position, order)
            return lambda grower: grower.add_sorted(values, order)
        return lambda grower: grower.add_sorted(values, order, True)

    if n_threads == 1:
        return [prepare(position) for position in positions]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(prepare, positions))


def _add_in_order(table: Table, position: int, recipe: Recipe) -> Any:
    """What adds a column whose sums are taken row by row: codes where values are few and every row counts once."""
    values, halved = table.columns[position], _by_halves(table, position)
    short = table.weights is None and recipe.criterion in {"gini", "variance"} and recipe.missing == "surrogate"
    few = few_values(values, FEW_VALUES) if short and len(halved) else None
    if few is None:
        return lambda grower: grower.add_sorted(values, halved)
    codes, distinct = few

    def add(grower: Any) -> None:
        grower.add_codes(codes, distinct, len(distinct), False, False)
        grower.put_in_order(halved)

    return add


def _by_halves(table: Table, position: int) -> NDArray[np.uint32]:
    """A column's order, equal values as a certain quicksort leaves them; kept with the table."""
    order = table.known_order(position)
    if order is None:
        values = table.columns[position]
        order = sort_known(values)
        if (np.diff(values[order]) == 0).any():  # else any sort will do
            order = sort_by_halves(values)
            order = order[~np.isnan(values[order])]
        table.keep_order(position, order)
    return order


def _intervals(table: Table, position: int, recipe: Recipe) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Edges of a column's intervals, and the interval of every row."""
    from hornbeam.learn.discretize import column_cuts  # noqa: PLC0415 - only where asked for

    values = table.columns[position]
    edges = column_cuts(
        recipe.discretize, values, table.target_values(), table.weights, bins=recipe.bins,
        order=table.sort_order(position),
    )  # fmt: skip
    codes = np.searchsorted(edges, values, side="left" if recipe.equal_low else "right")
    codes[np.isnan(values)] = len(edges) + 1
    return edges, codes.astype(np.uint8 if len(edges) + 1 < np.iinfo(np.uint8).max else np.int32)


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


def _refuse_missing(table: Table, position: int) -> None:
    column, values = table.schema.columns[position], table.columns[position]
    row = int(np.flatnonzero(values < 0 if isinstance(column, Nominal) else np.isnan(values))[0])
    msg = (
        f"column {column.name!r}, row {row + 1}: the value is missing, and missing values are refused "
        '(missing="error"); for a nominal column, missing="own-category" makes them a category of their own'
    )
    raise LearnError(msg)


def _add_nominal(grower: Any, table: Table, position: int, recipe: Recipe, *, many_valued: bool) -> None:
    column, codes = table.schema.columns[position], table.columns[position]
    assert isinstance(column, Nominal)
    n_codes = len(column.categories)
    if recipe.missing == "error" and (codes < 0).any():
        _refuse_missing(table, position)
    if recipe.missing == "own-category" and not column.ordered and (codes < 0).any():
        codes = np.where(codes < 0, n_codes, codes)
        n_codes += 1
    narrow = n_codes < np.iinfo(np.uint8).max
    stored = np.where(codes < 0, n_codes, codes).astype(np.uint8 if narrow else np.int32)
    values = np.arange(max(n_codes, 1), dtype=np.float64)
    grower.add_codes(stored, values, n_codes, not column.ordered, many_valued)


def _at_data_values(
    cuts: NDArray[np.float64], feature: NDArray[Any], chosen: NDArray[np.bool_], whole: Table, slack: float
) -> NDArray[np.float64]:
    """Put each chosen cut at the largest value of the whole training set not above it.

    Values are compared with slack, one after another in row order, so that of values closer than the slack the
    first in the table stands.
    """
    moved = cuts.copy()
    for number in np.unique(feature[chosen]):
        position = whole.schema.features[number]
        places = chosen & (feature == number)
        middle = moved[places]
        if isinstance(whole.schema.columns[position], Nominal):
            moved[places] = np.floor(middle)
            continue
        values = whole.columns[position]
        order = whole.sort_order(position)
        last, crowded = largest_at_most(values, order, middle, slack)
        found = values[order[last]]
        for i in np.flatnonzero(crowded):
            found[i] = _first_of_crowd(values, order, int(last[i]), float(middle[i]), slack)
        moved[places] = found
    return moved


def _first_of_crowd(
    values: NDArray[np.float64], order: NDArray[np.uint32], last: int, middle: float, slack: float
) -> float:
    """Go through values that crowd below `middle` in row order, as a search that compares with slack would."""
    start = last
    while start > 0 and values[order[start]] - values[order[start - 1]] <= slack:
        start -= 1
    largest = -np.inf
    for value in values[np.sort(order[start : last + 1])]:
        if value > largest + slack and (value <= middle or value - middle < slack):
            largest = value
    return float(largest)
