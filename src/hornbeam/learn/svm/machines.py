"""Machines for every pair of classes, and the chances of each pair, from rows that a machine did not learn from."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from hornbeam.core.svm.predict import Vectors
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.learn.base.sparse_input import sparse_take
from hornbeam.learn.svm.problem import solve
from hornbeam.learn.svm.sigmoid import fit_sigmoid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.learn.svm.learner import Training
    from hornbeam.learn.svm.problem import Settings, Solution

    Floats = NDArray[np.float64]

FOLDS = 5


def present_classes(training: Training) -> list[int]:
    """The codes of the classes that some row has.

    Raises
    ------
    ValueError
        Where there are fewer than two.
    """
    classes: list[int] = np.unique(training.target).tolist()
    if len(classes) < 2:  # noqa: PLR2004 - a margin lies between two
        name = training.schema.target_column.categories[classes[0]]  # type: ignore[union-attr]
        msg = f"the rows are of one class, {name!r}; a margin needs at least two"
        raise ValueError(msg)
    return classes


class Pairs:
    """All pairs of classes of one set of rows.

    Parameters
    ----------
    training : Training
    settings : Settings
    C : float
    starts : list of arrays, optional
        Coefficients to begin with, one array a pair.
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

    def rows(self, pair: int) -> NDArray[np.int64]:
        """The rows of the two classes of a pair."""
        first, second = self.pairs[pair]
        return np.flatnonzero((self.training.target == first) | (self.training.target == second))

    def solve(self) -> list[Solution]:
        """The machine of every pair."""
        found = in_order_of_arrival(self._solve_pair, len(self.pairs), self.side_by_side)
        return [found[pair] for pair in range(len(self.pairs))]

    def _solve_pair(self, pair: int) -> Solution:
        rows = self.rows(pair)
        start = None if self.starts is None or len(self.starts[pair]) != len(rows) else self.starts[pair]
        return self._solve_rows(pair, rows, start)

    def _solve_rows(self, pair: int, rows: NDArray[np.int64], start: Floats | None = None) -> Solution:
        second = self.training.target[rows] == self.pairs[pair, 1]
        limit = self.C * self.training.weights[rows]
        bounds = np.where(second, 0.0, -limit), np.where(second, limit, 0.0)
        points = self.training.take(rows, given=self.settings.kernel.name == "precomputed")
        return solve(points, np.where(second, 1.0, -1.0), bounds, self.settings, start=start)

    def slopes(self, seed: int) -> Floats:
        """A and b of every pair's chance, from folds whose rows the machine did not learn from."""
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

    def _said(self, learned: NDArray[np.int64], solution: Solution, asked: NDArray[np.int64]) -> Floats:
        training, kernel = self.training, self.settings.kernel
        used = solution.coefficients != 0
        coefficients = np.ascontiguousarray(solution.coefficients[used])
        if kernel.name == "precomputed":
            given: Floats = training.points[np.ix_(asked, learned[used])]
            return np.asarray(given @ coefficients + solution.intercept)
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

    def joined(self, solutions: list[Solution]) -> tuple[NDArray[np.int64], Floats, NDArray[np.int64]]:
        """Rows that any machine needs, class after class; coefficients (machines, rows); the runs of each machine."""
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
