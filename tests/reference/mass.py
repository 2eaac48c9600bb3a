"""How mixed a set of rows is, times its weight, straight from the definitions; and what a leaf of them answers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reference.sample import Pieces, Sample, is_exact, weight_of
from scipy import stats

if TYPE_CHECKING:
    from hornbeam.learn.trees.recipe import Recipe

ENTROPIES = ("information-gain", "gain-ratio")


def x_log_x(x: float) -> float:
    """x times its logarithm to base 2."""
    return x * math.log2(x) if x > 0 else 0.0


def mass(sample: Sample, recipe: Recipe, pieces: Pieces, among: Pieces) -> float:
    """Impurity times weight of some rows; `among` are all the rows that are being divided."""
    weight = weight_of(pieces)
    if weight <= 0:
        return 0.0
    if sample.n_classes == 0:
        return number_mass(sample, recipe.criterion, pieces)
    counts = sample.class_weights(pieces)
    if recipe.criterion in ENTROPIES:
        return x_log_x(weight) - math.fsum(x_log_x(n) for n in counts)
    if recipe.criterion == "gini":
        return weight - math.fsum(n * n for n in counts) / weight
    if recipe.criterion == "misclassification":
        return min(costs(recipe, counts))
    assert recipe.criterion == "chi-square", recipe.criterion
    everything = sample.class_weights(among)
    total = math.fsum(everything)
    return -math.fsum(n * n / (weight * (all_n / total)) for n, all_n in zip(counts, everything, strict=True) if n > 0)


def number_mass(sample: Sample, criterion: str, pieces: Pieces) -> float:
    """Spread of the target times weight."""
    weight = weight_of(pieces)
    if criterion == "absolute-error":
        middle = lower_median(sample, pieces)
        return math.fsum(w * abs(sample.target[row] - middle) for row, w in pieces)
    squares = squared_error(sample, pieces, mean(sample, pieces))
    if criterion == "variance":
        return squares
    assert criterion == "sd-reduction", criterion
    return weight * math.sqrt(squares / weight)


def costs(recipe: Recipe, counts: list[float]) -> list[float]:
    """What it costs to answer each class, where the classes have these weights."""
    if recipe.loss is None:
        return [math.fsum(counts) - n for n in counts]
    return [math.fsum(n * recipe.loss[k][c] for k, n in enumerate(counts)) for c in range(len(counts))]


def impurity(sample: Sample, recipe: Recipe, pieces: Pieces) -> float:
    """Mass by weight; for chi-square gini's."""
    weight = weight_of(pieces)
    if recipe.criterion == "chi-square":
        return 1 - math.fsum((n / weight) ** 2 for n in sample.class_weights(pieces))
    return mass(sample, recipe, pieces, pieces) / weight


def mean(sample: Sample, pieces: Pieces) -> float:
    """Weighted mean of the target."""
    return math.fsum(weight * sample.target[row] for row, weight in pieces) / weight_of(pieces)


def squared_error(sample: Sample, pieces: Pieces, about: float) -> float:
    """Weighted squares of the target about a value."""
    return math.fsum(weight * (sample.target[row] - about) ** 2 for row, weight in pieces)


def medians(sample: Sample, pieces: Pieces) -> list[float]:
    """The least target value with at least half the weight at or below it; several where rounding decides."""
    half = weight_of(pieces) / 2
    leeway = 0.0 if is_exact(pieces) else 1e-9 * half
    possible = []
    for value in sorted({sample.target[row] for row, _ in pieces}):
        up_to = math.fsum(weight for row, weight in pieces if sample.target[row] <= value)
        if up_to >= half - leeway:
            possible.append(value)
        if up_to > half + leeway or (leeway == 0 and possible):
            return possible
    return possible


def lower_median(sample: Sample, pieces: Pieces) -> float:
    """The weighted median; the lower one of two."""
    return medians(sample, pieces)[0]


def answer(sample: Sample, recipe: Recipe, pieces: Pieces) -> float:
    """What monotone limits are about: the number answered, or the share of the second class."""
    if sample.n_classes == 0:
        return lower_median(sample, pieces) if recipe.leaf == "median" else mean(sample, pieces)
    assert sample.n_classes == 2, "monotone limits are for two classes or numbers"
    return sample.class_weights(pieces)[1] / weight_of(pieces)


def chi_square(table: list[list[float]]) -> tuple[float, int]:
    """Pearson's statistic of branches x classes, and its degrees of freedom; empty rows and columns do not count."""
    rows = [row for row in table if sum(row) > 0]
    columns = [k for k in range(len(table[0])) if sum(row[k] for row in rows) > 0]
    total = sum(sum(row) for row in rows)
    statistic = 0.0
    for row in rows:
        for k in columns:
            expected = sum(row) * sum(other[k] for other in rows) / total
            statistic += (row[k] - expected) ** 2 / expected
    return statistic, (len(rows) - 1) * (len(columns) - 1)


def log_p_value(statistic: float, df: int) -> float:
    """Natural logarithm of the probability of a statistic at least so great."""
    return float(stats.chi2.logsf(statistic, df)) if df > 0 and statistic > 0 else 0.0
