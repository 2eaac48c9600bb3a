"""Clusters as text.

- cluster_explanation: why a row is in its cluster
- clusters_text: partitions and mixtures: sizes, typical values, what sets a cluster apart
- concepts_text: a tree of concepts
- dendrogram_text: a dendrogram
"""
