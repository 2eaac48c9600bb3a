from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.comparing.outside import ChosenThreshold, _between
from hornbeam.learn.trees import prune


def noisy(rows: int, seed: int) -> Table:
    """One column that tells the class of nine rows in ten, and one that tells nothing."""
    random = np.random.default_rng(seed)
    x, noise = random.random((2, rows))
    label = ((x > 0.5) ^ (random.random(rows) < 0.1)).astype(np.int32)
    schema = Schema((Numeric("x"), Numeric("noise"), Nominal("y", ("a", "b"))), ("feature", "feature", "target"))
    return Table(schema, [x, noise, label])


def critical(**options: object) -> ChosenThreshold:
    estimator = hornbeam.TreeClassifier(criterion="information-gain", prune="critical-value", **options)  # type: ignore[arg-type]
    return ChosenThreshold(estimator, random_state=1)


def test_the_tree_is_that_of_the_threshold_chosen() -> None:
    table = noisy(300, 1)
    found = critical().fit(table)
    grown = hornbeam.TreeClassifier(criterion="information-gain").fit(table).model_
    expected = prune.critical_value(grown, threshold=found.prune_threshold_).best
    assert found.model_.n_leaves == expected.n_leaves
    assert 1 < found.model_.n_leaves < grown.n_leaves / 2
    assert found.predict(table).tolist() == hornbeam.TreeClassifier(
        criterion="information-gain", prune="critical-value", prune_threshold=found.prune_threshold_
    ).fit(table).predict(table).tolist()  # fmt: skip


def test_it_can_be_repeated_and_leaves_the_estimator_alone() -> None:
    table = noisy(200, 2)
    one = critical()
    assert one.fit(table).prune_threshold_ == clone(one).fit(table).prune_threshold_
    assert one.estimator.prune_threshold is None
    assert one.estimator.prune == "critical-value"


def test_numbers_too() -> None:
    estimator = hornbeam.TreeRegressor(prune="critical-value")
    table = hornbeam.read("auto-mpg")
    found = ChosenThreshold(estimator, random_state=1).fit(table)
    assert 1 < found.model_.n_leaves < hornbeam.TreeRegressor().fit(table).model_.n_leaves / 2


@pytest.mark.parametrize("step", range(4))
def test_a_threshold_gives_its_step(step: int) -> None:
    grown = hornbeam.TreeClassifier(criterion="information-gain").fit(noisy(40, 3)).model_
    path = prune.critical_value(grown, threshold=0.0)
    places = [0, 1, len(path) // 2, len(path) - 1]
    chosen = prune.critical_value(grown, threshold=_between(path.strength, places[step])).chosen
    assert chosen == places[step]


def test_a_lone_leaf_has_no_threshold() -> None:
    assert _between(np.array([np.nan]), 0) == 0.0
