"""Machines for all pairs of classes with their probabilities, and planes for very many rows or columns.

The probabilities of a pair come from a sigmoid fitted to decision values of rows that the machine was not trained on:
J. Platt, Probabilistic outputs for support vector machines (1999), with the targets and the damped Newton steps of
H.-T. Lin, C.-J. Lin and R. C. Weng, A note on Platt's probabilistic outputs (2007). Planes separate one class from all
others, by dual coordinate descent.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from hornbeam.core.svm.plane import Plane
from hornbeam.core.svm.predict import Vectors
from hornbeam.data.errors import warn
from hornbeam.learn.base.in_threads import Progress, in_order_of_arrival
from hornbeam.learn.base.sparse_input import sparse_take
from hornbeam.learn.svm.problem import solve
from hornbeam.model.svm.check import REST
from hornbeam.model.svm.coupling import sigmoid
from hornbeam.model.svm.svm import SVM

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Ints64
    from hornbeam.learn.svm.learner import Training
    from hornbeam.learn.svm.problem import Settings, Solution


FOLDS = 5
MOST_ROUNDS = 100
DAMPING = 1e-12
NEAR = 1e-5
SHORTEST = 1e-10
MOST_PASSES = 1000


def present_classes(training: Training) -> list[int]:
    """The codes of the classes that occur.

    Raises
    ------
    ValueError
        If there are fewer than two.
    """
    classes: list[int] = np.unique(training.target).tolist()
    if len(classes) < 2:  # noqa: PLR2004 - a margin lies between two
        name = training.schema.target_column.categories[classes[0]]  # type: ignore[union-attr]
        msg = f"all rows have one class, {name!r}; expected at least two classes"
        raise ValueError(msg)
    return classes


class Pairs:
    """The problems of all pairs of classes.

    Parameters
    ----------
    training : Training
    settings : Settings
    C : float
    starts : list of arrays, optional
        Starting coefficients, one array per pair.
    """

    def __init__(self, training: Training, settings: Settings, C: float, starts: list[Floats] | None) -> None:
        self.training = training
        self.settings = settings
        self.C = C
        self.pairs = np.array(list(combinations(present_classes(training), 2)), np.int32)
        self.starts = starts if starts is not None and len(starts) == len(self.pairs) else None
        side_by_side = min(settings.n_threads, len(self.pairs))
        self.side_by_side = side_by_side if len(self.pairs) > 1 else 1
        if self.side_by_side > 1:
            share = settings.cache_bytes // self.side_by_side
            self.settings = replace(settings, n_threads=1, cache_bytes=share)

    def rows(self, pair: int) -> Ints64:
        """The rows of the two classes of a pair."""
        first, second = self.pairs[pair]
        return np.flatnonzero((self.training.target == first) | (self.training.target == second))

    def solve(self, progress: Progress | None = None) -> list[Solution]:
        """The machine of every pair; `progress` is called after each."""
        found = in_order_of_arrival(self._solve_pair, len(self.pairs), self.side_by_side, progress)
        return [found[pair] for pair in range(len(self.pairs))]

    def _solve_pair(self, pair: int) -> Solution:
        rows = self.rows(pair)
        start = None if self.starts is None or len(self.starts[pair]) != len(rows) else self.starts[pair]
        return self._solve_rows(pair, rows, start)

    def _solve_rows(self, pair: int, rows: Ints64, start: Floats | None = None) -> Solution:
        second = self.training.target[rows] == self.pairs[pair, 1]
        limit = self.C * self.training.weights[rows]
        bounds = np.where(second, 0.0, -limit), np.where(second, limit, 0.0)
        points = self.training.take(rows, given=self.settings.kernel.name == "precomputed")
        return solve(points, np.where(second, 1.0, -1.0), bounds, self.settings, start=start)

    def slopes(self, seed: int) -> Floats:
        """The sigmoid parameters a and b of every pair, fitted in cross-validation."""
        found = in_order_of_arrival(lambda pair: self._slope(pair, seed), len(self.pairs), self.side_by_side)
        return np.array([found[pair] for pair in range(len(self.pairs))])

    def _slope(self, pair: int, seed: int) -> tuple[float, float]:
        rows = self.rows(pair)
        second = self.training.target[rows] == self.pairs[pair, 1]
        values = np.empty(len(rows))
        folds = min(FOLDS, int(second.sum()), int((~second).sum()))
        if folds < 2:  # noqa: PLR2004 - a class of one row: nothing can be held out
            parts: Any = [(np.arange(len(rows)), np.arange(len(rows)))]
        else:
            parts = StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, second)
        for learn, held_out in parts:
            solution = self._solve_rows(pair, rows[learn])
            values[held_out] = self._said(rows[learn], solution, rows[held_out])
        return fit_sigmoid(values, second, self.training.weights[rows])

    def _said(self, learned: Ints64, solution: Solution, asked: Ints64) -> Floats:
        training, kernel = self.training, self.settings.kernel
        used = solution.coefficients != 0
        coefficients = np.ascontiguousarray(solution.coefficients[used])
        if kernel.name == "precomputed":
            given: Floats = training.points[np.ix_(asked, learned[used])]
            return np.asarray((given * coefficients).sum(axis=1) + solution.intercept)
        part: Any = sparse_take if training.is_sparse else lambda points, rows: np.ascontiguousarray(points[rows])
        out = np.empty((len(asked), 1))
        Vectors(part(training.points, learned[used]), kernel.choices).weigh(
            part(training.points, asked),
            coefficients[np.newaxis],
            np.array([[0, len(coefficients), 0, 0]], np.int64),
            np.array([solution.intercept]),
            0,
            len(asked),
            out,
        )
        return out[:, 0]

    def joined(self, solutions: list[Solution]) -> tuple[Ints64, Floats, Ints64]:
        """Rows that any machine uses, by class; coefficients (machines, rows); the ranges of rows of each machine."""
        training = self.training
        needed = np.zeros(len(training.target), bool)
        for pair, solution in enumerate(solutions):
            needed[self.rows(pair)[solution.coefficients != 0]] = True
        vectors = np.flatnonzero(needed)
        vectors = vectors[np.argsort(training.target[vectors], kind="stable")]
        place = np.full(len(training.target), -1)
        place[vectors] = np.arange(len(vectors))
        labels = training.target[vectors]
        coefficients = np.zeros((len(solutions), len(vectors)))
        runs = np.empty((len(solutions), 4), np.int64)
        for pair, solution in enumerate(solutions):
            used = solution.coefficients != 0
            coefficients[pair, place[self.rows(pair)[used]]] = solution.coefficients[used]
            for side, code in enumerate(self.pairs[pair]):
                runs[pair, 2 * side : 2 * side + 2] = np.searchsorted(labels, [code, code + 1])
        return vectors, coefficients, runs


def fit_sigmoid(values: Floats, second: Bools, weights: Floats | None = None) -> tuple[float, float]:
    """Fit a and b of the probability 1 / (1 + exp(a v + b)) of the second class.

    Parameters
    ----------
    values : array
        Decision values of held-out rows.
    second : array of bool
        Which rows are of the second class.
    weights : array, optional
        Weights of the rows.

    Returns
    -------
    a, b : float
    """
    held = np.ones(len(values)) if weights is None else weights
    many, few = float(held[second].sum()), float(held[~second].sum())
    aim = np.where(second, (many + 1) / (many + 2), 1 / (few + 2))  # not 1 and 0, which would be overconfident
    a, b = 0.0, float(np.log((few + 1) / (many + 1)))
    loss = _loss(values, aim, held, a, b)
    for _ in range(MOST_ROUNDS):
        p = sigmoid(values[:, np.newaxis], np.array([[a, b]]))[:, 0]
        off, curve = held * (aim - p), held * p * (1 - p)
        ga, gb = float(np.sum(values * off)), float(off.sum())
        if max(abs(ga), abs(gb)) < NEAR:
            break
        haa, hab = float(np.sum(values**2 * curve)) + DAMPING, float(np.sum(values * curve))
        hbb = float(curve.sum()) + DAMPING
        size = haa * hbb - hab * hab
        if not size > 0:  # the divisor is zero up to rounding
            break
        da, db = -(hbb * ga - hab * gb) / size, -(haa * gb - hab * ga) / size
        slope, step = ga * da + gb * db, 1.0
        while step >= SHORTEST:
            new = _loss(values, aim, held, a + step * da, b + step * db)
            if new < loss + 1e-4 * step * slope:
                break
            step /= 2
        if step < SHORTEST:
            break
        a, b, loss = a + step * da, b + step * db, new
    return a, b


def _loss(values: Floats, aim: Floats, held: Floats, a: float, b: float) -> float:
    """The negative log-likelihood: the sum of aim z + log(1 + exp(-z))."""
    z = values * a + b
    return float(np.sum(held * (aim * z + np.where(z >= 0, 0.0, -z) + np.log1p(np.exp(-np.abs(z))))))


def learn_planes(
    training: Training, settings: Settings, C: float, squared: bool, seed: int, recipe: dict[str, Any]
) -> tuple[SVM, Ints64]:
    """Fit a plane for every class against all others, or one for two classes.

    Returns
    -------
    model : SVM
        With weights, without support vectors.
    passes : array
        The number of passes over the rows for every plane.
    """
    classes = present_classes(training)
    rows = Plane(training.points)
    wide = training.points[3] if training.is_sparse else training.points.shape[1]
    two = len(classes) == 2  # noqa: PLR2004 - one plane serves both
    pairs = [tuple(classes)] if two else [(REST, code) for code in classes]
    limit = np.minimum(C * training.weights, np.finfo(np.float64).max)
    most = settings.max_iter if settings.max_iter >= 0 else MOST_PASSES

    def find(machine: int) -> tuple[Floats, int, float]:
        sign = np.where(training.target == pairs[machine][1], 1.0, -1.0)
        plane = np.zeros(wide + 1)
        found = rows.find(sign, limit, squared, settings.tol, most, seed, np.zeros(len(sign)), plane)
        return plane, *found

    found = in_order_of_arrival(find, len(pairs), min(settings.n_threads, len(pairs)))
    planes = np.array([found[machine][0] for machine in range(len(pairs))])
    passes = np.array([found[machine][1] for machine in range(len(pairs))])
    spread = max(each[2] for each in found.values())
    if spread > settings.tol:
        msg = (
            f"stopped after {int(passes.max())} passes with gradients {spread:.3g} apart (tol={settings.tol:g}); the "
            "best so far is kept. Raise max_iter, scale the columns, or lower C"
        )
        warn(msg, ConvergenceWarning)
    model = SVM(
        training.schema,
        settings.kernel,
        np.empty((len(pairs), 0)),
        np.ascontiguousarray(planes[:, -1]),
        np.empty(0),
        np.array(pairs, np.int32),
        np.zeros((len(pairs), 4), np.int64),
        axes=training.axes,
        weights=np.ascontiguousarray(planes[:, :-1]),
        recipe={**recipe, "solver": "planes", "loss": "squared_hinge" if squared else "hinge"},
    )
    return model, passes
