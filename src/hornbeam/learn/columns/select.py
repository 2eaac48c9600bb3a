"""Selection of columns for any learner: one is added or removed at a time, as long as the cross-validated score rises.

Irrelevant columns harm learners that compare rows. Column weights are one remedy; removing columns is another, for any
learner.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.learn.base.estimator import TableEstimator, usable
from hornbeam.learn.base.parameters import at_least, one_of, whole, whole_or_none
from hornbeam.learn.columns.greedy_search import greedy
from hornbeam.schemes import find

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

DIRECTIONS = ("forward", "backward")
LEAST_FOLDS = 2


@dataclass(frozen=True)
class Selection:
    """The selected columns, and the steps of the selection.

    Parameters
    ----------
    columns : tuple of str
        The selected columns, in table order.
    score : float
        Accuracy, or minus the mean squared error, in cross-validation with these columns.
    steps : tuple of (str, float)
        The column added or removed at each step, and the score afterwards.
    start : float
        The score before the first step: of the most frequent class or the mean, or with all columns.
    """

    columns: tuple[str, ...]
    score: float
    steps: tuple[tuple[str, float], ...]
    start: float

    def take(self, table: Table) -> Table:
        """The table with only these columns as features; the others are ignored."""
        return looking_at(table, self.columns)


@takes_rows(needs_target=True, learns=True)
def select_columns(
    estimator: Any,
    table: Table,
    direction: str = "forward",
    *,
    max_columns: int | None = None,
    min_gain: float = 0.0,
    folds: int = 5,
    seed: int = 1,
    n_jobs: int | None = None,
) -> Selection:
    """Select columns for a learner: start with none and add the best one at a time, or start with all and remove one.

    Parameters
    ----------
    estimator : estimator or str
        A learner of this package, or the name of its scheme; not changed.
    table : Table
        With a target; rows without one are left out.
    direction : {"forward", "backward"}, default="forward"
        Forward, a column is added if it gains more than `min_gain`; backward, a column is removed if it costs no more.
    max_columns : int or None, default=None
        The maximum number of columns: forward selection stops there, backward selection continues until there.
    min_gain : float, default=0.0
        The minimum gain of the score: accuracy, or minus the mean squared error.
    folds : int, default=5
        The number of folds of the cross-validation; the folds are the same for all columns.
    seed : int, default=1
        The seed of the folds.
    n_jobs : int or None, default=None
        Number of threads, each of which tries other columns: None is one, -1 all cores. The result does not depend on
        it.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> chosen = hornbeam.select_columns(hornbeam.KStarClassifier(), table)
    >>> 1 <= len(chosen.columns) < 4
    True
    """
    forward = one_of("direction", direction, DIRECTIONS) == "forward"
    most = whole_or_none("max_columns", max_columns, 1)
    gain = at_least("min_gain", min_gain, 0.0)
    rows = usable(table)
    learner = _learner(estimator, rows)
    parts = _folds(rows, whole("folds", folds, LEAST_FOLDS), seed)
    names = [rows.schema.columns[place].name for place in rows.schema.features]
    if not names:
        msg = f"the table {rows.schema.name!r} has no feature to select"
        raise ValueError(msg)

    def cost(chosen: tuple[str, ...]) -> _Cost:
        beyond = 0 if most is None or forward else max(len(chosen) - most, 0)
        return _Cost(beyond, _judge(learner, rows, parts, chosen), len(chosen), gain)

    def one_more(chosen: tuple[str, ...]) -> list[tuple[str, ...]]:
        if most is not None and len(chosen) >= most:
            return []
        return [(*chosen, name) for name in names if name not in chosen]

    def one_fewer(chosen: tuple[str, ...]) -> list[tuple[str, ...]]:
        return [tuple(other for other in chosen if other != name) for name in chosen] if len(chosen) > 1 else []

    descent = greedy(cost, *((one_more, ()) if forward else (one_fewer, tuple(names))), n_jobs=n_jobs)
    changed = [next(iter(set(one) ^ set(other))) for one, other in pairwise(descent.places)]
    scores = [found.score for found in descent.costs]
    columns = tuple(name for name in names if name in descent.place)
    return Selection(columns, scores[-1], tuple(zip(changed, scores[1:], strict=True)), scores[0])


@dataclass(frozen=True)
class _Cost:
    """The cost of a set of columns: minus its score, plus a price per column; on a tie, fewer columns are better.

    Only sets that differ by one column, or are of one size, are compared.
    """

    beyond: int  # the number of columns above the maximum
    score: float
    columns: int
    price: float

    def __lt__(self, other: _Cost) -> bool:
        if self.beyond != other.beyond:
            return self.beyond < other.beyond
        if self.columns < other.columns:
            return self.score >= other.score - self.price
        return self.score > other.score + self.price * (self.columns - other.columns)


def looking_at(table: Table, names: Any) -> Table:
    """The table with only these columns as features."""
    wanted = set(names)
    others = [place for place in table.schema.features if table.schema.columns[place].name not in wanted]
    return table.assign(dict.fromkeys(others, "ignored"))


def _learner(estimator: Any, table: Table) -> Any:
    if isinstance(estimator, str):
        predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
        return find(estimator, predicts).load()()  # type: ignore[arg-type]
    if not isinstance(estimator, TableEstimator):
        msg = f"estimator is {estimator!r}; expected a learner of hornbeam, or the name of a scheme"
        raise TypeError(msg)
    return estimator


def _folds(table: Table, folds: int, seed: int) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    if folds > table.n_rows:
        msg = f"folds is {folds}; expected no more than the {table.n_rows} rows with a target"
        raise ValueError(msg)
    rows, target = np.zeros((table.n_rows, 1)), table.target_values()
    if not isinstance(table.schema.target_column, Nominal):
        return list(KFold(folds, shuffle=True, random_state=seed).split(rows))
    few = np.bincount(target)[target] < folds  # classes with fewer rows than folds are stratified as one
    if 0 < few.sum() < folds:
        return list(KFold(folds, shuffle=True, random_state=seed).split(rows))
    return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(rows, np.where(few, -1, target)))


def _judge(learner: Any, table: Table, parts: list[tuple[NDArray[Any], NDArray[Any]]], names: tuple[str, ...]) -> float:
    """The score of a learner with these columns, over all folds together."""
    nominal = isinstance(table.schema.target_column, Nominal)
    target, weights = table.target_values(), table.weights
    column = table.schema.target_column
    code_of = {name: code for code, name in enumerate(column.categories)} if isinstance(column, Nominal) else {}
    predicted = np.empty(table.n_rows)
    seen = looking_at(table, names)
    for train, test in parts:
        if not names:
            own = None if weights is None else weights[train]
            counts = np.bincount(target[train], own) if nominal else None
            predicted[test] = np.average(target[train], weights=own) if counts is None else int(counts.argmax())
            continue
        fitted = clone(learner).fit(seen.take(train))
        predictions = fitted.predict(seen.take(test))
        predicted[test] = [code_of[name] for name in predictions] if nominal else predictions
    if nominal:
        return float(np.average(predicted == target, weights=weights))
    return -float(np.average((predicted - target) ** 2, weights=weights))
