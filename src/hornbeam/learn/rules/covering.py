"""The basic covering algorithm over a table: a rule for a class is grown until it covers no other class.

`core.cover` does the work; here the columns go in, and conditions come out. A rule that was grown knows what it covered
after each condition, so that conditions can be dropped again from the last on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from hornbeam.core.rows.presort import sort_known
from hornbeam.core.rules.cover import AT_LEAST, BELOW, GAIN, IN, MISSING, SHARE, Cover, middle
from hornbeam.data.schema import Nominal
from hornbeam.learn.rules.beam import Choice, Columns, beam_search
from hornbeam.model.base.condition import AtLeast, Below, Condition, IsIn, IsMissing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.rules.cover import Step
    from hornbeam.data.table import Table

Measure = Literal["share", "gain"]
MEASURES: tuple[Measure, ...] = ("share", "gain")
Missing = Literal["fails", "value"]
MISSINGS: tuple[Missing, ...] = ("fails", "value")
NominalTests = Literal["value", "set"]
NOMINALS: tuple[NominalTests, ...] = ("value", "set")
NO_LIMIT = 2**31


@dataclass(frozen=True)
class Grown:
    """A rule as it was grown: its conditions in order, and what it covered after each.

    Parameters
    ----------
    label : int
        The class that it is for.
    conditions : tuple of Condition
        One a step; bounds on one column are not merged yet.
    right, covered : tuple of float
        Weight of the class and weight of all rows covered, before the first condition and after each.
    steps : tuple
        The same conditions as the kernel knows them.
    """

    label: int
    conditions: tuple[Condition, ...]
    right: tuple[float, ...]
    covered: tuple[float, ...]
    steps: tuple[Step, ...]

    def upto(self, length: int) -> Grown:
        """The rule with its first conditions only."""
        return Grown(
            self.label,
            self.conditions[:length],
            self.right[: length + 1],
            self.covered[: length + 1],
            self.steps[:length],
        )


class Covering:
    """The rows of a table that rules are still to be found for.

    Parameters
    ----------
    table : Table
        Every row has a class and a weight above zero.
    measure : {"share", "gain"}
        What conditions are ranked by: p/t, or p (log p/t - log P/T).
    missing : {"fails", "value"}
        A missing value fails every condition, or is one more value, that a condition can ask for.
    nominal : {"value", "set"}
        A condition asks for one category, or for one of several.
    idle : bool
        Add conditions also where they exclude no row.
    beam_width : int
        How many rules are grown side by side; 1: the best condition is added each time.
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
        self.table = table
        self.features = table.schema.features
        self._options = (GAIN if measure == "gain" else SHARE, nominal == "set", missing == "value", idle)
        target = table.schema.target_column
        assert isinstance(target, Nominal)
        numbers: list[NDArray[np.float64] | None] = []
        orders: list[NDArray[np.uint32] | None] = []
        codes: list[NDArray[np.int32] | None] = []
        n_codes: list[int] = []
        for place in self.features:
            column, values = table.schema.columns[place], table.columns[place]
            by_code = isinstance(column, Nominal) and not column.ordered and len(column.categories) > 0
            if isinstance(column, Nominal) and not by_code:  # cut between codes, or nothing but missing values
                values = np.where(values < 0, np.nan, values.astype(np.float64))
                orders.append(sort_known(values))
            else:
                orders.append(None if by_code else table.sort_order(place))
            numbers.append(None if by_code else values)
            codes.append(values if by_code else None)
            # A column without categories counts as one with a single category that no row has.
            n_codes.append(max(1, len(column.categories)) if by_code and isinstance(column, Nominal) else 0)
        self._beam_width = beam_width
        self._columns = Columns(
            [codes[i] if n_codes[i] else numbers[i] for i in range(len(n_codes))],  # type: ignore[misc]
            orders,
            n_codes,
            np.ones(table.n_rows) if table.weights is None else table.weights,
            measure,
            nominal,
            missing == "value",
        )
        self._cover = Cover(
            numbers,
            orders,
            codes,
            n_codes,
            table.target_values(),
            table.weights,
            len(target.categories),
        )

    @property
    def class_weights(self) -> NDArray[np.float64]:
        """The weight of every class among the rows left."""
        return self._cover.class_weights()

    @property
    def left(self) -> NDArray[np.int64]:
        """The rows left."""
        return self._cover.rows()

    def restore(self) -> None:
        """Start again with all rows."""
        self._cover.restore()

    def remove(self, rows: NDArray[np.int64]) -> None:
        """Take rows away that were left."""
        self._cover.remove(np.ascontiguousarray(rows, np.int64))

    def grow(self, label: int, most: int = NO_LIMIT) -> Grown:
        """Grow a rule for a class on the rows left, until it is perfect or nothing more can be asked."""
        before = self.class_weights
        steps = self._cover.grow(label, *self._options, most)
        if self._beam_width > 1:
            steps = self._side_by_side(label, steps, before)[: max(most, 0)]
        return Grown(
            label,
            tuple(self._condition(step) for step in steps),
            (float(before[label]), *(step[4] for step in steps)),
            # sums of fractions are rounded; a rule is never right about more than it covers
            (float(before.sum()), *(max(step[4], step[5]) for step in steps)),
            tuple(steps),
        )

    def _side_by_side(self, label: int, greedy: list[Step], before: NDArray[np.float64]) -> list[Step]:
        """The rule that a beam search finds, where it is worth more than the one found by the best conditions alone."""
        inside = np.zeros(self.table.n_rows, np.bool_)
        inside[self.left] = True
        found = beam_search(self._columns, inside, self.table.target_values() == label, self._beam_width)
        steps = [_step(choice) for choice in found]
        worth = [
            (float(self._columns.score(*rule[-1][4:6], before[label], before.sum())), rule[-1][4])
            if rule
            else (-np.inf, 0)
            for rule in (greedy, steps)
        ]
        return steps if worth[1] > worth[0] else greedy

    def rows(self, grown: Grown) -> NDArray[np.int64]:
        """The rows left that a rule covers, rising; all of them where it has no condition."""
        return self._cover.covered(grown.steps)

    def _condition(self, step: Step) -> Condition:
        place, relation, cut, codes = self.features[step[0]], step[1], step[2], step[3]
        if relation == BELOW:
            return Below(place, cut)
        if relation == AT_LEAST:
            return AtLeast(place, cut)
        return IsMissing(place) if relation == MISSING else IsIn(place, codes)


def _step(choice: Choice) -> Step:
    """A condition that a beam search has chosen, as the kernel says it."""
    relation = {"below": BELOW, "at-least": AT_LEAST, "in": IN, "missing": MISSING}[choice.kind]
    cut = middle(choice.low, choice.high) if relation in {BELOW, AT_LEAST} else 0.0
    return choice.column, relation, cut, choice.codes, choice.right, choice.covered
