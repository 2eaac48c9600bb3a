"""What estimators do with frames of Spark and Dask; `hornbeam` calls these functions by their names."""

from __future__ import annotations

from typing import Any

from hornbeam.scale.frames.predict import with_predictions, with_probabilities
from hornbeam.scale.source import scan

predict = with_predictions
predict_proba = with_probabilities


def fit(estimator: Any, frame: Any, target: str | None, sample_weight: Any, by: Any) -> Any:
    """Fit an estimator to a frame, which is released afterwards."""
    source = scan(frame, target=target)
    try:
        return source.fit_estimator(estimator, None, sample_weight, by)
    finally:
        source.close()
