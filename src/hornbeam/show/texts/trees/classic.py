"""The classic layouts of the WEKA text styles, byte for byte.

Three of them: C4.5 trees (`weka`), C4.5 trees with one-vs-rest splits, whose cuts are printed as Java prints a double
(`weka-binary`), and ID3 trees (`weka-id3`). Only the body: from the first line of the tree to its last.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODE_SETS, CUTS
from hornbeam.show.texts.wording import branch, printable

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.trees.tree import Tree

JAVA_PLAIN = (1e-3, 1e7)  # Java prints a double between these without an exponent
JAVA_LONG = 2.0**63
DEEPEST = 250  # deeper lines are not indented further, and begin with their depth


def java_number(value: float) -> str:
    """Write a double as Java does: ``2.0``, ``1.0E7``.

    Examples
    --------
    >>> java_number(2.0), java_number(0.25), java_number(12345678.0), java_number(-0.0005)
    ('2.0', '0.25', '1.2345678E7', '-5.0E-4')
    """
    if value == 0.0:
        return "-0.0" if math.copysign(1.0, value) < 0 else "0.0"
    low, high = JAVA_PLAIN
    if low <= abs(value) < high:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    assert isinstance(exponent, int)
    rest = "".join(map(str, digits[1:])) or "0"
    return f"{'-' * sign}{digits[0]}.{rest}E{exponent + len(digits) - 1}"


def rounded_number(value: float, decimals: int = 6) -> str:
    """Write a number with at most `decimals` decimals, half away from zero, trailing zeros dropped.

    Examples
    --------
    >>> rounded_number(2.0), rounded_number(-0.672730), rounded_number(1e-7), rounded_number(0.0000005)
    ('2', '-0.67273', '0', '0.000001')
    """
    scaled = abs(value * 10.0**decimals)
    if not scaled < JAVA_LONG:
        return java_number(value)
    whole = int(scaled + 0.5)
    if whole == 0:
        return "0"
    digits = str(whole).rjust(decimals + 1, "0")
    text = f"{digits[:-decimals]}.{digits[-decimals:]}".rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 else text


def count(value: float) -> str:
    """Write a weight with one or two decimals, half rounded up.

    Examples
    --------
    >>> count(50.0), count(15.265), count(1e-9)
    ('50.0', '15.27', '0.0')
    """
    return java_number(math.floor(value * 100.0 + 0.5) / 100.0)


@dataclass(frozen=True)
class Layout:
    """The options in which the classic layouts differ."""

    indent: str
    number: Callable[[float], str]
    counts: bool


C45 = Layout("|   ", rounded_number, counts=True)
C45_BINARY = Layout("|   ", java_number, counts=True)
ID3 = Layout("|  ", rounded_number, counts=False)


def layout_of(tree: Tree) -> Layout:
    """Choose the layout by the recipe of the tree; without one, by its splits and labels."""
    if tree.recipe:
        if tree.recipe.get("criterion") == "information-gain":
            return ID3
        return C45_BINARY if tree.recipe.get("nominal") == "one-vs-rest" else C45
    inner = tree.split >= 0
    if (tree.label[~inner] < 0).any() and isinstance(tree.schema.target_column, Nominal):
        return ID3
    return C45_BINARY if (tree.splits.kind[tree.split[inner]] == CODE_SETS).any() else C45


def indentation(step: str, depth: int) -> str:
    """The beginning of a line at some depth.

    Examples
    --------
    >>> indentation("| ", 2), indentation("", 300)
    ('| | ', '[300] ')
    """
    return step * depth if depth <= DEEPEST else f"{step * DEEPEST}[{depth}] "


def body(tree: Tree, layout: Layout) -> str:
    """Write the tree's body in a classic layout, without a newline at the end."""
    if tree.n_children[0] == 0:
        return _leaf(tree, 0, layout)
    lines: list[str] = []
    waiting = [(child, 0) for child in _children_last_first(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        line = indentation(layout.indent, depth) + _condition(tree, node, layout)
        if tree.n_children[node] == 0:
            line += _leaf(tree, node, layout)
        lines.append(line)
        waiting.extend((child, depth + 1) for child in _children_last_first(tree, node))
    return "\n".join(lines)


def _children_last_first(tree: Tree, node: int) -> range:
    first, number = int(tree.first_child[node]), int(tree.n_children[node])
    return range(first + number - 1, first - 1, -1)


def _condition(tree: Tree, node: int, layout: Layout) -> str:
    """The condition of the branch to `node`; only cuts are written differently in this layout."""
    parent = int(tree.parent[node])
    split = int(tree.split[parent])
    column = tree.schema.columns[int(tree.splits.column[split])]
    one_cut = tree.splits.kind[split] == CUTS and tree.splits.n_branches[split] == 2  # noqa: PLR2004
    endless = one_cut and tree.splits.cuts[tree.splits.cut_start[split]] == math.inf
    if not one_cut or endless or isinstance(column, Nominal):
        return str(branch(tree, node, shorten=False))
    below, above = ("<=", ">") if tree.splits.equal_low[split] else ("<", ">=")
    relation = above if tree.splits.interval(split, node - int(tree.first_child[parent])) else below
    cut = float(tree.splits.cuts[tree.splits.cut_start[split]])
    return f"{printable(column.name)} {relation} {layout.number(cut)}"


def _leaf(tree: Tree, node: int, layout: Layout) -> str:
    target = tree.schema.target_column
    label = int(tree.label[node])
    if isinstance(target, Nominal):
        predicted = "null" if label < 0 else printable(target.categories[label])
    else:
        predicted = layout.number(float(tree.value[node, 1]))
    if not layout.counts:
        return f": {predicted}"
    wrong = float(tree.error[node])
    errors = f"/{count(wrong)}" if wrong > SLACK else ""
    return f": {predicted} ({count(float(tree.weight[node]))}{errors})"
