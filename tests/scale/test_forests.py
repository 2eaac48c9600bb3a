"""Forests and boosting from partitions are those learned in memory, for any partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.learn.forests import binned

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

CLASSIFIERS = [
    hornbeam.GradientBoostingClassifier(8),
    hornbeam.GradientBoostingClassifier(
        30, early_stopping=True, n_iter_no_change=3, subsample=0.7, class_weight="balanced"
    ),
    hornbeam.RandomForestClassifier(5, random_state=1, oob_score=True),
    hornbeam.RandomForestClassifier(5, random_state=2, max_leaf_nodes=20, criterion="entropy", max_samples=0.5),
]
REGRESSORS = [
    hornbeam.GradientBoostingRegressor(6, loss="absolute", max_leaf_nodes=8),
    hornbeam.GradientBoostingRegressor(6, loss="huber", monotonic_cst={"x0": 1}),
    hornbeam.GradientBoostingRegressor(6, early_stopping=True, max_features=0.5),
    hornbeam.RandomForestRegressor(4, random_state=3, keep_targets=True),
]


def fitted(estimator: Any) -> Any:
    return type(estimator)(**estimator.get_params())


def same_for_any_partitions(estimator: Any, table: Table, target: str, folder: Path) -> Any:
    """The model of 1, 3 and 7 partitions, some of them empty."""
    expected = fitted(estimator).fit(table)
    files = set()
    for parts, workers in ((1, 0), (3, 0), (7, 2)):
        pattern = write_parts(table, folder / str(parts), parts)
        write_parts(table.take([]), folder / str(parts) / "z", 1)
        source = hornbeam.scan([pattern, folder / str(parts) / "z"], target=target, local_rows=100, workers=workers)
        found = fitted(estimator).fit(source)
        source.close()
        assert found.model_.same_as(expected.model_)
        found.save(folder / "model")
        files.add((folder / "model").read_bytes())
        for name in ("n_iter_", "validation_loss_", "oob_score_"):
            if hasattr(expected, name):
                assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert len(files) == 1
    return expected


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=str)
def test_classifiers_are_those_in_memory(tmp_path: Path, estimator: Any, missing: float) -> None:
    same_for_any_partitions(estimator, made_table(700, missing=missing), "y", tmp_path)


@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
def test_regressors_are_those_in_memory(tmp_path: Path, estimator: Any) -> None:
    table = made_table(600, missing=0.05).assign({"x3": "target", "y": "feature"})
    table = table.take(~table.missing("x3"))
    same_for_any_partitions(estimator, table, "x3", tmp_path)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_boosting_bins_by_the_same_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: float) -> None:
    monkeypatch.setattr(binned, "SAMPLE_ROWS", 200)
    table = made_table(1500, missing=missing, values=None)
    estimator = hornbeam.GradientBoostingClassifier(4, max_bins=40)
    expected = same_for_any_partitions(estimator, table, "y", tmp_path)
    assert len(set(expected.model_.cut)) > 40


def test_many_categories_and_rows_without_a_class(tmp_path: Path) -> None:
    from hornbeam.data.schema import Nominal, Numeric, Schema
    from hornbeam.data.table import Table

    random = np.random.default_rng(1)
    city, x = random.integers(0, 400, 900).astype(np.int32), random.normal(size=900).round(1)
    classes = ((city % 3 == 0) ^ (x > 0.5)).astype(np.int32)
    classes[::50], city[::30] = -1, -1
    columns = (Nominal("city", tuple(f"c{i}" for i in range(400))), Numeric("x"), Nominal("y", ("no", "yes")))
    table = Table(Schema(columns, ("feature", "feature", "target")), [city, x, classes])
    same_for_any_partitions(hornbeam.GradientBoostingClassifier(5), table, "y", tmp_path)


@pytest.mark.parametrize("local_rows", [100, 1000])
def test_other_rows_to_stop_by(tmp_path: Path, local_rows: int) -> None:
    table, others = made_table(400), made_table(200, seed=1)
    estimator = hornbeam.GradientBoostingClassifier(20, early_stopping=True, n_iter_no_change=2)
    expected = fitted(estimator).fit(table, eval_set=others)
    source = hornbeam.scan(write_parts(table, tmp_path, 3), target="y", workers=0, local_rows=local_rows)
    found = fitted(estimator).fit(source, eval_set=others)
    assert found.evals_result_ == expected.evals_result_
    assert found.model_.same_as(expected.model_)
    found.set_params(warm_start=True, n_estimators=30)
    if local_rows == 1000:
        assert found.fit(source).n_iter_ >= expected.n_iter_
    else:
        with pytest.raises(ValueError, match="warm_start=True needs all values in memory"):
            found.fit(source)


def test_a_forest_of_many_values_is_cut_between_bins(tmp_path: Path) -> None:
    table = made_table(1500, values=None)
    source = hornbeam.scan(write_parts(table, tmp_path, 3), target="y", workers=0, local_rows=100)
    forest = hornbeam.RandomForestClassifier(10, random_state=1, max_bins=32).fit(source)
    exact = hornbeam.RandomForestClassifier(10, random_state=1, max_bins=32).fit(table)
    assert len(set(forest.model_.cut)) <= 4 * 32 + 2 < len(set(exact.model_.cut))
    held = made_table(1000, seed=1, values=None)
    assert abs(forest.score(held) - exact.score(held)) < 0.05


def test_what_is_not_supported_is_named(tmp_path: Path) -> None:
    pattern = write_parts(made_table(200), tmp_path, 2)

    def learned(estimator: Any, **options: Any) -> None:
        estimator.fit(hornbeam.scan(pattern, target="y", workers=0, **{"local_rows": 100, **options}))

    with pytest.raises(ValueError, match="numeric='one-cut' needs all values in memory"):
        learned(hornbeam.RandomForestClassifier(2, numeric="one-cut"))
    learned(hornbeam.RandomForestClassifier(2, numeric="one-cut"), local_rows=200)
    with pytest.raises(MemoryError, match="about 0 MB for 200 rows of 5 columns; there are -1 MB"):
        learned(hornbeam.RandomForestClassifier(2), memory_mb=-1)
