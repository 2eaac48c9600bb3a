"""The ensembles in the list of schemes; see `schemes.py`."""

from __future__ import annotations

from dataclasses import replace

from hornbeam.schemes.scheme import (
    CLASS_WEIGHT,
    COSTS,
    DECISION_THRESHOLD,
    FEW_ROWS,
    N_JOBS,
    RANDOM_STATE,
    Parameter,
    Scheme,
)
from hornbeam.schemes.search_range import Range

_MEMBER = Parameter(
    "estimator", None, "choice", "scheme of the members; none: c45, not pruned", (None,), built_on="category"
)
_NUMBER_MEMBER = replace(_MEMBER, summary="scheme of the members; none: tree, not pruned", built_on="number")
_SAMPLES: tuple[Parameter, ...] = (
    Parameter("n_estimators", 10, "integer", "how many models"),
    Parameter(
        "max_samples",
        1.0,
        "number",
        "rows that a model learns from: a share (0.5), or so many (50)",
        search=Range(0.2, 1, steps=5),
    ),
    Parameter("bootstrap", True, "switch", "whether a row can be drawn more than once"),
    Parameter(
        "max_features",
        1.0,
        "number",
        "columns that a model looks at: a share (0.5), or so many (5)",
        search=Range(0.2, 1, steps=5),
    ),
)
_OUT_OF_BAG = Parameter("oob_score", False, "switch", "ask members about the rows that they did not learn from")

BAGGING_CLASSIFIER = Scheme(
    name="bagging",
    title="Bagging",
    estimator="BaggingClassifier",
    module="hornbeam.learn.forests.bagging",
    summary="one scheme on many samples of the rows; the models answer together",
    predicts="category",
    parameters=(
        _MEMBER,
        *_SAMPLES,
        Parameter("decide", "mean", "choice", "shares are averaged, or every model has a vote", ("mean", "vote")),
        _OUT_OF_BAG,
        CLASS_WEIGHT,
        COSTS,
        DECISION_THRESHOLD,
        N_JOBS,
        RANDOM_STATE,
    ),
    makes="ensemble",
)

BAGGING_REGRESSOR = Scheme(
    name="bagging",
    title="Bagging",
    estimator="BaggingRegressor",
    module="hornbeam.learn.forests.bagging",
    summary="one scheme on many samples of the rows; the mean of the models' answers",
    predicts="number",
    parameters=(_NUMBER_MEMBER, *_SAMPLES, _OUT_OF_BAG, N_JOBS, RANDOM_STATE),
    makes="ensemble",
)

_FOREST: tuple[Parameter, ...] = (
    Parameter(
        "max_features",
        "sqrt",
        "choice",
        "columns a node chooses from",
        ("sqrt", "log2", "third", None),
        search=("sqrt", "log2", "third", None),
    ),
    Parameter("features_per", "node", "choice", "how often columns are drawn", ("node", "tree")),
    Parameter(
        "numeric",
        "histogram",
        "choice",
        "cut numbers between bins, or anywhere",
        ("histogram", "one-cut"),
        "numeric-cuts",
    ),
    Parameter("extremely_randomised", False, "switch", "try one random cut a column, not its best"),
    Parameter("max_depth", None, "integer", "most splits on a way down"),
    Parameter("max_leaf_nodes", None, "integer", "most leaves of a tree"),
    Parameter("min_samples_leaf", 1, "number", "both sides of a split hold at least this much weight", search=FEW_ROWS),
    Parameter("min_samples_split", 2, "number", "nodes with less weight are leaves"),
    Parameter("bootstrap", True, "switch", "whether a row can be drawn more than once"),
    Parameter("max_samples", 1.0, "number", "rows that a tree draws: a share (0.5), or so many (50)"),
    Parameter("max_bins", 256, "integer", "most bins of a numeric column"),
    _OUT_OF_BAG,
)
_TREES = Parameter("n_estimators", 100, "integer", "how many trees")

RANDOM_FOREST_CLASSIFIER = Scheme(
    name="forest",
    title="Random forest",
    estimator="RandomForestClassifier",
    module="hornbeam.learn.forests.random_forest",
    summary="many trees on samples of the rows, each node choosing among a few columns",
    predicts="category",
    parameters=(
        _TREES,
        Parameter("criterion", "gini", "choice", "how splits are chosen", ("gini", "information-gain")),
        *_FOREST,
        CLASS_WEIGHT,
        COSTS,
        DECISION_THRESHOLD,
        N_JOBS,
        RANDOM_STATE,
    ),
    makes="forest",
)

RANDOM_FOREST_REGRESSOR = Scheme(
    name="forest",
    title="Random forest",
    estimator="RandomForestRegressor",
    module="hornbeam.learn.forests.random_forest",
    summary="many trees on samples of the rows, each node choosing among a few columns",
    predicts="number",
    parameters=(
        _TREES,
        *_FOREST,
        Parameter("keep_targets", False, "switch", "keep the leaves' targets, for quantiles"),
        N_JOBS,
        RANDOM_STATE,
    ),
    makes="forest",
)

FOREST_SCHEMES: tuple[Scheme, ...] = (
    BAGGING_CLASSIFIER,
    BAGGING_REGRESSOR,
    RANDOM_FOREST_CLASSIFIER,
    RANDOM_FOREST_REGRESSOR,
)
