"""Linear equations from sums over partitions.

exact: sums of numbers that do not depend on the order.
learn: from an estimator and a source to an equation.
"""
