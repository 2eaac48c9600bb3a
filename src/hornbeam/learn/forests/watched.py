"""Rows that boosting does not learn from: the loss on them after each round, and the round with the least.

These are the rows that early stopping holds out, whose scores the kernel keeps, and the sets given as `eval_set`, whose
rows are sent down the new trees of each round. The columns are binned by the training rows alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.model.base.align import rows_of_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Bools, Floats, Indices
    from hornbeam.core.trees.route import Rows
    from hornbeam.data.table import Table
    from hornbeam.learn.forests.about import About
    from hornbeam.learn.forests.boosting_losses import Loss
    from hornbeam.model.forests.forest import Forest

    Results = dict[str, list[float]]


@dataclass(frozen=True, eq=False)
class EvalSet:
    """A table with the columns of the training rows, to compute the loss on after each round."""

    table: Table
    results: Results  # the losses after each round are appended, by the name of the loss


@dataclass(eq=False)
class Watched:
    """Some rows, and the losses on them: before the first round, and after each round."""

    scores: Floats  # outputs x rows
    target: Floats  # in the unit of the scores
    weights: Floats | None
    rows: Rows | None = None  # of a set: to be sent down new trees; None: the scores are kept up to date elsewhere
    sums: Floats | None = None  # the scores of these, rows x outputs
    results: Results = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)

    @classmethod
    def of_set(cls, given: EvalSet, base: Floats, about: About | None) -> Watched:
        """A set before the first round, when all scores are `base`."""
        table = given.table
        sums = np.tile(base if about is None else np.zeros(len(base)), (table.n_rows, 1))
        target = table.target_values().astype(np.float64)
        target = target if about is None else about.distances(target)
        return cls(sums.T, target, table.weights, rows_of_table(table.schema, table), sums, given.results)


class Watch:
    """All rows that are watched, and whether boosting should stop.

    Parameters
    ----------
    loss : Loss
        The loss that is minimized.
    scores_of : callable
        The scores of some of the training rows, outputs x rows; they change as trees are added.
    target, weights : arrays
        Of the training rows.
    held_out : array of bool
        Training rows that are held out, to stop by.
    sets : sequence of Watched
        Other rows, by the last of which to stop if no rows are held out.
    factor : float
        What turns a loss in the unit of the scores into one in the unit of the target.
    """

    def __init__(
        self,
        loss: Loss,
        scores_of: Callable[[slice | Indices], Floats],
        target: Floats,
        weights: Floats | None,
        held_out: Bools,
        sets: list[Watched],
        factor: float,
    ) -> None:
        self.loss, self.sets, self.factor = loss, sets, factor
        self.scores_of, self.target, self.weights = scores_of, target, weights
        self.learned: slice | Indices = slice(None) if not held_out.any() else np.flatnonzero(~held_out)
        self.held_out: Indices = np.flatnonzero(held_out)
        self.losses: list[float] = []  # on the rows held out
        # Huber's bend changes from round to round: one value for all rounds makes losses comparable.
        self.bend = self.parameter() if len(self.held_out) or sets else 0.0
        self.look()

    def parameter(self) -> float:
        """The loss's parameter for the rows learned from, given the current scores."""
        if self.loss.name != "huber":
            return self.loss.parameter(np.empty((1, 0)), self.target, None)
        return self.loss.parameter(*self._training(self.learned))

    def add(self, forest: Forest, first: int, stop: int, n_threads: int) -> None:
        """Add some trees of a forest to the scores of the sets."""
        for one in self.sets:
            if one.rows is not None and one.sums is not None:
                forest.add_trees(one.rows, one.sums, n_threads, first, stop)

    def look(self) -> None:
        """Compute the losses by the current scores."""
        if len(self.held_out):
            scores, target, weights = self._training(self.held_out)
            self.losses.append(self.loss.mean(scores, target, weights, self.bend))
        for one in self.sets:
            one.losses.append(self.loss.mean(one.scores, one.target, one.weights, self.bend))
            if len(one.losses) > 1:  # a round was made
                one.results.setdefault(self.loss.name, []).append(one.losses[-1] * self.factor)

    @property
    def deciding(self) -> list[float]:
        """The losses that decide when to stop: before the first round and after each; empty if there are none."""
        return self.losses or (self.sets[-1].losses if self.sets else [])

    def should_stop(self, patience: int) -> bool:
        """Whether the loss has not fallen for this many rounds."""
        return len(self.deciding) - 1 - int(np.argmin(self.deciding)) >= patience

    @property
    def best(self) -> int:
        """The round (counted from 0) with the least loss; at least 1."""
        return max(1, int(np.argmin(self.deciding)))

    def _training(self, rows: slice | Indices) -> tuple[Floats, Floats, Floats | None]:
        return self.scores_of(rows), self.target[rows], None if self.weights is None else self.weights[rows]
