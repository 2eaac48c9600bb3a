"""Rows that are the model: kept as they are, and asked for those nearest to a new row.

The prediction is that of the k nearest kept rows: the mean of their numbers, or the shares of their classes, all alike
or weighted by distance. Nothing is learned but what the distance knows of the columns, and which rows to keep.
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
WAITING, PREDICTING, NOISY = 1, 2, 3  # what became of a row that was kept
NEARLY_ZERO = 0.001  # added to a distance before it divides: a row at distance zero counts for a thousand
CHOICES = ("k", "all_tied", "weighting", "rooted", "widened", "pseudo_count", "count_rows")
Find = Callable[[Points, int], Neighbors]  # another way to the same neighbors


@dataclass(frozen=True, eq=False)
class Instances(OutputModel):
    """Kept rows that predict for rows near them.

    Parameters
    ----------
    schema : Schema
        Columns and target.
    kept : Table
        The rows, under that schema; every one has a target, and a weight above zero where there are weights.
    distance : Distance
        How far rows are apart.
    k : int
        How many rows predict: as many of the nearest as together have at least this weight.
    count_rows : bool
        Whether `k` is a number of rows instead, whatever they weigh.
    all_tied : bool
        Whether rows exactly as far away as the last of these count too; otherwise only the earlier rows do.
    weighting : {"uniform", "inverse", "similarity"}
        A row's say: its weight; times 1 / (d + 0.001); or times 1 - d. Here d is the distance as a share of what
        it could be if every column differed by 1 (a root of a mean square, or a mean).
    rooted : bool
        Whether distances are compared once rooted.
    widened : bool
        Whether the ranges of the columns take in every row to predict, one after another, before it is predicted.
    pseudo_count : float
        Added to the weight of every class.
    class_columns : array of shape (classes, features), optional
        Weights of the columns for the kept rows of each class; None: those of the distance for all.
    recipe : mapping
        How it was learned, as plain values.
    seen_as : array of shape (rows, 2), optional
        Of learners that keep some rows: numbers of the rows seen that were kept, and what became of each: `WAITING` (it
        has no record yet that lets it predict), `PREDICTING`, `NOISY` (dropped).
    """

    KIND: ClassVar = "instances"
    PARTS: ClassVar = {"kept": Table, "distance": Distance, "": None}
    ARRAYS: ClassVar = declared(("<f8", "classes features", "class_columns?"), ("<i8", "seen two", "seen_as?"))
    PLAIN: ClassVar = {
        **dict.fromkeys(CHOICES, readers.anything),
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
        """Memory that the kept rows take."""
        return sum(array.nbytes for array in self.kept.columns)

    @cached_property
    def points(self) -> Points:
        """The kept rows, made ready."""
        return self.distance.points(self.kept)

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """What the nearest rows say: (rows, classes) shares, or (rows, 1) numbers."""
        return self.combined(self.neighbors(aligned, n_threads=n_threads))

    def neighbors(
        self, table: Table, k: int | None = None, *, n_threads: int = 1, find: Find | None = None
    ) -> Neighbors:
        """The kept rows that predict for each row of a table, nearest first; `k` of them, or the model's own number."""
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
        """How many rows to look for, so that weight `k` is among them: more where rows weigh less than one."""
        weights = self.kept.weights
        if weights is None or self.count_rows:
            return k
        return int(min(np.ceil(k / min(1.0, weights.min())), self.kept.n_rows))

    @cached_property
    def unit(self) -> float:
        """How far rows are apart that differ by 1 in every column."""
        whole = 1.0 if self.distance.mean else max(float(self.distance.weight.sum()), np.finfo(np.float64).tiny)
        return float(np.sqrt(whole)) if self.distance.squared else whole

    def nearest_of(self, neighbors: Neighbors, k: int, weights: Floats | None = None) -> tuple[Neighbors, Floats]:
        """Of more neighbors than needed, those whose weight makes up `k`, and those tied with the last.

        Their weights are given too; `weights` stand for those of the kept rows, one per neighbor.
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
        """Rows of every class by the column weights of their class, then the nearest of all."""
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

    def _widening(self, aligned: Table) -> Iterator[tuple[slice, Distance]]:
        """Runs of rows with the same ranges, and the distance of each."""
        places = [(f, place) for f, place in enumerate(self.schema.features) if is_number(self.schema.columns[place])]
        changes = np.zeros(aligned.n_rows, np.bool_)
        changes[:1] = True
        bounds = []
        for f, place in places:
            column = self.schema.columns[place]
            kept, asked = (numbers_of(column, table.columns[place]) for table in (self.kept, aligned))
            # fmin and fmax pass over missing values
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

    def says(self, neighbors: Neighbors, weights: Floats | None = None) -> Floats:
        """How much each neighbor's prediction counts, for its weight and its distance."""
        weights = self._weights(neighbors) if weights is None else weights
        if self.weighting == "uniform":
            return weights
        far = neighbors.distances / self.unit
        if self.weighting == "inverse":
            return weights / (far + NEARLY_ZERO)
        return weights * np.maximum(1.0 - np.where(np.isfinite(far), far, 1.0), 0.0)

    def combined(self, neighbors: Neighbors, weights: Floats | None = None) -> Floats:
        """What neighbors say: (rows, classes) shares, or (rows, 1) numbers.

        Where no neighbor has a say (rows without any column in common, or as unlike as can be), all have the same.
        """
        says, n = self.says(neighbors, weights), len(neighbors)
        query = np.repeat(np.arange(n), neighbors.counts)
        total = np.bincount(query, says, minlength=n)
        mute = ~(total > 0)
        if mute.any():
            says = np.where(mute[query], 1.0, says)
            total = np.bincount(query, says, minlength=n)
        truth = self.kept.target_values()[neighbors.rows]
        target = self.schema.target_column
        if isinstance(target, Nominal):
            classes = len(target.categories)
            sums = np.bincount(query * classes + truth, says, minlength=n * classes).reshape(n, classes)
            shares: Floats = (sums + self.pseudo_count) / (total + classes * self.pseudo_count)[:, np.newaxis]
            return shares
        # about the first neighbor's number, so that equal numbers give that number to the last digit
        first = truth[np.minimum(neighbors.start[:-1], max(len(truth) - 1, 0))]
        mean: Floats = first + np.bincount(query, says * (truth - first[query]), minlength=n) / total
        return mean[:, np.newaxis]

    def validate(self) -> None:
        """Check the rows, the distance, and that they go together; a `ModelError` says what is wrong."""
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
            raise ModelError("ranges are widened, but the distance does not go by ranges")
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
        """Read the model; old files do not say `count_rows`."""
        return super().from_file({"count_rows": False, **plain["choices"], **plain}, schema, members)
