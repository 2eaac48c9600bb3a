"""A tree of concepts as a picture: what the rows of each node have in common, and which rows the leaves hold.

Nodes have the same numbers as in the text and the JSON. A cluster and all below it have the cluster's color.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural
from hornbeam.show.pictures import palette
from hornbeam.show.pictures.marks import color_of
from hornbeam.show.pictures.svg_parts import MARGIN, TEXT, box, document, heading, safe_lines, short, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.pictures.tree_boxes import BAR, HEAD, LETTERS, LINE_HEIGHT, NOTE, PAD, SMALL_PAD, measure
from hornbeam.show.pictures.tree_cards import Card, spread_out
from hornbeam.show.pictures.tree_detail import FULL, HIDDEN, SMALL, TICK, levels_of_detail
from hornbeam.show.pictures.tree_places import edges, place_cards
from hornbeam.show.texts.clusters.concepts_text import MOST_COLUMNS, headline, row_list, trait_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.model.clusters.clustering import ClusterDescription
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.show.pictures.palette import Theme

MOST_LEAVES_DOWN = 9  # a broader tree is drawn from left to right
MOST_NAMES, LINE_CHARS = 12, 34  # rows named in a leaf, and characters per line
PALE, LINE = 0.86, 0.25  # how pale the fill and the outline of a box are


def draw(model: ConceptTree, *, max_depth: int | None = None, title: str | None = None, theme: str = "auto") -> str:
    """Draw a tree of concepts as SVG.

    Parameters
    ----------
    model : ConceptTree
        What to draw. In large trees, heavy nodes are drawn in full, light ones as small boxes and ticks.
    max_depth : int, optional
        Draw no deeper.
    title : str, optional
        The title; by default the name of the table.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.

    Returns
    -------
    str
        A complete SVG document. Every node is a group of the class ``node`` with its number as
        ``data-node``.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth is {max_depth}; expected 0 or more, or None")
    cards = _cards(model, max_depth)
    down = sum(not card.children for card in cards) <= MOST_LEAVES_DOWN
    for card in cards:
        measure(card, model, stacked=True, down=down, histogram=False)
    wide, high = place_cards(cards, down=down)
    title = printable(model.schema.name, NAME_LIMIT) if title is None else title
    subtitle = headline(model)
    cluster = model.cluster_of_nodes().tolist()

    def write(colors: Theme) -> str:
        lines, y, right = heading(title, subtitle, colors)
        full, top = max(wide, right - MARGIN), y + 1.8 * TEXT
        lines += [
            f'<g transform="translate({short(MARGIN + (full - wide) / 2 * down)} {short(top)})">',
            f'<g fill="none" stroke="{colors.edge}">',
            *edges(model, cards, down=down),
            "</g>",
        ]
        for card in cards:
            color = colors.muted if cluster[card.node] < 0 else color_of(cluster[card.node], colors)
            lines += _node(card, color, colors)
        size = full + 2 * MARGIN, top + high + MARGIN
        return document(*size, title, [*lines, "</g>"], colors, description=subtitle)

    return in_theme(write, theme)


def _cards(model: ConceptTree, max_depth: int | None) -> list[Card]:
    detail = levels_of_detail(model, max_depth)
    described = model.describe_nodes()
    cluster_of = {int(node): number for number, node in enumerate(model.clusters)}

    def make(node: int) -> Card:
        rows = described[node].rows
        inner = bool(model.n_children[node])
        closed = inner and detail[model.first_child[node]] == HIDDEN
        size = plural(rows, "row")
        head = f"node {node}" if node not in cluster_of else f"node {node} · cluster {cluster_of[node]}"
        named = row_list(model, node, MOST_NAMES)
        details = named if len(named) <= LINE_CHARS else size
        notes = [*_traits(model, described[node], MOST_COLUMNS), *(_lines(named) if details == size else [])]
        return Card(
            node=node,
            head=head,
            details=f"{size}, {model.n_children[node]} below" if closed else details or size,
            notes=notes if detail[node] == FULL else [],
            label="",
            closed=closed,
            detail=int(detail[node]),
            tooltip=[f"Node {node}: {size}", *_traits(model, described[node]), *_lines(named)],
            label_tooltip="",
        )

    return spread_out(model, make)


def _traits(model: ConceptTree, description: ClusterDescription, most: int | None = None) -> list[str]:
    return [trait_words(trait, model.schema) for trait in description.traits[:most] if trait.typical is not None]


def _lines(named: str) -> list[str]:
    return textwrap.wrap(named, LINE_CHARS) if named else []


def _node(card: Card, color: str, theme: Theme) -> Iterator[str]:
    yield f'<g class="node" data-node="{card.node}">'
    yield f"<title>{safe_lines(card.tooltip)}</title>"
    leaf = not card.children and not card.closed
    fill = palette.mix(color, theme.ground, PALE) if leaf else theme.ground
    dash = ' stroke-dasharray="4 3"' if card.closed else ""
    shape = box(card.x, card.y, card.width, card.height)
    if card.detail == TICK:
        yield f'<rect {shape} fill="{color}"/>'
    else:
        line = palette.mix(color, theme.ground, LINE)
        yield f'<rect {shape} rx="5" fill="{fill}" stroke="{line}" stroke-width="1.2"{dash}/>'
    if card.detail == SMALL:
        yield write_text(card.head, card.x + SMALL_PAD, card.y + 13.5, NOTE)
    if card.detail == FULL:
        x, y = card.x + PAD, card.y + PAD + HEAD - 3
        yield write_text(card.head, x, y, HEAD, bold=True)
        y += LINE_HEIGHT + 3
        yield write_text(card.details, x, y, LETTERS, color=theme.muted)
        for note in card.notes:
            y += LINE_HEIGHT
            yield write_text(note, x, y, NOTE)
        foot = box(x, card.y + card.height - PAD - BAR + 2, card.width - 2 * PAD, BAR - 2)
        yield f'<rect {foot} rx="1.5" fill="{color}"/>'
    yield "</g>"
