"""The kinds of models, and how each is learned: small, because every one is written and run in every format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import hornbeam

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Kind:
    """A kind of model: its name in the table, what it predicts, and estimators that learn it."""

    name: str
    predicts: str  # category, number, cluster
    makes: dict[str, Callable[[], Any]] = field(default_factory=dict)


def _of(name: str, estimator: str, **options: Any) -> dict[str, Callable[[], Any]]:
    return {name: lambda: getattr(hornbeam, estimator)(**options)}


TREES = 5
KINDS = (
    Kind(
        "C4.5 trees (fractional rows)",
        "category",
        _of("c45", "C45Classifier") | _of("c45-laplace", "C45Classifier", leaf="laplace", nominal="one-vs-rest"),
    ),
    Kind(
        "CART trees (surrogates)",
        "category",
        _of("cart", "CartClassifier", random_state=0)
        | _of("cart-deep", "CartClassifier", choose="cp", cp=0.001, random_state=0),
    ),
    Kind("ID3 trees", "category", _of("id3", "ID3Classifier", missing="own-category")),
    Kind(
        "trees with default directions",
        "category",
        _of("tree", "TreeClassifier", random_state=0)
        | _of("tree-multi", "TreeClassifier", numeric="multi-cut", nominal="grouped", missing="majority"),
    ),
    Kind("CART regression trees", "number", _of("cart", "CartRegressor", random_state=0)),
    Kind(
        "regression trees",
        "number",
        _of("tree", "TreeRegressor", random_state=0)
        | _of("tree-fractional", "TreeRegressor", missing="fractional", random_state=0),
    ),
    Kind("model trees (M5)", "number", _of("m5", "M5Regressor")),
    Kind(
        "committees of model trees",
        "number",
        _of("m5-committee", "M5Regressor", committees=3) | _of("m5-neighbors", "M5Regressor", neighbors=5),
    ),
    Kind("M5 rules", "number", _of("m5-rules", "M5RulesRegressor")),
    Kind("1R", "category", _of("one-r", "OneRClassifier")),
    Kind(
        "PRISM and INDUCT rules",
        "category",
        _of("prism", "PrismClassifier")
        | _of("prism-vote", "PrismClassifier", decide="vote")
        | _of("induct", "InductClassifier"),
    ),
    Kind("rules with exceptions", "category", _of("exceptions", "ExceptionRulesClassifier")),
    Kind(
        "RIPPER and IREP rules",
        "category",
        _of("ripper", "RipperClassifier", random_state=0)
        | _of("ripper-vote", "RipperClassifier", decide="vote", random_state=0)
        | _of("irep", "IrepClassifier", random_state=0),
    ),
    Kind("PART rules", "category", _of("part", "PartClassifier")),
    Kind("C4.5rules", "category", _of("c45rules", "C45RulesClassifier")),
    Kind("random forests", "category", _of("forest", "RandomForestClassifier", n_estimators=TREES, random_state=0)),
    Kind("random forests", "number", _of("forest", "RandomForestRegressor", n_estimators=TREES, random_state=0)),
    Kind("boosting", "category", _of("boosting", "GradientBoostingClassifier", n_estimators=TREES, random_state=0)),
    Kind("boosting", "number", _of("boosting", "GradientBoostingRegressor", n_estimators=TREES, random_state=0)),
    Kind("bagging", "category", _of("bagging", "BaggingClassifier", n_estimators=3, random_state=0)),
    Kind("bagging", "number", _of("bagging", "BaggingRegressor", n_estimators=3, random_state=0)),
    Kind("linear regression", "number", _of("linear", "LinearRegressor")),
    Kind("polynomial regression", "number", _of("polynomial", "PolynomialRegressor")),
    Kind("regression by classes", "number", _of("discretized", "DiscretizedRegressor")),
    Kind(
        "SVM, linear",
        "category",
        _of("svm-linear", "SVMClassifier", kernel="linear")
        | _of("svm-linear-proba", "SVMClassifier", kernel="linear", probability=True, random_state=0),
    ),
    Kind("SVM, linear", "number", _of("svm-linear", "SVMRegressor", kernel="linear")),
    Kind("SVM, rbf", "category", _of("svm-rbf", "SVMClassifier")),
    Kind("SVM, rbf", "number", _of("svm-rbf", "SVMRegressor")),
    Kind("SVM, polynomial", "category", _of("svm-poly", "SVMClassifier", kernel="polynomial", degree=2)),
    Kind("SVM, polynomial", "number", _of("svm-poly", "SVMRegressor", kernel="polynomial", degree=2)),
    Kind("nearest neighbors", "category", _of("neighbors", "NeighborsClassifier", n_neighbors=3)),
    Kind("nearest neighbors", "number", _of("neighbors", "NeighborsRegressor", n_neighbors=3)),
    Kind("IB2, IB3", "category", _of("ib2", "IB2Classifier") | _of("ib3", "IB3Classifier")),
    Kind("IB5", "category", _of("ib5", "IB5Classifier")),
    Kind("K*", "category", _of("kstar", "KStarClassifier")),
    Kind("K*", "number", _of("kstar", "KStarRegressor")),
    Kind("locally weighted learning", "category", _of("locally-weighted", "LocallyWeightedClassifier")),
    Kind("locally weighted learning", "number", _of("locally-weighted", "LocallyWeightedRegressor")),
    Kind("exemplars", "category", _of("exemplars", "ExemplarsClassifier")),
    Kind(
        "costs and thresholds",
        "category",
        {"c45-costs": lambda: None, "boosting-costs": lambda: None}  # made from the classes, see `estimator`
        | _of("c45-threshold", "C45Classifier", decision_threshold=0.3)
        | _of("forest-threshold", "RandomForestClassifier", n_estimators=TREES, decision_threshold=0.3, random_state=0),
    ),
    Kind("k-means", "cluster", _of("k-means", "KMeans", n_clusters=4, random_state=0)),
    Kind("mixtures", "cluster", _of("em", "MixtureModel", n_components=3, random_state=0)),
    Kind("COBWEB", "cluster", _of("cobweb", "Cobweb")),
    Kind("hierarchical clusters", "cluster", _of("hierarchical", "HierarchicalClustering")),
    Kind("spectral clusters", "cluster", _of("spectral", "SpectralClustering", n_clusters=3, random_state=0)),
)


def estimator(kind: Kind, name: str, classes: tuple[str, ...]) -> Any:
    """An estimator that is not fitted; one with costs needs the names of the classes."""
    costs = {classes[-1]: {classes[0]: 5.0}} if name.endswith("-costs") else None
    if name == "c45-costs":
        return hornbeam.C45Classifier(costs=costs)
    if name == "boosting-costs":
        return hornbeam.GradientBoostingClassifier(n_estimators=TREES, random_state=0, costs=costs)
    return kind.makes[name]()
