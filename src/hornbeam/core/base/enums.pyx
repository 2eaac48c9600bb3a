"""Enumerations that kernels and Python share (see enums.pxd, which this module offers to Python as integers)."""
