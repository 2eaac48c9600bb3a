"""CART: complexity tables as rpart 4.1.19 prints them, priors and losses, and the choice by cross-validation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.grow import SharedLists, grow
from hornbeam.learn.trees.prune.complexity import complexities, prune_at
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_complexity import (
    Fold,
    _summed_row_by_row,
    _summed_tree_by_tree,
    chosen_step,
    without_negligible,
)


@pytest.fixture(scope="module")
def credit() -> Table:
    return hornbeam.read("credit-g")


# cp, splits and relative error of rpart(class ~ ., parms = list(loss = ..., prior = ...)) on the whole set
LOSS = [
    (0.13857143, 0, 1.0), (0.08, 1, 0.8614286), (0.02214286, 2, 0.7814286), (0.01761905, 4, 0.7371429),
    (0.01714286, 9, 0.6428571), (0.01571429, 10, 0.6257143), (0.01428571, 11, 0.61), (0.01, 12, 0.5957143),
]  # fmt: skip
PRIOR = [
    (0.36714286, 0, 1.0), (0.01587302, 1, 0.6328571), (0.01523810, 5, 0.5685714), (0.01476190, 7, 0.5380952),
    (0.01238095, 9, 0.5085714), (0.01238095, 10, 0.4961905), (0.01095238, 12, 0.4714286), (0.01023810, 13, 0.4604762),
    (0.01, 15, 0.44),
]  # fmt: skip
BOTH = [
    (0.16714286, 0, 1.0), (0.06952381, 1, 0.8328571), (0.02261905, 2, 0.7633333), (0.01904762, 4, 0.7180952),
    (0.01301587, 5, 0.6990476), (0.01190476, 8, 0.66), (0.01, 11, 0.6233333),
]  # fmt: skip


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"loss": {"bad": {"good": 5}}}, LOSS),
        ({"priors": {"bad": 0.5, "good": 0.5}}, PRIOR),
        ({"priors": [0.5, 0.5]}, PRIOR),
        ({"priors": [6, 4], "loss": [[0, 1], [3, 0]]}, BOTH),
    ],
)
def test_priors_and_losses_give_the_reference_programs_table(
    credit: Table, parameters: dict[str, Any], expected: list[tuple[float, int, float]]
) -> None:
    steps = CartClassifier(folds=0, **parameters).fit(credit).cp_table_
    found = np.column_stack([steps.cp, steps.n_splits, steps.error])
    assert found == pytest.approx(np.array(expected), abs=1e-6)


def test_shares_are_those_of_the_priors(credit: Table) -> None:
    tree = CartClassifier(folds=0, priors=[0.5, 0.5]).fit(credit).model_
    tree.validate()
    assert tree.value[0] == pytest.approx([500, 500])
    assert tree.weight == pytest.approx(tree.value.sum(axis=1))
    assert tree.error[0] == pytest.approx(500)
    assert tree.rows[0] == 1000


def test_labels_are_those_of_least_loss(credit: Table) -> None:
    fitted = CartClassifier(folds=0, loss={"bad": {"good": 5}}).fit(credit)
    tree = fitted.model_
    costs = tree.value @ np.array([[0.0, 1.0], [5.0, 0.0]])
    assert (tree.label == costs.argmin(axis=1)).all()
    assert tree.error == pytest.approx(costs.min(axis=1))
    assert tree.value[0] == pytest.approx([700, 300])
    assert fitted.cost_matrix_ is not None
    assert fitted.cost_matrix_.tolist() == [[0, 1], [5, 0]]


def test_priors_of_the_rows_themselves_change_nothing(credit: Table) -> None:
    plain = CartClassifier(folds=0).fit(credit)
    same = CartClassifier(folds=0, priors=[0.7, 0.3]).fit(credit)
    assert (same.predict(credit) == plain.predict(credit)).all()
    assert same.cp_table_.cp == pytest.approx(plain.cp_table_.cp)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"priors": {"good": 0.5, "fair": 0.5}}, "name 'fair', which is not a class"),
        ({"priors": {"good": 1}}, "leave out the class 'bad'"),
        ({"priors": [0.5]}, "expected 2 numbers above 0"),
        ({"priors": [1, 0]}, "expected 2 numbers above 0"),
        ({"priors": "even"}, "expected a number for each class"),
        ({"loss": [[0, 0], [1, 0]]}, "no wrong prediction of the class 'good' costs anything"),
        ({"loss": [[0, 1, 1]]}, "2 rows and 2 columns"),
        ({"cp": 1.5}, "cp is 1.5; expected a number from 0 to 1"),
        ({"criterion": "variance"}, "criterion is 'variance'; expected one of 'gini', 'entropy'"),
        ({"choose": "most"}, "choose is 'most'"),
        ({"folds": -1}, "folds is -1"),
        ({"folds": 0, "choose": "1-se"}, "needs a cross-validated error, and there is none"),
    ],
)
def test_a_bad_parameter_is_named(credit: Table, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CartClassifier(**parameters).fit(credit)


def test_the_table_of_iris() -> None:
    steps = CartClassifier(random_state=0).fit(hornbeam.read("iris")).cp_table_
    assert steps.cp == pytest.approx([0.5, 0.44, 0.01])
    assert steps.n_splits.tolist() == [0, 1, 2]
    assert steps.error == pytest.approx([1, 0.5, 0.06])
    assert steps.cv_error[0] >= 1  # a lone leaf can do no better on rows it has not seen
    assert steps.cv_error[2] < steps.cv_error[1] < steps.cv_error[0]
    assert ((steps.cv_std_error > 0) & (steps.cv_std_error < 0.1)).all()


def test_the_root_errs_as_the_mean_of_the_others() -> None:
    """The first row of the table is known in closed form: each fold is answered by the others' mean."""
    table = hornbeam.read("cpu")
    steps = CartRegressor(folds=table.n_rows).fit(table).cp_table_
    truth = table.target_values()
    n = len(truth)
    alone = ((truth - truth.mean()) * n / (n - 1)) ** 2
    whole = ((truth - truth.mean()) ** 2).sum()
    assert steps.cv_error[0] == pytest.approx(alone.sum() / whole)
    assert steps.cv_std_error[0] == pytest.approx(np.sqrt(n) * alone.std() / whole)


def test_the_choice_by_cross_validation() -> None:
    table = hornbeam.read("cpu")
    options: dict[str, Any] = {"cp": 0.0, "min_samples_split": 4, "min_samples_leaf": 2, "random_state": 3}
    by_cp = CartRegressor(**options, choose="cp").fit(table)
    least = CartRegressor(**options, choose="least").fit(table)
    within = CartRegressor(**options, choose="1-se").fit(table)
    steps = by_cp.cp_table_
    assert (least.cp_table_.cv_error == steps.cv_error).all()
    place = int(np.argmin(steps.cv_error))
    assert least.model_.n_leaves == steps.n_splits[place] + 1
    limit = steps.cv_error[place] + steps.cv_std_error[place]
    smallest = int(np.flatnonzero(steps.cv_error <= limit)[0])
    assert within.model_.n_leaves == steps.n_splits[smallest] + 1
    assert within.model_.n_leaves < by_cp.model_.n_leaves
    assert chosen_step(steps, "1-se") == smallest


def test_by_default_the_tree_is_chosen_by_cross_validation() -> None:
    table = hornbeam.read("cpu")
    whole = {"cp": 0.0, "min_samples_split": 4, "min_samples_leaf": 2}
    by_default, chosen, by_cp = (
        CartRegressor(**whole, **more).fit(table).model_ for more in ({}, {"choose": "1-se"}, {"choose": "cp"})
    )
    assert by_default.same_as(chosen)
    assert by_default.n_leaves < by_cp.n_leaves
    assert CartRegressor(**whole, compat="rpart").fit(table).model_.n_leaves == by_cp.n_leaves  # rpart leaves it to us
    assert CartRegressor(**whole, folds=0).fit(table).model_.n_leaves == by_cp.n_leaves
    assert CartRegressor(**whole).fit(table).model_.same_as(by_default)  # without a seed, too


def test_folds_are_answered_as_by_the_pruned_trees() -> None:
    table = hornbeam.read("labor")
    for missing in ("majority", "fractional", "surrogate"):
        fitted = TreeClassifier(missing=missing).fit(table)
        tree = fitted.model_
        levels = np.unique(complexities(tree))[::-1]
        fold = Fold(np.arange(table.n_rows), tree, table, levels)
        summed = _summed_tree_by_tree if missing == "fractional" else _summed_row_by_row
        total, _, unit = summed(table, [fold], None)
        for place, level in enumerate(levels):
            wrong = prune_at(tree, float(level)).predict_codes(table) != table.target_values()
            assert total[place] * unit == wrong.sum()


def test_threads_and_seeds() -> None:
    table = hornbeam.read("iris")
    one, same, other = (
        CartClassifier(random_state=seed, n_jobs=n_jobs).fit(table).cp_table_.cv_error.tolist()
        for seed, n_jobs in ((1, None), (1, 2), (2, None))
    )
    assert one == same
    assert one != other


def test_a_lone_leaf_has_a_table_of_one_row() -> None:
    table = hornbeam.read("iris").take([0, 1, 2])
    fitted = CartClassifier(choose="least").fit(table)
    assert fitted.model_.n_nodes == 1
    assert fitted.cp_table_.n_splits.tolist() == [0]


def test_entropy_is_information_gain() -> None:
    table = hornbeam.read("glass")
    tree = CartClassifier(criterion="entropy", folds=0).fit(table)
    assert tree.recipe().criterion == "information-gain"
    assert tree.model_.n_leaves > 3


def test_importance_counts_surrogates() -> None:
    table = hornbeam.read("iris")
    with_them, without = (CartClassifier(max_surrogates=n, folds=0).fit(table).feature_importances_ for n in (5, 0))
    assert without.tolist()[:2] == [0, 0]
    assert with_them.min() > 0


def test_rows_without_any_value_are_left_out_and_counted() -> None:
    table = hornbeam.read("vote")
    empty = np.all([table.columns[c] < 0 for c in table.schema.features], axis=0)
    assert empty.sum() == 1
    fitted = CartClassifier(folds=0).fit(table)
    assert fitted.model_.rows[0] == table.n_rows - 1
    assert "n=434 (1 observation deleted due to missingness)" in hornbeam.show.text(fitted, style="rpart")
    assert CartClassifier(folds=0).fit(table.take(~empty)).model_.n_nodes == fitted.model_.n_nodes
    weights = np.full(table.n_rows, 2.0)
    assert CartClassifier(folds=0).fit(table, sample_weight=weights).model_.rows[0] == table.n_rows - 1
    assert CartClassifier(folds=0, compat="rpart").fit(table, sample_weight=weights).model_.rows[0] == table.n_rows
    assert len(fitted.predict(table)) == table.n_rows


def test_rows_that_are_all_empty_still_have_a_majority() -> None:
    table = hornbeam.read("vote").take([0, 1, 2, 3])
    columns = [np.full(4, -1, np.int32) if c in table.schema.features else a for c, a in enumerate(table.columns)]
    assert CartClassifier().fit(Table(table.schema, columns)).model_.rows[0] == 4


@pytest.mark.parametrize("name", ["iris", "cpu", "vote", "auto-mpg", "labor"])
def test_a_tree_without_some_rows_is_that_of_the_others(name: str) -> None:
    table = hornbeam.read(name)
    nominal = isinstance(table.schema.target_column, Nominal)
    recipe = (CartClassifier(cp=0.001) if nominal else CartRegressor(cp=0.001)).recipe(table.schema)
    table = table.take(table.target_values() >= 0 if nominal else ~np.isnan(table.target_values()))
    if not SharedLists.suits(table, recipe):
        first = table.columns[table.schema.features[0]]
        assert np.isnan(first).any()
        return
    lists = SharedLists(table, recipe)
    random = np.random.default_rng(1)
    for share in (0.1, 0.5, 0.9):
        stays = random.random(table.n_rows) < share
        stays[:2] = True
        others = table.take(stays)
        assert lists.grow(stays, others, recipe).same_as(grow(others, recipe)[0])


def test_many_categories_of_several_classes_are_divided_alike_with_and_without_weights() -> None:
    """Too many for every subset to be tried: they are ordered by their class shares first."""
    table = hornbeam.read("auto-mpg")
    place = table.schema.target
    assert place is not None
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[place] = Nominal("thirst", ("high", "middle", "low"))
    arrays[place] = np.digitize(table.target_values(), [18, 26]).astype(np.int32)
    schema = replace(table.schema, columns=tuple(columns))
    classes = Table(schema, arrays)
    weighted = replace(schema, columns=(*columns, Numeric("w")), roles=(*schema.roles, "weight"))
    plain = CartClassifier(folds=0, cp=0.0).fit(classes).model_
    of_ones = CartClassifier(folds=0, cp=0.0).fit(classes.extended(weighted, np.ones(classes.n_rows))).model_
    assert np.array_equal(plain.parent, of_ones.parent)
    assert np.allclose(plain.value, of_ones.value)
    assert plain.splits.score.max() < 1.0  # of the impurity, which is less than 1


@pytest.mark.parametrize(
    "learner", [CartClassifier(folds=0, keep_alternatives=4), CartRegressor(folds=0, keep_alternatives=4)]
)
def test_runner_up_splits_are_told_in_the_unit_of_the_split(learner: Any) -> None:
    """What each takes off the impurity of a row, worked out from the rows; the chosen one takes off most."""
    classes = isinstance(learner, CartClassifier)
    table = hornbeam.read("iris" if classes else "cpu")
    tree = learner.fit(table).model_
    assert tree.alternatives is not None
    assert tree.alternative_start is not None
    truth = table.target_values()

    def mass(rows: Any) -> float:
        if classes:
            return float(len(rows) - (np.bincount(truth[rows]) ** 2).sum() / len(rows))
        return float(((truth[rows] - truth[rows].mean()) ** 2).sum())

    start, nodes, _ = tree.decision_path(table)
    row_of = np.repeat(np.arange(table.n_rows), np.diff(start))
    told = 0
    for node in np.flatnonzero(tree.n_children):
        rows = row_of[nodes == node]
        for split in tree.alternatives[tree.alternative_start[node] : tree.alternative_start[node + 1]]:
            low = table.columns[tree.splits.column[split]][rows] < tree.splits.cuts[tree.splits.cut_start[split]]
            gain = (mass(rows) - mass(rows[low]) - mass(rows[~low])) / len(rows)
            assert tree.splits.score[split] == pytest.approx(gain, rel=1e-9)
            assert tree.splits.score[split] <= tree.splits.score[tree.split[node]]
            told += 1
    assert told >= 6


def test_priors_do_not_say_where_a_row_without_the_value_goes() -> None:
    """It goes where more rows go: with the row on the other side the split would pay, and here it does not."""
    x = [2, 0, np.nan, 3, 1, 3]
    rows, classes = np.column_stack([x, np.ones(6)]), ["b", "b", "a", "b", "b", "a"]
    given = {"priors": {"a": 0.716, "b": 0.284}, "min_samples_split": 4, "min_samples_leaf": 2, "folds": 0}
    assert CartClassifier(cp=0.001, **given).fit(rows, classes).model_.n_nodes == 1


@pytest.mark.parametrize(("compat", "leaves"), [(None, 2), ("rpart", 1)])
def test_limits_count_weight_or_with_compat_rows(compat: Any, leaves: int) -> None:
    model = CartRegressor(min_samples_split=10, min_samples_leaf=3, folds=0, compat=compat)
    assert model.fit([[1], [2], [3], [4]], [0, 0, 5, 5], sample_weight=[5] * 4).model_.n_leaves == leaves


def test_a_gain_that_is_a_rounding_error_is_no_gain() -> None:
    tree = CartClassifier(cp=0, min_samples_split=2, min_samples_leaf=1, folds=0).fit(hornbeam.read("iris")).model_
    assert without_negligible(tree) is tree
    second = int(np.flatnonzero(tree.n_children > 0)[1])
    score = tree.splits.score.copy()
    score[tree.split[second]] = 1e-17
    found = without_negligible(replace(tree, splits=replace(tree.splits, score=score)))
    assert found.n_children[second] == 0
    assert found.n_nodes == second + 1  # all that was below it is gone
    score[tree.split[0]] = 1e-17  # beside nothing greater before it, the first split counts
    found = without_negligible(replace(tree, splits=replace(tree.splits, score=score)))
    assert found.n_nodes == tree.n_nodes


def test_a_row_that_nothing_can_send_goes_where_more_rows_are() -> None:
    x = np.array([1, 2, 3, 4, 5, 6, 7], np.float64)[:, None]
    y = np.array([0, 0, 0, 9, 9, 9, 9], np.float64)
    given = {"min_samples_split": 2, "min_samples_leaf": 1, "max_surrogates": 0, "max_depth": 1, "folds": 0}
    found = {
        compat: CartRegressor(compat=compat, **given).fit(x, y).predict([[np.nan]])[0] for compat in (None, "rpart")
    }
    assert found == {None: pytest.approx(y.mean()), "rpart": 9.0}


def test_weights_of_both_sides_are_summed_in_the_order_of_the_column() -> None:
    """Row by row the sides differ by rounding; in the order of the column they are equal, so the last row stays."""
    x = np.array([-11, 14, 3, 16, -18, -2, -20, -5, np.nan])
    weights = np.array([20, 5, 0.01, 20, 5, 0.2, 0.2, 0.01, 20])
    kinds = (Nominal("kind", ("a", "b")), Numeric("x"), Nominal("same", ("u",)), Numeric("weight"))
    codes = np.where(x < -3.5, 0, 1).astype(np.int32)
    schema = Schema(kinds, ("target", "feature", "feature", "weight"))
    table = Table(schema, [codes, x, np.zeros(len(x), np.int32), weights])
    tree = CartClassifier(folds=0, cp=0, min_samples_split=2, min_samples_leaf=1, compat="rpart").fit(table).model_
    assert tree.rows.tolist() == [9, 4, 4]
