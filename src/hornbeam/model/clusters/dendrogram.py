"""A hierarchy of clusters: the sequence of merges (or splits) with their heights, and the rows.

Rows are nodes 0 to n - 1; merge i creates node n + i, and the last node holds all rows. Cut at a height, or at a number
of clusters, the tree gives a partition. A new row belongs to the cluster of the nearest kept row.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.data.table import Table
from hornbeam.model.base import plain
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import declared
from hornbeam.model.clusters.clustering import Clustering, Profile, nearest_row, numbered
from hornbeam.model.neighbors.distance import Distance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.clustering import Trait
    from hornbeam.model.neighbors.points import Points


LINKAGES = ("single", "complete", "average", "weighted", "ward", "centroid", "median")


@dataclass(frozen=True, eq=False)
class Dendrogram(Clustering):
    """A tree of merges, and where it is cut.

    Parameters
    ----------
    schema : Schema
        The features that are compared by the distance.
    kept : Table
        The rows.
    distance : Distance
        The distance between rows.
    pairs : array of shape (rows - 1, 2)
        The nodes that were merged.
    heights : array
        Their distances by the linkage; ascending, except for centroid and median.
    linkage : str
        The distance between clusters; "top-down" if clusters were split.
    count : int, optional
        Cut at this number of clusters, or
    height : float, optional
        at this height.
    """

    KIND: ClassVar = "dendrogram"
    NOUN: ClassVar = "dendrogram"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i8[joined, two] pairs
        <f8[joined] heights
    """)
    PARTS: ClassVar = {"kept": Table, "": None, "distance": Distance}
    PLAIN: ClassVar = {
        "linkage": str,
        "count": plain.unchecked,
        "height": plain.number_or_none,
        "distance": None,
        "recipe": plain.recipe,
    }

    schema: Schema
    kept: Table
    distance: Distance
    pairs: Ints64
    heights: Floats
    linkage: str
    count: int | None = 2
    height: float | None = None
    recipe: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """The number of training rows."""
        return self.kept.n_rows

    def cut(self, n_clusters: int | None = None, height: float | None = None) -> Ints32:
        """The cluster of every row; clusters are numbered by their first rows in sorted order.

        Parameters
        ----------
        n_clusters : int, optional
            The number of clusters, or
        height : float, optional
            the height of the cut: merges up to this height are applied.
        """
        if (n_clusters is None) == (height is None):
            raise ValueError("a dendrogram is cut by a number of clusters or by a height: give one of the two")
        n = self.n_rows
        if height is None:
            assert n_clusters is not None
            if not 1 <= n_clusters <= n:
                msg = f"n_clusters is {n_clusters}; expected 1 to {n}, the number of rows"
                raise ValueError(msg)
            joined = np.arange(n - 1) < n - n_clusters
        else:
            joined = self._highest <= height
        top = np.arange(2 * n - 1)
        for i in range(n - 2, -1, -1):  # a node belongs to the same cluster as its parent
            if joined[i] or top[n + i] != n + i:
                top[self.pairs[i]] = top[n + i]
        return numbered(top[:n], self.kept)

    def suggested_count(self, most: int = 10) -> int:
        """The number of clusters suggested by the heights: the cut, from 2 to `most` clusters, in the widest gap."""
        n = self.n_rows
        most = min(most, n - 1)
        if most < 2:  # noqa: PLR2004 - one cluster, or as many as rows
            return 1
        top = np.maximum.accumulate(self.heights)[::-1][:most]  # heights of the merges of 2, 3, … clusters
        gaps = top[:-1] - top[1:] if len(top) > 1 else np.zeros(1)
        return int(np.argmax(gaps)) + 2

    def cut_height(self) -> float | None:
        """A height at which a cut gives the clusters, if there is one: for a count, the middle of the gap."""
        if self.height is not None:
            return self.height
        assert self.count is not None
        heights, joined = np.sort(self._highest), self.n_rows - self.count
        if not len(heights) or joined == len(heights):
            return None  # one cluster: there is no merge above
        low = float(heights[joined - 1]) if joined else 0.0
        middle = low + (float(heights[joined]) - low) / 2
        return middle if np.array_equal(self.cut(height=middle), self.labels) else None

    def at(self, *, count: int | None = None, height: float | None = None) -> Dendrogram:
        """Return a copy cut at another level."""
        return replace(self, count=count, height=height)

    @cached_property
    def labels(self) -> Ints32:
        """The cluster of every row at the tree's cut."""
        return self.cut(self.count, self.height)

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """The profile of the clusters."""
        return Profile.of(self.kept, self.labels, int(self.labels.max()) + 1)

    @cached_property
    def _highest(self) -> Floats:
        """The greatest height in each node's subtree; it differs from the node's height only if heights decrease."""
        n, highest = self.n_rows, self.heights.copy()
        for i, (one, other) in enumerate(self.pairs):
            for part in (one, other):
                if part >= n:
                    highest[i] = max(highest[i], highest[part - n])
        return highest

    @cached_property
    def sizes(self) -> Ints64:
        """The number of rows of each node."""
        n = self.n_rows
        sizes = np.ones(2 * n - 1, np.int64)
        for i, (one, other) in enumerate(self.pairs):
            sizes[n + i] = sizes[one] + sizes[other]
        return sizes

    @cached_property
    def cluster_of_nodes(self) -> Ints32:
        """The cluster that each node belongs to; -1 above the clusters."""
        found = np.concatenate([self.labels, np.full(self.n_rows - 1, -1, np.int32)])
        for i, (one, other) in enumerate(self.pairs.tolist()):
            if found[one] == found[other]:
                found[self.n_rows + i] = found[one]
        return found

    @cached_property
    def points(self) -> Points:
        """The kept rows, prepared for distances."""
        return self.distance.points(self.kept)

    def rows_of(self, node: int) -> Ints64:
        """The rows of a node, from left to right."""
        n, found, stack = self.n_rows, [], [int(node)]
        while stack:
            at = stack.pop()
            if at < n:
                found.append(at)
            else:
                one, other = self.pairs[at - n]
                stack += [int(other), int(one)]
        return np.array(found, np.int64)

    def columns_of(self, node: int) -> tuple[Trait, ...]:
        """The values of the columns at a node and in all other rows, the most different columns first."""
        member = np.ones(self.n_rows, np.int64)
        member[self.rows_of(node)] = 0
        return Profile.of(self.kept, member, 2).describe(self.schema)[0].traits

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of every row: that of the nearest kept row, the first on a tie."""
        return self.labels[np.maximum(nearest_row(self.distance, self.points, aligned, n_threads), 0)]

    def validate(self) -> None:
        """Check sizes and values; raise a `ModelError` if they are wrong."""
        n = self.n_rows
        if self.kept.schema != self.schema or not n:
            raise ModelError("the kept rows have other columns than the model, or there are no rows")
        self.distance.validate()
        self.check_arrays(joined=n - 1, two=2)
        used = np.sort(self.pairs.ravel())
        if not np.array_equal(used, np.arange(2 * n - 2)) or (self.pairs.max(axis=1) >= n + np.arange(n - 1)).any():
            raise ModelError("the pairs do not make one tree")
        one = (self.count is None) != (self.height is None)
        if not one or (self.count is not None and not (isinstance(self.count, int) and 1 <= self.count <= n)):
            msg = f"the cut is at {self.count} clusters and height {self.height}; expected one of the two, within range"
            raise ModelError(msg)
