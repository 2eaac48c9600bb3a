"""Readable again: one small tree, or one list of rules, learned to answer as an ensemble does.

The ensemble answers the rows of a table, and these answers are what is learned: noise in the true targets is gone, and
more rows can be made up, since the ensemble answers any. How often the small model agrees is measured on real rows that
it did not see.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.parameters import at_least, between, whole
from hornbeam.model.align import align
from hornbeam.model.rule import Rule, RuleList, rules_from_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Distilled", "as_rules", "as_tree"]

USUAL_LEAVES = 16
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
    """

    model_: Any
    estimator_: Any
    fidelity: float
    score: float
    original_score: float
    n_held_out: int

    def __repr__(self) -> str:
        size = f"{len(self.model_)} rules" if isinstance(self.model_, RuleList) else repr(self.model_)
        scores = f"score {self.score:.3f} for {self.original_score:.3f}"
        return f"Distilled({size}; fidelity {self.fidelity:.3f}, {scores}, on {self.n_held_out} rows)"


def as_tree(
    model: Any,
    table: Table,
    max_leaf_nodes: int = USUAL_LEAVES,
    made_up: float | None = None,
    held_out: float | Table = 0.3,
    estimator: Any = None,
    random_state: Any = None,
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
    return _distilled(model, table, estimator, made_up, held_out, random_state)


def as_rules(
    model: Any,
    table: Table,
    max_rules: int | None = None,
    made_up: float | None = None,
    held_out: float | Table = 0.3,
    estimator: Any = None,
    random_state: Any = None,
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
    made_up, held_out, random_state
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
            small = as_tree(model, table, max_rules or USUAL_LEAVES, made_up, held_out, random_state=random_state)
            return replace(small, model_=rules_from_tree(small.model_))
        from hornbeam.learn.rules.part import PartClassifier  # noqa: PLC0415 - only where no other is asked for

        estimator = PartClassifier()
    return _distilled(model, table, estimator, made_up, held_out, random_state, max_rules)


def _distilled(
    model: Any,
    table: Table,
    estimator: Any,
    made_up: float | None,
    held_out: float | Table,
    random_state: Any,
    max_rules: int | None = None,
) -> Distilled:
    if made_up is not None:
        at_least("made_up", made_up, 0)
    random = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
    plain = getattr(model, "model_", model)
    rows = _known(align(plain.schema, table))
    if isinstance(held_out, Table):
        judging = align(plain.schema, held_out)
    else:
        between("held_out", held_out, 0, 1)
        order = random.permutation(rows.n_rows)
        apart = round(held_out * rows.n_rows)
        if not 0 < apart < rows.n_rows:
            msg = f"{rows.n_rows} rows cannot be parted, {held_out} of them held out; give other rows as held_out"
            raise ValueError(msg)
        judging, rows = rows.take(np.sort(order[:apart])), rows.take(np.sort(order[apart:]))
    count = min(USUALLY_MADE_UP * rows.n_rows, MOST_MADE_UP) if made_up is None else round(made_up * rows.n_rows)
    rows = _with_made_up(rows, count, random)
    learner = clone(estimator)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=int(random.integers(2**31 - 1)))
    learner.fit(_with_target(rows, plain.predict(rows)))
    small = learner.model_ if max_rules is None else _shortened(learner.model_, max_rules, rows, plain.predict(rows))
    answers, originals = small.predict(judging), plain.predict(judging)
    truth = judging.target_values()
    return Distilled(
        model_=small,
        estimator_=learner,
        fidelity=_agreement(originals, answers),
        score=_agreement(truth, answers),
        original_score=_agreement(truth, originals),
        n_held_out=judging.n_rows,
    )


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
