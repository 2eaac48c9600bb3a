"""How good a model is: cross-validation, scores with intervals, confusion; and which of several methods is better."""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
