"""Readable again: one small tree, or one list of rules, learned to answer as an ensemble does, or as clusters do.

The ensemble answers the rows of a table, and these answers are what is learned: noise in the true targets is gone, and
more rows can be made up, since the ensemble answers any. How often the small model agrees is measured on real rows that
it did not see: some that are held out, or all of them in turn (`distilling.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal, Schema
from hornbeam.learn.base.parameters import one_of, whole
from hornbeam.learn.explain.distilling import Distilled, Measure, distilled
from hornbeam.model.base.align import align
from hornbeam.model.clusters.clustering import Clustering
from hornbeam.model.rules.rule import rules_from_tree

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.table import Table

__all__ = ["Distilled", "as_rules", "as_tree", "explain_clusters"]

USUAL_LEAVES = 16
LEAST_LEAVES, LEAVES_A_CLUSTER = 4, 2


def as_tree(
    model: Any,
    table: Table,
    max_leaf_nodes: int = USUAL_LEAVES,
    made_up: float | None = None,
    held_out: float | Table = 0.3,
    estimator: Any = None,
    random_state: Any = None,
    folds: int | None = None,
) -> Distilled:
    """One small tree that answers as the model does.

    Parameters
    ----------
    model : fitted estimator or model
        A forest, boosted trees, an ensemble, or anything else that answers rows of a table.
    table : Table
        Rows that it answers; their own targets only judge the result.
    max_leaf_nodes : int
        How large the tree may be.
    made_up : float, optional
        How many rows to make up, for each of the table's: columns of two rows put together at random. The tree then
        agrees in places where there are few rows, too. None: three, but no more than 20 000 in all.
    held_out : float or Table
        The share of the rows on which agreement is measured, which the tree does not learn from; or other rows.
    estimator : estimator, optional
        What learns the tree, in place of `TreeClassifier` or `TreeRegressor`; `max_leaf_nodes` does not count then.
    random_state : int or None
        Seed of what is held out and made up.
    folds : int, optional
        Hold every row out once instead, in so many parts: agreement is that of trees learned from the other parts, and
        the tree itself is learned from all rows.

    Returns
    -------
    Distilled
        The tree is its `model_`, the agreement its `fidelity`.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> trees = hornbeam.BaggingClassifier(n_estimators=25, random_state=1).fit(vote)
    >>> small = hornbeam.distill.as_tree(trees, vote, max_leaf_nodes=4, random_state=1)
    >>> small.model_.n_leaves, small.fidelity > 0.95
    (4, True)
    """
    _refuse_clusters(model, "tree")
    if estimator is None:
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - one of the two
        from hornbeam.learn.trees.tree_regressor import TreeRegressor  # noqa: PLC0415

        kind = TreeClassifier if _predicts_classes(model) else TreeRegressor
        estimator = kind(max_leaf_nodes=max_leaf_nodes)
    return distilled(model, table, estimator, Measure(made_up, held_out, folds, random_state))


def as_rules(
    model: Any,
    table: Table,
    max_rules: int | None = None,
    made_up: float | None = None,
    held_out: float | Table = 0.3,
    estimator: Any = None,
    random_state: Any = None,
    folds: int | None = None,
) -> Distilled:
    """One list of rules that answers as the model does.

    Parameters
    ----------
    model : fitted estimator or model
        A forest, boosted trees, an ensemble, or anything else that answers rows of a table.
    table : Table
        Rows that it answers; their own targets only judge the result.
    max_rules : int, optional
        Keep the first so many rules, and one answer for all that they do not cover.
    made_up, held_out, random_state, folds
        As for `as_tree`.
    estimator : estimator, optional
        What learns the rules. None: `PartClassifier`; for numbers the leaves of a small tree (of `max_rules` leaves, 16
        where that is not given), each as a rule.

    Returns
    -------
    Distilled
        The rules are its `model_`, the agreement its `fidelity`.

    Examples
    --------
    >>> import hornbeam
    >>> vote = hornbeam.read("vote")
    >>> trees = hornbeam.BaggingClassifier(n_estimators=25, random_state=1).fit(vote)
    >>> small = hornbeam.distill.as_rules(trees, vote, max_rules=3, random_state=1)
    >>> len(small.model_), small.fidelity > 0.9
    (3, True)
    """
    _refuse_clusters(model, "rules")
    if max_rules is not None:
        whole("max_rules", max_rules, 1)
    if estimator is None:
        if not _predicts_classes(model):
            leaves = max_rules or USUAL_LEAVES
            small = as_tree(model, table, leaves, made_up, held_out, random_state=random_state, folds=folds)
            return replace(small, model_=rules_from_tree(small.model_))
        from hornbeam.learn.rules.part import PartClassifier  # noqa: PLC0415 - only where no other is asked for

        estimator = PartClassifier()
    return distilled(model, table, estimator, Measure(made_up, held_out, folds, random_state), max_rules)


def explain_clusters(
    model: Any,
    table: Any,
    by: str = "tree",
    max_leaf_nodes: int | None = None,
    max_rules: int | None = None,
    made_up: float = 0.0,
    folds: int = 10,
    estimator: Any = None,
    random_state: Any = None,
    labels: ArrayLike | None = None,
) -> Distilled:
    """One small tree, or one list of rules, that tells in which cluster a row is.

    Parameters
    ----------
    model : fitted estimator or model
        Of clusters.
    table : Table, frame or array
        Rows, most often those that the clusters were found in.
    by : {"tree", "rules"}
        What to explain with.
    max_leaf_nodes : int, optional
        How large a tree may be; None: two leaves a cluster, four at least.
    max_rules : int, optional
        Keep the first so many rules, and one answer for all that they do not cover.
    made_up, estimator, random_state
        As for `as_tree`.
    folds : int
        Agreement is measured by cross-validation with so many parts, or as many as there are rows.
    labels : array, optional
        The cluster of every row, such as `labels_`; by default the model is asked, which may put a row elsewhere than
        where it was when the clusters were found (`Cobweb`).

    Returns
    -------
    Distilled
        The tree or the rules are its `model_`; `fidelity` is the share of rows, each held out once, that are put in
        their own cluster, `confusion` which clusters are taken for which.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> clusters = hornbeam.KMeans(3, random_state=1).fit(iris)
    >>> small = hornbeam.distill.explain_clusters(clusters, iris, random_state=1)
    >>> small.model_.n_leaves, small.fidelity > 0.9
    (6, True)
    """
    one_of("by", by, ("tree", "rules"))
    named = _NamedClusters(getattr(model, "model_", model))
    table = named.with_labels(named.model.as_table(table), labels)
    if table.n_rows < 2:  # noqa: PLR2004 - one to learn from, one to judge
        msg = f"the table has {plural(table.n_rows, 'row')}; an explanation needs at least two"
        raise ValueError(msg)
    given: dict[str, Any] = {"made_up": made_up, "folds": min(whole("folds", folds, 2), table.n_rows)}
    given |= {"estimator": estimator, "random_state": random_state}
    if by == "rules":
        return _untrue(as_rules(named, table, max_rules, **given))
    leaves = max(LEAST_LEAVES, LEAVES_A_CLUSTER * named.n_clusters) if max_leaf_nodes is None else max_leaf_nodes
    if estimator is None:
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - only where no other is asked for

        # Splits that part a cluster from itself explain nothing.
        given["estimator"] = TreeClassifier(max_leaf_nodes=leaves, prune="pessimistic", subtree_raising=False)
    return _untrue(as_tree(named, table, leaves, **given))


def _untrue(found: Distilled) -> Distilled:
    """Clusters are no truth to be judged by."""
    return replace(found, score=float("nan"), original_score=float("nan"))


class _NamedClusters:
    """Clusters as classes: a model that answers with a target that its rows do not have."""

    def __init__(self, model: Any) -> None:
        if not isinstance(model, Clustering):
            msg = f"clusters are explained; a {type(model).__name__} was given"
            raise TypeError(msg)
        self.model, self.n_clusters = model, model.n_clusters
        name = "cluster"
        while name in model.schema.names:
            name += "_"
        target = Nominal(name, tuple(f"cluster {number}" for number in range(model.n_clusters)))
        columns, roles = (*model.schema.columns, target), (*model.schema.roles, "target")
        self.schema = Schema(columns, roles, model.schema.name)

    def with_labels(self, table: Table, labels: ArrayLike | None) -> Table:
        """The rows with the clusters that they are known to be in."""
        rows = align(self.model.schema, table)
        known = np.full(rows.n_rows, -1) if labels is None else np.asarray(labels)
        if known.shape != (rows.n_rows,) or (labels is not None and not np.isin(known, range(self.n_clusters)).all()):
            msg = f"labels are expected to be {rows.n_rows} numbers of clusters, from 0 to {self.n_clusters - 1}"
            raise ValueError(msg)
        return rows.extended(self.schema, known)

    def predict_codes(self, table: Table) -> NDArray[np.int32]:
        """The cluster of every row: that which it is known to be in, or that which the model says."""
        known: NDArray[np.int32] = table.target_values()
        if (known >= 0).all():
            return known
        return np.where(
            known >= 0, known, self.model.predict_codes(table.select(range(len(self.model.schema.columns))))
        )


def _refuse_clusters(model: Any, by: str) -> None:
    """Clusters have no target to predict: another function makes classes of them."""
    if isinstance(getattr(model, "model_", model), Clustering):
        msg = (
            f"{type(model).__name__} finds clusters and predicts no target; use "
            f"hornbeam.distill.explain_clusters(model, table, by={by!r})"
        )
        raise TypeError(msg)


def _predicts_classes(model: Any) -> bool:
    return isinstance(getattr(model, "model_", model).schema.target_column, Nominal)
