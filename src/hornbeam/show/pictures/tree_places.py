"""Positions of the cards of a drawn tree: boxes side by side, connected ticks close together, as one box."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.show.pictures.svg_parts import short
from hornbeam.show.pictures.tree_boxes import PILL_GAP, pill_height
from hornbeam.show.pictures.tree_detail import FULL, SMALL, TICK

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.pictures.tree_cards import Card

DOWN_GAPS = {FULL: 16.0, SMALL: 7.0, TICK: 2.0}  # distance between neighbors, by level of detail
RIGHT_GAPS = {FULL: 7.0, SMALL: 4.0, TICK: 1.8}  # the same where the tree is drawn to the right
LEVEL_GAP, EDGE = 30.0, 40.0  # distance between levels: downwards, to the right
LARGE_EDGE, TICK_EDGE = 26.0, 9.0  # the same in large trees, and among ticks
SLACK = 0.8  # overlaps up to this size are ignored


def place_cards(cards: list[Card], *, down: bool) -> tuple[float, float]:
    """Set the position of every card, from its size; return the size of the whole tree.

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
    """Draw the lines from every card to those below it, thicker for branches with more weight."""
    total = float(tree.weight[0])
    for parent in cards:
        for number in parent.children:
            child = cards[number]
            share = min(float(tree.weight[child.node]) / total, 1.0) if total > 0 else 0.0
            least = 0.7 if child.detail == TICK else 1.2
            wide = short(least + 5.3 * share**0.75)
            yield f'<path data-child="{child.node}" d="{_way(parent, child, down=down)}" stroke-width="{wide}"/>'


def _way(parent: Card, child: Card, *, down: bool) -> str:
    """The line between two cards. It bends only between the levels, so that it cannot cross a larger box."""
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
    """Leave space for labels before the boxes; to the right the same for all siblings, so that they are aligned."""
    for card in cards:
        below = [cards[child] for child in card.children]
        widest = max((child.label_width for child in below), default=0.0)
        for child in below:
            if down:
                child.lead = pill_height(child) + PILL_GAP if child.label else 0.0
            else:
                child.lead = widest + 12 if widest else 0.0


def _blocks(cards: list[Card]) -> dict[int, list[int]]:
    """Connected ticks, by the first of them, parents before their children."""
    blocks: dict[int, list[int]] = {}
    for card in cards:
        if card.detail != TICK:
            blocks |= {child: [child] for child in card.children if cards[child].detail == TICK}
    for block in blocks.values():
        for box in block:
            block.extend(cards[box].children)  # the list grows while it is read
    return blocks


def _closed_up(
    cards: list[Card], boxes: list[int], centers: list[float], wide: list[float], long: list[float], between: float
) -> list[float]:
    """Where boxes start in the direction of levels, with the children of every box as close to it as possible.

    Level by level: children start behind all boxes of earlier levels that they would overlap, so that neither boxes nor
    edges, which bend right before the children, cross one another.
    """
    where = {box: number for number, box in enumerate(boxes)}
    ends = [
        (math.ceil(center - size / 2 + SLACK), math.floor(center + size / 2 - SLACK) + 1)
        for center, size in zip(centers, wide, strict=True)
    ]
    filled = np.zeros(max(end for _, end in ends) + 1)  # by position among siblings: how far it is occupied
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
    """Place some of the boxes, the first of which is above all others; sizes are given for all."""
    where = {box: number for number, box in enumerate(boxes)}
    children = [[where[child] for child in cards[box].children if child in where] for box in boxes]
    return place_boxes(children, [across[box] for box in boxes], [along[box] for box in boxes], 0.0, between)


@dataclass
class _Outline:
    """Left and right ends of a subtree on every level, the deepest first; all moved right by `shift`."""

    left: list[float]
    right: list[float]
    shift: float = 0.0


def place_boxes(
    children: Sequence[Sequence[int]], across: Sequence[float], along: Sequence[float], gap: float, level_gap: float
) -> tuple[list[float], list[float]]:
    """Place boxes so that none overlap: parents above the middle of their children, subtrees close together.

    After Reingold and Tilford, *Tidier Drawings of Trees*, IEEE Transactions on Software Engineering 7 (1981), for
    boxes of any size: each subtree has an outline, level by level, and neighbors are moved apart until their outlines
    do not touch. Children come after their parent, so one backward pass is enough, without recursion.

    Parameters
    ----------
    children : sequence of sequences of int
        The boxes below every box, in order; box 0 is the root, and children have greater numbers than their parent.
    across, along : sequences of float
        The sizes of the boxes: in the direction of siblings, and in the direction of levels.
    gap, level_gap : float
        Distance between neighbors, and between levels.

    Returns
    -------
    middle, start : lists of float
        The middle of every box in the direction of siblings (the smallest left end is 0), and where it starts in the
        direction of levels.

    Examples
    --------
    >>> place_boxes([[1, 2], [], []], [10, 20, 20], [5, 5, 5], gap=4, level_gap=3)
    ([22.0, 10.0, 34.0], [0.0, 8.0, 8.0])
    """
    offset = _offsets(children, across, gap)
    middle, level = [0.0] * len(children), [0] * len(children)
    for box, below in enumerate(children):
        for child in below:
            middle[child] = middle[box] + offset[child]
            level[child] = level[box] + 1
    first = min(center - size / 2 for center, size in zip(middle, across, strict=True))
    tallest = [0.0] * (max(level) + 1)
    for box, depth in enumerate(level):
        tallest[depth] = max(tallest[depth], along[box])
    starts = [0.0]
    for height in tallest[:-1]:
        starts.append(starts[-1] + height + level_gap)
    return [center - first for center in middle], [starts[depth] for depth in level]


def _offsets(children: Sequence[Sequence[int]], across: Sequence[float], gap: float) -> list[float]:
    """How far the middle of every box is to the right of its parent's."""
    offset = [0.0] * len(children)
    outlines: dict[int, _Outline] = {}
    for box in range(len(children) - 1, -1, -1):
        half = across[box] / 2
        below = children[box]
        if not below:
            outlines[box] = _Outline([-half], [half])
            continue
        group = outlines.pop(below[0])
        for child in below[1:]:
            group, offset[child] = _beside(group, outlines.pop(child), gap)
        middle = offset[below[-1]] / 2
        for child in below:
            offset[child] -= middle
        group.shift -= middle
        group.left.append(-half - group.shift)
        group.right.append(half - group.shift)
        outlines[box] = group
    return offset


def _beside(one: _Outline, other: _Outline, gap: float) -> tuple[_Outline, float]:
    """Place one subtree to the right of another; return their common outline and how far it was moved."""
    shared = min(len(one.left), len(other.left))
    moved = gap + max(one.right[-k] + one.shift - other.left[-k] - other.shift for k in range(1, shared + 1))
    other.shift += moved
    # The deeper outline is kept and only its shared levels are changed, so that all merges together take linear time.
    if len(other.left) > len(one.left):
        for k in range(1, shared + 1):
            other.left[-k] = one.left[-k] + one.shift - other.shift
        return other, moved
    for k in range(1, shared + 1):
        one.right[-k] = other.right[-k] + other.shift - one.shift
    return one, moved
