"""Kernels that find the best split of a column at a node.

combine: the best cut of a weighted sum of columns.
cuts: several cuts of one column, greedy or optimal; intervals by MDL and ChiMerge.
impurity: the impurity functions of the split criteria.
scan: the best split by information gain or gain ratio, exact.
search: the best split by any criterion.
"""
