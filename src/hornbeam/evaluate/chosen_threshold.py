"""Critical-value pruning whose threshold nobody gave: it is chosen on rows held out of the training part.

Other ways of pruning choose their strength themselves, or need none. In a comparison this one has to choose it as
honestly: J. Mingers, *Expert systems - rule induction with statistical data* (1987), takes from the trees of all
critical values the one that does best on other rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from hornbeam.data.schema import Nominal
from hornbeam.learn.base.shown import ShownByModel
from hornbeam.learn.trees import prune
from hornbeam.learn.trees.tree_learner import held_out

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

HELD_OUT = 3  # one part in so many, as reduced-error pruning has it
MOST_TREES = 50  # of the path that are tried, evenly along it


class ChosenThreshold(ShownByModel, BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Learns with the `prune_threshold` that does best on held-out rows of what it is given.

    Parameters
    ----------
    estimator : TreeClassifier or TreeRegressor
        With ``prune="critical-value"``.
    random_state : int or None
        Seed of what is held out.

    Attributes
    ----------
    prune_threshold_ : float
        The threshold chosen.
    model_ : Tree
        Learned from all rows, with that threshold.
    """

    def __init__(self, estimator: Any, random_state: int | None = None) -> None:  # noqa: ANN401 - any tree estimator
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, table: Table) -> Self:
        """Choose the threshold, and learn with it."""
        if table.n_rows < HELD_OUT:
            need = "critical-value pruning without a threshold needs more rows"
            msg = f"{table.n_rows} rows cannot be held out in {HELD_OUT} parts; {need}"
            raise ValueError(msg)
        growing, rest = held_out(table, HELD_OUT, self.random_state)
        grown: Tree = clone(self.estimator).set_params(prune=None).fit(table.take(growing)).model_
        path = prune.critical_value(grown, threshold=0.0)
        tried = np.unique(np.linspace(0, len(path) - 1, min(len(path), MOST_TREES)).astype(int))
        other = table.take(rest)
        errors = np.array([_error(path.trees[step], other) for step in tried.tolist()])
        # The smallest of the best; its threshold is half way to that of the next smaller tree.
        best = int(tried[np.flatnonzero(errors == errors.min())[-1]])
        self.prune_threshold_ = _between(path.strength, best)
        self.learner_ = clone(self.estimator).set_params(prune_threshold=self.prune_threshold_).fit(table)
        self.model_ = self.learner_.model_
        if hasattr(self.learner_, "predict_proba"):
            self.predict_proba, self.classes_ = self.learner_.predict_proba, self.learner_.classes_
        return self

    def predict(self, table: Table) -> NDArray[Any]:
        """Answer as the estimator learned with the threshold chosen."""
        answers: NDArray[Any] = self.learner_.predict(table)
        return answers


def _error(tree: Tree, table: Table) -> float:
    """Share of the weight misclassified, or mean squared error."""
    answers, truth = tree.predict(table), table.target_values()
    wrong = answers != truth if isinstance(table.schema.target_column, Nominal) else (answers - truth) ** 2
    return float(np.average(wrong, weights=table.weights))


def _between(strength: NDArray[np.float64], step: int) -> float:
    """A threshold that gives this step of the path: above its own strength, and not above the next step's."""
    if step + 1 == len(strength):
        return float(np.nextafter(strength[step], np.inf)) if step else 0.0
    following = float(strength[step + 1])
    return following if step == 0 else (float(strength[step]) + following) / 2
