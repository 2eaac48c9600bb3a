"""What learning produces, as plain data: trees, conditions, rules, and their files.

Trees of other programs become ours here too: `from_sklearn` and `from_lightgbm`, imported when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.model.imported.lightgbm_trees import from_lightgbm as from_lightgbm
    from hornbeam.model.imported.sklearn_trees import from_sklearn as from_sklearn

__all__ = ["from_lightgbm", "from_sklearn"]

_HOMES = {
    "from_lightgbm": "hornbeam.model.imported.lightgbm_trees",
    "from_sklearn": "hornbeam.model.imported.sklearn_trees",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
