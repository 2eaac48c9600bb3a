"""One subject of `make oracle`: what is compared, what came of it, and how it is written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Finding:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str | None  # what is not identical, empty if all is; None: only accuracy is compared


@dataclass(frozen=True)
class Chapter:
    """A subject. Its functions are called in other processes, so they belong to modules."""

    title: str
    pairs: Callable[[], list[tuple[str, str]]]  # of scheme and set
    compare: Callable[[str, str], Any]  # one of them
    findings: Callable[[list[Any]], list[Finding]]  # one per comparison
    complaints: Callable[[list[Any]], list[str]]  # limits on accuracy that are not kept
    page: Callable[[list[Any]], list[str]]  # lines below the title


def no_complaints(_: list[Any]) -> list[str]:
    """For a chapter in which everything must be identical: findings say it all."""
    return []


def cell(difference: str | None) -> str:
    """One comparison in a table: same, or what differs in bold; nothing where there was no comparison."""
    if difference is None:
        return ""
    return f"**{difference}**" if difference else "same"


def identity_table(found: Sequence[Finding], schemes: Sequence[str]) -> list[str]:
    """Write a table: a row for each set and a column for each scheme."""
    cells = {(each.scheme, each.data): cell(each.difference) for each in found}
    lines = ["| set | " + " | ".join(schemes) + " |", "|---|" + "---|" * len(schemes)]
    return lines + [
        f"| {data} | " + " | ".join(cells.get((scheme, data), "") for scheme in schemes) + " |"
        for data in sorted({each.data for each in found})
    ]


def count_same(found: Sequence[Finding]) -> str:
    """Say how many comparisons are identical."""
    return f"{sum(not each.difference for each in found)} of {len(found)} comparisons are identical."
