"""Clusterings.

centers: the nearest center of every row, exact and fast
clustering: the base of clusterings, and the profile of their clusters
components: the distributions of a mixture
concepts: a tree of concepts
dendrogram: a hierarchy of clusters
graph_clusters: clusters of a graph of rows
mixture: a mixture of distributions
mixture_columns: how a mixture reads the columns of a table
partition: clusters with a center each
principal_axes: principal axes of numeric columns
projected: clusters on principal axes
"""
