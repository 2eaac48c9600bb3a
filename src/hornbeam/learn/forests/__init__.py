"""Ensembles of trees: bagging, random forests and gradient boosting.

about: targets as distances from a base, for single precision.
bagging: `BaggingClassifier` and `BaggingRegressor`.
binned: columns as small codes.
boost: the rounds of gradient boosting.
boosting: `GradientBoostingClassifier` and `GradientBoostingRegressor`.
boosting_base: what they share: parameters, and `fit` with other rows to evaluate.
boosting_losses: the losses that boosting minimizes.
boosting_rows: the sets of `eval_set`, and the checks of a model to continue.
draws: which rows and columns a member learns from.
forest_predictions: what ensembles share as estimators.
grow_forest: growing the trees of a forest, and joining their arrays.
random_forest: `RandomForestClassifier` and `RandomForestRegressor`, and quantiles.
watched: rows that boosting does not learn from, and the loss on them.
"""
