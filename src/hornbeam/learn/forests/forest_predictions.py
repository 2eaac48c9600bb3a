"""What estimators that learn a Forest share: answers by several threads, and importances."""

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


class ForestAnswers(TableEstimator):
    """Beside `TableClassifier` or `TableRegressor`, in front of them."""

    model_: Forest  # type: ignore[assignment]
    n_jobs: int | None

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """What each feature's splits gained, as shares of the whole, in the order of the features."""
        check_is_fitted(self)
        return self.model_.importance()

    def _answers(self, rows: Table | NDArray[Any], what: str) -> NDArray[Any]:
        on = "" if isinstance(rows, Table) else "_matrix"
        answers: NDArray[Any] = getattr(self.model_, what + on)(rows, n_threads=threads(self.n_jobs))
        return answers

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        return self._answers(rows, "predict_proba")

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        return self._answers(rows, "predict")
