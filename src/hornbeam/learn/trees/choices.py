"""Conversion of a recipe to the parameters of the compiled grower.

`ClassFactors` has the weight of a row of each class, by row weights, priors and losses: for choosing splits, and for
errors.

References
----------
L. Breiman, J. H. Friedman, R. A. Olshen, C. J. Stone, *Classification and Regression Trees*, Wadsworth (1984), 4.4.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base import enums
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError
from hornbeam.model.trees.criterion import CRITERIA

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.base.arrays import Floats, Indices
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.criterion import Criterion
    from hornbeam.model.trees.tree import Tree

ALMOST = 1.0 - 1e-12  # tolerance: a rounding error does not prevent a split; pruning decides exactly
MOST_GROUPS = 64  # groups of columns are bits of one number
_NOMINAL = {
    "multiway": enums.MULTIWAY,
    "one-vs-rest": enums.ONE_VS_REST,
    "subset": enums.SUBSET,
    "grouped": enums.GROUPED,
}
_MISSING = {
    "fractional": enums.IN_PIECES,
    "error": enums.IN_PIECES,
    "impute": enums.IN_PIECES,
    "majority": enums.WITH_MOST,
    "default-direction": enums.EITHER_SIDE,
    "own-category": enums.ABOVE,
    "surrogate": enums.BY_SURROGATE,
}


@dataclass(frozen=True)
class ClassFactors:
    """Factors of the classes; 1 if there are no priors and no losses, up to rounding."""

    seen: Indices  # codes of the classes that have rows
    # array, (classes,): the weight of a row of each class when splits are chosen. Criteria without losses use altered
    # priors: the prior of a class times the sum of the costs of its errors.
    splitting: Floats
    # array, (classes,): the weight of a row of each class in errors and probabilities: its prior divided by its
    # proportion of the rows
    predicting: Floats
    # array, (classes, classes), or None: costs, with the true class by row and the prediction by column; None if every
    # error costs 1. A class without rows has a cost so high that it is never predicted.
    loss: Floats | None

    def costs(self) -> Floats | None:
        """The cost of each prediction for a row of each class, including the priors."""
        return None if self.loss is None else self.loss * self.predicting[:, None]

    def expected(self, weights: Floats) -> Floats:
        """The cost of each prediction on nodes with these class weights (nodes by classes), summed class by class."""
        assert self.loss is not None
        total = np.zeros_like(weights)
        for k in range(weights.shape[1]):
            total += self.loss[k] * weights[:, k : k + 1] * self.predicting[k]
        return total


def class_factors(table: Table, recipe: Recipe) -> ClassFactors:
    """The factors for the rows of a table.

    Sums and quotients are computed in a fixed order, since their rounding decides between equally good splits.
    """
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    codes, weights = table.target_values(), table.weights
    counts = np.bincount(codes, weights, minlength=len(target.categories)).astype(np.float64)
    seen = np.flatnonzero(counts)
    splitting, predicting = np.ones(len(counts)), np.ones(len(counts))
    loss = _loss(recipe, len(counts), seen, weighted=weights is not None)
    if not len(seen) or not (recipe.row_by_row or recipe.priors):
        return ClassFactors(seen, splitting, predicting, loss)
    proportions = counts[seen] / (len(codes) if weights is None else np.cumsum(weights)[-1])
    priors = _priors(table, recipe, counts, seen)
    predicting[seen] = priors / proportions
    altered, total = _altered(priors, None if recipe.loss is None else np.asarray(recipe.loss)[np.ix_(seen, seen)])
    if total > 0:
        splitting[seen] = altered / (total * proportions)
    return ClassFactors(seen, splitting, predicting, loss)


def with_smoothed_labels(tree: Tree, factors: ClassFactors) -> Tree:
    """The tree with labels by smoothed probabilities, which may be another class than that of most rows.

    Errors are those of the new labels.
    """
    assert tree.prior is not None
    loss = 1.0 - np.eye(len(tree.prior)) if factors.loss is None else factors.loss
    smoothed = tree.value + tree.pseudo_count * tree.prior
    best = np.argmin(smoothed @ loss, axis=1) if factors.loss is not None else np.argmax(smoothed, axis=1)
    label = np.where(tree.label < 0, -1, best[tree.predicting_node]).astype(np.int32)
    error = np.where(label < 0, tree.error, (tree.value * loss[:, label].T).sum(axis=1))
    return replace(tree, label=label, error=error)


def _loss(recipe: Recipe, n_classes: int, seen: Indices, *, weighted: bool) -> Floats | None:
    if recipe.loss is None and recipe.priors is None and not (recipe.row_by_row and weighted):
        return None
    loss = 1.0 - np.eye(n_classes) if recipe.loss is None else np.array(recipe.loss, np.float64)
    never = np.ones(n_classes, np.bool_)
    never[seen] = False
    loss[:, never] = 1.0 + 2.0 * float(loss.max(initial=0.0))
    return loss


def _priors(table: Table, recipe: Recipe, counts: Floats, seen: Indices) -> Floats:
    """The given priors, or the proportions of the rows, with exact sums of weights."""
    if recipe.priors is not None:
        return np.asarray(recipe.priors, np.float64)[seen]
    if table.weights is None:
        return np.asarray(counts[seen] / counts.sum())
    codes, weights = table.target_values(), table.weights
    sums = [math.fsum(weights[codes == k].tolist()) for k in seen]
    return np.array(sums) / math.fsum(sums)


def _altered(priors: Floats, loss: Floats | None) -> tuple[Floats, float]:
    """Each prior times the sum of the costs of errors on that class, and their total, one term after another."""
    altered, total = [0.0] * len(priors), 0.0
    for k, prior in enumerate(priors.tolist()):
        row = [float(j != k) for j in range(len(priors))] if loss is None else loss[k].tolist()
        for cost in row:
            altered[k] += cost * prior
            total += cost * prior
    return np.array(altered), total


def by_bits(table: Table, recipe: Recipe) -> bool:
    """Whether the exact scan of entropies can be used, which has fewer options than the search by any criterion."""
    return (
        recipe.criterion in {"information-gain", "gain-ratio"}
        and isinstance(table.schema.target_column, Nominal)
        and recipe.numeric == "one-cut"
        and recipe.nominal in {"multiway", "one-vs-rest"}
        and (recipe.missing in {"fractional", "error", "impute"} or not _lacks_numbers(table, recipe))
        and recipe.loss is None
        and recipe.significance is None
        and recipe.min_gain >= 0
        and not (
            recipe.combinations
            or recipe.known_only
            or recipe.boundary_points
            or recipe.monotonic_cst
            or recipe.interactions
        )
        and not (recipe.min_impurity or recipe.min_gain_share or recipe.prune == "cost-complexity")
    )


def _lacks_numbers(table: Table, recipe: Recipe) -> bool:
    """Whether this treatment of missing values needs the search; the scan of entropies supports a nominal category."""
    if recipe.missing != "own-category":
        return True
    ordered = [i for i in table.schema.features if getattr(table.schema.columns[i], "ordered", True)]
    return any(table.missing(i).any() for i in ordered)


def choices(table: Table, recipe: Recipe) -> dict[str, Any]:
    """The fields of the grower's struct Choices."""
    regression = not isinstance(table.schema.target_column, Nominal)
    factors = None if regression else class_factors(table, recipe)
    any_criterion = not by_bits(table, recipe)
    root_impurity, root_error, scale = _at_root(table, recipe)
    return {
        "any_criterion": any_criterion,
        "criterion": CRITERIA[recipe.criterion].number,
        "by_ratio": recipe.criterion == "gain-ratio",
        "average_filter": recipe.average_gain_filter,
        "textbook_gain": recipe.textbook_gain,
        "charge_cuts": recipe.charge_cuts,
        "adaptive_minimum": recipe.adaptive_minimum,
        "count_for_cut": recipe.count_for_cut,
        "nominal": _NOMINAL[recipe.nominal],
        "first_category_free": recipe.first_category_free,
        "max_depth": -1 if recipe.max_depth is None else recipe.max_depth,
        "min_branch": recipe.min_branch,
        "min_node": recipe.min_node,
        "min_gap": recipe.min_gap,
        "min_gain": recipe.min_gain,
        "tolerance": recipe.tolerance,
        "median": regression and recipe.leaf == "median",
        "missing": _MISSING[recipe.missing],
        "known_only": recipe.known_only,
        "most_cuts": recipe.max_cuts if recipe.numeric == "multi-cut" else 1,
        "greedy_cuts": recipe.cuts_by == "greedy",
        "boundary_points": recipe.boundary_points,
        "exhaustive_up_to": recipe.exhaustive_up_to,
        "classes_seen": 0 if regression else len(np.unique(table.target_values())),
        "order_by_target": recipe.order_by_target,
        "row_by_row": recipe.row_by_row,
        "count_rows": recipe.count_rows,
        "count_alike": count_alike(table, recipe),
        "combinations": recipe.combinations,
        **_factors(factors),
        "max_surrogates": recipe.max_surrogates,
        "equal_low": recipe.equal_low,
        "target_scale": scale,
        "min_impurity": recipe.min_impurity,
        "min_error": recipe.cp * root_error * ALMOST if recipe.prune == "cost-complexity" else -1.0,
        "min_decrease": recipe.min_gain_share * root_impurity,
        "log_significance": 0.0 if recipe.significance is None else math.log(recipe.significance),
        "log_merge": math.log(recipe.merge_significance),
        "monotone": np.array(recipe.monotonic_cst, np.int8) if any(recipe.monotonic_cst) else None,
        "groups": _groups(recipe, len(table.schema.features)),
    }


def count_alike(table: Table, recipe: Recipe) -> bool:
    """Whether every row counts once when splits are chosen, for all classes."""
    return table.weights is None and recipe.priors is None and recipe.loss is None


def _factors(factors: ClassFactors | None) -> dict[str, Any]:
    """The number of classes that occur, the weight of a row of each, and the costs of errors."""
    if factors is None:
        return {"first_class": 0, "class_factor": np.zeros(1), "class_number": np.zeros(1), "loss": None}
    numbers = np.zeros(len(factors.splitting))
    numbers[factors.seen] = np.arange(len(factors.seen))
    costs = factors.costs()
    return {
        "first_class": int(factors.seen[0]) if len(factors.seen) else 0,
        "class_factor": factors.splitting,
        "class_number": numbers,
        "loss": None if costs is None else np.ascontiguousarray(costs).ravel(),
    }


def root_error(table: Table, recipe: Recipe) -> float:
    """The loss of all rows with a single prediction."""
    return _at_root(table, recipe)[1]


def _at_root(table: Table, recipe: Recipe) -> tuple[float, float, float]:
    """The loss of all rows by the criterion, and by their prediction; and the spread of a numeric target."""
    target = table.target_values()
    total = float(len(target) if table.weights is None else table.weights.sum())
    criterion = CRITERIA[recipe.criterion]
    if criterion.target == "numbers":
        return _numbers_at_root(criterion, target, table.weights, total, about_median=recipe.leaf == "median")
    weights = table.row_weights
    n_classes = len(table.schema.target_column.categories)  # type: ignore[union-attr]
    counts = np.bincount(target, weights, minlength=n_classes).astype(np.float64)
    factors = class_factors(table, recipe)
    error = float(total - counts.max() if factors.loss is None else factors.expected(counts[None, :]).min())
    if criterion.number == enums.MISCLASSIFICATION:
        return error, error, 0.0
    return (total if criterion.relative else total * criterion.impurity.of(counts)), error, 0.0


def _numbers_at_root(
    criterion: Criterion,
    target: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    total: float,
    *,
    about_median: bool,
) -> tuple[float, float, float]:
    center = float(np.average(target, weights=weights)) if len(target) else 0.0
    squares = error = _squares_about(target, center, weights)
    deviation = math.sqrt(squares / total) if total else 0.0
    middle = center
    if about_median:
        weights = np.ones(len(target)) if weights is None else weights
        middle = _median(target, weights)
        error = _squares_about(target, middle, weights)
    if criterion.number == enums.VARIANCE:
        return squares, error, deviation
    if criterion.number == enums.DEVIATION:
        return total * deviation, error, deviation
    if criterion.number == enums.ABSOLUTE:
        distances = np.abs(target - middle)
        return float((distances if weights is None else weights * distances).sum()), error, deviation
    msg = f"the impurity of all rows by the criterion {criterion.name!r} is not defined"
    raise ValueError(msg)


def _squares_about(target: NDArray[np.float64], center: float, weights: NDArray[np.float64] | None) -> float:
    distances = target - center
    np.square(distances, out=distances)
    return float((distances if weights is None else weights * distances).sum())


def _median(target: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
    order = np.argsort(target, kind="stable")
    reached = np.cumsum(weights[order])
    return float(target[order[np.searchsorted(reached, 0.5 * reached[-1] * (1 - 1e-12))]])


def _groups(recipe: Recipe, n_features: int) -> NDArray[np.uint64] | None:
    """For every feature, its groups as bits; features in no group form an additional group."""
    if not recipe.interactions:
        return None
    groups = [set(group) for group in recipe.interactions]
    rest = set(range(n_features)) - set().union(*groups)
    if rest:
        groups.append(rest)
    if len(groups) > MOST_GROUPS:
        msg = f"{len(groups)} groups of columns are given in interactions; expected at most {MOST_GROUPS}"
        raise LearnError(msg)
    bits = [
        sum(1 << number for number, group in enumerate(groups) if feature in group) for feature in range(n_features)
    ]
    return np.array(bits, np.uint64)
