"""Naive, readable implementations that the compiled learners are held against."""

from reference.certifier import certify
from reference.grower import grow

__all__ = ["certify", "grow"]
