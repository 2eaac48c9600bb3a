"""Write RESULTS-m5.md: model trees and rules against the reference program, and the default against its accuracy.

Run in the folder `tests` as ``python -m oracle.m5_results``; the exit status is 1 if anything differs or is left out.
"""

from __future__ import annotations

import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count
from pathlib import Path

import numpy as np
from oracle.m5_answers import SCHEMES, model_answer, shared_pairs, small_pairs
from oracle.test_m5 import body, cross_validated, learner

from hornbeam.learn.trees.m5 import M5Regressor

HERE = Path(__file__).resolve().parent
EXPECTED = 68
BAR = 1.005


def compared(pair: tuple[str, str]) -> tuple[str, str, str, float | None]:
    """Scheme, set, how it came out, and for M5P the ratio of the default's error to the program's."""
    warnings.simplefilter("ignore")
    scheme, data = pair
    stored = model_answer(scheme, data)
    told = "same" if stored.same_text(*body(stored)) else "**text differs**"
    truth = stored.table.target_values()
    known = ~np.isnan(truth)
    if stored.correlation is None:
        return scheme, data, f"{told}; no folds", None
    ours = cross_validated(stored, lambda: learner(scheme))
    correlation = float(np.corrcoef(ours[known], truth[known])[0, 1])
    if abs(correlation - stored.correlation) > 1e-7:
        told += f"; **correlation {correlation:.4f} / {stored.correlation:.4f}**"
    if scheme != "M5P":
        return scheme, data, told, None
    own = cross_validated(stored, M5Regressor)
    ratio = float(np.sqrt(np.mean((own - truth)[known] ** 2) / np.mean((ours - truth)[known] ** 2)))
    return scheme, data, told, ratio


def main() -> int:
    """Compare everything and write the page."""
    pairs = sorted(small_pairs() + shared_pairs(), key=lambda pair: pair[1])
    with ProcessPoolExecutor(cpu_count()) as pool:
        found = {(scheme, data): (told, ratio) for scheme, data, told, ratio in pool.map(compared, pairs)}
    ratios = {data: ratio for (_, data), (_, ratio) in found.items() if ratio is not None}
    mean = float(np.exp(np.mean(np.log(list(ratios.values()))))) if ratios else np.nan
    same = sum(told.startswith("same") and "**" not in told for told, _ in found.values())
    lines = [
        "# Model trees and rules against the reference program",
        "",
        'Written by `make oracle`. *same*: with `compat="weka"` the text of tree or rules and equations is identical,',
        "character by character, and so is the correlation of cross-validated predictions with the truth.",
        "",
        f"{same} of {len(found)} are identical. The default `M5Regressor`, on the same folds: the root mean squared",
        f"error is {mean:.4f} of M5P's in the geometric mean over {len(ratios)} sets (bar: {BAR}).",
        "",
        "| set | " + " | ".join(SCHEMES) + " | error of the default / M5P |",
        "|---|" + "---|" * (len(SCHEMES) + 1),
    ]
    for data in sorted({data for _, data in found}):
        cells = [found.get((scheme, data), ("", None))[0] for scheme in SCHEMES]
        lines.append(f"| {data} | " + " | ".join(cells) + f" | {ratios.get(data, np.nan):.3f} |")
    (HERE / "RESULTS-m5.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    sys.stdout.write(lines[5] + "\n" + lines[6] + "\n")
    return 0 if same == len(found) == EXPECTED and mean <= BAR else 1


if __name__ == "__main__":
    sys.exit(main())
