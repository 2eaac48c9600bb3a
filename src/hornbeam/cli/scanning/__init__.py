"""Data that may be larger than memory.

scanned: ``learn --engine``, and ``predict`` from folder to folder.
"""
