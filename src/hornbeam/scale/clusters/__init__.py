"""Clusters from sums over partitions.

places: the distance, and partitions as numbers and codes on its scale.
sums: sums by cluster that do not depend on the order of rows.
kmeans: k-means from a source.
em: mixtures from a source.
profile: clusters described.
"""
