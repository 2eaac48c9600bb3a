"""A whole report against the cross-validations in it: what everything else costs."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.as_table import table_of
from benchmarks.peer import Learner
from hornbeam.report import build

if TYPE_CHECKING:
    from benchmarks.data import Rows
    from hornbeam.report import Report

SCHEMES = ("c45", "cart")  # two quick ones: with more or slower schemes, the rest of a report is a smaller share


@dataclass(frozen=True)
class Written:
    """A report, and the seconds of CPU that its cross-validations and all of it took."""

    made: Report
    letters: int
    validation: float
    total: float


def report(threads: int) -> Learner:
    """A report on two schemes, written as a page."""

    def fit(rows: Rows) -> Written:
        ticks: list[tuple[int, int, float]] = []

        def tick(done: int, total: int) -> None:
            ticks.append((done, total, time.process_time()))

        started = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = build(table_of(rows), schemes=SCHEMES, n_jobs=threads, progress=tick)
        page = made.html()
        ended = time.process_time()
        # The last tick comes after the fit on all rows; the one before it after the last fold.
        folds = [moment for done, total, moment in ticks if done < total]
        return Written(made, len(page), folds[-1] - folds[0], ended - started)

    return Learner(fit, lambda model, rows: model.made.estimator.model_.predict_codes(table_of(rows)), _facts)


def _facts(found: Written) -> dict[str, Any]:
    return {
        "validation": found.validation,
        "times": found.total / found.validation,
        "letters": found.letters,
        "leaves": found.made.estimator.model_.n_leaves,
    }
