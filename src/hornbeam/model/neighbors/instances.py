"""The model of nearest neighbors: kept training rows, of which those nearest to a new row predict.

The prediction is the mean of the numbers, or the proportions of the classes, of the k nearest kept rows, unweighted or
weighted by distance. Only the scales of the distance, and which rows to keep, are learned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.base import plain as readers
from hornbeam.model.base.align import align
from hornbeam.model.base.kept_predictions import OutputModel, check_kept
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Members, declared
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.points import Neighbors, Points, joined
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hornbeam.core.base.arrays import Floats, Ints64
    from hornbeam.data.schema import Schema


Weighting = Literal["uniform", "inverse", "similarity"]
WEIGHTINGS: tuple[Weighting, ...] = ("uniform", "inverse", "similarity")
WAITING, PREDICTING, NOISY = 1, 2, 3  # the state of a row that was kept
NEARLY_ZERO = 0.001  # added to distances before weights are computed as inverses: at distance zero the weight is 1000
SAME_FACTOR = 1e-12  # relative; factors that differ by less are equal
CHOICES = ("k", "all_tied", "weighting", "rooted", "widened", "pseudo_count", "count_rows")
Find = Callable[[Points, int], Neighbors]  # another search for the same neighbors


@dataclass(frozen=True, eq=False)
class Instances(OutputModel):
    """Kept training rows, of which the nearest predict.

    Parameters
    ----------
    schema : Schema
        Columns and target.
    kept : Table
        The rows, with that schema; every row has a target, and a weight above zero if there are weights.
    distance : Distance
        The distance between rows.
    k : int
        The number of neighbors: as many of the nearest rows as together have at least this weight.
    count_rows : bool
        Whether `k` is a number of rows instead, regardless of weights.
    all_tied : bool
        Whether all rows exactly as far away as the last of these count, or only the first of them in row order.
    weighting : {"uniform", "inverse", "similarity"}
        How a row is weighted: by its row weight; times 1 / (d + 0.001); or times 1 - d. Here d is the distance as a
        fraction of the distance between rows that differ by 1 in every column.
    rooted : bool
        Whether distances are compared after taking roots.
    widened : bool
        Whether the ranges of the columns are widened by every row to predict, one after another, before it is
        predicted.
    pseudo_count : float
        Added to the weight of every class.
    class_columns : array of shape (classes, features), optional
        Weights of the columns for the kept rows of each class; None: those of the distance for all.
    recipe : mapping
        How it was learned, as plain values.
    seen_as : array of shape (rows, 2), optional
        For learners that keep some rows: the numbers of the kept rows, and their states: `WAITING` (not yet accepted),
        `PREDICTING`, `NOISY` (dropped).
    """

    KIND: ClassVar = "instances"
    PARTS: ClassVar = {"kept": Table, "distance": Distance, "": None}
    ARRAYS: ClassVar = declared("""
        <f8[classes, features] class_columns?
        <i8[seen, two] seen_as?
    """)
    PLAIN: ClassVar = {
        **dict.fromkeys(CHOICES, readers.unchecked),
        "pseudo_count": readers.number,
        "distance": None,
        "recipe": readers.recipe,
    }

    schema: Schema
    kept: Table
    distance: Distance
    k: int = 1
    all_tied: bool = True
    weighting: Weighting = "uniform"
    rooted: bool = False
    widened: bool = False
    pseudo_count: float = 0.0
    class_columns: Floats | None = None
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)
    seen_as: Ints64 | None = None
    count_rows: bool = False

    def __repr__(self) -> str:
        return f"Instances({self.schema.name!r}: {self.kept.n_rows} rows kept, {self.k} nearest predict)"

    def __len__(self) -> int:
        return self.kept.n_rows

    @property
    def n_bytes(self) -> int:
        """The memory of the kept rows, in bytes."""
        return sum(array.nbytes for array in self.kept.columns)

    @cached_property
    def points(self) -> Points:
        """The kept rows, prepared for distances."""
        return self.distance.points(self.kept)

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Predictions from the nearest rows: probabilities (rows, classes), or numbers (rows, 1)."""
        return self.combined(self.neighbors(aligned, n_threads=n_threads))

    def neighbors(
        self, table: Table, k: int | None = None, *, n_threads: int = 1, find: Find | None = None
    ) -> Neighbors:
        """The neighbors of each row of a table, nearest first; `k` of them, or the model's own number."""
        k = self.k if k is None else k
        aligned = align(self.schema, self.as_table(table))
        if self.class_columns is not None:
            return self._by_class(aligned, k, n_threads)
        if not self.widened:
            return self._nearest(self.distance, self.points, self.distance.points(aligned), k, n_threads, find)
        pieces = []
        for rows, distance in self._widening(aligned):
            query = distance.points(aligned.take(np.arange(rows.start, rows.stop)))
            pieces.append(self._nearest(distance, distance.points(self.kept), query, k, n_threads, None))
        return joined(pieces)

    def _nearest(
        self, distance: Distance, points: Points, query: Points, k: int, n_threads: int, find: Find | None
    ) -> Neighbors:
        weights, wanted = self.kept.weights, self.wanted(k)
        if find is not None:
            found = find(query, wanted)
        else:
            found = distance.nearest(
                query, points, wanted, all_tied=self.all_tied, rooted=self.rooted, n_threads=n_threads
            )
        return found if weights is None else self.nearest_of(found, k)[0]

    def wanted(self, k: int) -> int:
        """The number of rows to search for, so that they have weight `k`: more if rows weigh less than one."""
        weights = self.kept.weights
        if weights is None or self.count_rows:
            return k
        return int(min(np.ceil(k / min(1.0, weights.min())), self.kept.n_rows))

    @cached_property
    def unit(self) -> float:
        """The distance between rows that differ by 1 in every column."""
        whole = 1.0 if self.distance.mean else max(float(self.distance.weight.sum()), np.finfo(np.float64).tiny)
        return float(np.sqrt(whole)) if self.distance.squared else whole

    def nearest_of(self, neighbors: Neighbors, k: int, weights: Floats | None = None) -> tuple[Neighbors, Floats]:
        """Select from sufficiently many neighbors those with total weight `k`, and those tied with the last.

        Their weights are also returned; `weights` are the row weights of the neighbors.
        """
        weights = self._weights(neighbors) if weights is None else weights
        sums = np.concatenate([[0.0], np.cumsum(np.ones(len(weights)) if self.count_rows else weights)])
        query = np.repeat(np.arange(len(neighbors)), neighbors.counts)
        before = sums[:-1] - sums[neighbors.start[query]]
        keep = before < k
        if self.all_tied:
            last = np.maximum.reduceat(np.where(keep, neighbors.distances, -1.0), neighbors.start[:-1])
            keep |= neighbors.distances == last[query]
        start = offsets(np.bincount(query[keep], minlength=len(neighbors)))
        return Neighbors(start.astype(np.int64), neighbors.rows[keep], neighbors.distances[keep]), weights[keep]

    def _weights(self, neighbors: Neighbors) -> Floats:
        return np.ones(len(neighbors.rows)) if self.kept.weights is None else self.kept.weights[neighbors.rows]

    def _by_class(self, aligned: Table, k: int, n_threads: int) -> Neighbors:
        """The nearest rows if classes have column weights: first of every class by its own weights, then of all."""
        assert self.class_columns is not None
        query = self.distance.points(aligned)
        codes = self.kept.target_values()
        rows, asked, far = [], [], []
        for code, weight in enumerate(self.class_columns):
            own = np.flatnonzero(codes == code)
            if not len(own):
                continue
            found = self.distance.weighted(weight).nearest(
                query, self.points.take(own), k, all_tied=self.all_tied, n_threads=n_threads
            )
            rows.append(own[found.rows])
            asked.append(np.repeat(np.arange(len(found)), found.counts))
            far.append(found.distances)
        row, who, distance = np.concatenate(rows), np.concatenate(asked), np.concatenate(far)
        order = np.lexsort((row, distance, who))
        start = offsets(np.bincount(who, minlength=aligned.n_rows))
        return self.nearest_of(Neighbors(start, row[order], distance[order]), k)[0]

    @cached_property
    def divisors(self) -> Floats | None:
        """The divisors of the distances to the rows of each class: class weights.

        None if every class has the same weights of columns, or weights that are not multiples of those of the distance.
        """
        if self.class_columns is None:
            return None
        used = self.distance.weight > 0
        if not used.any() or (self.class_columns[:, ~used] > 0).any() or not (self.class_columns[:, used] > 0).all():
            return None
        factors = self.distance.weight[used] / self.class_columns[:, used]
        if not np.allclose(factors, factors[:, :1], rtol=SAME_FACTOR, atol=0.0):
            return None
        found: Floats = np.sqrt(factors[:, 0]) if self.distance.squared else factors[:, 0]
        return found

    def _widening(self, aligned: Table) -> Iterator[tuple[slice, Distance]]:
        """Runs of rows with equal ranges, and the distance of each."""
        places = [(f, place) for f, place in enumerate(self.schema.features) if is_number(self.schema.columns[place])]
        changes = np.zeros(aligned.n_rows, np.bool_)
        changes[:1] = True
        bounds = []
        for f, place in places:
            column = self.schema.columns[place]
            kept, asked = (numbers_of(column, table.columns[place]) for table in (self.kept, aligned))
            # fmin and fmax ignore missing values
            low = np.fmin.accumulate(np.concatenate([[np.fmin.reduce(kept, initial=np.nan)], asked]))
            high = np.fmax.accumulate(np.concatenate([[np.fmax.reduce(kept, initial=np.nan)], asked]))
            for bound in (low, high):
                changes |= (bound[1:] != bound[:-1]) & ~np.isnan(bound[1:])
            bounds.append((f, low[1:], high[1:]))
        begins = np.flatnonzero(changes)
        for begin, end in zip(begins, [*begins[1:], aligned.n_rows], strict=True):
            center, width = self.distance.center.copy(), self.distance.width.copy()
            for f, low, high in bounds:
                if not np.isnan(low[begin]):
                    center[f], width[f] = low[begin], high[begin] - low[begin]
            yield slice(int(begin), int(end)), replace(self.distance, center=center, width=width)

    def influence(self, neighbors: Neighbors, weights: Floats | None = None) -> Floats:
        """The weight of each neighbor, by its row weight and its distance."""
        weights = self._weights(neighbors) if weights is None else weights
        if self.weighting == "uniform":
            return weights
        far = neighbors.distances / self.unit
        if self.weighting == "inverse":
            return weights / (far + NEARLY_ZERO)
        return weights * np.maximum(1.0 - np.where(np.isfinite(far), far, 1.0), 0.0)

    def combined(self, neighbors: Neighbors, weights: Floats | None = None) -> Floats:
        """Predictions from neighbors: probabilities (rows, classes), or numbers (rows, 1).

        If all neighbors have weight 0 (no common columns, or the largest possible distance), they are weighted equally.
        """
        influence, n = self.influence(neighbors, weights), len(neighbors)
        query = np.repeat(np.arange(n), neighbors.counts)
        total = np.bincount(query, influence, minlength=n)
        mute = ~(total > 0)
        if mute.any():
            influence = np.where(mute[query], 1.0, influence)
            total = np.bincount(query, influence, minlength=n)
        truth = self.kept.target_values()[neighbors.rows]
        target = self.schema.target_column
        if isinstance(target, Nominal):
            classes = len(target.categories)
            sums = np.bincount(query * classes + truth, influence, minlength=n * classes).reshape(n, classes)
            shares: Floats = (sums + self.pseudo_count) / (total + classes * self.pseudo_count)[:, np.newaxis]
            return shares
        # relative to the first neighbor's number, so that the mean of equal numbers is exact
        first = truth[np.minimum(neighbors.start[:-1], max(len(truth) - 1, 0))]
        mean: Floats = first + np.bincount(query, influence * (truth - first[query]), minlength=n) / total
        return mean[:, np.newaxis]

    def validate(self) -> None:
        """Check the rows and the distance, and that they match; a `ModelError` influence what is wrong."""
        self.distance.validate()
        target = self.schema.target_column
        check_kept(self.schema, self.kept)
        if self.distance.schema != self.schema:
            raise ModelError("the distance has other columns than the model")
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 1:
            msg = f"k is {self.k!r}; expected a whole number of at least 1"
            raise ModelError(msg)
        if self.weighting not in WEIGHTINGS:
            msg = f"the weighting is {self.weighting!r}; expected one of {', '.join(WEIGHTINGS)}"
            raise ModelError(msg)
        if not all(isinstance(choice, bool) for choice in (self.all_tied, self.rooted, self.widened, self.count_rows)):
            raise ModelError("all_tied, rooted, widened or count_rows is neither true nor false")
        if self.widened and self.distance.numeric != "range":
            raise ModelError("ranges are widened, but the distance does not use ranges")
        if not 0 <= self.pseudo_count < np.inf:
            msg = f"the pseudo count is {self.pseudo_count}; expected a number of at least 0"
            raise ModelError(msg)
        classes = len(target.categories) if isinstance(target, Nominal) else 0
        self.check_arrays(classes=classes, features=len(self.schema.features), two=2)
        if self.class_columns is not None:
            self._check_class_columns()
        if self.seen_as is not None:
            pairs = self.seen_as
            if (pairs < (0, WAITING)).any() or (pairs[:, 1] > NOISY).any():
                raise ModelError(
                    "the record of the rows seen does not have a row number and one of three states for each"
                )

    def _check_class_columns(self) -> None:
        weights = self.class_columns
        if weights is None or not np.isfinite(weights).all() or (weights < 0).any():
            raise ModelError("a weight of a column for a class is below zero or not a finite number")
        if self.widened:
            raise ModelError("ranges cannot be widened where columns have weights by class")

    def to_plain(self) -> dict[str, Any]:
        """Everything except the arrays, as plain data."""
        choices = {name: getattr(self, name) for name in CHOICES}
        return {"choices": choices, "distance": self.distance.to_plain(), "recipe": dict(self.recipe)}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Members) -> Self:  # noqa: ANN401 - whatever the file holds
        """Read the model; old files do not have `count_rows`."""
        return super().from_file({"count_rows": False, **plain["choices"], **plain}, schema, members)
