"""Distances, and models that keep rows of the training set."""
