"""Bagging passes scikit-learn's checks, whatever its members are."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.forests.bagging import BaggingClassifier, BaggingRegressor
from hornbeam.learn.trees.tree_classifier import TreeClassifier

ESTIMATORS = [
    BaggingClassifier(n_estimators=3, random_state=0),
    BaggingClassifier(TreeClassifier(max_depth=3), n_estimators=3, max_samples=0.7, max_features=0.8, random_state=0),
    BaggingRegressor(n_estimators=3, random_state=0),
]

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)
