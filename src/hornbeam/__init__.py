"""Readable machine learning for tables.

The public names are found here and imported when they are first used (PEP 562), so that ``import hornbeam`` and
``hornbeam --help`` take no time.

Examples
--------
>>> import hornbeam
>>> table = hornbeam.read("weather")
>>> tree = hornbeam.C45Classifier().fit(table)
>>> print(hornbeam.show.text(tree.model_, style="weka"))  # doctest: +ELLIPSIS
outlook = sunny
|   humidity = high: no (3.0)
...
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam import evaluate, export, show
    from hornbeam.data.read import read
    from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
    from hornbeam.data.table import Table
    from hornbeam.learn.discretizer import Discretizer
    from hornbeam.learn.trees import prune
    from hornbeam.learn.trees.c45 import C45Classifier
    from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
    from hornbeam.learn.trees.id3 import ID3Classifier
    from hornbeam.learn.trees.tree_classifier import TreeClassifier
    from hornbeam.learn.trees.tree_regressor import TreeRegressor
    from hornbeam.model.rule import Rule, RuleList
    from hornbeam.model.storage import load, save
    from hornbeam.model.tree import Tree

# Where each public name lives; a name without a second part is a module.
_PLACES: dict[str, tuple[str, str | None]] = {
    "C45Classifier": ("hornbeam.learn.trees.c45", "C45Classifier"),
    "CartClassifier": ("hornbeam.learn.trees.cart", "CartClassifier"),
    "CartRegressor": ("hornbeam.learn.trees.cart", "CartRegressor"),
    "Discretizer": ("hornbeam.learn.discretizer", "Discretizer"),
    "ID3Classifier": ("hornbeam.learn.trees.id3", "ID3Classifier"),
    "Nominal": ("hornbeam.data.schema", "Nominal"),
    "Numeric": ("hornbeam.data.schema", "Numeric"),
    "Rule": ("hornbeam.model.rule", "Rule"),
    "RuleList": ("hornbeam.model.rule", "RuleList"),
    "Schema": ("hornbeam.data.schema", "Schema"),
    "SchemaError": ("hornbeam.data.schema", "SchemaError"),
    "Table": ("hornbeam.data.table", "Table"),
    "Tree": ("hornbeam.model.tree", "Tree"),
    "TreeClassifier": ("hornbeam.learn.trees.tree_classifier", "TreeClassifier"),
    "TreeRegressor": ("hornbeam.learn.trees.tree_regressor", "TreeRegressor"),
    "evaluate": ("hornbeam.evaluate", None),
    "export": ("hornbeam.export", None),
    "load": ("hornbeam.model.storage", "load"),
    "prune": ("hornbeam.learn.trees.prune", None),
    "read": ("hornbeam.data.read", "read"),
    "save": ("hornbeam.model.storage", "save"),
    "show": ("hornbeam.show", None),
}

__all__ = [
    "C45Classifier",
    "CartClassifier",
    "CartRegressor",
    "Discretizer",
    "ID3Classifier",
    "Nominal",
    "Numeric",
    "Rule",
    "RuleList",
    "Schema",
    "SchemaError",
    "Table",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "evaluate",
    "export",
    "load",
    "prune",
    "read",
    "save",
    "show",
]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the name stands for
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("hornbeam")
    elif name in _PLACES:
        module, attribute = _PLACES[name]
        value = import_module(module)
        if attribute is not None:
            value = getattr(value, attribute)
    else:
        msg = f"module 'hornbeam' has no attribute {name!r}"
        raise AttributeError(msg)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES, "__version__"])
