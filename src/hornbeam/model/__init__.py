"""What learning produces, as plain data: trees, conditions, rules, and their files.

Trees of other programs become ours here too: `from_sklearn` and `from_lightgbm`, imported when first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam._lazy import attach

if TYPE_CHECKING:
    from hornbeam.model.imported.lightgbm_trees import from_lightgbm as from_lightgbm
    from hornbeam.model.imported.sklearn_trees import from_sklearn as from_sklearn

_HOMES = {
    "from_lightgbm": "hornbeam.model.imported.lightgbm_trees",
    "from_sklearn": "hornbeam.model.imported.sklearn_trees",
}

__all__ = list(_HOMES)

__getattr__, __dir__ = attach(__name__, _HOMES)
