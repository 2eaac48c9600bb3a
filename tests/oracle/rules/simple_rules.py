"""The chapter on simple rules: 1R and PRISM are WEKA's; rules with exceptions are as accurate as its Ridor's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding, count_same, identity_table
from oracle.trees.answers import CODES
from oracle.trees.compare import folds_of, table_of

from hornbeam.learn.rules.exceptions import ExceptionRulesClassifier
from hornbeam.learn.rules.one_r import OneRClassifier
from hornbeam.learn.rules.prism import PrismClassifier
from hornbeam.show import text

if TYPE_CHECKING:
    from collections.abc import Callable

LEARNERS: dict[str, Callable[[], Any]] = {
    "OneR": lambda: OneRClassifier(compat="weka"),
    "Prism": lambda: PrismClassifier(compat="weka"),
}
HEADERS = {"OneR": "", "Prism": "Prism rules\n----------\n"}
EXCEPTIONS = "Ridor"  # another algorithm than ours: only accuracy is compared
BAR = -1.0  # points of accuracy against Ridor, on average


@dataclass(frozen=True)
class Outcome:
    """What came of one scheme on one set."""

    scheme: str
    data: str
    difference: str | None
    better_by: float | None  # points of accuracy; Ridor only


def small_pairs() -> list[tuple[str, str]]:
    """1R and PRISM with every small set."""
    return evidence.small_pairs(LEARNERS)


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set where the program had an answer."""
    schemes = (*LEARNERS, EXCEPTIONS)
    found = evidence.small_pairs(schemes) + evidence.large_pairs(schemes)
    return [pair for pair in found if evidence.cross_validated(*pair)]


def stored(scheme: str, data: str) -> tuple[str, str]:
    """The text that the program printed, and the class of every row when it was in the test fold."""
    answer = evidence.answers(scheme, data)
    return answer["model"], answer["cv"]["pred"]


def cross_validated(make: Callable[[], Any], data: str) -> np.ndarray:
    """The code that every row gets from the model of the fold in which it is tested."""
    table = table_of(evidence.arff(data))
    codes = np.empty(table.n_rows, np.int64)
    for train, test in folds_of(evidence.arff(data)):
        codes[test] = make().fit(table.take(train)).model_.predict(table.take(test))
    return codes


def as_text(codes: np.ndarray) -> str:
    """One character per row."""
    return "".join("?" if code < 0 else CODES[code] for code in codes.tolist())


def compare(scheme: str, data: str) -> Outcome:
    """Compare one scheme on one set."""
    table = table_of(evidence.arff(data))
    if scheme == EXCEPTIONS:
        right = cross_validated(ExceptionRulesClassifier, data) == table.target_values()
        theirs = evidence.answers(scheme, data)["cv"]["accuracy_pct"]
        return Outcome(scheme, data, None, 100 * float(right.mean()) - theirs)
    model, predictions = stored(scheme, data)
    wrong = []
    if HEADERS[scheme] + text(LEARNERS[scheme]().fit(table), style="weka") + "\n" != model:
        wrong.append("text differs")
    if as_text(cross_validated(LEARNERS[scheme], data)) != predictions:
        wrong.append("predictions differ")
    return Outcome(scheme, data, "; ".join(wrong), None)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    return [Finding(each.scheme, each.data, each.difference) for each in outcomes]


def complaints(outcomes: list[Outcome]) -> list[str]:
    """Whether rules with exceptions are less accurate than they may be."""
    points = [each.better_by for each in outcomes if each.better_by is not None]
    if not points or np.mean(points) >= BAR:
        return []
    return [f"Ridor: {np.mean(points):+.2f} points on average; at least {BAR} are required"]


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and a column for each scheme."""
    found = [each for each in findings(outcomes) if each.difference is not None]
    points = {each.data: each.better_by for each in outcomes if each.better_by is not None}
    lines = [
        '*same*: with `compat="weka"` the text of the rules is identical, character by character, and so is every',
        "cross-validated prediction. Rules with exceptions are found in another way than Ridor's; their accuracy in",
        "percent, on the same folds, is compared.",
        "",
        f"{count_same(found)} Rules with exceptions: {np.mean(list(points.values())):+.2f} points against Ridor, on",
        f"average over {len(points)} sets (at least {BAR}).",
        "",
    ]
    head, rule, *rows = identity_table(found, tuple(LEARNERS))
    lines += [f"{head} exceptions better than Ridor by |", f"{rule}---|"]
    for row in rows:
        better = points.get(row.split(" | ")[0].removeprefix("| "))
        lines.append(f"{row} {'' if better is None else f'{better:+.2f}'} |")
    return lines


CHAPTER = Chapter("1R, PRISM and rules with exceptions", pairs, compare, findings, complaints, page)
