"""How a small model is learned from the predictions of a large one, and how far the two agree; see `distill.py`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.utils import check_random_state

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.parameters import at_least, between, whole
from hornbeam.model.base.align import align
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Ints64

USUALLY_MADE_UP, MOST_MADE_UP = 3, 20_000
FROM_ANOTHER = 0.5  # probability that a made-up row has the value of a column from the second of its two rows


@dataclass(frozen=True, eq=False)
class Distilled:
    """A small model that imitates a large one.

    Parameters
    ----------
    model_ : Tree or RuleList
        The small model.
    estimator_ : estimator
        The fitted estimator that learned it.
    fidelity : float
        The fraction of held-out rows for which both models predict the same; for numbers the R² of the predictions of
        the small model against those of the large one.
    score, original_score : float
        The accuracy (or R²) of the small and the large model on the same rows, by the true target; NaN if not known.
    n_held_out : int
        The number of held-out rows.
    confusion : array of shape (classes, classes), or None
        How many of these rows the large model predicts as one class (row) and the small model as another (column); None
        for numbers.
    folds : int or None
        The number of parts in which every row was held out once; None if the rows were held out at once.
    """

    model_: Any
    estimator_: Any
    fidelity: float
    score: float
    original_score: float
    n_held_out: int
    confusion: Ints64 | None = None
    folds: int | None = None

    def _repr_html_(self) -> str:
        """Show the small model in a notebook, with its fidelity."""
        import hornbeam  # noqa: PLC0415 - the whole package, reached from below

        return hornbeam._html(self)

    def __repr__(self) -> str:
        size = f"{len(self.model_)} rules" if isinstance(self.model_, RuleList) else repr(self.model_)
        scores = "" if np.isnan(self.score) else f", score {self.score:.3f} for {self.original_score:.3f}"
        return f"Distilled({size}; fidelity {self.fidelity:.3f}{scores}, on {self.n_held_out} rows)"


@dataclass(frozen=True)
class Measure:
    """How agreement is measured, and how many rows are made up; parameters of `as_tree`."""

    made_up: float | None
    held_out: float | Table
    folds: int | None
    random_state: Any


def distilled(model: Any, table: Table, estimator: Any, measure: Measure, max_rules: int | None = None) -> Distilled:
    """Learn from the predictions of the model, and measure on held-out rows how often the small model agrees."""
    if measure.made_up is not None:
        at_least("made_up", measure.made_up, 0)
    random = np.random.default_rng(check_random_state(measure.random_state).randint(2**31 - 1))
    plain = getattr(model, "model_", model)
    rows = _known(align(plain.schema, table))

    def learn(part: Table) -> tuple[Any, Any]:
        return _learned(plain, part, estimator, measure.made_up, random, max_rules)

    if measure.folds is None:
        judging, rows = _divided(plain, rows, measure.held_out, random)
        learner, small = learn(rows)
        predicted = small.predict_codes(judging)
    else:
        judging, learner, small = rows, *learn(rows)
        predicted = small.predict_codes(judging)  # has the right type; replaced part by part
        parts = _assigned_parts(plain.predict_codes(rows), measure.folds, random)
        for part in range(measure.folds):
            apart = parts == part
            predicted[apart] = learn(rows.take(~apart))[1].predict_codes(rows.take(apart))
    truth, originals = judging.target_values(), plain.predict_codes(judging)
    return Distilled(
        model_=small,
        estimator_=learner,
        fidelity=_agreement(originals, predicted),
        score=_agreement(truth, predicted),
        original_score=_agreement(truth, originals),
        n_held_out=judging.n_rows,
        confusion=_confusion(plain, originals, predicted),
        folds=measure.folds,
    )


def _learned(
    plain: Any, rows: Table, estimator: Any, made_up: float | None, random: np.random.Generator, max_rules: int | None
) -> tuple[Any, Any]:
    """The estimator fitted to the predictions of the model, and the small model that it learned."""
    count = min(USUALLY_MADE_UP * rows.n_rows, MOST_MADE_UP) if made_up is None else round(made_up * rows.n_rows)
    real, rows = rows.n_rows, _with_made_up(rows, count, random)
    truth = rows.target_values().copy()
    truth[real:] = np.nan if truth.dtype == np.float64 else -1  # the true target of a made-up row is not known
    rows = _with_target(rows, truth)
    learner = clone(estimator)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=int(random.integers(2**31 - 1)))
    targets = plain.predict_codes(rows)
    learner.fit(_with_target(rows, targets))
    return learner, learner.model_ if max_rules is None else _shortened(learner.model_, max_rules, rows, targets)


def _divided(plain: Any, rows: Table, held_out: float | Table, random: np.random.Generator) -> tuple[Table, Table]:
    """The rows to evaluate on, and the rows to learn from."""
    if isinstance(held_out, Table):
        return align(plain.schema, held_out), rows
    between("held_out", held_out, 0, 1)
    order = random.permutation(rows.n_rows)
    apart = round(held_out * rows.n_rows)
    if not 0 < apart < rows.n_rows:
        msg = f"{rows.n_rows} rows cannot be divided: {held_out} of them held out; pass other rows as held_out"
        raise ValueError(msg)
    return rows.take(np.sort(order[:apart])), rows.take(np.sort(order[apart:]))


def _assigned_parts(predicted: AnyArray, folds: int, random: np.random.Generator) -> Ints64:
    """The part of every row: random, but every predicted value is spread over the parts as evenly as possible."""
    if len(predicted) < whole("folds", folds, 2):
        msg = f"{len(predicted)} rows cannot be held out in {folds} parts"
        raise ValueError(msg)
    order = random.permutation(len(predicted))
    order = order[np.argsort(predicted[order], kind="stable")]
    parts = np.empty(len(predicted), np.int64)
    parts[order] = np.arange(len(predicted)) % folds
    return parts


def _confusion(plain: Any, originals: AnyArray, predicted: AnyArray) -> Ints64 | None:
    target = plain.schema.target_column
    if not isinstance(target, Nominal):
        return None
    counts = np.zeros((len(target.categories),) * 2, np.int64)
    known = (originals >= 0) & (predicted >= 0)
    np.add.at(counts, (originals[known], predicted[known]), 1)
    return counts


def _known(table: Table) -> Table:
    """The table; its weights are ignored if the model learned with weights and these rows have none."""
    weights = table.weights
    if weights is None or not np.isnan(weights).any():
        return table
    place = table.schema.with_role("weight")
    assert place is not None
    return table.assign({place: "ignored"})


def _with_target(table: Table, values: AnyArray) -> Table:
    """The table with other targets."""
    arrays = list(table.columns)
    place = table.schema.target
    assert place is not None
    arrays[place] = values
    return Table(table.schema, arrays, table.notes, copy=False)


def _with_made_up(table: Table, count: int, random: np.random.Generator) -> Table:
    """The rows, and `count` more, each combined from the columns of two of them."""
    if not count:
        return table
    one, other = random.integers(0, table.n_rows, (2, count))
    arrays = []
    for role, values in zip(table.schema.roles, table.columns, strict=True):
        swapped = random.random(count) < FROM_ANOTHER if role == "feature" else np.zeros(count, np.bool_)
        arrays.append(np.concatenate([values, values[np.where(swapped, other, one)]]))
    return Table(table.schema, arrays, table.notes, copy=False)


def _shortened(rules: Any, max_rules: int, table: Table, targets: AnyArray) -> Any:
    """The first rules of a list, with the most frequent target of the other rows as the default."""
    if not isinstance(rules, RuleList) or rules.decide == "vote" or rules.task != "classification":
        msg = "max_rules is for lists of rules for classes, in which the first matching rule decides"
        raise ValueError(msg)
    if len(rules) <= max_rules:
        return rules
    kept = replace(rules, rules=rules.rules[:max_rules], default=None)
    left = targets[(kept.fired(table) < 0) & (targets >= 0)]
    target = rules.schema.target_column
    assert isinstance(target, Nominal)
    counted = np.bincount(left if len(left) else targets[targets >= 0], minlength=len(target.categories))
    label = int(counted.argmax())
    wrong = float(counted.sum() - counted[label])
    return replace(kept, default=Rule((), counted.astype(np.float64), label, float(counted.sum()), wrong))


def _agreement(truth: AnyArray, predicted: AnyArray) -> float:
    """The fraction of equal rows; for numbers R². NaN if nothing is known."""
    if truth.dtype != np.float64:
        known = truth >= 0
        return float((truth == predicted)[known].mean()) if known.any() else float("nan")
    known = ~np.isnan(truth) & ~np.isnan(predicted)
    return float(r2_score(truth[known], predicted[known])) if int(known.sum()) > 1 else float("nan")
