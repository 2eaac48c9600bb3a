"""The chapter on model trees and rules: whether they are WEKA's, and whether the default is as accurate."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle.chapter import Chapter, Finding, cell, count_same
from oracle.trees.m5_answers import SCHEMES, large_pairs, model_answer, small_pairs

from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.linear.few_rows import FewRowsWarning
from hornbeam.learn.trees.model_trees.m5 import M5Regressor, M5RulesRegressor
from hornbeam.show import text

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from oracle.trees.m5_answers import ModelAnswer

OPTIONS: dict[str, dict[str, Any]] = {"M5P": {}, "M5P-N": {"prune": None}, "M5P-R": {"leaf": "mean"}}
BAR = 1.005  # the default's root mean squared error over M5P's, geometric mean over the sets
CORRELATION = 1e-7
PRINTED = 1e-5  # predictions are printed with five or six figures


@dataclass(frozen=True)
class Outcome:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str
    folds: bool  # whether the program had cross-validated
    ratio: float | None  # of the default's root mean squared error to the program's; M5P only


def learner(scheme: str) -> M5Regressor | M5RulesRegressor:
    """The estimator that follows a scheme."""
    if scheme == "M5Rules":
        return M5RulesRegressor(compat="weka")
    return M5Regressor(compat="weka", **OPTIONS[scheme])


def body(stored: ModelAnswer) -> tuple[str, int]:
    """Our text of the model learned from all rows, and its number of leaves or rules."""
    fitted = learner(stored.scheme).fit(stored.table)
    leaves = len(fitted.model_) if isinstance(fitted, M5RulesRegressor) else fitted.model_.n_leaves
    return text(fitted, style="weka"), leaves


def cross_validated(stored: ModelAnswer, make: Any) -> NDArray[np.float64]:
    """Our prediction of every row, by the model of the fold in which it is tested."""
    table = stored.table
    found = np.empty(table.n_rows)
    for train, test in cross_validation_folds(table.target_values(), stratify=False):
        found[test] = make().fit(table.take(train)).predict(table.take(test))
    return found


def error(stored: ModelAnswer, predicted: NDArray[np.float64]) -> float:
    """Root mean squared error over rows with a target."""
    return float(np.sqrt(np.nanmean((predicted - stored.table.target_values()) ** 2)))


def prediction_difference(stored: ModelAnswer, found: NDArray[np.float64]) -> str:
    """Say how predictions differ from the stored ones."""
    truth = stored.table.target_values()
    known = ~np.isnan(truth)
    correlation = float(np.corrcoef(found[known], truth[known])[0, 1])
    if stored.correlation is None or abs(correlation - stored.correlation) > CORRELATION:
        return f"correlation {correlation:.8f}, not {stored.correlation}"
    if stored.predictions is None or len(stored.predictions) != len(found):
        return ""
    theirs = np.array(stored.predictions, float)
    shown = known & ~np.isnan(theirs)
    allowed = np.maximum(PRINTED * np.abs(theirs[shown]), PRINTED * truth[known].std())
    wrong = int(np.sum(np.abs(found[shown] - theirs[shown]) > allowed))
    return f"{wrong} predictions differ" if wrong else ""


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set."""
    return small_pairs() + large_pairs()


def compare(scheme: str, data: str) -> Outcome:
    """Learn from all rows and from ten folds, and collect every difference."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewRowsWarning)
        stored = model_answer(scheme, data)
        wrong = [] if stored.same_text(*body(stored)) else ["text differs"]
        if stored.correlation is None:
            return Outcome(scheme, data, "; ".join(wrong), folds=False, ratio=None)
        found = cross_validated(stored, lambda: learner(scheme))
        wrong += [told] if (told := prediction_difference(stored, found)) else []
        ratio = None
        if scheme == "M5P":
            theirs = stored.error or error(stored, np.array(stored.predictions, float))
            ratio = error(stored, cross_validated(stored, M5Regressor)) / theirs
        return Outcome(scheme, data, "; ".join(wrong), folds=True, ratio=ratio)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, each.difference) for each in outcomes]


def mean_ratio(outcomes: list[Outcome]) -> float:
    """The default's error over M5P's: the geometric mean over the sets."""
    return float(np.exp(np.mean([np.log(each.ratio) for each in outcomes if each.ratio is not None])))


def complaints(outcomes: list[Outcome]) -> list[str]:
    """Whether the default is less accurate than it may be."""
    if all(each.ratio is None for each in outcomes) or mean_ratio(outcomes) <= BAR:
        return []
    return [f"M5: the default's error is {mean_ratio(outcomes):.4f} of M5P's; at most {BAR} is allowed"]


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    ratios = {each.data: each.ratio for each in outcomes if each.ratio is not None}
    found = {(each.scheme, each.data): each for each in outcomes}
    lines = [
        '*same*: with `compat="weka"` the text of tree or rules and equations is identical, character by character,',
        "and so are the cross-validated predictions to the printed figures, and their correlation with the truth.",
        "",
        f"{count_same(findings(outcomes))} The default `M5Regressor`, on the same folds: the root mean squared",
        f"error is {mean_ratio(outcomes):.4f} of M5P's in the geometric mean over {len(ratios)} sets (at most {BAR}).",
        "",
        "| set | " + " | ".join(SCHEMES) + " | error of the default / M5P |",
        "|---|" + "---|" * (len(SCHEMES) + 1),
    ]
    for data in sorted({each.data for each in outcomes}):
        cells = []
        for scheme in SCHEMES:
            one = found.get((scheme, data))
            cells.append("" if one is None else cell(one.difference) + ("" if one.folds else "; no folds"))
        lines.append(f"| {data} | " + " | ".join(cells) + f" | {ratios.get(data, np.nan):.3f} |")
    return lines


CHAPTER = Chapter("Model trees and rules for numbers", pairs, compare, findings, complaints, page)
