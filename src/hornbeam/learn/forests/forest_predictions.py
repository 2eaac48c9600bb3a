"""Shared code of ensembles: importances, and the scores of out-of-bag predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse
from sklearn.metrics import r2_score

from hornbeam.learn.base.parameters import threads
from hornbeam.learn.base.progress import ReportsProgress
from hornbeam.learn.base.several_targets import SeveralTargets

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.base.estimator import TableEstimator
    from hornbeam.model.forests.forest import Forest


class ForestEstimator(ReportsProgress, SeveralTargets):
    """A mixin that goes before `TableClassifier` or `TableRegressor`.

    Parameters
    ----------
    max_depth : int or None
        The greatest depth of a tree.
    max_leaf_nodes : int or None
        The maximum number of leaves of a tree. The leaf whose split gains most is split first.
    min_samples_leaf : float
        Both sides of a split have at least this weight.
    max_bins : int
        The maximum number of bins of a numeric column. A column with no more values than this is binned exactly.

    Attributes
    ----------
    model_ : Forest
    estimators_ : list
        The trees as fitted estimators.
    feature_importances_ : array
        How much the splits of each feature improved the trees, as fractions that add up to 1.
    """

    model_: Forest
    n_jobs: int | None

    @property
    def estimators_(self) -> list[Any]:
        """The trees as fitted estimators, usable on their own; those of boosting predict what they add to a score."""
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - not needed to learn
        from hornbeam.learn.trees.tree_regressor import TreeRegressor  # noqa: PLC0415 - not needed to learn

        self._check_fitted()
        trees = map(self.model_.tree, range(self.model_.n_trees))
        return [
            member(TreeClassifier if tree.task == "classification" else TreeRegressor, tree, self) for tree in trees
        ]

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The leaf that each row ends in, in every tree.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        array of shape (rows, trees)
            Numbers of nodes of each tree, as its `apply` gives them.
        """
        table = self._table(X)
        leaves = self.model_.apply(table, threads(self.n_jobs)) - np.asarray(self.model_.roots[:-1])
        return leaves.astype(np.int32)

    def decision_path(self, X: Any) -> tuple[sparse.csr_matrix, NDArray[np.int64]]:
        """The nodes that each row passes through, in all trees.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)

        Returns
        -------
        indicator : sparse matrix of shape (rows, nodes)
            1 where the row passes through the node; the nodes of all trees, one tree after another.
        n_nodes_ptr : array of shape (trees + 1,)
            The columns of tree i are those from ``n_nodes_ptr[i]`` to ``n_nodes_ptr[i + 1]``.
        """
        from hornbeam.learn.trees.tree_learner import visited  # noqa: PLC0415 - not needed to learn

        table = self._table(X)
        paths = [visited(self.model_.tree(number), table) for number in range(self.model_.n_trees)]
        return sparse.csr_matrix(sparse.hstack(paths)), np.asarray(self.model_.roots, np.int64)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the trees, as fractions that add up to 1."""
        self._check_fitted()
        return self.model_.importance()


def member(learner: type[TableEstimator], model: Any, whole: Any, **parameters: Any) -> Any:
    """A fitted estimator that predicts with one model of an ensemble.

    Parameters
    ----------
    learner : type
        The class of the estimator.
    model : model
        One of the models.
    whole : estimator
        The ensemble, from which it takes the classes, and whether features have names.
    **parameters
        Parameters of the estimator.
    """
    made: Any = learner.from_model(model, **parameters)
    if model.task == "classification":
        made.classes_ = whole.classes_
    if not hasattr(whole, "feature_names_in_"):
        del made.feature_names_in_
    return made


def accuracy(labels: NDArray[Any], table: Table, known: NDArray[np.bool_]) -> float:
    """The accuracy of labels predicted for some rows of a table; NaN for no rows."""
    weights = None if table.weights is None else table.weights[known]
    return float(np.average(labels == table.target_values()[known], weights=weights)) if len(labels) else float("nan")


def r_squared(predicted: NDArray[np.float64], table: Table, known: NDArray[np.bool_]) -> float:
    """R² of numbers predicted for some rows of a table; NaN for fewer than two rows."""
    weights, truth = None if table.weights is None else table.weights[known], table.target_values()[known]
    return float(r2_score(truth, predicted, sample_weight=weights)) if len(truth) > 1 else float("nan")
