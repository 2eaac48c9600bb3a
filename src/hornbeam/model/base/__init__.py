"""What all models share.

align: a table with the columns and codes of a model's schema, and rows as the kernels read them
condition: conditions of rules and tree paths
decision: how a class is chosen by costs or a threshold
kept_predictions: base of models that predict from kept rows
model: the base of every model
plain: readers of plain data in model files, and the errors of models
several: a model for each of several targets
stored: declared arrays, equality, checks and files
"""
