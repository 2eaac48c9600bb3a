"""What all models share.

align: a table with the columns and codes of a model's schema
condition: conditions of rules and tree paths
decision: how a class is chosen by costs or a threshold
errors: what can be wrong with a model
kept_predictions: base of models that predict from kept rows
model: the base of every model
plain: readers of plain data in model files
rows: rows made ready for the kernels
stored: declared arrays, equality, checks and files
"""
