"""Estimators: from a table to a model. No printing, no files.

base: what every estimator shares
trees: ID3, C4.5, CART, configurable trees, model trees, pruning
rules: rule learners
linear: linear and polynomial regression, regression by classification
forests: bagging, random forests, gradient boosting
neighbors: learners that keep rows
svm: support vector machines
clusters: clusterers
columns: intervals of numeric columns, selection of columns
explain: distillation, stable splits, permutation importance, proximities
compat: details of other programs
"""
