"""The model of spectral clustering: rows and their clusters. A new row belongs to the cluster of the nearest row."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.table import Table
from hornbeam.model.base import plain
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import declared
from hornbeam.model.clusters.clustering import Clustering, Profile, nearest_row
from hornbeam.model.neighbors.distance import Distance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints32
    from hornbeam.data.schema import Schema
    from hornbeam.model.neighbors.points import Points


@dataclass(frozen=True, eq=False, repr=False)
class GraphClusters(Clustering):
    """Clusters of rows that are connected in a graph.

    Parameters
    ----------
    schema : Schema
        The schema of the rows.
    kept : Table
        The distinct rows.
    distance : Distance
        The distance between rows.
    label : array
        The cluster of every kept row.
    eigenvalues : array
        The smallest eigenvalues of the normalized Laplacian of the graph, ascending: as many are zero as it has
        connected components.
    waves : array of shape (kept rows, waves)
        Coordinates of the rows in the space of the first eigenvectors.
    profile : Profile
        The profile of the clusters.
    recipe : mapping
        The parameters by which the clusters were found.
    """

    KIND: ClassVar = "graph-clusters"
    NOUN: ClassVar = "clusters"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i4[kept] label
        <f8[*] eigenvalues
        <f8[kept, waves] waves
    """)
    PARTS: ClassVar = {"kept": Table, "": None, "distance": Distance, "profile": Profile}
    PLAIN: ClassVar = {"distance": None, "recipe": plain.recipe}

    schema: Schema
    kept: Table
    distance: Distance
    label: Ints32
    eigenvalues: Floats
    waves: Floats
    profile: Profile
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        rows, k = int(self.profile.rows[-1]), self.n_clusters
        return f"GraphClusters({self.schema.name!r}: {rows} rows in {plural(k, 'cluster')})"

    @cached_property
    def points(self) -> Points:
        """The kept rows, prepared for distances."""
        return self.distance.points(self.kept)

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of the nearest kept row, on a tie the first; the largest cluster if a row has no known value."""
        nearest = nearest_row(self.distance, self.points, aligned, n_threads)
        return np.where(nearest < 0, np.int32(self.profile.weight[:-1].argmax()), self.label[nearest])

    def validate(self) -> None:
        """Check sizes and values; raise a `ModelError` if they are wrong."""
        n = self.kept.n_rows
        if self.kept.schema != self.schema or self.distance.schema != self.schema or not n:
            raise ModelError("the kept rows or the distance have other columns than the model, or there are no rows")
        self.distance.validate()
        self.check_arrays(kept=n)
        if self.label.min() < 0 or self.label.max() >= self.n_clusters:
            msg = f"a row has a cluster that is not one of the {self.n_clusters}"
            raise ModelError(msg)
        if (self.eigenvalues < 0).any():
            raise ModelError("an eigenvalue is below zero")
        self.profile.validate(self.schema, self.n_clusters)
