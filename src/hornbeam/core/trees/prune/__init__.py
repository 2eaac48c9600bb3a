"""Kernels that prune trees.

chance: chi-square p-values of every split.
complexity: weakest links, for cost-complexity pruning.
cut_back: which nodes become leaves, using numbers at the nodes.
expected_errors: the pessimistic limit of errors.
order: reordering the nodes of a tree, or removing those below new leaves.
prune: pessimistic pruning with subtree raising, which sends rows down again.
sequence: errors of a sequence of pruned trees on held-out rows.
"""
