"""How good a model is: cross-validation, scores with intervals, confusion; and which of several methods is better."""

from __future__ import annotations

from hornbeam.evaluate.audit_result import MissingAudit
from hornbeam.evaluate.compare import compare
from hornbeam.evaluate.comparing.comparison import Comparison, Figure, HeldOut, Outcome
from hornbeam.evaluate.comparing.methods import schemes_by_name, variants
from hornbeam.evaluate.coverage.conformal import calibrate, conformal
from hornbeam.evaluate.coverage.conformal_result import CalibratedModel
from hornbeam.evaluate.cross_validation import CrossValidation, cross_validate
from hornbeam.evaluate.curves.bias_variance import bias_variance, bias_variance_curve
from hornbeam.evaluate.curves.bias_variance_result import BiasVariance, BiasVarianceCurve
from hornbeam.evaluate.curves.calibration_curve import CalibrationCurve, calibration
from hornbeam.evaluate.curves.class_curves import ClassCurves, class_curves
from hornbeam.evaluate.curves.confusion import Confusion, confusion
from hornbeam.evaluate.curves.curve import complexity_curve, learning_curve
from hornbeam.evaluate.curves.curve_result import Curve, CurvePoint
from hornbeam.evaluate.curves.decomposition import SquaredLoss, SumsOfNumbers, Votes, ZeroOneLoss
from hornbeam.evaluate.curves.lift_curve import LiftCurve, lift
from hornbeam.evaluate.curves.precision_recall_curve import PrecisionRecallCurve, precision_recall
from hornbeam.evaluate.curves.residual_figures import Residuals, residuals
from hornbeam.evaluate.curves.roc_curve import RocCurve, roc
from hornbeam.evaluate.differences.difference import Difference, diff
from hornbeam.evaluate.missing_audit import missing_audit
from hornbeam.evaluate.rules_on_rows import RuleFigures, RuleReport, rule_report
from hornbeam.evaluate.score import (
    ClassificationScore,
    RegressionScore,
    r2_interval,
    score,
    score_estimator,
    wilson_interval,
)
from hornbeam.evaluate.stability import StabilityStudy, stability
from hornbeam.evaluate.starts.restart_study import RestartStudy
from hornbeam.evaluate.starts.restarts import restarts
from hornbeam.evaluate.tune import tune
from hornbeam.evaluate.tuning.tuned import Tuned
from hornbeam.evaluate.tuning.tuning import Trial, Tuning

__all__ = [
    "BiasVariance",
    "BiasVarianceCurve",
    "CalibratedModel",
    "CalibrationCurve",
    "ClassCurves",
    "ClassificationScore",
    "Comparison",
    "Confusion",
    "CrossValidation",
    "Curve",
    "CurvePoint",
    "Difference",
    "Figure",
    "HeldOut",
    "LiftCurve",
    "MissingAudit",
    "Outcome",
    "PrecisionRecallCurve",
    "RegressionScore",
    "Residuals",
    "RestartStudy",
    "RocCurve",
    "RuleFigures",
    "RuleReport",
    "SquaredLoss",
    "StabilityStudy",
    "SumsOfNumbers",
    "Trial",
    "Tuned",
    "Tuning",
    "Votes",
    "ZeroOneLoss",
    "bias_variance",
    "bias_variance_curve",
    "calibrate",
    "calibration",
    "class_curves",
    "compare",
    "complexity_curve",
    "conformal",
    "confusion",
    "cross_validate",
    "diff",
    "learning_curve",
    "lift",
    "missing_audit",
    "precision_recall",
    "r2_interval",
    "residuals",
    "restarts",
    "roc",
    "rule_report",
    "schemes_by_name",
    "score",
    "score_estimator",
    "stability",
    "tune",
    "variants",
    "wilson_interval",
]
