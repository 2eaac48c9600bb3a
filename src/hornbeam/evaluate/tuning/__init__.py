"""Tuning parameters.

- tune: `tune`, and `Tuned`: an estimator that tunes itself
- tuning: the result as plain data
- tuning_views: the result as text and as a picture
- settings: parameters to tune, and grids of their values
"""
