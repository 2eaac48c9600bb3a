"""How good a model is: cross-validation, scores with intervals, confusion."""

from __future__ import annotations

from hornbeam.evaluate.audit_result import MissingAudit
from hornbeam.evaluate.cross_validation import CrossValidation, cross_validate
from hornbeam.evaluate.missing_audit import missing_audit
from hornbeam.evaluate.score import (
    ClassificationScore,
    RegressionScore,
    r2_interval,
    score,
    score_estimator,
    wilson_interval,
)

__all__ = [
    "ClassificationScore",
    "CrossValidation",
    "MissingAudit",
    "RegressionScore",
    "cross_validate",
    "missing_audit",
    "r2_interval",
    "score",
    "score_estimator",
    "wilson_interval",
]
