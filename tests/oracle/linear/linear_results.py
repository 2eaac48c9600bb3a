"""The chapter on linear equations: whether equation and predictions are WEKA's."""

from __future__ import annotations

from oracle.chapter import Chapter, Finding, count_same, no_complaints
from oracle.linear.linear_answers import SCHEME, large_sets, small_sets
from oracle.linear.linear_compare import LinearOutcome, compare


def pairs() -> list[tuple[str, str]]:
    """The scheme with every set."""
    return [(SCHEME, data) for data in small_sets() + large_sets()]


def compared(_: str, data: str) -> LinearOutcome:
    """Compare one set."""
    return compare(data)


def difference(outcome: LinearOutcome) -> str:
    """Say what differs."""
    wrong = [f"{len(outcome.differing_lines)} lines differ"] if outcome.differing_lines else []
    if not outcome.predictions_same:
        wrong.append(f"predictions differ by up to {outcome.farthest:.1g} of their size")
    if not outcome.correlation_same:
        wrong.append(f"correlation {outcome.correlation:.7f}, not {outcome.stored_correlation:.7f}")
    return "; ".join(wrong)


def findings(outcomes: list[LinearOutcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(SCHEME, each.data, difference(each)) for each in outcomes]


def page(outcomes: list[LinearOutcome]) -> list[str]:
    """A row for each set."""
    lines = [
        "*same*: the printed equation is identical to the last character, and the cross-validated predictions of all",
        "rows agree to the printed figures.",
        "",
        count_same(findings(outcomes)),
        "",
        "| set | terms | correlation in cross-validation | WEKA's | equation and predictions |",
        "|---|---:|---:|---:|---|",
    ]
    for each in outcomes:
        told = f"**{difference(each)}**" if difference(each) else "same"
        figures = f"{each.terms} | {each.correlation:.6f} | {each.stored_correlation:.6f}"
        lines.append(f"| {each.data} | {figures} | {told} |")
    return lines


CHAPTER = Chapter("Linear equations", pairs, compared, findings, no_complaints, page)
