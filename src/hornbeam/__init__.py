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
    from hornbeam import evaluate, export, report, show
    from hornbeam.data.read import read
    from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
    from hornbeam.data.table import Table
    from hornbeam.learn.clusters.cobweb import Cobweb
    from hornbeam.learn.clusters.hierarchical import HierarchicalClustering
    from hornbeam.learn.clusters.kmeans import KMeans
    from hornbeam.learn.clusters.mixture import MixtureModel
    from hornbeam.learn.clusters.spectral import SpectralClustering
    from hornbeam.learn.columns.discretizer import Discretizer
    from hornbeam.learn.columns.greedy_search import greedy
    from hornbeam.learn.columns.select import select_columns
    from hornbeam.learn.explain import distill
    from hornbeam.learn.explain.permutation import permutation_importance
    from hornbeam.learn.explain.proximity import proximities
    from hornbeam.learn.explain.stable import stable_splits
    from hornbeam.learn.forests.bagging import BaggingClassifier, BaggingRegressor
    from hornbeam.learn.forests.boosting import GradientBoostingClassifier, GradientBoostingRegressor
    from hornbeam.learn.forests.random_forest import RandomForestClassifier, RandomForestRegressor
    from hornbeam.learn.linear.discretized import DiscretizedRegressor
    from hornbeam.learn.linear.linear import LinearRegressor
    from hornbeam.learn.linear.polynomial import PolynomialRegressor
    from hornbeam.learn.neighbors.exemplars import ExemplarsClassifier
    from hornbeam.learn.neighbors.ib import IB2Classifier, IB3Classifier, IB5Classifier
    from hornbeam.learn.neighbors.kstar import KStarClassifier, KStarRegressor, kstar_distance
    from hornbeam.learn.neighbors.local import LocallyWeightedClassifier, LocallyWeightedRegressor
    from hornbeam.learn.neighbors.nearest import NeighborsClassifier, NeighborsRegressor
    from hornbeam.learn.rules.c45rules import C45RulesClassifier
    from hornbeam.learn.rules.exceptions import ExceptionRulesClassifier
    from hornbeam.learn.rules.induct import InductClassifier
    from hornbeam.learn.rules.irep import IrepClassifier
    from hornbeam.learn.rules.one_r import OneRClassifier
    from hornbeam.learn.rules.part import PartClassifier
    from hornbeam.learn.rules.prism import PrismClassifier
    from hornbeam.learn.rules.ripper import RipperClassifier
    from hornbeam.learn.svm.classifier import SVMClassifier
    from hornbeam.learn.svm.regressor import SVMRegressor
    from hornbeam.learn.trees import prune
    from hornbeam.learn.trees.c45 import C45Classifier
    from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
    from hornbeam.learn.trees.id3 import ID3Classifier
    from hornbeam.learn.trees.model_trees.m5 import M5Regressor, M5RulesRegressor
    from hornbeam.learn.trees.tree_classifier import TreeClassifier
    from hornbeam.learn.trees.tree_regressor import TreeRegressor
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.clusters.dendrogram import Dendrogram
    from hornbeam.model.clusters.graph_clusters import GraphClusters
    from hornbeam.model.clusters.mixture import Mixture
    from hornbeam.model.clusters.partition import Partition
    from hornbeam.model.files.storage import load, save
    from hornbeam.model.forests.contributions import contributions
    from hornbeam.model.forests.ensemble import Ensemble
    from hornbeam.model.linear.discretized import DiscretizedModel
    from hornbeam.model.linear.linear import LinearModel
    from hornbeam.model.neighbors.exemplars import Exemplars
    from hornbeam.model.neighbors.instances import Instances
    from hornbeam.model.neighbors.kstar import KStarModel
    from hornbeam.model.neighbors.local import LocalModel
    from hornbeam.model.neighbors.pairwise import distance
    from hornbeam.model.rules.rule import Rule, RuleList
    from hornbeam.model.svm.svm import SVM
    from hornbeam.model.trees.tree import Tree

# Where each public name lives; a name without a second part is a module.
_PLACES: dict[str, tuple[str, str | None]] = {
    "BaggingClassifier": ("hornbeam.learn.forests.bagging", "BaggingClassifier"),
    "BaggingRegressor": ("hornbeam.learn.forests.bagging", "BaggingRegressor"),
    "C45Classifier": ("hornbeam.learn.trees.c45", "C45Classifier"),
    "C45RulesClassifier": ("hornbeam.learn.rules.c45rules", "C45RulesClassifier"),
    "CartClassifier": ("hornbeam.learn.trees.cart", "CartClassifier"),
    "CartRegressor": ("hornbeam.learn.trees.cart", "CartRegressor"),
    "Cobweb": ("hornbeam.learn.clusters.cobweb", "Cobweb"),
    "ConceptTree": ("hornbeam.model.clusters.concepts", "ConceptTree"),
    "Dendrogram": ("hornbeam.model.clusters.dendrogram", "Dendrogram"),
    "DiscretizedModel": ("hornbeam.model.linear.discretized", "DiscretizedModel"),
    "DiscretizedRegressor": ("hornbeam.learn.linear.discretized", "DiscretizedRegressor"),
    "Discretizer": ("hornbeam.learn.columns.discretizer", "Discretizer"),
    "Ensemble": ("hornbeam.model.forests.ensemble", "Ensemble"),
    "ExceptionRulesClassifier": ("hornbeam.learn.rules.exceptions", "ExceptionRulesClassifier"),
    "Exemplars": ("hornbeam.model.neighbors.exemplars", "Exemplars"),
    "ExemplarsClassifier": ("hornbeam.learn.neighbors.exemplars", "ExemplarsClassifier"),
    "GradientBoostingClassifier": ("hornbeam.learn.forests.boosting", "GradientBoostingClassifier"),
    "GradientBoostingRegressor": ("hornbeam.learn.forests.boosting", "GradientBoostingRegressor"),
    "GraphClusters": ("hornbeam.model.clusters.graph_clusters", "GraphClusters"),
    "HierarchicalClustering": ("hornbeam.learn.clusters.hierarchical", "HierarchicalClustering"),
    "IB2Classifier": ("hornbeam.learn.neighbors.ib", "IB2Classifier"),
    "IB3Classifier": ("hornbeam.learn.neighbors.ib", "IB3Classifier"),
    "IB5Classifier": ("hornbeam.learn.neighbors.ib", "IB5Classifier"),
    "ID3Classifier": ("hornbeam.learn.trees.id3", "ID3Classifier"),
    "InductClassifier": ("hornbeam.learn.rules.induct", "InductClassifier"),
    "Instances": ("hornbeam.model.neighbors.instances", "Instances"),
    "IrepClassifier": ("hornbeam.learn.rules.irep", "IrepClassifier"),
    "KStarClassifier": ("hornbeam.learn.neighbors.kstar", "KStarClassifier"),
    "KStarModel": ("hornbeam.model.neighbors.kstar", "KStarModel"),
    "KStarRegressor": ("hornbeam.learn.neighbors.kstar", "KStarRegressor"),
    "KMeans": ("hornbeam.learn.clusters.kmeans", "KMeans"),
    "LinearModel": ("hornbeam.model.linear.linear", "LinearModel"),
    "LinearRegressor": ("hornbeam.learn.linear.linear", "LinearRegressor"),
    "LocalModel": ("hornbeam.model.neighbors.local", "LocalModel"),
    "LocallyWeightedClassifier": ("hornbeam.learn.neighbors.local", "LocallyWeightedClassifier"),
    "LocallyWeightedRegressor": ("hornbeam.learn.neighbors.local", "LocallyWeightedRegressor"),
    "M5Regressor": ("hornbeam.learn.trees.model_trees.m5", "M5Regressor"),
    "M5RulesRegressor": ("hornbeam.learn.trees.model_trees.m5", "M5RulesRegressor"),
    "Mixture": ("hornbeam.model.clusters.mixture", "Mixture"),
    "MixtureModel": ("hornbeam.learn.clusters.mixture", "MixtureModel"),
    "NeighborsClassifier": ("hornbeam.learn.neighbors.nearest", "NeighborsClassifier"),
    "NeighborsRegressor": ("hornbeam.learn.neighbors.nearest", "NeighborsRegressor"),
    "Nominal": ("hornbeam.data.schema", "Nominal"),
    "Numeric": ("hornbeam.data.schema", "Numeric"),
    "OneRClassifier": ("hornbeam.learn.rules.one_r", "OneRClassifier"),
    "PolynomialRegressor": ("hornbeam.learn.linear.polynomial", "PolynomialRegressor"),
    "Partition": ("hornbeam.model.clusters.partition", "Partition"),
    "PartClassifier": ("hornbeam.learn.rules.part", "PartClassifier"),
    "PrismClassifier": ("hornbeam.learn.rules.prism", "PrismClassifier"),
    "RandomForestClassifier": ("hornbeam.learn.forests.random_forest", "RandomForestClassifier"),
    "RandomForestRegressor": ("hornbeam.learn.forests.random_forest", "RandomForestRegressor"),
    "RipperClassifier": ("hornbeam.learn.rules.ripper", "RipperClassifier"),
    "Rule": ("hornbeam.model.rules.rule", "Rule"),
    "RuleList": ("hornbeam.model.rules.rule", "RuleList"),
    "SVM": ("hornbeam.model.svm.svm", "SVM"),
    "SVMClassifier": ("hornbeam.learn.svm.classifier", "SVMClassifier"),
    "SVMRegressor": ("hornbeam.learn.svm.regressor", "SVMRegressor"),
    "Schema": ("hornbeam.data.schema", "Schema"),
    "SchemaError": ("hornbeam.data.schema", "SchemaError"),
    "SpectralClustering": ("hornbeam.learn.clusters.spectral", "SpectralClustering"),
    "Table": ("hornbeam.data.table", "Table"),
    "Tree": ("hornbeam.model.trees.tree", "Tree"),
    "TreeClassifier": ("hornbeam.learn.trees.tree_classifier", "TreeClassifier"),
    "TreeRegressor": ("hornbeam.learn.trees.tree_regressor", "TreeRegressor"),
    "contributions": ("hornbeam.model.forests.contributions", "contributions"),
    "distance": ("hornbeam.model.neighbors.pairwise", "distance"),
    "distill": ("hornbeam.learn.explain.distill", None),
    "evaluate": ("hornbeam.evaluate", None),
    "export": ("hornbeam.export", None),
    "greedy": ("hornbeam.learn.columns.greedy_search", "greedy"),
    "kstar_distance": ("hornbeam.learn.neighbors.kstar", "kstar_distance"),
    "load": ("hornbeam.model.files.storage", "load"),
    "permutation_importance": ("hornbeam.learn.explain.permutation", "permutation_importance"),
    "proximities": ("hornbeam.learn.explain.proximity", "proximities"),
    "prune": ("hornbeam.learn.trees.prune", None),
    "read": ("hornbeam.data.read", "read"),
    "report": ("hornbeam.report", None),
    "save": ("hornbeam.model.files.storage", "save"),
    "select_columns": ("hornbeam.learn.columns.select", "select_columns"),
    "show": ("hornbeam.show", None),
    "stable_splits": ("hornbeam.learn.explain.stable", "stable_splits"),
}

__all__ = [
    "SVM",
    "BaggingClassifier",
    "BaggingRegressor",
    "C45Classifier",
    "C45RulesClassifier",
    "CartClassifier",
    "CartRegressor",
    "Cobweb",
    "ConceptTree",
    "Dendrogram",
    "DiscretizedModel",
    "DiscretizedRegressor",
    "Discretizer",
    "Ensemble",
    "ExceptionRulesClassifier",
    "Exemplars",
    "ExemplarsClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "GraphClusters",
    "HierarchicalClustering",
    "IB2Classifier",
    "IB3Classifier",
    "IB5Classifier",
    "ID3Classifier",
    "InductClassifier",
    "Instances",
    "IrepClassifier",
    "KMeans",
    "KStarClassifier",
    "KStarModel",
    "KStarRegressor",
    "LinearModel",
    "LinearRegressor",
    "LocalModel",
    "LocallyWeightedClassifier",
    "LocallyWeightedRegressor",
    "M5Regressor",
    "M5RulesRegressor",
    "Mixture",
    "MixtureModel",
    "NeighborsClassifier",
    "NeighborsRegressor",
    "Nominal",
    "Numeric",
    "OneRClassifier",
    "PartClassifier",
    "Partition",
    "PolynomialRegressor",
    "PrismClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "RipperClassifier",
    "Rule",
    "RuleList",
    "SVMClassifier",
    "SVMRegressor",
    "Schema",
    "SchemaError",
    "SpectralClustering",
    "Table",
    "Tree",
    "TreeClassifier",
    "TreeRegressor",
    "contributions",
    "distance",
    "distill",
    "evaluate",
    "export",
    "greedy",
    "kstar_distance",
    "load",
    "permutation_importance",
    "proximities",
    "prune",
    "read",
    "report",
    "save",
    "select_columns",
    "show",
    "stable_splits",
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


def _html(estimator: Any) -> str:  # noqa: ANN401 - any estimator of ours
    """Write a fitted estimator for a notebook; `learn` asks for it here, since it may not know of `report`."""
    written: str = import_module("hornbeam.report.compact").compact(estimator)
    return written


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES, "__version__"])
