"""Kernels of trees.

branch: which branch of a split a value takes.
grow: growing a tree from sorted lists.
model_tree: trees with linear models at their nodes.
optimal: the best tree of a given depth.
prune: pruning.
route: predicting with one tree.
split: the best split of one column at one node.
"""
