"""Generalized exemplars: boxes of rows of one class, with a range in every numeric and a set in every nominal column.

A row gets the class of the box that contains it, or of the nearest box. If several boxes contain it, the smallest
decides, so that a box inside another is an exception to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hornbeam.core.neighbors import boxes as kernels
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.weights import LARGEST_TOTAL, SMALLEST_TOTAL
from hornbeam.model.base import plain
from hornbeam.model.base.condition import AtLeast, AtMost, IsIn, IsMissing
from hornbeam.model.base.kept_predictions import OutputModel, in_parts
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import declared
from hornbeam.model.neighbors.scales import is_number, numbers_of
from hornbeam.model.rules.rule import Rule, RuleList

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Bools, Floats, Indices, Ints32
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition


FARTHEST = 1e150  # its square is finite


@dataclass(frozen=True)
class Layout:
    """The positions of a schema's features among numbers and codes.

    Every nominal column has one position for each category and one for missing values.
    """

    schema: Schema
    numbers: tuple[int, ...] = field(init=False)
    codes: tuple[int, ...] = field(init=False)
    start: tuple[int, ...] = field(init=False)  # the first position of each nominal column, and the end of the last
    feature_of_number: Indices = field(init=False)
    feature_of_code: Indices = field(init=False)

    def __post_init__(self) -> None:
        features = list(enumerate(self.schema.features))
        number = [(f, place) for f, place in features if is_number(self.schema.columns[place])]
        code = [(f, place) for f, place in features if not is_number(self.schema.columns[place])]
        sizes = [len(_categories(self.schema, place)) + 1 for _, place in code]
        object.__setattr__(self, "numbers", tuple(place for _, place in number))
        object.__setattr__(self, "codes", tuple(place for _, place in code))
        object.__setattr__(self, "start", tuple(offsets(sizes).tolist()))
        object.__setattr__(self, "feature_of_number", np.array([f for f, _ in number], np.intp))
        object.__setattr__(self, "feature_of_code", np.array([f for f, _ in code], np.intp))

    def rows(self, aligned: Table) -> tuple[Floats, Indices]:
        """Numbers (rows, numeric columns; NaN: missing), and the position of each code (rows, nominal columns)."""
        n = aligned.n_rows
        numbers = [numbers_of(self.schema.columns[place], aligned.columns[place]) for place in self.numbers]
        codes = []
        for c, place in enumerate(self.codes):
            values = aligned.columns[place].astype(np.intp)
            codes.append(np.where(values < 0, self.start[c + 1] - 1, self.start[c] + values))
        return (
            np.ascontiguousarray(np.array(numbers, np.float64).reshape(len(numbers), n).T),
            np.ascontiguousarray(np.array(codes, np.intp).reshape(len(codes), n).T),
        )

    def boxes(
        self, low: Floats, high: Floats, gaps: Bools, sets: Bools, label: Ints32, width: Floats, column_weight: Floats
    ) -> kernels.Boxes:
        """The boxes for the kernel, which changes these arrays in place unless they are read-only."""
        whole: tuple[Any, ...] = (low, high, gaps.view(np.uint8), sets.view(np.uint8), label)
        whole = tuple(np.require(array, requirements=["C", "W"]) for array in whole)
        weights = tuple(column_weight[places] ** 2 for places in (self.feature_of_number, self.feature_of_code))
        others: tuple[Any, ...] = (np.array(self.start, np.intp), width, *weights)
        return kernels.Boxes(*whole, *others)

    def sizes(self, low: Floats, high: Floats, sets: Bools, width: Floats) -> Floats:
        """The sizes of boxes: the sum of the ranges and sets as fractions of those of the columns."""
        size: Floats = (np.maximum(high - low, 0.0) / np.where(width > 0, width, 1.0)).sum(axis=1)
        for c in range(len(self.codes)):
            part = sets[:, self.start[c] : self.start[c + 1]]
            size = size + (part.sum(axis=1) - 1) / max(part.shape[1] - 1, 1)
        return size


@dataclass(frozen=True, eq=False)
class Exemplars(OutputModel):
    """Boxes of rows of one class.

    Parameters
    ----------
    schema : Schema
        Columns and nominal target.
    low, high : array of shape (boxes, numeric columns)
        The ranges; low is above high if the box has no known number in the column.
    gaps : array of shape (boxes, numeric columns), bool
        Whether the box includes missing values of the column.
    sets : array of shape (boxes, places), bool
        The categories of the box, for one nominal column after another, each with a last entry for missing values.
    label : array
        The class of each box.
    rows : array
        The training weight of each box.
    width : array
        The range of each numeric column.
    column_weight : array
        By feature, in the schema's order.
    divisors : array of shape (classes,), optional
        The divisor of the distances to the boxes of each class; None: 1. Ranges of numbers are also shrunk
        about their middle: by the divisor of the class over the largest divisor.
    recipe : mapping
        The parameters of learning, as plain values.
    """

    KIND: ClassVar = "exemplars"
    NOUN: ClassVar = "boxes"
    ARRAYS: ClassVar = declared("""
        <f8[boxes, numbers] low high
        |b1[boxes, numbers] gaps
        |b1[boxes, places] sets
        <i4[boxes] label
        <f8[boxes] rows
        <f8[numbers] width
        <f8[features] column_weight
        <f8[classes] divisors?
    """)
    PLAIN: ClassVar = {"recipe": plain.recipe}

    schema: Schema
    low: Floats
    high: Floats
    gaps: Bools
    sets: Bools
    label: Ints32
    rows: Floats
    width: Floats
    column_weight: Floats
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)
    divisors: Floats | None = None

    def __repr__(self) -> str:
        return f"Exemplars({self.schema.name!r}: {len(self)} boxes, {self.n_points} of them single points)"

    def __len__(self) -> int:
        return len(self.label)

    @property
    def n_points(self) -> int:
        """The number of boxes that include one combination of values only."""
        wide = (self.low < self.high) | (self.gaps & (self.low <= self.high))
        return int((~wide.any(axis=1) & (self.sets.sum(axis=1) == len(self.layout.codes))).sum())

    @cached_property
    def layout(self) -> Layout:
        """The positions of the features among numbers and codes."""
        return Layout(self.schema)

    def outputs(self, aligned: Table, n_threads: int) -> Floats:
        """Class probabilities: 1 for the class of the deciding box."""
        found = np.zeros((aligned.n_rows, len(_categories(self.schema, self.schema.target))))
        found[np.arange(aligned.n_rows), self.label[self.deciding(aligned, n_threads)]] = 1.0
        return found

    def deciding(self, aligned: Table, n_threads: int = 1) -> Indices:
        """The box that decides each row: the smallest that contains it, or the nearest."""
        numbers, codes = self.layout.rows(aligned)
        found = np.empty(aligned.n_rows, np.intp)
        rank = self._rank
        low, high = self.ranges
        boxes = self.layout.boxes(low, high, self.gaps, self.sets, self.label, self.width, self.column_weight)

        def part(first: int, last: int) -> None:
            boxes.decide(numbers, codes, rank, self._factors, first, last, found)

        in_parts(part, aligned.n_rows, len(self) * len(self.schema.features), n_threads)
        return found

    @cached_property
    def _rank(self) -> Floats:
        """The order in which equally near boxes decide: the smallest, then the heaviest, then the earliest."""
        rank = np.empty(len(self))
        rank[np.lexsort((-self.rows, self.sizes))] = np.arange(len(self))
        return rank

    @cached_property
    def ranges(self) -> tuple[Floats, Floats]:
        """The ranges as they predict: those of classes of less weight are smaller."""
        if self.divisors is None:
            return self.low, self.high
        share = (self.divisors / self.divisors.max())[self.label][:, np.newaxis]
        off = 0.5 * (1.0 - share) * np.where(self.low < self.high, self.high - self.low, 0.0)
        known = self.low <= self.high
        low, high = np.where(known, self.low + off, self.low), np.where(known, self.high - off, self.high)
        return np.minimum(low, np.where(known, high, low)), high

    @cached_property
    def _factors(self) -> Floats:
        """The factor of the squared distances to each box."""
        return np.ones(len(self)) if self.divisors is None else 1.0 / self.divisors[self.label] ** 2

    def differences(self, aligned: Table) -> Floats:
        """The terms of the squared distance to each box, of shape (rows, boxes, features).

        Values inside the box, and missing values, have the term 0.
        """
        numbers, codes = self.layout.rows(aligned)
        found = np.zeros((aligned.n_rows, len(self), len(self.schema.features)))
        low, high = self.ranges
        for c, feature in enumerate(self.layout.feature_of_number.tolist()):
            value = numbers[:, c, np.newaxis]
            with np.errstate(over="ignore", invalid="ignore"):
                outside = np.maximum(np.maximum(low[:, c] - value, value - high[:, c]), 0.0)
                away = outside / self.width[c] if self.width[c] > 0 else np.zeros_like(outside)
            away = np.minimum(away, FARTHEST)
            away[:, low[:, c] > high[:, c]] = 1.0
            found[:, :, feature] = np.where(np.isnan(value), 0.0, self.column_weight[feature] ** 2 * away**2)
        for c, feature in enumerate(self.layout.feature_of_code.tolist()):
            missing = codes[:, c, np.newaxis] == self.layout.start[c + 1] - 1
            outside_of = ~self.sets[:, codes[:, c]].T & ~missing
            found[:, :, feature] = np.where(outside_of, self.column_weight[feature] ** 2, 0.0)
        return np.asarray(found * self._factors[:, np.newaxis])

    def by_distance(self, aligned: Table) -> Indices:
        """All boxes for each row, nearest first; the first decides."""
        far = self.differences(aligned).sum(axis=2)
        far[np.arange(len(far)), self.deciding(aligned)] = -1.0  # for distances that differ only by rounding
        order: Indices = np.lexsort((np.broadcast_to(self._rank, far.shape), far), axis=1)
        return order

    @cached_property
    def sizes(self) -> Floats:
        """How large each box is: ranges as shares of the columns', and sets as shares of the categories, added up."""
        return self.layout.sizes(self.low, self.high, self.sets, self.width)

    def to_rules(self) -> RuleList:
        """The boxes as rules, largest first; a box inside one of another class is an exception to its rule.

        The default, the class with most weight, is for rows outside all boxes; there are none in training. For a row in
        several partly overlapping boxes, the list may predict another class than the model.
        """
        n_classes = len(_categories(self.schema, self.schema.target))
        order = sorted(range(len(self)), key=lambda b: (-self.sizes[b], b))
        inside: dict[int, int] = {}
        for position, box in enumerate(order):
            around = self._around(box, np.array(order[:position], np.intp))
            if len(around):
                inside[box] = int(around[-1])
        exceptions_to: dict[int, list[int]] = {}
        for box in order:
            if box in inside:
                exceptions_to.setdefault(inside[box], []).append(box)
        totals = np.bincount(self.label, self.rows, minlength=n_classes)
        default = Rule((), totals.astype(np.float64), int(totals.argmax()), 0.0)

        def rule(box: int) -> Rule:
            value = np.zeros(n_classes)
            value[self.label[box]] = self.rows[box]
            own = [rule(other) for other in exceptions_to.get(box, [])]
            exceptions = RuleList(self.schema, tuple(own)) if own else None
            return Rule(
                tuple(self.conditions(box)), value, int(self.label[box]), float(self.rows[box]), exceptions=exceptions
            )

        outermost = [rule(box) for box in reversed(order) if box not in inside]
        return RuleList(self.schema, tuple(outermost), default)

    def _around(self, box: int, others: Indices) -> Indices:
        """Those of the given boxes that have another class and contain a box."""
        others = others[self.label[others] != self.label[box]]
        low, high = self.low[box], self.high[box]
        within = ((low > high) | ((low >= self.low[others]) & (high <= self.high[others]))).all(axis=1)
        others = others[within]
        within = ~(self.gaps[box] & ~self.gaps[others]).any(axis=1) & ~(self.sets[box] & ~self.sets[others]).any(axis=1)
        around: Indices = others[within]
        return around

    def conditions(self, box: int) -> list[Condition]:
        """The conditions of a box: its range or set in every column that it limits."""
        found: list[Condition] = []
        for c, place in enumerate(self.layout.numbers):
            if_missing = float(self.gaps[box, c])
            low, high = (float(end[box, c]) for end in self.ranges)
            if low <= high:
                found.append(AtLeast(place, low, if_missing))
                found.append(AtMost(place, high, if_missing))
            else:
                found.append(IsMissing(place))
        for c, place in enumerate(self.layout.codes):
            *known, missing = self.sets[box, self.layout.start[c] : self.layout.start[c + 1]]
            codes = tuple(np.flatnonzero(known).tolist())
            if len(codes) < len(known) or not missing:
                found.append(IsIn(place, codes, float(missing)) if codes else IsMissing(place))
        return found

    def validate(self) -> None:
        """Check shapes and values; raise a `ModelError` if they are wrong."""
        if self.schema.target is None:
            raise ModelError("boxes of classes need a target")
        if not isinstance(self.schema.target_column, Nominal):
            msg = f"the model predicts classes; the target {self.schema.target_column.name!r} is numeric"
            raise ModelError(msg)
        boxes, numbers = len(self.label), len(self.layout.numbers)
        self.check_arrays(
            boxes=boxes,
            numbers=numbers,
            places=self.layout.start[-1],
            features=len(self.schema.features),
            classes=len(self.schema.target_column.categories),
        )
        if np.isnan(self.low).any() or np.isnan(self.high).any():
            raise ModelError("a box has a bound that is not a number")
        if not boxes or self.label.min() < 0 or self.label.max() >= len(self.schema.target_column.categories):
            raise ModelError("there are no boxes, or a box has an unknown class")
        values = np.concatenate([self.rows, self.width, self.column_weight])
        if (values < 0).any() or not np.isfinite(values).all():
            raise ModelError("a box or a column has a value below zero, or one that is not finite")
        if (
            self.divisors is not None
            and not ((self.divisors >= SMALLEST_TOTAL) & (self.divisors <= LARGEST_TOTAL)).all()
        ):
            raise ModelError(
                "the divisor of the distances to a class is zero, negative or too large for a class weight"
            )
        ranges = np.array([self.low, self.high])[:, self.low <= self.high]
        if not np.isfinite(ranges).all():
            raise ModelError("a box has an infinite range")


def _categories(schema: Schema, place: int | None) -> tuple[str, ...]:
    assert place is not None
    column = schema.columns[place]
    assert isinstance(column, Nominal)
    return column.categories
