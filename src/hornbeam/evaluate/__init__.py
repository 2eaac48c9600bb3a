"""How good a model is: cross-validation, scores with intervals, confusion; and which of several methods is better."""

from __future__ import annotations

from hornbeam.evaluate.audit_result import MissingAudit
from hornbeam.evaluate.compare import compare
from hornbeam.evaluate.comparison import Comparison, Figure, HeldOut, Outcome
from hornbeam.evaluate.cross_validation import CrossValidation, cross_validate
from hornbeam.evaluate.difference import Difference, diff
from hornbeam.evaluate.methods import schemes_by_name, variants
from hornbeam.evaluate.missing_audit import missing_audit
from hornbeam.evaluate.restart_study import RestartStudy
from hornbeam.evaluate.restarts import restarts
from hornbeam.evaluate.rules_on_rows import RuleFigures, RuleReport, rule_report
from hornbeam.evaluate.score import (
    ClassificationScore,
    RegressionScore,
    r2_interval,
    score,
    score_estimator,
    wilson_interval,
)
from hornbeam.evaluate.tune import tune
from hornbeam.evaluate.tuning import Trial, Tuning

__all__ = [
    "ClassificationScore",
    "Comparison",
    "CrossValidation",
    "Difference",
    "Figure",
    "HeldOut",
    "MissingAudit",
    "Outcome",
    "RegressionScore",
    "RestartStudy",
    "RuleFigures",
    "RuleReport",
    "Trial",
    "Tuning",
    "compare",
    "cross_validate",
    "diff",
    "missing_audit",
    "r2_interval",
    "restarts",
    "rule_report",
    "schemes_by_name",
    "score",
    "score_estimator",
    "tune",
    "variants",
    "wilson_interval",
]
