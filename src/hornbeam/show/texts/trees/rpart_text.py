"""The text style `rpart`: a binary tree as R's package of that name prints it, byte for byte.

One line per node: its number (the children of node k are 2k and 2k + 1), the condition that leads to it, rows, loss or
deviance, prediction and class probabilities; ``*`` marks a leaf. Numbers are written as R writes them. Branches are in
the order of the tree.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS, SUMS
from hornbeam.show.texts.trees.classic import DEEPEST
from hornbeam.show.texts.wording import branch, date, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.core.base.arrays import Bools
    from hornbeam.model.trees.tree import Tree

STEP = "  "
FEW_CLASSES = 4  # with more classes, probabilities are written with two digits
OMITTED = "omitted_rows"  # key in a tree's recipe: training rows left out because values were missing
DIGITS = 7
SCALED = (1e-290, 1e290)  # between these a number can be scaled by a power of ten
LONG_EXPONENT = 100  # from here on an exponent has three digits


def body(tree: Tree) -> str:
    """Write a tree with its heading, without a newline at the end.

    Raises
    ------
    ValueError
        A node has more than two branches, or the tree is too deep for the numbers of its nodes.
    """
    wide = tree.n_children > 2  # noqa: PLR2004 - nodes are numbered by two
    if wide.any():
        node = int(wide.argmax())
        column = tree.schema.columns[int(tree.splits.column[tree.split[node]])]
        msg = (
            f"style 'rpart' prints binary trees only; node {node}, which splits on {column.name!r}, "
            f"has {int(tree.n_children[node])} branches"
        )
        raise ValueError(msg)
    if tree.depth > DEEPEST:  # node numbers double with every level
        msg = f"style 'rpart' prints trees up to depth {DEEPEST}; this one has depth {tree.depth}. Use another style"
        raise ValueError(msg)
    nodes = _numbered(tree)
    classes = isinstance(tree.schema.target_column, Nominal)
    numbers = [str(number) for _, number, _ in nodes]
    longest = max(map(len, numbers))
    losses = alike([rounded(float(tree.error[node])) for node, _, _ in nodes])
    predictions = _classes(tree, [n for n, _, _ in nodes]) if classes else _means(tree, [n for n, _, _ in nodes])
    lines = [_rows(tree), "", f"node), split, n, {'loss, yval, (yprob)' if classes else 'deviance, yval'}"]
    lines += ["      * denotes terminal node", ""]
    for (node, _, depth), number, loss, predicted in zip(nodes, numbers, losses, predictions, strict=True):
        words = _condition(tree, node) if node else "root"
        mark = "*" if tree.n_children[node] == 0 else " "
        lines.append(f"{STEP * depth}{number.rjust(longest)}) {words} {int(tree.rows[node])} {loss} {predicted} {mark}")
    return "\n".join(lines)


def _rows(tree: Tree) -> str:
    omitted = int(tree.recipe.get(OMITTED) or 0)
    if not omitted:
        return f"n= {int(tree.rows[0])} "
    return f"n={int(tree.rows[0])} ({plural(omitted, 'observation')} deleted due to missingness)"


def _numbered(tree: Tree) -> list[tuple[int, int, int]]:
    """Nodes in printing order, each with its printed number and its depth."""
    nodes: list[tuple[int, int, int]] = []
    waiting = [(0, 1, 0)]
    while waiting:
        node, number, depth = waiting.pop()
        nodes.append((node, number, depth))
        if tree.n_children[node] > 0:
            left = int(tree.first_child[node])
            waiting += [(left + 1, 2 * number + 1, depth + 1), (left, 2 * number, depth + 1)]
    return nodes


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
    if isinstance(column, Nominal):  # an ordered column is written by its categories
        highest = math.floor(cut) if equal_low else math.ceil(cut) - 1
        return f"{name}={_names(column, [(code <= highest) == (place == 0) for code in range(len(column.categories))])}"
    relation = (("<=", "> ") if equal_low else ("< ", ">="))[place]
    return f"{name}{relation}{f'{cut:.{DIGITS}g}' if column.format is None else printable(date(cut, column.format))}"


def _names(column: Nominal, chosen: Bools | list[bool]) -> str:
    return ",".join(printable(name) for name, here in zip(column.categories, chosen, strict=True) if here)


def _means(tree: Tree, nodes: list[int]) -> list[str]:
    return alike([rounded(float(tree.value[node, 1])) for node in nodes])


def _classes(tree: Tree, nodes: list[int]) -> list[str]:
    """The class of every node and the probabilities, in brackets; classes without a row are left out."""
    target = tree.schema.target_column
    assert isinstance(target, Nominal)
    present = tree.value[0] > 0 if (tree.value[0] > 0).any() else tree.value[0] >= 0
    # R multiplies each class by its proportion over its number of rows. The factor is the same for all classes except
    # for rounding, which decides whether 5/8 is printed as 0.62 or 0.63.
    counts = tree.value[0][present]
    each = counts / counts.sum() / counts if counts.all() else np.ones(len(counts))
    weights = tree.value[nodes][:, present] * each
    total = weights.astype(np.longdouble).sum(axis=1, keepdims=True).astype(np.float64)
    probabilities = weights / (total + (total == 0))
    if probabilities.shape[1] <= FEW_CLASSES:
        written = alike(probabilities.ravel().tolist(), decimals=DIGITS)
        n_classes = probabilities.shape[1]
        texts = [" ".join(written[i * n_classes : (i + 1) * n_classes]) for i in range(len(nodes))]
    else:
        texts = [" ".join(f"{value:.2g}" for value in row) for row in probabilities.tolist()]
    labels = [int(tree.label[node]) for node in nodes]
    names = ["NA" if label < 0 else printable(target.categories[label]) for label in labels]
    return [f"{name} ({text})" for name, text in zip(names, texts, strict=True)]


def rounded(value: float, digits: int = DIGITS) -> float:
    """Round to significant digits as R's `signif` does: scaled as a double, halves to the even digit.

    Examples
    --------
    >>> rounded(112.536585), rounded(1234566.5), rounded(77531.425)
    (112.5366, 1234566.0, 77531.42)
    """
    if value == 0 or not SCALED[0] < abs(value) < SCALED[1]:
        return float(f"{value:.{digits - 1}e}")
    power = digits - 1 - math.floor(math.log10(abs(value)))
    if power > 0:
        return round(value * 10.0**power) / 10.0**power
    return round(value / 10.0**-power) * 10.0**-power


def alike(values: Sequence[float], digits: int = DIGITS, decimals: int = 0) -> list[str]:
    """Write numbers in one format, right-aligned, as R prints a vector.

    All numbers get the decimals (or, if that is shorter, the exponent) that the one with the most digits needs.

    Parameters
    ----------
    values : sequence of float
        What to write.
    digits : int
        The largest number of significant digits.
    decimals : int
        The smallest number of decimals, if no exponent is used.

    Examples
    --------
    >>> alike([4981550.0, 74975.21])
    ['4981550.00', '  74975.21']
    >>> alike([100000.0, 1.0])
    ['1e+05', '1e+00']
    >>> alike([0.5, 0.25], decimals=7)
    ['0.5000000', '0.2500000']
    """
    parts = [_needed(value, digits) for value in values]
    negative = [value < 0 for value in values]
    n_decimals = max((max(0, n_digits - power - 1) for n_digits, power in parts), default=0)
    whole = max((max(power, 0) + 1 + sign for (_, power), sign in zip(parts, negative, strict=True)), default=0)
    n_digits = max((needed for needed, _ in parts), default=1)
    exponent = 5 if any(abs(power) >= LONG_EXPONENT for _, power in parts) else 4
    plain_width = whole + (n_decimals + 1 if n_decimals else 0)
    power_width = any(negative) + (n_digits + 1 if n_digits > 1 else 1) + exponent
    if plain_width <= power_width:
        texts = [f"{value:.{max(n_decimals, decimals)}f}" for value in values]
    else:
        texts = [f"{value:.{n_digits - 1}e}" for value in values]
    longest = max(map(len, texts), default=0)
    return [text.rjust(longest) for text in texts]


def _needed(value: float, digits: int) -> tuple[int, int]:
    """The number of significant digits a number needs, at most `digits`, and its power of ten."""
    if value == 0:
        return 1, 0
    mantissa, _, power = f"{abs(value):.{digits - 1}e}".partition("e")
    return len(mantissa.replace(".", "").rstrip("0")), int(power)
