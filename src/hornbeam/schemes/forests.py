"""Schemes that learn ensembles of trees: bagging, random forests, gradient boosting."""

from __future__ import annotations

from dataclasses import replace

from hornbeam.schemes.scheme import (
    DECISIONS,
    DEVICE,
    FEW_ROWS,
    MONOTONE,
    N_JOBS,
    RANDOM_STATE,
    VERBOSE,
    Parameter,
    Range,
    Scheme,
)

_MEMBER = Parameter(
    "estimator", None, "choice", "scheme of the members; none: unpruned c45", (None,), built_on="category"
)
_NUMBER_MEMBER = replace(_MEMBER, summary="scheme of the members; none: unpruned tree", built_on="number")
_SAMPLES: tuple[Parameter, ...] = (
    Parameter("n_estimators", 10, "integer", "number of models"),
    Parameter(
        "max_samples",
        1.0,
        "number",
        "rows per model: a fraction (0.5), or a number (50)",
        search=Range(0.2, 1, steps=5),
    ),
    Parameter("bootstrap", True, "switch", "draw rows with replacement"),
    Parameter(
        "max_features",
        1.0,
        "number",
        "columns per model: a fraction (0.5), or a number (5)",
        search=Range(0.2, 1, steps=5),
    ),
)
_OUT_OF_BAG = Parameter("oob_score", False, "switch", "estimate the score from out-of-bag rows")

BAGGING_CLASSIFIER = Scheme(
    name="bagging",
    title="Bagging",
    estimator="BaggingClassifier",
    module="hornbeam.learn.forests.bagging",
    summary="one scheme on many bootstrap samples of the rows, predictions combined",
    predicts="category",
    parameters=(
        _MEMBER,
        *_SAMPLES,
        Parameter("decide", "mean", "choice", "average probabilities, or count votes", ("mean", "vote")),
        _OUT_OF_BAG,
        *DECISIONS,
        N_JOBS,
        RANDOM_STATE,
        VERBOSE,
    ),
    makes="ensemble",
)

BAGGING_REGRESSOR = replace(
    BAGGING_CLASSIFIER,
    estimator="BaggingRegressor",
    summary="one scheme on many bootstrap samples of the rows, predictions averaged",
    predicts="number",
    parameters=(_NUMBER_MEMBER, *_SAMPLES, _OUT_OF_BAG, N_JOBS, RANDOM_STATE, VERBOSE),
)

_FOREST: tuple[Parameter, ...] = (
    Parameter(
        "max_features",
        "sqrt",
        "choice",
        "how many columns a node chooses from",
        ("sqrt", "log2", "third", None),
        search=("sqrt", "log2", "third", None),
    ),
    Parameter("features_per", "node", "choice", "draw columns per node or per tree", ("node", "tree")),
    Parameter(
        "numeric",
        "histogram",
        "choice",
        "cut numbers between bins, or between any two values",
        ("histogram", "one-cut"),
        "numeric-cuts",
    ),
    Parameter("extremely_randomized", False, "switch", "try one random cut per column instead of its best"),
    Parameter("max_depth", None, "integer", "maximum depth of a tree"),
    Parameter("max_leaf_nodes", None, "integer", "maximum leaves of a tree"),
    Parameter("min_samples_leaf", 1, "number", "minimum weight of both sides of a split", search=FEW_ROWS),
    Parameter("min_samples_split", 2, "number", "nodes with less weight are leaves"),
    Parameter("bootstrap", True, "switch", "draw rows with replacement"),
    Parameter("max_samples", 1.0, "number", "rows per tree: a fraction (0.5), or a number (50)"),
    Parameter("max_bins", 256, "integer", "maximum number of bins of a numeric column"),
    _OUT_OF_BAG,
)
_TREES = Parameter("n_estimators", 100, "integer", "number of trees")

RANDOM_FOREST_CLASSIFIER = Scheme(
    name="forest",
    title="Random forest",
    estimator="RandomForestClassifier",
    module="hornbeam.learn.forests.random_forest",
    summary="many trees on bootstrap samples, with a random choice of columns at each node",
    predicts="category",
    parameters=(
        _TREES,
        Parameter("criterion", "gini", "choice", "how splits are ranked", ("gini", "information-gain")),
        *_FOREST,
        *DECISIONS,
        N_JOBS,
        RANDOM_STATE,
        VERBOSE,
    ),
    makes="forest",
)

RANDOM_FOREST_REGRESSOR = replace(
    RANDOM_FOREST_CLASSIFIER,
    estimator="RandomForestRegressor",
    predicts="number",
    parameters=(
        _TREES,
        Parameter("criterion", "variance", "choice", "how splits are ranked", ("variance",)),
        *_FOREST,
        Parameter("keep_targets", False, "switch", "keep the targets of leaves, for quantiles"),
        N_JOBS,
        RANDOM_STATE,
        VERBOSE,
    ),
)

_LOSS = Parameter(
    "loss", "auto", "choice", "one score for two classes, or one per class", ("auto", "logistic", "multinomial")
)
_BOOSTING: tuple[Parameter, ...] = (
    Parameter("n_estimators", 100, "integer", "number of rounds, each with one tree (or one per class)"),
    Parameter(
        "learning_rate", 0.1, "number", "fraction of its step that a tree takes", search=Range(0.01, 1, "log", 5)
    ),
    Parameter(
        "max_leaf_nodes", 31, "integer", "maximum leaves of a tree", search=Range(2, 128, "whole", 7, simpler="low")
    ),
    _LOSS,
    Parameter("max_depth", None, "integer", "maximum depth of a tree"),
    Parameter("min_samples_leaf", 20, "number", "minimum weight of both sides of a split", search=FEW_ROWS),
    Parameter("l1_regularization", 0.0, "number", "L1 regularization of leaves"),
    Parameter(
        "l2_regularization",
        0.0,
        "number",
        "L2 regularization of leaves",
        search=Range(0.01, 100, "log", 5, simpler="high"),
    ),
    Parameter("min_gain", 0.0, "number", "a split must reduce the loss by more than this"),
    Parameter("subsample", 1.0, "number", "probability that a row is used in a round", search=Range(0.2, 1, steps=5)),
    Parameter("max_features", 1.0, "number", "columns per tree: a fraction (0.5), or a number (5)"),
    Parameter("max_bins", 256, "integer", "maximum number of bins of a numeric column"),
)
_STOPPING: tuple[Parameter, ...] = (
    Parameter("early_stopping", False, "switch", "stop when the loss on held-out rows stops falling"),
    Parameter("validation_fraction", 0.1, "number", "fraction of the rows to hold out"),
    Parameter("n_iter_no_change", 10, "integer", "rounds without a lower loss before stopping"),
    MONOTONE,
    Parameter("warm_start", False, "switch", "continue the rounds of the last fit", flag=None),
    N_JOBS,
    DEVICE,
    replace(RANDOM_STATE, default=0, summary="seed for rounding gradients and for random draws"),
    VERBOSE,
)
_NUMBER_LOSS = replace(
    _LOSS,
    default="squared",
    summary="what to minimize",
    choices=("squared", "absolute", "huber", "quantile", "poisson"),
)

BOOSTING_CLASSIFIER = Scheme(
    name="boosting",
    title="Gradient boosting",
    estimator="GradientBoostingClassifier",
    module="hornbeam.learn.forests.boosting",
    summary="trees that each correct the errors of the trees before",
    predicts="category",
    parameters=(*_BOOSTING, *_STOPPING, *DECISIONS),
    makes="ensemble",
)

BOOSTING_REGRESSOR = replace(
    BOOSTING_CLASSIFIER,
    estimator="GradientBoostingRegressor",
    predicts="number",
    parameters=(
        _BOOSTING[0],
        _NUMBER_LOSS,
        Parameter("quantile", 0.5, "number", "loss quantile: which quantile"),
        Parameter("huber_quantile", 0.9, "number", "loss huber: fraction of rows whose errors count squared"),
        *(each for each in _BOOSTING[1:] if each is not _LOSS),
        *_STOPPING,
    ),
)

FOREST_SCHEMES: tuple[Scheme, ...] = (
    BAGGING_CLASSIFIER,
    BAGGING_REGRESSOR,
    RANDOM_FOREST_CLASSIFIER,
    RANDOM_FOREST_REGRESSOR,
    BOOSTING_CLASSIFIER,
    BOOSTING_REGRESSOR,
)
