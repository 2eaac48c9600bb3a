"""A C4.5 tree in the classic layout, and numbers as Java prints them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reference.c45_grow import Counts, Node, Options, Split, greater

if TYPE_CHECKING:
    from reference.rows import Rows


def text(node: Node, rows: Rows, options: Options) -> str:
    """Write the tree in the classic layout."""
    if node.split is None:
        return f": {label(node.counts, 0, rows)}"
    return "\n".join(lines(node, rows, options, 0))


def lines(node: Node, rows: Rows, options: Options, depth: int) -> list[str]:
    """One line for each branch, followed by what is below it."""
    written: list[str] = []
    assert node.split is not None
    for number, child in enumerate(node.children):
        line = "|   " * depth + condition(node.split, number, rows, options)
        if child.split is None:
            written.append(f"{line}: {label(node.counts, number, rows)}")
        else:
            written.append(line)
            written.extend(lines(child, rows, options, depth + 1))
    return written


def condition(split: Split, branch: int, rows: Rows, options: Options) -> str:
    """What a row must satisfy to take a branch."""
    column = rows.columns[split.column]
    if split.cut is not None:
        cut = java_number(split.cut) if options.one_vs_rest else six_decimals(split.cut)
        return f"{column.name} {'<=' if branch == 0 else '>'} {cut}"
    assert column.categories is not None
    if split.category is not None:
        return f"{column.name} {'=' if branch == 0 else '!='} {column.categories[split.category]}"
    return f"{column.name} = {column.categories[branch]}"


def label(counts: Counts, branch: int, rows: Rows) -> str:
    """Class of a leaf with the weight that reaches it and the weight misclassified, as its parent counts them."""
    here = counts.branch(branch)
    majority = (here if greater(here.total, 0) else counts).majority()
    errors = here.total - here.classes[majority]
    wrong = f"/{two_decimals(errors)}" if greater(errors, 0) else ""
    return f"{rows.classes[majority]} ({two_decimals(here.total)}{wrong})"


def two_decimals(number: float) -> str:
    """At most two decimals, halves rounded up, at least one decimal shown."""
    return java_number(math.floor(number * 100 + 0.5) / 100)


def six_decimals(number: float) -> str:
    """At most six decimals, halves rounded away from zero, no trailing zeros."""
    whole = math.floor(abs(number) * 1e6 + 0.5)
    digits = f"{whole // 10**6}.{whole % 10**6:06d}".rstrip("0").rstrip(".")
    return f"-{digits}" if number < 0 and whole else digits


def java_number(number: float) -> str:
    """Write a number as Java does: the shortest digits that read back, with an exponent outside [0.001, 10^7)."""
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(float(number)) if "e" not in repr(float(number)) else f"{number:.1f}"
    mantissa, exponent = f"{number:e}".split("e")
    for digits in range(17):
        mantissa, exponent = f"{number:.{digits}e}".split("e")
        if float(f"{mantissa}e{exponent}") == number:
            break
    if "." not in mantissa:
        mantissa += ".0"
    return f"{mantissa}E{int(exponent)}"
