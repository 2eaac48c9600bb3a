"""Kernels of support vector machines."""
