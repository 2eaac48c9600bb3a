"""Models: what learning produces, as plain data, and model files.

base: what all models share
clusters: clusterings
files: saving and loading
forests: forests and ensembles
imported: models of scikit-learn, XGBoost, LightGBM, CatBoost and YDF, and trees in ONNX and PMML files
linear: linear models
neighbors: distances, and models that keep training rows
rules: rules and lists of rules
svm: support vector machines
trees: trees

`from_sklearn`, `from_xgboost`, `from_lightgbm`, `from_catboost`, `from_ydf`, `from_onnx` and `from_pmml` are
imported when first used.
"""

from __future__ import annotations

from hornbeam._lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
