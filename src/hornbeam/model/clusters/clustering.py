"""Base of models of clusters, and descriptions of clusters.

A `Profile` has the number of rows of every cluster and the distribution of each column in it, and the same for all rows
together. So a model can describe its clusters, and how they differ, without the rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from hornbeam.core.clusters.profile import moments
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.base.align import align
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored, declared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32, Ints64
    from hornbeam.data.schema import Column, Schema
    from hornbeam.data.table import Table
    from hornbeam.model.neighbors.distance import Distance
    from hornbeam.model.neighbors.points import Points


ALMOST = 1e-12  # deviations below this fraction of the column's magnitude are rounding errors
SAME = 1e-9  # weights and differences are equal if they differ by at most this fraction


@dataclass(frozen=True)
class Trait:
    """One column in one cluster.

    Parameters
    ----------
    column : str
        Its name.
    typical : float, str or None
        The mean of its numbers, or its most frequent category; None if no value is known.
    spread : float
        The standard deviation of its numbers, or the proportion of that category.
    overall : float
        The mean of all rows, or the proportion of the category among them.
    rest : float or None
        The mean of the rows of all other clusters, or the proportion of the category among them; None if no value is
        known.
    apart : float
        The difference between the cluster and the other rows, in standard deviations of the column (or of the indicator
        of the category that differs most); positive if the cluster has more. 0 if there is nothing to compare.
    distinctive : str or None
        For categories, the one whose proportion differs most from that in the other rows: the typical one, or another.
    distinctive_share, distinctive_rest : float or None
        Its proportions in the cluster, and in the other rows.
    """

    column: str
    typical: float | str | None
    spread: float
    overall: float
    rest: float | None = None
    apart: float = 0.0
    distinctive: str | None = None
    distinctive_share: float | None = None
    distinctive_rest: float | None = None


@dataclass(frozen=True)
class ClusterDescription:
    """One cluster: its size, and its columns, the most distinctive first."""

    cluster: int
    rows: int
    weight: float
    share: float
    traits: tuple[Trait, ...]


@dataclass(frozen=True, eq=False)
class Profile(Stored):
    """The distribution of the rows of each cluster; the last row of each array is for all rows together."""

    NOUN: ClassVar = "profile"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <i8[clusters+1] rows
        <f8[clusters+1] weight
        <f8[clusters+1, features] known mean deviation
        <i8[features+1] code_start
        <f8[clusters+1, categories] shares
    """)

    # rows, weight: the number of rows, and their weight
    rows: Ints64
    weight: Floats
    # known, mean, deviation: of shape (clusters + 1, features): the weight of known values; mean and standard
    # deviation of numbers, 0 for categories
    known: Floats
    mean: Floats
    deviation: Floats
    code_start: Ints64  # the categories of feature f are at ``code_start[f]:code_start[f + 1]``; a number has none
    shares: Floats  # of shape (clusters + 1, categories): proportions of the categories among known values

    @classmethod
    def of(cls, table: Table, labels: AnyArray, n_clusters: int) -> Profile:
        """Compute the profile of a table from the cluster of each row (-1: none)."""
        member = np.ascontiguousarray(labels, np.int32)
        weights = None if table.weights is None else np.ascontiguousarray(table.weights, np.float64)
        each = np.empty(0) if weights is None else weights
        features = [table.schema.columns[place] for place in table.schema.features]
        sizes = [len(column.categories) if isinstance(column, Nominal) else 0 for column in features]
        start = offsets(sizes)
        known, mean, deviation = np.zeros((3, n_clusters + 1, len(features)))
        shares = np.zeros((n_clusters + 1, int(start[-1])))
        for f, place in enumerate(table.schema.features):
            values = table.columns[place]
            if not isinstance(features[f], Nominal):
                moments(values, member, each, known[:, f], mean[:, f], deviation[:, f])
                continue
            there = (values >= 0) & (member >= 0)
            place_of = member[there].astype(np.int64) * sizes[f] + values[there]
            counts = np.bincount(place_of, _of(weights, there), minlength=n_clusters * sizes[f])
            by_code = counts.reshape(n_clusters, sizes[f])
            known[:, f] = _with_sum(by_code.sum(axis=1))
            held = np.where(known[:, f] > 0, known[:, f], 1.0)
            shares[:, start[f] : start[f + 1]] = np.vstack([by_code, by_code.sum(axis=0)]) / held[:, np.newaxis]
        counted = member >= 0
        weights, member = _of(weights, counted), member[counted]
        rows = np.bincount(member, minlength=n_clusters)
        return cls(
            np.append(rows, rows.sum()).astype(np.int64),
            _with_sum(np.bincount(member, weights, minlength=n_clusters)),
            known,
            mean,
            deviation,
            start,
            shares,
        )

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return len(self.rows) - 1

    def describe(self, schema: Schema) -> list[ClusterDescription]:
        """Return the size, the typical values and the distinctive columns of every cluster."""
        return [self._described(cluster, schema) for cluster in range(self.n_clusters)]

    def overall(self, schema: Schema) -> ClusterDescription:
        """Return the same for all rows together, as cluster -1, which has no other rows."""
        return self._described(-1, schema)

    def _described(self, cluster: int, schema: Schema) -> ClusterDescription:
        traits = [
            self._number(cluster, f, column) if isinstance(column, Numeric) else self._category(cluster, f, column)
            for f, column in enumerate(schema.columns[place] for place in schema.features)
        ]
        traits.sort(key=lambda trait: -abs(trait.apart))
        whole, weight = float(self.weight[-1]), float(self.weight[cluster])
        share = weight / whole if whole > 0 else 0.0
        return ClusterDescription(cluster, int(self.rows[cluster]), weight, share, tuple(traits))

    def _number(self, cluster: int, f: int, column: Column) -> Trait:
        mean, overall = float(self.mean[cluster, f]), float(self.mean[-1, f])
        spread, width = float(self.deviation[cluster, f]), float(self.deviation[-1, f])
        if not self.known[cluster, f] > 0:
            return Trait(column.name, None, spread, overall)
        ratio = self._ratio(cluster, f)
        if ratio is None:
            return Trait(column.name, mean, spread, overall)
        rest = overall + (overall - mean) * ratio  # sums of differences are more accurate
        apart = (mean - rest) / width if width > ALMOST * abs(overall) else 0.0
        return Trait(column.name, mean, spread, overall, rest, apart)

    def _category(self, cluster: int, f: int, column: Nominal) -> Trait:
        part = slice(self.code_start[f], self.code_start[f + 1])
        shares, overall = self.shares[cluster, part], self.shares[-1, part]
        if not self.known[cluster, f] > 0:
            return Trait(column.name, None, 0.0, 0.0)
        return trait_of_shares(column.name, column.categories, shares, overall, self._ratio(cluster, f))

    def _ratio(self, cluster: int, f: int) -> float | None:
        """The weight of a column's known values in a cluster, divided by that in the other rows; None if that is 0."""
        inside, whole = float(self.known[cluster, f]), float(self.known[-1, f])
        return inside / (whole - inside) if whole - inside > SAME * whole else None

    def validate(self, schema: Schema, n_clusters: int) -> None:
        """Check sizes and values; raise a `ModelError` if they are wrong."""
        features = [schema.columns[place] for place in schema.features]
        sizes = [len(column.categories) if isinstance(column, Nominal) else 0 for column in features]
        self.check_arrays(clusters=n_clusters, features=len(features), categories=sum(sizes))
        for name, array in self.arrays().items():
            if name != "mean" and (array < 0).any():
                msg = f"the array {name} of the profile has a value below zero"
                raise ModelError(msg)
        if (self.shares > 1 + SAME).any():
            raise ModelError("a category of the profile has a proportion above 1")
        if np.diff(self.code_start).tolist() != sizes or self.code_start[0] != 0:
            raise ModelError("code_start of the profile does not fit the categories of the columns")


def trait_of_shares(
    name: str, categories: Sequence[str], shares: Floats, overall: Floats, ratio: float | None
) -> Trait:
    """A column of categories, from their proportions in a cluster and among all rows.

    `ratio`: the weight of the cluster divided by that of the other rows; None if there are none.
    """
    code = int(shares.argmax())
    typical, share, whole = categories[code], float(shares[code]), float(overall[code])
    if ratio is None:
        return Trait(name, typical, share, whole)
    rest = overall + (overall - shares) * ratio
    rest = np.where(rest < ALMOST, 0.0, np.where(rest > 1 - ALMOST, 1.0, rest))
    width = np.sqrt(np.maximum(overall * (1 - overall), 0.0))
    apart = np.where(width > ALMOST, (shares - rest) / np.where(width > ALMOST, width, 1.0), 0.0)
    most = int(np.abs(apart).argmax())
    if abs(apart[code]) >= abs(apart[most]) * (1 - SAME):  # two categories differ equally
        most = code
    return Trait(
        name,
        typical,
        share,
        whole,
        float(rest[code]),
        float(apart[most]),
        categories[most],
        float(shares[most]),
        float(rest[most]),
    )


def nearest_row(distance: Distance, points: Points, aligned: Table, n_threads: int) -> Ints64:
    """The nearest of some other rows for every row of a table, on a tie the first; -1 if they share no known value."""
    near = distance.nearest(distance.points(aligned), points, 1, all_tied=False, n_threads=n_threads)
    found = np.full(aligned.n_rows, -1, np.int64)
    query = np.repeat(np.arange(aligned.n_rows), near.counts)
    known = np.isfinite(near.distances)
    found[query[known]] = near.rows[known]
    return found


def as_they_appear(labels: AnyArray) -> Ints32:
    """Clusters numbered in order of appearance, so that equal partitions have equal numbers.

    Examples
    --------
    >>> as_they_appear(np.array([7, 2, 7, 0])).tolist()
    [0, 1, 0, 2]
    """
    _, first, label = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[label].astype(np.int32)


def sorted_rows(table: Table) -> Ints64:
    """Row numbers sorted by the values of the features, the first feature first: independent of the given order."""
    order: Ints64 = np.lexsort([table.columns[place] for place in reversed(table.schema.features)])
    return order


def numbered(labels: AnyArray, table: Table) -> Ints32:
    """Clusters numbered by their first rows in sorted order, so that the order of the given rows does not matter.

    Examples
    --------
    >>> import hornbeam
    >>> numbered(np.array([7, 2, 7]), hornbeam.read({"x": [3.0, 1.0, 2.0]})).tolist()
    [1, 0, 1]
    """
    order = sorted_rows(table)
    found = np.empty(len(order), np.int32)
    found[order] = as_they_appear(labels[order])
    return found


class Clustering(Model):
    """Base of models of clusters; a subclass has a schema, a profile and `assign(aligned, n_threads)`."""

    profile: Profile

    def assign(self, aligned: Table, n_threads: int) -> Ints32:
        """The cluster of every row; the table has the model's columns."""
        raise NotImplementedError

    @property
    def n_clusters(self) -> int:
        """The number of clusters."""
        return self.profile.n_clusters

    @property
    def task(self) -> Literal["clustering"]:
        """The task: clustering."""
        return "clustering"

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> Ints32:
        """Return the cluster of every row, counted from 0."""
        return self.assign(align(self.schema, self.as_table(rows)), n_threads)

    def describe(self) -> list[ClusterDescription]:
        """Return the size, the typical values and the distinctive columns of every cluster."""
        return self.profile.describe(self.schema)


def _of(weights: Floats | None, some: Bools) -> Floats | None:
    return None if weights is None else weights[some]


def _with_sum(by_cluster: AnyArray) -> Floats:
    return np.append(by_cluster, by_cluster.sum()).astype(np.float64)
