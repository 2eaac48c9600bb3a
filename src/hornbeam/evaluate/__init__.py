"""How good a model is, and which of several methods is better. Names are imported when they are first used.

- scores: `score`: accuracy, confusion and costs, or errors, with intervals
- cross_validation: `cross_validate`, and folds at random, by group, or in time order
- plain: results as plain data for JSON
- judge: one estimator learned from some rows and evaluated on others; the size of a model
- measures: measures of predictions, on arrays
- class_figures: precision, recall, F1, ROC AUC and average precision of every class
- intervals: 95% intervals of fractions, of R² and of paired differences
- audit, audit_result: `missing_audit`: what missing values do to the predictions of a tree
- rules_on_rows: `rule_report`: what each rule covers
- stable_splits: `stability`: how often the splits of a tree recur in bootstrap samples
- comparing: `compare`: several methods on the same folds, with tests
- coverage: `conformal`: sets of classes or intervals with stated coverage
- curves: learning curves, ROC, lift, calibration, bias and variance, confusion, residuals
- differences: `diff`: how two models differ
- starts: `restarts`: clustering from many starts
- tuning: `tune`: the best parameters
- verdicts: `verdict`: one plain sentence about a result
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
