"""From class shares to answers where errors differ in cost: least expected cost, or a threshold on one class.

Pure functions over the shares that any classifier gives; the model itself stays as it was learned. Costs are a matrix
like a confusion matrix: the true class by row, the answer by column.

References
----------
C. Elkan, The foundations of cost-sensitive learning, *IJCAI* (2001) 973-978.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.parameters import one_of
from hornbeam.model.base.decision import decision_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

Metric = Literal["accuracy", "balanced-accuracy", "f1"]
METRICS: tuple[Metric, ...] = ("accuracy", "balanced-accuracy", "f1")
TIE = 1e-9  # shares, and costs relative to the greatest, that are this near are the same
BINARY = 2
EVEN = 0.5
DECISIONS = ("costs", "decision_threshold")  # parameters that decide which class a row gets


def cost_matrix(costs: Any, classes: Sequence[Any]) -> NDArray[np.float64]:
    """Check what errors cost, and give it as a matrix.

    Parameters
    ----------
    costs : mapping or array
        ``{true class: {answer: cost}}``, where a pair that is not named costs 1, and a right answer nothing; or a
        matrix in the order of the classes, the true class by row and the answer by column.
    classes : sequence
        The classes, in order; a mapping may name them as they are or as texts.

    Returns
    -------
    array of float64, (classes, classes)
        Finite, at least 0.

    Examples
    --------
    >>> cost_matrix({"ill": {"well": 10}}, ["ill", "well"])
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    count = len(classes)
    if isinstance(costs, Mapping):
        return _from_mapping(costs, classes)
    try:
        matrix = np.array(costs, np.float64)
    except (TypeError, ValueError):
        msg = f"costs is {costs!r}; expected {{true class: {{answer: cost}}}} or a matrix of numbers"
        raise ValueError(msg) from None
    if matrix.shape != (count, count):
        msg = f"costs has the shape {matrix.shape}; expected {count} rows and {count} columns, one for each class"
        raise ValueError(msg)
    for true, answer in np.argwhere(~(np.isfinite(matrix) & (matrix >= 0))):
        _refuse_cost(classes[true], classes[answer], matrix[true, answer])
    return matrix


def _from_mapping(costs: Mapping[Any, Any], classes: Sequence[Any]) -> NDArray[np.float64]:
    place = {str(name): code for code, name in enumerate(classes)}
    matrix = 1.0 - np.eye(len(classes))
    for true, row in costs.items():
        if not isinstance(row, Mapping):
            msg = f"costs of the class {true!r} are {row!r}; expected {{answer: cost}}"
            raise ValueError(msg)  # noqa: TRY004 - what scikit-learn asks of a wrong parameter
        for answer, cost in row.items():
            for name in (true, answer):
                if str(name) not in place:
                    msg = f"costs name the class {name!r}; the classes are {', '.join(map(repr, place))}"
                    raise ValueError(msg)
            if not isinstance(cost, numbers.Real) or isinstance(cost, bool) or not 0 <= float(cost) < math.inf:
                _refuse_cost(true, answer, cost)
            matrix[place[str(true)], place[str(answer)]] = float(cost)
    return matrix


def _refuse_cost(true: Any, answer: Any, cost: Any) -> None:
    msg = f"the cost of answering {str(answer)!r} for {str(true)!r} is {cost}; expected a number of at least 0"
    raise ValueError(msg)


def least_cost(shares: ArrayLike, costs: ArrayLike, with_rows: ArrayLike | None = None) -> NDArray[np.int32]:
    """Give each row the class of least expected cost.

    Parameters
    ----------
    shares : array, (rows, classes)
        Class shares, as `predict_proba` gives them.
    costs : array, (classes, classes)
        As `cost_matrix` gives them.
    with_rows : array of bool, (classes,), optional
        Which classes had training rows; the others are never predicted.

    Returns
    -------
    array of int32
        Class codes; the first class on a tie.

    Examples
    --------
    >>> least_cost([[0.2, 0.8], [0.05, 0.95]], cost_matrix({"ill": {"well": 10}}, ["ill", "well"]))
    array([0, 1], dtype=int32)
    """
    given, matrix = _shares(shares), np.asarray(costs, np.float64)
    if matrix.shape != (given.shape[1], given.shape[1]):
        msg = f"costs has the shape {matrix.shape}; the shares are of {given.shape[1]} classes"
        raise ValueError(msg)
    expected = given @ matrix
    expected[:, ~_possible(with_rows, given.shape[1])] = np.inf
    slack = TIE * float(np.abs(matrix).max(initial=0.0))
    near = expected <= expected.min(axis=1, keepdims=True) + slack
    return np.asarray(near.argmax(axis=1), np.int32)


def by_threshold(
    shares: ArrayLike, positive: int, threshold: float, with_rows: ArrayLike | None = None
) -> NDArray[np.int32]:
    """Answer with one class wherever its share is at least a threshold, and with the best of the others elsewhere.

    Parameters
    ----------
    shares : array, (rows, classes)
        Class shares, as `predict_proba` gives them.
    positive : int
        Code of the class that the threshold is about.
    threshold : float
        From 0 (always answer with it) to 1 (only where nothing speaks against it).
    with_rows : array of bool, (classes,), optional
        Which classes had training rows; the others are never predicted.

    Returns
    -------
    array of int32
        Class codes; among the others, the first on a tie.

    Examples
    --------
    >>> by_threshold([[0.7, 0.3], [0.8, 0.2]], positive=1, threshold=0.3)
    array([1, 0], dtype=int32)
    """
    given = _shares(shares)
    n_classes = given.shape[1]
    if not isinstance(positive, numbers.Integral) or not 0 <= positive < n_classes or n_classes < BINARY:
        msg = f"positive is {positive!r}; expected the code of one of {n_classes} classes, two at least"
        raise ValueError(msg)
    if not isinstance(threshold, numbers.Real) or not 0 <= threshold <= 1:
        msg = f"threshold is {threshold!r}; expected a number from 0 to 1"
        raise ValueError(msg)
    possible = _possible(with_rows, n_classes)
    others = given.copy()
    others[:, ~possible] = -1.0
    others[:, positive] = -1.0
    if not possible[positive]:
        threshold = np.inf
    elif possible.sum() == 1:
        threshold = 0.0
    best = (others >= others.max(axis=1, keepdims=True) - TIE).argmax(axis=1)
    return np.where(given[:, positive] >= threshold - TIE, positive, best).astype(np.int32)


def decided(model: Any, table: Table, parameters: Mapping[str, Any]) -> NDArray[Any]:
    """Give a model's answers, decided by the costs or the threshold that it was learned with.

    Parameters
    ----------
    model : model
        With a target.
    table : Table
        Rows to be predicted.
    parameters : mapping
        Of the estimator that learned the model, such as a model file keeps them; others than costs and threshold are
        passed over.

    Returns
    -------
    array
        Class codes (-1: no answer), or numbers.
    """
    target = model.schema.target_column
    if not isinstance(target, Nominal) or all(parameters.get(name) is None for name in DECISIONS):
        answers: NDArray[Any] = model.predict(table)
        return answers
    shares = model.predict_proba(table)
    decision = decision_of(model)
    with_rows = None if decision is None else decision.with_rows
    if parameters.get("costs") is not None:
        return least_cost(shares, cost_matrix(parameters["costs"], target.categories), with_rows)
    return by_threshold(shares, 1, parameters["decision_threshold"], with_rows)


def threshold_of_costs(costs: ArrayLike, positive: int = 1) -> float:
    """Give the threshold at which two classes cost the same, so that `by_threshold` answers as `least_cost`.

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
    wrongly = float(matrix[negative, positive] - matrix[negative, negative])  # said of the other class
    missed = float(matrix[positive, negative] - matrix[positive, positive])
    if wrongly < 0 or missed < 0 or wrongly + missed == 0:
        msg = "a right answer costs more than a wrong one, or nothing costs anything: no threshold decides that"
        raise ValueError(msg)
    return wrongly / (wrongly + missed)


def best_threshold(
    labels: ArrayLike,
    shares: ArrayLike,
    *,
    positive: int = 1,
    weights: ArrayLike | None = None,
    costs: ArrayLike | None = None,
    metric: Metric = "accuracy",
) -> tuple[float, float]:
    """Find the threshold that serves best on rows whose class is known.

    Give it shares of rows that the model has not seen, such as those of a cross-validation: on the rows it was learned
    from, shares are too sure of themselves.

    Parameters
    ----------
    labels : array of class codes
        The truth; rows with -1 are left out.
    shares : array, (rows, 2), or (rows,)
        Class shares, or those of the positive class alone.
    positive : int
        Code of the class that the threshold is about.
    weights : array, optional
        Row weights.
    costs : array, (2, 2), optional
        As `cost_matrix` gives them: the mean cost is made least, and `metric` is not looked at.
    metric : {"accuracy", "balanced-accuracy", "f1"}
        What is made greatest.

    Returns
    -------
    threshold, figure : float
        The threshold, in the middle between two shares that occur, and the figure reached with it. Where several do
        equally well, the one nearest to 0.5.

    Examples
    --------
    >>> labels, shares = [0, 0, 1, 0, 1], [0.1, 0.2, 0.3, 0.6, 0.9]
    >>> best_threshold(labels, shares)
    (0.75, 0.8)
    >>> best_threshold(labels, shares, costs=[[0, 1], [5, 0]])
    (0.25, 0.2)
    """
    if positive not in (0, 1):
        msg = f"positive is {positive!r}; expected the code of one of two classes, 0 or 1"
        raise ValueError(msg)
    truth, share, weight = _known_rows(labels, shares, weights, positive)
    one_of("metric", metric, METRICS)
    order = np.argsort(-share, kind="stable")
    share, truth, weight = share[order], truth[order], weight[order]
    # Answering the first i rows with the positive class is a threshold only where the shares differ there.
    ends = np.flatnonzero(np.concatenate([share[:-1] - share[1:] > TIE, [True]])) + 1
    right, said = (np.concatenate([[0.0], np.cumsum(part)[ends - 1]]) for part in (weight * truth, weight))
    thresholds = np.concatenate([[(1.0 + share[0]) / 2], (share[ends - 1] + np.append(share[ends[:-1]], 0.0)) / 2])
    if share[0] > 1 - TIE:  # no threshold is above a share of 1
        right, said, thresholds = right[1:], said[1:], thresholds[1:]
    all_positive, all_rows = float(weight @ truth), float(weight.sum())
    figures = _figures(right, said, all_positive, all_rows, metric, None if costs is None else _pair(costs, positive))
    best = figures.max() if costs is None else figures.min()
    equal = np.flatnonzero(np.abs(figures - best) <= TIE * max(1.0, abs(float(best))))
    chosen = equal[np.abs(thresholds[equal] - EVEN).argmin()]
    return float(thresholds[chosen]), float(figures[chosen])


def _figures(
    right: NDArray[np.float64],
    said: NDArray[np.float64],
    all_positive: float,
    all_rows: float,
    metric: Metric,
    costs: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The figure for each weight `said` to be of the positive class, of which `right` is."""
    wrongly, missed = said - right, all_positive - right
    left = all_rows - said - missed  # rightly not said
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
    labels: ArrayLike, shares: ArrayLike, weights: ArrayLike | None, positive: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    codes, given = np.asarray(labels), np.asarray(shares, np.float64)
    share = _shares(given)[:, positive] if given.ndim == BINARY else given
    if given.ndim == BINARY and given.shape[1] != BINARY:
        msg = f"the shares are of {given.shape[1]} classes; a best threshold is for two"
        raise ValueError(msg)
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    if not codes.shape == share.shape == weight.shape:
        msg = f"{codes.shape} labels, {share.shape} shares and {weight.shape} weights; expected one of each a row"
        raise ValueError(msg)
    if not np.isin(codes, (-1, 0, 1)).all():
        msg = "the labels hold something else than 0, 1 and -1 (unknown); expected the codes of two classes"
        raise ValueError(msg)
    if not (np.isfinite(weight).all() and (weight >= 0).all()):
        msg = "a weight is negative or not a number"
        raise ValueError(msg)
    known = (codes >= 0) & (weight > 0)
    if not known.any():
        msg = "no row has a known class and a weight: nothing to choose a threshold by"
        raise ValueError(msg)
    if not np.isfinite(share[known]).all():
        msg = "a share is not a number"
        raise ValueError(msg)
    return (codes[known] == positive).astype(np.float64), share[known], weight[known]


def _pair(costs: ArrayLike, positive: int) -> NDArray[np.float64]:
    """Costs of two classes with the positive one second."""
    matrix = cost_matrix(costs, [0, 1])
    return matrix if positive == 1 else matrix[::-1, ::-1]


def _possible(with_rows: ArrayLike | None, n_classes: int) -> NDArray[np.bool_]:
    """Which classes may be predicted: those with rows, or all where that is not known."""
    if with_rows is None:
        return np.ones(n_classes, np.bool_)
    possible = np.asarray(with_rows, np.bool_)
    if possible.shape != (n_classes,) or not possible.any():
        msg = f"with_rows is {with_rows!r}; expected true or false for each of {n_classes} classes, one true at least"
        raise ValueError(msg)
    return possible


def _shares(shares: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(shares, np.float64)
    if given.ndim != BINARY or given.shape[1] == 0:
        msg = f"shares has the shape {given.shape}; expected a row for each row and a column for each class"
        raise ValueError(msg)
    return given
