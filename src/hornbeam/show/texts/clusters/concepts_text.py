"""A tree of concepts as text: each node's number and size, what distinguishes its rows, and the rows of the leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural
from hornbeam.show.texts.traits import name_of, typical
from hornbeam.show.texts.trees.indented import ASCII, UNICODE
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.clustering import ClusterDescription, Trait
    from hornbeam.model.clusters.concepts import ConceptTree

MOST_COLUMNS = 3  # listed per node
MOST_ROWS = 6  # named in a leaf
MOST_NODES = 60  # drawn if no depth is requested


def write(model: ConceptTree, *, plain: bool = False, max_depth: int | None = None) -> str:
    """Write the tree down to the requested depth, by default down to a few dozen nodes."""
    if max_depth is None:
        depth = model.depth
        fits = [deep for deep in range(int(depth.max()) + 1) if (depth <= deep).sum() <= MOST_NODES]
        max_depth = max([1, *fits])
    text = model.describe_nodes()
    lines = [headline(model), ""]
    draw = ASCII if plain else UNICODE
    stack: list[tuple[int, str, str]] = [(0, "", "")]
    while stack:
        node, before, below = stack.pop()
        lines.append(before + _words(model, node, text[node]) + _left_out(model, node, max_depth))
        if model.depth[node] >= max_depth:
            continue
        first, n = int(model.first_child[node]), int(model.n_children[node])
        for place in range(n - 1, -1, -1):
            mark, after = (draw.last, draw.blank) if place == n - 1 else (draw.middle, draw.through)
            stack.append((first + place, below + mark, below + after))
    written = "\n".join(lines)
    return written.replace(" ± ", " +- ").replace(" … ", " ... ") if plain else written


def headline(model: ConceptTree) -> str:
    """Report the size of the tree and the category utility of the division at its root."""
    rows, many, leaves = int(model.profile.rows[-1]), model.n_nodes, int((model.n_children == 0).sum())
    size = f"{plural(rows, 'row')} in {plural(many, 'concept')}"
    return f"{size}, {leaves} of them leaves; category utility {short_number(model.category_utility())}"


def row_list(model: ConceptTree, node: int, most: int) -> str:
    """Name the rows of a leaf, no more than `most` of them; empty if they are not known."""
    names = [printable(name, NAME_LIMIT) for name in model.row_names(node)]
    if not names:
        return ""
    more = f", … {len(names) - most} more" if len(names) > most else ""
    noun = "" if model.names is not None else "row " if len(names) == 1 else "rows "
    return f"{noun}{', '.join(names[:most])}{more}"


def trait_words(trait: Trait, schema: Schema) -> str:
    """Report a column's typical value."""
    return f"{name_of(trait)}{' =' * isinstance(trait.typical, str)} {typical(trait, schema)}"


def _words(model: ConceptTree, node: int, text: ClusterDescription) -> str:
    """Number, size and rows of a node, and its most informative columns."""
    size = plural(text.rows, "row")
    named = row_list(model, node, MOST_ROWS)
    if named:
        size = named if model.names is None else f"{size}: {named}"
    traits = [trait_words(trait, model.schema) for trait in text.traits[:MOST_COLUMNS] if trait.typical is not None]
    return f"{node} ({size}){': ' * bool(traits)}{', '.join(traits)}"


def _left_out(model: ConceptTree, node: int, max_depth: int) -> str:
    n = int(model.n_children[node])
    return f" … {n} below" if n and model.depth[node] >= max_depth else ""
