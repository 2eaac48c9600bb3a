"""Write RESULTS-jrip.md: RIPPER's rules against the reference program, and the default against its accuracy.

Run in the folder `tests` as ``python -m oracle.jrip_results``; the exit status is 1 if anything differs or is left out.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path

import numpy as np
from oracle.rule_answers import rule_answer
from oracle.test_jrip import BAR, NO_ANSWER, OPTIONS, SEEDS, SHARED, SMALL, better_by, body_of, learner

from hornbeam.show import text

HERE = Path(__file__).resolve().parent
EXPECTED = 124


def compared(pair: tuple[str, str]) -> tuple[tuple[str, str], str, float | None]:
    """Scheme and set, how it came out, and for JRip by how many points the default is better."""
    scheme, data = pair
    stored = rule_answer(scheme, data)
    told = "same" if text(learner(scheme).fit(stored.table), style="weka") == body_of(stored) else "**text differs**"
    differing = int(np.sum(stored.cross_validated(lambda: learner(scheme)) != stored.codes))
    told += f"; **{differing} predictions differ**" if differing else ""
    return pair, told, better_by(data) if scheme == "JRip" else None


def main() -> int:
    """Compare everything and write the page."""
    pairs = sorted({*SMALL, *SHARED} - NO_ANSWER, key=lambda pair: pair[1])
    with ProcessPoolExecutor(cpu_count()) as pool:
        found = {pair: (told, points) for pair, told, points in pool.map(compared, pairs)}
    points = {data: points for (_, data), (_, points) in found.items() if points is not None}
    mean = float(np.mean(list(points.values()))) if points else np.nan
    same = sum(told == "same" for told, _ in found.values())
    lines = [
        "# RIPPER against the reference program",
        "",
        'Written by `make oracle`. *same*: with `compat="weka"` the text of the rules is identical, character by',
        "character, and so is every cross-validated prediction. (For letter the program has no answer.)",
        "",
        f"{same} of {len(found)} are identical. The default `RipperClassifier`, on the same folds, means of",
        f"{len(SEEDS)} seeds: {mean:+.2f} points of accuracy against JRip, on average over {len(points)} sets",
        f"(bar: {BAR}).",
        "",
        "| set | " + " | ".join(OPTIONS) + " | the default better by |",
        "|---|" + "---|" * (len(OPTIONS) + 1),
    ]
    for data in sorted({data for _, data in found}):
        cells = [found.get((scheme, data), ("", None))[0] for scheme in OPTIONS]
        lines.append(f"| {data} | " + " | ".join(cells) + f" | {points[data]:+.2f} |")
    (HERE / "RESULTS-jrip.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(" ".join(lines[5:8]) + "\n")
    return 0 if same == len(found) == EXPECTED and mean >= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
