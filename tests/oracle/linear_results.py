"""Write RESULTS-linear.md: for every set, whether equation and predictions are the reference program's.

Run in the folder `tests` as ``python -m oracle.linear_results``; it exits with 1 if anything differs or is missing.
"""

from __future__ import annotations

import sys
from pathlib import Path

from oracle.linear_answers import shared_sets, small_sets
from oracle.linear_compare import LinearOutcome, compare

EXPECTED = 15  # sets with a stored answer


def page(outcomes: list[LinearOutcome]) -> str:
    """Write the table of results, a row for each set."""
    same = sum(outcome.same for outcome in outcomes)
    lines = [
        "# Linear equations against the reference program",
        "",
        "Written by `make oracle`. *same*: the printed equation is identical to the last character, and the",
        "cross-validated predictions of all rows agree to the printed figures.",
        "",
        f"{same} of {len(outcomes)} sets are the same.",
        "",
        "| set | terms | equation | correlation in cross-validation | there | predictions |",
        "|---|---:|---|---:|---:|---|",
    ]
    for outcome in outcomes:
        equation = f"**{len(outcome.differing_lines)} lines differ**" if outcome.differing_lines else "same"
        lines.append(
            f"| {outcome.data} | {outcome.terms} | {equation} | {outcome.correlation:.6f} | "
            f"{outcome.stored_correlation:.6f} | {'same' if outcome.same else '**differ**'} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare everything and write the page."""
    outcomes = [compare(data) for data in sorted(small_sets() + shared_sets())]
    Path(__file__).with_name("RESULTS-linear.md").write_text(page(outcomes), encoding="utf-8")
    wrong = [outcome.data for outcome in outcomes if not outcome.same]
    if wrong or len(outcomes) != EXPECTED:
        differ = ", ".join(wrong) or "none"
        sys.stderr.write(f"{len(outcomes)} of {EXPECTED} sets were compared; these differ: {differ}\n")
    return 1 if wrong or len(outcomes) != EXPECTED else 0


if __name__ == "__main__":
    sys.exit(main())
