"""Optimal trees: the tree of a given depth whose leaves cost least.

found: the tree that the search found, as a `Tree`.
learner: `OptimalTreeClassifier` and `OptimalTreeRegressor`.
problem: a table as whole numbers for the search: codes of values, and the costs of rows.
start: the greedy tree with which the search starts.
"""
