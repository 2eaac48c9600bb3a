"""Locally weighted regression: a linear regression of the kept rows for every row to predict, weighted by distance."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.core.neighbors import local as kernels
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base import plain as readers
from hornbeam.model.base.kept_predictions import OutputModel, check_kept, in_parts
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, Stored, part_arrays
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.scales import is_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


Kernel = Literal["uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube"]
KERNELS: tuple[Kernel, ...] = ("uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube")  # as compiled
FEW_OF_ALL = 0.125  # of the kept rows
NEAR_KERNELS = ("triangular", "epanechnikov", "tricube")  # kernels with weight 0 beyond the reach
BLOCK_CELLS = 1 << 21  # pairs of rows whose weights are held at a time


@dataclass(frozen=True, eq=False)
class Near(Stored):
    """Weights of kept rows by their distance from a row to predict."""

    PARTS: ClassVar = {"distance": Distance}
    PLAIN: ClassVar = {
        **dict.fromkeys(("reach", "kernel", "k"), readers.unchecked),
        "distance": None,
    }

    distance: Distance  # between rows
    # {"uniform", "inverse", "gaussian", "triangular", "epanechnikov", "tricube"}: the weight at distance u, as a
    # fraction of the reach: 1 up to the reach; 1 / u; exp(-u² / 2); and, up to the reach, 1 - u; 1 - u²; (1 - u³)³
    kernel: Kernel
    # the distance beyond which the weight is 0; 0: the distance of the k-th nearest row, whose weight is almost 0
    reach: float
    k: int  # the number of rows; at most all rows

    def weights(self, kept: Table, aligned: Table, n_threads: int) -> Iterator[tuple[slice, Floats]]:
        """Weights of the kept rows for some rows to predict at a time, of shape (rows, kept rows)."""
        there = self.distance.points(kept)
        own = np.ones(kept.n_rows) if kept.weights is None else kept.weights
        few = self.reach == 0 and self.k <= FEW_OF_ALL * kept.n_rows and self.kernel in NEAR_KERNELS
        squared = self.distance.squared and few  # roots are taken only of these few
        size = max(1, BLOCK_CELLS // max(kept.n_rows, 1))
        for start in range(0, aligned.n_rows, size):
            rows = slice(start, min(start + size, aligned.n_rows))
            query = self.distance.points(aligned.take(np.arange(rows.start, rows.stop)))
            away = self.distance.between(query, there, n_threads=n_threads, rooted=not squared)

            def part(first: int, last: int, away: Floats = away) -> None:
                kernels.weights(away, own, KERNELS.index(self.kernel), self.reach, self.k, squared, first, last)

            in_parts(part, len(away), kept.n_rows, n_threads)
            yield rows, away

    def validate(self) -> None:
        """Check the values; a `ModelError` describes the first that is wrong."""
        self.distance.validate()
        if self.kernel not in KERNELS:
            msg = f"the kernel is {self.kernel!r}; expected one of {', '.join(KERNELS)}"
            raise ModelError(msg)
        if not 0 <= self.reach < np.inf or isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            msg = f"the reach is {self.reach!r} and k is {self.k!r}; expected numbers of at least 0 and 1"
            raise ModelError(msg)


class LocalRows(OutputModel):
    """Base of models with kept rows and `near`; a file holds the distance with the rows."""

    kept: Table
    near: Near

    def validate(self) -> None:
        """Check the rows and the weights by distance; raise a `ModelError` if they are wrong."""
        check_kept(self.schema, self.kept)
        self.near.validate()
        if self.near.distance.schema != self.schema:
            raise ModelError("the distance has other columns than the model")

    def file_arrays(self) -> dict[str, AnyArray]:
        """Return the arrays of the rows and of the distance, by their names in a file."""
        rows = {f"kept/{name}": array for name, array in part_arrays(self.kept).items()}
        return rows | self.near.file_arrays()

    def near_to_plain(self, ridge: float) -> dict[str, Any]:
        """Return `near` and the ridge as plain data."""
        near = self.near.to_plain()
        return {"figures": [near.pop("reach"), ridge], **near}

    @classmethod
    def near_from_file(cls, plain: Any, schema: Schema, members: Members) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
        """Read the rows, `near` and the ridge."""
        reach, ridge = readers.numbers(plain["figures"])
        near = Near.from_file({**plain, "reach": reach}, schema, members)
        return {"schema": schema, "kept": members.inside("kept").table(schema), "near": near, "ridge": ridge}


@dataclass(frozen=True, eq=False)
class LocalModel(LocalRows):
    """Kept rows, with a linear regression for every row to predict.

    Parameters
    ----------
    schema : Schema
        Columns and numeric target.
    kept : Table
        The rows, with that schema.
    near : Near
        The weights by distance.
    ridge : float
        Added to the sums of squares of the columns, on the scale of the distance.
    by_weight : bool
        Whether the ridge is multiplied by the weight of the rows first, so that it is added to the variances. In older
        model files it is not.
    recipe : mapping
        How it was learned, as plain values.
    """

    KIND: ClassVar = "local"

    schema: Schema
    kept: Table
    near: Near
    ridge: float = 0.0
    by_weight: bool = True
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"LocalModel({self.schema.name!r}: {self.kept.n_rows} rows kept, {self.near.kernel} weights)"

    def __len__(self) -> int:
        return self.kept.n_rows

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """The prediction for every row, from its own regression."""
        target = np.ascontiguousarray(self.kept.target_values())
        found = np.empty(aligned.n_rows)
        matrix, means = self._design
        asked = self.design(aligned)
        asked = np.ascontiguousarray(np.where(np.isnan(asked), means, asked))
        for rows, weights in self.near.weights(self.kept, aligned, n_threads):

            def part(first: int, last: int, rows: slice = rows, weights: Floats = weights) -> None:
                kernels.regressions(
                    matrix, target, weights, asked[rows], self.ridge, self.by_weight, first, last, found[rows]
                )

            in_parts(part, len(weights), weights.shape[1] * (1 + asked.shape[1]), n_threads)
        return found[:, np.newaxis]

    def design(self, aligned: Table) -> Floats:
        """Rows as numbers; NaN is missing.

        Scaled numbers, and an indicator for every category of the kept rows except the first.
        """
        points = self.near.distance.points(aligned)
        columns: list[Floats] = []
        number = code = 0
        for place in self.schema.features:
            column = self.schema.columns[place]
            if is_number(column):
                columns.append(points.numbers[number])
                number += 1
            else:
                assert isinstance(column, Nominal)
                codes = points.codes[code]
                code += 1
                there = np.unique(self.kept.columns[place])
                indicators = [np.where(codes == k, 1.0, 0.0) for k in there[there > 0].tolist()]
                columns += [np.where(codes < len(column.categories), each, np.nan) for each in indicators]
        return np.array(columns, np.float64).reshape(len(columns), aligned.n_rows).T

    @cached_property
    def _design(self) -> tuple[Floats, Floats]:
        """The kept rows as numbers, and the means that replace missing values."""
        matrix = self.design(self.kept)
        there = ~np.isnan(matrix)
        weights = there if self.kept.weights is None else there * self.kept.weights[:, np.newaxis]
        total = weights.sum(axis=0)
        means = (np.where(there, matrix, 0.0) * weights).sum(axis=0) / np.where(total > 0, total, 1.0)
        return np.ascontiguousarray(np.where(there, matrix, means)), means

    def validate(self) -> None:
        """Check the rows and the values; raise a `ModelError` if they are wrong."""
        super().validate()
        if not isinstance(self.schema.target_column, Numeric):
            msg = f"the model predicts numbers; the target {self.schema.target_column.name!r} is nominal"
            raise ModelError(msg)
        if not 0 <= self.ridge < np.inf:
            msg = f"the ridge is {self.ridge!r}; expected a number of at least 0"
            raise ModelError(msg)

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        return {**self.near_to_plain(self.ridge), "by_weight": self.by_weight, "recipe": dict(self.recipe)}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model."""
        found = cls.near_from_file(plain, schema, members)
        by_weight = plain.get("by_weight") is True
        return cls(**found, by_weight=by_weight, recipe=readers.recipe(plain["recipe"]))
