"""Distances, and models that keep rows of the training set.

axes: rows as points, for support vector machines
corrected: a model corrected by the nearest training rows
distance: the distance between rows
exemplars: boxes of rows of one class
instances: kept rows, of which the nearest predict
kstar: kept rows with an entropic distance
local: kept rows and a linear regression for every row to predict
local_learner: kept rows and a classifier for every row to predict
pairwise: `hornbeam.distance`
points: rows made ready for distances, and neighbors
scales: what a distance learns of each column
"""
