"""scikit-learn's SVC, which is LIBSVM."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.svm import SVC

from benchmarks.margins import CACHE, FEW_ROWS, GAMMA, TOLERANCE, C, machine

if TYPE_CHECKING:
    from benchmarks.data import Rows
    from benchmarks.peer import Learner


def why_absent() -> str | None:
    """Never absent: hornbeam needs scikit-learn."""
    return None


def svm_rbf(threads: int) -> Learner:
    """The RBF kernel."""
    assert threads == 1

    def fit(rows: Rows) -> Any:  # noqa: ANN401 - scikit-learn has no types
        return SVC(C=C, gamma=GAMMA, tol=TOLERANCE, cache_size=CACHE).fit(rows.numbers, rows.target)

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        found: dict[str, Any] = {"vectors": int(model.n_support_.sum()), "steps": int(model.n_iter_.sum())}
        if found["vectors"] < FEW_ROWS / 2:
            b = model.dual_coef_[0]
            said = model.decision_function(model.support_vectors_) - model.intercept_[0]
            found["objective"] = float(0.5 * b @ said - np.abs(b).sum())
        return found

    return machine(fit, lambda model, rows: model.predict(rows.numbers), facts)
