"""The chapter on trees: whether printed tree and predictions of C4.5 and ID3 are WEKA's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracle.chapter import Chapter, Finding, count_same, identity_table, no_complaints
from oracle.trees.answers import SCHEMES, large_pairs, small_pairs
from oracle.trees.compare import compare

if TYPE_CHECKING:
    from oracle.trees.compare import Outcome


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return small_pairs() + large_pairs()


def difference(outcome: Outcome) -> str:
    """Say what differs."""
    wrong = []
    if outcome.differing_lines:
        wrong.append(f"{len(outcome.differing_lines)} lines differ")
        if outcome.neighboring_cuts:
            wrong[0] += f" ({len(outcome.neighboring_cuts)} of them by a neighboring cut)"
    if outcome.differing_rows:
        wrong.append(f"{len(outcome.differing_rows)} predictions differ")
    return "; ".join(wrong)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, difference(each)) for each in outcomes]


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    found = findings(outcomes)
    return [
        "*same*: the printed tree is identical (against WEKA 3.9.7, `w39`, up to the rounding of printed numbers), and",
        "so is the cross-validated prediction of every row. A neighboring cut is the column's next value, with all",
        "else in the line the same. An empty cell: there is no stored answer.",
        "",
        count_same(found),
        "",
        *identity_table(found, SCHEMES),
    ]


CHAPTER = Chapter("C4.5 and ID3", pairs, compare, findings, no_complaints, page)
