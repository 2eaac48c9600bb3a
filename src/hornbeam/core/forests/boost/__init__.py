"""Gradient boosting.

- boost: the module; its structures and constants
- class: the class that Python sees
- grow: a tree, leaf by leaf
- layout: columns that share a byte
- leaves: values of leaves
- loops: sums by bin, the best cut, rows to branches
- nominal: sets of categories
- rounding: gradients as integers
- search: the best split of a node
- siblings: sums of two siblings, by several threads
- slopes: gradients of the losses
"""
