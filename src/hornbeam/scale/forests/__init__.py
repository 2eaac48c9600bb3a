"""Forests and boosting: workers turn partitions into codes, and one process learns from the codes of all rows.

bins: the bins of all columns, from all partitions.
learn: collect the codes, and learn.
"""
