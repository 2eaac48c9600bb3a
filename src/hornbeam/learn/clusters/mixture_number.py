"""How many components a mixture has: by rows left out, or by how far the rows bear out each number."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from hornbeam.learn.base.parameters import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

    Floats = NDArray[np.float64]

CHOICES = ("cross-validation", "bayesian")


def best_number(asked: Any, table: Table, by: str, random: np.random.RandomState) -> tuple[int, Floats]:
    """The number of components that is best, and the figures of all that were tried, from 1 on."""
    folds = min(whole("folds", asked.folds, 2), table.n_rows)
    most = whole("max_components", asked.max_components, 1)
    if by == "bayesian":
        if asked.prior != "conjugate" or not asked.pseudo_count > 0:
            msg = (
                f"choose is {by!r}, which weighs what is believed beforehand, and prior is {asked.prior!r} with "
                f"pseudo_count {asked.pseudo_count!r}; expected 'conjugate' and a number above 0"
            )
            raise ValueError(msg)
        figures = _evidence(asked, table, min(most, table.n_rows), random)
    else:
        figures = _left_out(asked, table, folds, most, random)
    return int(np.argmax(figures)) + 1, figures


def _fitted(asked: Any, k: int, seed: int, table: Table) -> Any:
    learner = clone(asked).set_params(n_components=k, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return learner.fit(table)


def _evidence(asked: Any, table: Table, most: int, random: np.random.RandomState) -> Floats:
    """The evidence of every number; a mode of the posterior is there once for every order of the components."""
    seed = int(random.randint(2**31 - 1))
    numbers = np.arange(1, most + 1)
    found = np.array([_fitted(asked, int(k), seed, table).log_evidence_ for k in numbers])
    return np.asarray(found + np.cumsum(np.log(numbers)))


def _left_out(asked: Any, table: Table, folds: int, most: int, random: np.random.RandomState) -> Floats:
    """The mean log-likelihood of rows left out, for one component more as long as it rises."""
    most = min(most, table.n_rows - table.n_rows // max(folds, 1))
    fold = random.permutation(np.arange(table.n_rows) % folds)
    seed = int(random.randint(2**31 - 1))
    found: list[float] = []
    for k in range(1, max(most, 1) + 1):
        total, weight = 0.0, 0.0
        for number in range(folds if table.n_rows > 1 else 0):
            learner = _fitted(asked, k, seed, table.take(fold != number))
            left = table.take(fold == number)
            counts = np.ones(left.n_rows) if left.weights is None else np.asarray(left.weights)
            total += float(counts @ learner.model_.score_samples(left))
            weight += float(counts.sum())
        found.append(total / weight if weight else 0.0)
        if len(found) > 1 and not found[-1] > found[-2]:
            break
    return np.array(found)
