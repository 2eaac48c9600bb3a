"""What stands beside a node's own split: runner-up splits, surrogates, and the way of missing values, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.show.texts.wording import missing_words, runners_up, split_words, surrogates_of, width

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree


def score_and_gap(tree: Tree, node: int, split: int) -> tuple[float, float]:
    """Give a split's score and how far it lies behind the node's own; NaN where there is none."""
    score = float(tree.splits.score[split])
    return score, float(tree.splits.score[tree.split[node]]) - score


def runner_up_lines(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """One line a runner-up split: what it asks, its score, and its gap to the chosen one, in columns."""
    found = []
    for split in runners_up(tree, node).tolist():
        score, gap = score_and_gap(tree, node, split)
        found.append((split_words(tree, split, shorten=shorten), figure(score), figure(gap)))
    if not found:
        return []
    words, scores, gaps = (max(width(row[place]) for row in found) for place in range(3))
    lines = []
    for text, score_text, gap_text in found:
        tail = f"  score {score_text.rjust(scores)}" if score_text else ""
        tail += f", gap {gap_text.rjust(gaps)}" if gap_text else ""
        lines.append(text + (" " * (words - width(text)) + tail if tail else ""))
    return lines


def surrogate_lines(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """One line a surrogate split: what it asks, and how often it answers as the node's own."""
    found = []
    for split in surrogates_of(tree, node).tolist():
        agreement = math.nan if tree.splits.agreement is None else float(tree.splits.agreement[split])
        told = "" if math.isnan(agreement) else f"  agrees {percent(agreement)}"
        found.append(split_words(tree, split, shorten=shorten) + told)
    return found


def remarks(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """Everything beside an inner node's split, as lines under headings; nothing at a leaf."""
    if tree.n_children[node] == 0:
        return []
    lines: list[str] = []
    for head, some in (
        ("Runner-up splits:", runner_up_lines(tree, node, shorten=shorten)),
        ("Surrogates, asked in turn where the value is missing:", surrogate_lines(tree, node, shorten=shorten)),
    ):
        if some:
            lines += [head, *(f"  {line}" for line in some)]
    who = "Without these, a row" if len(surrogates_of(tree, node)) else _lacking(tree, node)
    return [*lines, f"{who} {missing_words(tree, node)}."]


def _lacking(tree: Tree, node: int) -> str:
    is_sum = tree.splits.terms_of(int(tree.split[node])) is not None
    return "A row without one of the values" if is_sum else "A row without the value"


def figure(value: float) -> str:
    """Write a score with four decimals, small ones with an exponent; nothing where there is none."""
    if math.isnan(value):
        return ""
    return f"{value:.3e}" if 0 < abs(value) < 5e-4 else f"{value:.4f}"  # noqa: PLR2004 - four decimals would hide it
