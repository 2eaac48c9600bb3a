"""What ensembles share as estimators: importances, and the scores of out-of-bag predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from hornbeam.learn.base.estimator import TableEstimator

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.forests.forest import Forest


class ForestEstimator(TableEstimator):
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
    feature_importances_ : array
        How much the splits of each feature improved the trees, as fractions that add up to 1.
    """

    model_: Forest
    n_jobs: int | None

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the trees, as fractions that add up to 1."""
        check_is_fitted(self)
        return self.model_.importance()


def accuracy(labels: NDArray[Any], table: Table, known: NDArray[np.bool_]) -> float:
    """The accuracy of labels predicted for some rows of a table; NaN for no rows."""
    weights = None if table.weights is None else table.weights[known]
    return float(np.average(labels == table.target_values()[known], weights=weights)) if len(labels) else float("nan")


def r_squared(predicted: NDArray[np.float64], table: Table, known: NDArray[np.bool_]) -> float:
    """R² of numbers predicted for some rows of a table; NaN for fewer than two rows."""
    weights, truth = None if table.weights is None else table.weights[known], table.target_values()[known]
    return float(r2_score(truth, predicted, sample_weight=weights)) if len(truth) > 1 else float("nan")
