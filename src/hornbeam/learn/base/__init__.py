"""What all estimators have in common.

aliases: other names of parameters and values.
classifier: base of the classifiers.
clusterer: base of the estimators that find clusters.
decide: classes from probabilities, by costs or a threshold.
declare: estimators as dataclasses with complete docstrings.
estimator: base of all estimators; input data to tables.
in_threads: running parts of the work in threads.
incremental: base of the classifiers with `partial_fit`.
lazy: rows that are not in memory.
limits: checks of numbers, weights and categories before learning.
parameters: checks of parameter values.
progress: lines and callbacks while a model is learned.
regressor: base of the regressors.
several_targets: a model for each of several targets.
sparse_input: checks of sparse matrices.
"""
