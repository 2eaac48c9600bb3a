"""A dendrogram as text: the upper part of the tree, each node's size and height, and the typical values of its columns.

The columns of every node are listed by how much they differ from all other rows; `columns` writes those of one node as
a table, by mean and by mean relative to the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural
from hornbeam.show.texts.traits import elsewhere, name_of, number_of, whole_percent
from hornbeam.show.texts.trees.indented import ASCII, UNICODE
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.clustering import Trait
    from hornbeam.model.clusters.dendrogram import Dendrogram

MOST_LEAVES = 12  # branches of the upper part
MOST_COLUMNS = 2  # reported on a node's line


def upper(model: Dendrogram, leaves: int) -> set[int]:
    """The nodes whose two children are drawn: the last merges."""
    n = model.n_rows
    return set(range(n + max(0, n - leaves), 2 * n - 1))


def write(model: Dendrogram, *, plain: bool = False, leaves: int | None = None) -> str:
    """Write the upper part of the tree, down to as many branches as requested (or as there are clusters)."""
    wanted = max(MOST_LEAVES if leaves is None else leaves, 1)
    opened = upper(model, max(wanted, 0 if leaves is not None else model.n_clusters))
    cluster, root, n = model.cluster_of_nodes, 2 * model.n_rows - 2, model.n_rows
    lines = [headline(model), ""]
    draw = ASCII if plain else UNICODE
    stack: list[tuple[int, str, str]] = [(root, "", "")]
    while stack:
        node, before, below = stack.pop()
        parts = [node_name(model, node)]
        if cluster[node] >= 0:
            parts.append(f"cluster {cluster[node]}")
        text = (
            [words(c, model.schema) for c in model.columns_of(node)[:MOST_COLUMNS] if c.apart] if node != root else []
        )
        lines.append(before + ", ".join(parts) + (f": {'; '.join(text)}" if text else ""))
        if node in opened:
            one, other = (int(part) for part in model.pairs[node - n])
            stack += [(other, below + draw.last, below + draw.blank), (one, below + draw.middle, below + draw.through)]
    return "\n".join(lines)


def headline(model: Dendrogram) -> str:
    """Report how many rows were clustered, how, and where the tree is cut."""
    n, k = model.n_rows, model.n_clusters
    how = "divided top-down" if model.linkage == "top-down" else f"{model.linkage} linkage"
    where = f"cut at height {short_number(model.height)}" if model.height is not None else "cut"
    return f"{plural(n, 'row')}, {how}; {where}: {plural(k, 'cluster')}"


def node_name(model: Dendrogram, node: int) -> str:
    """Name a node: a row, counted from 1, or a merge with its number, its rows and its height."""
    if not 0 <= node < 2 * model.n_rows - 1:
        last = 2 * model.n_rows - 2
        msg = f"there is no node {node}; rows are nodes 0 to {model.n_rows - 1}, merges go up to {last}, the whole tree"
        raise ValueError(msg)
    if node < model.n_rows:
        return f"row {node + 1}"
    height = short_number(float(model.heights[node - model.n_rows]))
    return f"node {node}, {int(model.sizes[node])} rows, height {height}"


def words(trait: Trait, schema: Schema) -> str:
    """One column at a node as text: its typical value there, and elsewhere."""
    if trait.distinctive is None or trait.distinctive_share is None:
        assert isinstance(trait.typical, float)
        return f"{name_of(trait)} {number_of(trait, trait.typical, schema)} ({elsewhere(trait, schema)})"
    there = whole_percent(trait.distinctive_rest or 0.0)
    return f"{_label(trait, trait.distinctive)} {whole_percent(trait.distinctive_share)} ({there} elsewhere)"


def _label(trait: Trait, category: str | float | None) -> str:
    return f"{name_of(trait)} = {printable(category, NAME_LIMIT)}" if isinstance(category, str) else name_of(trait)


def columns(model: Dendrogram, node: int) -> str:
    """Write all columns of a node: on the left by mean, on the right by the mean relative to the rest.

    For a nominal column, the left side has the most frequent category, the right side the one whose proportion differs
    most.
    """
    schema = model.schema
    text = [trait for trait in model.columns_of(node) if trait.typical is not None]

    def mean(trait: Trait) -> float:
        return trait.spread if isinstance(trait.typical, str) else float(trait.typical or 0.0)

    def shown(trait: Trait) -> str:
        return short_number(trait.spread) if isinstance(trait.typical, str) else number_of(trait, mean(trait), schema)

    left = [f"{shown(trait):>10}  {_label(trait, trait.typical)}" for trait in sorted(text, key=lambda t: -mean(t))]
    right = [
        f"{trait.apart:>+8.2f} sd  {_label(trait, trait.distinctive)}" for trait in sorted(text, key=lambda t: -t.apart)
    ]
    room = max(map(len, [*left, "by mean"]))
    head = f"{'by mean':<{room}}   relative to the rest"
    return "\n".join([head, *(f"{a:<{room}}   {b}" for a, b in zip(left, right, strict=True))])
