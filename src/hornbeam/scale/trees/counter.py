"""The counts that growing and pruning need, from partitions or from a database."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from hornbeam.scale.parts.typed import Plain
from hornbeam.scale.trees.along import Along, add_along, count_along
from hornbeam.scale.trees.bins import codings, summarize, with_least
from hornbeam.scale.trees.coded import (
    Coded,
    add_arrivals,
    add_tallies,
    count_arrivals,
    count_nodes,
    least_values,
    smaller,
)
from hornbeam.scale.trees.numbers import add_sums, count_numbers, count_squares, sum_nodes

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source
    from hornbeam.scale.trees.bins import Coding, Summary
    from hornbeam.scale.trees.coded import Tally, Way
    from hornbeam.scale.trees.numbers import Span, Sums


LOGGER = logging.getLogger("hornbeam.scale")


class Sizes(NamedTuple):
    """The number of codes of each feature, including missing, and the number of classes."""

    codes: tuple[int, ...]
    n_classes: int
    span: Span | None = None  # of a numeric target
    squares: bool = False  # whether its squares are summed too


class Counter(Protocol):
    """Counts of all rows."""

    def summary(self, most: int) -> Summary:
        """Class counts, and the distinct values of columns that have at most this many."""

    def codings(self, summary: Summary, most: int) -> tuple[Coding, ...]:
        """The codes of all features."""

    def nodes(self, way: Way, nodes: list[int], sizes: Sizes) -> dict[int, Tally]:
        """Counts of some nodes by feature, code and class."""

    def arrivals(self, way: Way) -> dict[int, int]:
        """How many rows and pieces of rows end at each node."""

    def along(self, tree: Tree, units: int) -> Along:
        """Counts at every node of a tree."""

    def largest(self, cuts: dict[int, Floats], slack: float) -> dict[int, Floats]:
        """For each cut of a column, the largest value that is not above it."""

    def close(self) -> None:
        """Forget what was kept for counting."""


class PartitionCounter:
    """Counts the rows of partitions.

    Parameters
    ----------
    source : Source
        The partitions and their executor.
    drop_empty : bool
        Whether rows without a value in any feature are left out.
    """

    def __init__(self, source: Source, *, drop_empty: bool) -> None:
        self.source = source
        self.executor: Executor = source.executor
        self.typed = replace(source.typed, drop_empty=drop_empty)
        self.rows: Handle = self.executor.load(self.typed, source.keys)
        self.coded: Handle | None = None
        self.plain: Handle | None = None

    def summary(self, most: int) -> Summary:
        """One pass over all rows."""
        return summarize(self.executor, self.rows, self.source.schema, most)

    def codings(self, summary: Summary, most: int) -> tuple[Coding, ...]:
        """The codes of all features; partitions are then cached as codes."""
        found = tuple(codings(self.executor, self.rows, self.source.schema, summary, most))
        self.coded = self.executor.load(Coded(self.typed, found), self.source.keys, keep=True)
        if all(coding.exact for coding in found):
            return found
        least: dict[str, Floats] = self.executor.map_reduce(self.coded, least_values, (), smaller)
        return tuple(with_least(coding, least.get(f"least{i}", coding.lower)) for i, coding in enumerate(found))

    def nodes(self, way: Way, nodes: list[int], sizes: Sizes) -> dict[int, Tally]:
        """One pass over the codes."""
        assert self.coded is not None
        of_numbers: Any = count_squares if sizes.squares else count_numbers
        counting: Any = count_nodes if sizes.span is None else of_numbers
        arguments = (way, frozenset(nodes), sizes.codes, sizes.n_classes if sizes.span is None else sizes.span)
        before = self.executor.received
        found: dict[int, Tally] = self.executor.map_reduce(self.coded, counting, arguments, add_tallies) or {}
        if self.executor.received > before:
            LOGGER.info("received %.1f MB of counts", (self.executor.received - before) / 1e6)
        return {node: tally.wide() for node, tally in found.items()}

    def arrivals(self, way: Way) -> dict[int, int]:
        """One pass over the codes."""
        assert self.coded is not None
        return self.executor.map_reduce(self.coded, count_arrivals, (way,), add_arrivals) or {}

    def sums(self, way: Way, span: Span) -> dict[int, Sums]:
        """Sums of a numeric target at every node; one pass over the codes."""
        assert self.coded is not None
        return self.executor.map_reduce(self.coded, sum_nodes, (way, span), add_sums) or {}

    def along(self, tree: Tree, units: int) -> Along:
        """One pass over the rows."""
        if self.plain is None:  # needed often: local processes cache the rows as memory-mapped files
            keep = self.executor.name == "local"
            self.plain = self.executor.load(Plain(self.typed), self.source.keys, keep=keep)
        found: Along = self.executor.map_reduce(self.plain, count_along, (tree, units), add_along)
        return found

    def largest(self, cuts: dict[int, Floats], slack: float) -> dict[int, Floats]:
        """One pass over some columns."""
        return self.executor.map_reduce(self.rows, largest_values, (cuts, slack), _greatest) or {}

    def close(self) -> None:
        """Release the cached partitions."""
        for handle in (self.coded, self.plain):
            if handle is not None:
                self.executor.release(handle)


def largest_of(values: Floats, middle: Floats, slack: float) -> Floats:
    """The largest of ascending values that is below `middle` plus the slack, or -inf."""
    place = np.searchsorted(values, middle + slack, side="right" if slack == 0.0 else "left")
    return np.append(-np.inf, values)[place]


def largest_values(rows: Rows, cuts: dict[int, Floats], slack: float) -> dict[int, Floats]:
    """For each cut, the largest value of a partition that is not above it."""
    found = {}
    for position, middle in cuts.items():
        values = rows.usable_column(position)
        found[position] = largest_of(np.sort(values[~np.isnan(values)]), middle, slack)
    return found


def _greatest(one: dict[int, Floats], other: dict[int, Floats]) -> dict[int, Floats]:
    return {position: np.maximum(values, other[position]) for position, values in one.items()}
