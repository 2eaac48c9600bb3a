"""Support vector machines.

check: checks of a machine, before a kernel reads it
coupling: from pairs of classes to probabilities of all classes
kernel: kernels
products: all products of n columns
svm: the model
"""
