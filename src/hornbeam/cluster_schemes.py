"""Learners of clusters, as `hornbeam cluster` and `hornbeam schemes` list them; see `schemes.py`."""

from __future__ import annotations

from hornbeam.scheme import N_JOBS, RANDOM_STATE, Parameter, Scheme

N_CLUSTERS = Parameter("n_clusters", 8, "integer", "how many clusters", flag=None)
COLUMN_WEIGHTS = Parameter("column_weights", None, "figures", "weight of a column's differences (repeatable)")

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
        Parameter("tol", 0.0, "number", "end where centres move by no more than this share of the variance"),
        Parameter(
            "algorithm",
            "auto",
            "choice",
            "whole steps (auto: sparing comparisons), small batches, or halving",
            ("auto", "lloyd", "mini-batch", "bisecting"),
        ),
        Parameter(
            "choose", "silhouette", "choice", "how the number is chosen, with -k auto", ("silhouette", "elbow", "gap")
        ),
        Parameter("max_clusters", 10, "integer", "the most clusters that may be chosen"),
        Parameter("batch_size", 1024, "integer", "rows of a small batch"),
        Parameter(
            "numeric", "range", "choice", "what numbers are scaled by", ("range", "deviation", "as-is"), "numeric-scale"
        ),
        COLUMN_WEIGHTS,
        Parameter("memory_mb", 256, "number", "what bounds may take"),
        RANDOM_STATE,
        N_JOBS,
    ),
    makes="clusters",
)

CLUSTER_SCHEMES: tuple[Scheme, ...] = (K_MEANS,)
CLUSTER_NAMES: tuple[str, ...] = tuple(scheme.name for scheme in CLUSTER_SCHEMES)
