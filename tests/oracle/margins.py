"""Hold support vector machines against the reference program's SMO: as accurate, and the same answer for most rows.

Run in the folder `tests` as ``python -m oracle.margins``; it writes RESULTS-margins.md, and the exit status is 1 if a
bar is not met.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import quality
from oracle.answers import folds, small_sets
from oracle.compare import table_of
from oracle.lazy import Outcome, agreement
from oracle.quality import average, class_cell, classes_in, judged, table_rows

from hornbeam.data.schema import Nominal
from hornbeam.learn.compat_weka import cross_validation_folds
from hornbeam.learn.svm.classifier import SVMClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
SETS = {"SMO": 30, "SMO-RBF": 29}  # with classes and a stored answer
NO_ANSWER = ("SMO-RBF", "kr-vs-kp")  # the other program was stopped before it had one
MOST_POINTS = 0.5  # percentage points by which the average may differ
LEARNERS: dict[str, Callable[[], Any]] = {
    "SMO": lambda: SVMClassifier(kernel="linear"),
    "SMO-RBF": lambda: SVMClassifier(kernel="rbf", gamma=0.01),
}
SCHEMES = tuple(LEARNERS)


@cache
def _small() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads((HERE / "margins_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in sorted(_small()[scheme])]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set with classes; none where the shared folder is absent."""
    pairs = [pair for pair in quality.shared_pairs(SCHEMES) if pair != NO_ANSWER]
    return [pair for pair in pairs if isinstance(table_of(folds(pair[1]).arff).schema.target_column, Nominal)]


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the other program's folds and compare with the stored predictions."""
    table = table_of(folds(data).arff)
    predicted = np.empty(table.n_rows)
    for train, test in cross_validation_folds(table.target_values()):
        predicted[test] = LEARNERS[scheme]().fit(table.take(train)).model_.predict(table.take(test))
    stored = {"pred": _small()[scheme][data]} if data in small_sets() else quality.stored_answer(scheme, data)
    agreeing = int(np.sum(predicted == classes_in(stored["pred"])))
    return Outcome(judged(scheme, data, predicted[np.newaxis], stored), table.n_rows, agreeing)


def complaints(scheme: str, found: list[Outcome]) -> list[str]:
    """What is beyond the bar, of one scheme's sets."""
    mean = average([each.quality for each in found])
    return [f"{scheme}: {mean:+.2f} points on average"] if abs(mean) > MOST_POINTS else []


def page(outcomes: list[Outcome]) -> str:
    """Write the tables of results, a row for each set and a column for each scheme."""
    lines = [
        "# Support vector machines against WEKA's SMO",
        "",
        'Written by `make oracle`. `SVMClassifier(kernel="linear")` against SMO, and',
        '`SVMClassifier(kernel="rbf", gamma=0.01)` against SMO with the RBF kernel, on WEKA 3.6.14\'s folds.',
        "",
        f"Bar: the averages differ by no more than {MOST_POINTS} point.",
        "",
        "| scheme | sets | rows | the same answer | better by, on average |",
        "|---|---|---|---|---|",
    ]
    for scheme in SCHEMES:
        found = [each for each in outcomes if each.quality.scheme == scheme]
        rows = sum(each.rows for each in found)
        mean = average([each.quality for each in found])
        lines.append(f"| {scheme} | {len(found)} | {rows} | {agreement(found):.2%} | {mean:+.2f} |")
    lines += [
        "",
        "Percent right in ten-fold cross-validation, ours / WEKA's (difference ± standard error). A set that is worse",
        "by more than 3 standard errors is in bold.",
        "",
        *table_rows([each.quality for each in outcomes], SCHEMES, class_cell),
    ]
    return "\n".join(lines) + "\n"


def _compare(pair: tuple[str, str]) -> Outcome:
    return compare(*pair)


def main() -> int:
    """Compare everything and write the page."""
    pairs = sorted(small_pairs() + shared_pairs(), key=lambda pair: pair[1])
    with ProcessPoolExecutor(cpu_count()) as pool:
        outcomes = list(pool.map(_compare, pairs))
    (HERE / "RESULTS-margins.md").write_text(page(outcomes), encoding="utf-8")
    wrong = []
    for scheme in SCHEMES:
        found = [each for each in outcomes if each.quality.scheme == scheme]
        wrong += complaints(scheme, found)
        if len(found) != SETS[scheme]:
            wrong.append(f"{scheme}: {len(found)} answers were compared; expected {SETS[scheme]}")
    sys.stderr.write("".join(f"{each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
