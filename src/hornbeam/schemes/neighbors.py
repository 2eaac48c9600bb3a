"""Learners from neighbors in the list of schemes; see `schemes.py`."""

from __future__ import annotations

from hornbeam.schemes.scheme import (
    CLASS_WEIGHT,
    COMPAT,
    COSTS,
    DECISION_THRESHOLD,
    N_JOBS,
    RANDOM_STATE,
    RIDGES,
    Parameter,
    Scheme,
)
from hornbeam.schemes.search_range import Range

_NEIGHBORS: tuple[Parameter, ...] = (
    Parameter("k", 5, "integer", "how many neighbors answer", search=Range(1, 64, "whole", 7, simpler="high")),
    Parameter(
        "weighting",
        "uniform",
        "choice",
        "a neighbor's say: 1, or 1 / (d + 0.001), or 1 - d",
        ("uniform", "inverse", "similarity"),
        search=("uniform", "inverse", "similarity"),
    ),
    Parameter("choose_k", False, "switch", "take the best number of neighbors up to k, leaving out row by row"),
    Parameter("ties", "all", "choice", "rows as far as the k-th: all of them answer, or the first", ("all", "first")),
    Parameter(
        "metric", "euclidean", "choice", "differences squared and rooted, or just added", ("euclidean", "manhattan")
    ),
    Parameter(
        "numeric",
        "range",
        "choice",
        "what numbers are scaled by",
        ("range", "deviation", "rank", "as-is"),
        "numeric-scale",
    ),
    Parameter(
        "nominal",
        "overlap",
        "choice",
        "categories differ by 1, or as the target among their rows does",
        ("overlap", "value-difference"),
        "nominal-difference",
    ),
    Parameter(
        "missing",
        "farthest",
        "choice",
        "a missing value is as far as can be, does not count, or is as far as on average",
        ("farthest", "ignore", "average"),
        "missing-difference",
    ),
    Parameter("column_weights", None, "figures", "weight of a column's differences (repeatable)"),
    Parameter("search", "auto", "choice", "how neighbors are found", ("auto", "kd-tree", "ball-tree", "brute")),
)

NEIGHBORS_CLASSIFIER = Scheme(
    name="neighbors",
    title="Neighbors",
    estimator="NeighborsClassifier",
    module="hornbeam.learn.neighbors.nearest",
    summary="the classes of the rows most alike",
    predicts="category",
    parameters=(*_NEIGHBORS, CLASS_WEIGHT, COSTS, DECISION_THRESHOLD, COMPAT, N_JOBS),
    makes="instances",
)

NEIGHBORS_REGRESSOR = Scheme(
    name="neighbors",
    title="Neighbors",
    estimator="NeighborsRegressor",
    module="hornbeam.learn.neighbors.nearest",
    summary="the mean of the rows most alike",
    predicts="number",
    parameters=(*_NEIGHBORS, COMPAT, N_JOBS),
    makes="instances",
)

IB2 = Scheme(
    name="ib2",
    title="IB2",
    estimator="IB2Classifier",
    module="hornbeam.learn.neighbors.ib",
    summary="the nearest row, of those that the rows kept before them got wrong",
    predicts="category",
    parameters=(COSTS, DECISION_THRESHOLD),
    makes="instances",
    takes_weights=False,
)

_RECORDS: tuple[Parameter, ...] = (
    Parameter(
        "accept",
        0.05,
        "number",
        "chance at which a kept row's record is good enough to answer",
        search=Range(0.01, 0.3, "log", 5),
    ),
    Parameter(
        "reject", 0.125, "number", "chance at which it is bad enough to be dropped", search=Range(0.01, 0.3, "log", 5)
    ),
)

IB3 = Scheme(
    name="ib3",
    title="IB3",
    estimator="IB3Classifier",
    module="hornbeam.learn.neighbors.ib",
    summary="as IB2, of rows with a good record; noisy rows are found and dropped",
    predicts="category",
    parameters=(*_RECORDS, COSTS, DECISION_THRESHOLD),
    makes="instances",
    takes_weights=False,
)

IB5 = Scheme(
    name="ib5",
    title="IB5",
    estimator="IB5Classifier",
    module="hornbeam.learn.neighbors.ib",
    summary="as IB3, with weights of columns learned row by row",
    predicts="category",
    parameters=(
        Parameter("by_class", False, "switch", "whether every class has weights of its own"),
        Parameter(
            "rate",
            None,
            "number",
            "fixed steps by which weights change; none: they are means over all rows seen",
        ),
        *_RECORDS,
        Parameter("noise", True, "switch", "whether kept rows have records"),
        COSTS,
        DECISION_THRESHOLD,
    ),
    makes="instances",
    takes_weights=False,
)

_BLEND: tuple[Parameter, ...] = (
    Parameter(
        "blend",
        0.2,
        "number",
        "how many rows have a say: from the nearest alone to all of them (1)",
        search=Range(0.05, 0.95, steps=7, simpler="high"),
    ),
    Parameter(
        "missing",
        "average",
        "choice",
        "how likely a kept row's missing value is: as others on average, as the least likely, not at all, as equal",
        ("average", "farthest", "exclude", "equal"),
        "missing-likelihood",
    ),
)

KSTAR_CLASSIFIER = Scheme(
    name="kstar",
    title="K*",
    estimator="KStarClassifier",
    module="hornbeam.learn.neighbors.kstar",
    summary="the classes of rows that chance would most likely turn into the row asked about",
    predicts="category",
    parameters=(*_BLEND, CLASS_WEIGHT, COSTS, DECISION_THRESHOLD, N_JOBS, COMPAT),
    makes="instances",
)

KSTAR_REGRESSOR = Scheme(
    name="kstar",
    title="K*",
    estimator="KStarRegressor",
    module="hornbeam.learn.neighbors.kstar",
    summary="the mean of rows by how likely chance would turn them into the row asked about",
    predicts="number",
    parameters=(*_BLEND, N_JOBS, COMPAT),
    makes="instances",
)

_KERNELS = ("uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube")
_K = Parameter(
    "k", None, "integer", "weight ends at the k-th nearest row", search=Range(4, 128, "whole", 6, simpler="high")
)
_BANDWIDTH = Parameter("bandwidth", None, "number", "weight ends at this distance")
_SCALE = Parameter("scale", "range", "choice", "what numbers are scaled by", ("range", "deviation", "rank", "as-is"))

LOCALLY_WEIGHTED_CLASSIFIER = Scheme(
    name="locally-weighted",
    title="Locally weighted learning",
    estimator="LocallyWeightedClassifier",
    module="hornbeam.learn.neighbors.local",
    summary="another learner for every row asked about, near rows counting more",
    predicts="category",
    parameters=(
        Parameter(
            "estimator",
            None,
            "choice",
            "scheme that learns from the weighted rows; none: a tree of one split",
            (None,),
            built_on="weighted category",
        ),
        Parameter("kernel", "triangular", "choice", "how weight falls with the distance", _KERNELS),
        _K,
        _BANDWIDTH,
        _SCALE,
        COSTS,
        DECISION_THRESHOLD,
        N_JOBS,
        RANDOM_STATE,
    ),
    makes="instances",
)

LOCALLY_WEIGHTED_REGRESSOR = Scheme(
    name="locally-weighted",
    title="Locally weighted regression",
    estimator="LocallyWeightedRegressor",
    module="hornbeam.learn.neighbors.local",
    summary="a linear regression for every row asked about, near rows counting more",
    predicts="number",
    parameters=(
        Parameter("kernel", "tricube", "choice", "how weight falls with the distance", _KERNELS),
        _K,
        _BANDWIDTH,
        Parameter(
            "ridge",
            1e-8,
            "number",
            "added to the columns' sums of squares: greater, and slopes are smaller",
            search=RIDGES,
        ),
        _SCALE,
        N_JOBS,
    ),
    makes="instances",
)

EXEMPLARS = Scheme(
    name="exemplars",
    title="Generalized exemplars",
    estimator="ExemplarsClassifier",
    module="hornbeam.learn.neighbors.exemplars",
    summary="boxes of rows of one class; a row is of the class of the box it lies in, or of the nearest",
    predicts="category",
    parameters=(
        Parameter("form", "online", "choice", "one pass, or boxes joined afterwards", ("online", "offline")),
        Parameter("overlap", False, "switch", "boxes of different classes may overlap in part"),
        Parameter("nested", False, "switch", "a box may lie within one of another class"),
        Parameter("attempts", 5, "integer", "how many boxes a row tries to join", search=Range(1, 16, "whole", 5)),
        Parameter(
            "column_weights",
            "information",
            "choice",
            "columns count by mutual information with the class, or all the same",
            ("information", "none"),
        ),
        COSTS,
        DECISION_THRESHOLD,
        N_JOBS,
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
