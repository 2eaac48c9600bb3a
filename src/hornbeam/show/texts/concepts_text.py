"""A tree of concepts as text: each node's size, its worth as a division, and what sets its rows apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.show.texts.indented import ASCII, UNICODE
from hornbeam.show.texts.traits import name_of, typical
from hornbeam.show.texts.wording import short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.clustering import ClusterDescription, Trait
    from hornbeam.model.concepts import ConceptTree

MOST_COLUMNS = 3  # told of a node
MOST_NODES = 60  # drawn where no depth is asked for


def write(model: ConceptTree, *, plain: bool = False, max_depth: int | None = None) -> str:
    """Write the tree, no deeper than asked for, or than there is room for a few dozen nodes."""
    if max_depth is None:
        depth = model.depth
        fits = [deep for deep in range(int(depth.max()) + 1) if (depth <= deep).sum() <= MOST_NODES]
        max_depth = max([1, *fits])
    told = model.describe_nodes()
    many, leaves = model.n_nodes, int((model.n_children == 0).sum())
    utility = short_number(model.category_utility())
    size = f"{told[0].rows} row{'s' * (told[0].rows != 1)} in {many} concept{'s' * (many != 1)}"
    lines = [f"{size}, {leaves} of them leaves; category utility {utility}", ""]
    draw = ASCII if plain else UNICODE
    stack: list[tuple[int, str, str]] = [(0, "", "")]
    while stack:
        node, before, below = stack.pop()
        lines.append(before + _words(told[node], model.schema) + _left_out(model, node, max_depth))
        if model.depth[node] >= max_depth:
            continue
        first, n = int(model.first_child[node]), int(model.n_children[node])
        for place in range(n - 1, -1, -1):
            mark, after = (draw.last, draw.blank) if place == n - 1 else (draw.middle, draw.through)
            stack.append((first + place, below + mark, below + after))
    written = "\n".join(lines)
    return written.replace(" ± ", " +- ").replace(" … ", " ... ") if plain else written


def _words(told: ClusterDescription, schema: Schema) -> str:
    size = f"{told.rows} row{'s' * (told.rows != 1)}"
    traits = [_trait(trait, schema) for trait in told.traits[:MOST_COLUMNS] if trait.typical is not None]
    return f"{size}: {', '.join(traits)}" if traits else size


def _trait(trait: Trait, schema: Schema) -> str:
    return f"{name_of(trait)}{' =' * isinstance(trait.typical, str)} {typical(trait, schema)}"


def _left_out(model: ConceptTree, node: int, max_depth: int) -> str:
    n = int(model.n_children[node])
    return f" … {n} below" if n and model.depth[node] >= max_depth else ""
