"""Kernels that find the best split of a column."""
