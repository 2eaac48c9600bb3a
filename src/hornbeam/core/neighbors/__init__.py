"""Kernels of distances and kept rows."""
