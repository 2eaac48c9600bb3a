"""The rows for which two models predict differently: which rows, why, and which of the models is right more often.

Rows are counted without weights, because the exact test below is a test of rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.evaluate.comparing.significance import corrected_t_test, mcnemar
from hornbeam.evaluate.plain import Plain, or_none, plain_fields
from hornbeam.model.rules.exceptions import decided_by, rule_at
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.show.texts.wording import condition_of, path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools
    from hornbeam.data.schema import Column
    from hornbeam.data.table import Table
    from hornbeam.evaluate.comparing.significance import TTest

ROUNDING = 1e-9  # numbers with at most this relative difference are the same
Prediction = str | float | None


@dataclass(frozen=True, slots=True)
class ChangedRow:
    """A row that gets different predictions."""

    row: int  # index, from 1
    # a, b: the predictions; None if there is none
    a: Prediction
    b: Prediction
    truth: Prediction = None  # the true value; None if unknown
    reason: int | None = None  # index of the reason, from 0; None if the models give none


@dataclass(frozen=True, slots=True)
class Reason:
    """Why rows get different predictions: their paths in both models."""

    # a, b: the path or the rule, as text; empty if a model has neither
    a: str
    b: str
    rows: int  # how many of the changed rows have this reason


@dataclass(frozen=True, slots=True)
class AccuracyComparison(Plain):
    """Which of two classification models is right more often."""

    rows: int  # rows whose class is known
    # right_a, right_b: how many each gets right
    right_a: int
    right_b: int
    # only_a, only_b: how many only this model gets right
    only_a: int
    only_b: int
    p_value: float  # McNemar's exact test that both are right equally often


@dataclass(frozen=True, slots=True)
class ErrorComparison:
    """Which of two regression models has smaller errors."""

    rows: int  # rows whose number is known, and which both models predict
    # mean_absolute_error_a, mean_absolute_error_b: of each model
    mean_absolute_error_a: float
    mean_absolute_error_b: float
    # root_mean_squared_error_a, root_mean_squared_error_b: of each model
    root_mean_squared_error_a: float
    root_mean_squared_error_b: float
    difference: TTest  # absolute error of b minus that of a, by row, with its 95% interval

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; values that do not exist are None."""
        return plain_fields(self) | {"difference": plain_fields(self.difference, "mean interval p_value")}


@dataclass(frozen=True, slots=True)
class PredictionDifference:
    """The result of `compare_predictions`."""

    rows: int  # the number of predicted rows
    n_changed: int  # how many get different predictions
    # tuple of (prediction, prediction, int): for classes: how many rows get each pair of predictions of a and b, most
    # frequent first, including equal ones
    counts: tuple[tuple[Prediction, Prediction, int], ...]
    changed: tuple[ChangedRow, ...]  # the first rows that changed; for numbers, those that changed most
    reasons: tuple[Reason, ...]  # reasons for those rows, the most frequent first
    judged: AccuracyComparison | ErrorComparison | None = None  # which model is better, if the target is known
    # learned_by_a, learned_by_b: whether a model was trained on these rows, according to its file
    learned_by_a: bool = False
    learned_by_b: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether every row gets the same prediction."""
        return self.n_changed == 0

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        counts = [{"a": a, "b": b, "rows": rows} for a, b, rows in self.counts]
        rest = plain_fields(self, "changed_rows=changed reasons judged learned_by_a learned_by_b")
        return plain_fields(self, "rows changed=n_changed") | {"counts": counts} | rest


def compare_predictions(
    a: Any,  # noqa: ANN401 - any model
    b: Any,  # noqa: ANN401
    table: Table,
    provenance: tuple[Mapping[str, Any], Mapping[str, Any]] = ({}, {}),
    rows: int = 10,
) -> PredictionDifference:
    """Compare the predictions of two models for the same rows.

    Parameters
    ----------
    a, b : model
        For the same target.
    table : Table
        Rows with the columns of both models, and optionally the target.
    provenance : two mappings
        The provenance of the models from their files: the fingerprint of the training data.
    rows : int
        The maximum number of changed rows to list.
    """
    target = a.schema.target_column
    models = (a, b)
    judge: Callable[..., AccuracyComparison | ErrorComparison | None]
    found = [model.decided_codes(table) for model in models]
    truth = _truth(target, table)
    if isinstance(target, Nominal):
        named = [_named(model.schema.target_column, codes) for model, codes in zip(models, found, strict=True)]
        changed = named[0] != named[1]
        order = np.flatnonzero(changed)
        counts = Counter(zip(named[0].tolist(), named[1].tolist(), strict=True))
        often = sorted(counts.items(), key=lambda item: (-item[1], str(item[0])))
        text = tuple((*pair, count) for pair, count in often)
        judge = _compare_accuracies
    else:
        named, text = found, ()
        changed = _apart(named[0], named[1])
        size = np.where(np.isnan(named[0] - named[1]), np.inf, np.abs(named[0] - named[1]))
        order = np.flatnonzero(changed)
        order = order[np.argsort(-size[order], kind="stable")]
        judge = _compare_errors
    judged = None if truth is None else judge(named[0], named[1], truth)
    chosen = order[:rows]
    reasons, which = _reasons(models, table.take(chosen), len(chosen))
    listed = tuple(
        ChangedRow(
            int(row) + 1,
            _plain(named[0][row]),
            _plain(named[1][row]),
            None if truth is None else _plain(truth[row]),
            which[place],
        )
        for place, row in enumerate(chosen)
    )
    seen = [truth is not None and _fingerprint(target, table) == some.get("data") for some in provenance]
    return PredictionDifference(table.n_rows, int(changed.sum()), text, listed, reasons, judged, *seen)


def _fingerprint(target: Column, table: Table) -> str:
    return (table if table.schema.target is not None else table.with_target(target.name)).fingerprint()


def _named(target: Column, codes: AnyArray) -> AnyArray:
    """Names of classes, None if there is no prediction."""
    assert isinstance(target, Nominal)
    names: AnyArray = np.array([*target.categories, None], dtype=object)
    text: AnyArray = names[codes]
    return text


def _plain(prediction: Any) -> Prediction:  # noqa: ANN401 - a name or a number
    if prediction is None or isinstance(prediction, str):
        return prediction
    return or_none(float(prediction))


def _truth(target: Column, table: Table) -> AnyArray | None:
    """The target of every row as names or numbers; None if the table does not have it."""
    if target.name not in table.schema.names:
        return None
    place = table.schema.position(target.name)
    given, values = table.schema.columns[place], table.columns[place]
    if isinstance(given, Nominal) != isinstance(target, Nominal):
        msg = f"the target {target.name!r} is numeric in the data and nominal in the models, or the other way round"
        raise SchemaError(msg)
    return _named(given, values) if isinstance(given, Nominal) else values


def _apart(one: AnyArray, other: AnyArray) -> Bools:
    """Whether two numbers differ by more than rounding; a missing prediction differs from every other."""
    none = np.isnan(one) | np.isnan(other)
    far = np.abs(one - other) > ROUNDING * np.maximum(np.abs(one), np.abs(other))
    return np.asarray(np.where(none, np.isnan(one) != np.isnan(other), far), np.bool_)


def _compare_accuracies(one: AnyArray, other: AnyArray, truth: AnyArray) -> AccuracyComparison | None:
    known = np.array([name is not None for name in truth], np.bool_)
    if not known.any():
        return None
    ours, theirs = (one == truth) & known, (other == truth) & known
    only_a, only_b = int((ours & ~theirs).sum()), int((theirs & ~ours).sum())
    return AccuracyComparison(
        int(known.sum()), int(ours.sum()), int(theirs.sum()), only_a, only_b, mcnemar(only_a, only_b)
    )


def _compare_errors(one: AnyArray, other: AnyArray, truth: AnyArray) -> ErrorComparison | None:
    known = ~(np.isnan(truth) | np.isnan(one) | np.isnan(other))
    if not known.any():
        return None
    ours, theirs = (np.abs(predicted[known] - truth[known]) for predicted in (one, other))
    return ErrorComparison(
        int(known.sum()),
        float(ours.mean()),
        float(theirs.mean()),
        float(np.sqrt((ours**2).mean())),
        float(np.sqrt((theirs**2).mean())),
        corrected_t_test(theirs - ours, test_share=0.0),
    )


def _reasons(models: tuple[Any, Any], table: Table, n_rows: int) -> tuple[tuple[Reason, ...], list[int | None]]:
    """The distinct reasons for some rows, and the reason of each row."""
    if not n_rows or not any(isinstance(model, Tree | RuleList) for model in models):
        return (), [None] * n_rows
    ways = list(zip(_ways(models[0], table), _ways(models[1], table), strict=True))
    counts = Counter(ways)
    first = {way: place for place, way in reversed(list(enumerate(ways)))}
    order = sorted(counts, key=lambda way: (-counts[way], first[way]))
    return tuple(Reason(*way, counts[way]) for way in order), [order.index(way) for way in ways]


def _ways(model: Any, table: Table) -> list[str]:  # noqa: ANN401 - any model
    """The path or the rule that predicts every row, as text; for a divided row, that of the largest piece."""
    if isinstance(model, Tree):
        return [path(model, int(leaf)) for leaf in model.apply(table)]
    if not isinstance(model, RuleList):
        return [""] * table.n_rows
    if model.decide != "first":
        return [_rule_words(model, None if fired < 0 else (int(fired),)) for fired in model.fired(table)]
    return [_rule_words(model, place) for place in decided_by(model, table)]


def _rule_words(rules: RuleList, place: tuple[int, ...] | None) -> str:
    if place is None or place == (-1,):
        return "no rule holds"
    words = []
    for depth in range(1, len(place) + 1):
        rule, position = rule_at(rules, place[:depth]), place[depth - 1]
        if position < 0:
            words.append("the default")
            continue
        conditions = " and ".join(condition_of(condition, rules) for condition in rule.conditions) or "always"
        words.append(f"{'exception' if depth > 1 else 'rule'} {position + 1}: {conditions}")
    return ", ".join(words)
