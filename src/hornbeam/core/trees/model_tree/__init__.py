"""Kernels of model trees.

equations: linear models at every node, and pruning by them.
grow: growing if values are missing, or if splits are chosen by the error of equations.
predict: predictions of smoothed linear models.
rows: splits and regressions with sums taken row by row.
"""
