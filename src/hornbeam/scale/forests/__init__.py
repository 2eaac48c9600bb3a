"""Forests and boosting: workers turn partitions into codes, and one process learns from the codes of all rows.

bins: the bins of all columns, from all partitions.
bagging: trees from counts, each of rows that are drawn where they are read.
learn: collect the codes, and learn.
"""
