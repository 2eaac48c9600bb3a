"""Gradient boosting in the list of schemes; see `schemes.py`."""

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

_SEED = replace(RANDOM_STATE, default=0, summary="seed of how gradients are rounded, and of what is drawn")
_ROUNDS: tuple[Parameter, ...] = (
    Parameter("n_estimators", 100, "integer", "rounds, each of a tree (or one for every class)"),
    Parameter("learning_rate", 0.1, "number", "how much of its step a tree takes", search=Range(0.01, 1, "log", 5)),
    Parameter(
        "max_leaf_nodes", 31, "integer", "most leaves of a tree", search=Range(2, 128, "whole", 7, simpler="low")
    ),
)
_GROWING: tuple[Parameter, ...] = (
    Parameter("max_depth", None, "integer", "most splits on a way down"),
    Parameter(
        "min_samples_leaf", 20, "number", "both sides of a split hold at least this much weight", search=FEW_ROWS
    ),
    Parameter("l1", 0.0, "number", "taken off the gradient of a leaf"),
    Parameter(
        "l2",
        0.0,
        "number",
        "added to the second derivative of a leaf",
        search=Range(0.01, 100, "log", 5, simpler="high"),
    ),
    Parameter("min_gain", 0.0, "number", "a split takes more than this off the loss"),
    Parameter("subsample", 1.0, "number", "chance of a row to be used in a round", search=Range(0.2, 1, steps=5)),
    Parameter("max_features", 1.0, "number", "columns that a tree may use: a share (0.5), or so many (5)"),
    Parameter("max_bins", 256, "integer", "most bins of a numeric column"),
)
_STOPPING: tuple[Parameter, ...] = (
    Parameter("early_stopping", False, "switch", "stop when the loss on rows held out falls no more"),
    Parameter("validation_share", 0.1, "number", "share of the rows that is held out"),
    Parameter("patience", 10, "integer", "rounds without a lower loss after which to stop"),
    Parameter("monotone", None, "figures", "the answer only rises (1) or falls (-1) with the column (repeatable)"),
)

BOOSTING_CLASSIFIER = Scheme(
    name="boosting",
    title="Gradient boosting",
    estimator="GradientBoostingClassifier",
    module="hornbeam.learn.forests.boosting",
    summary="trees that each make up for what those before them left over",
    predicts="category",
    parameters=(
        *_ROUNDS,
        Parameter(
            "loss",
            "auto",
            "choice",
            "one score for two classes, or one a class",
            ("auto", "logistic", "multinomial"),
        ),
        *_GROWING,
        *_STOPPING,
        CLASS_WEIGHT,
        COSTS,
        DECISION_THRESHOLD,
        N_JOBS,
        _SEED,
    ),
    makes="forest",
)

BOOSTING_REGRESSOR = Scheme(
    name="boosting",
    title="Gradient boosting",
    estimator="GradientBoostingRegressor",
    module="hornbeam.learn.forests.boosting",
    summary="trees that each make up for what those before them left over",
    predicts="number",
    parameters=(
        *_ROUNDS,
        Parameter(
            "loss",
            "squared",
            "choice",
            "what is made small",
            ("squared", "absolute", "huber", "quantile", "poisson"),
        ),
        *_GROWING,
        Parameter("quantile", 0.5, "number", "of the loss quantile: which one"),
        Parameter("huber_share", 0.9, "number", "of the loss huber: share of rows whose errors count squared"),
        *_STOPPING,
        N_JOBS,
        _SEED,
    ),
    makes="forest",
)

BOOSTING_SCHEMES: tuple[Scheme, ...] = (BOOSTING_CLASSIFIER, BOOSTING_REGRESSOR)
