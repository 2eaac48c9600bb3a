"""What a comparison of methods found: plain data, the same for programs and (by `comparison_text`) for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from statistics import stdev
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.evaluate.score import or_none
from hornbeam.evaluate.significance import LEVEL, TTest, corrected_t_test, holm

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.significance import Ranking

Measure = Literal["accuracy", "log loss", "mean cost", "root mean squared error"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure by fold, its mean over the folds, and the mean's 95% interval.

    The interval allows for folds that share training rows, as the tests do (`corrected_t_test`); that of an accuracy
    is cut to 0 and 1, that of an error or a size to 0.
    """

    mean: float
    interval: tuple[float, float]
    folds: tuple[float, ...]

    @classmethod
    def of(cls, folds: Sequence[float], test_share: float, most: float) -> Figure:
        """Sum up the figures of the folds."""
        found = corrected_t_test(folds, test_share)
        low, high = found.interval
        return cls(found.mean, (max(low, 0.0), min(high, most)), tuple(map(float, folds)))

    @property
    def standard_error(self) -> float:
        """Of the mean, the folds taken as independent: what the rule of one standard error goes by."""
        return stdev(self.folds) / math.sqrt(len(self.folds)) if len(self.folds) > 1 else math.nan

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs; figures that do not exist are None."""
        return {
            "mean": or_none(self.mean),
            "interval": [or_none(end) for end in self.interval],
            "folds": [or_none(figure) for figure in self.folds],
        }


@dataclass(frozen=True, slots=True)
class Outcome:
    """One method on one table.

    Parameters
    ----------
    method : str
        Its name.
    score : Figure or None
        Accuracy, or root mean squared error, on the rows that were not learned from.
    size : Figure or None
        Leaves of the trees learned, or rules; NaN where the model has neither.
    problem : str or None
        Why the method could not be judged; there are no figures then.
    """

    method: str
    score: Figure | None
    size: Figure | None
    problem: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {
            "method": self.method,
            "score": None if self.score is None else self.score.to_json(),
            "size": None if self.size is None else self.size.to_json(),
            "problem": self.problem,
        }


@dataclass(frozen=True, slots=True)
class Pair:
    """Two methods on one table: the first's figures less the second's, fold by fold.

    Parameters
    ----------
    one, other : str
        The methods.
    score, size : TTest
        The corrected resampled t-test of the differences.
    """

    one: str
    other: str
    score: TTest
    size: TTest

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {"one": self.one, "other": self.other, "score": _test(self.score), "size": _test(self.size)}


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
        Folds of each repeat; fewer than asked for where there were fewer rows.
    test_share : float
        Rows tested for each row learned from.
    outcomes : tuple of Outcome
        In the order of the methods.
    pairs : tuple of Pair
        Every two methods that could be judged.
    """

    table: str
    n_rows: int
    folds: int
    test_share: float
    outcomes: tuple[Outcome, ...]
    pairs: tuple[Pair, ...]

    def outcome(self, method: str) -> Outcome:
        """Give what one method did."""
        return next(outcome for outcome in self.outcomes if outcome.method == method)

    def pair(self, one: str, other: str) -> Pair | None:
        """Give the first method less the second; None where either could not be judged."""
        for pair in self.pairs:
            if (pair.one, pair.other) == (one, other):
                return pair
            if (pair.one, pair.other) == (other, one):
                return Pair(one, other, _turned(pair.score), _turned(pair.size))
        return None

    def against(self, baseline: str) -> dict[str, tuple[Pair, float]]:
        """Give every other method less the baseline, with p-values adjusted for their number by Holm's method."""
        names = [outcome.method for outcome in self.outcomes if outcome.method != baseline]
        pairs = [pair for name in names if (pair := self.pair(name, baseline)) is not None]
        adjusted = holm([pair.score.p_value for pair in pairs])
        return {pair.one: (pair, p_value) for pair, p_value in zip(pairs, adjusted, strict=True)}

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {
            "table": self.table,
            "rows": self.n_rows,
            "folds": self.folds,
            "test_share": self.test_share,
            "methods": [outcome.to_json() for outcome in self.outcomes],
            "pairs": [pair.to_json() for pair in self.pairs],
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of `compare`.

    Parameters
    ----------
    measure : str
        What `score` of an outcome is: accuracy or root mean squared error.
    methods : tuple of str
        Names of the methods.
    baseline : str
        The one that the others are tested against.
    repeats, seed : int
        Of the cross-validation.
    tables : tuple of TableComparison
        In the order given.
    ranking : Ranking or None
        Over the tables on which every method could be judged; None for fewer than two of them.
    """

    measure: Measure
    methods: tuple[str, ...]
    baseline: str
    repeats: int
    seed: int
    tables: tuple[TableComparison, ...]
    ranking: Ranking | None

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        return self.measure == "accuracy"

    def to_json(self) -> dict[str, Any]:
        """Plain data for programs."""
        return {
            "measure": self.measure,
            "methods": list(self.methods),
            "baseline": self.baseline,
            "repeats": self.repeats,
            "seed": self.seed,
            "tables": [
                found.to_json()
                | {
                    "against_baseline": [
                        {"method": name, "p_value": or_none(pair.score.p_value), "adjusted_p_value": or_none(adjusted)}
                        for name, (pair, adjusted) in found.against(self.baseline).items()
                    ]
                }
                for found in self.tables
            ],
            "ranking": None if self.ranking is None else self.ranking.to_json(),
        }

    def text(self) -> str:
        """Tables in words, without a line end after the last line."""
        from hornbeam.evaluate.comparison_text import write  # noqa: PLC0415 - it builds on this module

        return write(self)

    def markdown(self) -> str:
        """The same as Markdown."""
        from hornbeam.evaluate.comparison_text import write  # noqa: PLC0415 - as above

        return write(self, markdown=True)

    def chart(self, *, axes: Any = None) -> Any:  # noqa: ANN401 - matplotlib's Axes
        """Size against score, drawn by matplotlib; see `hornbeam.evaluate.comparison_chart.size_chart`."""
        from hornbeam.evaluate.comparison_chart import size_chart  # noqa: PLC0415 - as above

        return size_chart(self, axes=axes)


def pairs_of(outcomes: Sequence[Outcome], test_share: float) -> tuple[Pair, ...]:
    """Test every two methods that were judged."""
    found = []
    for one, other in combinations(outcomes, 2):
        if one.score is None or other.score is None or one.size is None or other.size is None:
            continue
        score = [a - b for a, b in zip(one.score.folds, other.score.folds, strict=True)]
        size = [a - b for a, b in zip(one.size.folds, other.size.folds, strict=True)]
        tests = corrected_t_test(score, test_share), corrected_t_test(size, test_share)
        found.append(Pair(one.method, other.method, *tests))
    return tuple(found)


def differs(p_value: float) -> bool:
    """Whether a test says that two methods differ."""
    return p_value < LEVEL


def _turned(test: TTest) -> TTest:
    low, high = test.interval
    return TTest(-test.mean, (-high, -low), -test.statistic, test.degrees, test.p_value)


def _test(test: TTest) -> dict[str, Any]:
    return {
        "difference": or_none(test.mean),
        "interval": [or_none(end) for end in test.interval],
        "t": or_none(test.statistic),
        "degrees": test.degrees,
        "p_value": or_none(test.p_value),
    }
