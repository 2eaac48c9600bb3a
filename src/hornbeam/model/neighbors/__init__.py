"""Distances, and models that keep rows of the training set.

axes: rows as points, for support vector machines
corrected: a model corrected by the nearest training rows
distance: the distance between rows
exemplars: boxes of rows of one class
instances: kept training rows, of which the nearest predict
kstar: kept training rows with an entropic distance
local: a linear regression of kept rows for every row to predict
local_learner: a classifier of kept rows for every row to predict
pairwise: `hornbeam.distance`
points: rows prepared for distances, and neighbors
scales: scales of columns, learned for a distance
"""
