"""scikit-learn's trees: exact, by entropy or variance; its forests. They take codes of nominal columns as numbers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.mixture import GaussianMixture
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from benchmarks.clustered import clustered
from benchmarks.peer import FOREST_LEAVES, FOREST_MANY, FOREST_TREES, LEAVES_TREES, Learner, forest_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from benchmarks.data import Rows


def why_absent() -> str | None:
    """Never absent: hornbeam needs it."""
    return None


def purity(_threads: int) -> Learner:
    """Grown until its leaves are pure, as it does by default."""
    return _learner()


def shallow(_threads: int) -> Learner:
    """The same, 12 deep at most."""
    return _learner(max_depth=12)


def pruned(_threads: int) -> Learner:
    """At least two rows per leaf; its only pruning is by a penalty that must be searched for, so it is not pruned."""
    return _learner(min_samples_leaf=2)


def regression(_threads: int) -> Learner:
    """A regression tree as it comes: grown until every leaf holds one row, or equal ones."""
    return Learner(
        fit=lambda rows: DecisionTreeRegressor(random_state=0).fit(_matrix(rows), rows.target),
        predict=lambda model, rows: model.predict(_matrix(rows)),
        facts=_facts,
    )


def forest(threads: int) -> Learner:
    """A random forest, grown until leaves are pure."""
    return _forest(threads)


def forest_many(threads: int) -> Learner:
    """The same with as many trees as it has by default."""
    return _forest(threads, FOREST_MANY)


def forest_leaves(threads: int) -> Learner:
    """The same, with the same number of leaves per tree as the others."""
    return _forest(threads, LEAVES_TREES, max_leaf_nodes=FOREST_LEAVES)


def _forest(threads: int, n_trees: int = FOREST_TREES, **limits: int) -> Learner:
    def fit(rows: Rows) -> Any:  # noqa: ANN401 - scikit-learn has no types
        kind = RandomForestClassifier if rows.n_classes else RandomForestRegressor
        matrix = _matrix(rows)
        wanted = forest_columns(matrix.shape[1])
        made = kind(n_trees, max_features=wanted, n_jobs=threads, random_state=0, **limits)
        return made.fit(matrix, rows.target)

    def facts(model: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"leaves": sum(int(tree.get_n_leaves()) for tree in model.estimators_)}

    return Learner(fit, lambda model, rows: model.predict(_matrix(rows)), facts)


def _learner(**limits: int) -> Learner:
    return Learner(
        fit=lambda rows: DecisionTreeClassifier(criterion="entropy", random_state=0, **limits).fit(
            _matrix(rows), rows.target
        ),
        predict=lambda model, rows: model.predict(_matrix(rows)),
        facts=_facts,
    )


def _matrix(rows: Rows) -> NDArray[np.float32]:
    if not rows.n_categories:
        return rows.numbers
    return np.hstack([rows.numbers, np.where(rows.codes < 0, np.nan, rows.codes).astype(np.float32)])


def _facts(model: Any) -> dict[str, Any]:  # noqa: ANN401 - scikit-learn has no types
    return {"leaves": int(model.get_n_leaves()), "size": int(model.tree_.node_count), "depth": int(model.get_depth())}


def _k_means(k: int, algorithm: str, _threads: int) -> Learner:
    def fit(x: NDArray[np.float64], steps: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
        return KMeans(k, init=x[:k], n_init=1, max_iter=steps, tol=0, algorithm=algorithm).fit(x)

    return clustered(fit, lambda model: model.inertia_, lambda model: model.n_iter_)


k_means_10, k_means_100, k_means_1000 = (partial(_k_means, k, "lloyd") for k in (10, 100, 1000))
elkan_10, elkan_100, elkan_1000 = (partial(_k_means, k, "elkan") for k in (10, 100, 1000))


def _mixture(form: str, _threads: int) -> Learner:
    def fit(x: NDArray[np.float64], steps: int) -> Any:  # noqa: ANN401 - scikit-learn has no types
        start = x[:10]
        ones = np.ones(start.shape) if form == "diag" else np.tile(np.eye(x.shape[1]), (len(start), 1, 1))
        given = {"weights_init": np.full(10, 0.1), "means_init": start, "precisions_init": ones}
        return GaussianMixture(10, covariance_type=form, tol=0, max_iter=steps, **given).fit(x)

    return clustered(fit, lambda model: model.lower_bound_, lambda model: model.n_iter_)


mixture_diagonal, mixture_full = partial(_mixture, "diag"), partial(_mixture, "full")
