"""Kernels of support vector machines.

- cache: a cache of kernel values
- class: the class that Python sees
- dense: products of matrices, Cholesky's method and exp, the same on every machine (dense_loops: its loops)
- loops: the innermost loops
- plane: linear machines, by coordinate descent
- predict: predictions
- rows: rows, dense, sparse or as kernel values
- solve: training on pairs of rows (steps: its steps)
"""
