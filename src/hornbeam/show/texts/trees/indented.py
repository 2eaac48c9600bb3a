"""The default text style: one line per node, indented by tree lines, with the numbers of leaves in aligned columns."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.data.schema import Nominal, Numeric
from hornbeam.model.trees.training import training_error
from hornbeam.show.texts.wording import (
    DAY,
    NAME_LIMIT,
    NOTHING,
    amounts,
    branch,
    date,
    number,
    number_column,
    printable,
    width,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hornbeam.model.trees.node_figures import LeafCalibration, SplitStability
    from hornbeam.model.trees.split_tests import SplitTests
    from hornbeam.model.trees.training import TrainingError
    from hornbeam.model.trees.tree import Tree
    from hornbeam.show.texts.styles import Request

ALIGN_LIMIT = 78  # a longer condition pushes only its own numbers to the right
MOST_DRAWN = 100  # deeper lines are not indented further, and begin with their depth
LEAST_LEFT = 20  # columns for the conditions of a narrow tree
AROUND = 4  # lines besides those of nodes: the header, what was left out, the summary
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
        return draw(tree, request)
    if style == "describe":
        msg = f"style {style!r} is for clusters; a tree was given"
        raise ValueError(msg)
    if request.has_options:
        option = "p_values" if request.max_depth is None else "max_depth"
        msg = f"style {style!r} prints whole trees; {option} goes with 'default' and 'ascii'"
        raise ValueError(msg)
    if style in ("if-then", "table"):
        return _as_rules(tree, request)
    if style == "rpart":
        from hornbeam.show.texts.trees import rpart_text

        return rpart_text.body(tree)
    if style == "weka" and tree.intercept is not None:
        from hornbeam.show.texts.linear import equations

        return equations.weka_body(tree)
    from hornbeam.show.texts.trees import classic

    layouts = {"weka-binary": classic.C45_BINARY, "weka-id3": classic.ID3}
    return classic.body(tree, layouts.get(style) or classic.layout_of(tree))


def _as_rules(tree: Tree, request: Request) -> str:
    """Write one rule per leaf; surrogates cannot be written as rules, so a line mentions them."""
    from hornbeam.model.rules.rule import rules_from_tree

    has_surrogates = tree.surrogates is not None and len(tree.surrogates) > 0
    plain = replace(tree, surrogate_start=None, surrogates=None) if has_surrogates else tree
    written = request.text(rules_from_tree(plain))
    if has_surrogates:
        written += "\n\nIf a value is missing, the tree uses other columns (surrogates), which these rules do not show."
    return written


def draw(
    tree: Tree,
    request: Request,
    *,
    calibration: Mapping[int, LeafCalibration] | None = None,
    stability: Mapping[int, SplitStability] | None = None,
) -> str:
    """Draw the tree; a node that is not expanded has the number of leaves and the errors of its subtree.

    The calibration of a leaf is written after its numbers, the stability of a split above its branches.
    """
    room, lines, calibration = request.room, ASCII if request.plain else UNICODE, calibration or {}
    has_equations = tree.intercept is not None
    most = None if room.lines is None else max(room.lines // 3 if has_equations else room.lines - AROUND, 1)
    opened, hidden = _opened_nodes(tree, most, request.max_depth, request.p_values + bool(stability))
    tests = _split_tests(tree) if request.p_values else None
    deepest = MOST_DRAWN if room.columns is None else max(min(MOST_DRAWN, room.columns // 2 // len(lines.blank)), 1)
    entries = _entries(tree, lines, opened, _Above(tests, stability or {}), deepest)
    ends = [node for _, node, closed in entries if closed]
    title, heads = _heads(tree)
    worth, worth_head = _worth(tree, calibration) if calibration else ({}, "")
    rows = _figures(tree, _cells(tree, ends), heads, room.columns)
    ended = [f"{row}{GAP}{worth.get(node, '')}".rstrip() for row, node in zip(rows[1:], ends, strict=True)]
    head = f"{rows[0]}{GAP}{worth_head}".rstrip()

    limit = ALIGN_LIMIT
    if room.columns is not None:  # a longer condition is cut
        limit = min(limit, max(room.columns - max(map(width, rows)) - len(GAP), LEAST_LEFT))
        entries = [(printable(left, limit if closed else room.columns), node, closed) for left, node, closed in entries]
        title = printable(title, limit)
    lengths = [width(left) for left, _, closed in entries if closed]
    column = max((length for length in lengths if length <= limit), default=limit) + 2
    column = max(column, width(title) + 2)
    out = [title + " " * (column - width(title)) + head]
    remaining = iter(ended)
    for left, _, closed in entries:
        if not closed:
            out.append(left)
            continue
        space = column - width(left)
        lead = " " * space if space < 4 else f" {lines.leader * (space - 2)} "  # noqa: PLR2004 - too short for a leader
        out.append(left + (lead or GAP) + next(remaining))
    if room.columns is not None and not worth:  # calibrated predictions were requested: they may be wider
        out = [printable(line, room.columns) for line in out]
    out += [room.left_out(hidden, "node", plain=request.plain)] if hidden else []
    out += ["", summary(tree)]
    if tests is not None and any(not closed for _, _, closed in entries):
        from hornbeam.show.texts.trees.node_notes import NOT_CORRECTED

        out.append(NOT_CORRECTED)
    if has_equations:
        from hornbeam.show.texts.linear import equations

        out += equations.listing(tree, ends, equations.numbered(tree), room, room.lines and room.lines - len(out))
    return "\n".join(out)


def _opened_nodes(tree: Tree, most: int | None, max_depth: int | None, extra: int) -> tuple[set[int], int]:
    """Choose the inner nodes to expand: the heaviest first, while there are lines left for their branches.

    Parameters
    ----------
    tree : Tree
        The tree.
    most : int, optional
        The maximum number of lines; None for no limit.
    max_depth : int, optional
        Nodes at this depth are not expanded.
    extra : int
        Lines above the branches of a node.

    Returns
    -------
    nodes : set of int
        The inner nodes to expand, including the root unless it is a leaf.
    left_out : int
        Nodes above `max_depth` that are not drawn because there are not enough lines.
    """
    opened: set[int] = set()
    waiting: list[tuple[float, int, int]] = [] if max_depth == 0 or tree.n_children[0] == 0 else [(0.0, 0, 0)]
    left, hidden = most, list[tuple[int, int]]()
    while waiting:
        _, node, depth = heappop(waiting)
        cost = int(tree.n_children[node]) + extra
        if left is not None and node != 0 and cost > left:
            hidden.append((node, depth))
            continue
        left = None if left is None else left - cost
        opened.add(node)
        for child, deeper in _inner_children(tree, node, depth, max_depth):
            heappush(waiting, (-float(tree.weight[child]), child, deeper))
    count = 0
    while hidden:
        node, depth = hidden.pop()
        count += int(tree.n_children[node])
        hidden.extend(_inner_children(tree, node, depth, max_depth))
    return opened, count


def _inner_children(tree: Tree, node: int, depth: int, max_depth: int | None) -> list[tuple[int, int]]:
    """Children of a node that could be expanded, with their depth."""
    first = int(tree.first_child[node])
    if max_depth is not None and depth + 1 >= max_depth:
        return []
    children = range(first, first + int(tree.n_children[node]))
    return [(child, depth + 1) for child in children if tree.n_children[child]]


def _split_tests(tree: Tree) -> SplitTests:
    """The p-values of the splits."""
    from hornbeam.show.texts.trees.node_notes import tests_of

    return tests_of(tree)


def _worth(tree: Tree, calibration: Mapping[int, LeafCalibration]) -> tuple[dict[int, str], str]:
    """The prediction set or the interval of every leaf, and the header of that column."""
    from hornbeam.show.texts.calibrated import calibration_head, leaf_and_rows

    worth = {node: leaf_and_rows(leaf) for node, leaf in calibration.items() if tree.n_children[node] == 0}
    return worth, calibration_head(next(iter(calibration.values())))


def _figures(
    tree: Tree, cells: list[tuple[str, str, str]], heads: tuple[str, str, str], columns: int | None
) -> list[str]:
    """Write headers, and below them prediction, weight and error of every drawn leaf, in columns."""
    rows = [heads, *cells]
    if columns is not None:
        rows = [(printable(predicted, max(columns // 3, 1)), weight, wrong) for predicted, weight, wrong in rows]
    first, second, third = (max(map(width, column)) for column in zip(*rows, strict=True))
    written = []
    for predicted, weight, wrong in rows:
        blanks = " " * (first - width(predicted))  # numbers are right-aligned
        shown = blanks + predicted if tree.task == "regression" else predicted + blanks
        written.append(f"{shown}{GAP}{weight.rjust(second)}{GAP}{wrong.rjust(third)}")
    return written


@dataclass(frozen=True)
class _Above:
    """What is written above the branches of a node."""

    tests: SplitTests | None
    stability: Mapping[int, SplitStability]

    def lines(self, tree: Tree, node: int) -> list[str]:
        lines = []
        if self.tests is not None:
            from hornbeam.show.texts.trees.node_notes import test_line

            lines.append(test_line(tree, self.tests, node))
        if node in self.stability:
            from hornbeam.show.texts.calibrated import stability_line

            lines.append(stability_line(self.stability[node]))
        return lines


def _entries(tree: Tree, lines: Lines, opened: set[int], above: _Above, deepest: int) -> list[tuple[str, int, bool]]:
    """For every line in order: its left side, its node, and whether the node is the end of a branch."""
    if not opened:
        return [("all rows", 0, True)]
    entries: list[tuple[str, int, bool]] = []
    waiting: list[tuple[int, str, int]] = []

    def push(node: int, prefix: str, depth: int) -> None:
        entries.extend((prefix + line, node, False) for line in above.lines(tree, node))
        first, number_of = int(tree.first_child[node]), int(tree.n_children[node])
        waiting.extend((child, prefix, depth) for child in range(first + number_of - 1, first - 1, -1))

    push(0, "", 1)
    while waiting:
        node, prefix, depth = waiting.pop()
        parent = int(tree.parent[node])
        position = node - int(tree.first_child[parent])
        is_last = position == tree.n_children[parent] - 1
        words = str(branch(tree, node)) if depth <= deepest else f"[{depth}] {branch(tree, node)}"
        closed = node not in opened
        entries.append((prefix + (lines.last if is_last else lines.middle) + words, node, closed))
        if not closed:
            deeper = prefix + (lines.blank if is_last else lines.through)
            push(node, deeper if depth < deepest else prefix, depth + 1)
    return entries


def _heads(tree: Tree) -> tuple[str, tuple[str, str, str]]:
    target = tree.schema.target_column
    name = printable(target.name, NAME_LIMIT)
    last = _loses(tree) if isinstance(target, Nominal) else "sd" if tree.residual is None else "error"
    if isinstance(target, Numeric) and target.format is not None and tree.intercept is None:
        last += " (days)"
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
            a if leaves[node] > 1 else equations.leaf_prediction(tree, node, numbers)
            for node, a in zip(nodes, predictions, strict=True)
        ]
        return list(zip(predictions, amounts(weights), number_column(_spreads(wrongs, weights)), strict=True))
    spreads = _spreads(wrongs, weights)
    means = iter(number_column([float(tree.value[node, 1]) for node in nodes if leaves[node] == 1]))
    if isinstance(target, Numeric) and target.format is not None:
        means = iter([date(float(tree.value[node, 1]), target.format) for node in nodes if leaves[node] == 1])
        spreads = [spread / DAY for spread in spreads]
    predictions = [found if leaves[node] > 1 else next(means) for node, found in zip(nodes, predictions, strict=True)]
    return list(zip(predictions, amounts(weights), number_column(spreads), strict=True))


def _spreads(squares: list[float], weights: list[float]) -> list[float]:
    """Root mean squares."""
    return [
        math.sqrt(max(square, 0.0) / weight) if weight > 0 else 0.0
        for square, weight in zip(squares, weights, strict=True)
    ]


def squared_errors(tree: Tree) -> NDArray[np.float64]:
    """Squared training errors of the nodes of a regression tree, with their equations or means."""
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
    text += f"; {rows} rows cost {wrong}" if _loses(tree) == "cost" else f"; {wrong} of {rows} wrong"
    return f"{text} in training{_counting(tree, training)}"


def _counting(tree: Tree, training: TrainingError) -> str:
    """Words about the weights of the leaves, if they are not those of all training rows."""
    if tree.recipe.get("priors"):
        return "; weights of leaves follow the priors"
    if training.weight - tree.weight[0] <= NOTHING * training.weight:
        return ""
    return f"; leaves count the {amounts([float(tree.weight[0])])[0]} rows for growing"


def _loses(tree: Tree) -> str:
    """What the errors of a classification tree are: wrong rows, or their cost."""
    return "cost" if tree.recipe.get("loss") else "wrong"
