"""A model of numbers whose predictions are corrected by the nearest training rows.

The mean error of the model on the nearest rows, weighted by closeness, is added to the model's prediction. In other
words, the prediction is the mean of the neighbors' targets, each adjusted by the difference of the model's predictions
for the two rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.schema import Numeric
from hornbeam.model.base import plain
from hornbeam.model.base.kept_predictions import OutputModel
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.instances import Find, Instances
    from hornbeam.model.neighbors.points import Neighbors


SOFTENED = 0.5  # added to distances before weights are computed as inverses


@dataclass(frozen=True, eq=False)
class CorrectedModel(OutputModel):
    """A model, and the rows that correct its predictions."""

    KIND: ClassVar = "corrected"
    PARTS: ClassVar = {"base": ("tree", "rules", "ensemble"), "near": ("instances",)}
    PLAIN: ClassVar = {"reach": plain.number, "base": None, "near": None}

    schema: Schema  # columns and numeric target
    base: Any  # the model to correct; with the same schema
    near: Instances  # the kept rows, the distance, and the number of neighbors
    reach: float  # farther rows do not count; a row without neighbors in reach keeps the model's prediction

    def __repr__(self) -> str:
        return f"CorrectedModel({self.base!r}, corrected by the nearest {self.near.k} of {len(self.near)} rows)"

    def __len__(self) -> int:
        return len(self.near)

    @cached_property
    def residuals(self) -> Floats:
        """The error of the model for every kept row: its target minus the prediction; NaN if there is no prediction."""
        residuals: Floats = self.near.kept.target_values() - self.base.predict_codes(self.near.kept)
        return residuals

    def outputs(self, aligned: Table, n_threads: int, find: Find | None = None) -> Floats:
        """The corrected predictions of the model; `find` is another search for the same neighbors."""
        found = self.base.predict_codes(aligned)
        if not aligned.n_rows:
            return np.empty((0, 1))
        neighbors = self.near.neighbors(aligned, n_threads=n_threads, find=find)
        put_right: Floats = found + self.corrections(neighbors)
        return put_right[:, np.newaxis]

    def influence(self, neighbors: Neighbors) -> Floats:
        """The weight of each neighbor: its row weight times 1 / (distance + 0.5), 0 beyond the reach."""
        far, weights = neighbors.distances, self.near.kept.weights
        own = 1.0 if weights is None else weights[neighbors.rows]
        counts = (far <= self.reach) & ~np.isnan(self.residuals[neighbors.rows])
        return np.where(counts, own / (np.where(counts, far, 0.0) + SOFTENED), 0.0)

    def corrections(self, neighbors: Neighbors) -> Floats:
        """The correction of each row to predict, from its neighbors; 0 if none is in reach."""
        influence = self.influence(neighbors)
        owner = np.repeat(np.arange(len(neighbors)), neighbors.counts)
        total = np.bincount(owner, influence, minlength=len(neighbors))
        moved = np.where(influence > 0, self.residuals[neighbors.rows], 0.0)
        sums = np.bincount(owner, influence * moved, minlength=len(neighbors))
        return np.asarray(sums / np.where(total > 0, total, 1.0))

    def validate(self) -> None:
        """Check the model and the rows, and that they match; a `ModelError` influence what is wrong."""
        self.base.validate()
        self.near.validate()
        if not isinstance(self.schema.target_column, Numeric):
            msg = f"the model predicts numbers; the target {self.schema.target_column.name!r} is nominal"
            raise ModelError(msg)
        if self.base.schema != self.schema or self.near.schema != self.schema:
            raise ModelError("the model and the rows that correct it have different columns")
        if not 0 <= self.reach < np.inf:
            msg = f"the reach is {self.reach!r}; expected a number of at least 0"
            raise ModelError(msg)
