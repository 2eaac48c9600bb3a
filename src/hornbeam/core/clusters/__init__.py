"""Kernels of clusterers."""
