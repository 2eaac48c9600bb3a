"""Kernels of rule learners."""
