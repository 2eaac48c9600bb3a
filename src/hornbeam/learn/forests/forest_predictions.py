"""What estimators that learn a Forest share: importances."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sklearn.utils.validation import check_is_fitted

from hornbeam.learn.base.estimator import TableEstimator

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest


class ForestEstimator(TableEstimator):
    """A mixin that goes before `TableClassifier` or `TableRegressor`."""

    model_: Forest
    n_jobs: int | None

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the trees, as fractions that add up to 1."""
        check_is_fitted(self)
        return self.model_.importance()
