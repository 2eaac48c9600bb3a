"""Kernels that prune trees."""
