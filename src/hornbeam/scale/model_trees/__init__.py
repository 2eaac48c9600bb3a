"""Model trees from partitions: grown from sums, with equations from sums of products.

columns: means and deviations of the columns, and the order of categories by their mean target.
equations: equations, errors and pruning of the nodes with many rows.
subtrees: equations of the nodes with few rows, as in memory.
learn: from an estimator and a source to a model.
"""
