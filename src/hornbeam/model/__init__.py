"""What learning produces, as plain data: trees, conditions, rules, and their files.

Trees of other programs become ours here too: `from_sklearn` and `from_lightgbm`, imported when first asked for.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
