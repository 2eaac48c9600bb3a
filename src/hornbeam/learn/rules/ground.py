"""The rows of a table as rules are grown from: sorted lists in the compiled core, and rules in the making.

A rule in the making is a `Body`, three short arrays. Rows are put in an order that is theirs alone, and whole-number
weights become repeated rows, so that what is drawn at random later depends neither on the order in which rows came nor
on whether a row is there twice or has the weight two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.core.rules.rules import ACCURACY, AT_LEAST, AT_MOST, DIFFERS, EQUALS, GAIN, SMOOTHED_GAIN, RowLists
from hornbeam.data.schema import Nominal
from hornbeam.learn.rules.beam import Columns, beam_search
from hornbeam.model.base.condition import AtLeast, AtMost, IsIn, IsMissing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition

    Rows = NDArray[np.int32]

MISSINGS = ("fails", "value")
NOMINALS = ("value", "set")
FEWEST_IN_SETS = 3  # of two categories, to leave one out is to ask for the other
MEASURES = {"smoothed-gain": SMOOTHED_GAIN, "gain": GAIN, "share": ACCURACY}
MOST_REPEATED = 20  # weights are not made repeated rows where these would be so many times as many
FEW = 100_000  # unless they are no more than this
MIX = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # odd numbers with bits all over


class Body(NamedTuple):
    """The conditions of a rule in the making: columns (among the features), kinds and values."""

    columns: NDArray[np.int32]
    kinds: NDArray[np.int32]
    values: NDArray[np.float64]

    @property
    def size(self) -> int:
        """How many conditions there are."""
        return len(self.columns)

    def first(self, count: int) -> Body:
        """The rule with its first conditions only."""
        return Body(self.columns[:count], self.kinds[:count], self.values[:count])

    def and_then(self, other: Body) -> Body:
        """The conditions of both."""
        return Body(
            np.concatenate([self.columns, other.columns]),
            np.concatenate([self.kinds, other.kinds]),
            np.concatenate([self.values, other.values]),
        )


EMPTY = Body(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0))


@dataclass(frozen=True)
class Cover:
    """What a rule does to some rows."""

    covered: float
    right: float
    rows: Rows  # those covered

    @property
    def wrong(self) -> float:
        """Weight covered of other classes."""
        return self.covered - self.right


class Ground:
    """The rows of a table to grow rules from.

    Parameters
    ----------
    table : Table
        Every row has a class and a weight above zero.
    as_given : bool
        Leave the rows in the order in which they are, and weights as weights.
    missing : {"fails", "value"}
        Whether a row without a value meets no condition on the column, or "is missing" is a condition too.
    nominal : {"value", "set"}
        Whether a condition asks for one category, or may also leave one out; several then leave a set of them.
    beam_width : int
        How many rules are grown side by side; 1: the best condition is added each time.
    """

    def __init__(
        self,
        table: Table,
        *,
        as_given: bool = False,
        missing: str = "fails",
        nominal: str = "value",
        beam_width: int = 1,
    ) -> None:
        weights = table.weights
        if not as_given:
            rows, weights = own_order(table)
            table = table.take(rows)
        schema = table.schema
        self.table, self.weights = table, weights
        self.features = list(schema.features)
        self.classes: Rows = np.ascontiguousarray(table.target_values(), np.int32)
        target = schema.target_column
        assert isinstance(target, Nominal)
        self.n_classes = len(target.categories)
        self.possible = 0.0  # conditions there are to choose from
        self.sets = nominal == "set"
        self.beam_width = beam_width
        columns: list[NDArray[Any]] = []
        orders: list[NDArray[np.uint32] | None] = []
        n_codes: list[int] = []
        for place in self.features:
            column, values = schema.columns[place], table.columns[place]
            if isinstance(column, Nominal) and not column.ordered:
                columns.append(values)
                orders.append(None)
                n_codes.append(max(len(column.categories), 1))
                self.possible += len(column.categories)
                if self.sets and len(column.categories) >= FEWEST_IN_SETS:
                    self.possible += len(column.categories)
                continue
            values, order = _sorted(table, place)
            columns.append(values)
            orders.append(order)
            n_codes.append(0)
            ordered = values[order]
            self.possible += 2.0 * (1 + np.count_nonzero(ordered[1:] != ordered[:-1])) if len(ordered) else 0.0
        # "is missing" is a column with one category, which the rows without a value have
        without = {place: table.missing(place) for place in self.features} if missing == "value" else {}
        self.absent = [place for place, lacking in without.items() if lacking.any()]
        for place in self.absent:
            columns.append(np.where(without[place], 0, -1).astype(np.int32))
            orders.append(None)
            n_codes.append(1)
            self.possible += 1.0
        self._columns = columns, orders, n_codes
        self.start_again()
        self.all_rows: Rows = np.arange(table.n_rows, dtype=np.int32)

    def start_again(self) -> None:
        """Have all rows in the lists again."""
        self.lists = RowLists(*self._columns, self.classes, self.weights)

    def class_weights(self, rows: Rows) -> NDArray[np.float64]:
        """Weight of every class among some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return np.bincount(self.classes[rows], weights, minlength=self.n_classes).astype(np.float64)

    def weigh(self, rows: Rows, positive: int) -> tuple[float, float]:
        """Weight of rows, and of those of a class."""
        of_class = self.classes[rows] == positive
        if self.weights is None:
            return float(len(rows)), float(np.count_nonzero(of_class))
        weights = self.weights[rows]
        return float(weights.sum()), float(weights[of_class].sum())

    def grow(self, rows: Rows, positive: int, measure: str, least: float, start: Body = EMPTY) -> Body:
        """Add conditions to a rule for a class, until it is perfect on these rows or nothing helps."""
        greedy = start.and_then(Body(*self.lists.grow(rows, positive, *start, MEASURES[measure], least, self.sets)))
        if self.beam_width == 1:
            return greedy
        columns = Columns(
            *self._columns,
            np.ones(self.table.n_rows) if self.weights is None else self.weights,
            measure,
            "leave-out" if self.sets else "value",
            least=least,
        )
        before = self.cover(start, rows, positive)
        inside = np.zeros(self.table.n_rows, np.bool_)
        inside[before.rows] = True
        used = start.columns[start.kinds == EQUALS].tolist()
        found = beam_search(columns, inside, self.classes == positive, self.beam_width, used)
        kinds = {"below": AT_MOST, "at-least": AT_LEAST, "in": EQUALS, "not-in": DIFFERS}
        values = {"below": lambda each: each.low, "at-least": lambda each: each.high}
        other = start.and_then(
            Body(
                np.array([each.column for each in found], np.int32),
                np.array([kinds[each.kind] for each in found], np.int32),
                np.array([values.get(each.kind, lambda each: each.codes[0])(each) for each in found], np.float64),
            )
        )
        # of equals the one found without the beam
        covers = [self.cover(body, rows, positive) for body in (greedy, other)]
        worth = [
            (float(columns.score(each.right, each.covered, before.right, before.covered)), each.right)
            if each.covered > 0
            else (-np.inf, 0.0)
            for each in covers
        ]
        return other if worth[1] > worth[0] else greedy

    def narrow(self, body: Body, rows: Rows, positive: int) -> tuple[NDArray[np.float64], NDArray[np.float64], Rows]:
        """Weight covered, and of the class covered, after each condition; and the rows that meet all."""
        return self.lists.narrow(rows, positive, *body)

    def cover(self, body: Body, rows: Rows, positive: int) -> Cover:
        """What the whole rule covers of some rows."""
        if not body.size:
            return Cover(*self.weigh(rows, positive), rows)
        covered, right, hit = self.narrow(body, rows, positive)
        return Cover(float(covered[-1]), float(right[-1]), hit)

    def without(self, rows: Rows, gone: Rows) -> Rows:
        """Rows but for some, in their order."""
        stays = np.ones(self.table.n_rows, np.bool_)
        stays[gone] = False
        return rows[stays[rows]]

    def conditions(self, body: Body) -> tuple[Condition, ...]:
        """The conditions as a model has them."""
        found: list[Condition] = []
        for column, kind, value in zip(*(each.tolist() for each in body), strict=True):
            if column >= len(self.features):
                found.append(IsMissing(self.absent[column - len(self.features)]))
                continue
            place = self.features[column]
            if kind == EQUALS:
                found.append(IsIn(place, (int(value),)))
            elif kind == DIFFERS:
                # a category that no row has is not known to belong to the set
                seen = np.unique(self.table.columns[place])
                found.append(IsIn(place, tuple(code for code in seen.tolist() if code >= 0 and code != int(value))))
            else:
                found.append(AtMost(place, value) if kind == AT_MOST else AtLeast(place, value))
        return tuple(found)


def own_order(table: Table) -> tuple[NDArray[np.intp], NDArray[np.float64] | None]:
    """Rows in an order that does not depend on the one they are in, and their weights.

    Rows are sorted by a number mixed from their target and from the ranks of their values, which are the same whatever
    the unit of a column and the names of its categories. Whole-number weights become repeated rows, unless these would
    be very many.

    Parameters
    ----------
    table : Table
        Every row has a target and a weight above zero.

    Returns
    -------
    (array of int, array of float or None)
        Row numbers, and weights in the same order; None: every row counts once.
    """
    target = table.schema.target
    assert target is not None
    truth = table.target_values()
    nominal = isinstance(table.schema.target_column, Nominal)
    mixed = _mix((truth if nominal else _ranks(table, target)).astype(np.uint64), 0)
    for number, place in enumerate(table.schema.features, start=1):
        column = table.schema.columns[place]
        if isinstance(column, Nominal) and not column.ordered:
            ranks = table.columns[place].astype(np.int64)
        else:
            ranks = _ranks(table, place)
        mixed += _mix(ranks.astype(np.uint64), number)
    weights = table.weights
    if weights is None:
        return np.argsort(mixed, kind="stable"), None
    if (weights == np.floor(weights)).all() and weights.sum() <= max(MOST_REPEATED * table.n_rows, FEW):
        rows = np.argsort(mixed, kind="stable")
        return np.repeat(rows, weights[rows].astype(np.intp)), None
    rows = np.lexsort((weights, mixed))
    return rows, np.ascontiguousarray(weights[rows])


def _mix(values: NDArray[np.uint64], number: int) -> NDArray[np.uint64]:
    """Numbers whose bits depend on all bits of the values, and on the number of the column."""
    mixed = (values + np.uint64(number << 32)) * np.uint64(MIX[0])
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(MIX[1])
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(MIX[2])
    return mixed ^ (mixed >> np.uint64(31))


def _ranks(table: Table, place: int) -> NDArray[np.int64]:
    """The rank of every row's value among those of a column, the same for equal values; -1 where there is none."""
    values, order = _sorted(table, place)
    ordered = values[order]
    ranks = np.full(table.n_rows, -1, np.int64)
    ranks[order] = np.cumsum(np.r_[0, ordered[1:] != ordered[:-1]])[: len(order)]
    return ranks


def _sorted(table: Table, place: int) -> tuple[NDArray[np.float64], NDArray[np.uint32]]:
    """A column to be cut as numbers, and its known rows by rising value; an ordered category is its code."""
    values = table.columns[place]
    if not isinstance(table.schema.columns[place], Nominal):
        return values, table.sort_order(place)
    values = np.where(values < 0, np.nan, values.astype(np.float64))
    order = np.argsort(values, kind="stable")
    return values, order[~np.isnan(values[order])].astype(np.uint32)
