"""Importance by shuffling a column, for any model, with intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

import hornbeam
from hornbeam.data.schema import Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.explain.permutation import PermutationImportance, permutation_importance

SCHEMA = Schema((Numeric("needed"), Numeric("noise"), Numeric("y")), ("feature", "feature", "target"))


def rows(count: int = 400) -> Table:
    random = np.random.default_rng(0)
    needed, noise = random.random((2, count))
    return Table(SCHEMA, [needed, noise, 3 * needed])


def test_a_needed_column_costs_and_noise_does_not() -> None:
    table = rows()
    found = permutation_importance(hornbeam.LinearRegressor().fit(table), table, random_state=0)
    assert found.names == ("needed", "noise")
    assert found.baseline == pytest.approx(1.0)
    # shuffled, the answers vary as before and have nothing to do with the truth: R² falls by 2
    assert found.mean[0] == pytest.approx(2.0, abs=0.1)
    assert found.low[0] < found.mean[0] < found.high[0]
    assert abs(found.mean[1]) < 1e-9


@pytest.mark.parametrize(
    "learner",
    [
        hornbeam.C45Classifier(),
        hornbeam.RipperClassifier(random_state=0),
        hornbeam.BaggingClassifier(n_estimators=3, random_state=0),
        hornbeam.RandomForestClassifier(n_estimators=5, random_state=0),
    ],
)
def test_any_model_will_do(learner: Any) -> None:
    iris = hornbeam.read("iris")
    fitted = learner.fit(iris)
    found = permutation_importance(fitted, iris, 5, random_state=1)
    assert found.drops.shape == (4, 5)
    assert found.names[int(found.mean.argmax())] in ("petalwidth", "petallength")
    again = permutation_importance(fitted, iris, 5, random_state=1, n_jobs=2)
    assert np.array_equal(again.drops, found.drops)
    plain = permutation_importance(fitted.model_, iris, 5, random_state=1)
    assert np.allclose(plain.drops, found.drops)


def test_a_plain_model_of_numbers_has_the_same_score() -> None:
    cpu = hornbeam.read("cpu")
    fitted = hornbeam.TreeRegressor(max_depth=3).fit(cpu)
    one, other = (permutation_importance(model, cpu, 3, random_state=0) for model in (fitted, fitted.model_))
    assert np.allclose(one.drops, other.drops)
    assert one.baseline == pytest.approx(other.baseline)


def test_intervals() -> None:
    drops = np.array([[0.1, 0.2, 0.3, 0.6], [0.0, 0.0, 0.0, 0.0]])
    found = PermutationImportance(("a", "b"), 0.9, drops, 0.9)
    low, high = stats.t.interval(0.9, 3, loc=0.3, scale=stats.sem(drops[0]))
    assert (found.low[0], found.high[0]) == pytest.approx((low, high))
    assert (found.low[1], found.high[1]) == (0.0, 0.0)
    wide = PermutationImportance(("a", "b"), 0.9, drops, 0.5, "percentile")
    assert (wide.low[0], wide.high[0]) == pytest.approx(tuple(np.quantile(drops[0], [0.25, 0.75])))
    lines = found.text().splitlines()
    assert lines[0].split() == ["score", "0.9000"]
    assert lines[1].split()[:2] == ["a", "0.3000"]


def test_another_score_may_judge() -> None:
    table = rows()
    fitted = hornbeam.LinearRegressor().fit(table)

    def error(model: Any, judged: Table) -> float:
        return -float(np.abs(model.predict(judged) - judged.target_values()).mean())

    found = permutation_importance(fitted, table, 20, score=error, random_state=0)
    assert found.mean[0] == pytest.approx(1.0, abs=0.05)  # two numbers from 0 to 3 are 1 apart on average


@pytest.mark.parametrize(
    ("parameters", "told"),
    [({"n_repeats": 1}, "n_repeats"), ({"confidence": 1.0}, "confidence"), ({"interval": "wide"}, "interval")],
)
def test_what_cannot_be_is_refused(parameters: dict[str, Any], told: str) -> None:
    table = rows(20)
    with pytest.raises(ValueError, match=told):
        permutation_importance(hornbeam.TreeRegressor().fit(table), table, **parameters)
