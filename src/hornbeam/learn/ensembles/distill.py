"""Readable again: one small tree, or one list of rules, learned to answer as an ensemble does, or as clusters do.

The ensemble answers the rows of a table, and these answers are what is learned: noise in the true targets is gone, and
more rows can be made up, since the ensemble answers any. How often the small model agrees is measured on real rows that
it did not see: some that are held out, or all of them in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.learn.parameters import at_least, between, one_of, whole
from hornbeam.model.align import align
from hornbeam.model.clustering import Clustering
from hornbeam.model.rule import Rule, RuleList, rules_from_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Distilled", "as_rules", "as_tree", "explain_clusters"]

USUAL_LEAVES = 16
LEAST_LEAVES, LEAVES_A_CLUSTER = 4, 2
USUALLY_MADE_UP, MOST_MADE_UP = 3, 20_000
FROM_ANOTHER = 0.5  # how likely a made-up row has a column's value from the second of its two rows


@dataclass(frozen=True, eq=False)
class Distilled:
    """A small model that answers as a large one does.

    Parameters
    ----------
    model_ : Tree or RuleList
        The small model.
    estimator_ : estimator
        What learned it, fitted.
    fidelity : float
        On held-out rows, the share that both answer alike; for numbers the share of the variance of the large model's
        answers that the small one's explain (R²).
    score, original_score : float
        On the same rows, how good the small and the large model are by the true target; NaN where that is not known.
    n_held_out : int
        How many rows these are.
    confusion : array of shape (classes, classes), or None
        How many of these rows the large model answers with the one class, and the small one with the other; None for
        numbers.
    folds : int or None
        In how many parts every row was held out once; None: these rows were held out at once.
    """

    model_: Any
    estimator_: Any
    fidelity: float
    score: float
    original_score: float
    n_held_out: int
    confusion: NDArray[np.int64] | None = None
    folds: int | None = None

    def __repr__(self) -> str:
        size = f"{len(self.model_)} rules" if isinstance(self.model_, RuleList) else repr(self.model_)
        scores = "" if np.isnan(self.score) else f", score {self.score:.3f} for {self.original_score:.3f}"
        return f"Distilled({size}; fidelity {self.fidelity:.3f}{scores}, on {self.n_held_out} rows)"


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
    if estimator is None:
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - one of the two
        from hornbeam.learn.trees.tree_regressor import TreeRegressor  # noqa: PLC0415

        kind = TreeClassifier if _predicts_classes(model) else TreeRegressor
        estimator = kind(max_leaf_nodes=max_leaf_nodes)
    return _distilled(model, table, estimator, _Measure(made_up, held_out, folds, random_state))


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
    if max_rules is not None:
        whole("max_rules", max_rules, 1)
    if estimator is None:
        if not _predicts_classes(model):
            leaves = max_rules or USUAL_LEAVES
            small = as_tree(model, table, leaves, made_up, held_out, random_state=random_state, folds=folds)
            return replace(small, model_=rules_from_tree(small.model_))
        from hornbeam.learn.rules.part import PartClassifier  # noqa: PLC0415 - only where no other is asked for

        estimator = PartClassifier()
    return _distilled(model, table, estimator, _Measure(made_up, held_out, folds, random_state), max_rules)


def explain_clusters(
    model: Any,
    table: Table,
    by: str = "tree",
    max_leaf_nodes: int | None = None,
    max_rules: int | None = None,
    made_up: float = 0.0,
    folds: int = 10,
    estimator: Any = None,
    random_state: Any = None,
) -> Distilled:
    """One small tree, or one list of rules, that tells in which cluster a row is.

    Parameters
    ----------
    model : fitted estimator or model
        Of clusters.
    table : Table
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
    if table.n_rows < 2:  # noqa: PLR2004 - one to learn from, one to judge
        msg = f"the table has {table.n_rows} row{'s' * (table.n_rows != 1)}; an explanation needs at least two"
        raise ValueError(msg)
    given: dict[str, Any] = {"made_up": made_up, "folds": min(whole("folds", folds, 2), table.n_rows)}
    given |= {"estimator": estimator, "random_state": random_state}
    if by == "rules":
        return as_rules(named, table, max_rules, **given)
    leaves = max(LEAST_LEAVES, LEAVES_A_CLUSTER * named.n_clusters) if max_leaf_nodes is None else max_leaf_nodes
    if estimator is None:
        from hornbeam.learn.trees.tree_classifier import TreeClassifier  # noqa: PLC0415 - only where no other is asked for

        # Splits that part a cluster from itself explain nothing.
        given["estimator"] = TreeClassifier(max_leaf_nodes=leaves, prune="pessimistic", subtree_raising=False)
    return as_tree(named, table, leaves, **given)


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

    def predict(self, table: Table) -> NDArray[np.int32]:
        """The cluster of every row."""
        return self.model.predict(table.select(range(len(self.model.schema.columns))))


@dataclass(frozen=True)
class _Measure:
    """How agreement is measured, and what is made up; parameters of `as_tree`."""

    made_up: float | None
    held_out: float | Table
    folds: int | None
    random_state: Any


def _distilled(model: Any, table: Table, estimator: Any, measure: _Measure, max_rules: int | None = None) -> Distilled:
    if measure.made_up is not None:
        at_least("made_up", measure.made_up, 0)
    random = np.random.default_rng(check_random_state(measure.random_state).randint(2**31 - 1))
    plain = getattr(model, "model_", model)
    rows = _known(align(plain.schema, table))

    def learn(part: Table) -> tuple[Any, Any]:
        return _learned(plain, part, estimator, measure.made_up, random, max_rules)

    if measure.folds is None:
        judging, rows = _parted(plain, rows, measure.held_out, random)
        learner, small = learn(rows)
        answers = small.predict(judging)
    else:
        judging, learner, small = rows, *learn(rows)
        answers = small.predict(judging)  # of the right kind; put right part by part
        dealt = _dealt(plain.predict(rows), measure.folds, random)
        for part in range(measure.folds):
            apart = dealt == part
            answers[apart] = learn(rows.take(~apart))[1].predict(rows.take(apart))
    truth, originals = judging.target_values(), plain.predict(judging)
    return Distilled(
        model_=small,
        estimator_=learner,
        fidelity=_agreement(originals, answers),
        score=_agreement(truth, answers),
        original_score=_agreement(truth, originals),
        n_held_out=judging.n_rows,
        confusion=_confusion(plain, originals, answers),
        folds=measure.folds,
    )


def _learned(
    plain: Any, rows: Table, estimator: Any, made_up: float | None, random: np.random.Generator, max_rules: int | None
) -> tuple[Any, Any]:
    """What learns from the model's answers to the rows, and the small model that it learns."""
    count = min(USUALLY_MADE_UP * rows.n_rows, MOST_MADE_UP) if made_up is None else round(made_up * rows.n_rows)
    rows = _with_made_up(rows, count, random)
    learner = clone(estimator)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=int(random.integers(2**31 - 1)))
    answers = plain.predict(rows)
    learner.fit(_with_target(rows, answers))
    return learner, learner.model_ if max_rules is None else _shortened(learner.model_, max_rules, rows, answers)


def _parted(plain: Any, rows: Table, held_out: float | Table, random: np.random.Generator) -> tuple[Table, Table]:
    """The rows to judge by, and those to learn from."""
    if isinstance(held_out, Table):
        return align(plain.schema, held_out), rows
    between("held_out", held_out, 0, 1)
    order = random.permutation(rows.n_rows)
    apart = round(held_out * rows.n_rows)
    if not 0 < apart < rows.n_rows:
        msg = f"{rows.n_rows} rows cannot be parted, {held_out} of them held out; give other rows as held_out"
        raise ValueError(msg)
    return rows.take(np.sort(order[:apart])), rows.take(np.sort(order[apart:]))


def _dealt(answers: NDArray[Any], folds: int, random: np.random.Generator) -> NDArray[np.int64]:
    """The part of every row: at random, but every answer is spread over the parts as evenly as can be."""
    if len(answers) < whole("folds", folds, 2):
        msg = f"{len(answers)} rows cannot be held out in {folds} parts"
        raise ValueError(msg)
    order = random.permutation(len(answers))
    order = order[np.argsort(answers[order], kind="stable")]
    dealt = np.empty(len(answers), np.int64)
    dealt[order] = np.arange(len(answers)) % folds
    return dealt


def _confusion(plain: Any, originals: NDArray[Any], answers: NDArray[Any]) -> NDArray[np.int64] | None:
    target = plain.schema.target_column
    if not isinstance(target, Nominal):
        return None
    counts = np.zeros((len(target.categories),) * 2, np.int64)
    known = (originals >= 0) & (answers >= 0)
    np.add.at(counts, (originals[known], answers[known]), 1)
    return counts


def _predicts_classes(model: Any) -> bool:
    return isinstance(getattr(model, "model_", model).schema.target_column, Nominal)


def _known(table: Table) -> Table:
    """The table, its weights ignored where the model learned with some and these rows have none."""
    weights = table.weights
    if weights is None or not np.isnan(weights).any():
        return table
    place = table.schema.with_role("weight")
    assert place is not None
    return table.assign({place: "ignored"})


def _with_target(table: Table, answers: NDArray[Any]) -> Table:
    """The table with other targets."""
    arrays = list(table.columns)
    place = table.schema.target
    assert place is not None
    arrays[place] = answers
    return Table(table.schema, arrays, table.notes)


def _with_made_up(table: Table, count: int, random: np.random.Generator) -> Table:
    """The rows, and as many more, each put together from the columns of two of them."""
    if not count:
        return table
    one, other = random.integers(0, table.n_rows, (2, count))
    arrays = []
    for role, values in zip(table.schema.roles, table.columns, strict=True):
        swapped = random.random(count) < FROM_ANOTHER if role == "feature" else np.zeros(count, np.bool_)
        arrays.append(np.concatenate([values, values[np.where(swapped, other, one)]]))
    return Table(table.schema, arrays, table.notes)


def _shortened(rules: Any, max_rules: int, table: Table, answers: NDArray[Any]) -> Any:
    """The first rules of a list, and the commonest answer where they do not fire."""
    if not isinstance(rules, RuleList) or rules.decide == "vote" or rules.task != "classification":
        msg = "max_rules is for lists of rules for classes, in which earlier rules go first"
        raise ValueError(msg)
    if len(rules) <= max_rules:
        return rules
    kept = replace(rules, rules=rules.rules[:max_rules], default=None)
    left = answers[(kept.fired(table) < 0) & (answers >= 0)]
    target = rules.schema.target_column
    assert isinstance(target, Nominal)
    counted = np.bincount(left if len(left) else answers[answers >= 0], minlength=len(target.categories))
    label = int(counted.argmax())
    wrong = float(counted.sum() - counted[label])
    return replace(kept, default=Rule((), counted.astype(np.float64), label, float(counted.sum()), wrong))


def _agreement(truth: NDArray[Any], answers: NDArray[Any]) -> float:
    """Share of rows alike; for numbers the share of the variance explained. NaN where nothing is known."""
    if truth.dtype != np.float64:
        known = truth >= 0
        return float((truth == answers)[known].mean()) if known.any() else float("nan")
    known = ~np.isnan(truth) & ~np.isnan(answers)
    return float(r2_score(truth[known], answers[known])) if int(known.sum()) > 1 else float("nan")
