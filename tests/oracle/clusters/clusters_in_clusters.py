"""Answers of other programs about clusters: trees of concepts, and joinings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from reference.concepts_beside import Beside, Remembered

import hornbeam
from hornbeam import Cobweb, HierarchicalClustering, Numeric
from hornbeam.learn.compat.weka import JavaRandom, shuffled

if TYPE_CHECKING:
    from hornbeam.model.clusters.concepts import ConceptTree

# Sets where trees differ (see exceptions.py) by one tie, which the other program's rounding decides. The number of the
# tie; see reference/concepts_beside.py. For the others, fuzz/against_weka.py shows that the trees are the same until a
# tie.
TIES = {"iris": 1, "zoo": 35, "haberman": 2, "lymph": 80}
SAME = 1e-7  # heights are printed with about eight digits
LINKAGES = {"single": "single", "complete": "complete", "average": "average", "ward.D2": "ward"}


def printed_shape(text: str) -> Any:
    """The tree printed, as sizes in sizes; a parent's line is printed again before each child."""
    size: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    above: list[int] = []
    for line in text.splitlines():
        found = re.match(r"^((?:\|   )*)(?:node|leaf) (\d+) +\[(\d+)\]$", line)
        if found is None:
            continue
        depth, node = len(found[1]) // 4, int(found[2])
        del above[depth:]
        if node not in size:
            size[node] = int(found[3])
            if above:
                children.setdefault(above[-1], []).append(node)
        above.append(node)

    def shape(node: int) -> Any:
        return size[node], tuple(sorted(shape(child) for child in children.get(node, [])))

    return shape(0)


def shape_of(tree: ConceptTree) -> Any:
    """Our tree in the same form."""
    found: list[Any] = [None] * tree.n_nodes
    for node in range(tree.n_nodes - 1, -1, -1):
        first = int(tree.first_child[node])
        below = found[first : first + int(tree.n_children[node])] if tree.n_children[node] else []
        found[node] = (int(tree.weight[node]), tuple(sorted(below)))
    return found[0]


def without_last(data: str) -> Any:
    """The table as the clusterers saw it: without its last column."""
    table = hornbeam.read(evidence.arff(data))
    return table.select(list(range(len(table.schema.columns) - 1)))


def by_the_book(data: str, other_way: int | None = None) -> Beside:
    """Rows as that program meets them, all decisions by its description; see `Beside`."""
    table, plain = without_last(data), Cobweb()
    sizes = [0 if isinstance(column, Numeric) else len(column.categories) for column in table.schema.columns]
    columns = [np.where(a < 0, np.nan, a) if size else a for a, size in zip(table.columns, sizes, strict=True)]
    values = np.array(columns, np.float64).T.tolist()
    return Beside(Remembered(values, sizes, [1.0] * table.n_rows, plain.acuity, plain.cutoff), other_way)


def shuffled_rows(data: str) -> list[int]:
    return list(map(int, shuffled(without_last(data).n_rows, JavaRandom(42))))


def concepts(data: str) -> Cobweb:
    return Cobweb(compat="weka", level=None).fit(without_last(data))


def joinings(scheme: str, data: str) -> tuple[HierarchicalClustering, np.ndarray]:
    """Our joinings of the numeric columns, each scaled to 0 to 1, and the matrix they were made of."""
    table = without_last(data)
    numeric = [place for place, column in enumerate(table.schema.columns) if isinstance(column, Numeric)]
    matrix = np.array([table.columns[place] for place in numeric]).T
    width = np.ptp(matrix, axis=0)
    scaled = (matrix - matrix.min(axis=0)) / np.where(width > 0, width, 1.0)
    how = LINKAGES[scheme.removeprefix("hclust-")]
    return HierarchicalClustering(3, linkage=how, numeric="as-is").fit(scaled), scaled


def replayed(matrix: np.ndarray, pairs: np.ndarray, how: str) -> tuple[np.ndarray, bool]:
    """Heights by the definition, and whether two pairs were equally near; an error if a nearer pair was not joined."""
    n = len(matrix)
    apart = np.sqrt(((matrix[:, np.newaxis] - matrix) ** 2).sum(axis=2))
    power = 2 if how == "ward" else 1
    apart = apart**power
    np.fill_diagonal(apart, np.inf)
    place, size = list(range(n)), np.ones(n)
    heights, tied = np.empty(n - 1), False
    for i, (one, other) in enumerate(pairs):
        a, b = place[one], place[other]
        least = apart.min()
        assert apart[a, b] <= least + SAME, "another pair was nearer"
        tied |= int((apart <= least + SAME).sum()) > 2
        heights[i] = apart[a, b] ** (1 / power)
        new = {
            "single": np.minimum(apart[a], apart[b]),
            "complete": np.maximum(apart[a], apart[b]),
            "average": (size[a] * apart[a] + size[b] * apart[b]) / (size[a] + size[b]),
            "ward": ((size[a] + size) * apart[a] + (size[b] + size) * apart[b] - size * apart[a, b])
            / (size[a] + size[b] + size),
        }[how]
        apart[a] = apart[:, a] = np.where(np.isfinite(apart[a]) & np.isfinite(apart[b]), new, np.inf)
        apart[a, a] = np.inf
        apart[b] = apart[:, b] = np.inf
        size[a] += size[b]
        place.append(a)
    return heights, tied
