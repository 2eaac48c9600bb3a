"""Explaining models: importances, similarities, and smaller models that imitate larger ones.

distill: `hornbeam.distill`, a small tree or rules that imitate a model or explain clusters.
distilling: how the small model is learned and evaluated.
members: the trees of any ensemble.
permutation: `permutation_importance`.
proximity: `proximities` of rows by shared leaves.
stable: `stable_splits` that most trees of an ensemble make.
"""
