"""Hold K*, locally weighted learning and exemplars against the reference program's KStar, LWL and NNge.

K* is asked to agree row by row, the others to be as good on average: their ways with ties, missing values and the
division of boxes are their own.

Run in the folder `tests` as ``python -m oracle.lazy``; it writes RESULTS-lazy.md, and the exit status is 1 if a bar is
not met.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import quality
from oracle.answers import folds, small_sets
from oracle.compare import table_of
from oracle.quality import Quality, average, class_cell, classes_in, judged, table_rows

from hornbeam.data.schema import Nominal
from hornbeam.learn.compat_weka import cross_validation_folds
from hornbeam.learn.instances.exemplars import ExemplarsClassifier
from hornbeam.learn.instances.kstar import KStarClassifier
from hornbeam.learn.instances.local import LocallyWeightedClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
SETS = 29  # with classes and a stored answer, for each scheme
LEAST_AGREEMENT = 0.99  # of KStar, in every set
MOST_POINTS = 1.0  # percentage points by which the others may be worse on average
LEARNERS: dict[str, Callable[[], Any]] = {
    "KStar": lambda: KStarClassifier(compat="weka"),
    "LWL": LocallyWeightedClassifier,
    "NNge": ExemplarsClassifier,
}
SCHEMES = tuple(LEARNERS)


@dataclass(frozen=True)
class Outcome:
    """How one set came out."""

    quality: Quality
    rows: int
    agreeing: int


@cache
def _small() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads((HERE / "lazy_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in sorted(_small()[scheme])]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set with classes; none where the shared folder is absent."""
    pairs = quality.shared_pairs(SCHEMES)
    return [pair for pair in pairs if isinstance(table_of(folds(pair[1]).arff).schema.target_column, Nominal)]


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the other program's folds, its rows in its order, and compare with the stored predictions."""
    table = table_of(folds(data).arff)
    predicted = np.empty(table.n_rows)
    for train, test in cross_validation_folds(table.target_values()):
        predicted[test] = LEARNERS[scheme]().fit(table.take(train)).model_.predict(table.take(test))
    stored = {"pred": _small()[scheme][data]} if data in small_sets() else quality.stored_answer(scheme, data)
    agreeing = int(np.sum(predicted == classes_in(stored["pred"])))
    return Outcome(judged(scheme, data, predicted[np.newaxis], stored), table.n_rows, agreeing)


def agreement(found: list[Outcome]) -> float:
    """Share of rows with the same answer, over all sets."""
    return sum(each.agreeing for each in found) / sum(each.rows for each in found)


def complaints(scheme: str, found: list[Outcome]) -> list[str]:
    """What is below the bars, of one scheme's sets."""
    if scheme == "KStar":
        shares = {each.quality.data: agreement([each]) for each in found}
        return [f"{scheme}: {share:.2%} of {data}" for data, share in shares.items() if share < LEAST_AGREEMENT]
    mean = average([each.quality for each in found])
    return [f"{scheme}: {mean:+.2f} points on average"] if mean < -MOST_POINTS else []


def page(outcomes: list[Outcome]) -> str:
    """Write the tables of results, a row for each set and a column for each scheme."""
    lines = [
        "# K*, locally weighted learning and exemplars against WEKA's",
        "",
        'Written by `make oracle`. `KStarClassifier(compat="weka")` against KStar, `LocallyWeightedClassifier()`',
        "against LWL (decision stumps), `ExemplarsClassifier()` against NNge, on WEKA 3.6.14's folds and row order.",
        "",
        f"Bars: KStar agrees on {LEAST_AGREEMENT:.0%} of the rows of every set; the others are no worse by more than",
        f"{MOST_POINTS} point on average.",
        "",
        "| scheme | sets | rows | the same answer | better by, on average |",
        "|---|---|---|---|---|",
    ]
    by_scheme = {scheme: [each for each in outcomes if each.quality.scheme == scheme] for scheme in SCHEMES}
    for scheme, found in by_scheme.items():
        rows = sum(each.rows for each in found)
        mean = average([each.quality for each in found])
        lines.append(f"| {scheme} | {len(found)} | {rows} | {agreement(found):.2%} | {mean:+.2f} |")
    other = [each for each in by_scheme["KStar"] if each.agreeing < each.rows]
    lines += [
        "",
        "Sets on which K* has other answers than KStar: "
        + ", ".join(f"{each.quality.data} ({each.rows - each.agreeing} of {each.rows})" for each in other)
        + ".",
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
    (HERE / "RESULTS-lazy.md").write_text(page(outcomes), encoding="utf-8")
    wrong = []
    for scheme in SCHEMES:
        found = [each for each in outcomes if each.quality.scheme == scheme]
        wrong += complaints(scheme, found)
        if len(found) != SETS:
            wrong.append(f"{scheme}: {len(found)} answers were compared; expected {SETS}")
    sys.stderr.write("".join(f"{each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
