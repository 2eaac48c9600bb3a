"""Evaluation of models and comparison of methods. Names are imported when they are first used.

- scores: `score`: accuracy, confusion and costs, or errors, with intervals
- cross_validation: `cross_validate`
- folds: how rows are assigned to folds: at random, by group, or in time order
- scanned: cross-validation over partitions
- plain: results as plain data for JSON
- judge: fit an estimator on some rows and evaluate it on others; the size of a model
- measures: metrics of predictions, on arrays
- class_figures: precision, recall, F1, ROC AUC and average precision of every class
- intervals: 95% intervals of fractions, of R² and of paired differences
- audit, audit_result: `missing_audit`: how missing values affect the predictions of a tree
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
