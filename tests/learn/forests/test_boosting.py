"""Gradient boosting as a user sees it: answers, limits, stopping, weights, threads, what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.metrics import log_loss, mean_absolute_error, mean_squared_error
from sklearn.utils.estimator_checks import parametrize_with_checks

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.learn.forests.boost import _held_out
from hornbeam.learn.forests.boosting import GradientBoostingClassifier, GradientBoostingRegressor

if TYPE_CHECKING:
    from pathlib import Path

LOSSES = ("squared", "absolute", "huber", "quantile", "poisson")


@parametrize_with_checks([GradientBoostingClassifier(n_estimators=5), GradientBoostingRegressor(n_estimators=50)])
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def friedman(n_rows: int, seed: int) -> tuple[Any, Any]:
    return make_friedman1(n_rows, noise=1.0, random_state=seed)


def test_numbers_are_learned() -> None:
    (rows, y), (held_rows, held_y) = friedman(3000, 0), friedman(3000, 1)
    error = mean_squared_error(held_y, GradientBoostingRegressor().fit(rows, y).predict(held_rows))
    assert error < 1.75  # the noise has 1; the variance is 24


@pytest.mark.parametrize(("n_classes", "most"), [(2, 0.22), (3, 0.40)])
def test_classes_are_learned(n_classes: int, most: float) -> None:
    rows, score = friedman(6000, 2)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    model = GradientBoostingClassifier().fit(rows[:3000], y[:3000])
    assert log_loss(y[3000:], model.predict_proba(rows[3000:])) < most
    assert model.model_.n_trees == (100 if n_classes == 2 else 300)


def test_each_loss_is_best_at_what_it_is_about() -> None:
    random = np.random.default_rng(0)
    rows = random.random((4000, 3))
    y = np.round(random.gamma(1.5, 1 + 4 * rows[:, 0]))
    answers = {
        loss: GradientBoostingRegressor(n_estimators=40, loss=loss, quantile=0.8, max_leaf_nodes=4)
        .fit(rows[:2000], y[:2000])
        .predict(rows[2000:])
        for loss in LOSSES
    }
    truth = y[2000:]
    assert min(LOSSES, key=lambda loss: mean_absolute_error(truth, answers[loss])) == "absolute"
    assert (truth <= answers["quantile"]).mean() == pytest.approx(0.8, abs=0.04)
    assert (answers["poisson"] > 0).all()
    assert mean_squared_error(truth, answers["squared"]) < mean_squared_error(truth, answers["absolute"])
    between = mean_absolute_error(truth, answers["huber"])
    assert between < mean_absolute_error(truth, answers["squared"])


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from([*LOSSES, "logistic"]),
    limit=st.sampled_from([1, -1]),
    missing=st.booleans(),
)
def test_a_monotone_answer_is_monotone(seed: int, loss: str, limit: int, missing: bool) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 8, (200, 3)).astype(float)
    if missing:
        rows[random.random(rows.shape) < 0.1] = np.nan
    y = np.abs(np.nan_to_num(rows[:, 0]) * random.normal() + random.normal(size=200) * 3 + np.nan_to_num(rows[:, 1]))
    kind: Any = GradientBoostingRegressor
    parameters = {"n_estimators": 10, "min_samples_leaf": 3, "monotonic_cst": [limit, 0, 0], "learning_rate": 0.5}
    if loss == "logistic":
        kind, y = GradientBoostingClassifier, (y > np.median(y)).astype(int)
    else:
        parameters |= {"loss": loss, "quantile": 0.7}
    model = kind(**parameters).fit(rows, y)
    for row in rows[:10]:
        asked = np.tile(row, (40, 1))
        asked[:, 0] = np.linspace(-1, 9, 40)
        answers = model.predict_proba(asked)[:, 1] if loss == "logistic" else model.predict(asked)
        assert (limit * np.diff(answers) >= 0).all()


def test_without_the_limit_it_is_not() -> None:
    random = np.random.default_rng(3)
    rows = random.random((500, 2))
    y = -rows[:, 0] + random.normal(size=500) * 0.1
    free, limited = (GradientBoostingRegressor(monotonic_cst=limit).fit(rows, y) for limit in (None, {"x0": 1}))
    asked = np.column_stack([np.linspace(0, 1, 50), np.full(50, 0.5)])
    assert free.predict(asked)[0] > free.predict(asked)[-1] + 0.5
    assert (np.diff(limited.predict(asked)) >= 0).all()


def test_threads_change_nothing() -> None:
    rows, y = friedman(20_000, 4)
    one, two = (GradientBoostingRegressor(n_estimators=5, n_jobs=n, subsample=0.9).fit(rows, y) for n in (1, 2))
    assert one.model_.same_as(two.model_)
    assert np.array_equal(one.predict(rows), two.predict(rows))


def test_seeds_decide_what_is_drawn() -> None:
    rows, y = friedman(2000, 5)
    model = GradientBoostingRegressor(n_estimators=5, subsample=0.5, max_features=0.3)
    one, again, other = (clone(model).set_params(random_state=seed).fit(rows, y).model_ for seed in (1, 1, 2))
    assert one.same_as(again)
    assert not one.same_as(other)
    trees = [set(one.feature[a:b][one.feature[a:b] >= 0]) for a, b in zip(one.roots[:-1], one.roots[1:], strict=True)]
    assert max(map(len, trees)) <= 3
    assert len(set(map(frozenset, trees))) > 1


def test_whole_weights_are_repeated_rows() -> None:
    # Gradients of the absolute error are whole numbers, so that nothing is rounded: exactly the same trees.
    random = np.random.default_rng(6)
    rows, y = friedman(400, 6)
    rows = np.round(rows, 2)  # few values: the bins do not depend on how often each occurs
    weights = random.integers(1, 4, 400)
    times = np.repeat(np.arange(400), weights)
    model = GradientBoostingRegressor(n_estimators=10, loss="absolute", min_samples_leaf=10)
    one = clone(model).fit(rows, y, sample_weight=weights).model_
    other = clone(model).fit(rows[times], y[times]).model_
    assert np.array_equal(one.feature, other.feature)
    assert np.allclose(one.value, other.value)
    assert np.array_equal(one.weight, other.weight)
    # Other losses: the same but for rounding, of which there is little with few rows.
    for loss in ("squared", "poisson"):
        model = GradientBoostingRegressor(n_estimators=10, loss=loss, min_samples_leaf=10)
        answers = clone(model).fit(rows, y, sample_weight=weights).predict(rows)
        assert np.corrcoef(answers, clone(model).fit(rows[times], y[times]).predict(rows))[0, 1] > 0.999


def test_classes_may_weigh_the_same() -> None:
    table = hornbeam.read("credit-g")
    plain, balanced = (
        GradientBoostingClassifier(n_estimators=20, class_weight=weight).fit(table) for weight in (None, "balanced")
    )
    bad = list(plain.classes_).index("bad")
    assert balanced.predict_proba(table)[:, bad].mean() > plain.predict_proba(table)[:, bad].mean() + 0.1


def test_early_stopping_keeps_the_best_rounds() -> None:
    rows, y = friedman(600, 7)
    model = GradientBoostingRegressor(
        n_estimators=400, early_stopping=True, n_iter_no_change=5, validation_fraction=0.3
    ).fit(rows, y)
    loss = model.validation_loss_
    assert loss is not None
    assert model.n_iter_ == np.argmin(loss) == model.model_.n_trees
    assert len(loss) == model.n_iter_ + 5 + 1 < 400
    table = Table(Schema((*(Numeric(f"x{i}") for i in range(10)), Numeric("target"))), [*rows.T, y]).with_target(
        "target"
    )
    held = _held_out(table, model._choices(table)).astype(bool)
    assert held.sum() == 180
    assert 0.5 * mean_squared_error(y[held], model.predict(rows[held])) == pytest.approx(loss.min())
    full = GradientBoostingRegressor(n_estimators=model.n_iter_).fit(rows, y)
    assert full.validation_loss_ is None
    assert full.n_iter_ == model.n_iter_


@pytest.mark.parametrize("loss", ["huber", "poisson", "quantile", "absolute"])
def test_early_stopping_by_any_loss(loss: str) -> None:
    rows, y = friedman(500, 8)
    model = GradientBoostingRegressor(n_estimators=30, early_stopping=True, loss=loss).fit(rows, np.abs(y))
    assert model.validation_loss_ is not None
    assert model.validation_loss_[model.n_iter_] < model.validation_loss_[0]


def test_early_stopping_holds_out_every_class() -> None:
    table = hornbeam.read("iris")
    model = GradientBoostingClassifier(early_stopping=True, validation_fraction=0.2, n_estimators=15).fit(table)
    held = _held_out(table, model._choices(table)).astype(bool)
    assert np.bincount(table.target_values()[held]).tolist() == [10, 10, 10]
    with pytest.raises(ValueError, match=r"early_stopping holds out.*expected rows to learn from"):
        GradientBoostingClassifier(early_stopping=True).fit(table.take([0, 60, 110]))


def test_stages_lead_to_the_answer() -> None:
    table = hornbeam.read("glass")
    model = GradientBoostingClassifier(n_estimators=7).fit(table)
    stages = list(model.staged_predict_proba(table))
    assert len(stages) == 7
    assert np.allclose(stages[-1], model.predict_proba(table))
    assert (list(model.staged_predict(table))[-1] == model.predict(table)).all()
    losses = [log_loss(table.target_values(), shares, labels=range(shares.shape[1])) for shares in stages]
    assert (np.diff(losses) < 0).all()
    cars = hornbeam.read("auto-mpg")
    numbers = GradientBoostingRegressor(n_estimators=3, loss="poisson").fit(cars)
    assert np.allclose(list(numbers.staged_predict(cars))[-1], numbers.predict(cars))


def many_categories(n_categories: int) -> Table:
    random = np.random.default_rng(9)
    codes = random.integers(0, n_categories, 20_000).astype(np.int32)
    effect = random.normal(size=n_categories)
    codes[::50] = -1
    target = np.where(codes < 0, 2.0, effect[codes]) + random.normal(size=20_000) * 0.1
    schema = Schema((Nominal("code", tuple(f"c{i}" for i in range(n_categories))), Numeric("y")), ("feature", "target"))
    return Table(schema, [codes, target])


@pytest.mark.parametrize("n_categories", [2, 30, 1000])
def test_any_number_of_categories(n_categories: int) -> None:
    table = many_categories(n_categories)
    model = GradientBoostingRegressor(n_estimators=60, learning_rate=0.3).fit(table)
    model.model_.validate()
    assert model.score(table) > 0.9
    assert model.predict(table.take([0]))[0] == pytest.approx(2.0, abs=0.25)


def test_saved_and_loaded_it_predicts_the_same(tmp_path: Path) -> None:
    table = hornbeam.read("credit-g")
    model = GradientBoostingClassifier(n_estimators=5).fit(table)
    model.model_.validate()
    model.save(tmp_path / "model.hb")
    loaded = GradientBoostingClassifier.from_model(hornbeam.load(tmp_path / "model.hb"))
    assert np.array_equal(loaded.predict_proba(table), model.predict_proba(table))


def test_no_features_and_one_class() -> None:
    schema = Schema((Nominal("x", ("a",)), Nominal("y", ("only",))), ("feature", "target"))
    table = Table(schema, [np.zeros(5, np.int32), np.zeros(5, np.int32)])
    model = GradientBoostingClassifier(n_estimators=2).fit(table)
    assert model.predict_proba(table).tolist() == [[1.0]] * 5
    nothing = Table(Schema((Numeric("y"),), ("target",)), [np.arange(30.0)])
    assert np.allclose(GradientBoostingRegressor(n_estimators=2).fit(nothing).predict(nothing), 14.5)


def test_importances_name_what_matters() -> None:
    rows, y = friedman(2000, 10)
    found = GradientBoostingRegressor(n_estimators=20).fit(rows, y).feature_importances_
    assert found.sum() == pytest.approx(1.0)
    assert set(np.argsort(found)[-5:]) == {0, 1, 2, 3, 4}


def test_values_at_inner_nodes_lie_between_their_leaves() -> None:
    rows, y = friedman(1000, 11)
    for loss in ("squared", "absolute"):
        forest = GradientBoostingRegressor(n_estimators=3, loss=loss).fit(rows, y).model_
        inner = np.flatnonzero(forest.first_child >= 0)
        first, second = (forest.value[forest.first_child[inner] + place, 0].astype(float) for place in range(2))
        low, high = np.minimum(first, second) - 1e-6, np.maximum(first, second) + 1e-6
        assert ((low <= forest.value[inner, 0]) & (forest.value[inner, 0] <= high)).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"learning_rate": 0}, "learning_rate is 0; expected a number above 0"),
        ({"loss": "hinge"}, "loss is 'hinge'; expected one of 'squared'"),
        ({"loss": "poisson"}, "has -1.0 in row 2; the loss 'poisson' expects numbers of at least 0"),
        ({"max_bins": 257}, "max_bins is 257; expected at most 256"),
        ({"subsample": 1.5}, "subsample is 1.5; expected a number from 0 to 1"),
        ({"subsample": 0.0}, "subsample is 0.0; expected a number above 0"),
        ({"loss": "quantile", "quantile": 1}, "quantile is 1; expected a number between 0 and 1"),
        ({"monotonic_cst": {"color": 1}}, "'color', whose categories have no order"),
        ({"monotonic_cst": {"size": 1}}, "monotonic_cst names the column 'size', which is not a feature"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1; expected None or a whole number of at least 2"),
        (
            {"early_stopping": True, "validation_fraction": 1},
            "validation_fraction is 1; expected a number between 0 and 1",
        ),
        ({"max_features": 0.0}, "max_features is 0.0"),
    ],
)
def test_what_does_not_fit_is_refused(parameters: dict[str, Any], message: str) -> None:
    schema = Schema((Nominal("color", ("red", "blue")), Numeric("y")), ("feature", "target"))
    table = Table(schema, [np.array([0, 1, 0], np.int32), np.array([1.0, -1.0, 2.0])])
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        GradientBoostingRegressor(**parameters).fit(table)


def test_what_does_not_fit_classes_is_refused() -> None:
    table = hornbeam.read("iris")
    with pytest.raises(ValueError, match="'logistic', which is for two classes; the target 'class' has 3"):
        GradientBoostingClassifier(loss="logistic").fit(table)
    with pytest.raises(ValueError, match="monotonic_cst limits one score; there are 3"):
        GradientBoostingClassifier(monotonic_cst={"petallength": 1}).fit(table)
    with pytest.raises(SchemaError, match="is nominal, and GradientBoostingRegressor predicts numbers"):
        GradientBoostingRegressor().fit(table)


def test_two_scores_for_two_classes() -> None:
    table = hornbeam.read("credit-g")
    one, two = (GradientBoostingClassifier(loss=loss, n_estimators=20).fit(table) for loss in ("auto", "multinomial"))
    assert one.model_.n_outputs == 1
    assert two.model_.n_outputs == 2
    assert np.corrcoef(one.predict_proba(table)[:, 0], two.predict_proba(table)[:, 0])[0, 1] > 0.98
