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

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
