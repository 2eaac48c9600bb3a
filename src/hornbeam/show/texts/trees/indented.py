"""The default text style: one line per node, indented by tree lines, with the numbers of leaves in aligned columns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.training import training_error
from hornbeam.show.texts.calibrated import calibration_head, leaf_worth, stability_line
from hornbeam.show.texts.trees.node_notes import chance_line, chances_of
from hornbeam.show.texts.wording import NAME_LIMIT, NOTHING, amounts, branch, number, number_column, printable, width

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.model.trees.chance import Chances
    from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.texts.styles import Request

ALIGN_LIMIT = 78  # a longer condition pushes only its own numbers to the right
MOST_DRAWN = 100  # deeper lines are not indented further, and begin with their depth
GAP = "  "
NO_PREDICTION = "no prediction"


@dataclass(frozen=True)
class Lines:
    """The characters that draw the tree."""

    middle: str
    last: str
    through: str
    blank: str
    leader: str


UNICODE = Lines("├─ ", "└─ ", "│  ", "   ", "·")
ASCII = Lines("|- ", "`- ", "|  ", "   ", ".")


def in_style(tree: Tree, request: Request) -> str:
    """Write a tree in a style."""
    style = request.style
    if style in ("default", "ascii"):
        return draw(tree, ASCII if request.plain else UNICODE, request.max_depth, chance=request.chance)
    if style in ("if-then", "table"):
        msg = f"style {style!r} is for rules; a tree was given (hornbeam.model.rules.rule.rules_from_tree converts it)"
        raise ValueError(msg)
    if style == "describe":
        msg = f"style {style!r} is for clusters; a tree was given"
        raise ValueError(msg)
    if request.has_options:
        option = "chance" if request.max_depth is None else "max_depth"
        msg = f"style {style!r} prints whole trees; {option} goes with 'default' and 'ascii'"
        raise ValueError(msg)
    if style == "rpart":
        from hornbeam.show.texts.trees import rpart_text

        return rpart_text.body(tree)
    if style == "weka" and tree.intercept is not None:
        from hornbeam.show.texts.linear import equations

        return equations.weka_body(tree)
    from hornbeam.show.texts.trees import classic

    layouts = {"weka-binary": classic.C45_BINARY, "weka-id3": classic.ID3}
    return classic.body(tree, layouts.get(style) or classic.layout_of(tree))


def draw(
    tree: Tree,
    lines: Lines = UNICODE,
    max_depth: int | None = None,
    *,
    chance: bool = False,
    calibration: Mapping[int, LeafCalibration] | None = None,
    stability: Mapping[int, SplitStability] | None = None,
) -> str:
    """Draw the tree; a node at `max_depth` stands for its subtree, with the subtree's leaves and errors.

    The calibration of a leaf is written after its numbers, the stability of a split above its branches.
    """
    entries = _entries(tree, lines, max_depth, chances_of(tree) if chance else None, stability or {})
    cells = _cells(tree, [node for _, node, closed in entries if closed])
    first_width = max(width(predicted) for predicted, _, _ in cells)
    weight_width = max(len(weight) for _, weight, _ in cells)
    wrong_width = max(len(wrong) for _, _, wrong in cells)
    lengths = [width(left) for left, _, closed in entries if closed]
    column = max((length for length in lengths if length <= ALIGN_LIMIT), default=ALIGN_LIMIT) + 2

    title, heads = _heads(tree)
    first_width = max(first_width, width(heads[0]))
    weight_width, wrong_width = max(weight_width, len(heads[1])), max(wrong_width, len(heads[2]))
    column = max(column, width(title) + 2)

    numbers = tree.task == "regression"  # which are right-aligned

    def row(predicted: str, weight: str, wrong: str, worth: str = "") -> str:
        blanks = " " * (first_width - width(predicted))
        text = (blanks + predicted if numbers else predicted + blanks) + GAP + weight.rjust(weight_width)
        return f"{text}{GAP}{wrong.rjust(wrong_width)}{GAP}{worth}".rstrip()

    calibration = calibration or {}
    worth = {node: leaf_worth(leaf) for node, leaf in calibration.items() if tree.n_children[node] == 0}
    worth_head = calibration_head(next(iter(calibration.values()))) if calibration else ""
    out = [title + " " * (column - width(title)) + row(*heads, worth_head)]
    remaining = iter(cells)
    for left, node, closed in entries:
        if not closed:
            out.append(left)
            continue
        space = column - width(left)
        lead = " " * space if space < 4 else f" {lines.leader * (space - 2)} "  # noqa: PLR2004 - too short for a leader
        out.append(left + (lead or GAP) + row(*next(remaining), worth.get(node, "")))
    out += ["", summary(tree)]
    if tree.intercept is not None:
        from hornbeam.show.texts.linear import equations

        out += equations.listing(tree, [node for _, node, closed in entries if closed], equations.numbered(tree))
    return "\n".join(out)


def _entries(
    tree: Tree,
    lines: Lines,
    max_depth: int | None,
    chances: Chances | None,
    stability: Mapping[int, SplitStability],
) -> list[tuple[str, int, bool]]:
    """For every line in order: its left side, its node, and whether the node is the end of a branch."""
    if tree.n_children[0] == 0 or max_depth == 0:
        return [("all rows", 0, True)]
    entries: list[tuple[str, int, bool]] = []
    waiting: list[tuple[int, str, int]] = []

    def push(node: int, prefix: str, depth: int) -> None:
        if chances is not None:
            entries.append((prefix + chance_line(tree, chances, node), node, False))
        if node in stability:
            entries.append((prefix + stability_line(stability[node]), node, False))
        first, number_of = int(tree.first_child[node]), int(tree.n_children[node])
        waiting.extend((child, prefix, depth) for child in range(first + number_of - 1, first - 1, -1))

    push(0, "", 1)
    while waiting:
        node, prefix, depth = waiting.pop()
        parent = int(tree.parent[node])
        position = node - int(tree.first_child[parent])
        is_last = position == tree.n_children[parent] - 1
        words = str(branch(tree, node)) if depth <= MOST_DRAWN else f"[{depth}] {branch(tree, node)}"
        closed = tree.n_children[node] == 0 or depth == max_depth
        entries.append((prefix + (lines.last if is_last else lines.middle) + words, node, closed))
        if not closed:
            deeper = prefix + (lines.blank if is_last else lines.through)
            push(node, deeper if depth < MOST_DRAWN else prefix, depth + 1)
    return entries


def _heads(tree: Tree) -> tuple[str, tuple[str, str, str]]:
    target = tree.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    last = _loses(tree) if isinstance(target, Nominal) else "sd" if tree.residual is None else "error"
    return printable(tree.schema.name, NAME_LIMIT), (name, "weight", last)


def _cells(tree: Tree, nodes: list[int]) -> list[tuple[str, str, str]]:
    """Prediction, weight and error of every node; for a node drawn without its subtree, those of the subtree."""
    target = tree.schema.target_column
    leaves, errors = below(tree)
    weights = [float(tree.weight[node]) for node in nodes]
    wrongs = [float(errors[node]) for node in nodes]
    predictions = [f"({leaves[node]} leaves)" if leaves[node] > 1 else prediction_text(tree, node) for node in nodes]
    if isinstance(target, Nominal):
        # One format for both columns, so that 2.27 wrong of 15.27 is easy to compare.
        texts = amounts([*weights, *wrongs])
        marks = [text if value > NOTHING else "" for text, value in zip(texts[len(nodes) :], wrongs, strict=True)]
        return list(zip(predictions, texts[: len(nodes)], marks, strict=True))
    if tree.intercept is not None:
        from hornbeam.show.texts.linear import equations

        numbers = equations.numbered(tree)
        predictions = [
            a if leaves[node] > 1 else equations.leaf_answer(tree, node, numbers)
            for node, a in zip(nodes, predictions, strict=True)
        ]
        return list(zip(predictions, amounts(weights), number_column(_spreads(wrongs, weights)), strict=True))
    means = iter(number_column([float(tree.value[node, 1]) for node in nodes if leaves[node] == 1]))
    predictions = [found if leaves[node] > 1 else next(means) for node, found in zip(nodes, predictions, strict=True)]
    return list(zip(predictions, amounts(weights), number_column(_spreads(wrongs, weights)), strict=True))


def _spreads(squares: list[float], weights: list[float]) -> list[float]:
    """Root mean squares."""
    return [
        math.sqrt(max(square, 0.0) / weight) if weight > 0 else 0.0
        for square, weight in zip(squares, weights, strict=True)
    ]


def squared_errors(tree: Tree) -> NDArray[np.float64]:
    """Squared training errors of the nodes of a tree for numbers: of their equations or means."""
    return tree.value[:, 2] if tree.residual is None else tree.error


def prediction_text(tree: Tree, node: int) -> str:
    """The prediction of a node, as a leaf: a class or a number."""
    target = tree.schema.target_column
    if not isinstance(target, Nominal):
        return number(float(tree.value[node, 1]))
    label = int(tree.label[node])
    return NO_PREDICTION if label < 0 else printable(target.categories[label], NAME_LIMIT)


def below(tree: Tree) -> tuple[list[int], list[float]]:
    """The number of leaves at or below every node, and their (squared) errors. Children come after their parents."""
    leaf = tree.n_children == 0
    wrong = tree.error if isinstance(tree.schema.target_column, Nominal) else squared_errors(tree)
    leaves, errors = leaf.astype(int).tolist(), np.where(leaf, wrong, 0.0).tolist()
    for node, parent in reversed(list(enumerate(tree.parent.tolist()))):
        if parent >= 0:
            leaves[parent] += leaves[node]
            errors[parent] += errors[node]
    return leaves, errors


def summary(tree: Tree) -> str:
    """The size of a tree and its training error, in one line."""
    leaves, training = tree.n_leaves, training_error(tree)
    text = f"{leaves} {'leaf' if leaves == 1 else 'leaves'}, size {tree.n_nodes}, depth {tree.depth}"
    if not isinstance(tree.schema.target_column, Nominal):
        explained = 1 - training.error / training.squares if training.squares > 0 else 0.0
        return f"{text}; explains {percent(explained)} of the variance in training" if training.squares > 0 else text
    (wrong,), (rows,) = amounts([training.error]), amounts([training.weight])
    if _loses(tree) == "cost":
        return f"{text}; {rows} rows cost {wrong} in training"
    return f"{text}; {wrong} of {rows} wrong in training"


def _loses(tree: Tree) -> str:
    """What the errors of a tree for classes are: wrong rows, or their cost."""
    return "cost" if tree.recipe.get("loss") else "wrong"
