"""Compiled kernels: flat functions over arrays, and nothing else.

- base: code that all kernels share
- clusters: k-means, agglomeration, concept formation
- forests: random forests, boosting and their predictions
- neighbors: distances, nearest rows, kept rows
- rows: sorting, binning, gathering and dividing rows
- rules: rule learners
- svm: support vector machines
- trees: growing, pruning and routing

C code is in headers (.h) next to the kernels that use it, and included by its full path.
"""
