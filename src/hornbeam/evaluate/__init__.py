"""How good a model is: cross-validation, scores with intervals, confusion; and which of several methods is better."""

from __future__ import annotations

from hornbeam.evaluate.audit_result import MissingAudit
from hornbeam.evaluate.bias_variance import bias_variance, bias_variance_curve
from hornbeam.evaluate.bias_variance_result import BiasVariance, BiasVarianceCurve
from hornbeam.evaluate.calibration_curve import CalibrationCurve, calibration
from hornbeam.evaluate.class_curves import ClassCurves, class_curves
from hornbeam.evaluate.compare import compare
from hornbeam.evaluate.comparison import Comparison, Figure, HeldOut, Outcome
from hornbeam.evaluate.conformal import calibrate, conformal
from hornbeam.evaluate.conformal_result import CalibratedModel
from hornbeam.evaluate.confusion import Confusion, confusion
from hornbeam.evaluate.cross_validation import CrossValidation, cross_validate
from hornbeam.evaluate.curve import complexity_curve, learning_curve
from hornbeam.evaluate.curve_result import Curve, CurvePoint
from hornbeam.evaluate.decomposition import SquaredLoss, SumsOfNumbers, Votes, ZeroOneLoss
from hornbeam.evaluate.difference import Difference, diff
from hornbeam.evaluate.lift_curve import LiftCurve, lift
from hornbeam.evaluate.methods import schemes_by_name, variants
from hornbeam.evaluate.missing_audit import missing_audit
from hornbeam.evaluate.precision_recall_curve import PrecisionRecallCurve, precision_recall
from hornbeam.evaluate.residual_figures import Residuals, residuals
from hornbeam.evaluate.restart_study import RestartStudy
from hornbeam.evaluate.restarts import restarts
from hornbeam.evaluate.roc_curve import RocCurve, roc
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
from hornbeam.evaluate.tune import tune
from hornbeam.evaluate.tuning import Trial, Tuning

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
