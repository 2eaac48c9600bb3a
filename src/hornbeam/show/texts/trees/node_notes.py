"""What is shown about a node besides its own split: runner-up splits, surrogates, missing values, and its p-value.

The p-value of a split is that of the chi-square test of its branches against the classes
(`hornbeam.model.trees.split_tests`): how often branches would differ this much or more if the split had nothing to do
with the class. It is not corrected for the search: the split is the best of many.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hornbeam.data.in_words import percent
from hornbeam.show.texts.wording import asked, missing_words, number, runners_up, split_words, surrogates_of, width

if TYPE_CHECKING:
    from hornbeam.model.trees.split_tests import SplitTests
    from hornbeam.model.trees.tree import Tree

LEAST = 1e-4  # smaller p-values are not written as numbers
ALMOST_ALL = 0.995
NOT_CORRECTED = "p: chi-square test of the split, not corrected for the search: the split is the best of many."


def score_and_gap(tree: Tree, node: int, split: int) -> tuple[float, float]:
    """The score of a split and how far it is behind the node's own; NaN if there is no score."""
    score = float(tree.splits.score[split])
    return score, float(tree.splits.score[tree.split[node]]) - score


def runner_up_lines(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """One line per runner-up split: its condition, its score, and its gap to the chosen one, in columns."""
    rows = []
    for split in runners_up(tree, node).tolist():
        score, gap = score_and_gap(tree, node, split)
        rows.append((split_words(tree, split, shorten=shorten), score_text(score), score_text(gap)))
    if not rows:
        return []
    words, scores, gaps = (max(width(row[i]) for row in rows) for i in range(3))
    lines = []
    for text, its_score, its_gap in rows:
        tail = f"  score {its_score.rjust(scores)}" if its_score else ""
        tail += f", gap {its_gap.rjust(gaps)}" if its_gap else ""
        lines.append(text + (" " * (words - width(text)) + tail if tail else ""))
    return lines


def surrogate_lines(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """One line per surrogate split: its condition, and how often it agrees with the node's own split."""
    lines = []
    for split in surrogates_of(tree, node).tolist():
        agreement = math.nan if tree.splits.agreement is None else float(tree.splits.agreement[split])
        tail = "" if math.isnan(agreement) else f"  agrees {percent(agreement)}"
        lines.append(split_words(tree, split, shorten=shorten) + tail)
    return lines


def remarks(tree: Tree, node: int, *, shorten: bool = True) -> list[str]:
    """Everything about an inner node besides its split, as lines under headings; nothing for a leaf."""
    if tree.n_children[node] == 0:
        return []
    lines: list[str] = []
    for head, some in (
        ("Runner-up splits:", runner_up_lines(tree, node, shorten=shorten)),
        ("Surrogates, tried in this order if the value is missing:", surrogate_lines(tree, node, shorten=shorten)),
    ):
        if some:
            lines += [head, *(f"  {line}" for line in some)]
    who = "If all are missing, a row" if len(surrogates_of(tree, node)) else _lacking(tree, node)
    return [*lines, f"{who} {missing_words(tree, node)}."]


def _lacking(tree: Tree, node: int) -> str:
    is_sum = tree.splits.terms_of(int(tree.split[node])) is not None
    return "A row with one of the values missing" if is_sum else "A row with a missing value"


def score_text(value: float) -> str:
    """Write a score with four decimals, small ones with an exponent; nothing if it is NaN."""
    if math.isnan(value):
        return ""
    return f"{value:.3e}" if 0 < abs(value) < 5e-4 else f"{value:.4f}"  # noqa: PLR2004 - four decimals would hide it


def tests_of(tree: Tree) -> SplitTests:
    """Test every split; raise an error if the tree does not predict classes."""
    if tree.task != "classification":
        target = tree.schema.target_column.name
        msg = f"p_values is for trees with a categorical target; the target {target!r} is numeric"
        raise ValueError(msg)
    from hornbeam.model.trees.split_tests import split_tests

    return split_tests(tree)


def p_words(p_value: float) -> str:
    """Write a p-value.

    Examples
    --------
    >>> p_words(0.2689), p_words(0.0254), p_words(0.00034)
    ('p = 0.27', 'p = 0.025', 'p = 0.00034')
    >>> p_words(1e-9), p_words(0.999), p_words(1.0)
    ('p < 0.0001', 'p > 0.99', 'p = 1')
    """
    if p_value < LEAST:
        return f"p < {LEAST:.4f}"
    if p_value >= ALMOST_ALL:
        return "p = 1" if p_value > 1 - LEAST else "p > 0.99"
    return f"p = {number(float(f'{p_value:.2g}'))}"


def test_words(tests: SplitTests, node: int) -> str:
    """Chi-square statistic and degrees of freedom of a node's split."""
    return f"chi-square {tests.statistic[node]:.2f}, {int(tests.degrees[node])} df"


def test_line(tree: Tree, tests: SplitTests, node: int) -> str:
    """Write what an inner node splits on and the p-value of the split."""
    column = asked(tree.splits, int(tree.split[node]), tree.schema.columns)
    return f"({column}: {p_words(math.exp(tests.log_p[node]))}; {test_words(tests, node)})"
