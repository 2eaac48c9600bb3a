"""A dendrogram as text: the upper part of the tree, each node's size and height, and what its columns are like.

Every node tells its columns by how much they differ from all other rows; `columns` writes one node's as a table, by
mean and by mean relative to the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.show.indented import ASCII, UNICODE
from hornbeam.show.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.model.dendrogram import Dendrogram, NodeColumn

MOST_LEAVES = 12  # branches of the upper part
MOST_COLUMNS = 2  # told on a node's line


def upper(model: Dendrogram, leaves: int) -> set[int]:
    """The nodes whose two parts are drawn: the last joinings."""
    n = model.n_rows
    return set(range(n + max(0, n - leaves), 2 * n - 1))


def write(model: Dendrogram, *, plain: bool = False, leaves: int | None = None) -> str:
    """Write the upper part of the tree, down to as many branches as asked for (or as there are clusters)."""
    wanted = max(MOST_LEAVES if leaves is None else leaves, 1)
    opened = upper(model, max(wanted, 0 if leaves is not None else model.n_clusters))
    labels, root, n = model.labels, 2 * model.n_rows - 2, model.n_rows
    how = "parted top-down" if model.linkage == "top-down" else f"{model.linkage} linkage"
    where = f"cut at height {short_number(model.height)}" if model.height is not None else "cut"
    lines = [f"{n} rows, {how}; {where}: {model.n_clusters} cluster{'s' * (model.n_clusters != 1)}", ""]
    draw = ASCII if plain else UNICODE
    stack: list[tuple[int, str, str]] = [(root, "", "")]
    while stack:
        node, before, below = stack.pop()
        rows = model.rows_of(node)
        numbers = sorted({int(label) for label in labels[rows]})
        parts = [f"{len(rows)} row{'s' * (len(rows) != 1)}"]
        if node >= n:
            parts.append(f"height {short_number(float(model.heights[node - n]))}")
        if len(numbers) == 1:
            parts.append(f"cluster {numbers[0]}")
        told = [words(c) for c in model.columns_of(node)[:MOST_COLUMNS] if c.apart] if node != root else []
        lines.append(before + ", ".join(parts) + (f": {'; '.join(told)}" if told else ""))
        if node in opened:
            one, other = (int(part) for part in model.pairs[node - n])
            stack += [(other, below + draw.last, below + draw.blank), (one, below + draw.middle, below + draw.through)]
    return "\n".join(lines)


def words(column: NodeColumn) -> str:
    """One column at a node in words: its mean, and that of the rest."""
    name = printable(column.column, NAME_LIMIT)
    if column.category is not None:
        name += f" = {printable(column.category, NAME_LIMIT)}"
    return f"{name} {short_number(column.mean)} (rest {short_number(column.rest)})"


def columns(model: Dendrogram, node: int) -> str:
    """Write all columns of a node: on the left by mean, on the right by the mean relative to the rest."""
    told = model.columns_of(node)
    by_mean = sorted(told, key=lambda column: -column.mean)
    by_share = sorted(told, key=lambda column: -column.apart)

    def label(column: NodeColumn) -> str:
        name = printable(column.column, NAME_LIMIT)
        return name if column.category is None else f"{name} = {printable(column.category, NAME_LIMIT)}"

    left = [f"{short_number(column.mean):>10}  {label(column)}" for column in by_mean]
    right = [f"{column.apart:>+8.2f} sd  {label(column)}" for column in by_share]
    room = max(map(len, [*left, "by mean"]))
    head = f"{'by mean':<{room}}   relative to the rest"
    return "\n".join([head, *(f"{a:<{room}}   {b}" for a, b in zip(left, right, strict=True))])
