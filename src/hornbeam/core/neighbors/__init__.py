"""Kernels of distances, nearest rows and kept rows.

- boxes: boxes around rows of one class
- distance: distances of rows (distance_nearest: the nearest rows)
- keep: rows kept one by one (keep_tree: a tree over them; keep_look: search in it)
- kstar: entropic distances
- local: locally weighted regression
- screen: candidates for the nearest rows, in single precision

The `*_loops.h` files have the innermost loops.
"""
