"""Clusterings as text."""
