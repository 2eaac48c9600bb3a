"""Forests and ensembles as text."""
