"""Kernels of model trees."""
