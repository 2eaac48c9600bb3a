"""Models: what learning produces, as plain data, and model files.

base: what all models share
clusters: clusterings
files: saving and loading
forests: forests and ensembles
imported: trees of scikit-learn and LightGBM
linear: linear models
neighbors: distances, and models that keep training rows
rules: rules and lists of rules
svm: support vector machines
trees: trees

`from_sklearn` and `from_lightgbm` are imported when first used.
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
