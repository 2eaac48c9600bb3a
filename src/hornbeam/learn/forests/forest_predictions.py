"""What estimators that learn a Forest share: predictions by several threads, and importances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import check_is_fitted

from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import TableEstimator
from hornbeam.learn.base.parameters import threads

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest


class ForestEstimator(TableEstimator):
    """A mixin that goes before `TableClassifier` or `TableRegressor`."""

    model_: Forest  # type: ignore[assignment]
    n_jobs: int | None

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """How much the splits of each feature improved the trees, as fractions that add up to 1."""
        check_is_fitted(self)
        return self.model_.importance()

    def _predicted(self, rows: Table | NDArray[Any], method: str) -> NDArray[Any]:
        suffix = "" if isinstance(rows, Table) else "_matrix"
        predicted: NDArray[Any] = getattr(self.model_, method + suffix)(rows, n_threads=threads(self.n_jobs))
        return predicted

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        return self._predicted(rows, "predict_proba")

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        return self._predicted(rows, "predict")
