"""Clusters in clusters: which two were joined (or parted), one after another, at which height; and the rows themselves.

Rows are nodes 0 to n - 1; joining i makes node n + i, and the last one holds all rows. Cut at a height, or where there
are this many clusters, the tree gives a partition. A new row belongs to the cluster of the kept row nearest to it.
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
    """A tree of joinings, and where it is cut.

    Parameters
    ----------
    schema : Schema
        The features that distances are taken over.
    kept : Table
        The rows.
    distance : Distance
        How far two rows are apart.
    pairs : array of shape (rows - 1, 2)
        The nodes that were joined.
    heights : array
        How far they were apart, by the linkage; not falling, but for centroid and median.
    linkage : str
        Which distance of clusters; "top-down" where clusters were parted.
    count : int, optional
        Cut where there are this many clusters; or
    height : float, optional
        at this height.
    """

    KIND: ClassVar = "dendrogram"
    NOUN: ClassVar = "dendrogram"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared(("<i8", "joined two", "pairs"), ("<f8", "joined", "heights"))
    PARTS: ClassVar = {"kept": Table, "": None, "distance": Distance}
    PLAIN: ClassVar = {
        "linkage": str,
        "count": plain.anything,
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
        """How many rows it was made of."""
        return self.kept.n_rows

    def cut(self, n_clusters: int | None = None, height: float | None = None) -> Ints32:
        """The cluster of every row, numbered by their first rows in the order of the values.

        Parameters
        ----------
        n_clusters : int, optional
            How many clusters; or
        height : float, optional
            The greatest height up to which nodes count as joined.
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
        for i in range(n - 2, -1, -1):  # a node stands below whatever its parent stands below
            if joined[i] or top[n + i] != n + i:
                top[self.pairs[i]] = top[n + i]
        return numbered(top[:n], self.kept)

    def likely_count(self, most: int = 10) -> int:
        """How many clusters the heights speak for: the cut, from 2 to `most` clusters, in the widest gap of heights."""
        n = self.n_rows
        most = min(most, n - 1)
        if most < 2:  # noqa: PLR2004 - one cluster, or as many as rows
            return 1
        top = np.maximum.accumulate(self.heights)[::-1][:most]  # heights at which 2, 3, … clusters become one fewer
        gaps = top[:-1] - top[1:] if len(top) > 1 else np.zeros(1)
        return int(np.argmax(gaps)) + 2

    def cut_height(self) -> float | None:
        """A height at which the tree gives its clusters, where there is one: in the middle of the gap, for a count."""
        if self.height is not None:
            return self.height
        assert self.count is not None
        heights, joined = np.sort(self._highest), self.n_rows - self.count
        if not len(heights) or joined == len(heights):
            return None  # there is nothing above one cluster
        low = float(heights[joined - 1]) if joined else 0.0
        middle = low + (float(heights[joined]) - low) / 2
        return middle if np.array_equal(self.cut(height=middle), self.labels) else None

    def at(self, *, count: int | None = None, height: float | None = None) -> Dendrogram:
        """The same tree, cut elsewhere."""
        return replace(self, count=count, height=height)

    @cached_property
    def labels(self) -> Ints32:
        """The cluster of every row, where the tree is cut."""
        return self.cut(self.count, self.height)

    @cached_property
    def profile(self) -> Profile:  # type: ignore[override]
        """How the rows of each cluster are distributed."""
        return Profile.of(self.kept, self.labels, int(self.labels.max()) + 1)

    @cached_property
    def _highest(self) -> Floats:
        """The greatest height in each node's subtree; another than its own only where heights fall."""
        n, highest = self.n_rows, self.heights.copy()
        for i, (one, other) in enumerate(self.pairs):
            for part in (one, other):
                if part >= n:
                    highest[i] = max(highest[i], highest[part - n])
        return highest

    @cached_property
    def sizes(self) -> Ints64:
        """How many rows each node holds."""
        n = self.n_rows
        sizes = np.ones(2 * n - 1, np.int64)
        for i, (one, other) in enumerate(self.pairs):
            sizes[n + i] = sizes[one] + sizes[other]
        return sizes

    @cached_property
    def cluster_of_nodes(self) -> Ints32:
        """The cluster in which each node lies; -1 above the clusters."""
        found = np.concatenate([self.labels, np.full(self.n_rows - 1, -1, np.int32)])
        for i, (one, other) in enumerate(self.pairs.tolist()):
            if found[one] == found[other]:
                found[self.n_rows + i] = found[one]
        return found

    @cached_property
    def points(self) -> Points:
        """The kept rows, ready for distances."""
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
        """What the columns are like at a node and in all other rows, those that differ most first."""
        member = np.ones(self.n_rows, np.int64)
        member[self.rows_of(node)] = 0
        return Profile.of(self.kept, member, 2).describe(self.schema)[0].traits

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of every row: that of the nearest kept row, the first on a tie."""
        return self.labels[np.maximum(nearest_row(self.distance, self.points, aligned, n_threads), 0)]

    def validate(self) -> None:
        """Check sizes and values; a `ModelError` says what is wrong."""
        n = self.n_rows
        if self.kept.schema != self.schema or not n:
            raise ModelError("the kept rows have other columns than the model, or there is none")
        self.distance.validate()
        self.check_arrays(joined=n - 1, two=2)
        used = np.sort(self.pairs.ravel())
        if not np.array_equal(used, np.arange(2 * n - 2)) or (self.pairs.max(axis=1) >= n + np.arange(n - 1)).any():
            raise ModelError("the pairs do not make one tree")
        one = (self.count is None) != (self.height is None)
        if not one or (self.count is not None and not (isinstance(self.count, int) and 1 <= self.count <= n)):
            msg = f"the cut is at {self.count} clusters and height {self.height}; expected one of the two, within range"
            raise ModelError(msg)
