"""Learners of clusters: rows that are alike, without a target."""
