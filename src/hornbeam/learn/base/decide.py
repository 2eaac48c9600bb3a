"""Thresholds for two classes: the one that follows from costs, and the best one on rows whose class is known.

How a class is chosen by costs or a threshold is in `hornbeam.model.base.decision`, since models do it too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.learn.base.parameters import one_of
from hornbeam.model.base.decision import BINARY, TIE, by_threshold, checked_probabilities, cost_matrix, least_cost

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats

__all__ = ["METRICS", "best_threshold", "by_threshold", "cost_matrix", "least_cost", "threshold_of_costs"]

Metric = Literal["accuracy", "balanced-accuracy", "f1"]
METRICS: tuple[Metric, ...] = ("accuracy", "balanced-accuracy", "f1")
EVEN = 0.5


def threshold_of_costs(costs: ArrayLike, positive: int = 1) -> float:
    """Return the threshold of equal expected costs, with which `by_threshold` predicts as `least_cost`.

    Examples
    --------
    >>> round(threshold_of_costs(cost_matrix({"ill": {"well": 10}}, ["well", "ill"])), 4)
    0.0909
    """
    matrix = np.asarray(costs, np.float64)
    if matrix.shape != (BINARY, BINARY) or positive not in (0, 1):
        msg = f"costs has the shape {matrix.shape}; a threshold is for two classes"
        raise ValueError(msg)
    negative = 1 - positive
    wrongly = float(matrix[negative, positive] - matrix[negative, negative])  # of the other class
    missed = float(matrix[positive, negative] - matrix[positive, positive])
    if wrongly < 0 or missed < 0 or wrongly + missed == 0:
        msg = "a right prediction costs more than a wrong one, or all costs are 0; such costs give no threshold"
        raise ValueError(msg)
    return wrongly / (wrongly + missed)


def best_threshold(
    labels: ArrayLike,
    probabilities: ArrayLike,
    *,
    positive: int = 1,
    weights: ArrayLike | None = None,
    costs: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> tuple[float, float]:
    """Find the best threshold on rows whose class is known.

    Use probabilities of held-out rows, such as those of a cross-validation: on the training rows, probabilities are
    too extreme.

    Parameters
    ----------
    labels : array of class codes
        The truth; rows with -1 are left out.
    probabilities : array, (rows, 2), or (rows,)
        Class probabilities, or the probability of the positive class alone.
    positive : int
        Code of the class that the threshold applies to.
    weights : array, optional
        Row weights.
    costs : array, (2, 2), optional
        As returned by `cost_matrix`: the mean cost is minimized, and `metric` is ignored.
    metric : {"accuracy", "balanced-accuracy", "f1"}
        What is maximized.

    Returns
    -------
    threshold, figure : float
        The threshold, halfway between two probabilities that occur, and the value reached with it. Of several that
        are equally good, the one nearest to 0.5.

    Examples
    --------
    >>> labels, probabilities = [0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.6, 0.9]
    >>> best_threshold(labels, probabilities)
    (0.75, 0.8)
    >>> best_threshold(labels, probabilities, costs=[[0, 1], [5, 0]])
    (0.25, 0.2)
    """
    if positive not in (0, 1):
        msg = f"positive is {positive!r}; expected the code of one of two classes, 0 or 1"
        raise ValueError(msg)
    truth, probability, weight = _known_rows(labels, probabilities, weights, positive)
    one_of("metric", metric, METRICS)
    order = np.argsort(-probability, kind="stable")
    probability, truth, weight = probability[order], truth[order], weight[order]
    # Predicting the positive class for the first i rows is possible with a threshold only if the probabilities differ
    # there.
    ends = np.flatnonzero(np.concatenate([probability[:-1] - probability[1:] > TIE, [True]])) + 1
    right, said = (np.concatenate([[0.0], np.cumsum(part)[ends - 1]]) for part in (weight * truth, weight))
    thresholds = np.concatenate(
        [[(1.0 + probability[0]) / 2], (probability[ends - 1] + np.append(probability[ends[:-1]], 0.0)) / 2]
    )
    if probability[0] > 1 - TIE:  # no threshold is above a probability of 1
        right, said, thresholds = right[1:], said[1:], thresholds[1:]
    all_positive, all_rows = float(weight @ truth), float(weight.sum())
    figures = _figures(right, said, all_positive, all_rows, metric, None if costs is None else _pair(costs, positive))
    best = figures.max() if costs is None else figures.min()
    equal = np.flatnonzero(np.abs(figures - best) <= TIE * max(1.0, abs(float(best))))
    chosen = equal[np.abs(thresholds[equal] - EVEN).argmin()]
    return float(thresholds[chosen]), float(figures[chosen])


def _figures(
    right: Floats, said: Floats, all_positive: float, all_rows: float, metric: Metric, costs: Floats | None
) -> Floats:
    """The metric for each weight `said` predicted as positive, of which `right` is correct."""
    wrongly, missed = said - right, all_positive - right
    left = all_rows - said - missed  # true negatives
    if costs is not None:
        total = left * costs[0, 0] + wrongly * costs[0, 1] + missed * costs[1, 0] + right * costs[1, 1]
        return np.asarray(total / all_rows)
    if metric == "accuracy":
        return np.asarray((right + left) / all_rows)
    if metric == "f1":
        return np.asarray(2 * right / np.maximum(said + all_positive, np.finfo(float).tiny))
    all_negative = all_rows - all_positive
    if all_positive <= 0 or all_negative <= 0:
        msg = "balanced accuracy needs rows of both classes; one of them has none"
        raise ValueError(msg)
    return np.asarray((right / all_positive + left / all_negative) / 2)


def _known_rows(
    labels: ArrayLike, probabilities: ArrayLike, weights: ArrayLike | None, positive: int
) -> tuple[Floats, Floats, Floats]:
    codes, given = np.asarray(labels), np.asarray(probabilities, np.float64)
    probability = checked_probabilities(given)[:, positive] if given.ndim == BINARY else given
    if given.ndim == BINARY and given.shape[1] != BINARY:
        msg = f"the probabilities are of {given.shape[1]} classes; a best threshold is for two"
        raise ValueError(msg)
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    if not codes.shape == probability.shape == weight.shape:
        shapes = f"labels {codes.shape}, probabilities {probability.shape}, weights {weight.shape}"
        msg = f"the shapes differ: {shapes}; expected one of each per row"
        raise ValueError(msg)
    if not np.isin(codes, (-1, 0, 1)).all():
        msg = "the labels have values other than 0, 1 and -1 (unknown); expected the codes of two classes"
        raise ValueError(msg)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        msg = "a weight is negative or not a number"
        raise ValueError(msg)
    known = (codes >= 0) & (weight > 0)
    if not known.any():
        msg = "no row has a known class and a weight; a threshold needs such rows"
        raise ValueError(msg)
    if not np.isfinite(probability[known]).all():
        msg = "a probability is not a number"
        raise ValueError(msg)
    return (codes[known] == positive).astype(np.float64), probability[known], weight[known]


def _pair(costs: ArrayLike, positive: int) -> Floats:
    """Costs of two classes with the positive one second."""
    matrix = cost_matrix(costs, [0, 1])
    return matrix if positive == 1 else matrix[::-1, ::-1]
