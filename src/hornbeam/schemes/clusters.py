"""Clustering schemes, as `hornbeam cluster` and `hornbeam schemes` list them; see `schemes/__init__.py`."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from hornbeam.schemes.scheme import (
    COLUMN_WEIGHTS,
    COMPAT,
    METRIC,
    MISSING_DIFFERENCE,
    N_JOBS,
    NUMERIC_SCALE,
    RANDOM_STATE,
    VERBOSE,
    Parameter,
    Scheme,
)

_scheme = partial(Scheme, predicts="cluster")

N_CLUSTERS = Parameter("n_clusters", 8, "integer", "number of clusters", flag=None)
PCA = Parameter(
    "pca", None, "number", "project numbers onto this many principal axes, or this fraction of the variance"
)

_DISTANCE = (NUMERIC_SCALE, MISSING_DIFFERENCE, COLUMN_WEIGHTS, PCA)

K_MEANS = _scheme(
    name="k-means",
    title="k-means",
    estimator="KMeans",
    module="hornbeam.learn.clusters.kmeans",
    summary="clusters around means of numbers and most frequent categories",
    parameters=(
        N_CLUSTERS,
        Parameter(
            "init",
            "k-means++",
            "choice",
            "start from rows that are far apart, or from random rows",
            ("k-means++", "random"),
        ),
        Parameter("n_init", 10, "integer", "number of runs from different starts"),
        Parameter("max_iter", 300, "integer", "maximum number of steps per run"),
        Parameter("tol", 0.0, "number", "stop if centers move by at most this fraction of the variance"),
        Parameter(
            "algorithm",
            "auto",
            "choice",
            "all rows (auto: fewer comparisons), small batches, or bisection",
            ("auto", "lloyd", "mini-batch", "bisecting"),
        ),
        Parameter("improve", None, "choice", "what to try after a run has ended", (None, "rows", "swaps")),
        Parameter(
            "choose",
            "silhouette",
            "choice",
            "how the number is chosen, with -k auto",
            ("silhouette", "elbow", "gap", "likelihood"),
        ),
        Parameter("max_clusters", 10, "integer", "maximum number of clusters that may be chosen"),
        Parameter("batch_size", 1024, "integer", "rows per small batch"),
        replace(NUMERIC_SCALE, choices=("range", "deviation", "as-is")),
        COLUMN_WEIGHTS,
        Parameter("memory_mb", 256, "number", "memory for distance bounds, in megabytes"),
        PCA,
        RANDOM_STATE,
        N_JOBS,
        VERBOSE,
    ),
    makes="clusters",
)

EM = _scheme(
    name="em",
    title="Mixture by EM",
    estimator="MixtureModel",
    module="hornbeam.learn.clusters.mixture",
    summary="a mixture of distributions of numbers, counts and categories; each row has a probability per cluster",
    parameters=(
        Parameter("n_components", 1, "integer", "how many components", flag=None),
        Parameter(
            "covariance_type",
            "diagonal",
            "choice",
            "form of the covariances",
            ("diagonal", "spherical", "tied", "full", "fixed"),
        ),
        Parameter(
            "prior",
            "laplace",
            "choice",
            "prior for categories and counts; for normal columns and weights too; or none",
            ("laplace", "conjugate", None),
        ),
        Parameter(
            "distributions",
            None,
            "words",
            "distribution of a column: normal, poisson, log-normal:MINIMUM or log-odds:LOW:HIGH (repeatable)",
            flag="distribution",
        ),
        Parameter("joint", None, "groups", "nominal columns that depend on each other (repeatable)"),
        PCA,
        Parameter("variance", 1.0, "number", "the variance for covariance type fixed"),
        Parameter(
            "weights", "free", "choice", "whether components may have different weights", ("free", "equal"), "weighing"
        ),
        Parameter(
            "init",
            "k-means",
            "choice",
            "start from clusters of k-means, or random probabilities",
            ("k-means", "random"),
        ),
        Parameter("n_init", 1, "integer", "number of runs from different starts"),
        Parameter("max_iter", 200, "integer", "maximum number of steps"),
        Parameter("tol", 1e-6, "number", "stop if a step adds less than this to the mean log-likelihood of a row"),
        Parameter("min_deviation", 1e-6, "number", "minimum standard deviation"),
        Parameter("reg_covar", 0.0, "number", "added to every variance"),
        Parameter("pseudo_count", 1.0, "number", "rows that the prior adds to every category"),
        Parameter(
            "choose",
            "cross-validation",
            "choice",
            "how the number is chosen, with -k auto: by cross-validation, or by the evidence",
            ("cross-validation", "bayesian"),
        ),
        Parameter("max_components", 10, "integer", "maximum number of components that may be chosen, with -k auto"),
        Parameter("folds", 10, "integer", "number of folds, with -k auto"),
        RANDOM_STATE,
        N_JOBS,
        VERBOSE,
    ),
    makes="clusters",
)

COBWEB = _scheme(
    name="cobweb",
    title="COBWEB",
    estimator="Cobweb",
    module="hornbeam.learn.clusters.cobweb",
    summary="a tree of clusters, built row by row by category utility",
    parameters=(
        Parameter("acuity", 1.0, "number", "minimum standard deviation of a number, in the units of the data"),
        Parameter("cutoff", 0.0028209479177387815, "number", "minimum category utility of a node with children"),
        Parameter("level", 1, "integer", "depth of the nodes that count as clusters; none: the leaves"),
        Parameter("order", "given", "choice", "order of the rows", ("given", "shuffled"), flag="row-order"),
        COMPAT,
        PCA,
        RANDOM_STATE,
    ),
    makes="concepts",
)

HIERARCHICAL = _scheme(
    name="hierarchical",
    title="Hierarchical clustering",
    estimator="HierarchicalClustering",
    module="hornbeam.learn.clusters.hierarchical",
    summary="a tree of clusters, by merging the nearest pair or splitting the widest cluster",
    parameters=(
        Parameter("n_clusters", 2, "integer", "number of clusters at which the tree is cut", flag=None),
        Parameter(
            "linkage",
            "ward",
            "choice",
            "distance between two clusters",
            ("single", "complete", "average", "weighted", "ward", "centroid", "median"),
        ),
        Parameter("height", None, "number", "cut at this height instead of -k"),
        Parameter("direction", "bottom-up", "choice", "merging or splitting", ("bottom-up", "top-down")),
        METRIC,
        *_DISTANCE,
        N_JOBS,
    ),
    makes="clusters in clusters",
)

SPECTRAL = _scheme(
    name="spectral",
    title="Spectral clustering",
    estimator="SpectralClustering",
    module="hornbeam.learn.clusters.spectral",
    summary="clusters of any shape, from a graph of nearby rows",
    parameters=(
        N_CLUSTERS,
        Parameter(
            "graph",
            "neighbors",
            "choice",
            "connect each row to its nearest rows, or all rows to each other",
            ("neighbors", "rbf"),
        ),
        Parameter("n_neighbors", 10, "integer", "number of nearest rows"),
        Parameter(
            "gamma", None, "number", "weights of rbf are exp(-gamma d^2); none: from the distances to the nearest rows"
        ),
        Parameter("max_clusters", 10, "integer", "maximum number of clusters that may be chosen, with -k auto"),
        Parameter("n_init", 10, "integer", "number of runs of k-means from different starts"),
        *_DISTANCE,
        RANDOM_STATE,
        N_JOBS,
    ),
    makes="clusters",
)

CLUSTER_SCHEMES: tuple[Scheme, ...] = (K_MEANS, EM, COBWEB, HIERARCHICAL, SPECTRAL)
CLUSTER_NAMES: tuple[str, ...] = tuple(scheme.name for scheme in CLUSTER_SCHEMES)
