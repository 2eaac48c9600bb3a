"""The compiled equations, pruning and smoothing are those of the formulas; and what the estimator makes of odd data."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.model_tree import NaiveNode, answer, fit

import hornbeam
from hornbeam.core.trees.model_tree.equations import blocks
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.linear.few_rows import FewRowsWarning, warn_of_small_leaves
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.model_trees.grow import Grown, grow_model_tree, lacks_values
from hornbeam.learn.trees.model_trees.model_tree import ModelChoices, in_order_of_target, inputs_of, learn_model_tree
from hornbeam.learn.trees.model_trees.recut import recut
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from hornbeam.model.linear.linear import Factor

BOTH = (hornbeam.M5Regressor, hornbeam.M5RulesRegressor)
pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


def drawn(seed: int, rows: int, *, weighted: bool, lacking: float = 0.0) -> Table:
    """Piecewise planes over two numbers and a nominal column, with noise; a share of the values may be missing."""
    random = np.random.default_rng(seed)
    x, code = random.normal(size=(2, rows)), random.integers(0, 4, rows)
    y = np.where(x[0] > 0, 2 * x[1], 1 - x[0]) + np.array([0.0, 1, 5, 2])[code] + 0.3 * random.normal(size=rows)
    columns: list[Any] = [Numeric("a"), Numeric("b"), Nominal("c", ("p", "q", "r", "s")), Numeric("y")]
    roles: list[Any] = ["feature", "feature", "feature", "target"]
    gone = random.random((3, rows)) < lacking
    arrays = [np.where(gone[0], np.nan, x[0]), np.where(gone[1], np.nan, x[1]), np.where(gone[2], -1, code), y]
    if weighted:
        columns.append(Numeric("w"))
        roles.append("weight")
        # below 1: an equation then never has as many parameters as rows, and nothing hangs on the rounding of zero
        arrays.append(random.uniform(0.6, 1.0, rows))
    return Table(Schema(tuple(columns), tuple(roles)), arrays)


def filled(factor: Factor, table: Table, weights: np.ndarray) -> np.ndarray:
    """The values of an input, missing ones replaced by the mean of the known ones."""
    values = replace(factor, fill=np.nan).values(table)
    known = ~np.isnan(values)
    return np.where(known, values, np.average(values[known], weights=weights[known]))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000), rows=st.integers(2, 60), weighted=st.booleans(), prune=st.booleans(),
    strength=st.sampled_from([0.0, 15.0]), lacking=st.sampled_from([0.0, 0.2]),
)  # fmt: skip
def test_predictions_are_those_of_the_formulas(
    seed: int, rows: int, weighted: bool, prune: bool, strength: float, lacking: float
) -> None:
    table = drawn(seed, rows, weighted=weighted, lacking=lacking)
    choices = ModelChoices(prune=prune, smoothing=strength, min_deviation=0.0)
    tree, parameters = learn_model_tree(table, choices)
    tree.validate()
    # the same grown tree, its equations worked out naively
    ranked, orders = in_order_of_target(table)
    recipe = Recipe(
        criterion="sd-reduction", nominal="subset", missing="default-direction", min_node=4.0, min_branch=2.0,
        leaf="mean", tolerance=1e-9,
    )  # fmt: skip
    weights = np.ones(rows) if table.weights is None else table.weights
    if lacks_values(table):
        grown = grow_model_tree(ranked, recipe, orders, 1e-8, closely=False).tree
    else:
        grown, _ = grow(ranked, recipe)
    leaves = grown.apply(ranked)
    inputs = inputs_of(Grown(grown, leaves, orders))
    order, start, end = blocks(grown.first_child, leaves)
    values = np.column_stack([np.zeros((rows, 0)), *(filled(factor, table, weights) for factor in inputs.factors)])
    nodes = [NaiveNode(order[a:b], int(asked)) for a, b, asked in zip(start, end, inputs.of_split, strict=True)]
    for place, first in enumerate(grown.first_child.tolist()):
        nodes[place].children = [] if first < 0 else nodes[first : first + 2]
    fit(nodes[0], values, table.target_values(), weights, prune=prune)
    assert parameters[0] == nodes[0].parameters
    expected = np.empty(rows)
    waiting = [[nodes[0]]]
    n_leaves = 0
    while waiting:
        path = waiting.pop()
        waiting += [[*path, child] for child in path[-1].children]
        if not path[-1].children:
            n_leaves += 1
            expected[path[-1].rows] = [answer(path, weights, values[row], strength) for row in path[-1].rows]
    assert tree.n_leaves == n_leaves
    scale = np.std(table.target_values()) + 1e-9
    assert tree.predict(table) == pytest.approx(expected, abs=1e-6 * scale, rel=1e-6)


def test_blocks_hold_the_rows_of_their_nodes() -> None:
    first_child = np.array([1, -1, 3, -1, -1], np.int32)
    leaves = np.array([3, 1, 4, 1, 3, 3], np.int32)
    rows, start, end = blocks(first_child, leaves)
    assert [rows[a:b].tolist() for a, b in zip(start, end, strict=True)] == [
        [1, 3, 0, 4, 5, 2], [1, 3], [0, 4, 5, 2], [0, 4, 5], [2],
    ]  # fmt: skip


def test_rules_read_off_a_model_tree_predict_as_the_tree() -> None:
    table = hornbeam.read("auto-mpg")
    tree = hornbeam.M5Regressor().fit(table).model_
    assert tree.n_leaves > 3
    assert rules_from_tree(tree).predict(table) == pytest.approx(tree.predict(table), rel=1e-12)


@pytest.mark.parametrize("make", BOTH)
def test_threads_change_nothing(make: Any) -> None:
    table = hornbeam.read("auto-mpg")
    one, two = make().fit(table), make(n_jobs=2).fit(table)
    assert (one.predict(table) == two.predict(table)).all()


X = np.random.default_rng(0).normal(size=(120, 4))
Y = 2 * X[:, 0] + np.where(X[:, 1] > 0, X[:, 2], -X[:, 2])


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("options", [{}, {"prune": None}, {"compat": "weka"}, {"path_columns": True}, {"leaf": "mean"}])
@pytest.mark.parametrize(
    ("x", "y"),
    [
        pytest.param(np.c_[X, X[:, 0], 2 * X[:, 0] + X[:, 1]], Y, id="collinear"),
        pytest.param(np.c_[X, np.ones(120)], Y, id="constant column"),
        pytest.param(X, np.full(120, 3.0), id="constant target"),
        pytest.param(np.random.default_rng(1).normal(size=(9, 30)), X[:9, 0], id="fewer rows than columns"),
        pytest.param(X[:1], Y[:1], id="one row"),
        pytest.param(X * 1e300, Y, id="large values"),
        pytest.param(X * 1e-300, Y * 1e-100, id="small values"),
        pytest.param(np.full((120, 2), np.nan), Y, id="nothing known"),
    ],
)  # fmt: skip
def test_answers_are_finite(make: Any, options: dict[str, Any], x: Any, y: Any) -> None:
    fitted = make(**options).fit(x, y)
    fitted.model_.validate()
    assert np.isfinite(fitted.predict(x)).all()


@pytest.mark.parametrize("make", BOTH)
def test_too_large_a_target_is_refused(make: Any) -> None:
    with pytest.raises(LearnError, match=r"'target' reaches 1e\+300.*another unit"):
        make().fit(X, np.where(Y > 0, 1e300, 0.0))


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("options", [{}, {"committees": 2}, {"neighbors": 3}, {"leaf": "mean"}])
def test_a_constant_target_is_predicted_exactly(make: Any, options: dict[str, Any]) -> None:
    assert (make(**options).fit(X, np.full(120, 0.1)).predict(X) == 0.1).all()


def test_few_rows_a_parameter_are_told() -> None:
    with pytest.warns(
        FewRowsWarning, match=r"of \d+ leaves, with \d+% of the rows, have fewer than 10 rows per parameter"
    ):
        hornbeam.M5Regressor(prune=None, path_columns=True, min_samples_leaf=8).fit(X[:60], Y[:60])


def test_enough_rows_a_parameter_and_means_are_passed_over() -> None:
    random = np.random.default_rng(4)
    x = random.normal(size=(400, 2))
    y = np.where(x[:, 0] > 0, 3 * x[:, 1], -x[:, 1]) + 0.1 * random.normal(size=400)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewRowsWarning)
        tree = hornbeam.M5Regressor(min_samples_leaf=50).fit(x, y).model_
        hornbeam.M5Regressor(leaf="mean").fit(X[:60], Y[:60])
    assert tree.n_leaves > 1


def test_a_few_small_leaves_are_in_the_nature_of_trees() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", FewRowsWarning)
        warn_of_small_leaves("it", np.array([50.0, 50.0]), np.array([6.0, 2.0]), "more rows")
    with pytest.warns(FewRowsWarning, match=r"1 of 2 leaves, with 51% .* \(leaf 1: 6 parameters from 51 rows\)"):
        warn_of_small_leaves("it", np.array([51.0, 49.0]), np.array([6.0, 2.0]), "more rows")


def test_a_category_not_seen_is_missing() -> None:
    table = hornbeam.read("servo")
    tree = hornbeam.M5Regressor().fit(table).model_
    column = table.schema.position("motor")
    arrays = list(table.columns)
    arrays[column] = np.full(table.n_rows, -1, np.int32)
    assert np.isfinite(tree.predict(Table(table.schema, arrays))).all()


def test_smoothing_can_be_left_out() -> None:
    table = hornbeam.read("cpu")
    plain = hornbeam.M5Regressor(smoothing=False, leaf="mean").fit(table).model_
    leaf = plain.n_children == 0
    assert plain.intercept is not None
    assert plain.intercept[leaf] == pytest.approx(plain.value[leaf, 1])
    smoothed = hornbeam.M5Regressor(leaf="mean").fit(table).model_
    assert smoothed.intercept is not None
    assert not np.allclose(smoothed.intercept[leaf], plain.intercept[leaf])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"prune": "pessimistic"}, "prune is 'pessimistic'; expected one of 'linear-error', None"),
        ({"leaf": "median"}, "leaf is 'median'; expected one of 'linear', 'mean'"),
        ({"compat": "rpart"}, "compat is 'rpart'"),
        ({"min_deviation": 2}, "min_deviation is 2"),
        ({"min_samples_split": -1}, "min_samples_split is -1"),
    ],
)
def test_parameters_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hornbeam.M5Regressor(**options).fit(X, Y)


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize("compat", [None, "weka"])
def test_a_committee_averages_members_that_make_up_for_one_another(make: Any, compat: str | None) -> None:
    table = hornbeam.read("cpu")
    place = table.schema.target
    assert place is not None
    options = {"compat": compat} if compat else {"criterion": "linear-error"}
    first = make(**options).fit(table).predict(table)
    columns = list(table.columns)
    columns[place] = 2 * table.target_values() - first
    second = make(**options).fit(Table(table.schema, columns)).predict(table)
    pair = make(compat=compat, committees=2).fit(table)
    assert pair.predict(table) == pytest.approx((first + second) / 2, rel=1e-9)
    assert len(pair.model_) == 2
    again = from_bytes(to_bytes(pair.model_))
    assert [type(member) for member in again.members] == [type(member) for member in pair.model_.members]
    assert (again.predict(table) == pair.predict(table)).all()
    assert "the mean of 2 models" in hornbeam.show.text(pair)


def test_a_committee_reads_a_matrix_as_it_reads_a_table() -> None:
    pair = hornbeam.M5Regressor(committees=2).fit(X, Y)
    assert isinstance(pair.model_, hornbeam.Ensemble)
    rows = np.asarray(X, np.float64)
    expected = sum(member.predict_codes(rows) for member in pair.model_.members) / 2
    assert pair.predict(X) == pytest.approx(expected, rel=1e-12)


def test_one_committee_is_the_model_itself() -> None:
    alone, one = hornbeam.M5Regressor().fit(X, Y).model_, hornbeam.M5Regressor(committees=1).fit(X, Y).model_
    assert one.same_as(alone)
    several = hornbeam.M5Regressor(committees=3).fit(X, Y).model_
    assert len(several.members) == 3
    assert not several.members[1].same_as(several.members[0])
    with pytest.raises(ValueError, match="committees is 0; expected a whole number of at least 1"):
        hornbeam.M5Regressor(committees=0).fit(X, Y)


RECIPE = Recipe(
    criterion="sd-reduction", nominal="subset", missing="default-direction", min_node=4.0, min_branch=2.0, leaf="mean",
    tolerance=1e-9,
)  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), rows=st.integers(2, 80), weighted=st.booleans())
def test_both_growers_grow_the_same_tree(seed: int, rows: int, weighted: bool) -> None:
    table = drawn(seed, rows, weighted=weighted)
    ranked, orders = in_order_of_target(table)
    general, _ = grow(ranked, RECIPE)
    own = grow_model_tree(ranked, RECIPE, orders, 1e-8, closely=False)
    own.tree.validate()
    assert own.tree.first_child.tolist() == general.first_child.tolist()
    assert own.tree.splits.column.tolist() == general.splits.column.tolist()
    assert own.tree.splits.cuts == pytest.approx(general.splits.cuts)
    assert own.tree.value == pytest.approx(general.value, abs=1e-8)
    assert own.leaves.tolist() == general.apply(ranked).tolist()


def broken(seed: int, rows: int) -> tuple[Table, np.ndarray]:
    """Two planes that part at a = 0.3 for some categories of c and at no other place; and the region of each row."""
    random = np.random.default_rng(seed)
    x, code = random.uniform(size=(2, rows)), random.integers(0, 5, rows)
    region = (x[0] > 0.3) & np.isin(code, (0, 3, 4))
    y = np.where(region, 4 - 8 * x[1], -2 + 8 * x[1]) + 0.1 * random.normal(size=rows)
    columns = (Numeric("a"), Numeric("b"), Nominal("c", tuple("pqrst")), Numeric("y"))
    return Table(Schema(columns, ("feature", "feature", "feature", "target")), [x[0], x[1], code, y]), region


def test_splits_by_error_find_where_planes_part() -> None:
    train, _ = broken(1, 4000)
    test, _ = broken(2, 2000)
    close = hornbeam.M5Regressor(criterion="linear-error").fit(train)
    plain = hornbeam.M5Regressor().fit(train)
    assert close.model_.n_leaves < plain.model_.n_leaves / 4
    errors = [np.sqrt(np.mean((model.predict(test) - test.target_values()) ** 2)) for model in (close, plain)]
    assert errors[0] < 0.8 * errors[1]
    close.model_.validate()
    assert rules_from_tree(close.model_).predict(test) == pytest.approx(close.predict(test), rel=1e-9)
    again = from_bytes(to_bytes(close.model_))
    assert (again.predict(test) == close.predict(test)).all()


def test_splits_by_error_with_weights_and_missing_values() -> None:
    table, _ = broken(3, 1500)
    columns = [column.copy() for column in table.columns]
    columns[0][::7], columns[2][::11] = np.nan, -1
    weighted = Table(
        Schema((*table.schema.columns, Numeric("w")), (*table.schema.roles, "weight")), [*columns, np.full(1500, 2.0)]
    )
    pair = hornbeam.M5Regressor(committees=2).fit(weighted)
    for tree in pair.model_.members:
        assert isinstance(tree, Tree)
        tree.validate()
        assert tree.weight[0] == pytest.approx(3000)
        leaf = tree.n_children == 0
        assert tree.rows[leaf].sum() == tree.rows[0] == 1500
    errors = pair.predict(table) - table.target_values()
    assert np.sqrt(np.mean(errors**2)) < 0.5 * table.target_values().std()


def test_cuts_move_to_where_planes_part() -> None:
    # a step of 20 at 0.5; the tree's cut is 30 rows off, and goes back to the step
    random = np.random.default_rng(6)
    x = np.sort(random.uniform(size=1000))
    y = np.where(x > 0.5, 20 + x, -x) + 0.1 * random.normal(size=1000)
    table = Table(Schema((Numeric("x"), Numeric("y")), ("feature", "target")), [x, y])
    tree = hornbeam.M5Regressor(criterion="linear-error").fit(table).model_
    step = int(np.searchsorted(x, 0.5))
    assert x[step - 1] <= tree.splits.cuts[0] < x[step]
    off = replace(tree, splits=replace(tree.splits, cuts=np.array([x[step + 30], *tree.splits.cuts[1:]])))
    rows, start, end = blocks(off.first_child, off.apply(table))
    back = recut(off, table, rows, start, end)
    assert x[step - 1] <= back.splits.cuts[0] < x[step]
    assert back.rows[1:3].tolist() == [step, 1000 - step]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "gini"}, "criterion is 'gini'"),
        ({"criterion": "linear-error", "leaf": "mean"}, "without equations"),
        ({"criterion": "linear-error", "compat": "weka"}, "has a criterion of its own"),
    ],
)
def test_criteria_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hornbeam.M5Regressor(**options).fit(X, Y)


def test_committees_split_by_error_and_one_tree_by_deviation() -> None:
    table, _ = broken(5, 600)
    one = hornbeam.M5Regressor().fit(table).model_
    close = hornbeam.M5Regressor(criterion="linear-error").fit(table)
    assert one.recipe["criterion"] == "sd-reduction"
    assert close.model_.recipe["criterion"] == "linear-error"
    pair = hornbeam.M5Regressor(committees=2).fit(table)
    assert (pair.model_.members[0].predict(table) == close.predict(table)).all()
    other = hornbeam.M5Regressor(committees=2, criterion="sd-reduction").fit(table)
    assert (other.model_.members[0].predict(table) == one.predict(table)).all()


def test_a_column_without_any_value_is_no_input() -> None:
    table, _ = broken(7, 500)
    columns = [np.full(500, np.nan), *table.columns[1:]]
    tree = hornbeam.M5Regressor(criterion="linear-error").fit(Table(table.schema, columns)).model_
    assert tree.term_column is not None
    assert 0 not in tree.splits.column
    assert 0 not in tree.term_column
