"""Learning about columns.

- discretize: cuts of one numeric column, by several methods
- discretizer: `Discretizer`: numeric columns to intervals
- select: `select_columns`: the columns with which a learner does best
- greedy_search: `greedy`: greedy search over any states
"""
