"""What every learner of numbers of this project owes: one suite over all of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, KFold

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.linear.discretized import DiscretizedRegressor
from hornbeam.learn.linear.linear import LinearRegressor
from hornbeam.learn.linear.polynomial import PolynomialRegressor
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")

LEARNERS = {
    "CART": CartRegressor(random_state=0),
    "CART full": CartRegressor(cp=0, min_samples_split=2, min_samples_leaf=1, folds=0),
    "CART absolute": CartRegressor(criterion="absolute-error", choose="1-se", random_state=0),
    "tree": TreeRegressor(min_samples_leaf=3),
    "tree sd-reduction": TreeRegressor(criterion="sd-reduction", nominal="multiway", missing="fractional", max_depth=5),
    "tree absolute": TreeRegressor(criterion="absolute-error", nominal="one-vs-rest", missing="majority", max_depth=4),
    "tree multi-cut": TreeRegressor(numeric="multi-cut", missing="own-category", max_depth=3),
    "tree best first": TreeRegressor(max_leaf_nodes=6, missing="impute", leaf="median"),
    "tree discretized": TreeRegressor(numeric="discretized", missing="surrogate", max_depth=4),
    "tree combinations": TreeRegressor(combinations=True, max_depth=3, missing="majority"),
    "tree cost-complexity": TreeRegressor(prune="cost-complexity", folds=5, random_state=0),
    "tree reduced-error": TreeRegressor(prune="reduced-error", random_state=0),
}
# Learners whose model is no tree.
FUNCTIONS = {
    "linear": LinearRegressor(),
    "linear greedy": LinearRegressor("greedy", ridge=1.0),
    "linear full": LinearRegressor(None, ridge=0.0),
    "linear compat": LinearRegressor(compat="weka"),
    "polynomial": PolynomialRegressor(2, ridge=0.1, penalize_intercept=False),
    "polynomial apart": PolynomialRegressor(3, products=False),
    "discretized": DiscretizedRegressor(),
    "discretized mean": DiscretizedRegressor("tree", bins=5, method="equal-frequency", value="mean"),
}
EVERY = {**LEARNERS, **FUNCTIONS}
CHOOSES_BY_FOLDS = ["CART absolute", "tree cost-complexity", "tree reduced-error"]
# Equal splits are told apart by rounding there, as in the reference program, and weights round otherwise than rows.
TIES_BY_ROUNDING = ["CART full"]


@pytest.fixture(params=sorted(LEARNERS))
def learner(request: pytest.FixtureRequest) -> Any:
    return clone(LEARNERS[request.param])


@pytest.fixture(params=sorted(EVERY))
def regressor(request: pytest.FixtureRequest) -> Any:
    return clone(EVERY[request.param])


def cars() -> Table:
    """Numbers and categories, some values missing, and a numeric target."""
    return hornbeam.read("auto-mpg")


def test_answers_are_numbers_within_the_targets_range(learner: Any) -> None:
    table = cars()
    answers = learner.fit(table).predict(table)
    truth = table.target_values()
    assert answers.dtype == np.float64
    assert answers.shape == (table.n_rows,)
    assert truth.min() <= answers.min() <= answers.max() <= truth.max()
    assert r2_score(truth, answers) > 0.6
    assert learner.score(table) == pytest.approx(r2_score(truth, answers))
    learner.model_.validate()
    assert learner.model_.task == "regression"
    assert not hasattr(learner, "classes_")


def test_a_leaf_holds_the_mean_of_its_rows() -> None:
    table = cars()
    tree = TreeRegressor(max_depth=3).fit(table)
    leaves = tree.model_.apply(table)
    for leaf in np.unique(leaves):
        here = table.target_values()[leaves == leaf]
        weight, mean, squared = tree.model_.value[leaf]
        assert weight == len(here)
        assert mean == pytest.approx(here.mean())
        assert squared == pytest.approx(((here - here.mean()) ** 2).sum())
        assert tree.model_.error[leaf] == pytest.approx(squared)


def test_a_leaf_may_hold_the_median() -> None:
    table = cars()
    tree = TreeRegressor(max_depth=2, criterion="absolute-error").fit(table)
    leaves, answers = tree.model_.apply(table), tree.predict(table)
    for leaf in np.unique(leaves):
        here = np.sort(table.target_values()[leaves == leaf])
        assert (answers[leaves == leaf] == here[(len(here) - 1) // 2]).all()


def test_integer_weights_are_repeated_rows() -> None:
    table = cars()
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    for name, model in LEARNERS.items():
        if name in CHOOSES_BY_FOLDS + TIES_BY_ROUNDING:
            continue
        one = clone(model).fit(table, sample_weight=weights).model_
        other = clone(model).fit(repeated).model_
        assert np.array_equal(one.parent, other.parent), name
        assert np.allclose(one.value, other.value), name


def test_rows_without_target_or_weight_are_left_out(learner: Any) -> None:
    table = cars()
    place = table.schema.target
    assert place is not None
    columns = [array.copy() for array in table.columns]
    columns[place][::5] = np.nan
    weights = np.ones(table.n_rows)
    weights[1::5] = 0
    one = learner.fit(Table(table.schema, columns), sample_weight=weights).model_
    rest = np.arange(table.n_rows) % 5 > 1
    other = clone(learner).fit(table.take(rest)).model_
    assert np.allclose(one.value[0], other.value[0])
    if learner.get_params() != LEARNERS["CART full"].get_params():
        assert np.allclose(one.value, other.value)


def test_saved_and_loaded_it_predicts_the_same(regressor: Any, tmp_path: Path) -> None:
    table = cars()
    regressor.fit(table)
    path = tmp_path / "model.hornbeam"
    regressor.save(path)
    model = hornbeam.load(path)
    assert model.same_as(regressor.model_)
    wrapped = type(regressor).from_model(model)
    assert (wrapped.predict(table) == regressor.predict(table)).all()
    with pytest.raises(SchemaError, match="is numeric, and CartClassifier predicts categories"):
        CartClassifier.from_model(model)


def test_column_order_does_not_matter_for_prediction(regressor: Any) -> None:
    table = cars()
    regressor.fit(table)
    turned = table.select(list(reversed(range(len(table.columns)))))
    assert (regressor.predict(turned) == regressor.predict(table)).all()


def test_threads_do_not_change_the_model(learner: Any) -> None:
    table = cars()
    one = learner.fit(table).model_
    assert clone(learner).set_params(n_jobs=2).fit(table).model_.same_as(one)


def test_adding_to_the_target_adds_to_the_answers(regressor: Any) -> None:
    table = cars()
    place = table.schema.target
    assert place is not None
    columns = list(table.columns)
    columns[place] = 4 * columns[place] + 1024  # exact in binary
    moved = clone(regressor).fit(Table(table.schema, columns)).predict(table)
    assert moved == pytest.approx(4 * regressor.fit(table).predict(table) + 1024)


def test_one_row_and_a_target_that_does_not_vary(learner: Any) -> None:
    table = cars()
    if learner.get_params().get("prune") == "reduced-error":
        with pytest.raises(ValueError, match="1 rows cannot be held out"):
            learner.fit(table.take([0]))
    else:
        alone = learner.fit(table.take([0]))
        assert alone.model_.n_nodes == 1
        assert (alone.predict(table) == table.target_values()[0]).all()
    place = table.schema.target
    assert place is not None
    columns = list(table.columns)
    columns[place] = np.full(table.n_rows, 2.5)
    learner.fit(Table(table.schema, columns))
    assert learner.model_.n_nodes == 1
    assert (learner.predict(table) == 2.5).all()


def test_an_all_missing_column_is_no_help_and_no_harm(regressor: Any) -> None:
    table = cars()
    empty = (Numeric("nothing"), Nominal("void", ("a", "b")))
    schema = Schema((*empty, *table.schema.columns), ("feature", "feature", *table.schema.roles))
    missing = [np.full(table.n_rows, np.nan), np.full(table.n_rows, -1, np.int32)]
    more = Table(schema, [*missing, *table.columns])
    assert (regressor.fit(more).predict(more) == clone(regressor).fit(table).predict(table)).all()


def test_classes_are_refused(regressor: Any) -> None:
    with pytest.raises(SchemaError, match=r"the target 'class' is nominal, and .*Regressor predicts numbers"):
        regressor.fit(hornbeam.read("iris"))
    with pytest.raises(ValueError, match="y has 'warm' in row 2; expected a number"):
        regressor.fit([[1.0], [2.0]], [3, "warm"])


@pytest.mark.parametrize(("wrong", "message"), [(np.nan, r"y contains NaN\. Row 3"), (np.inf, r"infinity.* Row 3")])
def test_a_row_without_a_number_is_named(regressor: Any, wrong: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        regressor.fit(np.arange(8.0).reshape(-1, 1), [1, 2, wrong, 4, 5, 6, 7, 8])


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_frames_go_in_as_they_are(regressor: Any, kind: str) -> None:
    table = cars()
    features = table.select(table.schema.features)
    frame: Any = features.to_pandas()
    if kind == "polars":
        frame = pl.from_pandas(frame)
    elif kind == "pyarrow":
        frame = pa.Table.from_pandas(frame, preserve_index=False)
    regressor.fit(frame, pd.Series(table.target_values()))
    assert list(regressor.feature_names_in_) == list(features.schema.names)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (regressor.predict(frame) == clone(regressor).fit(table).predict(table)).all()


def test_importances_are_shares(learner: Any) -> None:
    table = cars()
    found = learner.fit(table).feature_importances_
    assert found.shape == (len(table.schema.features),)
    assert (found >= 0).all()
    assert found.sum() == pytest.approx(1)


def test_a_tree_of_numbers_has_no_classes() -> None:
    with pytest.raises(ModelError, match="is numeric"):
        TreeRegressor(max_depth=1).fit(cars()).model_.predict_proba(cars())


def test_works_in_a_search() -> None:
    table = cars()
    frame = table.select(table.schema.features).to_pandas()
    folds = KFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(TreeRegressor(), {"max_depth": [1, 4]}, cv=folds).fit(frame, table.target_values())
    assert search.best_params_ == {"max_depth": 4}


def test_score_weighs_rows_and_leaves_out_those_without_target() -> None:
    table = cars()
    tree = TreeRegressor(max_depth=2).fit(table)
    place = table.schema.target
    assert place is not None
    columns = [array.copy() for array in table.columns]
    columns[place][::4] = np.nan
    weights = np.arange(1.0, table.n_rows + 1)
    known = np.arange(table.n_rows) % 4 > 0
    expected = r2_score(table.target_values()[known], tree.predict(table)[known], sample_weight=weights[known])
    assert tree.score(Table(table.schema, columns), sample_weight=weights) == pytest.approx(expected)
    with pytest.raises(SchemaError, match="is nominal; the model learned from a numeric one"):
        tree.score(Table(Schema((Nominal("class", ("a",)),)), [np.zeros(2, np.int32)]))


def test_a_table_of_another_fit_does_not_stay() -> None:
    tree = TreeRegressor(prune="cost-complexity", random_state=0).fit(cars())
    assert len(tree.cp_table_) > 1
    assert not hasattr(tree.set_params(prune=None).fit(cars()), "cp_table_")


@pytest.fixture(params=sorted(FUNCTIONS))
def function(request: pytest.FixtureRequest) -> Any:
    return clone(FUNCTIONS[request.param])


def test_a_function_gives_numbers(function: Any) -> None:
    table = cars()
    answers = function.fit(table).predict(table)
    assert answers.dtype == np.float64
    assert answers.shape == (table.n_rows,)
    assert r2_score(table.target_values(), answers) > 0.7
    assert function.score(table) == pytest.approx(r2_score(table.target_values(), answers))
    function.model_.validate()
    assert function.model_.task == "regression"
    assert hornbeam.show.text(function)


def test_integer_weights_are_repeated_rows_to_a_function(function: Any) -> None:
    if function.get_params().get("compat") is not None:
        return  # follows WEKA, which selects terms as if every row counted once (test_weka_random_tables.py)
    table = cars()
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = function.fit(table, sample_weight=weights).predict(table)
    other = clone(function).fit(repeated).predict(table)
    assert one == pytest.approx(other, rel=1e-5)


def test_rows_without_target_or_weight_mean_nothing_to_a_function(function: Any) -> None:
    table = cars()
    place = table.schema.target
    assert place is not None
    columns = [array.copy() for array in table.columns]
    columns[place][::5] = np.nan
    weights = np.ones(table.n_rows)
    weights[1::5] = 0
    one = function.fit(Table(table.schema, columns), sample_weight=weights).predict(table)
    rest = np.arange(table.n_rows) % 5 > 1
    assert one == pytest.approx(clone(function).fit(table.take(rest)).predict(table), rel=1e-5)


def test_a_function_of_one_row_or_a_target_that_does_not_vary(function: Any) -> None:
    table = cars()
    function.set_params(**({"ridge": 0.0} if isinstance(function, PolynomialRegressor) else {}))
    assert (function.fit(table.take([0])).predict(table) == table.target_values()[0]).all()
    place = table.schema.target
    assert place is not None
    columns = list(table.columns)
    columns[place] = np.full(table.n_rows, 2.5)
    assert function.fit(Table(table.schema, columns)).predict(table) == pytest.approx(2.5)


def test_functions_work_in_a_search() -> None:
    table = cars()
    frame = table.select(table.schema.features).to_pandas()
    search = GridSearchCV(LinearRegressor(), {"ridge": [1e-8, 1e7]}, cv=3).fit(frame, table.target_values())
    assert search.best_params_ == {"ridge": 1e-8}
    inner = GridSearchCV(DiscretizedRegressor(CartClassifier(folds=0)), {"estimator__max_depth": [0, 5]}, cv=3)
    assert inner.fit(frame, table.target_values()).best_params_ == {"estimator__max_depth": 5}
