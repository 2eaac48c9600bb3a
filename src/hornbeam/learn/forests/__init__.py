"""Ensembles of trees: bagging, random forests and gradient boosting.

about: targets as distances from a base, for single precision.
bagging: `BaggingClassifier` and `BaggingRegressor`.
binned: columns as small codes.
boost: the rounds of gradient boosting.
boosting: `GradientBoostingClassifier` and `GradientBoostingRegressor`.
boosting_losses: the losses that boosting minimizes.
draws: which rows and columns a member learns from.
forest_predictions: what ensembles share as estimators.
grow_forest: growing the trees of a forest, and joining their arrays.
random_forest: `RandomForestClassifier` and `RandomForestRegressor`, and quantiles.
"""
