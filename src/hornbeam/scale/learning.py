"""From an estimator and a source to a model: which learner does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.scale.source import Source


def learn(source: Source, estimator: Any) -> tuple[Any, str]:
    """The model that an estimator learns from all rows, or a Table if they are few; and a digest of the data."""
    from hornbeam.learn.linear.linear import LinearRegressor
    from hornbeam.learn.trees.tree_learner import TreeLearner

    if isinstance(estimator, TreeLearner):
        from hornbeam.scale.trees.learn import learn_tree

        return learn_tree(source, estimator)
    if isinstance(estimator, LinearRegressor) and source.engine != "duckdb":
        from hornbeam.scale.linear.learn import learn_linear

        return learn_linear(source, estimator)
    inside = " inside a database" if source.engine == "duckdb" else ""
    msg = (
        f"{type(estimator).__name__} does not learn from scanned data{inside} yet; the tree classifiers do, "
        "and LinearRegressor from files; or read the data into memory with hornbeam.read"
    )
    raise TypeError(msg)
