"""What a learner that keeps some of the rows remembers between rows: those kept, their records, ranges and weights.

Rows are seen one after another by a compiled kernel; to go on later gives the same as to go through all rows at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.core.neighbors.keep import KeptTree, Policy, Seen, keep
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.model.neighbors.distance import Distance
from hornbeam.model.neighbors.instances import ANSWERING, NOISY, WAITING, Instances
from hornbeam.model.neighbors.scales import is_number, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Wholes = NDArray[np.int64]

Learned = Literal["none", "all", "class"]
LEARNED: tuple[Learned, ...] = ("none", "all", "class")  # in the kernel's order
KEPT, DROPPED = 1, 2
NO_STEPS = -1.0  # to the kernel: weights change by means


@dataclass(frozen=True)
class Keeping:
    """How rows are kept.

    Parameters
    ----------
    records : bool
        Whether kept rows have records, by which they answer or are dropped.
    accept, reject : float
        Chance (one-sided) that a record's limits are passed without cause: to answer, and to be dropped.
    learned : {"none", "all", "class"}
        Which weights of columns are learned.
    rate : float, optional
        The size of fixed steps by which weights change; None: weights are by how much the mean evidence for a column,
        over all rows seen, is above one half.
    """

    records: bool = False
    accept: float = 0.05
    reject: float = 0.125
    learned: Learned = "none"
    rate: float | None = None


@dataclass(frozen=True, eq=False)
class Memory:
    """What is known after some rows."""

    kept: Table
    rows: Wholes  # numbers of the kept rows among all that were seen
    right: Wholes  # by kept row: how often it was right, of how often it was tried
    tried: Wholes
    answers: NDArray[np.bool_]  # whether its record lets it answer
    noisy: Wholes  # numbers of the rows dropped
    low: Floats  # ranges of the features; NaN: no value yet
    high: Floats
    weight: Floats  # sets of weights x features
    evidence: Floats  # 2 x sets x features: summed evidence that columns are telling, and the most that it could be
    class_count: Wholes
    n_seen: int
    n_compared: int = 0  # kept rows that were held against rows seen: the work that was done
    tree: KeptTree | None = None  # of the kept rows, where they can be found by one

    @classmethod
    def empty(cls, table: Table, keeping: Keeping) -> Memory:
        """Nothing known yet of a table's columns."""
        target = table.schema.target_column
        assert isinstance(target, Nominal)
        none, n = np.empty(0, np.int64), len(table.schema.features)
        sets = len(target.categories) if keeping.learned == "class" else 1
        unknown = np.full(n, np.nan)
        # All rows answer with the same weights: they can be found by a tree.
        with_tree = not keeping.records and keeping.learned == "none"
        return cls(
            table.take(none), none, none, none, np.empty(0, np.bool_), none, unknown, unknown,
            np.ones((sets, n)), np.ones((2, sets, n)), np.zeros(len(target.categories), np.int64), 0,
            tree=KeptTree() if with_tree else None,
        )  # fmt: skip

    def after(self, table: Table, keeping: Keeping) -> Memory:
        """What is known after more rows, which have the same columns."""
        first = self.kept.n_rows
        pairs = zip(self.kept.columns, table.columns, strict=True)
        whole = Table(table.schema, [np.concatenate(pair) for pair in pairs], copy=False)
        low, high, weight, evidence = (a.copy() for a in (self.low, self.high, self.weight, self.evidence))
        counts = self.class_count.copy()
        nominal = np.array([not is_number(table.schema.columns[place]) for place in table.schema.features], np.int8)
        normal = NormalDist()
        policy = Policy(
            LEARNED.index(keeping.learned), NO_STEPS if keeping.rate is None else keeping.rate, keeping.records,
            normal.inv_cdf(1 - keeping.accept), normal.inv_cdf(1 - keeping.reject),
        )  # fmt: skip
        seen = Seen(low, high, weight, evidence, counts, self.n_seen)
        kept, right, tried, answers, became, compared, tree = keep(
            _values(whole), whole.target_values(), nominal, first, seen, policy, self.right, self.tried, self.tree
        )
        number = np.concatenate([self.rows, self.n_seen + np.arange(table.n_rows)])
        dropped = number[became == DROPPED]
        return Memory(
            whole.take(kept), number[kept], right, tried, answers, np.sort(np.concatenate([self.noisy, dropped])),
            low, high, weight, evidence, counts, self.n_seen + table.n_rows, self.n_compared + compared, tree,
        )  # fmt: skip

    def model(self, keeping: Keeping, recipe: dict[str, Any]) -> Instances:
        """The rows that answer: with records those accepted, or all kept ones where none is."""
        only_some = keeping.records and self.answers.any()
        rows = self.kept.take(self.answers) if only_some else self.kept
        known = ~np.isnan(self.low)
        distance = replace(
            Distance.of(rows),
            center=np.where(known, self.low, 0.0),
            width=np.where(known, self.high - self.low, 0.0),
            weight=self.weight[0] ** 2 if keeping.learned == "all" else np.ones(len(self.low)),
        )
        by_class = self.weight**2 if keeping.learned == "class" else None
        seen = {**recipe, "rows_seen": self.n_seen, "rows_kept": self.kept.n_rows}
        state = np.where(self.answers, ANSWERING, WAITING) if only_some else np.full(len(self.rows), ANSWERING)
        seen_as = np.array(
            [np.concatenate([self.rows, self.noisy]), np.concatenate([state, np.full(len(self.noisy), NOISY)])],
            np.int64,
        ).T
        return Instances(
            rows.schema, rows, distance, 1, all_tied=False, class_columns=by_class, recipe=seen,
            seen_as=np.ascontiguousarray(seen_as),
        )  # fmt: skip


def _values(table: Table) -> Floats:
    """Features as one matrix, codes as numbers; NaN: missing."""
    schema = table.schema
    values = np.empty((table.n_rows, len(schema.features)))
    for f, place in enumerate(schema.features):
        column = schema.columns[place]
        codes_or_numbers = table.columns[place]
        if is_number(column):
            values[:, f] = numbers_of(column, codes_or_numbers)
        else:
            values[:, f] = np.where(codes_or_numbers < 0, np.nan, codes_or_numbers)
    return values
