"""Hold our trees against the reference program's: the printed tree, and every cross-validated prediction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle.trees.answers import CODES, Answer, answer

from hornbeam.data.read import read
from hornbeam.learn.compat.weka import cross_validation_folds
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.show import text

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

LINE = re.compile(r"(?P<condition>(?:\|   )*(?P<column>.*?) (?:<=|>)) (?P<cut>-?[0-9.]+)(?P<rest>: .*)?")
FIGURES = re.compile(r"\((?P<weight>[0-9.]+)(?:/(?P<errors>[0-9.]+))?\)$")
LAST_OF_WEIGHT = 0.01 + 1e-9  # printed weights have two decimals
LAST_OF_CUT = 1e-6 + 1e-12  # and printed cuts six


@dataclass(frozen=True)
class Outcome:
    """How one of our trees differs from the stored one."""

    scheme: str
    data: str
    differing_lines: tuple[tuple[str, str], ...]  # ours and theirs
    neighboring_cuts: tuple[tuple[str, str], ...]  # those of them whose cut is the next data value
    differing_rows: tuple[int, ...]  # whose cross-validated prediction differs

    @property
    def text_identical(self) -> bool:
        """Whether the printed trees are one; against the newer version, up to the rounding of printed numbers."""
        return not self.differing_lines

    @property
    def predictions_identical(self) -> bool:
        """Whether every row got the same class."""
        return not self.differing_rows


def estimator(scheme: str) -> Any:
    """Make the estimator that answers as a scheme of the reference program does."""
    options: dict[str, dict[str, Any]] = {
        "J48": {},
        "J48-U": {"prune": None},
        "J48-R": {"prune": "reduced-error"},
        "J48-B": {"nominal": "one-vs-rest"},
        "J48-S": {"subtree_raising": False},
        "J48-M5-C0.1": {"min_samples_leaf": 5, "confidence": 0.1},
        "w39-J48": {},
        "w39-J48-noMDL": {"mdl": False},
        "w39-J48-U-O-noMDL": {"prune": None, "collapse": False, "mdl": False},
    }
    if scheme == "Id3":
        return ID3Classifier(compat="weka")
    return C45Classifier(compat="weka-3.9" if scheme.startswith("w39") else "weka", **options[scheme])


@lru_cache(maxsize=2)
def table_of(path: Path) -> Table:
    """Read a set; the last two are kept, since one set is asked for by scheme after scheme."""
    return read(path, target=-1)


@lru_cache(maxsize=2)
def folds_of(path: Path) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Give the reference program's ten folds of a set, training rows in its order."""
    return cross_validation_folds(table_of(path).target_values(), folds=10, seed=1)


def compare(scheme: str, data: str) -> Outcome:
    """Learn from all rows and from ten folds, and collect every difference from the stored answer."""
    stored = answer(scheme, data)
    table = table_of(stored.arff)
    ours = text(estimator(scheme).fit(table), style="weka")
    lines, cuts = differences(ours, stored, table)
    predicted = cross_validated(scheme, stored)
    if len(predicted) != len(stored.predictions):
        msg = f"{data}: {len(predicted)} rows were read; the stored answer has {len(stored.predictions)}"
        raise ValueError(msg)
    rows = tuple(row for row, pair in enumerate(zip(predicted, stored.predictions, strict=True)) if pair[0] != pair[1])
    return Outcome(scheme, data, tuple(lines), tuple(cuts), rows)


def cross_validated(scheme: str, stored: Answer) -> str:
    """Predict every row by the tree of the fold in which it is tested; one character a row."""
    table = table_of(stored.arff)
    codes = np.empty(table.n_rows, np.int64)
    for train, test in folds_of(stored.arff):
        codes[test] = estimator(scheme).fit(table.take(train)).model_.predict(table.take(test))
    return "".join("?" if code < 0 else CODES[code] for code in codes.tolist())


def differences(ours: str, stored: Answer, table: Table) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Lines that differ, and those among them that differ by a neighboring cut only.

    Against the newer version, which prints some digits in another way, lines that differ by the rounding of a printed
    number are the same.
    """
    if ours == stored.body:
        return [], []
    lines = zip_longest(ours.split("\n"), stored.body.split("\n"), fillvalue="(no line)")
    differ = [(our, their) for our, their in lines if our != their]
    if stored.newer:
        differ = [pair for pair in differ if not same_but_for_digits(*pair)]
    return differ, [pair for pair in differ if same_but_for_neighboring_cut(*pair, table)]


def same_but_for_digits(ours: str, theirs: str) -> bool:
    """Whether two lines differ only in the last printed digit of a number, or in the sign of zero."""
    first, second = LINE.fullmatch(ours), LINE.fullmatch(theirs)
    if first is None or second is None:
        return _without_figures(ours) == _without_figures(theirs) and _figures_agree(ours, theirs)
    same = first["condition"] == second["condition"] and abs(float(first["cut"]) - float(second["cut"])) <= LAST_OF_CUT
    rest = first["rest"] or "", second["rest"] or ""
    return same and _without_figures(rest[0]) == _without_figures(rest[1]) and _figures_agree(*rest)


def same_but_for_neighboring_cut(ours: str, theirs: str, table: Table) -> bool:
    """Whether two lines differ only in that one's cut is the column's next value after the other's.

    Where the midpoint of two values of a node is, up to rounding, a third value of the column, the reference program's
    versions disagree on whether the cut is that value or the one below it. No training row of the node lies between.
    """
    first, second = LINE.fullmatch(ours), LINE.fullmatch(theirs)
    if first is None or second is None or ours == theirs:
        return False
    if (first["condition"], first["rest"]) != (second["condition"], second["rest"]):
        return False
    values = table.column(first["column"])
    known = np.unique(values[~np.isnan(values)])
    cuts = float(first["cut"]), float(second["cut"])
    places = [int(np.argmin(np.abs(known - cut))) for cut in cuts]
    printed = all(abs(known[place] - cut) <= LAST_OF_CUT for place, cut in zip(places, cuts, strict=True))
    return printed and abs(places[0] - places[1]) == 1


def _without_figures(line: str) -> str:
    return FIGURES.sub("", line)


def _figures_agree(ours: str, theirs: str) -> bool:
    first, second = FIGURES.search(ours), FIGURES.search(theirs)
    if first is None or second is None:
        return first is second
    pairs = zip(first.groups("0"), second.groups("0"), strict=True)
    return all(abs(float(a) - float(b)) <= LAST_OF_WEIGHT for a, b in pairs)
