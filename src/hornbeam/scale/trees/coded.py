"""Partitions as codes, and the paths of their rows down a tree whose splits are tables from codes to branches.

Weights of pieces of rows (a row with a missing value goes down every branch) are integer multiples of a small unit, so
that their sums do not depend on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hornbeam.model.trees.split import FRACTIONAL, LEAST_SHARE

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32, Ints64
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows, Typed
    from hornbeam.scale.trees.bins import Coding

UNIT_BITS = 28  # a row has 2 to this power units, if rows may be divided


@dataclass(frozen=True)
class Coded:
    """A loader: from a key to the codes of a partition, one array per feature, and its target.

    For intervals, there is also the smallest value of each.
    """

    typed: Typed
    codings: tuple[Coding, ...]

    def __call__(self, key: Key) -> dict[str, AnyArray]:
        """The codes of a partition."""
        rows = self.typed(key)
        block = {}
        for i, coding in enumerate(self.codings):
            values = rows.usable_column(coding.position)
            block[f"f{i}"] = coding.encode(values)
            if not coding.exact:
                block[f"least{i}"] = coding.least(values, block[f"f{i}"])
        target = rows.schema.target
        assert target is not None
        values = rows.usable_column(target)
        block["target"] = values if values.dtype.kind == "f" else values.astype(np.int32)
        return block


def least_values(block: Mapping[str, AnyArray]) -> dict[str, Floats]:
    """The smallest value of each interval."""
    return {name: np.asarray(values) for name, values in block.items() if name.startswith("least")}


def smaller(one: dict[str, Floats], other: dict[str, Floats]) -> dict[str, Floats]:
    """The smaller values of both."""
    return {name: np.minimum(values, other[name]) for name, values in one.items()}


class RowsAsCoded(Mapping[str, Any]):
    """Rows with the interface of a block of codes; a column is coded when it is needed."""

    def __init__(self, rows: Rows, codings: tuple[Coding, ...]) -> None:
        self.rows, self.codings = rows, codings
        self.known: dict[str, AnyArray] = {}

    def __getitem__(self, name: str) -> AnyArray:
        if name not in self.known:
            if name == "target":
                assert self.rows.schema.target is not None
                self.known[name] = self.rows.usable_column(self.rows.schema.target)
            else:
                coding = self.codings[int(name[1:])]
                self.known[name] = coding.encode(self.rows.usable_column(coding.position))
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter([f"f{i}" for i in range(len(self.codings))])

    def __len__(self) -> int:
        return len(self.codings)


Forks = Callable[[int, "Indices"], "tuple[Ints32, int, int, Floats] | None"]


class Fork(NamedTuple):
    """A split in the form that workers use."""

    feature: int
    branches: Ints32  # by code; -1: the value is missing
    first_child: int
    missing: int  # a branch, FRACTIONAL, or STOP (such rows stop here)
    shares: Floats  # by branch


Arrivals = Iterator[tuple[int, "Indices", "Ints64 | None"]]


def walk(n_rows: int, forks: Forks, units: int) -> Arrivals:
    """Send rows down a tree: yield every node with its rows and their units (None: each row counts once).

    Parameters
    ----------
    n_rows : int
        All of them start at node 0.
    forks : callable
        From a node and its rows to the branch of each, the first child, the policy for rows without a branch, and the
        branches' fractions; None at a leaf.
    units : int
        The number of units per row.
    """
    waiting: list[tuple[int, Indices, Ints64 | None]] = [(0, np.arange(n_rows), None)]
    while waiting:
        node, rows, weight = waiting.pop()
        yield node, rows, weight
        found = forks(node, rows)
        if found is None:
            continue
        branch, first_child, missing, shares = found
        lost = np.flatnonzero(branch < 0)
        if missing >= 0:
            branch[lost] = missing
        for b, share in enumerate(shares.tolist()):
            there = np.flatnonzero(branch == b)
            heavy = weight if weight is None else weight[there]
            if len(lost) and missing == FRACTIONAL and share > LEAST_SHARE:
                whole = np.full(len(lost), units, np.int64) if weight is None else weight[lost]
                pieces = np.rint(whole * share).astype(np.int64)
                heavy = np.full(len(there), units, np.int64) if heavy is None else heavy
                there, heavy = np.concatenate([there, lost]), np.concatenate([heavy, pieces])
            if len(there):
                waiting.append((first_child + b, rows[there], heavy))


@dataclass(frozen=True)
class Way:
    """The splits so far, by node, and the number of units per row."""

    forks: dict[int, Fork] = field(default_factory=dict)
    units: int = 1

    def visits(self, block: Mapping[str, AnyArray]) -> Arrivals:
        """Every node that rows reach, with these rows and their units (None: each row counts once)."""

        def forks(node: int, rows: Indices) -> tuple[Ints32, int, int, Floats] | None:
            fork = self.forks.get(node)
            if fork is None:
                return None
            return fork.branches[block[f"f{fork.feature}"][rows]], fork.first_child, fork.missing, fork.shares

        return walk(len(block["target"]), forks, self.units)

    def arrivals(self, block: Mapping[str, AnyArray]) -> Arrivals:
        """The same for the nodes that are not split."""
        return (visit for visit in self.visits(block) if visit[0] not in self.forks)


class Tally(NamedTuple):
    """Counts at a node: rows and pieces of rows, and units by feature, code and class, one feature after another."""

    rows: int
    units: AnyArray  # of any integer type
    # of a numeric target, in units: see `numbers`
    total: int = 0
    squares: int = 0

    def plus(self, other: Tally) -> Tally:
        """Sums of both."""
        units = np.add(self.units, other.units, dtype=np.int64)
        return Tally(self.rows + other.rows, units, self.total + other.total, self.squares + other.squares)

    def compact(self) -> Tally:
        """The same with the smallest integers that hold the counts, as workers send them."""
        return self._replace(units=self.units.astype(np.min_scalar_type(int(self.units.max(initial=0)))))

    def wide(self) -> Tally:
        """The same with integers of 64 bits."""
        return self._replace(units=self.units.astype(np.int64, copy=False))


def count_nodes(
    block: Mapping[str, AnyArray], way: Way, nodes: frozenset[int], codes: tuple[int, ...], n_classes: int
) -> dict[int, Tally]:
    """Count the rows of some nodes; `codes` is the number of codes of each feature, including missing."""
    found: dict[int, Tally] = {}
    for node, rows, weight in way.arrivals(block):
        if node not in nodes:
            continue
        everything = len(rows) == len(block["target"]) and weight is None
        classes = block["target"] if everything else block["target"][rows]
        tables = []
        for feature, n_codes in enumerate(codes):
            column = block[f"f{feature}"]
            cell = (column if everything else column[rows]) * np.int64(n_classes) + classes
            if weight is None:
                tables.append(np.bincount(cell, minlength=n_codes * n_classes) * way.units)
            else:  # sums of integers below 2 to the 53rd are exact
                tables.append(np.bincount(cell, weight, minlength=n_codes * n_classes).astype(np.int64))
        found[node] = Tally(len(rows), np.concatenate(tables)).compact()
    return found


def add_tallies(one: dict[int, Tally], other: dict[int, Tally]) -> dict[int, Tally]:
    """Sums of the counts of both."""
    for node, tally in other.items():
        one[node] = one[node].plus(tally) if node in one else tally
    return one


def count_arrivals(block: Mapping[str, AnyArray], way: Way) -> dict[int, int]:
    """How many rows and pieces of rows end at each node."""
    return {node: len(rows) for node, rows, _ in way.arrivals(block)}


def add_arrivals(one: dict[int, int], other: dict[int, int]) -> dict[int, int]:
    """Sums of both."""
    return {node: one.get(node, 0) + other.get(node, 0) for node in {*one, *other}}
