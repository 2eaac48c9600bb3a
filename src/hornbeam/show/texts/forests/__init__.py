"""Forests and ensembles as text.

- forest_text: both as text, and why a forest predicts as it does for one row.
"""
