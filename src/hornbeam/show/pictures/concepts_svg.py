"""A tree of concepts as a picture: what the rows of each node have in common, and which rows the leaves hold.

Nodes have the numbers that the text and the JSON give them. A cluster and all below it have the cluster's color.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from hornbeam.show.pictures import palette
from hornbeam.show.pictures.marks import color_of
from hornbeam.show.pictures.svg_parts import document, safe_lines, short, text_width, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.pictures.tree_boxes import BAR, HEAD, LETTERS, LINE_HEIGHT, NOTE, PAD, SMALL_PAD, measure
from hornbeam.show.pictures.tree_cards import Card, spread_out
from hornbeam.show.pictures.tree_detail import FULL, HIDDEN, SMALL, TICK, details
from hornbeam.show.pictures.tree_places import edges, place_cards
from hornbeam.show.texts.clusters.concepts_text import MOST_COLUMNS, headline, row_list, trait_words
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.model.clusters.clustering import ClusterDescription
    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.show.pictures.palette import Theme

TITLE, MARGIN = 16.0, 22.0
MOST_LEAVES_DOWN = 9  # a broader tree is drawn from left to right
MOST_NAMES, LINE_CHARS = 12, 34  # rows named in a leaf, and letters per line
PALE, LINE = 0.86, 0.25  # how pale the ground and the line of a box are


def draw(model: ConceptTree, *, max_depth: int | None = None, title: str | None = None, theme: str = "auto") -> str:
    """Draw a tree of concepts as SVG.

    Parameters
    ----------
    model : ConceptTree
        What to draw. Large trees are drawn in levels: heavy nodes in full, light ones as small boxes and ticks.
    max_depth : int, optional
        Draw no deeper.
    title : str, optional
        A heading; by default the name of the table.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page.

    Returns
    -------
    str
        The picture, as a whole SVG document. Every node is a group of the class ``node`` with its number as
        ``data-node``.
    """
    if max_depth is not None and max_depth < 0:
        msg = f"max_depth is {max_depth}; expected 0 or more, or None"
        raise ValueError(msg)
    cards = _cards(model, max_depth)
    down = sum(not card.children for card in cards) <= MOST_LEAVES_DOWN
    for card in cards:
        measure(card, model, stacked=True, down=down, histogram=False)
    wide, high = place_cards(cards, down=down)
    heading = printable(model.schema.name, NAME_LIMIT) if title is None else title
    told = headline(model)
    cluster = model.cluster_of_nodes().tolist()
    full = max(wide, text_width(heading, TITLE, bold=True), text_width(told, LETTERS))
    top = MARGIN + TITLE + 38

    def write(colors: Theme) -> str:
        lines = [
            write_text(heading, MARGIN, MARGIN + TITLE - 4, TITLE, bold=True),
            write_text(told, MARGIN, MARGIN + TITLE + 15, LETTERS, color=colors.muted),
            f'<g transform="translate({short(MARGIN + (full - wide) / 2 * down)} {short(top)})">',
            f'<g fill="none" stroke="{colors.edge}">',
            *edges(model, cards, down=down),
            "</g>",
        ]
        for card in cards:
            color = colors.muted if cluster[card.node] < 0 else color_of(cluster[card.node], colors)
            lines += _node(card, color, colors)
        return document(full + 2 * MARGIN, top + high + MARGIN, heading, [*lines, "</g>"], colors, told=told)

    return in_theme(write, theme)


def _cards(model: ConceptTree, max_depth: int | None) -> list[Card]:
    detail = details(model, max_depth)
    described = model.describe_nodes()
    cluster_of = {int(node): number for number, node in enumerate(model.clusters)}

    def make(node: int) -> Card:
        told = described[node]
        inner = bool(model.n_children[node])
        closed = inner and detail[model.first_child[node]] == HIDDEN
        size = f"{told.rows} row{'s' * (told.rows != 1)}"
        head = f"node {node}" if node not in cluster_of else f"node {node} · cluster {cluster_of[node]}"
        named = row_list(model, node, MOST_NAMES)
        figures = named if len(named) <= LINE_CHARS else size
        return Card(
            node=node,
            head=head,
            figures=f"{size}, {model.n_children[node]} below" if closed else figures or size,
            notes=_notes(model, told, named if figures == size else "") if detail[node] == FULL else [],
            label="",
            closed=closed,
            detail=int(detail[node]),
            tooltip=[f"Node {node}: {size}", *_traits(model, told, len(told.traits)), *_lines(named)],
            label_tooltip="",
        )

    return spread_out(model, make)


def _traits(model: ConceptTree, told: ClusterDescription, most: int) -> list[str]:
    return [trait_words(trait, model.schema) for trait in told.traits[:most] if trait.typical is not None]


def _notes(model: ConceptTree, told: ClusterDescription, named: str) -> list[str]:
    return [*_traits(model, told, MOST_COLUMNS), *_lines(named)]


def _lines(named: str) -> list[str]:
    return textwrap.wrap(named, LINE_CHARS) if named else []


def _node(card: Card, color: str, theme: Theme) -> Iterator[str]:
    yield f'<g class="node" data-node="{card.node}">'
    yield f"<title>{safe_lines(card.tooltip)}</title>"
    leaf = not card.children and not card.closed
    fill = palette.mix(color, theme.ground, PALE) if leaf else theme.ground
    dash = ' stroke-dasharray="4 3"' if card.closed else ""
    box = f'x="{short(card.x)}" y="{short(card.y)}" width="{short(card.width)}" height="{short(card.height)}"'
    if card.detail == TICK:
        yield f'<rect {box} fill="{color}"/>'
    else:
        line = palette.mix(color, theme.ground, LINE)
        yield f'<rect {box} rx="5" fill="{fill}" stroke="{line}" stroke-width="1.2"{dash}/>'
    if card.detail == SMALL:
        yield write_text(card.head, card.x + SMALL_PAD, card.y + 13.5, NOTE)
    if card.detail == FULL:
        x, y = card.x + PAD, card.y + PAD + HEAD - 3
        yield write_text(card.head, x, y, HEAD, bold=True)
        y += LINE_HEIGHT + 3
        yield write_text(card.figures, x, y, LETTERS, color=theme.muted)
        for note in card.notes:
            y += LINE_HEIGHT
            yield write_text(note, x, y, NOTE)
        foot = f'y="{short(card.y + card.height - PAD - BAR + 2)}" height="{short(BAR - 2)}" rx="1.5"'
        yield f'<rect x="{short(x)}" width="{short(card.width - 2 * PAD)}" {foot} fill="{color}"/>'
    yield "</g>"
