"""Cost-complexity pruning by cross-validation.

The sequence of pruned trees only needs the tree (`prune/complexity.py`). Cross-validation decides which of them to
take: the tree is grown again without each fold, and every tree of its sequence predicts the rows of the fold.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), ch. 3.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from hornbeam.core.base.threads import Threads
from hornbeam.core.trees.prune.sequence import greatest_error, sum_errors
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.table import Table
from hornbeam.learn.trees.build import Built, build_tree
from hornbeam.learn.trees.choices import class_factors, root_error
from hornbeam.learn.trees.grow import SharedLists
from hornbeam.learn.trees.prune.complexity import CpTable, complexities, cp_table, prune_at, stop_at
from hornbeam.learn.trees.prune.rebuild import with_leaves
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree

LARGE = 10.0  # times the first cp: above every complexity, so that only the root remains
FEWEST = 2  # folds
SEED = 0  # if none is given: the same table always gives the same tree
NEGLIGIBLE = 1e-10  # as a fraction of the greatest gain so far


def build_by_complexity(
    table: Table,
    recipe: Recipe,
    *,
    random_state: int | None = None,
    n_threads: int = 1,
    keep_trace: bool = False,
    keep_alternatives: int = 0,
) -> tuple[Built, CpTable]:
    """Grow a tree, cross-validate the sequence of its pruned trees, and return the one that the recipe chooses.

    Parameters
    ----------
    table : Table
        Training rows.
    recipe : Recipe
        Has `folds`, `cp` and `choose`; with fewer than two folds there is no cross-validation.
    random_state : int or None
        Seed of the shuffle that assigns rows to folds.
    n_threads : int
        Threads; the result is the same for any number.
    keep_trace : bool
        Keep every candidate.
    keep_alternatives : int
        How many runner-up splits to keep at each node.

    Returns
    -------
    Built and the table of complexities.
    """
    # Known sort orders may have been made for another learner, with equal values in another order.
    table = Table(table.schema, table.columns, table.notes, copy=False) if recipe.row_by_row else table
    grown = build_tree(table, recipe, n_threads=n_threads, keep_trace=keep_trace, keep_alternatives=keep_alternatives)
    whole = without_negligible(grown.tree) if recipe.row_by_row else grown.tree
    steps = cp_table(whole, recipe.cp)
    tree = stop_at(whole, recipe.cp)
    if len(steps) > 1 and recipe.folds >= FEWEST:
        steps = _cross_validated(table, whole, recipe, steps, random_state, n_threads)
    if recipe.choose != "cp" and len(steps) > 1:
        tree = prune_at(tree, float(steps.cp[chosen_step(steps, recipe.choose)]))
    return Built(replace(tree, recipe={**tree.recipe, "prune": recipe.prune}), grown.trace), steps


def chosen_step(steps: CpTable, choose: Literal["cp", "1-se", "least"]) -> int:
    """The row of the table with the tree that is chosen.

    Parameters
    ----------
    steps : CpTable
        The sequence of pruned trees.
    choose : {"cp", "1-se", "least"}
        The last tree, the smallest within one standard error of the least cross-validated error, or that with the
        least.

    Examples
    --------
    >>> import hornbeam
    >>> steps = hornbeam.CartClassifier().fit(hornbeam.read("iris")).cp_table_
    >>> chosen_step(steps, "least")
    2
    """
    if choose == "cp":
        return len(steps) - 1
    if np.isnan(steps.cv_error).any():
        msg = f"choose={choose!r} needs a cross-validated error, and there is none; expected folds of at least 2"
        raise ValueError(msg)
    least = int(np.argmin(steps.cv_error))  # the first, which is the smallest tree
    if choose == "least":
        return least
    within = steps.cv_error <= steps.cv_error[least] + steps.cv_std_error[least]
    return int(np.argmax(within))


def _cross_validated(
    table: Table, tree: Tree, recipe: Recipe, steps: CpTable, random_state: int | None, n_threads: int
) -> CpTable:
    """The table with the error of every step on held-out rows, and its standard error."""
    # A complexity stands for the whole range down to the next; its geometric mean is used.
    middle = np.concatenate([[LARGE * max(steps.cp[0], 1.0)], np.sqrt(steps.cp[1:] * steps.cp[:-1])])
    weights = table.row_weights
    # If no value is missing, surrogates change neither the trees nor their predictions.
    stand_ins = recipe.max_surrogates if any(table.missing(i).any() for i in table.schema.features) else 0

    held_out = Table(table.schema, table.columns, table.notes, copy=False)  # its rows are predicted, not sorted
    targets = held_out.select([table.schema.target]) if table.schema.target is not None else held_out
    costs = class_factors(table, recipe).costs() if tree.task == "classification" else None
    lists = SharedLists(table, recipe, n_threads) if SharedLists.suits(table, recipe) else None

    def run(part: NDArray[np.intp]) -> Fold:
        rest = np.ones(table.n_rows, np.bool_)
        rest[part] = False
        growing = (table if lists is None else targets).take(rest)
        error = root_error(growing, recipe)
        weight = float(growing.n_rows if growing.weights is None else growing.weights.sum())
        scale = float(tree.error[0] / tree.weight[0] * weight / error) if error > 0 else 1.0
        fold = replace(recipe, cp=recipe.cp * scale, max_surrogates=stand_ins)
        other = build_tree(growing, fold).tree if lists is None else lists.grow(rest, growing, fold)
        other = without_negligible(other) if recipe.row_by_row else other
        return Fold(part, stop_at(other, fold.cp), held_out.take(part), middle * scale)

    for position in table.schema.features:  # once, here; the folds filter these orders
        if isinstance(table.schema.columns[position], Numeric) and not recipe.row_by_row:
            table.sort_order(position)
    parts = list(_parts(table, min(recipe.folds, table.n_rows), random_state))
    if n_threads == 1:
        folds = [run(part) for part in parts]
    else:
        with Threads(n_threads) as pool:
            folds = list(pool.map(run, parts))
    in_pieces = any((fold.tree.missing[fold.tree.n_children > 0] == FRACTIONAL).any() for fold in folds)
    total, squares, unit = (_summed_tree_by_tree if in_pieces else _summed_row_by_row)(table, folds, costs)
    spread = np.sqrt(np.maximum(squares - total**2 / weights.sum(), 0.0))
    root = float(tree.error[0]) / unit or 1.0
    return replace(steps, cv_error=total / root, cv_std_error=spread / root)


@dataclass(frozen=True)
class Fold:
    """A tree grown without some rows."""

    part: NDArray[np.intp]  # the rows
    tree: Tree
    table: Table  # of the rows
    levels: NDArray[np.float64]  # falling complexities, at which the tree is pruned

    def stops(self) -> NDArray[np.int32]:
        """For every node, the first level at which rows stop there, and the one after the last."""
        complexity = np.where(self.tree.n_children > 0, complexities(self.tree), -np.inf)
        end = np.searchsorted(-self.levels, -complexity, side="right").astype(np.int32)
        start = np.where(self.tree.parent < 0, np.int32(0), end[self.tree.parent])
        return np.column_stack([start, end])


def _unit(greatest: float) -> float:
    """A power of two, so that dividing does not round."""
    return math.ldexp(1.0, math.frexp(greatest)[1])


def _summed_row_by_row(
    table: Table, folds: Sequence[Fold], costs: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The errors of each step summed over all rows, and their squares, both divided by a unit; and the unit.

    A row has the same error for all the steps at which it stops at the same node. Errors have weight one; of numbers
    they are squares already.
    """
    ends = np.empty(table.n_rows, np.int32)
    first = 0
    for fold in folds:
        ends[fold.part] = fold.tree.apply(fold.table) + first
        first += fold.tree.n_nodes
    firsts = np.cumsum([0, *(fold.tree.n_nodes for fold in folds[:-1])])
    trees = [fold.tree for fold in folds]
    parent = [np.where(tree.parent < 0, -1, tree.parent + start) for tree, start in zip(trees, firsts, strict=True)]
    classes = trees[0].task == "classification"
    predicted = [tree.label if classes else tree.value[tree.predicting_node, 1] for tree in trees]
    given = (
        ends,
        np.concatenate(parent).astype(np.int32),
        np.concatenate([fold.stops() for fold in folds]),
        np.concatenate(predicted).astype(np.float64),
        table.target_values().astype(np.float64),
        None if costs is None else np.ascontiguousarray(costs),
        trees[0].value.shape[1] if classes else 0,
    )
    unit = _unit(greatest_error(*given))
    return (*sum_errors(*given, table.weights, unit, len(folds[0].levels)), unit)


def _summed_tree_by_tree(
    table: Table, folds: Sequence[Fold], costs: NDArray[np.float64] | None
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """The same where rows without a value go down several branches, and every pruned tree has to predict."""
    errors = np.empty((table.n_rows, len(folds[0].levels)))
    for fold in folds:
        truth = fold.table.target_values()
        for number, level in enumerate(fold.levels.tolist()):
            predicted = prune_at(fold.tree, level).predict_codes(fold.table)
            if fold.tree.task == "regression":
                errors[fold.part, number] = (predicted - truth) ** 2
            else:
                errors[fold.part, number] = predicted != truth if costs is None else costs[truth, predicted]
    unit = _unit(float(errors.max()))
    errors /= unit
    # no matrix products, whose threads may change the order
    weights = 1.0 if table.weights is None else table.weights[:, None]
    return (weights * errors).sum(axis=0), (weights * errors**2).sum(axis=0), unit


def _parts(table: Table, folds: int, random_state: int | None) -> Iterator[NDArray[np.intp]]:
    truth = table.target_values()
    stratified = isinstance(table.schema.target_column, Nominal) and np.bincount(truth).max() >= folds
    splitter = (StratifiedKFold if stratified else KFold)(
        folds, shuffle=True, random_state=SEED if random_state is None else random_state
    )
    import warnings  # noqa: PLC0415 - only here

    with warnings.catch_warnings():
        # A class with fewer rows than folds is in fewer folds, which the caller need not know.
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        for _, part in splitter.split(np.zeros((table.n_rows, 1)), truth if stratified else None):
            yield part


def without_negligible(tree: Tree) -> Tree:
    """Remove splits whose gain is negligible compared with the greatest gain of the nodes that were split before them.

    Nodes are split one after another, the first branch with all nodes below it before the second. For classes a gain is
    the decrease of the impurity times the weight, for numbers the explained fraction of the squared error.

    Parameters
    ----------
    tree : Tree
        A tree with two-way splits whose scores are gains per weight.
    """
    inner = np.flatnonzero(tree.n_children > 0)
    gain = _gains(tree, inner)
    if not len(inner) or gain.min() > NEGLIGIBLE * gain.max():
        return tree
    removed: list[int] = []
    gone = np.zeros(tree.n_nodes, np.bool_)
    greatest = 0.0
    order = np.argsort(tree.first_child[inner], kind="stable")
    for node, gained in zip(inner[order].tolist(), gain[order].tolist(), strict=True):
        children = slice(tree.first_child[node], tree.first_child[node] + tree.n_children[node])
        if gone[node]:
            gone[children] = True
            continue
        greatest = max(greatest, gained)
        if not gained > NEGLIGIBLE * greatest:
            removed.append(node)
            gone[children] = True
    return with_leaves(tree, np.array(removed, np.intp)) if removed else tree


def _gains(tree: Tree, inner: NDArray[np.intp]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = tree.splits.score[tree.split[inner]] * tree.weight[inner]
    if tree.task == "classification":
        return total
    return np.divide(total, tree.error[inner], out=np.zeros_like(total), where=tree.error[inner] > 0)
