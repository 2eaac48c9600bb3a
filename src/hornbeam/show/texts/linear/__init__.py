"""Linear equations as text.

- linear_text: a linear model, a classifier of intervals, and why a row gets its number
- equations: the equations of a model tree
"""
