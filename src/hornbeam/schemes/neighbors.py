"""Learners from neighbors in the list of schemes; see `schemes/__init__.py`."""

from __future__ import annotations

from dataclasses import replace

from hornbeam.schemes.scheme import (
    CLASS_WEIGHT,
    COLUMN_WEIGHTS,
    COMPAT,
    COSTS,
    DECISION_THRESHOLD,
    DECISIONS,
    METRIC,
    MISSING_DIFFERENCE,
    N_JOBS,
    NUMERIC_SCALE,
    RANDOM_STATE,
    RIDGES,
    Parameter,
    Range,
    Scheme,
)

_NEIGHBORS: tuple[Parameter, ...] = (
    Parameter("n_neighbors", 5, "integer", "number of neighbors", search=Range(1, 64, "whole", 7, simpler="high")),
    Parameter(
        "weights",
        "uniform",
        "choice",
        "weight of a neighbor: 1, 1 / (d + 0.001), or 1 - d",
        ("uniform", "inverse", "similarity"),
        search=("uniform", "inverse", "similarity"),
    ),
    Parameter("choose_k", False, "switch", "choose the best number of neighbors up to n_neighbors by leave-one-out"),
    Parameter("ties", "all", "choice", "rows tied with the k-th: use all of them, or only the first", ("all", "first")),
    METRIC,
    NUMERIC_SCALE,
    Parameter(
        "nominal",
        "overlap",
        "choice",
        "categories differ by 1, or by how the target differs among their rows",
        ("overlap", "value-difference"),
        "nominal-difference",
    ),
    replace(MISSING_DIFFERENCE, default="farthest"),
    COLUMN_WEIGHTS,
    Parameter(
        "algorithm", "auto", "choice", "how neighbors are searched for", ("auto", "kd-tree", "ball-tree", "brute")
    ),
)

NEIGHBORS_CLASSIFIER = Scheme(
    name="neighbors",
    title="Neighbors",
    estimator="NeighborsClassifier",
    module="hornbeam.learn.neighbors.nearest",
    summary="a vote of the nearest rows",
    predicts="category",
    parameters=(*_NEIGHBORS, COMPAT, N_JOBS, *DECISIONS),
    makes="instances",
)

NEIGHBORS_REGRESSOR = replace(
    NEIGHBORS_CLASSIFIER,
    estimator="NeighborsRegressor",
    summary="the mean of the nearest rows",
    predicts="number",
    parameters=(*_NEIGHBORS, COMPAT, N_JOBS),
)

_DIVIDED: tuple[Parameter, ...] = (
    replace(
        CLASS_WEIGHT,
        summary="balanced: rare classes are predicted more often, as distances to their rows are divided by more",
    ),
    COSTS,
    DECISION_THRESHOLD,
)

IB2 = Scheme(
    name="ib2",
    title="IB2",
    estimator="IB2Classifier",
    module="hornbeam.learn.neighbors.ib",
    summary="keeps only the rows that the rows kept so far predict wrong",
    predicts="category",
    parameters=_DIVIDED,
    makes="instances",
    takes_weights=False,
)

_RECORDS: tuple[Parameter, ...] = (
    Parameter(
        "accept",
        0.05,
        "number",
        "significance level at which a kept row is accepted",
        search=Range(0.01, 0.3, "log", 5),
    ),
    Parameter(
        "reject", 0.125, "number", "significance level at which it is dropped", search=Range(0.01, 0.3, "log", 5)
    ),
)

IB3 = replace(
    IB2,
    name="ib3",
    title="IB3",
    estimator="IB3Classifier",
    summary="like IB2, but uses only rows that predict reliably, and drops noisy rows",
    parameters=(*_RECORDS, *_DIVIDED),
)

IB5 = replace(
    IB2,
    name="ib5",
    title="IB5",
    estimator="IB5Classifier",
    summary="like IB3, and also learns weights of the columns",
    parameters=(
        Parameter("by_class", False, "switch", "whether every class has weights of its own"),
        Parameter("rate", None, "number", "step size of weight changes; none: weights are means over all rows seen"),
        *_RECORDS,
        Parameter("noise", True, "switch", "whether to record how well kept rows predict"),
        *_DIVIDED,
    ),
)

_BLEND: tuple[Parameter, ...] = (
    Parameter(
        "blend",
        0.2,
        "number",
        "how many rows have influence: from only the nearest to all of them (1)",
        search=Range(0.05, 0.95, steps=7, simpler="high"),
    ),
    Parameter(
        "missing",
        "average",
        "choice",
        "how likely a kept row's missing value is: average, least likely, impossible, most likely",
        ("average", "farthest", "exclude", "equal"),
        "missing-likelihood",
    ),
)

KSTAR_CLASSIFIER = Scheme(
    name="kstar",
    title="K*",
    estimator="KStarClassifier",
    module="hornbeam.learn.neighbors.kstar",
    summary="a vote of all rows, weighted by the probability that a row turns into the query row",
    predicts="category",
    parameters=(*_BLEND, *DECISIONS, N_JOBS, COMPAT),
    makes="instances",
)

KSTAR_REGRESSOR = replace(
    KSTAR_CLASSIFIER,
    estimator="KStarRegressor",
    summary="the mean of all rows, weighted by the probability that a row turns into the query row",
    predicts="number",
    parameters=(*_BLEND, N_JOBS, COMPAT),
)

_KERNELS = ("uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube")
_K = Parameter(
    "n_neighbors",
    None,
    "integer",
    "weight falls to zero at the k-th nearest row",
    search=Range(4, 128, "whole", 6, simpler="high"),
)
_BANDWIDTH = Parameter("bandwidth", None, "number", "weight falls to zero at this distance")
_SCALE = Parameter("scale", "range", "choice", "how numbers are scaled", ("range", "deviation", "rank", "as-is"))

LOCALLY_WEIGHTED_CLASSIFIER = Scheme(
    name="locally-weighted",
    title="Locally weighted learning",
    estimator="LocallyWeightedClassifier",
    module="hornbeam.learn.neighbors.local",
    summary="fits a model for every query row, with larger weights for nearer rows",
    predicts="category",
    parameters=(
        Parameter(
            "estimator",
            None,
            "choice",
            "scheme that learns from the weighted rows; none: a tree with one split",
            (None,),
            built_on="weighted category",
        ),
        Parameter("kernel", "triangular", "choice", "how weight falls with the distance", _KERNELS),
        _K,
        _BANDWIDTH,
        _SCALE,
        *DECISIONS,
        N_JOBS,
        RANDOM_STATE,
    ),
    makes="instances",
)

LOCALLY_WEIGHTED_REGRESSOR = replace(
    LOCALLY_WEIGHTED_CLASSIFIER,
    title="Locally weighted regression",
    estimator="LocallyWeightedRegressor",
    summary="fits a linear regression for every query row, with larger weights for nearer rows",
    predicts="number",
    parameters=(
        Parameter("kernel", "tricube", "choice", "how weight falls with the distance", _KERNELS),
        _K,
        _BANDWIDTH,
        Parameter(
            "ridge", 1e-3, "number", "added to the columns' variances; larger values give smaller slopes", search=RIDGES
        ),
        _SCALE,
        N_JOBS,
    ),
)

EXEMPLARS = Scheme(
    name="exemplars",
    title="Generalized exemplars",
    estimator="ExemplarsClassifier",
    module="hornbeam.learn.neighbors.exemplars",
    summary="boxes around rows of one class; predicts the class of the box that contains the row, or of the nearest",
    predicts="category",
    parameters=(
        Parameter("form", "online", "choice", "one pass, or boxes merged afterwards", ("online", "offline")),
        Parameter("overlap", False, "switch", "boxes of different classes may partly overlap"),
        Parameter("nested", False, "switch", "a box may lie inside one of another class"),
        Parameter("attempts", 5, "integer", "how many boxes a row tries to join", search=Range(1, 16, "whole", 5)),
        Parameter(
            "column_weights",
            "information",
            "choice",
            "weight columns by mutual information with the class, or equally",
            ("information", "none"),
        ),
        N_JOBS,
        *_DIVIDED,
    ),
    makes="exemplars",
)

NEIGHBOR_SCHEMES: tuple[Scheme, ...] = (
    NEIGHBORS_CLASSIFIER,
    NEIGHBORS_REGRESSOR,
    IB2,
    IB3,
    IB5,
    KSTAR_CLASSIFIER,
    KSTAR_REGRESSOR,
    LOCALLY_WEIGHTED_CLASSIFIER,
    LOCALLY_WEIGHTED_REGRESSOR,
    EXEMPLARS,
)
