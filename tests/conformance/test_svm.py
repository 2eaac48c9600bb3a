"""Support vector machines pass scikit-learn's checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.learn.svm.regressor import SVMRegressor

HELD_OUT = "chances come from rows held out in turn: a row repeated is another drawing"
DRAWN = "planes are found within a tolerance, rows visited in an order that is drawn"
ESTIMATORS = [
    SVMClassifier(tol=1e-9),
    SVMClassifier(kernel="linear", scale="standardize", probability=True, random_state=0, n_jobs=2),
    SVMClassifier(kernel="linear", solver="planes", random_state=0),
    SVMRegressor(tol=1e-9),
    SVMRegressor(kernel="polynomial", degree=2, C=10.0, tol=1e-9),
]


def not_asked(estimator: Any) -> dict[str, str]:
    why = HELD_OUT if getattr(estimator, "probability", False) else DRAWN
    if why is DRAWN and getattr(estimator, "solver", "auto") != "planes":
        return {}
    kinds = ("dense", "sparse")
    return {f"check_sample_weight_equivalence_on_{kind}_data": why for kind in kinds}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=not_asked)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
