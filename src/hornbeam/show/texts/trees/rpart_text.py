"""The text style `rpart`: a binary tree as R's package of that name prints it, byte for byte.

One line a node: its number (the children of node k are 2k and 2k + 1), the condition that leads to it, rows, loss or
deviance, answer and class shares; ``*`` marks a leaf. Numbers are written as R writes them (`alike.py`). Branches stand
in the tree's own order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS, SUMS
from hornbeam.show.texts.alike import DIGITS, alike, rounded
from hornbeam.show.texts.trees.depth import DEEPEST
from hornbeam.show.texts.wording import branch, date, printable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.model.trees.tree import Tree

STEP = "  "
FEW_CLASSES = 4  # up to this many, shares are written in full; beyond, each by itself with two digits
OMITTED = "omitted_rows"  # of a tree's recipe: training rows left out because values were missing


def body(tree: Tree) -> str:
    """Write a tree with its heading, without a line end after the last line.

    Raises
    ------
    ValueError
        A node has more than two branches, or the tree is too deep for the numbers of its nodes.
    """
    wide = tree.n_children > 2  # noqa: PLR2004 - the form numbers two children a node
    if wide.any():
        node = int(wide.argmax())
        column = tree.schema.columns[int(tree.splits.column[tree.split[node]])]
        msg = (
            f"style 'rpart' prints binary trees only; node {node}, which asks for {column.name!r}, "
            f"has {int(tree.n_children[node])} branches"
        )
        raise ValueError(msg)
    if tree.depth > DEEPEST:  # numbers of nodes double with every level
        msg = f"style 'rpart' prints trees up to a depth of {DEEPEST}; this one has {tree.depth}. Use another style"
        raise ValueError(msg)
    nodes = _numbered(tree)
    classes = isinstance(tree.schema.target_column, Nominal)
    numbers = [str(number) for _, number, _ in nodes]
    room = max(map(len, numbers))
    losses = alike([rounded(float(tree.error[node])) for node, _, _ in nodes])
    answers = _classes(tree, [n for n, _, _ in nodes]) if classes else _means(tree, [n for n, _, _ in nodes])
    lines = [_rows(tree), "", f"node), split, n, {'loss, yval, (yprob)' if classes else 'deviance, yval'}"]
    lines += ["      * denotes terminal node", ""]
    for (node, _, depth), number, loss, answer in zip(nodes, numbers, losses, answers, strict=True):
        words = _condition(tree, node) if node else "root"
        mark = "*" if tree.n_children[node] == 0 else " "
        lines.append(f"{STEP * depth}{number.rjust(room)}) {words} {int(tree.rows[node])} {loss} {answer} {mark}")
    return "\n".join(lines)


def _rows(tree: Tree) -> str:
    omitted = int(tree.recipe.get(OMITTED) or 0)
    if not omitted:
        return f"n= {int(tree.rows[0])} "
    return f"n={int(tree.rows[0])} ({plural(omitted, 'observation')} deleted due to missingness)"


def _numbered(tree: Tree) -> list[tuple[int, int, int]]:
    """Nodes in printing order, each with the number it is printed under and its depth."""
    found: list[tuple[int, int, int]] = []
    waiting = [(0, 1, 0)]
    while waiting:
        node, number, depth = waiting.pop()
        found.append((node, number, depth))
        if tree.n_children[node] > 0:
            left = int(tree.first_child[node])
            waiting += [(left + 1, 2 * number + 1, depth + 1), (left, 2 * number, depth + 1)]
    return found


def _condition(tree: Tree, node: int) -> str:
    parent = int(tree.parent[node])
    split, place = int(tree.split[parent]), node - int(tree.first_child[parent])
    column = tree.schema.columns[int(tree.splits.column[split])]
    name = printable(column.name)
    if tree.splits.kind[split] == SUMS:
        return str(branch(tree, node, shorten=False)).removesuffix(" or missing")
    if tree.splits.kind[split] != CUTS:
        assert isinstance(column, Nominal)
        return f"{name}={_names(column, code_branches(tree, split) == place)}"
    place = tree.splits.interval(split, place)
    cut = float(tree.splits.cuts[tree.splits.cut_start[split]])
    equal_low = bool(tree.splits.equal_low[split])
    if cut == math.inf:
        return str(branch(tree, node, shorten=False))
    if isinstance(column, Nominal):  # an ordered one is told by its categories
        highest = math.floor(cut) if equal_low else math.ceil(cut) - 1
        return f"{name}={_names(column, [(code <= highest) == (place == 0) for code in range(len(column.categories))])}"
    relation = (("<=", "> ") if equal_low else ("< ", ">="))[place]
    return f"{name}{relation}{f'{cut:.{DIGITS}g}' if column.format is None else printable(date(cut, column.format))}"


def _names(column: Nominal, chosen: NDArray[np.bool_] | list[bool]) -> str:
    return ",".join(printable(name) for name, here in zip(column.categories, chosen, strict=True) if here)


def _means(tree: Tree, nodes: list[int]) -> list[str]:
    return alike([rounded(float(tree.value[node, 1])) for node in nodes])


def _classes(tree: Tree, nodes: list[int]) -> list[str]:
    """The class of every node and its shares, in brackets; classes without a row are left out."""
    target = tree.schema.target_column
    assert isinstance(target, Nominal)
    present = tree.value[0] > 0 if (tree.value[0] > 0).any() else tree.value[0] >= 0
    # R weighs each class by its share over its number of rows, which is one for all but for rounding: it prints 5/8 as
    # 0.62 or 0.63 by that
    counts = tree.value[0][present]
    each = counts / counts.sum() / counts if counts.all() else np.ones(len(counts))
    weights = tree.value[nodes][:, present] * each
    total = weights.astype(np.longdouble).sum(axis=1, keepdims=True).astype(np.float64)
    shares = weights / (total + (total == 0))
    if shares.shape[1] <= FEW_CLASSES:
        written = alike(shares.ravel().tolist(), decimals=DIGITS)
        n_classes = shares.shape[1]
        told = [" ".join(written[place * n_classes : (place + 1) * n_classes]) for place in range(len(nodes))]
    else:
        told = [" ".join(f"{share:.2g}" for share in row) for row in shares.tolist()]
    labels = [int(tree.label[node]) for node in nodes]
    names = ["NA" if label < 0 else printable(target.categories[label]) for label in labels]
    return [f"{name} ({text})" for name, text in zip(names, told, strict=True)]
