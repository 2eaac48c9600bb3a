"""Enumerations that kernels and Python share (see enums.pxd, which this module exposes to Python as integers)."""
