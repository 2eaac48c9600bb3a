"""Tuning parameters.

- tune: `tune`
- tuning: the result as plain data
- tuning_views: the result as text and as a picture
- settings: parameters to tune, and grids of their values
- tuned: `Tuned`: an estimator that tunes itself
"""
