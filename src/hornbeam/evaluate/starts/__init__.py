"""Clusters sought from many starts, and how every run ended."""
