"""Which columns the model depends on, and how: permutation importance, partial dependence and individual curves.

Importance is measured on held-out rows, by models of the same scheme learned without them. The curves are those of the
model that the report shows, averaged over a sample of its rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.as_table import codes_of
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.evaluate.judge import probabilities_of, seeded
from hornbeam.evaluate.plain import Plain
from hornbeam.evaluate.scores import ClassificationScore, score
from hornbeam.learn.explain.permutation import permutation_importance
from hornbeam.report.choice import is_readable
from hornbeam.report.form import used_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.evaluate.comparing.comparison import HeldOut
    from hornbeam.schemes import Predicts


FOLDS, SHUFFLES = 5, 5  # importance: models learned again, and shuffles of each column
ROWS_PER_FOLD = 300  # maximum number of held-out rows per fold
MOST_SHUFFLED = 200  # maximum number of columns
ROWS, FEWER_ROWS = 300, 60  # rows of a curve; fewer for models that keep rows, which predict slowly
DRAWN = 40  # individual curves
POINTS = 25  # of a numeric column
MOST_CATEGORIES = 12
MOST_EFFECTS = 6
ENDS = (0.01, 0.99)  # quantiles between which a numeric column is varied


@dataclass(frozen=True, slots=True)
class Importance(Plain):
    """How much worse held-out predictions are when the values of a column are shuffled."""

    column: str  # its name
    mean: float  # the accuracy that is lost, or the root mean squared error that is added, on average
    deviation: float  # the standard deviation over folds and shuffles

    @property
    def range(self) -> tuple[float, float]:
        """One deviation below the mean, and one above it."""
        return self.mean - self.deviation, self.mean + self.deviation

    @property
    def matters(self) -> bool:
        """Whether the mean is above zero by more than its deviation."""
        return self.mean > self.deviation


@dataclass(frozen=True, slots=True, eq=False)
class Effect(Plain):
    """How predictions change with one column while the others are fixed."""

    _json = "column category values mean low high"

    column: str  # its name
    category: str | None  # the class whose probability it is; None if numbers are predicted
    values: tuple[float | str, ...]  # values of the column: numbers ascending, or categories
    mean: Floats  # the mean prediction over the sampled rows, by value (partial dependence)
    # low, high: the 10% and 90% quantiles of the individual predictions
    low: Floats
    high: Floats
    # of shape (rows, values): predictions of some of the rows (individual conditional expectation)
    curves: Floats


def importance(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    held_out: HeldOut,
    *,
    seed: int,
    in_order: bool = False,
    first: Sequence[str] = (),
) -> tuple[Importance, ...]:
    """Measure the importance of every column on held-out rows, greatest first.

    Parameters
    ----------
    estimator : estimator
        Not fitted; it is learned again for up to five folds.
    table : Table
        All rows.
    held_out : HeldOut
        The fold of every row.
    seed : int
        Of samples and shuffles.
    in_order : bool
        Whether each fold trains only on earlier rows.
    first : sequence of str
        Columns in the order of priority, if there are too many to shuffle all.
    """
    folds = [fold for fold in range(int(held_out.fold.max(initial=-1)) + 1) if (held_out.fold == fold).any()]
    known = ~table.schema.target_column.missing(table.target_values())
    drops: dict[str, list[float]] = {table.schema.columns[place].name: [] for place in table.schema.features}
    random = np.random.default_rng(seed)
    for fold in folds[-FOLDS:] if in_order else folds[:FOLDS]:
        train = known & ((held_out.fold < fold) if in_order else (held_out.fold != fold))
        learner = seeded(estimator, seed).fit(table.take(train))
        test = np.flatnonzero(held_out.fold == fold)
        if len(test) > ROWS_PER_FOLD:
            test = np.sort(random.choice(test, ROWS_PER_FOLD, replace=False))
        used = used_columns(getattr(learner, "model_", None))
        names = [name for name in first if used is None or table.schema.position(name) in used][:MOST_SHUFFLED]
        found = permutation_importance(
            learner, table.take(test), SHUFFLES, _score, random_state=seed + fold, columns=names
        )
        shuffled = dict(zip(names, found.drops.tolist(), strict=True))
        for name, kept in drops.items():
            kept.extend(shuffled.get(name, [0.0] * SHUFFLES))
    measured = [
        Importance(name, float(np.mean(kept)), float(np.std(kept, ddof=1))) for name, kept in drops.items() if kept
    ]
    return tuple(sorted(measured, key=lambda one: -one.mean))


def _score(learner: Any, table: Table) -> float:  # noqa: ANN401 - any estimator of ours
    """Accuracy, or the negative root mean squared error."""
    found = score(codes_of(learner.predict(table), table.schema.target_column), table)
    return found.accuracy if isinstance(found, ClassificationScore) else -found.root_mean_squared_error


def effects(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    table: Table,
    columns: Sequence[str],
    *,
    scheme: str,
    seed: int,
) -> tuple[Effect, ...]:
    """Vary each of some columns over its values, and average the predictions of a sample of rows.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    table : Table
        Its rows.
    columns : sequence of str
        The columns.
    scheme : str
        The scheme of the estimator: models that are not readable get fewer rows, because they may predict slowly.
    seed : int
        Of the sample.
    """
    predicts: Predicts = "category" if isinstance(table.schema.target_column, Nominal) else "number"
    most = ROWS if is_readable(scheme, predicts) else FEWER_ROWS
    rows = np.arange(table.n_rows)
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    sample = table.take(rows)
    made = (_effect(estimator, table, sample, table.schema.position(name)) for name in columns)
    return tuple(one for one in made if one is not None)


def _effect(estimator: Any, table: Table, sample: Table, position: int) -> Effect | None:  # noqa: ANN401
    column = table.schema.columns[position]
    grid, values = _grid(table, position)
    if len(grid) < 2:  # noqa: PLR2004 - one value has no effect
        return None
    predicted = _predicted(estimator, sample, position, grid)  # rows, values, classes or one
    target = table.schema.target_column
    code = 0
    if isinstance(target, Nominal):
        means = predicted.mean(axis=0)
        counts = np.bincount(table.target_values()[table.target_values() >= 0], minlength=len(target.categories))
        there = np.flatnonzero(counts)
        if len(there) == 2:  # noqa: PLR2004 - the two mirror each other
            code = int(min(there, key=lambda one: (counts[one], -one)))
        else:
            code = int(np.argmax(np.ptp(means, axis=0)))
    one = predicted[:, :, code]
    low, high = np.quantile(one, [0.1, 0.9], axis=0)
    shown = np.unique(np.linspace(0, len(one) - 1, DRAWN).round().astype(np.intp))
    category = target.categories[code] if isinstance(target, Nominal) else None
    return Effect(column.name, category, values, one.mean(axis=0), low, high, one[shown])


def _grid(table: Table, position: int) -> tuple[AnyArray, tuple[float | str, ...]]:
    """Return the values to try, as stored in the table and as names."""
    column, values = table.schema.columns[position], table.columns[position]
    if isinstance(column, Nominal):
        counts = np.bincount(values[values >= 0], minlength=len(column.categories))
        kept = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        kept = np.array(sorted(kept[counts[kept] > 0].tolist(), key=lambda code: _place(column, code)), np.int32)
        return kept, tuple(column.categories[code] for code in kept.tolist())
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return known, ()
    places = np.linspace(ENDS[0], ENDS[1], POINTS) * (len(known) - 1)
    grid = np.unique(known[places.round().astype(np.intp)])
    return grid, tuple(grid.tolist())


def _place(column: Nominal, code: int) -> tuple[float, int]:
    """Return the position of a category: its value if the name is a number, else its code."""
    try:
        number = float(column.categories[code])
    except ValueError:
        number = 0.0
    return (0.0 if column.ordered or math.isnan(number) else number), code


def _predicted(estimator: Any, sample: Table, position: int, grid: AnyArray) -> Floats:  # noqa: ANN401
    """Predict every row of the sample with every value of the grid, at once."""
    arrays = [np.repeat(values, len(grid)) for values in sample.columns]
    arrays[position] = np.tile(grid, sample.n_rows)
    varied = Table(sample.schema, arrays, copy=False)
    shape = (sample.n_rows, len(grid), -1)
    if not isinstance(sample.schema.target_column, Nominal):
        return np.asarray(estimator.predict(varied), np.float64).reshape(shape)
    found = probabilities_of(estimator, varied)
    if found is None:
        codes = codes_of(estimator.predict(varied), sample.schema.target_column)
        found = (codes[:, None] == np.arange(len(sample.schema.target_column.categories))).astype(np.float64)
    return found.reshape(shape)
