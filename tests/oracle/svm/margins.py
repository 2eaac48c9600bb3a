"""The chapter on support vector machines: as accurate as WEKA's SMO, with the same prediction for most rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding
from oracle.neighbors.lazy import Outcome, agreement
from oracle.trees.answers import folds
from oracle.trees.compare import table_of
from oracle.trees.quality import average, class_cell, classes_in, has_classes, judged, stored_answer, table_rows

from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.svm.classifier import SVMClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_POINTS = 0.5  # percentage points by which the average may differ
LEARNERS: dict[str, Callable[[], Any]] = {
    "SMO": lambda: SVMClassifier(kernel="linear"),
    "SMO-RBF": lambda: SVMClassifier(kernel="rbf", gamma=0.01),
}
SCHEMES = tuple(LEARNERS)


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set with classes."""
    return [pair for pair in evidence.small_pairs(SCHEMES) if has_classes(pair[1])]


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set where the program had an answer."""
    found = evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)
    return [pair for pair in found if has_classes(pair[1]) and evidence.cross_validated(*pair)]


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the other program's folds and compare with the stored predictions."""
    table = table_of(folds(data).arff)
    predicted = np.empty(table.n_rows)
    for train, test in cross_validation_folds(table.target_values()):
        predicted[test] = LEARNERS[scheme]().fit(table.take(train)).model_.predict(table.take(test))
    stored = stored_answer(scheme, data)
    agreeing = int(np.sum(predicted == classes_in(stored["pred"])))
    return Outcome(judged(scheme, data, predicted[np.newaxis], stored), table.n_rows, agreeing)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison; identity is not claimed."""
    return [Finding(each.quality.scheme, each.quality.data, None) for each in outcomes]


def complaints(outcomes: list[Outcome]) -> list[str]:
    """What is beyond the bar."""
    told = []
    for scheme in SCHEMES:
        found = [each.quality for each in outcomes if each.quality.scheme == scheme]
        if found and abs(average(found)) > MOST_POINTS:
            told.append(f"{scheme}: {average(found):+.2f} points on average")
    return told


def page(outcomes: list[Outcome]) -> list[str]:
    """The tables of results, a row for each set and a column for each scheme."""
    lines = [
        '`SVMClassifier(kernel="linear")` against SMO, and `SVMClassifier(kernel="rbf", gamma=0.01)` against SMO with',
        "the RBF kernel, on WEKA 3.6.14's folds.",
        "",
        f"Limit: the averages differ by no more than {MOST_POINTS} point.",
        "",
        "| scheme | sets | rows | the same prediction | better by, on average |",
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
    return lines


CHAPTER = Chapter("Support vector machines", pairs, compare, findings, complaints, page)
