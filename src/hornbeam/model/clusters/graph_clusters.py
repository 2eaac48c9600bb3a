"""Rows of a graph in clusters: what spectral clustering learns. A new row belongs where the row nearest to it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.model.base.errors import ModelError
from hornbeam.model.base.kept_predictions import same_rows
from hornbeam.model.clusters.clustering import Clustering, Profile, nearest_row, profile_arrays, profile_from
from hornbeam.model.files.plain import recipe_from_plain
from hornbeam.model.neighbors.instances_plain import distance_arrays, distance_from, kept_arrays, kept_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.points import Points

    Floats = NDArray[np.float64]

ARRAY_TYPES = {"label": "<i4", "eigenvalues": "<f8", "waves": "<f8"}


@dataclass(frozen=True, eq=False, repr=False)
class GraphClusters(Clustering):
    """Rows, tied to those near them, in clusters.

    Parameters
    ----------
    schema : Schema
        Of the rows.
    kept : Table
        The rows, no two alike.
    distance : Distance
        How far rows are apart.
    label : array
        The cluster of every kept row.
    eigenvalues : array
        The least of the graph's normalized Laplacian, ascending: as many zeros as it has parts.
    waves : array of shape (kept rows, waves)
        Where the rows are in the space of the first eigenvectors.
    profile : Profile
        What the clusters are like.
    recipe : mapping
        The choices that the clusters were found by.
    """

    schema: Schema
    kept: Table
    distance: Distance
    label: NDArray[np.int32]
    eigenvalues: Floats
    waves: Floats
    profile: Profile
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, k = int(self.profile.rows[-1]), self.n_clusters
        return f"GraphClusters({self.schema.name!r}: {rows} rows in {plural(k, 'cluster')})"

    @cached_property
    def points(self) -> Points:
        """The kept rows, ready for distances."""
        return self.distance.points(self.kept)

    def assign(self, aligned: Table, n_threads: int) -> NDArray[np.int32]:
        """The cluster of the nearest kept row, the first on a tie; the largest where nothing is known of a row."""
        nearest = nearest_row(self.distance, self.points, aligned, n_threads)
        return np.where(nearest < 0, np.int32(self.profile.weight[:-1].argmax()), self.label[nearest])

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Its arrays by name; those of rows, distance and profile aside."""
        return {name: getattr(self, name) for name in ARRAY_TYPES}

    def same_as(self, other: object) -> bool:
        """Whether the other has the same rows in the same clusters."""
        return (
            isinstance(other, GraphClusters)
            and same_rows(self.kept, other.kept)
            and self.distance.same_as(other.distance)
            and self.profile.same_as(other.profile)
            and dict(self.recipe) == dict(other.recipe)
            and all(np.array_equal(array, other.arrays()[name]) for name, array in self.arrays().items())
        )

    def validate(self) -> None:
        """Check sizes and values.

        Raises
        ------
        ModelError
            A sentence on the first thing that is wrong.
        """
        n = self.kept.n_rows
        if self.kept.schema != self.schema or self.distance.schema != self.schema or not n:
            msg = "the kept rows or the distance have other columns than the model, or there is no row"
            raise ModelError(msg)
        self.distance.validate()
        if self.label.shape != (n,) or self.label.min() < 0 or self.label.max() >= self.n_clusters:
            msg = f"{n} rows have a cluster below {self.n_clusters} each; something else was found"
            raise ModelError(msg)
        if self.eigenvalues.ndim != 1 or not np.isfinite(self.eigenvalues).all() or (self.eigenvalues < 0).any():
            msg = "an eigenvalue is below zero or no finite number"
            raise ModelError(msg)
        if self.waves.ndim != 2 or len(self.waves) != n or not np.isfinite(self.waves).all():  # noqa: PLR2004 - rows by waves
            msg = "the waves have a wrong shape, or a value that is no finite number"
            raise ModelError(msg)
        self.profile.validate(self.schema, self.n_clusters)


def graph_to_plain(model: GraphClusters) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What is no array as plain data, and the arrays by name."""
    arrays = kept_arrays(model.kept) | model.arrays() | distance_arrays(model.distance) | profile_arrays(model.profile)
    return {"distance": model.distance.choices(), "recipe": dict(model.recipe)}, arrays


def graph_from_plain(plain: Any, schema: Schema, read: Any, has: Any) -> GraphClusters:  # noqa: ANN401 - whatever the file holds
    """The model, checked in full."""
    model = GraphClusters(
        schema,
        kept_from(schema, read),
        distance_from(plain["distance"], schema, read, has),
        **{name: read(name, dtype) for name, dtype in ARRAY_TYPES.items()},
        profile=profile_from(read),
        recipe=recipe_from_plain(plain["recipe"]),
    )
    model.validate()
    return model
