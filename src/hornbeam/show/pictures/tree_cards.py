"""The texts of a drawn tree: a card for every node. Positions are set elsewhere."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hornbeam.data.in_words import plural, shortened, with_commas
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.criterion import standard_deviation
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS, FRACTIONAL, STOP
from hornbeam.show.pictures.tree_detail import FULL, HIDDEN, SMALL, TICK
from hornbeam.show.texts.linear.equations import equation_words, leaf_prediction, numbered
from hornbeam.show.texts.trees.indented import NO_PREDICTION, below
from hornbeam.show.texts.trees.node_notes import p_words, remarks, score_and_gap, score_text, test_words
from hornbeam.show.texts.wording import (
    NAME_LIMIT,
    NOTHING,
    Branch,
    amounts,
    asked,
    branch,
    date,
    number,
    printable,
    runners_up,
    short_number,
    split_words,
    surrogates_of,
    with_signs,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from hornbeam.model.clusters.concepts import ConceptTree
    from hornbeam.model.trees.split_tests import SplitTests
    from hornbeam.model.trees.tree import Tree

NAME_CHARS, SUM_CHARS, LABEL_CHARS = 30, 60, 26  # maximum length of names, sums, and lists of categories on branches
SMALL_CHARS = 14  # maximum length of such a list in a large tree
LONG_PATH = 12  # if a path is longer, only its last conditions are shown
MOST_LINES = 14  # maximum length of an equation in a box; a longer one is in the tooltip
MOST_CLASSES = 12  # in a tooltip


@dataclass
class Card:
    """A node as it is drawn: lines of text in a box, and the label of the branch that leads to it."""

    node: int
    head: str
    details: str
    notes: list[str]
    label: str
    closed: bool  # drawn without its subtree
    detail: int  # TICK, SMALL or FULL
    tooltip: list[str]
    label_tooltip: str
    children: list[int] = field(default_factory=list)  # indices of the cards below
    width: float = 0.0
    height: float = 0.0
    label_width: float = 0.0
    lead: float = 0.0  # drawn to the right: space before the box for the label, the same for all siblings
    gap: float = 0.0  # space before that, where the edge bends
    x: float = 0.0  # of the box's upper left corner
    y: float = 0.0


def make_cards(
    tree: Tree,
    detail: NDArray[np.int8],
    tests: SplitTests | None = None,
    more: Mapping[int, Sequence[str]] | None = None,
) -> list[Card]:
    """Make the cards of the nodes that are drawn, level by level, siblings in branch order.

    Nodes drawn in full show all details, with the extra lines `more` by node; others only a short text.
    """
    leaves, errors = below(tree)
    numbers = {} if tree.intercept is None else numbered(tree)
    large = bool(((detail == SMALL) | (detail == TICK)).any())

    def make(node: int) -> Card:
        inner = tree.n_children[node] > 0
        closed = bool(inner) and detail[tree.first_child[node]] == HIDDEN
        more_leaves = f"… {leaves[node]} more {'leaf' if leaves[node] == 1 else 'leaves'}"
        head = more_leaves if closed else _head(tree, node, numbers)
        details = _details(tree, node, errors[node], is_split=bool(inner) and not closed)
        card = Card(
            node=node,
            head=head,
            details=details,
            notes=[],
            label="",
            closed=closed,
            detail=int(detail[node]),
            tooltip=[f"Node {node}", *([str(branch(tree, node))] if node else []), f"{head}: {details}"],
            label_tooltip="",
        )
        if card.detail == TICK:
            return card
        if node:
            card.label = _label(branch(tree, node, max_chars=SMALL_CHARS if large else LABEL_CHARS))
            card.label_tooltip = str(branch(tree, node, shorten=False))
        if card.detail == FULL:
            _add_everything(card, tree, numbers, tests)
            card.notes += [printable(line) for line in (more or {}).get(node, ())]
        return card

    return spread_out(tree, make)


def spread_out(tree: Tree | ConceptTree, make: Callable[[int], Card]) -> list[Card]:
    """Make the cards of all nodes below those that are not closed, level by level, siblings in branch order."""
    cards = [make(0)]
    level = [0]
    while level:
        following: list[int] = []
        for place in level:
            card = cards[place]
            if card.closed:
                continue
            first, count = int(tree.first_child[card.node]), int(tree.n_children[card.node])
            for node in range(first, first + count):
                card.children.append(len(cards))
                cards.append(make(node))
            following += card.children
        level = following
    return cards


def _add_everything(card: Card, tree: Tree, numbers: dict[int, int], tests: SplitTests | None) -> None:
    """Add small lines to the box, and all details to the tooltip."""
    node, inner = card.node, tree.n_children[card.node] > 0
    card.tooltip = _tooltip(tree, node)
    card.notes = _notes(tree, node) if inner and not card.closed else []
    if tree.intercept is not None:
        words = equation_words(tree, node)
        card.tooltip += ["", *words]
        card.notes += words if node in numbers and len(words) <= MOST_LINES else []
    if tests is not None and inner:
        p_value = p_words(math.exp(tests.log_p[node]))
        card.tooltip += ["", f"{p_value}, not corrected for the search: {test_words(tests, node)}"]
        card.notes = card.notes if card.closed else [p_value, *card.notes]


def _head(tree: Tree, node: int, numbers: dict[int, int]) -> str:
    """What a node splits on, or predicts."""
    if tree.n_children[node] > 0:
        return _asked(tree, int(tree.split[node]))
    return _short_prediction(tree, node) if tree.intercept is None else leaf_prediction(tree, node, numbers)


def add_notes(cards: list[Card], notes: Mapping[int, Sequence[str]]) -> None:
    """Add notes by node to their cards: the first line to the box, all lines to the tooltip."""
    for card in cards:
        lines = notes.get(card.node, ())
        card.tooltip += ["", *lines] if lines else []
        card.notes = [*(lines[:1] if card.detail == FULL and not card.closed else []), *card.notes]


def _asked(tree: Tree, split: int) -> str:
    """The column in the box of a node; a sum of columns may be longer."""
    max_chars = NAME_CHARS if tree.splits.terms_of(split) is None else SUM_CHARS
    return printable(asked(tree.splits, split, tree.schema.columns), max_chars)


def _short_prediction(tree: Tree, node: int) -> str:
    target = tree.schema.target_column
    if isinstance(target, Nominal):
        label = int(tree.label[node])
        return NO_PREDICTION if label < 0 else shortened(target.categories, NAME_CHARS)[label]
    mean = float(tree.value[node, 1])
    return short_number(mean) if target.format is None else date(mean, target.format)


def _details(tree: Tree, node: int, error: float, *, is_split: bool) -> str:
    """The rows at a node, and the errors (those of the subtree if it is not drawn) or the standard deviation."""
    weight, rows = float(tree.weight[node]), int(tree.rows[node])
    text = f"weight {amounts([weight])[0]}" if abs(weight - rows) > NOTHING else plural(rows, "row")
    if isinstance(tree.schema.target_column, Nominal):
        return with_commas(text if is_split or error <= NOTHING else f"{text} · {amounts([weight, error])[1]} wrong")
    text = with_commas(text)
    if weight <= 0:
        return text
    if is_split:
        return f"{text} · mean {short_number(float(tree.value[node, 1]))}"
    return f"{text} · {'sd' if tree.residual is None else 'error'} {short_number(math.sqrt(max(error, 0.0) / weight))}"


def _notes(tree: Tree, node: int) -> list[str]:
    """Small lines: where rows with a missing value go, if there are any, and the best runner-up."""
    notes = []
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    rows = int(tree.rows[first : first + count].sum())
    surrogates = len(surrogates_of(tree, node))
    policy = int(tree.missing[node])
    if surrogates:
        notes.append(f"if missing: {plural(surrogates, 'surrogate')}")
    elif policy == FRACTIONAL and rows > int(tree.rows[node]):
        notes.append("if missing: every branch, in fractions")
    elif policy == STOP and rows < int(tree.rows[node]):
        notes.append("if missing: stops here")
    others = runners_up(tree, node)
    if len(others):
        _, gap = score_and_gap(tree, node, int(others[0]))
        behind = f", {score_text(gap)} behind" if score_text(gap) else ""
        notes.append(f"next: {printable(with_signs(split_words(tree, int(others[0]))), NAME_CHARS)}{behind}")
    return notes


def _label(words: Branch) -> str:
    """The text on a branch; the column is in the box above."""
    value = words.value
    if words.relation in ("=", "is"):
        return value
    if words.relation in ("in", "not in"):
        listed = value.replace("{", "", 1)
        listed = "".join(listed.rsplit("}", 1))
        return listed if words.relation == "in" else f"not {listed}"
    return with_signs(f" {words.relation} {value}").lstrip()


def _tooltip(tree: Tree, node: int) -> list[str]:
    """Everything about a node, for its tooltip."""
    lines = [f"Node {node}", *_way(tree, node), *_content(tree, node)]
    if tree.n_children[node] == 0:
        return lines
    split = int(tree.split[node])
    score = score_text(float(tree.splits.score[split]))
    lines += ["", f"Split: {split_words(tree, split, shorten=True)}" + (f", score {score}" if score else "")]
    column = tree.schema.columns[int(tree.splits.column[split])]
    if tree.splits.kind[split] != CUTS and isinstance(column, Nominal):
        unseen = [column.categories[code] for code, way in enumerate(code_branches(tree, split)) if way < 0]
        if unseen:
            listed = ", ".join(printable(name, NAME_LIMIT) for name in unseen[:MOST_CLASSES])
            lines.append(
                f"Same as missing: {listed}"
                + (f" and {len(unseen) - MOST_CLASSES} more" if len(unseen) > MOST_CLASSES else "")
            )
    return lines + remarks(tree, node)


def _way(tree: Tree, node: int) -> list[str]:
    words: list[str] = []
    while tree.parent[node] >= 0:
        if len(words) == LONG_PATH:
            words.append("…")
            break
        words.append(str(branch(tree, node)))
        node = int(tree.parent[node])
    return words[::-1] or ["all rows"]


def _content(tree: Tree, node: int) -> list[str]:
    """Class weights, or mean and standard deviation."""
    target = tree.schema.target_column
    weight = float(tree.weight[node])
    if not isinstance(target, Nominal):
        mean = f"mean {number(float(tree.value[node, 1]))}, sd {number(standard_deviation(tree.value[node]))}"
        return ["", f"weight {amounts([weight])[0]}: {mean}"]
    values = tree.value[node].tolist()
    texts = amounts([weight, *values])
    order = sorted((code for code in range(len(values)) if values[code] > NOTHING), key=lambda code: -values[code])
    lines = ["", f"weight {texts[0]}"]
    for code in order[:MOST_CLASSES]:
        share = 100 * values[code] / weight
        lines.append(f"  {printable(target.categories[code], NAME_LIMIT)}: {texts[code + 1]} ({share:.1f}%)")
    if len(order) > MOST_CLASSES:
        lines.append(f"  and {len(order) - MOST_CLASSES} more classes")
    return lines
