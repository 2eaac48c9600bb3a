"""Kernels of forests and boosting."""
