"""Support vector machines.

check: checks of a model, before a kernel reads it
coupling: probabilities of all classes from those of pairs
kernel: kernels
products: all products of n columns
svm: the model
"""
