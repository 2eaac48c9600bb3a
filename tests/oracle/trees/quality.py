"""The chapter on open recipes: as accurate as three tree learners of WEKA, not the same.

Its REPTree, SimpleCart and DecisionStump are played by parameters of `TreeClassifier` and `TreeRegressor`, on its own
ten folds. Where training itself draws rows at random, ours are drawn several times and the results averaged: on small
sets one draw differs more from the next than the programs do.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding
from oracle.trees.answers import CODES, folds
from oracle.trees.compare import table_of

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_regressor import TreeRegressor

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

MOST_ERRORS = 3.0  # standard errors by which we may be worse on a set
MOST_POINTS = 1.0  # percentage points by which we may be worse on average
# Sets on which the other program answers with the commonest class, because it gives up where the best column's split
# has too few rows in its branches; ours goes on to the next column. Averages are also given without them.
GIVEN_UP = {("REPTree", "zoo"), ("Bagging-REPTree", "zoo")}

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
    by_draw: tuple[float, ...] = ()  # percent right of each draw; classes only

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


def has_classes(data: str) -> bool:
    """Whether the target of a set is nominal."""
    return isinstance(table_of(folds(data).arff).schema.target_column, Nominal)


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set with classes."""
    return [pair for pair in evidence.small_pairs(SCHEMES) if has_classes(pair[1])]


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return evidence.small_pairs(SCHEMES) + evidence.large_pairs(SCHEMES)


def stored_answer(scheme: str, data: str) -> dict[str, Any]:
    """The other program's cross-validation: `pred` of classes; `correlation` and `rmse` of numbers."""
    found: dict[str, Any] = evidence.answers(scheme, data)["cv"]
    return found


def their_classes(scheme: str, data: str) -> NDArray[np.float64]:
    """The other program's cross-validated prediction of every row: the class's number, -1 for none."""
    return classes_in(stored_answer(scheme, data)["pred"])


def classes_in(predicted: str) -> NDArray[np.float64]:
    """Predictions as numbers of classes."""
    return np.array([CODES.find(each) for each in predicted], np.float64)


def our_predictions(data: str, make: Callable[[Table], Any]) -> NDArray[np.float64]:
    """Predict every row by the model that a learner made for the table learns from the other nine folds."""
    stored = folds(data)
    table = table_of(stored.arff)
    fold = np.array([int(digit) for digit in stored.fold_of_row])
    predicted = np.full(table.n_rows, np.nan)
    for number in np.unique(fold):
        learner = make(table)
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
    counted = range(draws or DRAWS[scheme])
    ours = [our_predictions(data, partial(estimator, scheme, random_state=draw)) for draw in counted]
    return judged(scheme, data, np.array(ours), stored_answer(scheme, data))


def judged(scheme: str, data: str, ours: NDArray[np.float64], theirs: dict[str, Any]) -> Quality:
    """How good our predictions, draws by rows, are beside a stored answer."""
    table = table_of(folds(data).arff)
    truth = table.target_values().astype(np.float64)
    if isinstance(table.schema.target_column, Nominal):
        return Quality(scheme, data, **of_classes(truth, ours, classes_in(theirs["pred"])))
    figures = of_numbers(truth, ours)
    return Quality(scheme, data, theirs=theirs["correlation"], their_error=theirs["rmse"], **figures)


def of_classes(truth: NDArray[np.float64], ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> dict[str, Any]:
    """Percent right, and the difference's standard error; ours: draws by rows. Rows without a class are left out."""
    if len(truth) != len(theirs):
        msg = f"{len(truth)} rows were read; the stored answer has {len(theirs)}"
        raise ValueError(msg)
    known = truth >= 0
    right, their_right = (ours == truth).mean(axis=0)[known], (theirs == truth)[known].astype(np.float64)
    spread = float(np.std(right - their_right, ddof=1)) / float(known.sum()) ** 0.5
    return {
        "ours": 100 * float(right.mean()),
        "theirs": 100 * float(their_right.mean()),
        "standard_error": 100 * spread,
        "by_draw": tuple((100 * (ours == truth)[:, known].mean(axis=1)).tolist()),
    }


def of_numbers(truth: NDArray[np.float64], ours: NDArray[np.float64]) -> dict[str, float]:
    """Correlation and root mean squared error; ours: draws by rows. Rows without a target are left out."""
    known = ~np.isnan(truth)
    return {
        "ours": float(np.mean([np.corrcoef(each[known], truth[known])[0, 1] for each in ours])),
        "our_error": float(np.mean(np.sqrt(((ours - truth)[:, known] ** 2).mean(axis=1)))),
    }


def average(found: list[Quality], *, all_sets: bool = True) -> float:
    """By how many points ours is better, averaged over sets with classes."""
    counted = [each for each in found if each.classes and (all_sets or (each.scheme, each.data) not in GIVEN_UP)]
    return float(np.mean([each.difference for each in counted]))


def by_draw(found: list[Quality]) -> list[float]:
    """By how many points each draw alone is better, averaged over sets with classes but those given up."""
    counted = [each for each in found if each.classes and (each.scheme, each.data) not in GIVEN_UP]
    means: list[float] = np.mean([np.array(each.by_draw) - each.theirs for each in counted], axis=0).tolist()
    return means


def complaints(found: list[Quality]) -> list[str]:
    """What is below the bars, of one scheme's sets."""
    wrong = [f"{each.scheme} on {each.data}: {class_cell(each)}" for each in found if each.too_bad]
    means = {"": average(found), ", without zoo": average(found, all_sets=False)}
    wrong += [
        f"{found[0].scheme}: {mean:+.2f} points on average{sets}" for sets, mean in means.items() if mean < -MOST_POINTS
    ]
    return wrong


def class_cell(quality: Quality | None) -> str:
    """Tell one comparison of classes."""
    if quality is None:
        return ""
    cell = f"{quality.ours:.1f} / {quality.theirs:.1f} ({quality.difference:+.2f} ± {quality.standard_error:.2f})"
    return f"**{cell}**" if quality.too_bad else cell


def number_cell(quality: Quality | None) -> str:
    """Tell one comparison of numbers."""
    if quality is None:
        return ""
    return f"{quality.ours:.3f} / {quality.theirs:.3f}; {quality.our_error:.4g} / {quality.their_error:.4g}"


def accuracy_findings(outcomes: list[Quality]) -> list[Finding]:
    """One per comparison; identity is not claimed."""
    return [Finding(each.scheme, each.data, None) for each in outcomes]


def all_complaints(outcomes: list[Quality]) -> list[str]:
    """What is below the bars, scheme by scheme."""
    schemes = sorted({each.scheme for each in outcomes})
    return [told for scheme in schemes for told in complaints([each for each in outcomes if each.scheme == scheme])]


def page(outcomes: list[Quality]) -> list[str]:
    """The tables of results, a row for each set and a column for each scheme."""
    by_scheme = {scheme: [each for each in outcomes if each.scheme == scheme] for scheme in SCHEMES}
    lines = [
        "The recipes (`RECIPES` in `quality.py`) are parameters of `TreeClassifier` and `TreeRegressor`; the folds are",
        "WEKA 3.6.14's. Where training itself draws rows at random, ours are means over",
        f"{DRAWS['REPTree']} draws (REPTree) or {DRAWS['SimpleCart']} (SimpleCart); WEKA's are of its one draw.",
        "",
        "Limits: on average no worse by more than 1 point, on no set worse by more than 3 standard errors (of the",
        "difference, row by row). A set that is worse than that is in bold.",
        "",
        "On zoo REPTree gives up: its best column (the animal's name) has too few rows per branch, and it does not try",
        "the next. The average is also given without that set.",
        "",
        "How the recipes were chosen: fractional missing values are what REPTree and SimpleCart have. DecisionStump",
        "gives rows without a value a third branch, which no recipe does; of the policies there are,",
        "`default-direction` was taken because it came nearest. `own-category` is worse by more than 3 standard errors",
        "on hypothyroid, `fractional` and `majority` on cylinder-bands and soybean.",
        "",
        "| scheme | sets | better by, on average | without zoo | each draw alone, without zoo | sets too bad |",
        "|---|---|---|---|---|---|",
    ]
    for scheme, found in by_scheme.items():
        n_sets, n_bad = sum(each.classes for each in found), sum(each.too_bad for each in found)
        without = f"{average(found, all_sets=False):+.2f}" if scheme in {name for name, _ in GIVEN_UP} else ""
        alone = by_draw(found)
        spread = f"{min(alone):+.2f} to {max(alone):+.2f}" if len(alone) > 1 else ""
        lines.append(f"| {scheme} | {n_sets} | {average(found):+.2f} | {without} | {spread} | {n_bad} |")
    lines += [
        "",
        "### Classes",
        "",
        "Percent right in ten-fold cross-validation, ours / WEKA's (difference ± standard error).",
        "",
        *table_rows([each for each in outcomes if each.classes], SCHEMES, class_cell),
        "",
        "### Numbers",
        "",
        "Correlation, ours / WEKA's; root mean squared error, ours / WEKA's. There is no limit.",
        "",
        *table_rows([each for each in outcomes if not each.classes], ("REPTree", "DecisionStump"), number_cell),
    ]
    return lines


def table_rows(outcomes: list[Quality], schemes: tuple[str, ...], cell: Callable[[Quality | None], str]) -> list[str]:
    """Write a table: a row for each set and a column for each scheme."""
    found = {(each.scheme, each.data): each for each in outcomes}
    lines = ["| set | " + " | ".join(schemes) + " |", "|---|" + "---|" * len(schemes)]
    for data in sorted({each.data for each in outcomes}):
        cells = [cell(found.get((scheme, data))) for scheme in schemes]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return lines


CHAPTER = Chapter(
    "Open recipes against REPTree, SimpleCart and DecisionStump",
    pairs,
    compare,
    accuracy_findings,
    all_complaints,
    page,
)
