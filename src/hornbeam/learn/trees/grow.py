"""Grow a tree by a recipe: the table's columns go to the compiled grower, its arrays become a Tree."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.grow import Grower
from hornbeam.core.presort import Workroom, few_values, largest_at_most, sort_known
from hornbeam.data.schema import Nominal, Schema
from hornbeam.model.split import CODE_SETS, CODES, CUTS, SplitStore
from hornbeam.model.trace import NO_GAIN
from hornbeam.model.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe

# A numeric column with no more distinct values than this is counted, not sorted.
FEW_VALUES = 64
# A node with no more than one in so many rows is given memory of its own, in which its rows lie close together: sooner
# where values are looked up by row, to see how far neighbours lie apart, than where only lists are read.
ZOOM_VALUES, ZOOM_LISTS = 2, 8
# Problems with fewer rows than this are small enough to keep their rows' numbers all the way down.
ZOOM_FROM = 32_768
# A nominal column with this many categories a row does not count towards the average gain (Quinlan 1993).
MANY_VALUED_SHARE = 0.3
# Weights and values closer than this are equal.
SLACK = 1e-6

Arrays = Mapping[str, Any]


class LearnError(ValueError):
    """The table cannot be learned from as asked."""


def grow(
    table: Table,
    recipe: Recipe,
    *,
    reference: Table | None = None,
    n_threads: int = 1,
    keep_candidates: bool = False,
) -> tuple[Tree, Arrays | None]:
    """Grow a tree, without collapsing or pruning it.

    Parameters
    ----------
    table : Table
        Rows with a known target of a nominal column; weights, if any, above zero.
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
    Tree, and the candidates as arrays of nodes x features (or None).
    """
    whole = table if reference is None else reference
    target = table.schema.target_column
    if not isinstance(target, Nominal):
        msg = f"the target {target.name!r} is numeric; this learner predicts a nominal column"
        raise LearnError(msg)
    features = table.schema.features
    grower = Grower(
        table.target_values(), len(target.categories), table.weights, _choices(recipe), max(len(features), 1)
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
    prepared = dict(zip(numeric, _prepare(table, numeric, recipe, n_threads), strict=True))
    for position, set_apart in zip(features, many, strict=True):
        column = table.schema.columns[position]
        if isinstance(column, Nominal):
            _add_nominal(grower, table, position, recipe, many_valued=set_apart)
        else:
            prepared[position](grower)
    prepared.clear()
    arrays = grower.grow(n_threads, keep_candidates)
    candidates = arrays["candidates"]
    if candidates is not None:
        candidates["average_gain"] = arrays["average_gain"]
    if recipe.threshold == "data-value":
        arrays["cut"] = _at_data_values(
            arrays["cut"], arrays["column"], arrays["kind"] == CUTS, whole, recipe.threshold_slack
        )
        if candidates is not None:
            feature = np.broadcast_to(np.arange(len(features)), candidates["cut"].shape)
            has_cut = (candidates["verdict"] > NO_GAIN) & (feature_kinds(table.schema) == CUTS)
            candidates["cut"] = _at_data_values(candidates["cut"], feature, has_cut, whole, recipe.threshold_slack)
    return _as_tree(arrays, table.schema, recipe), candidates


def feature_kinds(schema: Schema) -> NDArray[np.int8]:
    """Which features are cut, and which are split by category."""
    columns = (schema.columns[position] for position in schema.features)
    return np.array([CODES if isinstance(c, Nominal) and not c.ordered else CUTS for c in columns], np.int8)


def _choices(recipe: Recipe) -> dict[str, Any]:
    return {
        "by_ratio": recipe.criterion == "gain-ratio",
        "average_filter": recipe.average_gain_filter,
        "textbook_gain": recipe.textbook_gain,
        "charge_cuts": recipe.charge_cuts,
        "adaptive_minimum": recipe.adaptive_minimum,
        "nominal": int(recipe.nominal == "one-vs-rest"),
        "first_category_free": recipe.first_category_free,
        "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
        "min_branch": recipe.min_branch,
        "min_node": recipe.min_node,
        "min_gap": recipe.min_gap,
        "min_gain": recipe.min_gain,
        "tolerance": recipe.tolerance,
        "zoom": ZOOM_VALUES if recipe.min_gap > 0 else ZOOM_LISTS,
        "zoom_from": ZOOM_FROM,
    }


def _prepare(table: Table, positions: list[int], recipe: Recipe, n_threads: int) -> list[Any]:
    """For each numeric column, what adds it to a grower: codes where values are few, else its sort order."""
    rooms: list[Workroom] = []

    def prepare(position: int) -> Any:
        values = table.columns[position]
        if recipe.missing != "fractional" and np.isnan(values).any():
            _refuse_missing(table, position)
        few = few_values(values, FEW_VALUES)  # first, so that the tree does not depend on which orders are at hand
        if few is not None:
            codes, distinct = few
            return lambda grower: grower.add_codes(codes, distinct, len(distinct), False, False)
        order = table.known_order(position)
        if order is not None:
            return lambda grower: grower.add_sorted(values, order)
        room = rooms.pop() if rooms else Workroom(len(values))
        order = sort_known(values, room)
        rooms.append(room)
        if recipe.threshold == "data-value":  # looked up again once the tree is grown
            table.keep_order(position, order)
            return lambda grower: grower.add_sorted(values, order)
        return lambda grower: grower.add_sorted(values, order, True)

    if n_threads == 1:
        return [prepare(position) for position in positions]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(prepare, positions))


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
    if recipe.missing == "own-category" and (codes < 0).any():
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


def _as_tree(arrays: Arrays, schema: Schema, recipe: Recipe) -> Tree:
    inner = np.flatnonzero(arrays["n_children"] > 0)
    n_nodes = len(arrays["parent"])
    column = np.asarray(schema.features, np.int32)[arrays["column"][inner]] if len(inner) else np.empty(0, np.int32)
    split = np.full(n_nodes, -1, np.int32)
    split[inner] = np.arange(len(inner), dtype=np.int32)
    own = recipe.missing == "own-category"
    splits, missing = split_store(
        schema, column, *(arrays[name][inner] for name in ("kind", "n_children", "score", "cut", "category")), own=own
    )
    policy = np.full(n_nodes, FRACTIONAL, np.int32)
    policy[inner] = missing
    label = arrays["label"].copy()
    if recipe.empty_branch == "none":
        label[(arrays["n_children"] == 0) & (arrays["weight"] <= SLACK)] = -1
    return Tree(
        schema=schema,
        splits=splits,
        parent=arrays["parent"],
        first_child=arrays["first_child"],
        n_children=arrays["n_children"],
        split=split,
        missing=policy,
        rows=arrays["rows"],
        weight=arrays["weight"],
        value=arrays["value"],
        label=label,
        error=arrays["weight"] - arrays["value"].max(axis=1),
        share=arrays["share"],
        pseudo_count=1.0 if recipe.leaf == "laplace" else 0.0,
        recipe=asdict(recipe),
    )


def split_store(
    schema: Schema,
    column: NDArray[np.int32],
    kind: NDArray[np.int32],
    n_branches: NDArray[np.int32],
    score: NDArray[np.float64],
    cut: NDArray[np.float64],
    category: NDArray[np.int32],
    *,
    own: bool = False,
) -> tuple[SplitStore, NDArray[np.int32]]:
    """Splits of one cut, of a branch for every category, or of one category against the rest.

    Where missing values are a category of their own (`own`), its branch is the second result; else FRACTIONAL.
    """
    n_categories = np.array([len(getattr(c, "categories", ())) for c in schema.columns], np.int64)[column]
    lengths = np.select([kind == CODES, (kind == CODE_SETS) & (category < n_categories)], [n_categories, 1], 0)
    code_start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    codes = np.arange(code_start[-1], dtype=np.int64) - np.repeat(code_start[:-1], lengths)
    codes[np.repeat(kind == CODE_SETS, lengths)] = category[(kind == CODE_SETS) & (lengths > 0)]
    store = SplitStore(
        column=column.astype(np.int32),
        kind=kind.astype(np.int8),
        n_branches=n_branches.astype(np.int32),
        score=score,
        equal_low=np.ones(len(column), np.bool_),
        cut_start=np.concatenate([[0], np.cumsum(kind == CUTS)]).astype(np.int64),
        cuts=cut[kind == CUTS],
        code_start=code_start,
        codes=codes.astype(np.int32),
        code_branch=np.zeros(len(codes), np.int32),
        other=np.where(kind == CODE_SETS, 1, -1).astype(np.int32),
    )
    missing = np.full(len(column), FRACTIONAL, np.int32)
    if own:
        has_own = np.where(kind == CODES, n_branches > n_categories, kind == CODE_SETS)
        own_branch = np.where(kind == CODES, n_categories, np.where(category == n_categories, 0, 1))
        missing = np.where(has_own, own_branch, missing).astype(np.int32)
    return store, missing
