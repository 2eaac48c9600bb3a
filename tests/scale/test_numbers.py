"""Regression trees from partitions are those in memory, and the same for any partitions, order and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scanned_tables import differences, made_table, write_database, write_parts

import hornbeam
from hornbeam.data.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

ESTIMATORS = [
    hornbeam.TreeRegressor(min_samples_leaf=3),
    hornbeam.TreeRegressor(max_depth=4, nominal="one-vs-rest", missing="majority"),
    hornbeam.TreeRegressor(min_samples_leaf=5, nominal="multiway", prune="complexity-factor"),
    hornbeam.TreeRegressor(min_samples_leaf=5, min_impurity=3.0, min_gain=0.2, min_gain_share=0.001),
    hornbeam.CartRegressor(max_surrogates=0, folds=0),
    hornbeam.CartRegressor(max_surrogates=0, folds=0, cp=0.001, min_samples_leaf=3),
]


def of_numbers(rows: int, *, missing: float = 0.0, values: int | None = 40) -> Table:
    """Rows whose target x3 is a number; a whole one if there are few values."""
    table = made_table(rows, missing=missing, values=values).assign({"x3": "target", "y": "ignored"})
    columns = list(table.columns)
    one, two, color = np.nan_to_num(columns[0]), np.nan_to_num(columns[1]), columns[4]
    noise = np.random.default_rng(1).normal(size=rows)
    target = 3 * one - 2 * two * (color > 2) + noise * 5
    columns[3] = target if values is None else np.round(target)
    return type(table)(table.schema, columns)


def learned(estimator: Any, pattern: str, **options: Any) -> Any:
    source = hornbeam.scan(pattern, target="x3", ignore=["y"], **{"workers": 0, "local_rows": 0, **options})
    found = type(estimator)(**estimator.get_params()).fit(source)
    source.close()
    return found


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_trees_are_those_in_memory(tmp_path: Path, estimator: Any, missing: float) -> None:
    table = of_numbers(700, missing=missing).select([0, 1, 2, 3, 4])
    expected = estimator.fit(table).model_
    assert expected.n_nodes > 5
    pattern = write_parts(of_numbers(700, missing=missing), tmp_path, 3, seed=5)
    for local_rows in (30, 300, 1000):
        tree = learned(estimator, pattern, local_rows=local_rows).model_
        assert differences(expected, tree, 1e-9) == {}


@pytest.mark.parametrize("values", [40, None])
@pytest.mark.parametrize("estimator", [ESTIMATORS[0], ESTIMATORS[-1]], ids=str)
def test_the_model_file_depends_on_nothing_but_the_rows(tmp_path: Path, estimator: Any, values: int | None) -> None:
    table = of_numbers(600, missing=0.05, values=values)
    files = set()
    for parts, seed, workers in [(1, None, 0), (3, 1, 0), (7, 2, 2), (20, 3, 0)]:
        pattern = write_parts(table, tmp_path / f"{parts}", parts, seed)
        learned(estimator, pattern, local_rows=60, bins=16, workers=workers).save(tmp_path / "model")
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1


def test_means_and_errors_are_exact(tmp_path: Path) -> None:
    table = of_numbers(2000, values=None)
    shifted = with_target(table, table.columns[3] + 1e6)
    pattern = write_parts(shifted, tmp_path, 4)
    tree = learned(hornbeam.TreeRegressor(max_depth=3, min_samples_leaf=50), pattern).model_
    ends, truth = tree.apply(shifted), shifted.target_values()
    for node in np.flatnonzero(tree.n_children == 0):
        own = truth[ends == node]
        assert tree.rows[node] == len(own)
        assert tree.value[node, 1] == pytest.approx(own.mean(), rel=1e-15)
        assert tree.value[node, 2] == pytest.approx(((own - own.mean()) ** 2).sum(), rel=1e-9)
    exact = hornbeam.TreeRegressor(max_depth=3, min_samples_leaf=50).fit(shifted)
    assert abs(exact.score(shifted) - hornbeam.TreeRegressor.from_model(tree).score(shifted)) < 0.05


def with_target(table: Table, target: Any) -> Table:
    return type(table)(table.schema, [*table.columns[:3], target, *table.columns[4:]])


def test_equal_numbers_and_rows_without_a_target(tmp_path: Path) -> None:
    table = of_numbers(200)
    target = np.where(np.arange(200) % 5, 0.1, np.nan)
    pattern = write_parts(with_target(table, target), tmp_path / "a", 3)
    tree = learned(hornbeam.CartRegressor(max_surrogates=0, folds=0), pattern).model_
    assert (tree.n_nodes, tree.value.tolist(), tree.rows.tolist()) == (1, [[160.0, 0.1, 0.0]], [160])
    with pytest.raises(ValueError, match="no rows to learn from"):
        learned(hornbeam.TreeRegressor(), write_parts(with_target(table, target * np.nan), tmp_path / "b", 3))
    pq.write_table(pa.table({"x0": [1.0, 2.0], "x3": [0.0, np.inf], "y": ["p", "q"]}), tmp_path / "c.parquet")
    with pytest.raises(DataError, match=r"c.parquet: column 'x3', row 2: found inf"):
        learned(hornbeam.TreeRegressor(), str(tmp_path / "c.parquet"))


@pytest.mark.parametrize(
    ("estimator", "found"),
    [
        (hornbeam.CartRegressor(folds=0), "max_surrogates=5"),
        (hornbeam.CartRegressor(max_surrogates=0), "folds=10"),
        (hornbeam.TreeRegressor(criterion="sd-reduction"), "criterion='sd-reduction'"),
        (hornbeam.TreeRegressor(leaf="linear"), "leaf='linear'"),
        (hornbeam.TreeRegressor(missing="fractional"), "missing='fractional'"),
        (hornbeam.TreeRegressor(prune="reduced-error"), "prune='reduced-error'"),
    ],
    ids=str,
)
def test_what_is_not_supported_is_named(tmp_path: Path, estimator: Any, found: str) -> None:
    pattern = write_parts(of_numbers(100), tmp_path, 1)
    with pytest.raises(ValueError, match=found):
        learned(estimator, pattern)


def test_a_database_counts_classes(tmp_path: Path) -> None:
    path = write_database(of_numbers(100), tmp_path / "rows.duckdb")
    with pytest.raises(ValueError, match="the numeric target 'x3'"):
        learned(hornbeam.TreeRegressor(), path, engine="duckdb")
