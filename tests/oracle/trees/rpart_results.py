"""The chapter on CART: whether its trees, complexities and importances are rpart's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from oracle.chapter import Chapter, Finding, count_same, identity_table, no_complaints
from oracle.trees.rpart_answers import SCHEMES, large_pairs, small_pairs
from oracle.trees.rpart_compare import READ_OTHERWISE, compare

if TYPE_CHECKING:
    from oracle.trees.rpart_compare import RpartOutcome

PRINTED_DIGIT = "one printed digit"


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return small_pairs() + large_pairs()


def difference(outcome: RpartOutcome) -> str:
    """Say what differs."""
    wrong = [f"{len(outcome.differing_lines)} lines differ"] if outcome.differing_lines else []
    wrong += [f"complexity table: {outcome.table}"] if outcome.table else []
    wrong += [f"importance: {outcome.importance}"] if outcome.importance else []
    if not wrong and (outcome.scheme, outcome.data) in READ_OTHERWISE:
        return PRINTED_DIGIT
    return "; ".join(wrong)


def findings(outcomes: list[RpartOutcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, difference(each)) for each in outcomes]


def page(outcomes: list[RpartOutcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    found = findings(outcomes)
    return [
        "*same*: the printed tree is identical, byte for byte, so is the complexity table (except for the",
        "cross-validated columns), and importances agree to one part in a million. An empty cell: there is no stored",
        "answer.",
        "",
        count_same(found),
        "",
        *identity_table(found, SCHEMES),
    ]


CHAPTER = Chapter("CART", pairs, compare, findings, no_complaints, page)
