"""Model trees treat missing values in training exactly as in prediction, so that no target leaks through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.model_trees.grow import grow_model_tree
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.model.rules.rule import FIRES
from hornbeam.model.trees.tree import Tree

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

LEARNERS: dict[str, Any] = {
    "tree": hornbeam.M5Regressor(),
    "tree by linear error": hornbeam.M5Regressor(criterion="linear-error"),
    "committee": hornbeam.M5Regressor(committees=3),
    "rules": hornbeam.M5RulesRegressor(),
    "rules by deviation": hornbeam.M5RulesRegressor(criterion="sd-reduction"),
    "reference": hornbeam.M5Regressor(compat="weka"),
    "linear leaves": hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=20),
}


def telling(share: float) -> tuple[np.ndarray, np.ndarray]:
    """One column that tells the target roughly, and one that repeats it where it is known."""
    random = np.random.default_rng(1)
    a = random.normal(size=400)
    y = 5 * (a > 0) + 0.3 * random.normal(size=400)
    b = y + 0.05 * random.normal(size=400)
    b[random.random(400) < share] = np.nan
    return np.column_stack([a, b]), y


@pytest.mark.parametrize("share", [0.1, 0.25, 0.5, 0.75])
@pytest.mark.parametrize("name", LEARNERS)
def test_the_target_does_not_leak_through_missing_values(name: str, share: float) -> None:
    # what remains once column a is known is noise of 0.3 in the rows without b, and of 0.05 in the others
    x, y = telling(share)
    predicted = LEARNERS[name].fit(x, y).predict(x)
    assert np.mean((predicted - y) ** 2) < 1.3 * (share * 0.3**2 + (1 - share) * 0.05**2) + 0.01 * y.var()


def lacking() -> Table:
    """Two levels of the target by one column, four rows without a value."""
    x = np.array([1.0, 2, 3, 4, 5, 6, np.nan, np.nan, np.nan, np.nan])
    y = np.array([0.0, 1, 0, 10, 11, 10, 2, 5.1, 5.4, 30])
    return Table(Schema((Numeric("x"), Numeric("y")), ("feature", "target")), [x, y])


def test_rows_without_a_value_go_where_most_rows_go_whatever_their_target() -> None:
    # the cut is at 3.5 with three rows on either side: of equal sides the lower one
    recipe = Recipe(criterion="sd-reduction", min_node=10.0, leaf="mean")
    grown = grow_model_tree(lacking(), recipe, {}, 1e-8, closely=False)
    assert grown.tree.splits.cuts.tolist() == [3.5]
    assert grown.leaves.tolist() == [1, 1, 1, 2, 2, 2, 1, 1, 1, 1]
    assert grown.tree.missing[0] == 0
    x, y = lacking().columns[0].copy(), lacking().target_values()
    x[6] = 7.0
    heavier = Table(lacking().schema, [x, np.where(x > 3, 10.0, y)])
    grown = grow_model_tree(heavier, recipe, {}, 1e-8, closely=False)
    assert grown.leaves.tolist() == [1, 1, 1, 2, 2, 2, 2, 2, 2, 2]
    assert grown.tree.missing[0] == 1


def test_the_fall_counts_for_as_much_as_is_known() -> None:
    # m / T times the fall of the deviation among the six known rows of ten
    table = lacking()
    recipe = Recipe(criterion="sd-reduction", min_node=10.0, leaf="mean")
    grown = grow_model_tree(table, recipe, {}, 1e-8, closely=False)
    y = table.target_values()
    low, high = y[:3], y[3:6]
    assert grown.tree.splits.score[0] == pytest.approx(0.6 * (y[:6].std() - 0.5 * low.std() - 0.5 * high.std()))


def planes(seed: int, rows: int, *, weighted: bool = False) -> Table:
    """Planes that part by a number and by categories, a fifth of the values missing."""
    random = np.random.default_rng(seed)
    a, b, code = random.uniform(size=rows), random.uniform(size=rows), random.integers(0, 5, rows)
    y = np.where((a > 0.3) & np.isin(code, (0, 3, 4)), 4 - 8 * b, -2 + 8 * b) + 0.2 * random.normal(size=rows)
    gone = random.random((3, rows)) < 0.2
    columns: list[Any] = [Numeric("a"), Numeric("b"), Nominal("c", tuple("pqrst")), Numeric("y")]
    arrays: list[Any] = [np.where(gone[0], np.nan, a), np.where(gone[1], np.nan, b), np.where(gone[2], -1, code), y]
    roles: list[Any] = ["feature"] * 3 + ["target"]
    if weighted:
        columns, arrays = [*columns, Numeric("w")], [*arrays, random.integers(1, 4, rows).astype(float)]
        roles = [*roles, "weight"]
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


@pytest.mark.parametrize("criterion", ["sd-reduction", "linear-error"])
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_end_in_training_where_they_end_in_prediction(criterion: str, weighted: bool) -> None:
    table = planes(3, 800, weighted=weighted)
    tree = hornbeam.M5Regressor(criterion=criterion).fit(table).model_
    assert tree.n_leaves > 3
    leaf = tree.n_children == 0
    ends = tree.apply(table)
    assert np.bincount(ends, minlength=tree.n_nodes)[leaf].tolist() == tree.rows[leaf].tolist()
    weight = np.bincount(ends, table.weights, minlength=tree.n_nodes)
    assert weight[leaf] == pytest.approx(tree.weight[leaf])


@pytest.mark.parametrize("weighted", [False, True])
def test_a_missing_value_is_the_mean_of_all_training_rows(weighted: bool) -> None:
    table = planes(4, 300, weighted=weighted)
    tree = hornbeam.M5Regressor(min_samples_leaf=30).fit(table).model_
    assert tree.term_fill is not None
    assert tree.term_column is not None
    assert len(set(tree.term_column.tolist())) > 1
    weights = np.ones(300) if table.weights is None else table.weights
    for place in (0, 1):
        known = ~np.isnan(table.columns[place])
        mean = np.average(table.columns[place][known], weights=weights[known])
        fills = tree.term_fill[tree.term_column == place]
        assert fills == pytest.approx(np.full(len(fills), mean))
    codes = table.columns[2]
    for term in np.flatnonzero(tree.term_column == 2):
        assert tree.term_codes is not None
        assert tree.term_code_start is not None
        part = np.isin(codes, tree.term_codes[tree.term_code_start[term] : tree.term_code_start[term + 1]])
        assert tree.term_fill[term] == pytest.approx(np.average(part[codes >= 0], weights=weights[codes >= 0]))


@pytest.mark.parametrize("options", [{}, {"criterion": "sd-reduction"}, {"compat": "weka"}])
def test_a_rules_figures_are_those_of_its_own_predictions(options: dict[str, Any]) -> None:
    table = planes(5, 400)
    rules = hornbeam.M5RulesRegressor(**options).fit(table).model_
    assert len(rules) > 2
    predicted, left = rules.predict(table), np.ones(table.n_rows, np.bool_)
    for rule in rules.rules:
        fires = left & (rule.holds(table) >= FIRES)
        left &= ~fires
        assert rule.coverage == fires.sum()
        assert rule.errors == pytest.approx(np.square(predicted - table.target_values())[fires].sum())
    assert not left.any()


@pytest.mark.parametrize("options", [{}, {"criterion": "linear-error"}, {"compat": "weka"}, {"smoothing": False}])
@pytest.mark.parametrize("name", ["cpu", "auto-mpg"])
def test_a_leafs_figures_are_those_of_its_own_predictions(name: str, options: dict[str, Any]) -> None:
    table = hornbeam.read(name)
    tree = hornbeam.M5Regressor(**options).fit(table).model_
    assert isinstance(tree, Tree)
    squares = np.square(tree.predict(table) - table.target_values())
    leaf = tree.n_children == 0
    assert tree.error[leaf] == pytest.approx(np.bincount(tree.apply(table), squares, minlength=tree.n_nodes)[leaf])
