"""The distance between rows of numbers and categories, for all learners that compare rows.

A `Distance` is plain data: the scales of the columns are learned from a table once, and stored with the model. Rows
become `Points` (scaled numbers, and codes), and compiled kernels compute distances in blocks of rows, in threads; the
results do not depend on the threads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np

from hornbeam.core.neighbors import distance as kernels
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.model.base import plain
from hornbeam.model.base.align import align
from hornbeam.model.base.kept_predictions import in_parts
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored, declared
from hornbeam.model.neighbors.points import Neighbors, Points, joined
from hornbeam.model.neighbors.scales import (
    NUMERIC,
    NumericScale,
    average_overlap,
    is_number,
    numbers_of,
    scale_of,
    value_differences,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table


NominalDifference = Literal["overlap", "value-difference"]
MissingDifference = Literal["farthest", "ignore", "average"]
NOMINAL: tuple[NominalDifference, ...] = ("overlap", "value-difference")
MISSING: tuple[MissingDifference, ...] = ("farthest", "ignore", "average")  # in the kernel's order
CHOICES: dict[str, tuple[str, ...]] = {"numeric": NUMERIC, "nominal": NOMINAL, "missing": MISSING}
NUMBER, OVERLAP, TABLE = 0, 1, 2  # the kernel's kinds of columns
LEAST_ROWS = 16  # per part of the work of a thread


@dataclass(frozen=True, eq=False)
class Distance(Stored):
    """The distance between two rows: a weighted sum over columns of differences or their squares, and its root.

    Use `Distance.of` to learn one from a table.
    """

    NOUN: ClassVar = "distance"
    FINITE: ClassVar = True
    ARRAYS: ClassVar = declared("""
        <f8[features] weight center=centre width least greatest expected
        <i8[features+1] knot_start?
        <f8[knots] knots? ranks?
        <i8[features+1] table_start?
        <f8[*] tables?
    """)
    PLAIN: ClassVar = dict.fromkeys(("numeric", "nominal", "missing", "squared", "mean"), plain.unchecked)

    schema: Schema  # its features are the columns compared
    # {"range", "deviation", "rank", "as-is"}: how numbers are scaled: by the column's range (0 to 1), its standard
    # deviation, the ranks of its values (0 to 1), or not at all. Ordered categories are numbers, starting with 0.
    numeric: NumericScale
    # {"overlap", "value-difference"}: different categories differ by 1, or by the difference of the target's
    # distribution among their rows
    nominal: NominalDifference
    # {"farthest", "ignore", "average"}: the difference to a missing value is the largest possible one in the column; or
    # it is left out, and the other columns count more; or it is the average difference of two rows
    missing: MissingDifference
    squared: bool  # whether the distance is Euclidean, otherwise Manhattan
    mean: bool  # whether the sum is divided by the sum of the weights
    weight: Floats  # by feature, as are the next five
    # center, width: the scaled number is (value - center) / width; 0 if the width is 0
    center: Floats
    width: Floats
    # least, greatest: scaled extremes
    least: Floats
    greatest: Floats
    expected: Floats  # average differences
    # knot_start, knots, ranks: for ranks: the values of each numeric column and their scaled ranks; those of feature f
    # are at ``knot_start[f]:knot_start[f + 1]``. Ranks between two values are interpolated.
    knot_start: Ints64 | None = None
    knots: Floats | None = None
    ranks: Floats | None = None
    # table_start, tables: differences of categories, a square matrix for every nominal feature; its last row and column
    # are for missing values
    table_start: Ints64 | None = None
    tables: Floats | None = None

    @classmethod
    def of(
        cls,
        table: Table,
        *,
        numeric: NumericScale = "range",
        nominal: NominalDifference = "overlap",
        missing: MissingDifference = "farthest",
        squared: bool = True,
        mean: bool = False,
        weights: Mapping[str, float] | None = None,
    ) -> Self:
        """Learn scales and differences from a table.

        Parameters
        ----------
        table : Table
            Its features are compared. For value differences it needs a target.
        numeric, nominal, missing, squared, mean
            See `Distance`.
        weights : mapping, optional
            Weights of columns by name; 1 where a column is not named, 0 leaves it out.

        Examples
        --------
        >>> import hornbeam
        >>> from hornbeam.model.neighbors.distance import Distance
        >>> table = hornbeam.read("weather.numeric")
        >>> distance = Distance.of(table)
        >>> points = distance.points(table)
        >>> distance.nearest(points, points, 2).of(0)[0].tolist()
        [0, 7]
        """
        for name, value in (("numeric", numeric), ("nominal", nominal), ("missing", missing)):
            if value not in CHOICES[name]:
                msg = f"{name} is {value!r}; expected one of {', '.join(map(repr, CHOICES[name]))}"
                raise ValueError(msg)
        schema = table.schema
        features = [schema.columns[place] for place in schema.features]
        scales = np.zeros((5, len(features)))
        knots: list[Floats] = [np.empty(0)] * len(features)
        ranks, tables = list(knots), list(knots)
        for f, (place, column) in enumerate(zip(schema.features, features, strict=True)):
            if is_number(column):
                values = numbers_of(column, table.columns[place])
                scale = scale_of(values, table.weights, numeric, squared=squared, exact=missing == "average")
                scales[:, f] = (scale.center, scale.width, scale.least, scale.greatest, scale.expected)
                knots[f], ranks[f] = scale.knots, scale.ranks
            elif nominal == "overlap":
                average = average_overlap(table.columns[place], table.weights, squared=squared)
                scales[:, f] = (0.0, 1.0, 0.0, 1.0, average)
            else:
                tables[f] = value_differences(table, place, missing, squared=squared).ravel()
                scales[:, f] = (0.0, 1.0, 0.0, 1.0, 0.0)
        more: dict[str, Any] = {}
        if numeric == "rank":
            more |= {"knot_start": offsets([*map(len, knots)]), "knots": _joined(knots), "ranks": _joined(ranks)}
        if nominal == "value-difference":
            more |= {"table_start": offsets([*map(len, tables)]), "tables": _joined(tables)}
        weight = _column_weights(schema, weights)
        return cls(schema, numeric, nominal, missing, squared, mean, weight, *scales, **more)

    def points(self, table: Table) -> Points:
        """Prepare rows: columns are found by name, and numbers are scaled."""
        aligned = align(self.schema, table)
        n = aligned.n_rows
        numbers = np.empty((sum(is_number(self.schema.columns[place]) for place in self.schema.features), n))
        codes: list[Ints32] = []
        complete = np.ones(len(self.weight), np.int8)
        for f, place in enumerate(self.schema.features):
            column, values = self.schema.columns[place], aligned.columns[place]
            if is_number(column):
                placed = numbers[f - len(codes)]
                placed[:] = self._placed(f, numbers_of(column, values))
                complete[f] = not np.isnan(placed).any()
            else:
                assert isinstance(column, Nominal)
                codes.append(np.where(values < 0, len(column.categories), values).astype(np.int32))
                complete[f] = len(values) == 0 or values.min() >= 0
        return Points(numbers, np.array(codes, np.int32).reshape(len(codes), n), complete)

    def _placed(self, f: int, values: Floats) -> Floats:
        if self.knot_start is not None and self.knots is not None and self.ranks is not None:
            part = slice(self.knot_start[f], self.knot_start[f + 1])
            if part.start == part.stop:
                return np.where(np.isnan(values), values, 0.0)
            return np.where(np.isnan(values), np.nan, np.interp(values, self.knots[part], self.ranks[part]))
        if not self.width[f] > 0:
            return np.where(np.isnan(values), values, 0.0)
        if self.center[f] == 0 and self.width[f] == 1:
            return values
        placed: Floats = values - self.center[f]
        placed /= self.width[f]
        return placed

    def between(
        self,
        a: Points,
        b: Points,
        dtype: Any = np.float64,  # noqa: ANN401 - a type of NumPy's
        n_threads: int = 1,
        *,
        rooted: bool = True,
    ) -> AnyArray:
        """All distances: a matrix of rows of `a` by rows of `b`, float64 or float32.

        Without `rooted`, they are squared if the distance is Euclidean. NaN if missing values are ignored and a pair
        has no known value in common.
        """
        out = np.empty((a.n_rows, b.n_rows), dtype)
        if out.dtype not in (np.float64, np.float32):
            msg = f"dtype is {out.dtype}; expected float64 or float32"
            raise ValueError(msg)

        def part(first: int, last: int) -> None:
            kernels.between(self._columns, *a.parts(), *b.parts(), first, last, out, rooted)

        in_parts(part, a.n_rows, b.n_rows * len(self.weight), n_threads, LEAST_ROWS)
        return out

    def nearest(
        self,
        a: Points,
        b: Points,
        k: int,
        *,
        all_tied: bool = True,
        rooted: bool = False,
        skip: Ints64 | None = None,
        n_threads: int = 1,
    ) -> Neighbors:
        """The k nearest rows of `b` for every row of `a`.

        Parameters
        ----------
        a, b : Points
            The query rows, and the rows to choose from.
        k : int
            The number of neighbors; all rows of `b` if there are fewer.
        all_tied : bool
            Whether all rows exactly as far away as the k-th are returned; otherwise the first of them in row order.
        rooted : bool
            Whether distances are compared after taking roots, when sums that differ in the last digit may become equal.
        skip : array, optional
            For every row of `a`, a row of `b` to skip, such as itself; -1: none.
        n_threads : int
            The result does not depend on it.
        """
        if k < 1:
            msg = f"k is {k}; expected 1 or more"
            raise ValueError(msg)
        skipped = np.empty(0, np.int64) if skip is None else np.ascontiguousarray(skip, np.int64)
        found: dict[int, tuple[Ints64, Ints64, Floats]] = {}

        def part(first: int, last: int) -> None:
            rows = slice(first, last)
            found[first] = kernels.nearest(
                self._columns, *a.take(rows).parts(), *b.parts(), skipped[rows], min(k, b.n_rows), all_tied, rooted
            )

        in_parts(part, a.n_rows, b.n_rows * len(self.weight), n_threads, LEAST_ROWS)
        return joined([Neighbors(*found[first]) for first in sorted(found)])

    def at_rows(self, a: Points, b: Points, rows: Ints64, *, rooted: bool) -> Floats:
        """Distances, or their squares, from every row of `a` to the given rows of `b` (-1: infinite)."""
        out = np.empty(rows.shape)
        kernels.at_rows(self._columns, *a.parts(), *b.parts(), np.ascontiguousarray(rows), out)
        return np.sqrt(out) if rooted and self.squared else out

    def distinct(self, points: Points) -> tuple[Ints64, Ints64]:
        """The distinct rows by the columns with a weight, and for every row the index of the equal distinct row."""
        number = np.array([is_number(self.schema.columns[place]) for place in self.schema.features], np.bool_)
        counting = self.weight > 0
        numbers = points.numbers[counting[number]]
        unknown = np.isnan(numbers)
        columns = np.vstack([np.where(unknown, 0.0, numbers), unknown, points.codes[counting[~number]]])
        if not len(columns):
            return np.arange(min(points.n_rows, 1)), np.zeros(points.n_rows, np.int64)
        _, first, which = np.unique(columns, axis=1, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return first[order], np.argsort(order)[which.ravel()]

    def differences(self, a: Points, b: Points) -> Floats:
        """The terms of each column, of shape (features, rows of `a`, rows of `b`); NaN: not counted."""
        nothing = np.zeros(len(self.weight))
        found = np.empty((len(self.weight), a.n_rows, b.n_rows))
        for f in range(len(self.weight)):
            alone = nothing.copy()
            alone[f] = self.weight[f]
            found[f] = replace(self, weight=alone, mean=False).between(a, b)
        return found

    def weighted(self, weight: Floats) -> Self:
        """The same distance with other column weights."""
        return replace(self, weight=np.ascontiguousarray(weight, np.float64))

    def validate(self) -> None:
        """Check sizes and values before a kernel sees them; raise a `ModelError` if they are wrong."""
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                msg = f"{name} is {getattr(self, name)!r}; expected one of {', '.join(allowed)}"
                raise ModelError(msg)
        if not isinstance(self.squared, bool) or not isinstance(self.mean, bool):
            raise ModelError("squared or mean is neither true nor false")
        features = [self.schema.columns[place] for place in self.schema.features]
        self.check_arrays(features=len(features))
        if (self.weight < 0).any() or (self.width < 0).any():
            raise ModelError("a column's weight or width is below zero")
        squares = [0 if is_number(c) or not isinstance(c, Nominal) else (len(c.categories) + 1) ** 2 for c in features]
        _check_starts("table_start", self.table_start, self.tables, squares, wanted=self.nominal == "value-difference")
        _check_starts("knot_start", self.knot_start, self.knots, None, wanted=self.numeric == "rank")
        lone = (self.ranks is None) != (self.knots is None)
        if lone or (self.ranks is not None and self.knots is not None and len(self.ranks) != len(self.knots)):
            raise ModelError("the distance does not have one rank per value")

    @cached_property
    def _columns(self) -> kernels.Columns:
        features = [self.schema.columns[place] for place in self.schema.features]
        number = np.array([is_number(column) for column in features], np.bool_)
        table = self.table_start is not None
        kind = np.where(number, NUMBER, TABLE if table else OVERLAP).astype(np.int8)
        place = np.where(number, np.cumsum(number) - 1, np.cumsum(~number) - 1).astype(np.int32)
        n_codes = np.array([len(c.categories) if isinstance(c, Nominal) else 0 for c in features], np.int32)
        start = np.zeros(len(features) + 1, np.int64) if self.table_start is None else self.table_start
        tables = np.empty(0) if self.tables is None else self.tables
        return kernels.Columns(
            kind, place, self.weight, self.least, self.greatest, self.expected, n_codes, (start, tables),
            MISSING.index(self.missing), self.squared, self.mean,
        )  # fmt: skip


def _column_weights(schema: Schema, weights: Mapping[str, float] | None) -> Floats:
    names = [schema.columns[place].name for place in schema.features]
    for name, value in (weights or {}).items():
        if name not in names:
            msg = f"a weight is given for the column {name!r}, which is not a feature; the features: {', '.join(names)}"
            raise SchemaError(msg)
        if not 0 <= value < np.inf:
            msg = f"the weight of the column {name!r} is {value!r}; expected a number of at least 0"
            raise ValueError(msg)
    return np.array([float((weights or {}).get(name, 1.0)) for name in names])


def _joined(pieces: list[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *pieces])


def _check_starts(
    name: str, start: Ints64 | None, values: Floats | None, sizes: list[int] | None, *, wanted: bool
) -> None:
    if (start is not None) != wanted or (values is not None) != wanted:
        msg = f"{name} and its values are missing, or are not allowed here"
        raise ModelError(msg)
    if start is None or values is None:
        return
    steps = np.diff(start)
    if not len(start) or start[0] != 0 or start[-1] != len(values) or (steps < 0).any():
        msg = f"{name} does not divide the {len(values)} values of the distance"
        raise ModelError(msg)
    if sizes is not None and steps.tolist() != sizes:
        msg = f"{name} does not fit the categories of the columns"
        raise ModelError(msg)
