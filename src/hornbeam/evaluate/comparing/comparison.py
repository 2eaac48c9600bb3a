"""The result of a comparison of methods: plain data; `comparison_text` writes it as text."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations
from statistics import stdev
from typing import TYPE_CHECKING, Any

from hornbeam._display import ShowsText
from hornbeam.data.errors import label
from hornbeam.evaluate.comparing.significance import LEVEL, TTest, corrected_t_test, holm
from hornbeam.evaluate.measures import ABOUT, TIMES, Measure, printed
from hornbeam.evaluate.plain import Plain, or_none, plain, plain_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints64
    from hornbeam.evaluate.comparing.significance import Ranking
    from hornbeam.show.plot import Axes

__all__ = ["Comparison", "Estimate", "HeldOut", "Measure", "Outcome", "Pair", "TableComparison", "differs", "pairs_of"]


@dataclass(frozen=True, slots=True)
class Estimate(Plain):
    """A value by fold, its mean over the folds, and the mean's 95% interval.

    The interval is corrected for folds that share training rows, as the tests are (`corrected_t_test`); that of an
    accuracy is clipped to 0 and 1, that of an error or a size to 0. Folds in which the value is NaN are left out.
    """

    mean: float
    interval: tuple[float, float]
    folds: tuple[float, ...]

    @classmethod
    def of(cls, folds: Sequence[float], test_share: float, most: float = math.inf, least: float = 0.0) -> Estimate:
        """Summarize the values of the folds."""
        found = corrected_t_test([figure for figure in folds if math.isfinite(figure)], test_share)
        low, high = found.interval
        return cls(found.mean, (max(low, least), min(high, most)), tuple(map(float, folds)))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean, with folds assumed independent, as used by the one-standard-error rule."""
        known = [figure for figure in self.folds if math.isfinite(figure)]
        return stdev(known) / math.sqrt(len(known)) if len(known) > 1 else math.nan


@dataclass(frozen=True, slots=True, eq=False)
class HeldOut:
    """The predictions of a method for held-out rows, in one repeat.

    Parameters
    ----------
    predictions : array, one entry per row of the table
        Codes into the target's categories, or numbers; -1 or NaN for rows that were not tested.
    probabilities : array, (rows, classes), or None
        Class probabilities in the order of the target's categories, NaN for rows that were not tested; None if the
        method has none.
    fold : array of int64, one entry per row
        The fold in which the row was tested; -1 for none.
    """

    predictions: AnyArray
    probabilities: Floats | None
    fold: Ints64


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method on one table.

    Parameters
    ----------
    method : str
        Its name.
    score : Estimate or None
        The comparison's metric on held-out rows.
    size : Estimate or None
        The number of leaves of the trees, or of rules; NaN if the model has neither.
    problem : str or None
        Why the method could not be evaluated; then there are no values.
    metrics : dict of str to Estimate
        Every measure by its name (`hornbeam.evaluate.measures.ABOUT`), ``leaves``, ``rules`` and ``conditions``, and
        the wall-clock times ``fit seconds`` and ``predict seconds``.
    held_out : tuple of HeldOut
        The predictions of every repeat, if they were kept.
    """

    method: str
    score: Estimate | None
    size: Estimate | None
    problem: str | None = None
    metrics: dict[str, Estimate] = field(default_factory=dict)
    held_out: tuple[HeldOut, ...] = ()

    def has(self, name: str) -> bool:
        """Whether a value exists."""
        return name in self.metrics and not math.isnan(self.metrics[name].mean)

    def to_json(self, *, times: bool = False) -> dict[str, Any]:
        """Plain data for JSON; times, which vary from run to run, only if requested."""
        metrics = {name: figure for name, figure in self.metrics.items() if times or name not in TIMES}
        return plain_fields(self, "method score size") | {"metrics": plain(metrics), "problem": self.problem}


@dataclass(frozen=True, slots=True)
class Pair(Plain):
    """Two methods on one table: the values of the first minus those of the second, fold by fold."""

    # one, other: the methods
    one: str
    other: str
    # score, size: the corrected resampled t-test of the differences
    score: TTest
    size: TTest


@dataclass(frozen=True, slots=True)
class TableComparison:
    """All methods on one table.

    Parameters
    ----------
    table : str
        Its name.
    n_rows : int
        Rows with a target.
    folds : int
        Folds of each repeat; fewer than requested where there were fewer rows.
    test_share : float
        The ratio of test rows to training rows.
    outcomes : tuple of Outcome
        In the order of the methods.
    pairs : tuple of Pair
        All pairs of methods that could be evaluated.
    """

    table: str
    n_rows: int
    folds: int
    test_share: float
    outcomes: tuple[Outcome, ...]
    pairs: tuple[Pair, ...]

    def outcome(self, method: str) -> Outcome:
        """Return the outcome of one method."""
        return next(outcome for outcome in self.outcomes if outcome.method == method)

    def pair(self, one: str, other: str) -> Pair | None:
        """Return the first method minus the second; None if either could not be evaluated."""
        for pair in self.pairs:
            if (pair.one, pair.other) == (one, other):
                return pair
            if (pair.one, pair.other) == (other, one):
                return Pair(one, other, _turned(pair.score), _turned(pair.size))
        return None

    def against(self, baseline: str) -> dict[str, tuple[Pair, float]]:
        """Return every other method minus the baseline, with p-values adjusted by Holm's method."""
        names = [outcome.method for outcome in self.outcomes if outcome.method != baseline]
        pairs = [pair for name in names if (pair := self.pair(name, baseline)) is not None]
        adjusted = holm([pair.score.p_value for pair in pairs])
        return {pair.one: (pair, p_value) for pair, p_value in zip(pairs, adjusted, strict=True)}

    def to_json(self, *, times: bool = False) -> dict[str, Any]:
        """Plain data for JSON."""
        methods = [outcome.to_json(times=times) for outcome in self.outcomes]
        about = plain_fields(self, "table rows=n_rows folds test_share")
        return about | {"methods": methods} | plain_fields(self, "pairs")


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(ShowsText):
    """The result of `compare`.

    Parameters
    ----------
    measure : str
        The metric of `score`: by default accuracy, or root mean squared error.
    methods : tuple of str
        Names of the methods.
    baseline : str
        The method that the others are tested against.
    repeats, seed : int
        Of the cross-validation.
    tables : tuple of TableComparison
        In the order given.
    ranking : Ranking or None
        Over the tables on which every method could be evaluated; None for fewer than two of them.
    groups, order : str or None
        The column whose groups were kept together, or that gives the time order of folds.
    tuned : tuple of (str, tuple of str)
        Methods that chose parameters in every fold, on its training rows only, with the names of the parameters.
    """

    measure: Measure
    methods: tuple[str, ...]
    baseline: str
    repeats: int
    seed: int
    tables: tuple[TableComparison, ...]
    ranking: Ranking | None
    groups: str | None = None
    order: str | None = None
    tuned: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        return ABOUT[self.measure].higher_is_better

    @property
    def size_name(self) -> str:
        """The unit of the sizes: leaves, rules, or either."""
        held = [
            name
            for name in ("leaves", "rules")
            if any(outcome.has(name) for table in self.tables for outcome in table.outcomes)
        ]
        return " or ".join(held) or "leaves"

    def to_json(self, *, times: bool = False) -> dict[str, Any]:
        """Plain data for JSON; times, which vary from run to run, only if requested."""
        tables = []
        for table in self.tables:
            against = [
                {"method": name, "p_value": or_none(pair.score.p_value), "adjusted_p_value": or_none(adjusted)}
                for name, (pair, adjusted) in table.against(self.baseline).items()
            ]
            tables.append(table.to_json(times=times) | {"against_baseline": against})
        about = plain_fields(self, "measure methods baseline repeats seed groups order")
        return about | {"tuned": plain(dict(self.tuned)), "tables": tables} | plain_fields(self, "ranking")

    def _headline(self) -> str:
        from hornbeam.evaluate.verdicts.verdict import verdict  # noqa: PLC0415 - it builds on this module

        return verdict(self).text

    def _short(self) -> str:
        lines = []
        for table in self.tables:
            lines.append(f"{label(table.table)}: {table.n_rows} rows, {table.folds} folds, {printed(self.measure)}")
            for one in table.outcomes:
                low, high = (math.nan, math.nan) if one.score is None else one.score.interval
                found = "not learned" if one.score is None else f"{one.score.mean:.4g} ({low:.4g} to {high:.4g})"
                lines.append(f"  {label(one.method)}: {found}")
        return "\n".join(lines)

    def text(self, *, times: bool = False, room: int = 110) -> str:
        """Tables as text, without a trailing newline; with times if requested; wide ones are divided to fit `room`."""
        from hornbeam.evaluate.comparing.comparison_text import write  # noqa: PLC0415 - it builds on this module

        return write(self, times=times, room=room)

    def markdown(self, *, times: bool = False) -> str:
        """The same as Markdown."""
        from hornbeam.evaluate.comparing.comparison_text import write  # noqa: PLC0415 - as above

        return write(self, markdown=True, times=times)

    def chart(self, *, axes: Axes = None) -> Axes:
        """Size against score, drawn by matplotlib; see `hornbeam.evaluate.comparing.comparison_chart.size_chart`."""
        from hornbeam.evaluate.comparing.comparison_chart import size_chart  # noqa: PLC0415 - as above

        return size_chart(self, axes=axes)


def pairs_of(outcomes: Sequence[Outcome], test_share: float) -> tuple[Pair, ...]:
    """Test all pairs of methods that were evaluated."""
    found = []
    for one, other in combinations(outcomes, 2):
        if one.score is None or other.score is None or one.size is None or other.size is None:
            continue
        tests = _tested(one.score, other.score, test_share), _tested(one.size, other.size, test_share)
        found.append(Pair(one.method, other.method, *tests))
    return tuple(found)


def _tested(one: Estimate, other: Estimate, test_share: float) -> TTest:
    """Test the differences in the folds where both values exist."""
    apart = [a - b for a, b in zip(one.folds, other.folds, strict=True)]
    return corrected_t_test([figure for figure in apart if math.isfinite(figure)], test_share)


def differs(p_value: float) -> bool:
    """Whether two methods differ by a test."""
    return p_value < LEVEL


def _turned(test: TTest) -> TTest:
    low, high = test.interval
    return TTest(-test.mean, (-high, -low), -test.statistic, test.degrees, test.p_value)
