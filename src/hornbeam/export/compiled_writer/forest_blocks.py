"""Tables of forests for blocks of rows: values become counts of cuts, and tests compare these."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hornbeam.export.compiled_writer.models import Plain
    from hornbeam.export.compiled_writer.tables import Tables

MOST_LEAVES = 64  # of a tree whose tests are all done for a block of rows; in larger trees each row walks
CODE_BITS = (8, 16, 32)  # sizes of integers
GROUP = 16  # cuts that are compared with a value at once
BLOCK_BYTES = 1 << 16  # size of the values of a block of rows
MOST_BLOCK, LEAST_BLOCK = 256, 16


class _Slots:
    """Where the values of columns are placed in a block.

    A column that is cut has one place for missing values above all cuts, one for missing values below, or both.
    """

    def __init__(self, plain: Plain, nodes: list[int]) -> None:
        found: dict[int, set[float]] = {}
        self.places: dict[tuple[int, bool], int] = {}  # by column and whether missing values are above
        for node in nodes:
            if not isinstance(plain["tests"][node], list):
                column, above = plain["column"][node], bool(plain["missing"][node])
                found.setdefault(column, set()).add(float(plain["tests"][node]))
                self.places.setdefault((column, above), len(self.places))
        self.cuts = {column: sorted(cuts) for column, cuts in sorted(found.items())}
        self.ranks = {column: {cut: rank for rank, cut in enumerate(cuts)} for column, cuts in self.cuts.items()}
        self.most_cuts = max(map(len, self.cuts.values()), default=0)

    def test(self, plain: Plain, node: int) -> tuple[int, int]:
        """Return the number of the cut among those of its column, and the place of the values."""
        column = plain["column"][node]
        return self.ranks[column][float(plain["tests"][node])], self.places[column, bool(plain["missing"][node])]

    def tables(self) -> tuple[list[tuple[int, ...]], list[float]]:
        """Return the record of every column, and the cuts: those of many are in groups, followed by their last cuts."""
        rows: list[tuple[int, ...]] = []
        listed: list[float] = []
        for column, cuts in self.cuts.items():
            grouped = _grouped(cuts) if len(cuts) >= GROUP else cuts
            marks = _grouped(grouped[GROUP - 1 :: GROUP]) if len(cuts) >= GROUP else []
            above, below = (self.places.get((column, above), -1) for above in (True, False))
            rows.append((column, len(listed), len(grouped), len(marks), above, below))
            listed += [*grouped, *marks]
        return rows, listed


def _grouped(cuts: list[float]) -> list[float]:
    """Return cuts in full groups, with at least one infinity, which no value is above, at the end."""
    return cuts + [math.inf] * (GROUP - len(cuts) % GROUP)


def block_tables(tables: Tables, plain: Plain, leaves: list[list[int]]) -> tuple[Any, ...]:
    """Return the fields of a forest for blocks of rows."""
    trees = list(pairwise((*plain["roots"], len(plain["first"]))))
    inner = [
        [node for node in range(root, stop) if plain["first"][node] >= 0] if len(own) <= MOST_LEAVES else []
        for (root, stop), own in zip(trees, leaves, strict=True)
    ]
    slots = _Slots(plain, [node for own in inner for node in own])
    first_leaf = _first_leaves(plain["first"], leaves)
    tests: list[tuple[int, ...]] = []
    first_test = [0]
    for own in inner:
        for node in own:  # parents come before their children
            is_set = isinstance(plain["tests"][node], list)
            cut, slot = (0, -1 - node) if is_set else slots.test(plain, node)
            tests.append((cut, first_leaf[node], first_leaf[plain["first"][node] + 1], slot))
        first_test.append(len(tests))
    bits = next(bits for bits in CODE_BITS if slots.most_cuts < 1 << bits)
    tables.need("forests", CODE_BITS=bits, SLOTS=len(slots.places))
    columns, cuts = slots.tables()
    return (
        tables.records("test", tests, "tests"),
        tables.integers(first_test, "first_test"),
        *tables.length(len(slots.cuts)),
        tables.records("slot", columns, "slots"),
        tables.reals(cuts, "cuts"),
    )


def block_rows(sizes: dict[str, int]) -> int:
    """Return how many rows a block has: as many as fit in the cache."""
    row_bytes = sizes["SLOTS"] * sizes["CODE_BITS"] // 8 + 8 * sizes["OUTPUTS"]
    rows = MOST_BLOCK
    while rows > LEAST_BLOCK and rows * row_bytes > BLOCK_BYTES:
        rows //= 2
    return rows


def _first_leaves(first: list[int], leaves: list[list[int]]) -> list[int]:
    """Return for every node the first leaf below it, counted from the left in its tree."""
    found = [0] * len(first)
    for own in leaves:
        for place, node in enumerate(own):
            found[node] = place
    for node in range(len(first) - 1, -1, -1):  # children follow their parent
        if first[node] >= 0:
            found[node] = found[first[node]]
    return found
