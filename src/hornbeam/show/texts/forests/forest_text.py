"""A forest as text: how many trees of what size, how they answer together, and which columns they go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.indices import offsets
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number, width

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.forests.forest import Forest

HOW = {"mean": "the mean of", "sum": "the sum of"}
LINKS = {"identity": "", "logistic": ", by the logistic function", "softmax": ", by softmax", "exp": ", exponentiated"}
MOST_COLUMNS = 20  # of which the importance is told
BAR = 24  # characters of the longest bar


def write(forest: Forest, *, plain: bool = False) -> str:
    """Write what a forest is, and the importance of its columns, greatest first; `plain`: without block characters."""
    leaves = np.diff(offsets(forest.first_child < 0)[forest.roots])
    depth = depths(forest)
    name = printable(forest.schema.target_column.name, NAME_LIMIT)
    count = plural(forest.n_trees, "tree")
    lines = [
        f"{name}: {HOW[forest.combine]} {count}{LINKS[forest.link]}",
        f"leaves: {forest.n_leaves} in all, {_range(leaves)} a tree; depth {_range(depth)}",
    ]
    shares = importance_by_name(forest)
    if any(shares.values()):
        lines += ["", "importance: share of what the splits gained", *_bars(shares, "#" if plain else "█")]
    return "\n".join(lines)


def importance_by_name(forest: Forest) -> dict[str, float]:
    """Each column's share of what all splits gained, by name, greatest first (equal ones in the schema's order)."""
    names = [forest.schema.columns[position].name for position in forest.schema.features]
    found = forest.importance()
    return {names[place]: float(found[place]) for place in np.argsort(-found, kind="stable")}


def depths(forest: Forest) -> NDArray[np.int64]:
    """Give the most splits on a way through each tree."""
    depth = np.zeros(forest.n_trees, np.int64)
    level, tree = forest.roots[:-1], np.arange(forest.n_trees)
    while len(level):
        inner = forest.first_child[level] >= 0
        first, tree = forest.first_child[level[inner]].astype(np.int64), tree[inner]
        depth[tree] += 1  # one more, and only once a tree, however often it is listed
        level, tree = np.concatenate([first, first + 1]), np.concatenate([tree, tree])
    return depth


def _range(values: NDArray[np.int64]) -> str:
    low, high = int(values.min()), int(values.max())
    return str(low) if low == high else f"{low} to {high}"


def _bars(shares: dict[str, float], mark: str) -> list[str]:
    told = [(printable(name, NAME_LIMIT), share) for name, share in list(shares.items())[:MOST_COLUMNS]]
    room = max(width(name) for name, _ in told)
    most = max(share for _, share in told)
    lines = [
        f"  {name}{' ' * (room - width(name))}  {short_number(round(share, 4)):>6}  {mark * round(BAR * share / most)}"
        for name, share in told
    ]
    left = len(shares) - len(told)
    return [line.rstrip() for line in lines] + ([f"  ... {left} more"] if left else [])
