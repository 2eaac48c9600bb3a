"""Model trees: regression trees with linear equations at their leaves.

exact: model trees grown row by row, as in the reference program.
grow: from the columns of a table to the compiled grower of model trees.
linear_leaves: linear equations for the leaves of any regression tree.
m5: `M5Regressor` and `M5RulesRegressor`, committees, and correction by neighbors.
model_tree: equations at every node, pruning and smoothing.
nodes: nodes of a model tree during learning.
recut: cuts of a finished tree, moved to where they fit best.
rules: rules from model trees.
"""
