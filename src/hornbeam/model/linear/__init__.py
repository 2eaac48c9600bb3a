"""Linear models, and regression by classification.

discretized: numbers predicted by a classifier of intervals
linear: factors, terms and linear models
"""
