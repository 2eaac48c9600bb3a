"""Bias and variance by resampling: one learner is fitted on many samples.

Samples are drawn with replacement from one table, and a model predicts the rows that it has not seen; or, if the
generator of the data is known, each sample is newly generated, and models predict the rows of a test table. Noise can
be separated from bias only if noise-free values are given. Several values of a parameter are evaluated on the same
samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.as_table import codes_of
from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal, is_missing
from hornbeam.data.table import Table
from hornbeam.data.takes_rows import takes_rows
from hornbeam.evaluate.cross_validation import sort_columns, workers
from hornbeam.evaluate.curves.curve import values_of, with_value
from hornbeam.evaluate.curves.curve_result import value_text
from hornbeam.evaluate.curves.decomposition import (
    NO_NOISE,
    SquaredLoss,
    SumsOfNumbers,
    Votes,
    ZeroOneLoss,
    decimals_for,
)
from hornbeam.evaluate.folds import groups_of
from hornbeam.evaluate.judge import seeded
from hornbeam.evaluate.plain import plain_fields
from hornbeam.learn.base.in_threads import in_order_of_arrival
from hornbeam.schemes import title_of
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.data.schema import Column
    from hornbeam.learn.base.in_threads import Progress
    from hornbeam.show.plot import Axes

    Sample = Table | Callable[[np.random.Generator], Table]
    Predictions = tuple[list[NDArray[Any]], NDArray[np.bool_] | None]

ROUNDS = 100
BATCH = 16  # samples whose predictions are in memory at once
Loss = SquaredLoss | ZeroOneLoss


@takes_rows(needs_target=True, learns=True, table="sample", also=("test",))
def bias_variance(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    sample: Sample,
    *,
    test: Table | None = None,
    truth: ArrayLike | None = None,
    rounds: int = ROUNDS,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> BiasVariance:
    """Decompose the expected error of a learner into noise, bias and variance.

    Parameters
    ----------
    estimator : estimator
        Not changed; a clone is fitted on each sample. If its `random_state` is None, each sample gets a different one.
        Estimators of scikit-learn, which take arrays, can be used too.
    sample : Table or callable
        A table from which bootstrap samples are drawn (of whole groups, if it has a column of the role ``"group"``); or
        a function that takes a `numpy.random.Generator` and returns a new training table.
    test : Table, optional
        Rows to predict, with a target. By default the rows of the table that are not in the sample. Required if
        `sample` is a function.
    truth : array, optional
        The noise-free target of the rows to predict: numbers; or codes of classes, or the true probability of every
        class, (rows, classes). Without it, noise is counted as bias.
    rounds : int
        How many samples.
    seed : int
        Seed of the samples. The first samples are the same for any number of rounds.
    n_jobs : int, optional
        The number of models fitted in parallel; None is one, -1 one per core. The results are the same.
    progress : callable, optional
        Called with the number of finished samples and the total number.

    Returns
    -------
    BiasVariance

    Notes
    -----
    Bootstrap samples of one table show how predictions vary with the sampled rows. The variation between different
    tables is counted as bias, not as variance. Newly generated samples do not have this problem.

    Examples
    --------
    >>> import hornbeam
    >>> found = bias_variance(hornbeam.C45Classifier(), hornbeam.read("iris"), rounds=30).loss
    >>> abs(found.error - (found.bias + found.net_variance)) < 1e-12
    True
    """
    losses, rows = _losses([estimator], sample, test, truth, rounds, seed, workers(n_jobs), progress)
    return BiasVariance(
        rows.schema.name, type(estimator).__name__, rounds, seed, not isinstance(sample, Table), losses[0]
    )


@takes_rows(needs_target=True, learns=True, table="sample", also=("test",))
def bias_variance_curve(
    estimator: Any,  # noqa: ANN401 - any estimator of ours
    sample: Sample,
    parameter: str,
    values: Sequence[float | None] | None = None,
    *,
    test: Table | None = None,
    truth: ArrayLike | None = None,
    rounds: int = ROUNDS,
    seed: int = 1,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> BiasVarianceCurve:
    """Decompose the expected error for several values of a parameter, on the same samples.

    Parameters
    ----------
    estimator : estimator
        Not changed; clones are fitted on each sample.
    sample : Table or callable
        See `bias_variance`.
    parameter : str
        Its name.
    values : sequence of number or None, optional
        The values to try; by default the search range of the scheme.
    test, truth, rounds, seed, n_jobs, progress
        See `bias_variance`.

    Returns
    -------
    BiasVarianceCurve

    Examples
    --------
    >>> import hornbeam
    >>> found = bias_variance_curve(
    ...     hornbeam.TreeClassifier(), hornbeam.read("iris"), "max_depth", [1, 3], rounds=20
    ... )
    >>> stump, tree = (loss for _, loss in found.points)
    >>> stump.bias > tree.bias
    True
    """
    tried = values_of(estimator, parameter, values)
    learners = [with_value(estimator, parameter, value) for value in tried]
    losses, rows = _losses(learners, sample, test, truth, rounds, seed, workers(n_jobs), progress)
    return BiasVarianceCurve(
        rows.schema.name,
        type(estimator).__name__,
        parameter,
        rounds,
        seed,
        not isinstance(sample, Table),
        tuple(zip(tried, losses, strict=True)),
    )


def _losses(
    learners: Sequence[Any],
    sample: Sample,
    test: Table | None,
    truth: ArrayLike | None,
    rounds: int,
    seed: int,
    threads: int,
    progress: Progress | None,
) -> tuple[list[SquaredLoss | ZeroOneLoss], Table]:
    """Fit every learner on every sample, and decompose the errors; also return the predicted rows."""
    if rounds < 2:  # noqa: PLR2004 - one model has no variance
        raise ValueError(f"rounds is {rounds}; expected 2 or more")
    if test is None and not isinstance(sample, Table):
        msg = "sample is a function, so there are no left-out rows to predict; expected a test table with it"
        raise ValueError(msg)
    rows = test if test is not None else sample
    assert isinstance(rows, Table)
    rows, truth = _known(rows, truth)
    pool = sample
    if isinstance(sample, Table):
        pool = rows if test is None else _known(sample, None)[0]
        assert isinstance(pool, Table)
        sort_columns(pool)
    groups = _groups(pool)
    from hornbeam.evaluate.comparing.outside import on_tables  # noqa: PLC0415 - needs scikit-learn, which a result does not

    learners = [on_tables(learner) for learner in learners]
    column = rows.schema.target_column
    counting = [_counting(rows) for _ in learners]

    def run(number: int) -> Predictions:
        chance = np.random.default_rng((seed, number))
        train, held_out = _drawn(pool, groups, chance)
        predictions = [_predictions(learner, train, rows, column, number + seed) for learner in learners]
        return predictions, held_out if test is None else None

    for begin in range(0, rounds, BATCH):
        part = min(BATCH, rounds - begin)

        def report(done: int, _: int, begin: int = begin) -> None:
            if progress is not None:
                progress(begin + done, rounds)

        found = in_order_of_arrival(lambda number, begin=begin: run(begin + number), part, threads, report)  # type: ignore[misc]
        for number in range(part):  # in order, so that sums do not depend on threads
            predictions, held_out = found[number]
            for sums, predicted in zip(counting, predictions, strict=True):
                sums.add(predicted, held_out)
    return [sums.split(truth, rows.weights) for sums in counting], rows


def _known(table: Table, truth: ArrayLike | None) -> tuple[Table, NDArray[Any] | None]:
    """Leave out rows without a target, also in the noise-free values."""
    known = ~is_missing(table.target_values())
    given = None if truth is None else np.asarray(truth)
    if given is not None and len(given) != table.n_rows:
        raise ValueError(f"truth has {len(given)} entries for {table.n_rows} rows to predict; expected one per row")
    if not known.any():
        raise ValueError(f"{table.schema.name}: no row has a target")
    if known.all():
        return table, given
    return table.take(known), None if given is None else given[known]


def _counting(rows: Table) -> SumsOfNumbers | Votes:
    column, values = rows.schema.target_column, rows.target_values()
    return Votes(values, len(column.categories)) if isinstance(column, Nominal) else SumsOfNumbers(values)


def _groups(pool: Sample) -> NDArray[np.int64] | None:
    """Number the groups of a table's rows, if there are any: rows of one group are drawn together."""
    if not isinstance(pool, Table):
        return None
    place = pool.schema.with_role("group")
    return None if place is None else groups_of(pool, place, np.arange(pool.n_rows))


def _drawn(
    pool: Sample, groups: NDArray[np.int64] | None, chance: np.random.Generator
) -> tuple[Table, NDArray[np.bool_] | None]:
    """Return a training sample, and the rows of the table that are not in it."""
    if not isinstance(pool, Table):
        return pool(chance), None
    if groups is None:
        times = np.bincount(chance.integers(0, pool.n_rows, pool.n_rows), minlength=pool.n_rows)
    else:
        count = int(groups.max()) + 1
        times = np.bincount(chance.integers(0, count, count), minlength=count)[groups]
    return pool.take(np.repeat(np.arange(pool.n_rows), times)), times == 0


def _predictions(learner: Any, train: Table, rows: Table, column: Column, seed: int) -> NDArray[Any]:  # noqa: ANN401
    return codes_of(seeded(learner, seed).fit(train).predict(rows), column)


@dataclass(frozen=True, slots=True, repr=False)
class BiasVariance(ShowsText):
    """Result of `bias_variance`.

    Parameters
    ----------
    table : str
        The name of the table whose rows were predicted.
    learner : str
        The estimator's class.
    rounds, seed : int
        How many samples, and their seed.
    fresh : bool
        Whether samples were newly generated, not drawn from one table.
    loss : SquaredLoss or ZeroOneLoss
        The expected error and its parts.
    """

    table: str
    learner: str
    rounds: int
    seed: int
    fresh: bool
    loss: Loss

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return _about(self) | self.loss.to_json()

    def text(self) -> str:
        """The parts as text, without a trailing newline."""
        return f"{_headline(self, self.loss)}\n\n{self.loss.text()}"

    def chart(self, *, axes: Axes = None) -> Axes:
        """The parts as bars, drawn by matplotlib."""
        from hornbeam.show import plot  # noqa: PLC0415 - only to draw

        bars = {**self.loss.parts(), "expected error": self.loss.error}
        title = f"{printable(self.table, NAME_LIMIT)}: bias and variance"
        return plot.bar(bars, axes=axes, title=title, y_label=_unit(self.loss))


@dataclass(frozen=True, slots=True, repr=False)
class BiasVarianceCurve(ShowsText):
    """Result of `bias_variance_curve`.

    Parameters
    ----------
    table : str
        The name of the table whose rows were predicted.
    learner : str
        The estimator's class.
    of : str
        The parameter.
    rounds, seed : int
        How many samples, the same for all values, and their seed.
    fresh : bool
        Whether samples were newly generated, not drawn from one table.
    points : tuple of (value, SquaredLoss or ZeroOneLoss)
        In the order in which they were tried.
    """

    table: str
    learner: str
    of: str
    rounds: int
    seed: int
    fresh: bool
    points: tuple[tuple[float | None, Loss], ...]

    @property
    def best(self) -> float | None:
        """The value with the smallest expected error; the first in a tie."""
        return min(self.points, key=lambda point: point[1].error)[0]

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON."""
        points = [{"value": value} | loss.to_json() for value, loss in self.points]
        return _about(self) | {"of": self.of, "points": points, "best": self.best}

    def text(self) -> str:
        """The parts by value as a table, without a trailing newline."""
        first = self.points[0][1]
        largest = max(loss.error for _, loss in self.points)
        write = partial(percent, decimals=2) if isinstance(first, ZeroOneLoss) else decimals_for(largest)
        names = list(first.parts())
        rows = [[printable(self.of), *names, "expected error"]]
        for value, loss in self.points:
            rows.append([value_text(value), *map(write, loss.parts().values()), write(loss.error)])
        lines = [_headline(self, first), "", *aligned(rows, left=()), ""]
        lines.append(f"least expected error at {printable(self.of)} {value_text(self.best)}")
        if first.noise is None:
            lines.append(NO_NOISE)
        elif isinstance(first, SquaredLoss):
            lines.append("(the parts add up except for the chance correlation of noise and bias)")
        return "\n".join(lines)

    def chart(self, *, axes: Axes = None) -> Axes:
        """The stacked parts against the parameter, drawn by matplotlib."""
        from hornbeam.show.charts.curve_charts import along, stacked  # noqa: PLC0415 - only to draw

        losses = [loss for _, loss in self.points]
        scale = 100.0 if isinstance(losses[0], ZeroOneLoss) else 1.0
        parts = {name: [scale * loss.parts()[name] for loss in losses] for name in losses[0].parts()}
        places, ticks = along([value for value, _ in self.points])
        return stacked(
            places,
            parts,
            {"expected error": [scale * loss.error for loss in losses]},
            ticks=ticks,
            marked=places[[value for value, _ in self.points].index(self.best)],
            mark="least expected error",
            axes=axes,
            title=f"Bias and variance: {printable(self.table, NAME_LIMIT)}",
            x_label=self.of,
            y_label=_unit(losses[0]),
        )


def _about(found: BiasVariance | BiasVarianceCurve) -> dict[str, Any]:
    return plain_fields(found, "table learner rounds seed fresh_samples=fresh")


def _headline(found: BiasVariance | BiasVarianceCurve, loss: Loss) -> str:
    samples = f"{found.rounds} {'fresh samples' if found.fresh else 'samples drawn with replacement'}"
    predicted = f"{loss.n_rows} rows predicted by {loss.models_per_row:.0f} models each"
    learned = f"{title_of(found.learner)} learned from {samples} (seed {found.seed})"
    return f"{printable(found.table, NAME_LIMIT)}: {learned}, {predicted}"


def _unit(loss: Loss) -> str:
    return "wrong predictions (%)" if isinstance(loss, ZeroOneLoss) else "squared error"
