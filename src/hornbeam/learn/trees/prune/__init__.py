"""Pruning: from a tree to a smaller tree."""
