"""Hold open recipes against three tree learners of the reference program: as good, not the same.

Its REPTree, SimpleCart and DecisionStump are played by parameters of `TreeClassifier` and `TreeRegressor`, on its own ten
folds. Where rows are held out or dealt to folds at random within training, ours are drawn several times and the results
averaged: on small sets one draw differs from the next by more than any two programs do.

Run in the folder `tests` as ``python -m oracle.quality``; it writes RESULTS-quality.md, and the exit status is 1 if a bar
is not met.
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
from locate import has_shared, shared_root
from oracle.answers import CODES, folds, small_sets
from oracle.compare import table_of

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_regressor import TreeRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
EXPECTED = 134  # pairs of scheme and set with a stored answer
MOST_ERRORS = 3.0  # standard errors by which we may be worse on a set
MOST_POINTS = 1.0  # percentage points by which we may be worse on average
# Sets on which the other program answers with the commonest class, because it gives up where the best column's split
# has too few rows in its branches; ours goes on to the next column. Averages are also given without them.
GIVEN_UP = {("REPTree", "zoo")}

RECIPES: dict[str, dict[str, Any]] = {
    "REPTree": {
        "criterion": "information-gain",
        "nominal": "multiway",
        "missing": "fractional",
        "min_samples_leaf": 2,
        "prune": "reduced-error",
        "folds": 3,
    },
    "SimpleCart": {
        "criterion": "gini",
        "nominal": "subset",
        "missing": "fractional",
        "min_samples_leaf": 2,
        "prune": "cost-complexity",
        "choose": "least",
        "folds": 5,
    },
    "DecisionStump": {
        "criterion": "information-gain",
        "nominal": "one-vs-rest",
        "missing": "default-direction",
        "max_depth": 1,
        "min_gain": -1,
    },
}
SCHEMES = tuple(RECIPES)
DRAWS = {"REPTree": 10, "SimpleCart": 5, "DecisionStump": 1}  # random states 0, 1, ...


@dataclass(frozen=True)
class Quality:
    """How good ours and theirs are on one set: percent right for classes, correlation and error for numbers."""

    scheme: str
    data: str
    ours: float
    theirs: float
    standard_error: float = np.nan  # of the difference, row by row; classes only
    our_error: float = np.nan  # root mean squared; numbers only
    their_error: float = np.nan

    @property
    def classes(self) -> bool:
        """Whether the target has classes."""
        return bool(np.isnan(self.our_error))

    @property
    def difference(self) -> float:
        """How much better ours is, in points; below zero: worse."""
        return self.ours - self.theirs

    @property
    def too_bad(self) -> bool:
        """Whether ours is worse by more than can be chance."""
        return self.classes and self.difference < -MOST_ERRORS * self.standard_error - 1e-9


@cache
def _small() -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads((HERE / "quality_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in small_sets()]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    found = [(s, path.stem) for s in SCHEMES for path in sorted((shared_root() / "oracle" / s).glob("*.json"))]
    return [pair for pair in found if pair[1] not in small_sets()]


def their_predictions(scheme: str, data: str) -> NDArray[np.float64]:
    """The other program's cross-validated prediction of every row: the class's number (-1: none), or a number."""
    stored: str | list[float]
    if data in small_sets():
        stored = _small()[scheme][data]
    else:
        path = shared_root() / "oracle" / scheme / f"{data}.json"
        stored = json.loads(path.read_text(encoding="utf-8"))["cv"]["pred"]
    return np.array([CODES.find(each) if isinstance(each, str) else each for each in stored], np.float64)


def our_predictions(scheme: str, data: str, random_state: int) -> NDArray[np.float64]:
    """Predict every row by the tree learned from the other nine folds."""
    stored = folds(data)
    table = table_of(stored.arff)
    fold = np.array([int(digit) for digit in stored.fold_of_row])
    predicted = np.full(table.n_rows, np.nan)
    for number in np.unique(fold):
        learner = estimator(scheme, table, random_state)
        tested = np.flatnonzero(fold == number)
        predicted[tested] = learner.fit(table.take(np.flatnonzero(fold != number))).model_.predict(table.take(tested))
    return predicted


def estimator(scheme: str, table: Table, random_state: int) -> TreeClassifier | TreeRegressor:
    """The open recipe that plays a scheme."""
    if isinstance(table.schema.target_column, Nominal):
        return TreeClassifier(**RECIPES[scheme], random_state=random_state)
    return TreeRegressor(**{**RECIPES[scheme], "criterion": "variance"}, random_state=random_state)


def compare(scheme: str, data: str, draws: int | None = None) -> Quality:
    """Cross-validate, as often as there are draws, and compare with the stored predictions."""
    table = table_of(folds(data).arff)
    truth = table.target_values().astype(np.float64)
    ours = [our_predictions(scheme, data, draw) for draw in range(draws or DRAWS[scheme])]
    return judge(scheme, data, truth, np.array(ours), their_predictions(scheme, data))


def judge(
    scheme: str, data: str, truth: NDArray[np.float64], ours: NDArray[np.float64], theirs: NDArray[np.float64]
) -> Quality:
    """Compare predictions (ours: draws by rows) with the truth; rows without one do not count."""
    if not ours.shape[1] == len(theirs) == len(truth):
        msg = f"{data}: {len(truth)} rows were read; the stored answer has {len(theirs)}"
        raise ValueError(msg)
    if np.isnan(table_classes := _classes(data)):
        known = ~np.isnan(truth)
        truth, ours, theirs = truth[known], ours[:, known], theirs[known]
        error = float(np.mean([_root_mean_square(each - truth) for each in ours]))
        correlation = float(np.mean([_correlation(each, truth) for each in ours]))
        return Quality(
            scheme,
            data,
            correlation,
            _correlation(theirs, truth),
            our_error=error,
            their_error=_root_mean_square(theirs - truth),
        )
    del table_classes
    known = truth >= 0
    right, their_right = (ours == truth).mean(axis=0)[known], (theirs == truth)[known].astype(np.float64)
    spread = float(np.std(right - their_right, ddof=1)) / np.sqrt(known.sum())
    return Quality(scheme, data, 100 * float(right.mean()), 100 * float(their_right.mean()), 100 * float(spread))
