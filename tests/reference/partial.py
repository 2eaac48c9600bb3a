"""Rules of partial trees as the reference program finds them, written to be read: one row after another."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reference.c45_grow import (
    SLACK,
    Counts,
    Options,
    Pieces,
    Split,
    at_least,
    at_most,
    choose_split,
    count,
    entropy_before,
    greater,
    part,
)
from reference.c45_prune import estimated_errors_of

if TYPE_CHECKING:
    from reference.rows import Rows


@dataclass
class Test:
    """One condition of a rule: a branch of a split, and the share of a row whose value is missing."""

    split: Split
    branch: int
    share: float


@dataclass
class Found:
    """A leaf, and the tests that lead to it."""

    counts: Counts
    tests: list[Test] = field(default_factory=list)


def next_branch(counts: Counts, opened: dict[int, Found | None], options: Options) -> int | None:
    """The branch of least entropy that weighs enough and was not looked at; a pure one at once."""
    best, least = None, float("inf")
    for number, weight in enumerate(counts.branches):
        if number in opened or not at_least(weight, options.minimum):
            continue
        entropy = entropy_before(counts.branch(number)) / weight
        if at_most(entropy, 0):
            return number
        if greater(least, entropy):
            best, least = number, entropy
    return best


def find(rows: Rows, pieces: Pieces, options: Options) -> Found | None:
    """The leaf that a partial tree on some rows hands on to; None where the tree is a leaf."""
    split = choose_split(rows, pieces, options)
    if split is None:
        return None
    parts = part(rows, pieces, split, split.counts, options)
    opened: dict[int, Found | None] = {}
    while (number := next_branch(split.counts, opened, options)) is not None:
        opened[number] = find(rows, parts[number], options)
        if opened[number] is not None:
            break
    if not opened:
        return None
    if not any(opened.values()) and options.prune is not None:
        below = sum(estimated_errors_of(split.counts.branch(b), options.confidence) for b in range(len(parts)))
        if at_most(estimated_errors_of(split.counts.merged(), options.confidence), below + 0.1):
            return None
    best, most = -1, -1.0
    for number in sorted(opened):
        leaf = opened[number]
        weight = (split.counts.branch(number) if leaf is None else leaf.counts).total
        if greater(weight, most):
            best, most = number, weight
    leaf = opened[best] or Found(split.counts.branch(best))
    test = Test(split, best, split.counts.branches[best] / split.counts.total)
    return Found(leaf.counts, [test, *leaf.tests])


def covered(rows: Rows, row: int, rule: Found, options: Options) -> float:
    """The share of a row that a rule covers."""
    share = 1.0
    for test in rule.tests:
        branch = test.split.branch(rows, row, options.cut_slack)
        share *= test.share if branch is None else float(branch == test.branch)
    return share


def fit(rows: Rows, options: Options) -> list[Found]:
    """Find all rules; the last covers every row left."""
    left: Pieces = [(row, weight) for row, weight in enumerate(rows.weights) if weight > 0]
    rules: list[Found] = []
    while left:
        rules.append(find(rows, left, options) or Found(count(rows, left)))
        shares = [covered(rows, row, rules[-1], options) for row, _ in left]
        left = [(row, w * (1 - share)) for (row, w), share in zip(left, shares, strict=True) if 1 - share > SLACK]
    return rules
