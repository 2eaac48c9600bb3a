"""From a recipe to the numbers that the compiled grower reads."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base import enums
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.trees.class_factors import class_factors
from hornbeam.model.trees.criterion import CRITERIA

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.class_factors import ClassFactors
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.criterion import Criterion

ALMOST = 1.0 - 1e-12  # a node is not left whole for a rounding error: pruning decides that exactly
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


def by_bits(table: Table, recipe: Recipe) -> bool:
    """Whether the exact scan of entropies will do, which knows less than the search by any criterion."""
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
            recipe.combinations or recipe.known_only or recipe.boundary_points or recipe.monotone or recipe.interactions
        )
        and not (recipe.min_impurity or recipe.min_gain_share or recipe.prune == "cost-complexity")
    )


def _lacks_numbers(table: Table, recipe: Recipe) -> bool:
    """Whether missing values are treated as the scan of entropies cannot: it can make nominal ones a category."""
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
        "order_by_answer": recipe.order_by_answer,
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
        "monotone": np.array(recipe.monotone, np.int8) if any(recipe.monotone) else None,
        "groups": _groups(recipe, len(table.schema.features)),
    }


def count_alike(table: Table, recipe: Recipe) -> bool:
    """Whether every row counts once when splits are chosen, whatever its class."""
    return table.weights is None and recipe.priors is None and recipe.loss is None


def _factors(factors: ClassFactors | None) -> dict[str, Any]:
    """Numbers of the classes that occur, what a row of each counts for, and what errors cost."""
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
    """What all rows lose if they are given one prediction."""
    return _at_root(table, recipe)[1]


def _at_root(table: Table, recipe: Recipe) -> tuple[float, float, float]:
    """What all rows have to lose: by the criterion, and by their prediction; and the spread of a number."""
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
    """For every feature, the groups it belongs to as bits; features in no group make one more group together."""
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
