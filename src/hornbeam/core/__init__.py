"""Compiled kernels: flat functions over arrays, and nothing else."""
