"""Hold ensembles against those of the reference program: as good on average, not the same, since both draw at random.

Ours are learned with their own defaults, on the other program's ten folds, several times, and the results averaged.

Run in the folder `tests` as ``python -m oracle.ensembles``; it writes RESULTS-ensembles.md, and the exit status is 1 if
a bar is not met.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import quality
from oracle.answers import small_sets
from oracle.quality import Quality, average, class_cell, judged, number_cell, our_predictions, table_rows

from hornbeam.data.schema import Nominal
from hornbeam.learn.ensembles.bagging import BaggingClassifier, BaggingRegressor
from hornbeam.learn.ensembles.random_forest import RandomForestClassifier

if TYPE_CHECKING:
    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
EXPECTED = {"Bagging-REPTree": 44, "RandomForest-100": 29}  # sets with a stored answer
DRAWS = {"Bagging-REPTree": 5, "RandomForest-100": 3}  # random states 0, 1, ...
MOST_POINTS = 0.3  # percentage points by which we may be worse on average
MOST_CORRELATION = 0.003  # the same of numbers
CLASSIFIERS: dict[str, type] = {"Bagging-REPTree": BaggingClassifier, "RandomForest-100": RandomForestClassifier}
REGRESSORS: dict[str, type] = {"Bagging-REPTree": BaggingRegressor}  # there are no others
SCHEMES = tuple(CLASSIFIERS)


@cache
def _small() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads((HERE / "ensembles_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in small_sets()]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    return quality.shared_pairs(SCHEMES)


def estimator(scheme: str, table: Table, random_state: int) -> Any:
    """Our ensemble, as it is when nothing is said."""
    kinds = CLASSIFIERS if isinstance(table.schema.target_column, Nominal) else REGRESSORS
    return kinds[scheme](random_state=random_state)


def compare(scheme: str, data: str, draws: int | None = None) -> Quality:
    """Cross-validate, as often as there are draws, and compare with the stored predictions."""
    counted = range(draws or DRAWS[scheme])
    ours = [our_predictions(data, partial(estimator, scheme, random_state=draw)) for draw in counted]
    small = data in small_sets()
    theirs = {"pred": _small()[scheme][data]} if small else quality.stored_answer(scheme, data)
    return judged(scheme, data, np.array(ours), theirs)


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


def page(outcomes: list[Quality]) -> str:
    """Write the tables of results, a row for each set and a column for each scheme."""
    lines = [
        "# Ensembles against those of WEKA",
        "",
        "Written by `make oracle`. Ours have their defaults: `BaggingClassifier` is ten C4.5 trees, not pruned,",
        "`BaggingRegressor` ten trees of means; Bagging-REPTree is ten trees pruned on rows held out. The folds are",
        "WEKA 3.6.14's. `RandomForestClassifier` has 100 trees, as RandomForest-100 does. Ours are means over",
        f"{DRAWS['Bagging-REPTree']} draws (bagging) or {DRAWS['RandomForest-100']} (forest); WEKA's are of one draw.",
        "",
        f"Bars: on average over sets with classes no worse by more than {MOST_POINTS} points, also without zoo",
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
        "## Classes",
        "",
        "Percent right in ten-fold cross-validation, ours / WEKA's (difference ± standard error). A set that is worse",
        "by more than 3 standard errors is in bold.",
        "",
        *table_rows([each for each in outcomes if each.classes], SCHEMES, class_cell),
        "",
        "## Numbers",
        "",
        "Correlation, ours / WEKA's; root mean squared error, ours / WEKA's.",
        "",
        *table_rows([each for each in outcomes if not each.classes], tuple(REGRESSORS), number_cell),
    ]
    return "\n".join(lines) + "\n"


def _compare(pair: tuple[str, str]) -> Quality:
    return compare(*pair)


def main() -> int:
    """Compare everything and write the page."""
    pairs = sorted(small_pairs() + shared_pairs(), key=lambda pair: pair[1])
    with ProcessPoolExecutor(cpu_count()) as pool:
        outcomes = list(pool.map(_compare, pairs))
    (HERE / "RESULTS-ensembles.md").write_text(page(outcomes), encoding="utf-8")
    wrong = [each for scheme in SCHEMES for each in complaints([one for one in outcomes if one.scheme == scheme])]
    if len(outcomes) != sum(EXPECTED.values()):
        wrong.append(f"{len(outcomes)} answers were compared; expected {sum(EXPECTED.values())}")
    sys.stderr.write("".join(f"{each}\n" for each in wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
