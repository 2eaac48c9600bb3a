"""The model of k-means: a row belongs to the nearest center; missing values do not count."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.core.clusters import kmeans as kernels
from hornbeam.data.in_words import plural
from hornbeam.model.base import plain
from hornbeam.model.base.align import align
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import declared
from hornbeam.model.clusters.centers import nearest_centers
from hornbeam.model.clusters.clustering import Clustering, Profile
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.scales import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


@dataclass(frozen=True, eq=False)
class Measure:
    """The distance of k-means: squared differences of numbers, and a cost for different categories."""

    distance: Distance

    @cached_property
    def _columns(self) -> list[Any]:
        schema = self.distance.schema
        return [schema.columns[place] for place in schema.features]

    @cached_property
    def is_numeric(self) -> Bools:
        """Whether each feature is numeric."""
        return np.array([is_number(column) for column in self._columns], np.bool_)

    @cached_property
    def n_codes(self) -> Ints64:
        """The numbers of categories of the nominal columns."""
        sizes = [len(column.categories) for column in self._columns if not is_number(column)]
        return np.array(sizes, np.int64)

    @cached_property
    def code_weights(self) -> Floats:
        """The cost of a different category, by nominal column."""
        return np.ascontiguousarray(self.distance.weight[~self.is_numeric])

    @cached_property
    def stretch(self) -> Floats:
        """Factors of the numbers, in addition to their scale."""
        return np.sqrt(self.distance.weight[self.is_numeric])

    def places(self, table: Table) -> tuple[Floats, Ints32]:
        """Numbers and codes of a table, stored by row."""
        points = self.distance.points(table)
        numbers = np.empty(points.numbers.shape[::-1])
        np.multiply(points.numbers.T, self.stretch, out=numbers)
        codes = points.codes.T.astype(np.int32)
        return numbers, np.ascontiguousarray(np.where(codes == self.n_codes, -1, codes), np.int32)

    def to_scale(self, numbers: Floats) -> Floats:
        """Convert numbers of centers from the units of the table to the scale of the distance."""
        width, center = self.distance.width[self.is_numeric], self.distance.center[self.is_numeric]
        placed = np.zeros(numbers.shape)
        np.divide(numbers - center, width, out=placed, where=width > 0)
        return placed * self.stretch

    def from_scale(self, numbers: Floats) -> Floats:
        """Convert numbers of centers to the units of the table; a column of weight or width zero gives its center."""
        width, center = self.distance.width[self.is_numeric], self.distance.center[self.is_numeric]
        found = np.tile(center, (len(numbers), 1))
        np.divide(numbers, self.stretch, out=found, where=self.stretch > 0)
        return np.where(self.stretch > 0, found * width + center, center)


@dataclass(frozen=True, eq=False, repr=False)
class Partition(Clustering):
    """Clusters with a center each.

    Parameters
    ----------
    schema : Schema
        The schema of the rows.
    distance : Distance
        The distance between rows and centers: squared differences, 1 for a different category, missing values ignored.
    numbers, codes : array of shape (clusters, columns)
        The centers: means of numbers, on the distance's scale, and the most frequent categories.
    profile : Profile
        The profile of the clusters.
    error : float
        The sum of squared distances of the rows from their centers.
    recipe : mapping
        The parameters by which the clusters were found.
    """

    KIND: ClassVar = "partition"
    NOUN: ClassVar = "centers"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <f8[clusters, numeric] numbers
        <i4[clusters, nominal] codes
    """)
    PARTS: ClassVar = {"distance": Distance, "profile": Profile, "": None}
    PLAIN: ClassVar = {"distance": None, "error": plain.number, "recipe": plain.recipe}

    schema: Schema
    distance: Distance
    numbers: Floats
    codes: Ints32
    profile: Profile
    error: float
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, k = int(self.profile.rows[-1]), self.n_clusters
        return f"Partition({self.schema.name!r}: {rows} rows in {plural(k, 'cluster')}, error {self.error:.6g})"

    @cached_property
    def measure(self) -> Measure:
        """The comparison of rows with centers."""
        return Measure(self.distance)

    @property
    def centers(self) -> Floats:
        """Numbers of the centers in the units of the table, by cluster and numeric feature."""
        return self.measure.from_scale(self.numbers)

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The nearest center of every row; on a tie the first."""
        numbers, codes = self.measure.places(aligned)
        if not codes.shape[1] and not np.isnan(numbers).any():
            return nearest_centers(numbers, self.numbers, n_threads)
        return self._costs(numbers, codes)[0]

    def costs(self, table: Table) -> Floats:
        """The squared distance of every row of a table from the nearest center."""
        return self._costs(*self.measure.places(align(self.schema, self.as_table(table))))[1]

    def _costs(self, numbers: Floats, codes: Ints32) -> tuple[Ints32, Floats]:
        found, costs = np.zeros(len(numbers), np.int32), np.zeros(len(numbers))
        kernels.assign_mixed(
            numbers, codes, np.ones(numbers.shape[1]), self.measure.code_weights,
            np.ascontiguousarray(self.numbers.T), np.ascontiguousarray(self.codes.T), np.empty(len(self.numbers)),
            found, costs, 0, len(numbers),
        )  # fmt: skip
        return found, costs

    def validate(self) -> None:
        """Check sizes and values before a kernel sees them; raise a `ModelError` if they are wrong."""
        self.distance.validate()
        if self.distance.schema != self.schema or not self.distance.squared or self.distance.nominal != "overlap":
            msg = "centers are compared by squared differences of the model's own columns, categories by being equal"
            raise ModelError(msg)
        k, sizes = len(self.numbers), self.measure.n_codes
        self.check_arrays(clusters=k, numeric=int(self.measure.is_numeric.sum()), nominal=len(sizes))
        if k < 1 or (self.codes < 0).any() or (self.codes >= np.maximum(sizes, 1)).any():
            raise ModelError("there is no center, or the code of a center is not a category")
        self.profile.validate(self.schema, k)
        if not np.isfinite(self.error) or self.error < 0:
            msg = f"the error is {self.error}; expected a number of at least 0"
            raise ModelError(msg)
