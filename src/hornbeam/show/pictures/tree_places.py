"""Where the cards of a drawn tree stand: boxes tidily side by side, ticks that hang together close, as one box."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.pictures.layout import place
from hornbeam.show.pictures.svg_parts import short
from hornbeam.show.pictures.tree_boxes import PILL_GAP, pill_height
from hornbeam.show.pictures.tree_detail import FULL, SMALL, TICK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.pictures.tree_cards import Card

DOWN_GAPS = {FULL: 16.0, SMALL: 7.0, TICK: 2.0}  # between neighbors, by how they are drawn
RIGHT_GAPS = {FULL: 7.0, SMALL: 4.0, TICK: 1.8}  # the same where the tree is drawn to the right
LEVEL_GAP, EDGE = 30.0, 40.0  # between levels: downwards, to the right
LARGE_EDGE, TICK_EDGE = 26.0, 9.0  # the same in large trees, and among ticks
SLACK = 0.8  # boxes so little apart across do not stand in each other's way


def place_cards(cards: list[Card], *, down: bool) -> tuple[float, float]:
    """Give every card its place, from its size; and give the size of the whole tree.

    Parameters
    ----------
    cards : list of Card
        Parents before their children, the root first.
    down : bool
        Downwards, or to the right.

    Returns
    -------
    tuple of float
        Width and height.
    """
    _make_room_for_labels(cards, down=down)
    large = any(card.detail != FULL for card in cards)
    gaps, between = (DOWN_GAPS, LEVEL_GAP) if down else (RIGHT_GAPS, LARGE_EDGE if large else EDGE)
    for card in cards:
        for child in card.children:
            cards[child].gap = TICK_EDGE if card.detail == TICK else between
    across = [max(card.width, card.label_width) if down else card.height for card in cards]
    along = [(card.height if down else card.width) + card.lead for card in cards]
    middle, start = [0.0] * len(cards), [0.0] * len(cards)
    blocks = _blocks(cards)
    wide = [size + gaps[card.detail] for size, card in zip(across, cards, strict=True)]
    long = list(along)
    for first, block in blocks.items():
        inside = _arrange(cards, block, wide, along, TICK_EDGE)
        for box, center, at in zip(block, *inside, strict=True):
            middle[box], start[box] = center, at
        wide[first] = max(middle[box] + across[box] / 2 for box in block) + gaps[SMALL]
        long[first] = max(start[box] + along[box] for box in block)
    hidden = {box for block in blocks.values() for box in block[1:]}
    outer = [box for box in range(len(cards)) if box not in hidden]
    centers, starts = _arrange(cards, outer, wide, long, between)
    if large:
        starts = _closed_up(cards, outer, centers, [wide[box] for box in outer], [long[box] for box in outer], between)
    for box, center, at in zip(outer, centers, starts, strict=True):
        for other in blocks.get(box, [box]):
            middle[other] += center - (wide[box] / 2 if box in blocks else 0.0)
            start[other] += at
    low = min(center - size / 2 for center, size in zip(middle, across, strict=True))
    for card, center, at in zip(cards, middle, start, strict=True):
        if down:
            card.x, card.y = center - low - card.width / 2, at + card.lead
        else:
            card.x, card.y = at + card.lead, center - low - card.height / 2
    full = max(center + size / 2 for center, size in zip(middle, across, strict=True)) - low
    deep = max(at + size for at, size in zip(start, along, strict=True))
    return (full, deep) if down else (deep, full)


def edges(tree: Tree | ConceptTree, cards: list[Card], *, down: bool) -> Iterator[str]:
    """Draw the lines from every card to those below it, as thick as the branch is heavy."""
    total = float(tree.weight[0])
    for parent in cards:
        for number in parent.children:
            child = cards[number]
            share = min(float(tree.weight[child.node]) / total, 1.0) if total > 0 else 0.0
            least = 0.7 if child.detail == TICK else 1.2
            wide = short(least + 5.3 * share**0.75)
            yield f'<path data-child="{child.node}" d="{_way(parent, child, down=down)}" stroke-width="{wide}"/>'


def _way(parent: Card, child: Card, *, down: bool) -> str:
    """The line between two cards. It bends only between the levels, so that it cannot run over a larger box."""
    if down:
        x, y = short(parent.x + parent.width / 2), short(parent.y + parent.height)
        end, low = short(child.x + child.width / 2), child.y - child.lead
        bend = short(low - child.gap / 2)
        return f"M{x} {y}V{short(low - child.gap)}C{x} {bend} {end} {bend} {end} {short(low)}V{short(child.y)}"
    x, y = short(parent.x + parent.width), short(parent.y + parent.height / 2)
    left, level = child.x - child.lead, short(child.y + child.height / 2)
    bend = short(left - child.gap / 2)
    return f"M{x} {y}H{short(left - child.gap)}C{bend} {y} {bend} {level} {short(left)} {level}H{short(child.x)}"


def _make_room_for_labels(cards: list[Card], *, down: bool) -> None:
    """Before the boxes, along: to the right the same for all siblings, so that they stand below one another."""
    for card in cards:
        below = [cards[child] for child in card.children]
        widest = max((child.label_width for child in below), default=0.0)
        for child in below:
            if down:
                child.lead = pill_height(child) + PILL_GAP if child.label else 0.0
            else:
                child.lead = widest + 12 if widest else 0.0


def _blocks(cards: list[Card]) -> dict[int, list[int]]:
    """Ticks that hang together, by the first of them, parents before their children."""
    found: dict[int, list[int]] = {}
    for card in cards:
        if card.detail != TICK:
            found |= {child: [child] for child in card.children if cards[child].detail == TICK}
    for block in found.values():
        for box in block:
            block.extend(cards[box].children)  # the list grows as it is read
    return found


def _closed_up(
    cards: list[Card], boxes: list[int], centers: list[float], wide: list[float], long: list[float], between: float
) -> list[float]:
    """Where boxes start along if every family stands as near to its parent as what lies between lets it.

    Level by level: a family starts behind all boxes of earlier levels that lie in its way, so that neither boxes nor
    edges, which bend right before the family, run over one another.
    """
    where = {box: number for number, box in enumerate(boxes)}
    ends = [
        (math.ceil(center - size / 2 + SLACK), math.floor(center + size / 2 - SLACK) + 1)
        for center, size in zip(centers, wide, strict=True)
    ]
    filled = np.zeros(max(end for _, end in ends) + 1)  # by place across, how far along it is taken
    start = [0.0] * len(boxes)
    filled[slice(*ends[0])] = long[0]
    for number, box in enumerate(boxes):
        family = [where[child] for child in cards[box].children if child in where]
        if not family:
            continue
        middle = int(centers[number])
        way = slice(min(middle, ends[family[0]][0]), max(middle + 1, ends[family[-1]][1]))
        at = max(start[number] + long[number], float(filled[way].max())) + between
        filled[way] = at
        for member in family:
            start[member] = at
            filled[slice(*ends[member])] = at + long[member]
    return start


def _arrange(
    cards: list[Card], boxes: list[int], across: list[float], along: list[float], between: float
) -> tuple[list[float], list[float]]:
    """Place some of the boxes, the first of which is above all others; sizes are those of all."""
    where = {box: number for number, box in enumerate(boxes)}
    children = [[where[child] for child in cards[box].children if child in where] for box in boxes]
    return place(children, [across[box] for box in boxes], [along[box] for box in boxes], 0.0, between)
