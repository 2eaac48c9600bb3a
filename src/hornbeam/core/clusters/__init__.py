"""Kernels of clusterers.

- agglomerate: hierarchical clustering by chains of nearest neighbors
- concepts: a tree of concepts, formed row by row (concepts_nodes: its nodes)
- kmeans: nearest centers with bounds (kmeans_few: few centers; kmeans_moves: single rows moved between clusters)
- profile: means and deviations by cluster

The `*_loops.h` files have the innermost loops.
"""
