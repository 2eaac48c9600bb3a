"""Write RESULTS-part.md: PART's rules against the reference program, and C4.5rules against its trees.

Run in the folder `tests` as ``python -m oracle.part_results``; the exit status is 1 if anything differs or is left out.
"""

from __future__ import annotations

import sys
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path

import numpy as np
from oracle import test_c45rules
from oracle.rule_answers import rule_answer
from oracle.test_part import BAR, NEWER, OPTIONS, SHARED, SMALL, WITHOUT_FOLDS, better_by, body_of, learner

from hornbeam.show import text

HERE = Path(__file__).resolve().parent
EXPECTED = 137  # pairs of scheme and set with a stored answer
SCHEMES = (*OPTIONS, *NEWER)


def compared(pair: tuple[str, str]) -> str:
    """How one set came out by one scheme."""
    stored = rule_answer(*pair)
    told = "same" if text(learner(pair[0]).fit(stored.table), style="weka") == body_of(stored) else "**text differs**"
    if stored.predictions is None:
        return told
    differing = int(np.sum(stored.cross_validated(lambda: learner(pair[0])) != stored.codes))
    return told + (f"; **{differing} predictions differ**" if differing else "")


def main() -> int:
    """Compare everything and write the page."""
    pairs = sorted(SMALL + SHARED, key=lambda pair: pair[1])
    sets = sorted(data for data in test_c45rules.SMALL + test_c45rules.SHARED if data not in test_c45rules.SLOW)
    judged = [data for scheme, data in pairs if scheme == "PART" and (scheme, data) not in WITHOUT_FOLDS]
    with ProcessPoolExecutor(cpu_count()) as pool:
        points = dict(zip(judged, pool.map(better_by, judged), strict=True))
        found = dict(zip(pairs, pool.map(compared, pairs), strict=True))
        simplified = dict(zip(sets, pool.map(test_c45rules.compared, sets), strict=True))
    same = sum(told == "same" for told in found.values())
    mean = float(np.mean([better for better, _, _ in simplified.values()]))
    default = float(np.mean(list(points.values())))
    ours, trees = (sum(counts[place] for counts in simplified.values()) for place in (1, 2))
    lines = [
        "# Rules from trees against the reference program",
        "",
        'Written by `make oracle`. *same*: with `compat="weka"` (`w39`: "weka-3.9") the text of PART\'s rules is',
        "identical, character by character, and so is every cross-validated prediction where there is one.",
        "",
        f"{same} of {len(found)} are identical. On the same folds, the default `PartClassifier`: {default:+.2f} points",
        f"of accuracy against PART, on average over {len(points)} sets (bar: {BAR}). C4.5rules: {mean:+.2f} against",
        f"J48's tree, over {len(sets)} sets (bar: {test_c45rules.BAR}), with {ours} conditions against its {trees}.",
        "",
        "| set | " + " | ".join(SCHEMES) + " | default better by | C4.5rules better by | conditions | of the tree |",
        "|---|" + "---|" * (len(SCHEMES) + 4),
    ]
    for data in sorted({data for _, data in found}):
        cells = [found.get((scheme, data), "") for scheme in SCHEMES]
        cells.append(f"{points[data]:+.2f}" if data in points else "")
        figures = simplified.get(data)
        cells += ["", "", ""] if figures is None else [f"{figures[0]:+.2f}", str(figures[1]), str(figures[2])]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    (HERE / "RESULTS-part.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(" ".join(lines[5:8]) + "\n")
    met = default >= BAR and mean >= test_c45rules.BAR and ours < trees
    return 0 if same == len(found) == EXPECTED and met else 1


if __name__ == "__main__":
    sys.exit(main())
