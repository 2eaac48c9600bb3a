"""scikit-learn's checks of arrays, without the warnings of its sums: large numbers of both signs give inf - inf."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import validation


def validate_data(learner: Any, *arrays: Any, **checks: Any) -> Any:
    """`sklearn.utils.validation.validate_data`: features and targets as arrays, the features counted and named."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validation.validate_data(learner, *arrays, **checks)


def check_sample_weight(weights: Any, rows: Any, **checks: Any) -> Any:
    """`sklearn.utils.validation._check_sample_weight`: a weight for each row, as an array."""
    with np.errstate(over="ignore", invalid="ignore"):
        return validation._check_sample_weight(weights, rows, **checks)
