"""Growing does not depend on how the work is laid out: threads, width of entries, rows numbered anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hornbeam.core.base.interrupt import stop_after
from hornbeam.core.trees.grow import grower as kernel
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees import columns
from hornbeam.learn.trees import grow as growing
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.recipe import Recipe

GAIN = Recipe(criterion="information-gain", tolerance=1e-9)
RATIO = Recipe(
    criterion="gain-ratio",
    average_gain_filter=True,
    charge_cuts=True,
    threshold="data-value",
    min_gap=1e-5,
    min_branch=2,
    min_node=4,
    adaptive_minimum=True,
)
BINARY = Recipe(criterion="gain-ratio", nominal="one-vs-rest", min_branch=1, min_node=2)
RECIPES = {"gain": GAIN, "ratio": RATIO, "binary": BINARY}


def make_table(seed: int, n_rows: int, n_classes: int, *, missing: float, weighted: bool) -> Table:
    random = np.random.default_rng(seed)
    numbers = [
        random.normal(size=n_rows),
        random.integers(0, 300, n_rows) / 7,
        random.integers(0, 5, n_rows).astype(float),
        np.round(random.normal(size=n_rows), 5),  # neighbors closer than the gap
    ]
    codes = [random.integers(0, k, n_rows).astype(np.int32) for k in (2, 3, 30)]
    score = numbers[0] + (codes[1] == 1) - numbers[2] / 3 + random.normal(size=n_rows)
    target = np.clip(np.floor(score * 0.7 + n_classes / 2), 0, n_classes - 1).astype(np.int32)
    for values in numbers:
        values[random.random(n_rows) < missing] = np.nan
    for values in codes:
        values[random.random(n_rows) < missing] = -1
    columns: list[Any] = [Numeric(f"n{i}") for i in range(4)]
    columns += [Nominal(f"c{i}", tuple(map(str, range(k)))) for i, k in enumerate((2, 3, 30))]
    columns.append(Nominal("class", tuple(f"k{i}" for i in range(n_classes))))
    roles = ["feature"] * 7 + ["target"]
    arrays: list[Any] = [*numbers, *codes, target]
    if weighted:
        columns.append(Numeric("w"))
        roles.append("weight")
        arrays.append(random.choice([0.5, 1.0, 2.0], n_rows))
    return Table(Schema(tuple(columns), tuple(roles)), arrays)  # type: ignore[arg-type]


TABLES = {
    "whole": {"missing": 0.0, "weighted": False},
    "pieces": {"missing": 0.1, "weighted": False},
    "weighted": {"missing": 0.0, "weighted": True},
    "both": {"missing": 0.1, "weighted": True},
}


@pytest.fixture(params=sorted(TABLES))
def table(request: pytest.FixtureRequest) -> Table:
    return make_table(7, 1500, 3, **TABLES[request.param])


@pytest.fixture(params=sorted(RECIPES))
def recipe(request: pytest.FixtureRequest) -> Recipe:
    return RECIPES[request.param]


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_do_not_matter(table: Table, recipe: Recipe, n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    alone, _ = grow(table, recipe)
    for share_from in (1, 1000):  # every node shared out; large ones only, the rest as subtrees
        monkeypatch.setattr(kernel, "SHARE_FROM", share_from)
        together, _ = grow(table, recipe, n_threads=n_threads)
        assert together.same_as(alone)


@pytest.mark.parametrize("layout", [{"wide_entries": True}, {"zoom_from": 1}, {"wide_entries": True, "zoom_from": 1}])
def test_layout_does_not_matter(
    table: Table, recipe: Recipe, layout: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, _ = grow(table, recipe)
    choices = growing.choices
    monkeypatch.setattr(growing, "choices", lambda table, recipe: {**choices(table, recipe), **layout})
    other, _ = grow(table, recipe)
    assert other.same_as(plain)
    monkeypatch.setattr(kernel, "SHARE_FROM", 500)
    other, _ = grow(table, recipe, n_threads=2)
    assert other.same_as(plain)


def test_orders_at_hand_give_the_same_tree(table: Table, recipe: Recipe) -> None:
    fresh, _ = grow(make_table(7, 1500, 3, **_like(table)), recipe)
    for position in range(4):
        table.sort_order(position)
    sorted_before, _ = grow(table, recipe)
    assert sorted_before.same_as(fresh)
    # the table's own orders are still what they were
    known = table.columns[0][table.sort_order(0)]
    assert (np.diff(known) >= 0).all()


def _like(table: Table) -> dict[str, bool | float]:
    return {"missing": 0.1 if np.isnan(table.columns[0]).any() else 0.0, "weighted": table.weights is not None}


def test_many_classes_use_wide_entries_when_they_must() -> None:
    table = make_table(3, 400, 40, missing=0.05, weighted=False)
    tree, _ = grow(table, RATIO)
    tree.validate()
    assert tree.value.shape[1] == 40


def test_weights_are_repeated_rows() -> None:
    table = make_table(11, 600, 3, missing=0.0, weighted=False)
    counts = np.random.default_rng(5).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), counts))
    columns = (*table.schema.columns, Numeric("w"))
    weighted = Table(Schema(columns, (*table.schema.roles, "weight")), [*table.columns, counts.astype(float)])
    for recipe in RECIPES.values():
        one, _ = grow(repeated, recipe)
        other, _ = grow(weighted, recipe)
        assert np.array_equal(one.splits.column, other.splits.column)
        assert np.array_equal(one.splits.cuts, other.splits.cuts)
        assert np.allclose(one.value, other.value)


def test_growing_can_be_cancelled() -> None:
    table = make_table(1, 2000, 2, missing=0.0, weighted=False)
    grower = kernel.Grower(
        table.target_values(), 2, None, {**growing.choices(table, GAIN), "zoom": 8, "zoom_from": 1 << 20}, 1
    )
    grower.add_sorted(table.columns[0], table.sort_order(0))
    stop_after(5)
    with pytest.raises(KeyboardInterrupt):
        grower.grow()
    stop_after(-1)


def test_alternating_classes_make_a_deep_tree() -> None:
    n_rows = 3000
    table = Table(
        Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target")),
        [np.arange(n_rows, dtype=float), (np.arange(n_rows) % 2).astype(np.int32)],
    )
    tree, _ = grow(table, GAIN)
    tree.validate()
    assert tree.n_leaves == n_rows
    assert (tree.predict_codes(table) == table.target_values()).all()


def test_counted_and_sorted_columns_agree(table: Table, recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, _ = grow(table, recipe)
    monkeypatch.setattr(columns, "FEW_VALUES", 0)
    listed, _ = grow(table, recipe)
    assert np.array_equal(listed.splits.column, counted.splits.column)
    assert np.array_equal(listed.splits.cuts, counted.splits.cuts)
    assert np.allclose(listed.value, counted.value, rtol=1e-12, atol=1e-9)
    assert np.allclose(listed.splits.score, counted.splits.score, rtol=1e-9)
