"""Model trees: grown by the compiled grower, with linear equations at every node, pruned and smoothed.

The categories of a nominal column are ordered by their mean target and cut between, as if the column were ordered: the
same as k - 1 indicators. Equations may use the inputs of the splits below a node: numeric columns, and indicators of
categories. Sums of products are computed once in the leaves and added up the tree
(`core/trees/model_tree/equations.pyx`).

A missing value is treated in training exactly as in prediction: in a split it takes the branch with more of the known
weight, in an equation it is the mean of the known values of the column (for an indicator, its proportion of the rows).
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.core.trees.model_tree.equations import Fitter, blocks, smooth
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.linear.few_rows import ROWS_A_PARAMETER
from hornbeam.learn.linear.least_squares import spread, unit_of
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.model_trees.grow import Grown, grow_model_tree, lacks_values, middle_and_unit, scaled
from hornbeam.learn.trees.model_trees.nodes import category_order
from hornbeam.learn.trees.model_trees.recut import recut
from hornbeam.learn.trees.prune.rebuild import nodes_left, with_leaves
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.model.linear.linear import Factor
from hornbeam.model.trees.equation import with_errors
from hornbeam.model.trees.split import CODE_SETS, CUTS, SplitStore

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Indices, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.trees.tree import Tree


MOST_INDICATORS = 32  # if equations may use every numeric column: the indicators used by most rows
MOST_INPUTS = 300  # equations use at most this many columns and indicators: those used by most rows
COLLINEAR = 1e-8  # an input is left out if the others explain all but this fraction of its variance
ROWS_AT_ONCE = 8192  # rows that are reordered at a time: their values fit into a fast cache
NO_ERROR = 1e-9  # smaller errors, as a fraction of the target's deviation, are rounding
OVERFULL = 10.0  # factor of the error of an equation with as many parameters as rows


@dataclass(frozen=True, slots=True)
class ModelChoices:
    """How a model tree is grown, pruned and smoothed."""

    min_node: float = 4.0  # nodes with less weight are leaves
    # nodes whose standard deviation is at most this fraction of that of all rows are leaves
    min_deviation: float = 0.05
    min_branch: float = 2.0  # both sides of a split have at least this weight
    linear: bool = True  # whether equations have terms, or are means
    above: bool = False  # whether the equation of a node may also use the inputs of splits above it
    # whether the equation of a node can replace its subtree, by (n + v) / (n - v) times the absolute error
    prune: bool = True
    smoothing: float = 15.0  # how many rows the equation above counts for; 0: no smoothing
    # whether large nodes are split by the error of equations on both sides, and equations may use every numeric column
    closely: bool = False
    split_price: float = 1.0  # how many parameters a split counts for in pruning


def learn_model_tree(table: Table, choices: ModelChoices, n_threads: int = 1) -> tuple[Tree, Floats]:
    """Learn a model tree.

    Parameters
    ----------
    table : Table
        Training rows, each with a target; weights, if any, above zero.
    choices : ModelChoices
        How to learn the tree.
    n_threads : int
        Number of threads for growing; the tree is the same for any number.

    Returns
    -------
    The tree, and for each node the number of parameters learned at it and below: one for every split, term and
    intercept before smoothing.
    """
    ranked, orders = in_order_of_target(table)
    deviation = spread(table.target_values(), table.weights)[1]
    recipe = recipe_of(choices, deviation)
    if choices.closely or lacks_values(ranked):
        grown = grow_model_tree(ranked, recipe, orders, COLLINEAR, closely=choices.closely)
    else:
        tree, _ = grow(ranked, recipe, n_threads=n_threads)
        grown = Grown(tree, tree.apply(ranked), orders)
    return with_equations(grown, table, choices)


def recipe_of(choices: ModelChoices, deviation: float) -> Recipe:
    """The recipe by which the tree is grown; `deviation` is that of the target of all rows."""
    return Recipe(
        criterion="sd-reduction", nominal="subset", missing="default-direction", min_node=choices.min_node,
        min_branch=choices.min_branch, min_impurity=choices.min_deviation * deviation, leaf="mean", tolerance=1e-9,
    )  # fmt: skip


def grows_by(weight: float, parameters: float) -> float:
    """By how much the errors of an equation, or of a subtree, grow on new rows; as in the kernel."""
    return (weight + parameters) / (weight - parameters) if weight > parameters else OVERFULL


def in_order_of_target(table: Table) -> tuple[Table, dict[int, Indices]]:
    """The table with nominal columns as ordered ones, categories by rising mean target; and their orders by column."""
    columns, kinds = list(table.columns), list(table.schema.columns)
    orders: dict[int, Indices] = {}
    target = table.target_values()
    unit = unit_of(target) or 1.0
    weighted = target / unit if table.weights is None else target / unit * table.weights
    for position in table.schema.features:
        kind = kinds[position]
        if not isinstance(kind, Nominal) or kind.ordered:
            continue
        codes = columns[position]
        known = codes >= 0
        every = known.all()
        shown = codes if every else codes[known]
        weights = table.weights if every or table.weights is None else table.weights[known]
        counts = np.bincount(shown, weights, minlength=len(kind.categories)).astype(np.float64)
        sums = np.bincount(shown, weighted if every else weighted[known], minlength=len(kind.categories))
        overall = sums.sum() / counts.sum() if len(shown) else 0.0
        means = np.divide(sums, counts, out=np.full(len(counts), overall), where=counts > 0)
        order = np.argsort(means, kind="stable")
        rank = np.empty(len(order) + 1, np.int32)
        rank[order], rank[-1] = np.arange(len(order)), -1
        columns[position] = rank[codes]
        kinds[position] = Nominal(kind.name, tuple(kind.categories[code] for code in order), ordered=True)
        orders[position] = order
    if not orders:
        return table, orders
    ranked = Table(replace(table.schema, columns=tuple(kinds)), columns, table.notes, copy=False)
    for position in table.schema.features:
        sorted_rows = table.known_order(position) if position not in orders else None
        if sorted_rows is not None:
            ranked.keep_order(position, sorted_rows)
    return ranked, orders


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of equations: the factors, and for each node of the grown tree that of its split (-1: none)."""

    factors: list[Factor]
    of_split: Ints32


def inputs_of(grown: Grown, *, every_number: bool = False) -> Inputs:
    """The columns and indicators that the splits of a tree use; of very many, those used by most rows.

    With `every_number`, all numeric columns are inputs, and at most `MOST_INDICATORS` indicators.
    """
    tree = grown.tree
    inner = np.flatnonzero(tree.split >= 0)
    split = tree.split[inner]
    column = tree.splits.column[split].astype(np.int64)
    nominal = np.array([isinstance(each, Nominal) for each in tree.schema.columns], np.bool_)
    place = np.where(nominal[column], np.floor(tree.splits.cuts[tree.splits.cut_start[split]]), 0.0).astype(np.int64)
    numbers = np.array([i for i in tree.schema.features if every_number and not nominal[i]], np.int64)
    n_places = int(place.max(initial=0)) + 1
    listed = np.concatenate([column * n_places + place, numbers * n_places])
    found, which = np.unique(listed, return_inverse=True)
    keys = np.stack(np.divmod(found, n_places))
    which = which[: len(inner)]
    rows = np.bincount(which, tree.weight[inner], minlength=len(found))
    ranking = np.argsort(-rows, kind="stable")
    if every_number:
        coded = nominal[keys[0, ranking]]
        ranking = np.concatenate([ranking[~coded], ranking[coded][:MOST_INDICATORS]])
    kept = np.sort(ranking[:MOST_INPUTS])
    number = np.full(len(found), -1, np.int32)
    number[kept] = np.arange(len(kept), dtype=np.int32)
    factors = []
    for position, at in keys[:, kept].T.tolist():
        codes = tuple(grown.upper(position, at).tolist()) if nominal[position] else None
        factors.append(Factor(position, codes))
    of_split = np.full(tree.n_nodes, -1, np.int32)
    of_split[inner] = number[which]
    return Inputs(factors, of_split)


class Places(NamedTuple):
    """By input: the replacement of a missing value, the mean and the unit."""

    fills: Floats
    center: Floats
    scale: Floats


def with_equations(all_grown: Grown, table: Table, choices: ModelChoices) -> tuple[Tree, Floats]:
    """The grown tree with equations, pruned and smoothed, over the columns of the table; and parameters by node."""
    inputs = inputs_of(all_grown, every_number=choices.closely)
    grown = all_grown.tree
    rows, start, end = blocks(grown.first_child, all_grown.leaves)
    places = places_of(inputs.factors, table)
    weights = None if table.weights is None else np.ascontiguousarray(table.weights[rows])
    target, middle, unit = scaled(table.target_values()[rows], weights)
    values = standardized(inputs.factors, table, rows, places)
    found = fitted(grown, inputs, (start, end), values, target, weights, choices)
    tree, kept = smoothed(all_grown, table.schema, inputs, places, found, (middle, unit), choices)
    if choices.closely:
        tree = recut(tree, table, rows, start[kept], end[kept])
    return with_errors(tree, table), found["parameters"][kept]


def fitted(
    grown: Tree, inputs: Inputs, node_rows: tuple[Ints64, Ints64], values: Floats, target: Floats,
    weights: Floats | None, choices: ModelChoices, above: Ints32 | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Equations of all nodes, and which nodes are pruned, as `Fitter.fit` returns them.

    Parameters
    ----------
    grown : Tree
        The tree, or a subtree.
    inputs : Inputs
        The inputs of equations.
    node_rows : tuple of arrays
        The start and the end of the block of rows of each node.
    values, target, weights : arrays
        Standardized inputs and targets, and weights or None, of rows in the order of their leaves.
    choices : ModelChoices
        The choices.
    above : array, optional
        Of a subtree: how many splits above it test each input.
    """
    start, end = node_rows
    numbers = np.array([factor.codes is None for factor in inputs.factors] + [False], np.int32)
    nodes: dict[str, AnyArray] = {"first_child": grown.first_child, "asked": inputs.of_split}
    nodes |= {"row_start": start, "row_end": end}
    fitting = {
        "linear": choices.linear,
        "prune": choices.prune,
        "above": choices.above,
        "on_path": np.zeros(len(numbers), np.int32) if above is None else above,
        "at_large": numbers,
        # with ten rows per parameter, an equation may use every numeric column
        "enough": ROWS_A_PARAMETER * (numbers.sum() + 1.0) if choices.closely else np.inf,
        "tolerance": COLLINEAR,
        "overfull": OVERFULL,
        "price": choices.split_price,
    }
    return Fitter().fit(nodes, values, target, weights, len(target).bit_length() + 2, fitting)


def smoothed(
    all_grown: Grown, schema: Schema, inputs: Inputs, places: Places, found: dict[str, Any],
    target: tuple[float, float], choices: ModelChoices,
) -> tuple[Tree, Indices]:  # fmt: skip
    """The tree over the columns of a schema, pruned, with smoothed equations; and the old numbers of its nodes.

    `found` is as `fitted` returns it, and `target` the mean and the unit of the target.
    """
    middle, unit = target
    fills, center, scale = places
    pruned = np.flatnonzero(found["pruned"])
    kept, _, _ = nodes_left(all_grown.tree, pruned)
    tree = with_leaves(all_grown.tree, pruned)
    leaf = tree.n_children == 0
    term_start, term_input, coefficient, intercept = smooth(
        tree.parent,
        (leaf & (choices.smoothing > 0)).astype(np.uint8),
        tree.weight,
        found["term_start"][kept],
        found["term_end"][kept],
        found["inputs"],
        found["coefficients"],
        found["intercept"][kept],
        choices.smoothing,
        len(inputs.factors),
    )
    owner = np.repeat(np.arange(tree.n_nodes), np.diff(term_start))
    steepness = coefficient / scale[term_input] * unit
    shift = np.bincount(owner, coefficient * (center / scale)[term_input], minlength=tree.n_nodes)
    done = replace(
        _over_own_columns(tree, schema, all_grown),
        recipe={**plain_recipe(choices), "category_order": category_order(all_grown.orders)},
        intercept=(intercept - shift) * unit + middle,
        residual=np.sqrt(found["squared"][kept] / tree.weight) * unit,
        term_start=term_start,
        term_column=np.array([factor.column for factor in inputs.factors], np.int32)[term_input],
        term_coefficient=steepness,
        term_fill=fills[term_input],
        **_term_codes(inputs.factors, term_input),
    )
    return done, kept


def plain_recipe(choices: ModelChoices) -> dict[str, Any]:
    """The choices as a model stores them."""
    given = asdict(choices)
    criterion = "linear-error" if given.pop("closely") else "sd-reduction"
    return {"criterion": criterion, "leaf": "linear" if given.pop("linear") else "mean", **given}


def places_of(factors: list[Factor], table: Table) -> Places:
    """The places of inputs, from the rows of a table."""
    found = Places(np.zeros(len(factors)), np.zeros(len(factors)), np.ones(len(factors)))
    for place, factor in enumerate(factors):
        column = table.columns[factor.column]
        if factor.codes is None:
            found.center[place], found.scale[place] = _middle_and_unit_of(column, ~np.isnan(column), table.weights)
            found.fills[place] = found.center[place]
        else:
            found.fills[place] = _share(column, factor.codes, table.weights)
    return found


def standardized(factors: list[Factor], table: Table, rows: AnyArray, places: Places) -> Floats:
    """Inputs by row, in the given order, minus their means and divided by their units."""
    values = np.empty((len(rows), len(factors)))
    columns: list[AnyArray] = []
    by_code: list[Floats | None] = []
    for place, factor in enumerate(factors):
        column, number_of = table.columns[factor.column], None
        if factor.codes is None:
            known = ~np.isnan(column)
            column = column if known.all() else np.where(known, column, places.fills[place])
        else:
            kind = table.schema.columns[factor.column]
            assert isinstance(kind, Nominal)
            number_of = replace(factor, fill=float(places.fills[place])).by_code(len(kind.categories))
        columns.append(column)
        by_code.append(number_of)
    for first in range(0, len(rows), ROWS_AT_ONCE):
        some = rows[first : first + ROWS_AT_ONCE]
        for place, (column, number_of) in enumerate(zip(columns, by_code, strict=True)):
            taken = column[some] if number_of is None else number_of[column[some]]
            scale = places.scale[place]
            values[first : first + ROWS_AT_ONCE, place] = taken / scale - places.center[place] / scale
    return values


def _middle_and_unit_of(column: Floats, known: Bools, weights: Floats | None) -> tuple[float, float]:
    """The mean and the deviation of the known values; 0 and 1 if there are no known values."""
    if known.all():
        return middle_and_unit(column, weights)
    if not known.any():
        return 0.0, 1.0
    return middle_and_unit(column[known], None if weights is None else weights[known])


def _share(column: Ints32, codes: tuple[int, ...], weights: Floats | None) -> float:
    """The proportion of the rows with a category that have one of these; 0 if no row has a category."""
    counts = np.bincount(column + 1, weights)[1:]
    listed = [code for code in codes if code < len(counts)]
    return float(counts[listed].sum() / counts.sum()) if counts.sum() > 0 else 0.0


def _over_own_columns(tree: Tree, schema: Schema, grown: Grown) -> Tree:
    """The tree over a schema of unordered categories: cuts between ranked categories become sets of categories."""
    splits = tree.splits
    sets = np.flatnonzero(np.isin(splits.column, list(grown.orders)))
    if not len(sets):
        return replace(tree, schema=schema)
    kind = splits.kind.copy()
    kind[sets] = CODE_SETS
    lengths = np.zeros(len(splits), np.int64)
    codes, branches = [], []
    for split in sets.tolist():
        column = int(splits.column[split])
        branch = np.zeros(len(grown.orders[column]), np.int32)
        branch[grown.upper(column, int(splits.cuts[splits.cut_start[split]]))] = 1
        codes.append(np.arange(len(branch), dtype=np.int32))
        branches.append(branch)
        lengths[split] = len(branch)
    by_cut = kind == CUTS
    store = SplitStore(
        column=splits.column,
        kind=kind,
        n_branches=splits.n_branches,
        score=splits.score,
        equal_low=splits.equal_low,
        cut_start=offsets(by_cut),
        cuts=np.ascontiguousarray(splits.cuts[by_cut]),
        code_start=offsets(lengths),
        codes=np.concatenate(codes),
        code_branch=np.concatenate(branches),
        other=splits.other,
    )
    return replace(tree, schema=schema, splits=store)


def _term_codes(factors: list[Factor], term_input: Ints32) -> dict[str, Any]:
    lengths = np.array([len(factor.codes or ()) for factor in factors], np.int64)
    if not lengths.any() or not lengths[term_input].any():
        return {}
    listed = np.array([code for factor in factors for code in factor.codes or ()], np.int32)
    first = np.cumsum(lengths) - lengths
    count = lengths[term_input]
    start = offsets(count)
    entries = np.arange(start[-1]) + np.repeat(first[term_input] - start[:-1], count)
    return {"term_code_start": start, "term_codes": listed[entries]}
