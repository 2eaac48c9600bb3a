"""Random forests and boosting pass scikit-learn's checks, whatever is drawn how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from hornbeam.learn.forests.boosting import GradientBoostingClassifier, GradientBoostingRegressor
from hornbeam.learn.forests.random_forest import RandomForestClassifier, RandomForestRegressor
from tests.conformance.expected_failures import expected_failures

if TYPE_CHECKING:
    from collections.abc import Callable


@parametrize_with_checks(
    [
        RandomForestClassifier(n_estimators=5, random_state=0),
        RandomForestClassifier(
            n_estimators=5, max_leaf_nodes=6, extremely_randomized=True, oob_score=True, random_state=0
        ),
        RandomForestRegressor(n_estimators=5, random_state=0),
        RandomForestRegressor(
            n_estimators=5, numeric="one-cut", features_per="tree", keep_targets=True, random_state=0
        ),
        GradientBoostingClassifier(n_estimators=20),
        GradientBoostingRegressor(),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
