"""How runs from many starts ended: plain data for programs, and (`restart_text`, `restart_picture`) for people."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.evaluate.plain import Plain

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64


NEAR = 1.01  # ratios to the best up to this are near it
SURE = 0.95


@dataclass(frozen=True)
class Kind:
    """What is looked for, and in which words."""

    measure: str  # what every run ends with
    begins: str  # what differs between runs: a start, or an order of rows
    steps: str  # what is counted on the way
    higher_is_better: bool  # whether the search is for the largest value
    ratio: str  # how the ratio to the best is taken


@dataclass(frozen=True, eq=False)
class Solution(Plain):
    """One way of putting the rows together."""

    _json = "score runs"

    score: float  # the best that a run ended with here
    runs: int  # how many runs ended here
    labels: Ints32 | None  # the cluster of every row, numbered as they appear; only of the best few solutions


@dataclass(frozen=True)
class ZeroCost(Plain):
    """Whether an error of zero can be had."""

    _json = "exists distinct_rows=distinct clusters found"

    # Whether there is a solution without error: where no more rows are different than there are clusters. None if that
    # cannot be reported, because rows lack values.
    exists: bool | None
    distinct: int  # how many rows are different
    clusters: int  # how many clusters were requested
    found: int  # how many runs ended without error


@dataclass(frozen=True, eq=False, repr=False)
class RestartStudy(ShowsText, Plain):
    """What `restarts` found.

    Parameters
    ----------
    table : str
        Name of the table.
    n_rows : int
        Rows that weigh something.
    weight : float
        What they weigh together.
    learner : str
        Name of the estimator.
    kind : Kind
        What was looked for.
    scores, steps, converged : array
        Of every run: the error, log-posterior or category utility at the end; how many steps it took; whether it came
        to an end by itself.
    of_run : array
        Which of the solutions every run found.
    best : float
        The best value known.
    solutions : tuple of Solution
        The different solutions, the best first.
    agreement : array
        Adjusted Rand index of every two of the best solutions (those with labels): 1 the same, 0 as by chance.
    zero_cost : ZeroCost or None
        Only for an error that cannot be below zero.
    seed : int or None
        Of the starts or orders.
    """

    _json = (
        "table rows=n_rows learner measure=kind.measure higher_is_better=kind.higher_is_better counted=kind.steps seed "
        "runs=n_runs scores ratios steps converged solution_of_run=of_run best found_best near_best enough n_near "
        "solutions adjusted_rand=agreement zero_cost"
    )

    table: str
    n_rows: int
    weight: float
    learner: str
    kind: Kind
    scores: Floats
    steps: Ints64
    converged: Bools
    of_run: Ints64
    best: float
    solutions: tuple[Solution, ...]
    agreement: Floats
    zero_cost: ZeroCost | None
    seed: int | None

    @property
    def n_runs(self) -> int:
        """How many runs."""
        return len(self.scores)

    @cached_property
    def ratios(self) -> Floats:
        """How much worse than the best known every run ended: 1 for the best.

        The error divided by the best; the likelihood of the best divided by the run's, by row (the geometric mean); the
        best category utility divided by the run's.
        """
        return self.ratios_of(self.scores)

    def ratios_of(self, figures: Floats) -> Floats:
        """The ratios of some values to the best known."""
        if self.kind.measure == "log-posterior":
            return np.asarray(np.exp((self.best - figures) / self.weight))
        one, other = (np.full(len(figures), self.best), figures) if self.kind.higher_is_better else (figures, self.best)
        found = np.where(figures == self.best, 1.0, np.inf)
        np.divide(one, other, out=found, where=(np.asarray(other) > 0) & (figures != self.best))
        return found

    @cached_property
    def solution_ratios(self) -> Floats:
        """The ratio of every solution."""
        return self.ratios_of(np.array([solution.score for solution in self.solutions]))

    @property
    def found_best(self) -> float:
        """The fraction of runs that found the best solution of all runs."""
        return self.solutions[0].runs / self.n_runs

    @property
    def near_best(self) -> float:
        """The fraction of runs that ended at most 1% worse than the best known."""
        return float((self.ratios <= NEAR).mean())

    @property
    def enough(self) -> int | None:
        """How many runs get this near at least once with 95% probability, at the observed rate; None if no run did."""
        if self.near_best in (0, 1):
            return 1 if self.near_best else None
        return math.ceil(math.log(1 - SURE) / math.log(1 - self.near_best))

    @property
    def n_near(self) -> int:
        """How many different solutions are at most 1% worse than the best known."""
        return int((self.solution_ratios <= NEAR).sum())

    @property
    def least_agreement(self) -> float | None:
        """The least adjusted Rand index between two of the solutions near the best that were kept; None: not two."""
        many = min(self.n_near, len(self.agreement))
        return float(self.agreement[:many, :many].min()) if many > 1 else None

    def quantiles(self) -> dict[str, Floats]:
        """Least, lower quarter, median, upper quarter, largest and mean of values, ratios and steps, by name."""
        text = {}
        for name, values in ((self.kind.measure, self.scores), ("ratio", self.ratios), (self.kind.steps, self.steps)):
            # Values themselves, not something between two of them: a ratio may be infinite.
            cuts = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], method="inverted_cdf")
            text[name] = np.append(cuts, values.mean()).astype(np.float64)
        return text

    def text(self, *, solutions: int | None = None) -> str:
        """Write a table of the distributions, one of the best solutions, and conclusions.

        Parameters
        ----------
        solutions : int, optional
            How many solutions to list; by default those that were compared.
        """
        from hornbeam.evaluate.starts.restart_views import write  # noqa: PLC0415 - it imports this module

        return write(self, solutions)

    def svg(self, theme: str = "auto") -> str:
        """Draw the distributions and how far the best solutions agree, as SVG.

        Parameters
        ----------
        theme : {"auto", "light", "dark"}
            Its colors.
        """
        from hornbeam.evaluate.starts.restart_views import draw  # noqa: PLC0415 - it imports this module

        return draw(self, theme)
