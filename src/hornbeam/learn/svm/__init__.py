"""Support vector machines.

- classifier: `SVMClassifier`
- regressor: `SVMRegressor`
- learner: base of both: parameters, scaling, sparse rows and kernel values
- problem: one quadratic problem: settings, solver, and exact finish by active sets
- machines: all pairs of classes, sigmoids for their probabilities, and planes by coordinate descent
"""
