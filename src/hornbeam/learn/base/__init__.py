"""What all estimators have in common.

classifier: base of the classifiers.
clusterer: base of the estimators that find clusters.
decide: classes from probabilities, by costs or a threshold.
declare: estimators as dataclasses with complete docstrings.
estimator: base of all estimators; input data to tables.
in_threads: running parts of the work in threads.
incremental: base of the classifiers with `partial_fit`.
limits: checks of numbers, weights and categories before learning.
parameters: checks of parameter values.
regressor: base of the regressors.
shown: how notebooks show an estimator.
sparse_input: checks of sparse matrices.
"""
