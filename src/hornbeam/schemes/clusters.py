"""Learners of clusters, as `hornbeam cluster` and `hornbeam schemes` list them; see `schemes.py`."""

from __future__ import annotations

from hornbeam.schemes.scheme import COMPAT, N_JOBS, RANDOM_STATE, Parameter, Scheme

N_CLUSTERS = Parameter("n_clusters", 8, "integer", "how many clusters", flag=None)
COLUMN_WEIGHTS = Parameter("column_weights", None, "figures", "weight of a column's differences (repeatable)")
NUMERIC_SCALE = Parameter(
    "numeric", "range", "choice", "what numbers are scaled by", ("range", "deviation", "rank", "as-is"), "numeric-scale"
)
MISSING_DIFFERENCE = Parameter(
    "missing",
    "average",
    "choice",
    "what a missing value differs by",
    ("farthest", "ignore", "average"),
    "missing-difference",
)

PCA = Parameter("pca", None, "number", "first turn numbers onto so many principal axes, or so much of the variance")

K_MEANS = Scheme(
    name="k-means",
    title="k-means",
    estimator="KMeans",
    module="hornbeam.learn.clusters.kmeans",
    summary="clusters around means and most frequent categories",
    predicts="cluster",
    parameters=(
        N_CLUSTERS,
        Parameter(
            "init", "k-means++", "choice", "begin with rows far from each other, or any", ("k-means++", "random")
        ),
        Parameter("n_init", 10, "integer", "how many descents, from different starts"),
        Parameter("max_iter", 300, "integer", "the most steps of a descent"),
        Parameter("tol", 0.0, "number", "end where centers move by no more than this share of the variance"),
        Parameter(
            "algorithm",
            "auto",
            "choice",
            "whole steps (auto: sparing comparisons), small batches, or halving",
            ("auto", "lloyd", "mini-batch", "bisecting"),
        ),
        Parameter("improve", None, "choice", "what is tried where a descent has ended", (None, "rows", "swaps")),
        Parameter(
            "choose",
            "silhouette",
            "choice",
            "how the number is chosen, with -k auto",
            ("silhouette", "elbow", "gap", "likelihood"),
        ),
        Parameter("max_clusters", 10, "integer", "the most clusters that may be chosen"),
        Parameter("batch_size", 1024, "integer", "rows of a small batch"),
        Parameter(
            "numeric", "range", "choice", "what numbers are scaled by", ("range", "deviation", "as-is"), "numeric-scale"
        ),
        COLUMN_WEIGHTS,
        Parameter("memory_mb", 256, "number", "what bounds may take"),
        PCA,
        RANDOM_STATE,
        N_JOBS,
    ),
    makes="clusters",
)

EM = Scheme(
    name="em",
    title="Mixture by EM",
    estimator="MixtureModel",
    module="hornbeam.learn.clusters.mixture",
    summary="distributions of numbers, counts and categories; a row belongs to each with a probability",
    predicts="cluster",
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
            "what is believed beforehand: of categories and counts; of normal columns and weights too; or nothing",
            ("laplace", "conjugate", None),
        ),
        Parameter(
            "distributions",
            None,
            "words",
            "of a column: normal, poisson, log-normal:MINIMUM or log-odds:LOW:HIGH (repeatable)",
            flag="distribution",
        ),
        Parameter("joint", None, "groups", "nominal columns that depend on each other (repeatable)"),
        PCA,
        Parameter("variance", 1.0, "number", "the one variance of the form fixed"),
        Parameter(
            "weights", "free", "choice", "whether components may weigh differently", ("free", "equal"), "weighing"
        ),
        Parameter("init", "k-means", "choice", "begin with clusters of k-means, or any shares", ("k-means", "random")),
        Parameter("n_init", 1, "integer", "how many runs, from different starts"),
        Parameter("max_iter", 200, "integer", "the most steps"),
        Parameter("tol", 1e-6, "number", "end where a step adds less than this to a row's log-likelihood"),
        Parameter("min_deviation", 1e-6, "number", "the least standard deviation"),
        Parameter("reg_covar", 0.0, "number", "what is added to every variance"),
        Parameter("pseudo_count", 1.0, "number", "rows that every category has beforehand"),
        Parameter(
            "choose",
            "cross-validation",
            "choice",
            "how the number is chosen, with -k auto: by rows left out, or by what the rows bear out",
            ("cross-validation", "bayesian"),
        ),
        Parameter("max_components", 10, "integer", "the most components that may be chosen, with -k auto"),
        Parameter("folds", 10, "integer", "parts of the rows left out in turn, with -k auto"),
        RANDOM_STATE,
        N_JOBS,
    ),
    makes="clusters",
)

COBWEB = Scheme(
    name="cobweb",
    title="COBWEB",
    estimator="Cobweb",
    module="hornbeam.learn.clusters.cobweb",
    summary="a tree of concepts, formed row by row by category utility",
    predicts="cluster",
    parameters=(
        Parameter("acuity", 1.0, "number", "the least standard deviation of a number, in the units of the data"),
        Parameter("cutoff", 0.0028209479177387815, "number", "the least category utility of a node with children"),
        Parameter("level", 1, "integer", "how deep the nodes are that count as clusters; none: the leaves"),
        Parameter("order", "given", "choice", "in which order rows come", ("given", "shuffled")),
        COMPAT,
        PCA,
        RANDOM_STATE,
    ),
    makes="concepts",
)

HIERARCHICAL = Scheme(
    name="hierarchical",
    title="Hierarchical clustering",
    estimator="HierarchicalClustering",
    module="hornbeam.learn.clusters.hierarchical",
    summary="clusters in clusters: the nearest two joined, or the widest parted",
    predicts="cluster",
    parameters=(
        Parameter("n_clusters", 2, "integer", "at how many clusters the tree is cut", flag=None),
        Parameter(
            "linkage",
            "ward",
            "choice",
            "how far two clusters are apart",
            ("single", "complete", "average", "weighted", "ward", "centroid", "median"),
        ),
        Parameter("height", None, "number", "cut at this height instead of -k"),
        Parameter("direction", "bottom-up", "choice", "joining or parting", ("bottom-up", "top-down")),
        Parameter(
            "metric", "euclidean", "choice", "differences squared and rooted, or just added", ("euclidean", "manhattan")
        ),
        NUMERIC_SCALE,
        MISSING_DIFFERENCE,
        COLUMN_WEIGHTS,
        PCA,
        N_JOBS,
    ),
    makes="clusters in clusters",
)

SPECTRAL = Scheme(
    name="spectral",
    title="Spectral clustering",
    estimator="SpectralClustering",
    module="hornbeam.learn.clusters.spectral",
    summary="clusters of any shape, by how rows hang together",
    predicts="cluster",
    parameters=(
        N_CLUSTERS,
        Parameter("graph", "neighbors", "choice", "rows tied to their nearest, or all to all", ("neighbors", "rbf")),
        Parameter("n_neighbors", 10, "integer", "how many are nearest"),
        Parameter(
            "gamma",
            None,
            "number",
            "ties of rbf are exp(-gamma d^2); none: one for each two rows, by how far their nearest are",
        ),
        Parameter("max_clusters", 10, "integer", "the most clusters that may be chosen, with -k auto"),
        Parameter("n_init", 10, "integer", "how many descents of k-means, from different starts"),
        NUMERIC_SCALE,
        MISSING_DIFFERENCE,
        COLUMN_WEIGHTS,
        PCA,
        RANDOM_STATE,
        N_JOBS,
    ),
    makes="clusters",
)

CLUSTER_SCHEMES: tuple[Scheme, ...] = (K_MEANS, EM, COBWEB, HIERARCHICAL, SPECTRAL)
CLUSTER_NAMES: tuple[str, ...] = tuple(scheme.name for scheme in CLUSTER_SCHEMES)
