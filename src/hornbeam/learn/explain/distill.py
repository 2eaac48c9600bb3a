"""Distillation: one small tree, or one list of rules, that imitates an ensemble or explains clusters.

The ensemble predicts the rows of a table, and the small model learns these predictions. They do not have the noise of
the true targets, and more rows can be made up, since the ensemble can predict any row. How often the small model agrees
is measured on real rows that it did not see: some that are held out, or all of them in turn (`distilling.py`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.takes_rows import takes_rows
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


@takes_rows(also=("held_out",))
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
    """Learn a small tree that predicts what the model predicts.

    Parameters
    ----------
    model : fitted estimator or model
        A forest, boosted trees, an ensemble, or any other model that predicts rows of a table.
    table : Table
        Rows to predict; their own targets are only used to evaluate the result.
    max_leaf_nodes : int
        The maximum number of leaves.
    made_up : float, optional
        How many rows to make up for each row of the table, by combining the columns of two random rows. The tree then
        also agrees where there are few rows. None: three, but at most 20 000 in all.
    held_out : float or Table
        The fraction of the rows to hold out from learning and to measure agreement on; or other rows.
    estimator : estimator, optional
        The learner to use instead of `TreeClassifier` or `TreeRegressor`; `max_leaf_nodes` is then ignored.
    random_state : int or None
        Seed for holding out and making up rows.
    folds : int, optional
        Hold out every row once, in this many parts: agreement is that of trees learned from the other parts, and the
        tree itself is learned from all rows.

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


@takes_rows(also=("held_out",))
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
    """Learn a list of rules that predicts what the model predicts.

    Parameters
    ----------
    model : fitted estimator or model
    table : Table
    made_up, held_out, random_state, folds
        As for `as_tree`.
    max_rules : int, optional
        Keep this many rules, and one prediction for all rows that they do not cover.
    estimator : estimator, optional
        The learner to use. None: `PartClassifier`; for numbers the leaves of a small tree (of `max_rules` leaves, by
        default 16), each as a rule.

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
    """Learn a small tree, or a list of rules, that predicts the cluster of a row.

    Parameters
    ----------
    model : fitted estimator or model
        A clustering.
    table : Table, frame or array
        Rows, usually those in which the clusters were found.
    by : {"tree", "rules"}
        Explain by a tree or by rules.
    max_leaf_nodes : int, optional
        The maximum number of leaves of the tree. None: two per cluster, at least four.
    max_rules : int, optional
        Keep this many rules, and one prediction for all rows that they do not cover.
    made_up, estimator, random_state
        As for `as_tree`.
    folds : int
        The number of folds of the cross-validation that measures agreement; at most the number of rows.
    labels : array, optional
        The cluster of every row, such as `labels_`. By default the model predicts it, which can differ from the cluster
        that the row had when the clusters were found (`Cobweb`).

    Returns
    -------
    Distilled
        The tree or the rules are its `model_`; `fidelity` is the fraction of rows, each held out once, whose cluster is
        predicted correctly, and `confusion` shows which clusters are mistaken for which.

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
    if table.n_rows < 2:  # noqa: PLR2004 - one to learn from, one to evaluate
        msg = f"the table has {plural(table.n_rows, 'row')}; an explanation needs at least two"
        raise ValueError(msg)
    given: dict[str, Any] = {"made_up": made_up, "folds": min(whole("folds", folds, 2), table.n_rows)}
    given |= {"estimator": estimator, "random_state": random_state}
    if by == "rules":
        return _without_scores(as_rules(named, table, max_rules, **given))
    leaves = max(LEAST_LEAVES, LEAVES_A_CLUSTER * named.n_clusters) if max_leaf_nodes is None else max_leaf_nodes
    if estimator is None:
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - only where no other is asked for

        # Splits between rows of the same cluster explain nothing.
        given["estimator"] = TreeClassifier(max_leaf_nodes=leaves, prune="pessimistic", subtree_raising=False)
    return _without_scores(as_tree(named, table, leaves, **given))


def _without_scores(distilled: Distilled) -> Distilled:
    """The result without scores, since clusters are not a true target."""
    return replace(distilled, score=float("nan"), original_score=float("nan"))


class _NamedClusters:
    """Clusters as classes: a model that predicts a target which its rows do not have."""

    def __init__(self, model: Any) -> None:
        if not isinstance(model, Clustering):
            msg = f"expected a clustering to explain; a {type(model).__name__} was given"
            raise TypeError(msg)
        self.model, self.n_clusters = model, model.n_clusters
        name = "cluster"
        while name in model.schema.names:
            name += "_"
        target = Nominal(name, tuple(f"cluster {number}" for number in range(model.n_clusters)))
        columns, roles = (*model.schema.columns, target), (*model.schema.roles, "target")
        self.schema = Schema(columns, roles, model.schema.name)

    def with_labels(self, table: Table, labels: ArrayLike | None) -> Table:
        """The rows with their known clusters."""
        rows = align(self.model.schema, table)
        known = np.full(rows.n_rows, -1) if labels is None else np.asarray(labels)
        if known.shape != (rows.n_rows,) or (labels is not None and not np.isin(known, range(self.n_clusters)).all()):
            msg = f"labels are expected to be {rows.n_rows} numbers of clusters, from 0 to {self.n_clusters - 1}"
            raise ValueError(msg)
        return rows.extended(self.schema, known)

    def predict_codes(self, table: Table) -> NDArray[np.int32]:
        """The cluster of every row: the known one, or else the predicted one."""
        known: NDArray[np.int32] = table.target_values()
        if (known >= 0).all():
            return known
        return np.where(
            known >= 0, known, self.model.predict_codes(table.select(range(len(self.model.schema.columns))))
        )


def _refuse_clusters(model: Any, by: str) -> None:
    """Refuse a clustering, which has no target to predict."""
    if isinstance(getattr(model, "model_", model), Clustering):
        msg = (
            f"{type(model).__name__} finds clusters and does not predict a target; use "
            f"hornbeam.distill.explain_clusters(model, table, by={by!r})"
        )
        raise TypeError(msg)


def _predicts_classes(model: Any) -> bool:
    return isinstance(getattr(model, "model_", model).schema.target_column, Nominal)


def __dir__() -> list[str]:
    """List the public names alone."""
    return sorted(__all__)
