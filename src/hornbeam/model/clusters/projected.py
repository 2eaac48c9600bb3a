"""Clusters of rows on principal axes: numeric columns are projected before clusters are found.

The profile describes the columns of the table, and new rows are projected before they are assigned. Nominal columns,
and numeric ones with missing values in training, are left as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError
from hornbeam.model.clusters.clustering import Clustering, Profile
from hornbeam.model.clusters.principal_axes import Axes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Ints32
    from hornbeam.data.schema import Role


@dataclass(frozen=True, eq=False, repr=False)
class ProjectedClusters(Clustering):
    """Clusters found on principal axes."""

    KIND: ClassVar = "projected"
    PARTS: ClassVar = {
        "axes": Axes,
        "profile": Profile,
        "inner": ("partition", "mixture", "concepts", "dendrogram", "graph-clusters"),
    }
    PLAIN: ClassVar = {"inner": None}

    schema: Schema  # of the rows, before they are projected
    axes: Axes  # the axes, and which numeric features are projected onto them
    inner: Any  # the clusters of the projected rows
    profile: Profile  # the profile of the clusters, in the columns of the table

    def __repr__(self) -> str:
        return f"ProjectedClusters({self.axes.kept} axes of {len(self.axes.columns)} columns, {self.inner!r})"

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        count: int = self.inner.n_clusters
        return count

    @property
    def recipe(self) -> Mapping[str, Any]:
        """The parameters by which the clusters were learned."""
        recipe: Mapping[str, Any] = self.inner.recipe
        return recipe

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of every row; the table has the model's columns."""
        found: Ints32 = self.inner.predict_codes(project(self.axes, aligned), n_threads)
        return found

    def validate(self) -> None:
        """Check sizes and values; raise a `ModelError` if they are wrong."""
        self.axes.validate(len(numeric_features(self.schema)))
        if not isinstance(self.inner, Clustering) or isinstance(self.inner, ProjectedClusters):
            raise ModelError("the model on the principal axes is not a model of clusters")
        self.inner.validate()
        here = projected_schema(self.axes, self.schema)
        if self.inner.schema.select(self.inner.schema.features) != here.select(here.features):
            raise ModelError("the clusters on the axes have other columns than the projected rows")
        self.profile.validate(self.schema, self.n_clusters)


def numeric_features(schema: Schema) -> list[int]:
    """The positions of the numeric features."""
    return [place for place in schema.features if isinstance(schema.columns[place], Numeric)]


def projected_schema(axes: Axes, schema: Schema) -> Schema:
    """The columns of projected rows: those that are not projected, then the axes."""
    turned = {numeric_features(schema)[number] for number in axes.columns.tolist()}
    rest = [place for place in range(len(schema.columns)) if place not in turned]
    taken = {schema.columns[place].name for place in rest}
    names = []
    for number in range(1, axes.kept + 1):
        name = f"axis {number}"
        while name in taken:
            name += "'"
        names.append(name)
        taken.add(name)
    columns = (*(schema.columns[place] for place in rest), *map(Numeric, names))
    features: list[Role] = ["feature"] * axes.kept
    return Schema(columns, (*(schema.roles[place] for place in rest), *features), name=schema.name)


def project(axes: Axes, table: Table) -> Table:
    """Project rows: return the other columns, and the axes; a missing value counts as the mean of its column."""
    schema = table.schema
    turned = [numeric_features(schema)[number] for number in axes.columns.tolist()]
    numbers = np.column_stack([table.columns[place] for place in turned]) if turned else np.empty((table.n_rows, 0))
    placed = np.nan_to_num((numbers - axes.middle) / axes.scale, nan=0.0) @ axes.directions[: axes.kept].T
    rest = [table.columns[place] for place in range(len(schema.columns)) if place not in set(turned)]
    return Table(projected_schema(axes, schema), [*rest, *np.ascontiguousarray(placed.T)])
