"""How a small model is learned from the answers of a large one, and how far the two agree; see `distill.py`."""

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
    from numpy.typing import NDArray

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


@dataclass(frozen=True)
class Measure:
    """How agreement is measured, and what is made up; parameters of `as_tree`."""

    made_up: float | None
    held_out: float | Table
    folds: int | None
    random_state: Any


def distilled(model: Any, table: Table, estimator: Any, measure: Measure, max_rules: int | None = None) -> Distilled:
    """Learn from the model's answers to the rows, and measure on rows held out how often the small model agrees."""
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
        answers = small.predict_codes(judging)
    else:
        judging, learner, small = rows, *learn(rows)
        answers = small.predict_codes(judging)  # of the right kind; put right part by part
        dealt = _dealt(plain.predict_codes(rows), measure.folds, random)
        for part in range(measure.folds):
            apart = dealt == part
            answers[apart] = learn(rows.take(~apart))[1].predict_codes(rows.take(apart))
    truth, originals = judging.target_values(), plain.predict_codes(judging)
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
    real, rows = rows.n_rows, _with_made_up(rows, count, random)
    truth = rows.target_values().copy()
    truth[real:] = np.nan if truth.dtype == np.float64 else -1  # nobody knows what is true of a row that was made up
    rows = _with_target(rows, truth)
    learner = clone(estimator)
    if "random_state" in learner.get_params():
        learner.set_params(random_state=int(random.integers(2**31 - 1)))
    answers = plain.predict_codes(rows)
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
    return Table(table.schema, arrays, table.notes, copy=False)


def _with_made_up(table: Table, count: int, random: np.random.Generator) -> Table:
    """The rows, and as many more, each put together from the columns of two of them."""
    if not count:
        return table
    one, other = random.integers(0, table.n_rows, (2, count))
    arrays = []
    for role, values in zip(table.schema.roles, table.columns, strict=True):
        swapped = random.random(count) < FROM_ANOTHER if role == "feature" else np.zeros(count, np.bool_)
        arrays.append(np.concatenate([values, values[np.where(swapped, other, one)]]))
    return Table(table.schema, arrays, table.notes, copy=False)


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
