"""C4.5 as the reference program runs it, written to be read: no arrays, no cleverness.

Growing is in `c45_grow`, pruning in `c45_prune`, the classic text in `c45_text`; here they are put together, and used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reference.c45_grow import SLACK, Counts, Node, Options, Split, equal, greater, grow
from reference.c45_prune import collapse, hold_out, prune, prune_by_held_out_rows
from reference.c45_text import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reference.rows import Rows

__all__ = ["SLACK", "Counts", "Node", "Options", "Split", "fit", "greater", "predict", "probabilities", "text"]


def fit(rows: Rows, options: Options) -> Node:
    """Grow, collapse and prune as the options say."""
    if options.prune == "reduced-error":
        assert options.grow_rows is not None
        assert options.prune_rows is not None
        root = grow(rows, [(row, rows.weights[row]) for row in options.grow_rows], options)
        hold_out(rows, root, [(row, rows.weights[row]) for row in options.prune_rows], options)
        prune_by_held_out_rows(root)
        return root
    root = grow(rows, [(row, weight) for row, weight in enumerate(rows.weights) if weight > 0], options)
    if options.collapse:
        collapse(root)
    if options.prune == "pessimistic":
        prune(rows, root, options)
    return root


def shares(counts: Counts, *, laplace: bool) -> list[float]:
    """Class shares of some counts."""
    total, classes = counts.total, counts.classes
    if laplace:
        return [(weight + 1) / (total + len(classes)) for weight in classes]
    return [weight / total if not equal(total, 0) else 0.0 for weight in classes]


def probabilities(node: Node, rows: Rows, row: int, options: Options) -> list[float]:
    """Class probabilities of one row, which need not be one of those learned from."""
    if node.split is None:
        return shares(node.counts, laplace=options.laplace)
    branch = node.split.branch(rows, row, options.cut_slack)
    if branch is not None:
        child = node.children[branch]
        if not child.empty:
            return probabilities(child, rows, row, options)
        reached = greater(node.counts.branches[branch], 0)
        return shares(node.counts.branch(branch) if reached else node.counts, laplace=options.laplace)
    result = [0.0] * len(rows.classes)
    for child, weight in zip(node.children, node.counts.branches, strict=True):
        if not child.empty:
            for code, probability in enumerate(probabilities(child, rows, row, options)):
                result[code] += weight / node.counts.total * probability
    return result


def first_maximum(numbers: Sequence[float]) -> int:
    """Position of the greatest number; the first on a tie."""
    return max(range(len(numbers)), key=lambda position: (numbers[position], -position))


def predict(node: Node, rows: Rows, row: int, options: Options) -> int:
    """Predicted class of one row."""
    return first_maximum(probabilities(node, rows, row, options))
