"""Write RESULTS.md: for every scheme and set, whether tree and predictions are the reference program's.

Run in the folder `tests` as ``python -m oracle.results``; the exit status is 1 if anything differs or is left out.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path

from oracle.answers import SCHEMES, shared_pairs, small_pairs
from oracle.compare import Outcome, compare

EXPECTED = 284  # pairs of scheme and set with a stored answer


def _compare(pair: tuple[str, str]) -> Outcome:
    return compare(*pair)


def cell(outcome: Outcome | None) -> str:
    """Say how one comparison came out."""
    if outcome is None:
        return ""
    if outcome.text_identical and outcome.predictions_identical:
        return "same"
    tree, rows = "same", "same"
    if outcome.differing_lines:
        tree = f"{len(outcome.differing_lines)} lines differ"
        if outcome.neighbouring_cuts:
            tree += f" ({len(outcome.neighbouring_cuts)} of them by a neighbouring cut)"
    if outcome.differing_rows:
        rows = f"{len(outcome.differing_rows)} rows differ"
    return f"**tree: {tree}; predictions: {rows}**"


def page(outcomes: list[Outcome]) -> str:
    """Write the table of results, a row for each set and a column for each scheme."""
    found = {(outcome.scheme, outcome.data): outcome for outcome in outcomes}
    same = sum(outcome.text_identical and outcome.predictions_identical for outcome in outcomes)
    lines = [
        "# Trees against the reference program",
        "",
        "Written by `make oracle`. *same*: the printed tree is identical (against the newer version, `w39`, up to the",
        "rounding of printed numbers), and so is the cross-validated prediction of every row. A neighbouring cut is",
        "the column's next value, with all else in the line the same. An empty cell: there is no stored answer.",
        "",
        f"{same} of {len(outcomes)} comparisons are identical.",
        "",
        "| set | " + " | ".join(SCHEMES) + " |",
        "|---|" + "---|" * len(SCHEMES),
    ]
    for data in sorted({outcome.data for outcome in outcomes}):
        cells = [cell(found.get((scheme, data))) for scheme in SCHEMES]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Compare everything and write the page."""
    # Set by set, so that a worker reads a set once; large ones last would leave a worker alone at the end.
    pairs = sorted(small_pairs() + shared_pairs(), key=lambda pair: pair[1])
    with ProcessPoolExecutor(cpu_count()) as pool:
        outcomes = list(pool.map(_compare, pairs, chunksize=len(SCHEMES)))
    Path(__file__).with_name("RESULTS.md").write_text(page(outcomes), encoding="utf-8")
    wrong = [outcome for outcome in outcomes if not (outcome.text_identical and outcome.predictions_identical)]
    for outcome in wrong:
        sys.stderr.write(f"{outcome.scheme} on {outcome.data}: {cell(outcome)}\n")
    if len(outcomes) != EXPECTED:
        sys.stderr.write(f"{len(outcomes)} answers were compared; expected {EXPECTED}\n")
    return 1 if wrong or len(outcomes) != EXPECTED else 0


if __name__ == "__main__":
    sys.exit(main())
