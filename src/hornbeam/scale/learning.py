"""Learning a model from a source: the choice of the learner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.learn.clusters.kmeans import KMeans
from hornbeam.learn.clusters.mixture import MixtureModel
from hornbeam.learn.forests.bagging import Bagging
from hornbeam.learn.forests.forest_predictions import ForestEstimator
from hornbeam.learn.linear.linear import LinearRegressor
from hornbeam.learn.trees.tree_learner import TreeLearner
from hornbeam.scale.gather import all_rows, sizes_of

if TYPE_CHECKING:
    from hornbeam.scale.source import Source


def learn(source: Source, estimator: Any) -> tuple[Any, str | None]:
    """Return the model that an estimator learns from all rows, or a Table if they are few; and a digest of the data."""
    if isinstance(estimator, TreeLearner):
        from hornbeam.scale.trees.learn import learn_tree

        return learn_tree(source, estimator)
    if source.in_database:
        msg = (
            f"{type(estimator).__name__} does not learn inside a database; the tree classifiers do, or leave engine out"
        )
        raise TypeError(msg)
    if isinstance(estimator, LinearRegressor):
        from hornbeam.scale.linear.learn import learn_linear

        return learn_linear(source, estimator)
    sizes = sizes_of(source)
    n_rows = sum(sizes.values())
    if n_rows <= source.local_rows:
        return all_rows(source, source.executor, source.executor.load(source.typed, source.keys)), None
    learned: tuple[Any, str] = _by_sums(estimator, n_rows, source)(source, estimator, sizes)
    return learned


def _by_sums(estimator: Any, n_rows: int, source: Source) -> Any:
    """The function that learns from more rows than fit in memory."""
    if isinstance(estimator, ForestEstimator):
        from hornbeam.scale.forests.learn import learn_from_codes

        return learn_from_codes
    if isinstance(estimator, KMeans):
        from hornbeam.scale.clusters.kmeans import learn_kmeans

        return learn_kmeans
    if isinstance(estimator, MixtureModel):
        from hornbeam.scale.clusters.em import learn_mixture

        return learn_mixture
    if hasattr(estimator, "_scanned_choices"):  # a model tree
        from hornbeam.scale.model_trees.learn import learn_model_tree

        return learn_model_tree
    if isinstance(estimator, Bagging):
        from hornbeam.scale.forests.bagging import learn_bagging

        return learn_bagging
    msg = (
        f"{type(estimator).__name__} learns from tables in memory only, and there are {plural(n_rows, 'row')}, "
        f"more than local_rows={source.local_rows}; expected a larger local_rows in hornbeam.scan, if they fit in "
        "memory, or a tree, M5Regressor, a random forest, boosting, bagging of trees, LinearRegressor, KMeans or "
        "MixtureModel"
    )
    raise TypeError(msg)
