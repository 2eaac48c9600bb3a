"""COBWEB in the manner of the program it is compared with, from its description, every utility added up anew.

Candidates that are worth the same within rounding are met all the time. What then happens is decided here by a rule,
and can be decided the other way for one such tie: where that alone makes the other program's tree, that tie is what
differs.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reference.concepts import SAME, Concept, Rows


class Remembered(Rows):
    """Rows whose worth is worked out once."""

    def worth(self, rows: list[int]) -> float:
        known: dict[frozenset[int], float] = self.__dict__.setdefault("known", {})
        key = frozenset(rows)
        if key not in known:
            known[key] = super().worth(rows)
        return known[key]


@dataclass
class Beside:
    """Rows that come in one after another; `other_way` is the number of the tie that is decided the other way."""

    rows: Rows
    other_way: int | None = None
    ties: list[float] = field(default_factory=list)  # how far apart the two were

    def tree(self, order: list[int]) -> Concept:
        root = Concept()
        for row in order:
            node: Concept | None = root
            while node is not None:
                node = self.place(node, row) if node.children else self.at_leaf(node, row)
        return root

    def greater(self, one: float, other: float, *, equal: bool = False) -> bool:
        if abs(one - other) > SAME:
            return one > other
        self.ties.append(abs(one - other))
        return equal != (len(self.ties) - 1 == self.other_way)

    def at_leaf(self, node: Concept, row: int) -> None:
        if node.rows and self.greater(self.rows.utility([node.rows, [row]]), self.rows.cutoff, equal=True):
            node.children = [Concept(list(node.rows)), Concept([row])]
        node.rows.append(row)

    def place(self, node: Concept, row: int) -> Concept | None:
        """The child that takes the row in, or None."""
        now, top = list(node.children), -1e300
        while True:
            value, kind, now, host = self.best_of(now, row)
            if not self.greater(value, top):
                break
            top, chosen, children, taken = value, kind, now, host
            if not host.children:
                break
            now = [*(child for child in now if child is not host), *host.children]
        node.rows.append(row)
        if not self.greater(top, self.rows.cutoff, equal=True):
            node.children = []
            return None
        node.children = children
        if chosen == "join":
            return taken
        if chosen == "alone":
            node.children = [*children, Concept([row])]
            return None
        *others, one, other = children
        merged = Concept(one.rows + other.rows, [one, other])
        node.children = [*others, merged]
        return merged

    def best_of(self, now: list[Concept], row: int) -> tuple[float, str, list[Concept], Concept]:
        """The best of joining, standing alone and merging; the concepts, the best two at the end; the best."""
        worth = [
            self.rows.utility([child.rows + [row] * (place == host) for place, child in enumerate(now)])
            for host in range(len(now))
        ]
        best = second = 0
        for place in range(1, len(now)):
            if self.greater(worth[place], worth[best]):
                second, best = best, place
            elif (second == best or self.greater(worth[place], worth[second])) and best != 0:
                second = place
        value, kind = worth[best], "join"
        alone = self.rows.utility([*(child.rows for child in now), [row]])
        if self.greater(alone, value, equal=True):
            value, kind = alone, "alone"
        if best == second:  # the first child is the best: it is never merged, and stays where it is
            return value, kind, now, now[best]
        if len(now) > 2:
            apart = [child.rows for place, child in enumerate(now) if place not in (best, second)]
            merged = self.rows.utility([*apart, now[best].rows + now[second].rows + [row]])
            if self.greater(merged, value):
                value, kind = merged, "merge"
        others = [child for place, child in enumerate(now) if place not in (best, second)]
        return value, kind, [*others, now[best], now[second]], now[best]


def sizes_of(concept: Concept) -> Any:
    return len(concept.rows), tuple(sorted(sizes_of(child) for child in concept.children))
