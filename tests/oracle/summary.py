"""The table of `make oracle`: program, scheme, number of sets, identical or not; and what is wrong with it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from oracle import evidence
from oracle.exceptions import EXPLAINED, explained
from oracle.schemes import PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from oracle.chapter import Finding

HEAD = ("program", "scheme", "sets", "identical", "different", "claim")
IDENTITY, ACCURACY = "identical", "as good"


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    program: str
    scheme: str
    sets: int
    identical: int | None  # None: only accuracy, or the fit of clusters, is compared
    different: int | None

    @property
    def cells(self) -> tuple[str, ...]:
        """As text."""
        counts = ["" if count is None else str(count) for count in (self.identical, self.different)]
        return self.program, self.scheme, str(self.sets), *counts, ACCURACY if self.identical is None else IDENTITY


def rows(findings: Iterable[Finding]) -> list[Row]:
    """Count, scheme by scheme, in the order of the programs."""
    found: dict[str, list[Finding]] = defaultdict(list)
    for each in findings:
        found[each.scheme].append(each)
    table = []
    for program, schemes in PROGRAMS.items():
        for scheme in schemes:
            if not found[scheme]:
                continue
            differ = [each.difference for each in found[scheme]]
            judged = None not in differ
            different = sum(bool(each) for each in differ) if judged else None
            identical = len(differ) - different if different is not None else None
            table.append(Row(program, scheme, len(differ), identical, different))
    return table


def total(table: Sequence[Row]) -> str:
    """Say it all in one line."""
    identical = sum(row.identical or 0 for row in table)
    claimed = sum(row.sets for row in table if row.identical is not None)
    return f"{identical} of {claimed} comparisons are identical; {claimed - identical} differ."


def wrong(findings: Sequence[Finding]) -> list[str]:
    """Differences without an explanation, and explanations without a difference."""
    told = [
        f"{each.scheme} on {each.data}: {each.difference}; no explanation in tests/oracle/exceptions.py"
        for each in findings
        if each.difference and each.data not in explained(each.scheme)
    ]
    return told + [
        f"{each.scheme} on {each.data}: identical, although tests/oracle/exceptions.py explains a difference"
        for each in findings
        if each.difference == "" and each.data in explained(each.scheme)
    ]


def explanations(table: Sequence[Row]) -> list[str]:
    """A line for each known difference."""
    shown = {row.scheme for row in table}
    return [f"{each.scheme} on {', '.join(each.sets)}: {each.why}." for each in EXPLAINED if each.scheme in shown]


def unfinished(table: Sequence[Row]) -> list[str]:
    """A line for each answer that the program did not finish."""
    there = {"timeout": "there is no answer", "timeout in cross-validation": "there are no predictions"}
    return [
        f"{row.scheme} on {data}: {there[status]}."
        for row in table
        for data in evidence.answered(row.scheme)
        if (status := evidence.answers(row.scheme, data)["status"]) != "ok"
    ]


def notes(table: Sequence[Row]) -> list[str]:
    """What must be known beside the table."""
    lines = [total(table)]
    for title, found in (
        ("Differences, explained also in docs/compat.md:", explanations(table)),
        ("Runs of the programs that took too long and were stopped:", unfinished(table)),
    ):
        lines += ["", title, "", *[f"* {line}" for line in found]] if found else []
    return lines


def plain(table: Sequence[Row]) -> list[str]:
    """The table for a terminal."""
    cells = [HEAD, *(row.cells for row in table)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(HEAD))]
    numbers = (2, 3, 4)
    return [
        "  ".join(
            text.rjust(width) if place in numbers else text.ljust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def markdown(table: Sequence[Row]) -> list[str]:
    """The table for a page."""
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---|"]
    return lines + ["| " + " | ".join(row.cells) + " |" for row in table]
