"""The reference program's rules of one column and perfect rules: a few sets here, all others in the shared folder.

Also its accuracy with rules with exceptions, which are another algorithm's than ours.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from locate import has_shared, shared_root
from oracle.answers import CODES
from oracle.compare import folds_of, table_of

from hornbeam.learn.rules.exceptions import ExceptionRulesClassifier
from hornbeam.learn.rules.one_r import OneRClassifier
from hornbeam.learn.rules.prism import PrismClassifier

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent
LEARNERS: dict[str, Callable[[], Any]] = {
    "OneR": lambda: OneRClassifier(compat="weka"),
    "Prism": lambda: PrismClassifier(compat="weka"),
}
HEADERS = {"OneR": "", "Prism": "Prism rules\n----------\n"}
TOO_SLOW_FOR_IT = {"letter"}  # where the reference program's rules with exceptions were not found in time


@cache
def _small() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "simple_rules_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in LEARNERS for data in sorted(_small()[scheme])]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    found = [(s, path.stem) for s in LEARNERS for path in sorted((shared_root() / "oracle" / s).glob("*.json"))]
    return [pair for pair in found if pair not in small_pairs()]


def stored(scheme: str, data: str) -> tuple[str, str]:
    """The text that the program printed, and the class of every row when it was in the test fold."""
    if data in _small().get(scheme, {}):
        answer = _small()[scheme][data]
        return answer["model"], answer["pred"]
    answer = json.loads((shared_root() / "oracle" / scheme / f"{data}.json").read_text(encoding="utf-8"))
    return answer["model"], answer["cv"]["pred"]


def arff(data: str) -> Path:
    """Where the rows of a set are."""
    own = HERE / "data" / f"{data}.arff"
    return own if own.exists() else shared_root() / "data" / f"{data}.arff"


def cross_validated(make: Callable[[], Any], data: str) -> np.ndarray:
    """The code that every row gets from the model of the fold in which it is tested."""
    table = table_of(arff(data))
    codes = np.empty(table.n_rows, np.int64)
    for train, test in folds_of(arff(data)):
        codes[test] = make().fit(table.take(train)).model_.predict(table.take(test))
    return codes


def as_text(codes: np.ndarray) -> str:
    """One character a row."""
    return "".join("?" if code < 0 else CODES[code] for code in codes.tolist())


def exceptions_against_theirs() -> list[tuple[str, float, float]]:
    """For every set: our accuracy with rules with exceptions and the reference program's, in points."""
    found = []
    for path in sorted((shared_root() / "oracle" / "Ridor").glob("*.json")):
        if path.stem in TOO_SLOW_FOR_IT:
            continue
        theirs = json.loads(path.read_text(encoding="utf-8"))["cv"]["accuracy_pct"]
        codes = cross_validated(ExceptionRulesClassifier, path.stem)
        found.append((path.stem, 100 * float((codes == table_of(arff(path.stem)).target_values()).mean()), theirs))
    return found
