"""Model trees from partitions are those in memory, and the same for any partitions, order of rows and workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.scale.linear.exact import as_number, exact_sum, exact_sums

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.data.table import Table

CHOICES: list[dict[str, Any]] = [
    {},
    {"path_columns": True},
    {"leaf": "mean"},
    {"smoothing": False, "min_samples_leaf": 10},
    {"prune": None},
    {"min_deviation": 0.5, "path_columns": True},  # large leaves with equations
]


def of_numbers(rows: int, *, missing: float = 0.0, values: int | None = 40, seed: int = 0) -> Table:
    """Rows whose target x3 is linear in x0 or x1, with steps by category."""
    table = made_table(rows, missing=missing, values=values, seed=seed).assign({"x3": "target", "y": "ignored"})
    columns = list(table.columns)
    one, two, color = np.nan_to_num(columns[0]), np.nan_to_num(columns[1]), columns[4]
    noise = np.random.default_rng(seed + 1).normal(size=rows)
    unit = max(np.std(one), 1e-9)
    columns[3] = np.where(color > 2, 3 * one, -2 * two) / unit + 2.0 * (color % 2) + noise * 0.3
    return type(table)(table.schema, columns)


def learned(estimator: Any, pattern: str, **options: Any) -> Any:
    source = hornbeam.scan(pattern, target="x3", ignore=["y"], **{"workers": 0, "local_rows": 100, **options})
    found = type(estimator)(**estimator.get_params()).fit(source)
    source.close()
    return found


def tree_arrays(tree: Any) -> dict[str, Any]:
    """The arrays that make the structure, and those that are numbers."""
    same = ("parent", "first_child", "rows", "missing", "term_start", "term_column")
    close = ("value", "intercept", "residual", "error", "term_coefficient", "term_fill")
    return {
        "same": [getattr(tree, name).tolist() for name in same] + [tree.splits.column.tolist()],
        "close": np.concatenate([getattr(tree, name).ravel() for name in close] + [tree.splits.cuts]),
    }


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_model_trees_are_those_in_memory(tmp_path: Path, choices: dict[str, Any], missing: float) -> None:
    rows = of_numbers(1500, missing=missing)
    estimator = hornbeam.M5Regressor(**choices)
    expected = tree_arrays(estimator.fit(rows.select([0, 1, 2, 3, 4])).model_)
    assert len(expected["same"][0]) >= 5
    pattern = write_parts(rows, tmp_path, 3, seed=5)
    for local_rows in (40, 400):
        found = tree_arrays(learned(estimator, pattern, local_rows=local_rows).model_)
        assert found["same"] == expected["same"]
        np.testing.assert_allclose(found["close"], expected["close"], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("choices", [CHOICES[0], CHOICES[-1]], ids=str)
def test_the_model_file_depends_on_nothing_but_the_rows(tmp_path: Path, choices: dict[str, Any]) -> None:
    rows = of_numbers(900, missing=0.05, values=None)
    files = set()
    for parts, seed, workers in [(1, None, 0), (3, 1, 0), (7, 2, 2), (64, 3, 0)]:
        pattern = write_parts(rows, tmp_path / f"{parts}", parts, seed)
        found = learned(hornbeam.M5Regressor(**choices), pattern, bins=16, workers=workers)
        found.save(tmp_path / "model")
        files.add((tmp_path / "model").read_bytes())
    assert len(files) == 1


def test_intervals_cost_little_accuracy(tmp_path: Path) -> None:
    rows, held = of_numbers(4000, values=None), of_numbers(1000, values=None, seed=7).select([0, 1, 2, 3, 4])
    exact = hornbeam.M5Regressor().fit(rows.select([0, 1, 2, 3, 4]))
    found = learned(hornbeam.M5Regressor(), write_parts(rows, tmp_path, 4), bins=64)
    assert exact.score(held) > 0.9
    assert abs(found.score(held) - exact.score(held)) < 0.01


def test_rows_without_a_target_and_constant_targets(tmp_path: Path) -> None:
    rows = of_numbers(600)
    columns = list(rows.columns)
    columns[3] = np.where(np.arange(600) % 3 == 0, np.nan, columns[3])
    partly = type(rows)(rows.schema, columns)
    expected = hornbeam.M5Regressor().fit(partly.take(np.flatnonzero(np.arange(600) % 3 != 0)).select([0, 1, 2, 3, 4]))
    for local_rows in (100, 450):
        found = learned(hornbeam.M5Regressor(), write_parts(partly, tmp_path / "one", 4), local_rows=local_rows)
        assert tree_arrays(found.model_)["same"] == tree_arrays(expected.model_)["same"]
    columns[3] = np.full(600, 2.5)
    flat = write_parts(type(rows)(rows.schema, columns), tmp_path / "two", 3)
    assert learned(hornbeam.M5Regressor(), flat).predict(rows.select([0, 1, 2, 3, 4])).tolist() == [2.5] * 600


@pytest.mark.parametrize(
    "choices", [{"committees": 2}, {"neighbors": 3}, {"compat": "weka"}, {"criterion": "linear-error"}], ids=str
)
def test_what_needs_all_rows_is_refused(tmp_path: Path, choices: dict[str, Any]) -> None:
    pattern = write_parts(of_numbers(300), tmp_path, 2)
    with pytest.raises(ValueError, match=f"{next(iter(choices))}=.* cannot learn from scanned data"):
        learned(hornbeam.M5Regressor(**choices), pattern)


def test_sums_by_group_are_exact() -> None:
    random = np.random.default_rng(1)
    values, groups = random.normal(size=200_000) * 1000, random.integers(0, 5, 200_000)
    found = exact_sums(values, groups, 5)
    assert [int(one) for one in found] == [exact_sum(values[groups == group]) for group in range(5)]
    assert as_number(int(found[0])) == pytest.approx(values[groups == 0].sum(), rel=1e-12)
