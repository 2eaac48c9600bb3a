"""The results of runs from many starts: plain data; `restart_views` writes them as text and as a picture."""

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


NEAR = 1.01  # results with at most this ratio to the best are near it
SURE = 0.95


@dataclass(frozen=True)
class Kind:
    """What is optimized, and the words for it."""

    measure: str  # the objective
    begins: str  # what differs between runs: a start, or an order of rows
    steps: str  # what is counted during a run
    higher_is_better: bool  # whether larger values are better
    ratio: str  # how the ratio to the best is computed


@dataclass(frozen=True, eq=False)
class Solution(Plain):
    """One assignment of rows to clusters."""

    _json = "score runs"

    score: float  # the best value of a run that found it
    runs: int  # how many runs found it
    labels: Ints32 | None  # the cluster of every row, numbered in order of appearance; only for the best few solutions


@dataclass(frozen=True)
class ZeroCost(Plain):
    """Whether an error of zero is possible."""

    _json = "exists distinct_rows=distinct clusters found"

    # Whether there is a solution without error: if there are at most as many distinct rows as clusters. None if
    # unknown, because values are missing.
    exists: bool | None
    distinct: int  # the number of distinct rows
    clusters: int  # the requested number of clusters
    found: int  # the number of runs without error


@dataclass(frozen=True, eq=False, repr=False)
class RestartStudy(ShowsText, Plain):
    """The result of `restarts`.

    Parameters
    ----------
    table : str
        Name of the table.
    n_rows : int
        The number of rows with a weight above zero.
    weight : float
        Their total weight.
    learner : str
        Name of the estimator.
    kind : Kind
        The objective.
    scores, steps, converged : array
        For every run: the final error, log-posterior or category utility; the number of steps; whether it converged.
    of_run : array
        The index of the solution that every run found.
    best : float
        The best value known.
    solutions : tuple of Solution
        The different solutions, the best first.
    agreement : array
        Adjusted Rand index of all pairs of the best solutions (those with labels): 1 for equal ones, 0 on average by
        chance.
    zero_cost : ZeroCost or None
        Only for an error that cannot be below zero.
    seed : int or None
        Seed of the starts or orders.
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
        """The ratio of every run to the best known: 1 for the best, larger is worse.

        The error divided by the best error; the likelihood of the best divided by the run's, per row (the geometric
        mean); the best category utility divided by the run's.
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
        """The smallest adjusted Rand index of two stored solutions near the best; None if there are fewer than two."""
        many = min(self.n_near, len(self.agreement))
        return float(self.agreement[:many, :many].min()) if many > 1 else None

    def quantiles(self) -> dict[str, Floats]:
        """Minimum, quartiles, maximum and mean of values, ratios and steps, by name."""
        text = {}
        for name, values in ((self.kind.measure, self.scores), ("ratio", self.ratios), (self.kind.steps, self.steps)):
            # Without interpolation between two values, because a ratio may be infinite.
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
        """Draw the distributions and the agreement of the best solutions, as SVG.

        Parameters
        ----------
        theme : {"auto", "light", "dark"}
            Its colors.
        """
        from hornbeam.evaluate.starts.restart_views import draw  # noqa: PLC0415 - it imports this module

        return draw(self, theme)
