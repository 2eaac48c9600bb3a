"""How good a model is, and which of several methods is better. Names are imported when they are first used.

- scores: `score`: accuracy, confusion and costs, or errors, with intervals
- cross_validation: `cross_validate`, and folds at random, by group, or in time order
- judge: one estimator learned from some rows and evaluated on others; the size of a model
- measures: measures of predictions, on arrays
- audit, audit_result: `missing_audit`: what missing values do to the predictions of a tree
- rules_on_rows: `rule_report`: what each rule covers
- stable_splits: `stability`: how often the splits of a tree recur in bootstrap samples
- comparing: `compare`: several methods on the same folds, with tests
- coverage: `conformal`: sets of classes or intervals with stated coverage
- curves: learning curves, ROC, lift, calibration, bias and variance, confusion, residuals
- differences: `diff`: how two models differ
- starts: `restarts`: clustering from many starts
- tuning: `tune`: the best parameters
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam._lazy import attach

if TYPE_CHECKING:
    from hornbeam.evaluate.audit import missing_audit as missing_audit
    from hornbeam.evaluate.audit_result import MissingAudit as MissingAudit
    from hornbeam.evaluate.comparing.compare import compare as compare
    from hornbeam.evaluate.comparing.comparison import Comparison as Comparison
    from hornbeam.evaluate.comparing.comparison import Figure as Figure
    from hornbeam.evaluate.comparing.comparison import HeldOut as HeldOut
    from hornbeam.evaluate.comparing.comparison import Outcome as Outcome
    from hornbeam.evaluate.comparing.methods import schemes_by_name as schemes_by_name
    from hornbeam.evaluate.comparing.methods import variants as variants
    from hornbeam.evaluate.coverage.conformal import calibrate as calibrate
    from hornbeam.evaluate.coverage.conformal import conformal as conformal
    from hornbeam.evaluate.coverage.conformal_result import CalibratedModel as CalibratedModel
    from hornbeam.evaluate.cross_validation import CrossValidation as CrossValidation
    from hornbeam.evaluate.cross_validation import cross_validate as cross_validate
    from hornbeam.evaluate.curves.bias_variance import BiasVariance as BiasVariance
    from hornbeam.evaluate.curves.bias_variance import BiasVarianceCurve as BiasVarianceCurve
    from hornbeam.evaluate.curves.bias_variance import bias_variance as bias_variance
    from hornbeam.evaluate.curves.bias_variance import bias_variance_curve as bias_variance_curve
    from hornbeam.evaluate.curves.calibration_curve import CalibrationCurve as CalibrationCurve
    from hornbeam.evaluate.curves.calibration_curve import calibration as calibration
    from hornbeam.evaluate.curves.class_curves import ClassCurves as ClassCurves
    from hornbeam.evaluate.curves.class_curves import class_curves as class_curves
    from hornbeam.evaluate.curves.confusion import Confusion as Confusion
    from hornbeam.evaluate.curves.confusion import confusion as confusion
    from hornbeam.evaluate.curves.curve import complexity_curve as complexity_curve
    from hornbeam.evaluate.curves.curve import learning_curve as learning_curve
    from hornbeam.evaluate.curves.curve_result import Curve as Curve
    from hornbeam.evaluate.curves.curve_result import CurvePoint as CurvePoint
    from hornbeam.evaluate.curves.decomposition import SquaredLoss as SquaredLoss
    from hornbeam.evaluate.curves.decomposition import SumsOfNumbers as SumsOfNumbers
    from hornbeam.evaluate.curves.decomposition import Votes as Votes
    from hornbeam.evaluate.curves.decomposition import ZeroOneLoss as ZeroOneLoss
    from hornbeam.evaluate.curves.ranking_curves import LiftCurve as LiftCurve
    from hornbeam.evaluate.curves.ranking_curves import PrecisionRecallCurve as PrecisionRecallCurve
    from hornbeam.evaluate.curves.ranking_curves import RocCurve as RocCurve
    from hornbeam.evaluate.curves.ranking_curves import lift as lift
    from hornbeam.evaluate.curves.ranking_curves import precision_recall as precision_recall
    from hornbeam.evaluate.curves.ranking_curves import roc as roc
    from hornbeam.evaluate.curves.residual_figures import Residuals as Residuals
    from hornbeam.evaluate.curves.residual_figures import residuals as residuals
    from hornbeam.evaluate.differences.difference import Difference as Difference
    from hornbeam.evaluate.differences.difference import diff as diff
    from hornbeam.evaluate.rules_on_rows import RuleFigures as RuleFigures
    from hornbeam.evaluate.rules_on_rows import RuleReport as RuleReport
    from hornbeam.evaluate.rules_on_rows import rule_report as rule_report
    from hornbeam.evaluate.scores import ClassificationScore as ClassificationScore
    from hornbeam.evaluate.scores import RegressionScore as RegressionScore
    from hornbeam.evaluate.scores import r2_interval as r2_interval
    from hornbeam.evaluate.scores import score as score
    from hornbeam.evaluate.scores import score_estimator as score_estimator
    from hornbeam.evaluate.scores import wilson_interval as wilson_interval
    from hornbeam.evaluate.stable_splits import StabilityStudy as StabilityStudy
    from hornbeam.evaluate.stable_splits import stability as stability
    from hornbeam.evaluate.starts.restart_study import RestartStudy as RestartStudy
    from hornbeam.evaluate.starts.restarts import restarts as restarts
    from hornbeam.evaluate.tuning.tune import Tuned as Tuned
    from hornbeam.evaluate.tuning.tune import tune as tune
    from hornbeam.evaluate.tuning.tuning import Trial as Trial
    from hornbeam.evaluate.tuning.tuning import Tuning as Tuning

_NAMES = {
    "audit": ("missing_audit",),
    "audit_result": ("MissingAudit",),
    "comparing.compare": ("compare",),
    "comparing.comparison": ("Comparison", "Figure", "HeldOut", "Outcome"),
    "comparing.methods": ("schemes_by_name", "variants"),
    "coverage.conformal": ("calibrate", "conformal"),
    "coverage.conformal_result": ("CalibratedModel",),
    "cross_validation": ("CrossValidation", "cross_validate"),
    "curves.bias_variance": ("BiasVariance", "BiasVarianceCurve", "bias_variance", "bias_variance_curve"),
    "curves.calibration_curve": ("CalibrationCurve", "calibration"),
    "curves.class_curves": ("ClassCurves", "class_curves"),
    "curves.confusion": ("Confusion", "confusion"),
    "curves.curve": ("complexity_curve", "learning_curve"),
    "curves.curve_result": ("Curve", "CurvePoint"),
    "curves.decomposition": ("SquaredLoss", "SumsOfNumbers", "Votes", "ZeroOneLoss"),
    "curves.ranking_curves": ("LiftCurve", "PrecisionRecallCurve", "RocCurve", "lift", "precision_recall", "roc"),
    "curves.residual_figures": ("Residuals", "residuals"),
    "differences.difference": ("Difference", "diff"),
    "rules_on_rows": ("RuleFigures", "RuleReport", "rule_report"),
    "scores": ("ClassificationScore", "RegressionScore", "r2_interval", "score", "score_estimator", "wilson_interval"),
    "stable_splits": ("StabilityStudy", "stability"),
    "starts.restart_study": ("RestartStudy",),
    "starts.restarts": ("restarts",),
    "tuning.tune": ("Tuned", "tune"),
    "tuning.tuning": ("Trial", "Tuning"),
}
_HOMES = {name: f"hornbeam.evaluate.{module}" for module, names in _NAMES.items() for name in names}

__all__ = list(_HOMES)

__getattr__, __dir__ = attach(__name__, _HOMES)
