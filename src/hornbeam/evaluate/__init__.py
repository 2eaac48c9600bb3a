"""How good a model is: cross-validation, scores with intervals, confusion."""

from __future__ import annotations

from hornbeam.evaluate.cross_validation import CrossValidation, cross_validate
from hornbeam.evaluate.score import ClassificationScore, RegressionScore, score, score_estimator, wilson_interval

__all__ = [
    "ClassificationScore",
    "CrossValidation",
    "RegressionScore",
    "cross_validate",
    "score",
    "score_estimator",
    "wilson_interval",
]
