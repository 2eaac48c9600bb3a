"""COBWEB and CLASSIT as they are described, with nothing remembered: every utility is added up anew from the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

SAME = 1e-10


@dataclass
class Concept:
    rows: list[int] = field(default_factory=list)
    children: list[Concept] = field(default_factory=list)

    def shape(self) -> Any:
        return tuple(sorted(self.rows)) if not self.children else frozenset(child.shape() for child in self.children)


@dataclass
class Rows:
    """Rows of values, the number of categories of each column (0: numbers), and what counts as sharp."""

    values: list[list[float]]
    sizes: list[int]
    weights: list[float]
    acuity: float
    cutoff: float

    def worth(self, rows: list[int]) -> float:
        """The expected number of values guessed right."""
        total = 0.0
        for column, size in enumerate(self.sizes):
            known = [(self.values[row][column], self.weights[row]) for row in rows]
            known = [(value, weight) for value, weight in known if not math.isnan(value)]
            whole = sum(weight for _, weight in known)
            if size:
                shares = [sum(w for v, w in known if v == code) / whole if whole else 0.0 for code in range(size)]
                total += sum(share**2 for share in shares)
                continue
            deviation = 0.0
            if whole > 1:
                mean = sum(v * w for v, w in known) / whole
                deviation = math.sqrt(sum(w * (v - mean) ** 2 for v, w in known) / (whole - 1))
            total += 1 / (2 * math.sqrt(math.pi) * max(deviation, self.acuity))
        return total

    def weight(self, rows: list[int]) -> float:
        return sum(self.weights[row] for row in rows)

    def utility(self, parts: list[list[int]]) -> float:
        """How much better values are guessed in parts than in all of them together, per part."""
        whole = [row for part in parts for row in part]
        gain = sum(self.weight(part) / self.weight(whole) * (self.worth(part) - self.worth(whole)) for part in parts)
        return gain / len(parts)


def add(rows: Rows, concept: Concept, row: int) -> None:
    """Let a row in."""
    if not concept.children:
        if concept.rows and rows.utility([concept.rows, [row]]) >= rows.cutoff - SAME:
            concept.children = [Concept(list(concept.rows)), Concept([row])]
        concept.rows.append(row)
        return
    found = best_way(rows, concept.children, row)
    assert found is not None
    value, children, host = found
    concept.rows.append(row)
    if value < rows.cutoff - SAME:
        concept.children = []
        return
    concept.children = children
    if host is not None:
        add(rows, host, row)


def best_way(
    rows: Rows, children: list[Concept], row: int, least: float = -math.inf
) -> tuple[float, list[Concept], Concept | None] | None:
    """The best of joining a child, a child alone, two merged, and one split; what comes first wins ties.

    After a split the choice is made again among the children that there are then; None if it is no better than
    `least`, what it was before the split.
    """

    def tried(host: int) -> float:
        return rows.utility([child.rows + [row] * (place == host) for place, child in enumerate(children)])

    utilities = [tried(place) for place in range(len(children))]
    best = first_of(utilities, range(len(children)))
    value, result, host = utilities[best], children, children[best]
    found: tuple[float, list[Concept], Concept | None] = (value, result, host)
    alone = rows.utility([*(child.rows for child in children), [row]])
    if alone >= value - SAME:
        found = (alone, [*children, Concept([row])], None)
    if len(children) > 2:
        second = first_of(utilities, [place for place in range(len(children)) if place != best])
        merged = Concept(children[best].rows + children[second].rows, [children[best], children[second]])
        others = [child for place, child in enumerate(children) if place not in (best, second)]
        value = rows.utility([*(child.rows for child in others), [*merged.rows, row]])
        if value > found[0] + SAME:
            found = (value, [*others, merged], merged)
    if found[0] <= least + SAME:
        return None
    if not host.children:
        return found
    others = [child for child in children if child is not host]
    return best_way(rows, [*others, *host.children], row, found[0]) or found


def first_of(utilities: list[float], places: Any) -> int:
    chosen = -1
    for place in places:
        if chosen < 0 or utilities[place] > utilities[chosen] + SAME:
            chosen = place
    return chosen
