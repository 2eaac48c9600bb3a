"""Model trees: a weight counts as that many equal rows, and weights of one change nothing, with missing values too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

LEARNERS: dict[str, Any] = {
    "tree": hornbeam.M5Regressor(),
    "tree not pruned": hornbeam.M5Regressor(prune=None),
    "tree by linear error": hornbeam.M5Regressor(criterion="linear-error"),
    "tree of means": hornbeam.M5Regressor(leaf="mean"),
    "committee": hornbeam.M5Regressor(committees=3),
    "neighbors": hornbeam.M5Regressor(neighbors=5),
    "rules and neighbors": hornbeam.M5RulesRegressor(neighbors=9),
    "rules": hornbeam.M5RulesRegressor(),
    "rules by deviation": hornbeam.M5RulesRegressor(criterion="sd-reduction"),
    "linear leaves": hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=10),
}


def drawn(seed: int, rows: int, lacking: float) -> tuple[Table, np.ndarray]:
    """Two numbers, one of them with ties, and categories; some values missing; and whole weights."""
    random = np.random.default_rng(seed)
    a, b, code = random.normal(size=rows), np.round(random.normal(size=rows), 1), random.integers(0, 4, rows)
    y = np.where(a > 0, 2 * b, 1 - a) + np.array([0.0, 1, 5, 2])[code] + 0.3 * random.normal(size=rows)
    gone = random.random((3, rows)) < lacking
    columns = (Numeric("a"), Numeric("b"), Nominal("c", tuple("pqrs")), Numeric("y"))
    arrays: list[Any] = [np.where(gone[0], np.nan, a), np.where(gone[1], np.nan, b), np.where(gone[2], -1, code), y]
    return Table(Schema(columns, ("feature",) * 3 + ("target",)), arrays), random.integers(1, 4, rows)


@pytest.mark.parametrize("lacking", [0.0, 0.2])
@pytest.mark.parametrize("name", LEARNERS)
def test_a_weight_counts_as_repeated_rows(name: str, lacking: float) -> None:
    for seed in range(10):
        table, times = drawn(seed, 20 + 12 * seed, lacking)
        weighted = LEARNERS[name].fit(table, sample_weight=times.astype(float)).predict(table)
        repeated = LEARNERS[name].fit(table.take(np.repeat(np.arange(table.n_rows), times))).predict(table)
        assert weighted == pytest.approx(repeated, abs=1e-6 * table.target_values().std())


@pytest.mark.parametrize("name", ["tree by linear error", "rules"])
def test_a_weight_counts_as_repeated_rows_where_splits_are_compared_on_a_sample(name: str) -> None:
    table, times = drawn(1, 3000, 0.1)
    weighted = LEARNERS[name].fit(table, sample_weight=times.astype(float)).predict(table)
    repeated = LEARNERS[name].fit(table.take(np.repeat(np.arange(table.n_rows), times))).predict(table)
    assert weighted == pytest.approx(repeated, abs=1e-6 * table.target_values().std())


@pytest.mark.parametrize("k", [3, 5, 9])
def test_rows_equally_far_away_are_so_with_weights_too(k: int) -> None:
    # A missing value differs by the average: in the last digit it must not matter how the rows were counted for that.
    for seed in range(30):
        table, times = drawn(seed, 20 + 6 * seed, 0.2)
        order = np.random.default_rng(seed).permutation(np.repeat(np.arange(table.n_rows), times))
        weighted = hornbeam.M5Regressor(neighbors=k).fit(table, sample_weight=times.astype(float))
        repeated = hornbeam.M5Regressor(neighbors=k).fit(table.take(order))
        found: Any = (weighted.model_, repeated.model_)
        assert np.array_equal(*(model.near.distance.expected for model in found))
        assert weighted.predict(table) == pytest.approx(repeated.predict(table), abs=1e-6 * table.target_values().std())


def test_the_smallest_table_of_which_weights_were_forgotten() -> None:
    x = np.array([5.0, 5, 0, 5, np.nan, 1])[:, None]
    y, times = np.array([0.0, 5, 0, 7, 1, 1]), np.array([1, 1, 3, 1, 1, 1])
    rows = np.repeat(np.arange(6), times)
    weighted = hornbeam.M5Regressor().fit(x, y, sample_weight=times)
    assert weighted.predict(x) == pytest.approx(hornbeam.M5Regressor().fit(x[rows], y[rows]).predict(x), abs=1e-9)


@pytest.mark.parametrize("lacking", [0.0, 0.2])
@pytest.mark.parametrize("name", LEARNERS)
def test_weights_of_one_change_nothing(name: str, lacking: float) -> None:
    table, _ = drawn(7, 150, lacking)
    plain = LEARNERS[name].fit(table).model_
    ones = LEARNERS[name].fit(table, sample_weight=np.ones(150)).model_
    assert (plain.predict(table) == ones.predict(table)).all()
    assert hornbeam.show.text(plain) == hornbeam.show.text(ones)


@pytest.mark.parametrize("make", [hornbeam.M5Regressor, hornbeam.M5RulesRegressor])
def test_weights_are_refused_where_the_reference_program_does_not_use_them(make: Any) -> None:
    table, times = drawn(2, 40, 0.0)
    with pytest.raises(ValueError, match='compat="weka" takes no row weights'):
        make(compat="weka").fit(table, sample_weight=times)
