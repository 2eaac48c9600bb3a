"""Trees.

criterion: the split criteria, and the impurity of nodes
equation: linear models at the nodes of a tree
invariants: checks of trees and splits, before a kernel reads them
node: a node as an object, with its conditions
node_figures: calibration of leaves and stability of splits, computed after learning
question: the column and cuts of a split, for comparing splits of different trees
split: the split store
split_tests: the chi-square test of every split
trace: how a tree was grown and pruned, and its checks
training: errors of a tree on its training rows
tree: the tree
"""
