"""The chapter on ensembles: as accurate as WEKA's on average, not the same, since both draw at random.

Ours are learned with their own defaults, on the other program's ten folds, several times, and the results averaged.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter
from oracle.trees.quality import (
    Quality,
    accuracy_findings,
    average,
    class_cell,
    has_classes,
    judged,
    number_cell,
    our_predictions,
    stored_answer,
    table_rows,
)

from hornbeam.data.schema import Nominal
from hornbeam.learn.forests.bagging import BaggingClassifier, BaggingRegressor
from hornbeam.learn.forests.random_forest import RandomForestClassifier

if TYPE_CHECKING:
    from hornbeam.data.table import Table

DRAWS = {"Bagging-REPTree": 5, "RandomForest-100": 3}  # random states 0, 1, ...
MOST_POINTS = 0.3  # percentage points by which we may be worse on average
MOST_CORRELATION = 0.003  # the same of numbers
CLASSIFIERS: dict[str, type] = {"Bagging-REPTree": BaggingClassifier, "RandomForest-100": RandomForestClassifier}
REGRESSORS: dict[str, type] = {"Bagging-REPTree": BaggingRegressor}  # there are no others
SCHEMES = tuple(CLASSIFIERS)


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set with classes."""
    return [pair for pair in evidence.small_pairs(SCHEMES) if has_classes(pair[1])]


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)


def estimator(scheme: str, table: Table, random_state: int) -> Any:
    """Our ensemble, as it is when nothing is said."""
    kinds = CLASSIFIERS if isinstance(table.schema.target_column, Nominal) else REGRESSORS
    return kinds[scheme](random_state=random_state)


def compare(scheme: str, data: str, draws: int | None = None) -> Quality:
    """Cross-validate, as often as there are draws, and compare with the stored predictions."""
    counted = range(draws or DRAWS[scheme])
    ours = [our_predictions(data, partial(estimator, scheme, random_state=draw)) for draw in counted]
    return judged(scheme, data, np.array(ours), stored_answer(scheme, data))


def correlation_gain(found: list[Quality]) -> float:
    """By how much our correlation is better, averaged over sets with numbers."""
    return float(np.mean([each.difference for each in found if not each.classes]))


def error_ratio(found: list[Quality]) -> float:
    """Our root mean squared error for one of theirs: the geometric mean over sets with numbers."""
    return float(np.exp(np.mean([np.log(each.our_error / each.their_error) for each in found if not each.classes])))


def complaints(found: list[Quality]) -> list[str]:
    """What is below the bars, of one scheme's sets."""
    means = {"": average(found), ", without zoo": average(found, all_sets=False)}
    told = [f"{mean:+.2f} points on average{sets}" for sets, mean in means.items() if mean < -MOST_POINTS]
    if any(not each.classes for each in found):
        gain, ratio = correlation_gain(found), error_ratio(found)
        told += [f"{gain:+.4f} of correlation on average"] if gain < -MOST_CORRELATION else []
        told += [f"{ratio:.3f} times the error on average"] if ratio > 1 + MOST_CORRELATION else []
    return [f"{found[0].scheme}: {each}" for each in told]


def all_complaints(outcomes: list[Quality]) -> list[str]:
    """What is below the bars, scheme by scheme."""
    schemes = sorted({each.scheme for each in outcomes})
    return [told for scheme in schemes for told in complaints([each for each in outcomes if each.scheme == scheme])]


def page(outcomes: list[Quality]) -> list[str]:
    """The tables of results, a row for each set and a column for each scheme."""
    lines = [
        "Ours have their defaults: `BaggingClassifier` is ten C4.5 trees, not pruned,",
        "`BaggingRegressor` ten trees of means; Bagging-REPTree is ten trees pruned on held-out rows. The folds are",
        "WEKA 3.6.14's. `RandomForestClassifier` has 100 trees, as RandomForest-100 does. Ours are means over",
        f"{DRAWS['Bagging-REPTree']} draws (bagging) or {DRAWS['RandomForest-100']} (forest); WEKA's are of one draw.",
        "",
        f"Limits: on average over sets with classes no worse by more than {MOST_POINTS} points, also without zoo",
        "(where WEKA's trees give up); over sets with numbers no worse by more than",
        f"{MOST_CORRELATION} of correlation, nor by that share of the error.",
        "",
        "| scheme | sets | better by, on average | without zoo | number sets | correlation better by | error ratio |",
        "|---|---|---|---|---|---|---|",
    ]
    by_scheme = {scheme: [each for each in outcomes if each.scheme == scheme] for scheme in SCHEMES}
    for scheme, found in by_scheme.items():
        if not found:
            continue
        n_classes = sum(each.classes for each in found)
        points = f"{average(found):+.2f} | {average(found, all_sets=False):+.2f}"
        n_numbers = len(found) - n_classes
        numbers = f"{correlation_gain(found):+.4f} | {error_ratio(found):.3f}" if n_numbers else "|"
        lines.append(f"| {scheme} | {n_classes} | {points} | {n_numbers or ''} | {numbers} |")
    lines += [
        "",
        "### Classes",
        "",
        "Percent right in ten-fold cross-validation, ours / WEKA's (difference ± standard error). A set that is worse",
        "by more than 3 standard errors is in bold.",
        "",
        *table_rows([each for each in outcomes if each.classes], SCHEMES, class_cell),
        "",
        "### Numbers",
        "",
        "Correlation, ours / WEKA's; root mean squared error, ours / WEKA's.",
        "",
        *table_rows([each for each in outcomes if not each.classes], tuple(REGRESSORS), number_cell),
    ]
    return lines


CHAPTER = Chapter("Bagging and random forests", pairs, compare, accuracy_findings, all_complaints, page)
