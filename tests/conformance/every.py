"""Every estimator of the project, in the settings that matter, and the tables they are checked on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.data.schema import Column, Role
    from hornbeam.schemes.scheme import Scheme

CLASSIFIERS: dict[str, Any] = {
    "c45": hornbeam.C45Classifier(),
    "c45 unpruned": hornbeam.C45Classifier(prune=None, collapse=False),
    "c45 one-vs-rest": hornbeam.C45Classifier(nominal="one-vs-rest", leaf="laplace"),
    "c45 reduced-error": hornbeam.C45Classifier(prune="reduced-error", random_state=0),
    "c45 as rules": hornbeam.C45Classifier(prune="rules"),
    "c45 weka": hornbeam.C45Classifier(compat="weka"),
    "id3": hornbeam.ID3Classifier(missing="own-category"),
    "cart": hornbeam.CartClassifier(random_state=0),
    "cart entropy": hornbeam.CartClassifier(criterion="entropy", cp=0, min_samples_split=2, folds=0),
    "tree": hornbeam.TreeClassifier(),
    "tree fractional": hornbeam.TreeClassifier(
        criterion="gain-ratio", nominal="multiway", missing="fractional", prune="pessimistic", min_samples_leaf=2
    ),
    "tree grouped": hornbeam.TreeClassifier(
        criterion="chi-square", nominal="grouped", missing="majority", significance=0.05
    ),
    "tree several cuts": hornbeam.TreeClassifier(
        numeric="multi-cut", max_cuts=2, missing="own-category", min_samples_leaf=5
    ),
    "tree best first": hornbeam.TreeClassifier(
        criterion="information-gain", max_leaf_nodes=8, nominal="one-vs-rest", missing="impute", leaf="m-estimate"
    ),
    "tree surrogates": hornbeam.TreeClassifier(numeric="discretized", missing="surrogate", max_depth=5, leaf="laplace"),
    "tree combinations": hornbeam.TreeClassifier(combinations=True, max_depth=3, missing="majority"),
    "tree cost-complexity": hornbeam.TreeClassifier(prune="cost-complexity", folds=5, random_state=0),
    "optimal": hornbeam.OptimalTreeClassifier(max_depth=2),
    "optimal branches": hornbeam.OptimalTreeClassifier(
        max_depth=3, nominal="multiway", missing="own-category", penalty=0.02, min_samples_leaf=3
    ),
    "one-r": hornbeam.OneRClassifier(),
    "prism": hornbeam.PrismClassifier(),
    "induct": hornbeam.InductClassifier(),
    "exceptions": hornbeam.ExceptionRulesClassifier(),
    "ripper": hornbeam.RipperClassifier(random_state=0),
    "irep": hornbeam.IrepClassifier(random_state=0),
    "part": hornbeam.PartClassifier(),
    "part unpruned": hornbeam.PartClassifier(prune=None),
    "c45rules": hornbeam.C45RulesClassifier(),
    "bagging": hornbeam.BaggingClassifier(n_estimators=5, random_state=0),
    "forest": hornbeam.RandomForestClassifier(10, random_state=0),
    "boosting": hornbeam.GradientBoostingClassifier(10, random_state=0),
    "neighbors": hornbeam.NeighborsClassifier(),
    "neighbors weighted": hornbeam.NeighborsClassifier(weights="inverse"),
    "ib2": hornbeam.IB2Classifier(),
    "ib3": hornbeam.IB3Classifier(),
    "ib5": hornbeam.IB5Classifier(),
    "kstar": hornbeam.KStarClassifier(),
    "locally-weighted": hornbeam.LocallyWeightedClassifier(),
    "exemplars": hornbeam.ExemplarsClassifier(),
    "svm": hornbeam.SVMClassifier(random_state=0, tol=1e-9),
    "svm linear": hornbeam.SVMClassifier(kernel="linear", random_state=0, tol=1e-9),
}
REGRESSORS: dict[str, Any] = {
    "cart numbers": hornbeam.CartRegressor(random_state=0),
    "tree numbers": hornbeam.TreeRegressor(min_samples_leaf=5),
    "tree absolute error": hornbeam.TreeRegressor(criterion="absolute-error", missing="majority", min_samples_leaf=5),
    "tree linear leaves": hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=20),
    "optimal numbers": hornbeam.OptimalTreeRegressor(max_depth=2),
    "linear": hornbeam.LinearRegressor(),
    "linear greedy": hornbeam.LinearRegressor("greedy"),
    "linear unselected": hornbeam.LinearRegressor(None),
    "polynomial": hornbeam.PolynomialRegressor(2, ridge=0.01),
    "discretized": hornbeam.DiscretizedRegressor(),
    "m5": hornbeam.M5Regressor(),
    "m5 committees": hornbeam.M5Regressor(committees=3),
    "m5 neighbors": hornbeam.M5Regressor(neighbors=5),
    "m5-rules": hornbeam.M5RulesRegressor(),
    "bagging numbers": hornbeam.BaggingRegressor(n_estimators=5, random_state=0),
    "forest numbers": hornbeam.RandomForestRegressor(10, random_state=0),
    "boosting numbers": hornbeam.GradientBoostingRegressor(10, random_state=0),
    "neighbors numbers": hornbeam.NeighborsRegressor(),
    "kstar numbers": hornbeam.KStarRegressor(),
    "locally-weighted numbers": hornbeam.LocallyWeightedRegressor(),
    "svm numbers": hornbeam.SVMRegressor(tol=1e-9),
}
CLUSTERERS: dict[str, Any] = {
    "k-means": hornbeam.KMeans(3, random_state=0),
    "k-means bisecting": hornbeam.KMeans(3, algorithm="bisecting", random_state=0),
    "mixture": hornbeam.MixtureModel(2, random_state=0),
    "mixture full": hornbeam.MixtureModel(2, covariance_type="full", min_deviation=0.1, random_state=0),
    "cobweb": hornbeam.Cobweb(0.5),
    "ward": hornbeam.HierarchicalClustering(3),
    "average linkage": hornbeam.HierarchicalClustering(3, linkage="average"),
    "top-down": hornbeam.HierarchicalClustering(3, direction="top-down"),
    "spectral": hornbeam.SpectralClustering(3, random_state=0),
}
PREDICTORS = CLASSIFIERS | REGRESSORS
EVERY = PREDICTORS | CLUSTERERS

# Further settings for tables that are hard on arithmetic: other kernels, and leaves small enough for few rows.
HARD: dict[str, dict[str, Any]] = {
    "category": {
        "cart few rows": hornbeam.CartClassifier(
            criterion="entropy", cp=0, min_samples_split=2, min_samples_leaf=1, folds=0
        ),
        "tree imputed": hornbeam.TreeClassifier(numeric="discretized", missing="impute", leaf="m-estimate"),
        "boosting few rows": hornbeam.GradientBoostingClassifier(6, min_samples_leaf=2),
        "neighbors by deviation": hornbeam.NeighborsClassifier(3, weights="inverse", numeric="deviation"),
        "svm probabilities": hornbeam.SVMClassifier(kernel="linear", probability=True, max_iter=1000, random_state=0),
        "svm polynomial": hornbeam.SVMClassifier(kernel="polynomial", degree=2, scale="standardize"),
    },
    "number": {
        "cart medians": hornbeam.CartRegressor(criterion="absolute-error", cp=0, folds=0),
        "tree small leaves": hornbeam.TreeRegressor(),
        "tree small linear leaves": hornbeam.TreeRegressor(leaf="linear"),
        "boosting numbers, few rows": hornbeam.GradientBoostingRegressor(6, min_samples_leaf=2),
        "boosting medians": hornbeam.GradientBoostingRegressor(6, loss="absolute", min_samples_leaf=2),
        "polynomial without ridge": hornbeam.PolynomialRegressor(),
        "svm numbers, linear": hornbeam.SVMRegressor(kernel="linear", scale=None, max_iter=1000),
    },
    "cluster": {
        "k-means as is": hornbeam.KMeans(2, numeric="as-is", random_state=0),
        "mixture full, default floor": hornbeam.MixtureModel(2, covariance_type="full", random_state=0),
        "ward as is": hornbeam.HierarchicalClustering(2, linkage="ward", numeric="as-is"),
        "cobweb default": hornbeam.Cobweb(),
    },
}
# Estimators whose fit calls no kernel that may take long: one pass over the rows, or Python code, which needs no poll.
NEVER_LONG = {
    "ExemplarsClassifier",
    "KMeans",
    "KStarClassifier",
    "KStarRegressor",
    "K* of categories",
    "LinearRegressor",
    "LocallyWeightedClassifier",
    "LocallyWeightedRegressor",
    "M5 as in WEKA",
    "MixtureModel",
    "NeighborsClassifier",
    "NeighborsRegressor",
    "OneRClassifier",
    "PolynomialRegressor",
    "bisecting k-means",
    "mixture of several",
    "neighbors in many columns",
    "neighbors of categories",
}
BY_KIND = {"category": CLASSIFIERS, "number": REGRESSORS, "cluster": CLUSTERERS}

QUICK: dict[str, Any] = {"n_estimators": 5, "committees": 2}
SCHEMES_OF = {kind: [scheme for scheme in SCHEMES if scheme.predicts == kind] for kind in ("category", "number")}


def hard_settings() -> dict[str, tuple[str, Any]]:
    """What a setting predicts, and its estimator, by name: all settings, and those of `HARD`."""
    return {name: (kind, made) for kind, made_by in BY_KIND.items() for name, made in (made_by | HARD[kind]).items()}


def of_scheme(scheme: Scheme, **given: Any) -> Any:
    """An estimator of a scheme: few members, a fixed seed, and the given parameters."""
    names = {parameter.name for parameter in scheme.parameters}
    quick = {name: value for name, value in QUICK.items() if name in names}
    if "random_state" in names:
        quick["random_state"] = 0
    return scheme.load()(**(quick | given))


def features(random: np.random.Generator, n: int, *, missing: float = 0.05) -> tuple[list[Column], list[Any]]:
    """Draw two numeric columns without ties, one with ties, and two nominal columns; some values are missing."""
    numbers = [random.normal(size=n), random.gamma(2.0, size=n) * 10, random.integers(0, 6, n).astype(float)]
    codes = [random.integers(0, 3, n).astype(np.int32), random.integers(0, 4, n).astype(np.int32)]
    for column in numbers:
        column[random.random(n) < missing] = np.nan
    for column in codes:
        column[random.random(n) < missing] = -1
    names = [Numeric("u"), Numeric("v"), Numeric("k"), Nominal("color", tuple("rgb")), Nominal("shape", tuple("wxyz"))]
    return names, [*numbers, *codes]


def class_table(n: int = 120, *, seed: int = 0, missing: float = 0.05, n_classes: int = 3) -> Table:
    """Draw a table whose class depends on numbers and categories, with some noise."""
    random = np.random.default_rng(seed)
    columns, values = features(random, n, missing=missing)
    score = np.nan_to_num(values[0]) + np.nan_to_num(values[1]) / 10 + (values[3] == 1) * 1.5
    label = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes)).astype(np.int32)
    noisy = random.random(n) < 0.1
    label[noisy] = random.integers(0, n_classes, noisy.sum())
    target = Nominal("class", tuple(f"class {name}" for name in "abcdefgh"[:n_classes]))
    return Table(Schema((*columns, target), (*["feature"] * 5, "target")), [*values, label])


def number_table(n: int = 120, *, seed: int = 0, missing: float = 0.05) -> Table:
    """Draw a table whose target depends on numbers and categories, with some noise."""
    random = np.random.default_rng(seed)
    columns, values = features(random, n, missing=missing)
    y = 3 * np.nan_to_num(values[0]) + np.nan_to_num(values[1]) / 5 + (values[3] == 1) * 4 + random.normal(size=n)
    return Table(Schema((*columns, Numeric("y")), (*["feature"] * 5, "target")), [*values, y])


def plain_table(n: int = 120, *, seed: int = 0) -> Table:
    """Draw three groups of rows without a target."""
    random = np.random.default_rng(seed)
    group = random.integers(0, 3, n)
    values = [random.normal(size=n) + 4 * group, random.normal(size=n) - 4 * (group == 1), random.normal(size=n)]
    code = np.where(random.random(n) < 0.9, group, random.integers(0, 3, n)).astype(np.int32)
    columns = (Numeric("u"), Numeric("v"), Numeric("w"), Nominal("color", tuple("rgb")))
    return Table(Schema(columns, ("feature",) * 4), [*values, code])


def random_table(seed: int, target: str, *, missing: bool = True, weights: Any = None, rows: int = 60) -> Table:
    """Numbers with ties, categories, and a target that depends on them: ``"category"`` or ``"number"``."""
    source = np.random.default_rng(seed)
    first = source.integers(0, 6, rows).astype(float)
    second = np.round(source.normal(size=rows), 1)
    third = source.integers(0, 3, rows).astype(np.int32)
    fourth = source.integers(0, 2, rows).astype(np.int32)
    signal = first + 2.0 * second + 1.5 * third + source.normal(size=rows)
    if missing:
        for values in (first, second):
            values[source.random(rows) < 0.15] = np.nan
        third[source.random(rows) < 0.15] = -1
    columns: list[Column] = [
        Numeric("first"), Numeric("second"), Nominal("third", ("a", "b", "c")), Nominal("fourth", ("u", "v")),
    ]  # fmt: skip
    arrays: list[Any] = [first, second, third, fourth]
    if target == "number":
        columns.append(Numeric("target"))
        arrays.append(np.round(signal, 1))
    else:
        columns.append(Nominal("target", ("low", "middle", "high")))
        arrays.append(np.searchsorted(np.quantile(signal, [0.4, 0.75]), signal).astype(np.int32))
    roles: list[Role] = ["feature"] * 4 + ["target"]
    if weights is not None:
        columns.append(Numeric("weight"))
        arrays.append(np.broadcast_to(weights, (rows,)).astype(np.float64))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


def table_for(name: str, n: int = 120, *, seed: int = 0, missing: float = 0.05) -> Table:
    """Draw a table that the estimator of this name can learn from."""
    if name in CLASSIFIERS:
        return class_table(n, seed=seed, missing=missing)
    if name in REGRESSORS:
        return number_table(n, seed=seed, missing=missing)
    return plain_table(n, seed=seed)


def new_rows(name: str, n: int = 80) -> Table:
    """Draw rows that the estimator has not seen."""
    return table_for(name, n, seed=99)


def predictions(name: str, estimator: Any, table: Table) -> np.ndarray[Any, Any]:
    """Give what the estimator says of the rows: probabilities of classes, numbers, or clusters."""
    asked = table.select(table.schema.features)
    if name in CLASSIFIERS:
        return np.asarray(estimator.predict_proba(asked))
    return np.asarray(estimator.predict(asked))


def same_clusters(one: Iterable[int], other: Iterable[int]) -> bool:
    """Whether two clusterings are the same, however the clusters are numbered."""
    pairs = set(zip(one, other, strict=True))
    return len(pairs) == len({first for first, _ in pairs}) == len({second for _, second in pairs})
