"""Growing rules on the rows of a table, for all learners that add one condition after another.

The compiled engine (`core.rules.cover`) does the work; here columns are passed to it, and conditions are returned. A
rule being grown is a tuple of the engine's steps, one per condition. `RuleGrower` grows rules on given rows; `Covering`
on all rows that no rule covers yet.

The greedy search adds the best condition each time; it misses two conditions that only help together. A beam search
(`Beam`) extends every rule by its best conditions, and keeps the best of the extended rules, as many as the width of
the beam.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.rules.cover import (
    AT_LEAST,
    AT_MOST,
    BELOW,
    GAIN,
    IDLE,
    IN,
    LEAVE_OUT,
    MISSING,
    MOST_ROWS,
    NOT_IN,
    OWN_MISSING,
    SETS,
    SHARE,
    SMOOTHED_GAIN,
    STRICT,
    Cover,
    middle,
)
from hornbeam.data.schema import Nominal
from hornbeam.learn.rules.row_order import own_order, sorted_values
from hornbeam.model.base.condition import AtLeast, AtMost, Below, Condition, IsIn, IsMissing

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32, Ints64, Uints32
    from hornbeam.core.rules.cover import Step
    from hornbeam.data.table import Table

    Rows = Ints32
    Steps = tuple[Step, ...]

Measure = Literal["share", "gain"]
Missing = Literal["fails", "value"]
NominalTests = Literal["value", "set"]
MISSINGS: tuple[Missing, ...] = ("fails", "value")
NOMINALS: tuple[NominalTests, ...] = ("value", "set")
COVERING_MEASURES: tuple[Measure, ...] = ("share", "gain")
MEASURES = {"smoothed-gain": SMOOTHED_GAIN, "gain": GAIN, "share": SHARE}
NOTHING = 1e-9  # weights and scores that differ by less are equal
FEWEST_IN_SETS = 3  # with two categories, excluding one means testing for the other


class Grower:
    """The engine for the columns of a table, and the conversion of its conditions to those of models.

    Parameters
    ----------
    table : Table
        Every row has a class.
    weights : array or None
        Row weights; None: every row counts once.
    absent : list of int
        Columns for which "is missing" becomes an additional column.
    indexed : bool
        Whether rules are grown on all rows that no rule covers yet.
    """

    def __init__(self, table: Table, weights: Floats | None, absent: list[int], *, indexed: bool) -> None:
        schema = table.schema
        target = schema.target_column
        assert isinstance(target, Nominal)
        self.table, self.weights, self.absent = table, weights, absent
        self.features = list(schema.features)
        self.n_classes = len(target.categories)
        columns: list[AnyArray] = []
        orders: list[Uints32 | None] = []
        n_codes: list[int] = []
        for place in self.features:
            column, values, order = schema.columns[place], table.columns[place], None
            by_code = isinstance(column, Nominal) and not column.ordered
            if not by_code:
                values, order = sorted_values(table, place)
            columns.append(values)
            orders.append(order)
            # a column without categories is treated as one with a single category that no row has
            n_codes.append(max(len(column.categories), 1) if by_code and isinstance(column, Nominal) else 0)
        # "is missing" may be a column with one category, which the rows without a value have
        for place in absent:
            columns.append(np.where(table.missing(place), 0, -1).astype(np.int32))
            orders.append(None)
            n_codes.append(1)
        self.engine = Cover(columns, orders, n_codes, table.target_values(), weights, self.n_classes, indexed)
        self._columns, self._orders = columns, orders

    def conditions(self, steps: Steps) -> tuple[Condition, ...]:
        """The conditions in the form of models."""
        return tuple(map(self._condition, steps))

    def _condition(self, step: Step) -> Condition:
        column, relation, cut, codes = step[:4]
        if column >= len(self.features):
            return IsMissing(self.absent[column - len(self.features)])
        place = self.features[column]
        if relation == MISSING:
            return IsMissing(place)
        if relation == NOT_IN:
            # categories without rows do not belong to the set
            seen = np.unique(self.table.columns[place])
            return IsIn(place, tuple(code for code in seen.tolist() if code >= 0 and code != codes[0]))
        if relation == IN:
            return IsIn(place, codes)
        if relation == AT_LEAST:
            return AtLeast(place, cut)
        return AtMost(place, cut) if relation == AT_MOST else Below(place, cut)


@dataclass(frozen=True)
class Covered:
    """The coverage of a rule: the weight of all rows and of its class, and the rows."""

    covered: float
    right: float
    rows: Rows

    @property
    def wrong(self) -> float:
        """The covered weight of other classes."""
        return self.covered - self.right


class RuleGrower(Grower):
    """The rows of a table for learners that grow rules on some rows and prune them on others.

    Rows are sorted in a fixed order, and whole-number weights become repeated rows, so that later random draws depend
    neither on the order of rows nor on whether a row occurs twice or has weight 2.

    Parameters
    ----------
    table : Table
        Every row has a class and a weight above zero.
    as_given : bool
        Keep the order of the rows, and weights as weights.
    missing : {"fails", "value"}
        Whether a row with a missing value fails every condition on the column, or "is missing" is a condition too.
    nominal : {"value", "set"}
        Whether a condition tests for one category, or may also exclude one; several then leave a set of them.
    beam_width : int
        The number of rules grown in parallel; 1: the best condition is added each time.
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
        with_gaps = [place for place in table.schema.features if table.missing(place).any()]
        super().__init__(table, weights, with_gaps if missing == "value" else [], indexed=False)
        self.classes: Rows = np.ascontiguousarray(table.target_values(), np.int32)
        self.all_rows: Rows = np.arange(table.n_rows, dtype=np.int32)
        self.beam_width = beam_width
        self._choices = LEAVE_OUT if nominal == "set" else 0
        self.possible = float(sum(map(self._n_conditions, range(len(self._columns)))))

    def _n_conditions(self, at: int) -> int:
        """The number of possible conditions on a column."""
        values, order = self._columns[at], self._orders[at]
        if at >= len(self.features):
            return 1
        if order is None:
            column = self.table.schema.columns[self.features[at]]
            n_codes = len(column.categories) if isinstance(column, Nominal) else 0
            return 2 * n_codes if self._choices and n_codes >= FEWEST_IN_SETS else n_codes
        ordered = values[order]
        return 2 * (1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))) if len(ordered) else 0

    def class_weights(self, rows: Rows) -> Floats:
        """Weight of every class among some rows."""
        weights = None if self.weights is None else self.weights[rows]
        return np.bincount(self.classes[rows], weights, minlength=self.n_classes).astype(np.float64)

    def weigh(self, rows: Rows, label: int) -> tuple[float, float]:
        """Weight of rows, and of those of a class."""
        of_class = self.classes[rows] == label
        if self.weights is None:
            return float(len(rows)), float(np.count_nonzero(of_class))
        weights = self.weights[rows]
        return float(weights.sum()), float(weights[of_class].sum())

    def grow(self, rows: Rows, label: int, measure: str, least: float, start: Steps = ()) -> Steps:
        """Add conditions to a rule for a class, until it is perfect on these rows or no condition improves it."""
        choices = self._choices | STRICT
        greedy = (*start, *self.engine.grow(label, MEASURES[measure], choices, MOST_ROWS, least, rows, start))
        if self.beam_width == 1:
            return greedy
        before = self.cover(start, rows, label)
        beam = Beam(self.engine, label, measure, self._choices, self.beam_width, least, at_values=True)
        other = beam_search(beam, before.rows, before.right, before.covered, start)
        # on a tie the one found without the beam
        covers = [self.cover(steps, rows, label) for steps in (greedy, other)]
        worth = [beam.worth(each.right, each.covered, before.right, before.covered) for each in covers]
        return other if worth[1] > worth[0] else greedy

    def narrow(self, steps: Steps, rows: Rows, label: int) -> tuple[Floats, Floats, Rows]:
        """The covered weight, and that of the class, after each condition; and the rows that meet all conditions."""
        return self.engine.narrow(rows, label, steps)

    def cover(self, steps: Steps, rows: Rows, label: int) -> Covered:
        """The coverage of the whole rule on some rows."""
        if not steps:
            return Covered(*self.weigh(rows, label), rows)
        covered, right, hit = self.narrow(steps, rows, label)
        return Covered(float(covered[-1]), float(right[-1]), hit)

    def without(self, rows: Rows, gone: Rows) -> Rows:
        """Rows except some, in their order."""
        stays = np.ones(self.table.n_rows, np.bool_)
        stays[gone] = False
        return rows[stays[rows]]


@dataclass(frozen=True)
class Grown:
    """A rule as it was grown: its conditions in order, and its coverage after each."""

    label: int  # the class that it is for
    conditions: tuple[Condition, ...]  # one for each step; bounds on one column are not merged yet
    # right, covered: weight of the class and weight of all rows covered, before the first condition and after each
    right: tuple[float, ...]
    covered: tuple[float, ...]
    steps: Steps  # the same conditions in the form of the engine

    def upto(self, length: int) -> Grown:
        """The rule with only its first conditions."""
        end = length + 1
        return Grown(self.label, self.conditions[:length], self.right[:end], self.covered[:end], self.steps[:length])


class Covering(Grower):
    """The rows of a table that no rule covers yet.

    Parameters
    ----------
    table : Table
        Every row has a class and a weight above zero.
    measure : {"share", "gain"}
        How conditions are ranked: by p/t, or by p (log p/t - log P/T).
    missing : {"fails", "value"}
        A missing value fails every condition, or is one more value that a condition can test for.
    nominal : {"value", "set"}
        A condition tests for one category, or for one of several.
    idle : bool
        Also add conditions that exclude no row.
    beam_width : int
        The number of rules grown in parallel; 1: the best condition is added each time.
    """

    def __init__(
        self,
        table: Table,
        *,
        measure: Measure = "share",
        missing: Missing = "fails",
        nominal: NominalTests = "value",
        idle: bool = False,
        beam_width: int = 1,
    ) -> None:
        super().__init__(table, table.weights, [], indexed=True)
        self._measure, self._beam_width = measure, beam_width
        self._choices = SETS * (nominal == "set") | OWN_MISSING * (missing == "value") | IDLE * idle

    @property
    def class_weights(self) -> Floats:
        """The weight of every class among the remaining rows."""
        return self.engine.class_weights()

    @property
    def left(self) -> Ints64:
        """The remaining rows."""
        return self.engine.rows()

    def grow(self, label: int, most: int = MOST_ROWS) -> Grown:
        """Grow a rule for a class on the remaining rows, until it is perfect or no condition can be added."""
        before = self.class_weights
        right, covered = float(before[label]), float(before.sum())
        steps = tuple(self.engine.grow(label, MEASURES[self._measure], self._choices, most))
        if self._beam_width > 1:
            beam = Beam(self.engine, label, self._measure, self._choices, self._beam_width)
            other = beam_search(beam, self.left.astype(np.int32), right, covered)
            worth = [beam.worth(*(rule[-1][4:] if rule else (0.0, 0.0)), right, covered) for rule in (steps, other)]
            steps = (other if worth[1] > worth[0] else steps)[: max(most, 0)]
        return Grown(
            label,
            self.conditions(steps),
            (right, *(step[4] for step in steps)),
            # sums of fractions are rounded; the weight of the class is at most the covered weight
            (covered, *(max(step[4], step[5]) for step in steps)),
            steps,
        )

    def rows(self, grown: Grown) -> Ints64:
        """The remaining rows that a rule covers, ascending; all of them if it has no conditions."""
        return self.engine.covered(grown.steps)


@dataclass(frozen=True)
class Beam:
    """The settings of the search."""

    engine: Cover
    label: int  # the class that the rule is for
    measure: str  # {"share", "gain", "smoothed-gain"}
    choices: int  # the possible conditions, as in `Cover.grow`
    width: int  # the number of rules that are kept
    least: float = 0.0  # a condition must leave at least this much weight of the class
    at_values: bool = False  # cuts at values, not at midpoints

    def score(self, right: Any, covered: Any, of_class: float, total: float) -> Any:
        """The measure of conditions with `right` of `covered`, given `of_class` of `total` before."""
        if self.measure == "share":
            return right / covered
        added = 1.0 if self.measure == "smoothed-gain" else 0.0
        return right * (np.log2((right + added) / (covered + added)) - np.log2((of_class + added) / (total + added)))

    def worth(self, right: float, covered: float, of_class: float, total: float) -> tuple[float, float]:
        """The key for comparing rules: the measure, then the weight of the class."""
        return (float(self.score(right, covered, of_class, total)), right) if covered > 0 else (-np.inf, 0.0)

    def best_steps(self, steps: Steps, rows: Rows, right: float, covered: float) -> list[Step]:
        """The best conditions for a rule, best first; none if it is perfect or cannot be improved."""
        if covered - right <= NOTHING:
            return []
        offered = self.engine.candidates(rows, self.label, self.choices, steps)
        if offered is None:
            return []
        p, t = offered["p"], np.maximum(offered["t"], NOTHING)
        fits = (p > NOTHING) & (p >= self.least - NOTHING) & (t < covered - NOTHING)
        fits &= p * covered >= right * t * (1.0 - NOTHING)
        offered, p, t = offered[fits], p[fits], t[fits]
        # on a tie the first column, and lower bounds before upper bounds
        column, relation = offered["column"], offered["relation"]
        numeric = np.isin(column, column[relation <= AT_LEAST])
        side = np.where(relation == AT_LEAST, 1, np.where((relation == MISSING) & numeric, 2, 0))
        ranked = np.lexsort((side, column, -p, -self.score(p, t, right, covered)))
        return [self.step(offered[at]) for at in ranked[: self.width]]

    def step(self, chosen: Any) -> Step:
        """A condition in the form of `Cover.grow`."""
        column, relation, n_codes = int(chosen["column"]), int(chosen["relation"]), int(chosen["n_codes"])
        codes = (int(chosen["code"]),) if n_codes == 1 else self.engine.ranked(column, n_codes)
        cut = 0.0
        if relation in {BELOW, AT_LEAST}:
            low, high = float(chosen["low"]), float(chosen["high"])
            cut = (low if relation == BELOW else high) if self.at_values else middle(low, high)
            relation = AT_MOST if self.at_values and relation == BELOW else relation
        return column, relation, cut, codes, float(chosen["p"]), float(chosen["t"])


def beam_search(beam: Beam, rows: Rows, right: float, covered: float, start: Steps = ()) -> Steps:
    """Grow a rule.

    Parameters
    ----------
    beam : Beam
    rows : array of int
        Rows to grow on.
    right, covered : float
        The weight of the class in them, and of all of them.
    start : tuple of Step
        Conditions that the rule already has, which these rows meet.

    Returns
    -------
    tuple of Step
        The conditions of the best of the rules that cannot be extended: with the greatest accuracy (on a tie, the most
        weight of the class), or the most information gain on these rows.
    """
    members, best, best_worth = [(start, rows, right, covered)], start, (-np.inf, 0.0)
    while members:
        continued: list[tuple[tuple[float, float], Rows, Steps]] = []
        for steps, inside, p, t in members:
            more = beam.best_steps(steps, inside, p, t)
            continued += [(beam.worth(*each[4:], right, covered), inside, (*steps, each)) for each in more]
            worth = beam.worth(p, t, right, covered)
            if not more and len(steps) > len(start) and worth > best_worth:
                best, best_worth = steps, worth
        continued.sort(key=lambda each: each[0], reverse=True)  # on a tie the first
        members, seen = [], set()
        for _, inside, steps in continued:
            _, _, kept = beam.engine.narrow(inside, beam.label, steps[-1:])
            if (key := kept.tobytes()) not in seen:  # the order of conditions does not matter for coverage
                seen.add(key)
                members.append((steps, kept, *steps[-1][4:]))
            if len(members) == beam.width:
                break
    return best
