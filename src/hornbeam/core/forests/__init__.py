"""Kernels of forests and boosting.

- bits: small trees as bits, for many rows at once
- boost: gradient boosting
- descend: the path of a row through one tree
- grow: random forests
- pack: trees laid out for predictions
- predict: predictions of a forest
- rows: rows laid out for predictions
"""
