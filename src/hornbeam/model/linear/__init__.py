"""Linear models, and regression by classification.

discretized: a classifier of intervals that predicts numbers
linear: factors, terms and linear models
"""
