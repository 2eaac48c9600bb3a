"""Every estimator passes scikit-learn's own checks."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.id3 import ID3Classifier

ESTIMATORS = [C45Classifier(), C45Classifier(prune=None, nominal="one-vs-rest"), ID3Classifier()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
