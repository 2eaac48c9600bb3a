"""Estimators whose models answer in threads: `n_jobs` is about answers, not about learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.learn.base.parameters import threads
from hornbeam.learn.base.regressor import TableRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table


class ThreadedClassifier(TableClassifier):
    """A classifier whose model takes a number of threads."""

    n_jobs: int | None

    def _codes(self, rows: Table | NDArray[Any]) -> NDArray[Any]:
        codes: NDArray[Any] = self._shares(rows).argmax(axis=1).astype(np.int32)
        return codes

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        model: Any = self.model_
        ask = model.predict_proba_matrix if isinstance(rows, np.ndarray) else model.predict_proba
        shares: NDArray[np.float64] = ask(rows, threads(self.n_jobs))
        return shares


class ThreadedRegressor(TableRegressor):
    """A regressor whose model takes a number of threads."""

    n_jobs: int | None

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the number of every row."""
        rows, model = self._rows(X), self.model_
        ask: Any = model.predict_matrix if isinstance(rows, np.ndarray) else model.predict
        answers: NDArray[np.float64] = ask(rows, threads(self.n_jobs))
        return answers
