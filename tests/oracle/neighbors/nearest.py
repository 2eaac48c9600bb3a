"""The chapter on neighbors: whether every prediction is the one of WEKA's IB1 and IBk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle import evidence
from oracle.chapter import Chapter, Finding, cell, count_same, no_complaints
from oracle.trees.answers import CODES

from hornbeam.data.read import read
from hornbeam.data.schema import Nominal
from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.neighbors.nearest import NeighborsClassifier, NeighborsRegressor

if TYPE_CHECKING:
    from numpy.typing import NDArray

OPTIONS: dict[str, dict[str, Any]] = {
    "IB1": {"n_neighbors": 1, "ties": "first"},
    "IBk-5": {"n_neighbors": 5, "ties": "all"},
}
DIGITS = 1e-5  # stored numbers have six


@dataclass(frozen=True)
class Outcome:
    """How one set came out by one scheme."""

    scheme: str
    data: str
    differing: int  # rows with another answer
    tied: int  # rows whose k-th neighbor is as far as others
    decided: int  # of these, rows to whom other rows of the tie would have given another answer (IB1)


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set."""
    return evidence.small_pairs(OPTIONS)


def pairs() -> list[tuple[str, str]]:
    """Every scheme with every set where the program had an answer."""
    found = small_pairs() + evidence.large_pairs(OPTIONS)
    return [pair for pair in found if evidence.cross_validated(*pair)]


def differences(found: NDArray[np.float64], truth: NDArray[np.float64], theirs: dict[str, Any]) -> int:
    """Rows with another answer; where single answers are not stored, 0 or 1 by their errors on average."""
    if "pred" not in theirs:
        return int(not np.isclose(np.mean(np.abs(found - truth)), theirs["mae"], rtol=DIGITS))
    if isinstance(theirs["pred"], str):
        return int(np.sum(found != [CODES.find(character) for character in theirs["pred"]]))
    wanted = np.array(theirs["pred"], np.float64)
    return int(np.sum(~np.isclose(found, wanted, rtol=DIGITS, atol=DIGITS)))


def compare(scheme: str, data: str) -> Outcome:
    """Cross-validate on the program's folds, and compare every answer."""
    table = read(evidence.arff(data), target=-1)
    classes = isinstance(table.schema.target_column, Nominal)
    kind = NeighborsClassifier if classes else NeighborsRegressor
    found = np.empty(table.n_rows)
    tied = decided = 0
    for train, test in cross_validation_folds(table.target_values(), stratify=classes):
        model = kind(compat="weka", **OPTIONS[scheme]).fit(table.take(train)).model_
        asking = table.take(test)
        found[test] = model.predict_codes(asking)
        everyone = replace(model, all_tied=True)
        neighbors = everyone.neighbors(asking)
        several = neighbors.counts > model.k
        tied += int(several.sum())
        if scheme == "IB1":
            codes = model.kept.target_values()[neighbors.rows]
            starts = neighbors.start[:-1]
            decided += int(np.sum(np.maximum.reduceat(codes, starts) != np.minimum.reduceat(codes, starts)))
    theirs = evidence.answers(scheme, data)["cv"]
    return Outcome(scheme, data, differences(found, table.target_values(), theirs), tied, decided)


def findings(outcomes: list[Outcome]) -> list[Finding]:
    """One per comparison."""
    told = [f"{each.differing} predictions differ" if each.differing else "" for each in outcomes]
    return [Finding(each.scheme, each.data, wrong) for each, wrong in zip(outcomes, told, strict=True)]


def page(outcomes: list[Outcome]) -> list[str]:
    """A row for each set and two columns for each scheme."""
    found = findings(outcomes)
    lines = [
        '*same*: with `compat="weka"`, `NeighborsClassifier` and `NeighborsRegressor` give the predictions of IB1',
        '(`n_neighbors=1`, `ties="first"`) and IBk with five neighbors (`ties="all"`) for every row. *tied*: rows that',
        "have several rows as far as the last neighbor; for IB1, in brackets, those among them where the first of",
        "these and another are of different classes, so that the order of rows decides.",
        "",
        f"{count_same(found)} Of abalone and bank8FM only the mean absolute error is stored, and is the same to six",
        "digits.",
        "",
        "| set | IB1 | tied | IBk-5 | tied |",
        "|---|---|---|---|---|",
    ]
    told = {(each.scheme, each.data): cell(each.difference) for each in found}
    tied = {
        (each.scheme, each.data): f"{each.tied} ({each.decided})" if each.scheme == "IB1" else str(each.tied)
        for each in outcomes
    }
    for data in sorted({each.data for each in outcomes}):
        cells = [text.get((scheme, data), "") for scheme in OPTIONS for text in (told, tied)]
        lines.append(f"| {data} | " + " | ".join(cells) + " |")
    return lines


CHAPTER = Chapter("Nearest neighbors", pairs, compare, findings, no_complaints, page)
