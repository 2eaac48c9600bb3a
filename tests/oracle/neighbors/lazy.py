"""The chapter on K*, locally weighted learning and exemplars, against WEKA's KStar, LWL and NNge.

K* must predict the same class for every row, the others must be as accurate on average: their ways with ties, missing
values and the division of boxes are their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding
from oracle.trees.answers import folds
from oracle.trees.compare import table_of
from oracle.trees.quality import (
    Quality,
    average,
    class_cell,
    classes_in,
    has_classes,
    judged,
    stored_answer,
    table_rows,
)

from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.neighbors.exemplars import ExemplarsClassifier
from hornbeam.learn.neighbors.kstar import KStarClassifier
from hornbeam.learn.neighbors.local import LocallyWeightedClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_POINTS = 1.0  # percentage points by which the others may be worse on average
LEARNERS: dict[str, Callable[[], Any]] = {
    "KStar": lambda: KStarClassifier(compat="weka"),
    "LWL": LocallyWeightedClassifier,
    "NNge": ExemplarsClassifier,
}
SCHEMES = tuple(LEARNERS)
SAME = "KStar"  # must predict the same class for every row


@dataclass(frozen=True)
class Outcome:
    """How one set came out."""

    quality: Quality
    rows: int
    agreeing: int


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set with classes."""
    return [pair for pair in evidence.small_pairs(SCHEMES) if has_classes(pair[1])]


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set with classes."""
    found = evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)
    return [pair for pair in found if has_classes(pair[1])]


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the other program's folds, its rows in its order, and compare with the stored predictions."""
    table = table_of(folds(data).arff)
    predicted = np.empty(table.n_rows)
    for train, test in cross_validation_folds(table.target_values()):
        predicted[test] = LEARNERS[scheme]().fit(table.take(train)).model_.predict(table.take(test))
    stored = stored_answer(scheme, data)
    agreeing = int(np.sum(predicted == classes_in(stored["pred"])))
    return Outcome(judged(scheme, data, predicted[np.newaxis], stored), table.n_rows, agreeing)


def agreement(found: list[Outcome]) -> float:
    """Share of rows with the same answer, over all sets."""
    return sum(each.agreeing for each in found) / sum(each.rows for each in found)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    found = []
    for each in outcomes:
        scheme, wrong = each.quality.scheme, each.rows - each.agreeing
        told = f"{wrong} of {each.rows} predictions differ" if wrong else ""
        found.append(Finding(scheme, each.quality.data, told if scheme == SAME else None))
    return found


def complaints(outcomes: list[Outcome]) -> list[str]:
    """What is below the bars."""
    told = []
    for scheme in SCHEMES:
        found = [each.quality for each in outcomes if each.quality.scheme == scheme and scheme != SAME]
        if found and average(found) < -MOST_POINTS:
            told.append(f"{scheme}: {average(found):+.2f} points on average")
    return told


def page(outcomes: list[Outcome]) -> list[str]:
    """The tables of results, a row for each set and a column for each scheme."""
    lines = [
        '`KStarClassifier(compat="weka")` against KStar, `LocallyWeightedClassifier()` against LWL (decision stumps),',
        "`ExemplarsClassifier()` against NNge, on WEKA 3.6.14's folds and row order.",
        "",
        f"Limits: KStar's prediction of every row is the same; the others are no worse by more than {MOST_POINTS}",
        "point on average. Sets with a number to predict are not compared.",
        "",
        "| scheme | sets | rows | the same prediction | better by, on average |",
        "|---|---|---|---|---|",
    ]
    by_scheme = {scheme: [each for each in outcomes if each.quality.scheme == scheme] for scheme in SCHEMES}
    for scheme, found in by_scheme.items():
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
    return lines


CHAPTER = Chapter("K*, locally weighted learning and exemplars", pairs, compare, findings, complaints, page)
