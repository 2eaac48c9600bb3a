"""Model trees put right by neighbors gain by it, as Cubist's rules do, and err no more than these."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from oracle import evidence
from oracle.trees.cubist_answers import Cubist, ask_for_cubist

import hornbeam

if TYPE_CHECKING:
    from hornbeam.data.table import Table

SETS = ("auto-mpg", "auto-price", "cpu", "housing", "servo", "abalone", "bank8FM", "pyrim")
MOST_ROWS, FOLDS, NEIGHBORS = 1500, 10, 5

pytestmark = [
    pytest.mark.oracle,
    pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning"),
]


def table_of(name: str) -> Table:
    table = hornbeam.read(evidence.arff(name))
    table = table.with_target(table.schema.names[-1])
    table = table.take(~np.isnan(table.target_values()))
    return table.take(np.random.default_rng(0).permutation(table.n_rows)[:MOST_ROWS])


def errors(table: Table, neighbors: int, *, ours: bool) -> float:
    """Root mean squared error of ten folds, as a share of the deviation."""
    fold = np.random.default_rng(1).permutation(table.n_rows) % FOLDS
    answers = np.empty(table.n_rows)
    for number in range(FOLDS):
        train, asked = table.take(fold != number), table.take(fold == number)
        learner = hornbeam.M5Regressor(neighbors=neighbors) if ours else Cubist(neighbors=neighbors or None)
        answers[fold == number] = learner.fit(train).predict(asked)
    truth = table.target_values()
    return float(np.sqrt(np.square(answers - truth).mean()) / truth.std())


def test_neighbors_help_and_cubist_is_no_better() -> None:
    tables = [table_of(name) for name in SETS]
    without, put_right = (np.mean([errors(t, k, ours=True) for t in tables]) for k in (0, NEIGHBORS))
    assert put_right < 0.97 * without
    ask_for_cubist()
    assert put_right <= np.mean([errors(t, NEIGHBORS, ours=False) for t in tables])
