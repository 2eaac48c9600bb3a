"""Kernels that sort, bin, gather and divide rows."""
