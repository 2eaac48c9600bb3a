"""Pruning a C4.5 tree: collapsing, estimated errors with replacement and raising, and errors on held-out rows."""

from __future__ import annotations

import math
import struct
from statistics import NormalDist
from typing import TYPE_CHECKING

from reference.c45_grow import Counts, Node, Options, Pieces, at_least, at_most, completed, count, equal, part

if TYPE_CHECKING:
    from reference.rows import Rows


def training_errors(node: Node) -> float:
    """Weight misclassified by the leaves below."""
    if not node.children:
        return node.counts.errors()
    return sum(training_errors(child) for child in node.children)


def collapse(node: Node) -> None:
    """From the root down, make a leaf of every subtree that is no better on its own rows."""
    if not node.children:
        return
    if training_errors(node) >= node.counts.errors() - 1e-3:
        node.become_leaf()
    for child in node.children:
        collapse(child)


def single(number: float) -> float:
    """Round to a 32-bit float."""
    (rounded,) = struct.unpack("f", struct.pack("f", number))
    return float(rounded)


def extra_errors(weight: float, errors: float, confidence: float) -> float:
    """How many errors more than were seen are to be expected of a leaf."""
    confidence = single(confidence)
    if errors < 1:
        none = weight * (1 - math.pow(confidence, 1 / weight))
        return none if errors == 0 else none + errors * (extra_errors(weight, 1, confidence) - none)
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    z = NormalDist().inv_cdf(single(1 - confidence))
    f = (errors + 0.5) / weight
    spread = z * math.sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight))
    return (f + z * z / (2 * weight) + spread) / (1 + z * z / weight) * weight - errors


def estimated_errors_of(counts: Counts, confidence: float) -> float:
    """Errors seen and errors to be expected on top, were the counts a leaf."""
    if equal(counts.total, 0):
        return 0.0
    return counts.errors() + extra_errors(counts.total, counts.errors(), confidence)


def estimated_errors(node: Node, confidence: float) -> float:
    """Sum the estimates of the leaves below."""
    if not node.children:
        return estimated_errors_of(node.counts, confidence)
    return sum(estimated_errors(child, confidence) for child in node.children)


def recounted(rows: Rows, node: Node, pieces: Pieces, options: Options) -> Counts:
    """Count other rows with a node's split."""
    if node.split is None:
        return count(rows, pieces)
    table = [[0.0] * len(rows.classes) for _ in node.children]
    for row, weight in pieces:
        branch = node.split.branch(rows, row, options.cut_slack)
        if branch is not None:
            table[branch][rows.of_class(row)] += weight
    return completed(rows, Counts(table), pieces, node.split.column)


def estimated_errors_with(rows: Rows, node: Node, pieces: Pieces, options: Options) -> float:
    """Estimate a subtree's errors as if other rows had reached it."""
    counts = recounted(rows, node, pieces, options)
    if node.split is None:
        return estimated_errors_of(counts, options.confidence)
    parts = part(rows, pieces, node.split, counts, options)
    return sum(
        estimated_errors_with(rows, child, below, options) for child, below in zip(node.children, parts, strict=True)
    )


def recount(rows: Rows, node: Node, pieces: Pieces, options: Options) -> None:
    """Let other rows reach a subtree."""
    node.counts, node.pieces = recounted(rows, node, pieces, options), pieces
    if node.split is None:
        if not equal(node.counts.total, 0):
            node.empty = False
        return
    parts = part(rows, pieces, node.split, node.counts, options)
    for child, below in zip(node.children, parts, strict=True):
        recount(rows, child, below, options)


def largest_branch(counts: Counts) -> int:
    """Find the branch with the greatest weight; the last on a tie."""
    best, best_weight = 0, 0.0
    for number, weight in enumerate(counts.branches):
        if at_least(weight, best_weight):
            best, best_weight = number, weight
    return best


def prune(rows: Rows, node: Node, options: Options) -> None:
    """Bottom up, put a leaf or the largest branch in a node's place where the estimated errors say so."""
    if not node.children:
        return
    for child in node.children:
        prune(rows, child, options)
    largest = node.children[largest_branch(node.counts)]
    as_branch = estimated_errors_with(rows, largest, node.pieces, options) if options.raising else math.inf
    as_leaf = estimated_errors_of(node.counts, options.confidence)
    as_tree = estimated_errors(node, options.confidence)
    if at_most(as_leaf, as_tree + 0.1) and at_most(as_leaf, as_branch + 0.1):
        node.become_leaf()
    elif at_most(as_branch, as_tree + 0.1):
        node.split, node.children, node.counts = largest.split, largest.children, largest.counts
        recount(rows, node, node.pieces, options)
        prune(rows, node, options)


def hold_out(rows: Rows, node: Node, pieces: Pieces, options: Options) -> None:
    """Send the pruning rows down the grown tree, with the shares of the growing rows."""
    if node.split is None:
        node.held_out = count(rows, pieces)
        return
    parts = part(rows, pieces, node.split, node.counts, options)
    node.held_out = Counts([count(rows, below).table[0] for below in parts])
    for child, below in zip(node.children, parts, strict=True):
        hold_out(rows, child, below, options)


def held_out_errors(node: Node, majority: int) -> float:
    """Pruning rows that a leaf with the given majority class would get wrong."""
    return node.held_out.total - node.held_out.classes[majority]


def held_out_errors_below(node: Node) -> float:
    """Pruning rows that the subtree gets wrong; a branch without growing rows answers with the node's majority."""
    if not node.children:
        return held_out_errors(node, node.counts.majority())
    errors = 0.0
    for number, child in enumerate(node.children):
        if equal(node.counts.branches[number], 0):
            branch = node.held_out.branch(number)
            errors += branch.total - branch.classes[node.counts.majority()]
        else:
            errors += held_out_errors_below(child)
    return errors


def prune_by_held_out_rows(node: Node) -> None:
    """Bottom up, make a leaf of every subtree that is no better on the pruning rows."""
    for child in node.children:
        prune_by_held_out_rows(child)
    if node.children and at_most(held_out_errors(node, node.counts.majority()), held_out_errors_below(node)):
        node.become_leaf()
