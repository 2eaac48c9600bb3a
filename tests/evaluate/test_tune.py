from __future__ import annotations

import json
import math
from typing import Any, Self

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import log_loss as their_log_loss

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import Trial, Tuning, compare, cross_validate, tune
from hornbeam.evaluate.comparing.comparison import Estimate
from hornbeam.evaluate.folds import fold_of_rows
from hornbeam.evaluate.judge import probabilities_of
from hornbeam.evaluate.measures import log_loss
from hornbeam.evaluate.tuning.settings import coarse, drawn, searched, usual
from hornbeam.evaluate.tuning.tune import Tuned
from hornbeam.evaluate.tuning.tuning import complexity
from hornbeam.schemes import SCHEMES, Scheme
from hornbeam.schemes.scheme import Range

IRIS, SERVO = hornbeam.read("iris"), hornbeam.read("servo")


def noise(rows: int = 200, columns: int = 6, seed: int = 3) -> Table:
    """Classes that nothing in the table tells."""
    rng = np.random.default_rng(seed)
    names = [*(Numeric(f"x{place}") for place in range(columns)), Nominal("y", ("no", "yes"))]
    schema = Schema(tuple(names), (*["feature"] * columns, "target"), "noise")  # type: ignore[arg-type]
    return Table(schema, [*rng.normal(size=(columns, rows)), (np.arange(rows) % 2).astype(np.int32)])


class Spy(BaseEstimator):  # type: ignore[misc]
    """Answers always the same, and remembers the rows that it was given."""

    seen: list[tuple[str, int, frozenset[float]]] = []  # noqa: RUF012 - of every clone

    def __init__(self, strength: int = 0) -> None:
        self.strength = strength

    def fit(self, table: Table) -> Self:
        Spy.seen.append(("fit", self.strength, frozenset(table.column("x0").tolist())))
        if self.strength < 0:
            msg = f"strength is {self.strength}; expected 0 or more"
            raise ValueError(msg)
        return self

    def predict(self, table: Table) -> Any:
        Spy.seen.append(("predict", self.strength, frozenset(table.column("x0").tolist())))
        return np.array(["yes" if self.strength == 2 else "no"] * table.n_rows, object)


@pytest.fixture(autouse=True)
def forget() -> None:
    Spy.seen = []


# --- scores -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_naive_loop_gives_the_same_scores(n_jobs: int | None) -> None:
    found = tune("c45", IRIS, folds=4, seed=7, n_jobs=n_jobs)
    fold = fold_of_rows(IRIS, 4, 7)
    truth = np.array(IRIS.schema.target_column.categories, object)[IRIS.target_values()]  # type: ignore[union-attr]
    assert found.measure == "accuracy"
    assert list(found.searches) == ["confidence", "min_samples_leaf"]
    for trial in found.trials:
        right = []
        for number in range(4):
            tree = hornbeam.C45Classifier(**trial.setting, random_state=7).fit(
                IRIS.take(np.flatnonzero(fold != number))
            )
            part = np.flatnonzero(fold == number)
            right.append(float(np.mean(tree.predict(IRIS.take(part)) == truth[part])))
        assert trial.score is not None
        assert trial.score.folds == pytest.approx(right)
        assert trial.score.mean == pytest.approx(np.mean(right))
        assert trial.score.standard_error == pytest.approx(np.std(right, ddof=1) / 2)
    assert found.given.setting == {"confidence": 0.25, "min_samples_leaf": 2}
    means = [trial.score.mean for trial in found.trials if trial.score is not None]
    assert found.best.score is not None
    assert found.best.score.mean == max(means)
    assert found.estimator.get_params()["confidence"] == found.best.setting["confidence"]


def test_numbers_are_judged_by_their_errors() -> None:
    found = tune("linear", SERVO, folds=3)
    assert found.measure == "root mean squared error"
    judged = cross_validate(hornbeam.LinearRegressor(ridge=1.0), SERVO, 3, 1)
    expected = [one.root_mean_squared_error for one in judged.fold_scores]  # type: ignore[union-attr]
    trial = found.trial({"ridge": 1.0})
    assert trial.score is not None
    assert trial.score.folds == pytest.approx(expected)
    assert found.best.score is not None
    assert found.best.score.mean == min(one.score.mean for one in found.trials if one.score is not None)


def test_costs_are_what_counts_where_there_are_some() -> None:
    costs = {"Iris-virginica": {"Iris-versicolor": 20.0}}
    tree = hornbeam.C45Classifier(costs=costs)
    found = tune(tree, IRIS, ["min_samples_leaf"], folds=3)
    assert found.measure == "mean cost"
    judged = cross_validate(hornbeam.C45Classifier(costs=costs, min_samples_leaf=8, random_state=1), IRIS, 3, 1)
    trial = found.trial({"min_samples_leaf": 8})
    assert trial.score is not None
    assert trial.score.folds == pytest.approx([one.mean_cost for one in judged.fold_scores])  # type: ignore[union-attr]


def test_log_loss_is_that_of_others() -> None:
    model = hornbeam.RandomForestClassifier(n_estimators=5, random_state=1).fit(IRIS)
    shares = model.predict_proba(IRIS)
    names = np.array(IRIS.schema.target_column.categories)[IRIS.target_values()]  # type: ignore[union-attr]
    expected = their_log_loss(names, np.clip(shares, 1e-15, 1), labels=model.classes_)
    truth = IRIS.target_values()
    assert log_loss(truth, shares) == pytest.approx(expected, rel=1e-6)
    model = model.fit(IRIS.take(truth > 0))  # a class that the model never saw
    given = probabilities_of(model, IRIS)
    assert given is not None
    assert (given[:, 0] == 0).all()
    assert log_loss(truth, given) > -math.log(1e-15) / 3 - 1e-9
    found = tune("neighbors", IRIS, ["n_neighbors"], folds=3, measure="log loss")
    assert not found.higher_is_better
    assert found.best.score is not None
    assert found.best.score.mean == min(one.score.mean for one in found.trials if one.score is not None)


@pytest.mark.parametrize("measure", ["balanced accuracy", "AUC", "Brier score", "mean absolute error", "R2"])
def test_settings_are_judged_by_any_measure(measure: Any) -> None:
    numbers = measure in ("mean absolute error", "R2")
    table = hornbeam.read("cpu") if numbers else IRIS
    estimator = hornbeam.CartRegressor(folds=0) if numbers else hornbeam.CartClassifier(folds=0)
    found = tune(estimator, table, {"min_samples_leaf": (2, 30)}, folds=3, finer=0, measure=measure)
    methods = {str(value): clone(estimator).set_params(min_samples_leaf=value) for value in (2, 30)}
    expected = compare(methods, table, folds=3, measure=measure).tables[0]
    for value in (2, 30):
        assert found.trial({"min_samples_leaf": value}).score == expected.outcome(str(value)).score
    assert found.higher_is_better == (measure in ("balanced accuracy", "AUC", "R2"))


def test_the_result_is_the_same_for_a_seed_and_any_threads() -> None:
    one, two, other = (
        tune("neighbors", IRIS, tries=5, folds=3, seed=seed, n_jobs=n_jobs, nested=2)
        for seed, n_jobs in ((1, None), (1, 2), (2, None))
    )
    assert one.to_json() == two.to_json()
    assert [trial.setting for trial in one.trials] != [trial.setting for trial in other.trials]
    json.dumps(one.to_json(), allow_nan=False)


# --- nested -----------------------------------------------------------------------------------------------------------


def test_noise_is_told_at_the_rate_of_chance() -> None:
    found = tune(
        "neighbors", noise(), {"n_neighbors": (1, 2, 3, 5, 7, 9, 13), "metric": ("euclidean", "manhattan")}, nested=5
    )
    assert found.nested is not None
    assert found.best.score is not None
    score = found.nested.validation.score
    low, high = score.interval
    assert low <= 0.5 <= high
    assert found.best.score.mean > score.accuracy  # type: ignore[union-attr]
    assert len(found.nested.settings) == 5
    assert "optimistic" in found.text()
    assert "tuned again inside each of 5 folds" in found.text()


def test_nested_tuning_never_sees_the_rows_it_is_judged_on() -> None:
    table = noise(60, 1)
    tune(Spy(), table, {"strength": (0, 1, 2)}, folds=3, nested=4)
    every = frozenset(table.column("x0").tolist())
    events = Spy.seen[3 * 3 * 2 :]  # after tuning on all rows
    within = 3 * 3 * 2
    assert len(events) == 4 * (within + 2)
    judged: set[float] = set()
    for start in range(0, len(events), within + 2):
        inner = events[start : start + within]
        (_, _, learned), (kind, _, test) = events[start + within : start + within + 2]
        assert kind == "predict"
        assert learned | test == every
        assert not learned & test
        assert all(rows <= learned for _, _, rows in inner)
        judged |= test
    assert judged == every


def test_every_setting_has_the_same_folds() -> None:
    tune(Spy(), noise(40, 1), {"strength": (0, 1, 2)}, folds=4)
    by_setting = [[rows for kind, strength, rows in Spy.seen if (kind, strength) == ("fit", s)] for s in (0, 1, 2)]
    assert by_setting[0] == by_setting[1] == by_setting[2]


def test_given_folds() -> None:
    given_folds = np.arange(60) % 3
    found = tune(Spy(), noise(60, 1), {"strength": (0, 2)}, folds=given_folds, nested=True)
    assert found.folds == 3
    assert found.nested is not None
    assert found.nested.validation.folds == 3


def test_tuned_is_a_method_like_others() -> None:
    tree = hornbeam.C45Classifier()
    found = compare({"given": tree, "tuned": Tuned(tree, ["confidence"], folds=3)}, IRIS, folds=3)
    assert all(outcome.score is not None for outcome in found.tables[0].outcomes)
    fitted = clone(Tuned(tree, ["confidence"], folds=3)).fit(IRIS)
    assert fitted.predict_proba(IRIS).shape == (150, 3)
    assert fitted.model_ is fitted.learner_.model_
    with pytest.raises(AttributeError, match="model_"):
        _ = Tuned(tree).model_


# --- what is chosen ---------------------------------------------------------------------------------------------------

SEARCHES = {"a": Range(1, 64, "whole", 7, simpler="high"), "b": Range(0.01, 1, "log", 5, simpler="low")}
MEANS = st.lists(st.floats(0, 1), min_size=35, max_size=35)


@given(MEANS, st.floats(0, 0.2))
def test_the_simplest_is_near_the_best_and_no_less_simple(means: list[float], spread: float) -> None:
    grid = coarse(SEARCHES)
    trials = tuple(
        Trial(setting, Estimate(mean, (0, 1), (mean - spread, mean + spread)), None)
        for setting, mean in zip(grid.settings(), means, strict=True)
    )
    found = Tuning("t", 10, None, dict(SEARCHES), "accuracy", trials, (grid,), 2, 1)
    best, simplest = found.best, found.simplest
    assert best.score is not None
    assert simplest.score is not None
    assert best.score.mean == max(means)
    assert simplest.score.mean >= best.score.mean - best.score.standard_error - 1e-12
    near = [t for t in trials if t.score is not None and t.score.mean >= best.score.mean - best.score.standard_error]
    assert complexity(simplest.setting, dict(SEARCHES)) == min(complexity(t.setting, dict(SEARCHES)) for t in near)


def test_a_value_without_a_place_is_never_the_simplest() -> None:
    assert complexity({"a": None, "b": 0.01}, dict(SEARCHES)) == math.inf
    assert complexity({"a": 64, "b": 0.01}, dict(SEARCHES)) == 0


def test_choosing_the_simplest_sets_the_estimator() -> None:
    found = tune("cart", SERVO, ["min_samples_leaf"], folds=3, choose="1-se")
    assert found.chosen is found.simplest
    assert found.estimator.min_samples_leaf == found.simplest.setting["min_samples_leaf"]
    assert found.estimator.min_samples_leaf >= found.best.setting["min_samples_leaf"]  # type: ignore[operator]


# --- settings ---------------------------------------------------------------------------------------------------------


@given(st.data())
def test_a_finer_grid_lies_between_the_neighbors(data: st.DataObject) -> None:
    searches = {**SEARCHES, "c": ("x", "y")}
    grid = coarse(searches)
    for _ in range(3):
        best = data.draw(st.sampled_from(grid.settings()))
        finer = grid.finer(searches, best)
        assert finer.axes["c"] == ("x", "y")
        for name in ("a", "b"):
            values: list[Any] = list(grid.axes[name])
            place = values.index(best[name])
            near = values[max(place - 1, 0) : place + 2]
            assert best[name] in finer.axes[name]
            assert (finer.axes[name][0], finer.axes[name][-1]) == (near[0], near[-1])
            assert len(finer.axes[name]) <= 5
        grid = finer


@given(st.integers(0, 2**32), st.integers(1, 20))
def test_drawn_settings_lie_within_and_depend_on_the_seed_alone(seed: int, tries: int) -> None:
    searches = {**SEARCHES, "c": ("x", None)}
    settings_ = drawn(searches, tries, seed)
    assert settings_ == drawn(searches, tries, seed)
    for setting in settings_:
        assert 1 <= setting["a"] <= 64  # type: ignore[operator]
        assert isinstance(setting["a"], int)
        assert 0.01 <= setting["b"] <= 1  # type: ignore[operator]
        assert setting["c"] in ("x", None)


def test_what_is_tuned_by_default() -> None:
    assert usual(hornbeam.NeighborsClassifier()) == ["n_neighbors", "weights"]
    assert usual(hornbeam.NeighborsClassifier(), fixed=["n_neighbors"]) == ["weights"]
    assert usual(hornbeam.CartClassifier()) == ["min_samples_leaf", "max_depth"]  # cp decides nothing then
    assert usual(hornbeam.CartClassifier(choose="cp")) == ["cp", "min_samples_leaf"]
    assert searched(hornbeam.C45Classifier(), {"mdl": [True, False, True]}) == {"mdl": (True, False)}


@pytest.mark.parametrize(
    ("scheme", "parameters", "message"),
    [
        ("ib2", None, "no parameter with a declared search range"),
        ("c45", ["depth"], "no parameter 'depth' to tune; those with a search range: confidence, min_samples_leaf"),
        ("c45", ["prune"], "'prune' of the scheme c45 declares no search range"),
        ("c45", [], "no parameter was named"),
        ("c45", {"confidence": ()}, "no value to try for confidence"),
        ("tree", ["confidence"], "has no effect if prune is None"),
    ],
)
def test_what_cannot_be_tuned_is_refused(scheme: str, parameters: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tune(scheme, IRIS, parameters)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"measure": "root mean squared error"}, "holds categories"),
        ({"measure": "mean cost"}, "no costs"),
        ({"choose": "least"}, "expected best or 1-se"),
        ({"tries": 0}, "at least 1 try"),
        ({"folds": 1}, "folds is 1"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tune("c45", IRIS, **options)


def test_no_probabilities_no_log_loss() -> None:
    with pytest.raises(ValueError, match="Spy has no probabilities"):
        tune(Spy(), noise(20), {"strength": (0, 1)}, measure="log loss")


def test_settings_that_fail_are_told_and_the_rest_goes_on() -> None:
    found = tune(Spy(), noise(40, 1), {"strength": (-1, 0, 2)}, folds=2)
    assert found.trial({"strength": -1}).problem == "strength is -1; expected 0 or more"
    assert found.best.setting != {"strength": -1}
    assert "strength = -1: not evaluated, strength is -1" in found.text()
    with pytest.raises(ValueError, match=r"no setting of strength could learn; strength is -1"):
        tune(Spy(-1), noise(40, 1), {"strength": (-1, -2)}, folds=2)


@settings(max_examples=10, deadline=None)
@given(st.integers(2, 4), st.integers(0, 2))
def test_progress_rises_to_its_end(folds: int, nested: int) -> None:
    told: list[tuple[int, int]] = []
    tune("one-r", IRIS, folds=folds, nested=nested + 1 if nested else False, progress=lambda *step: told.append(step))
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert all(done <= total for done, total in told)
    assert told[-1][0] == told[-1][1]


def test_an_interruption_goes_through() -> None:
    def stop(done: int, _: int) -> None:
        if done > 2:
            raise KeyboardInterrupt

    for n_jobs in (None, 2):
        with pytest.raises(KeyboardInterrupt):
            tune("c45", IRIS, n_jobs=n_jobs, progress=stop)


def test_an_end_of_the_range_is_told() -> None:
    found = tune(hornbeam.PolynomialRegressor(ridge=1e9), SERVO, {"ridge": Range(1e3, 1e6, "log", 4)}, folds=3)
    assert found.at_edge() == ["ridge"]
    assert "The best ridge is an end of the search range (1000.0 to 1000000.0)" in " ".join(found.text().split())


TUNABLE = [scheme for scheme in SCHEMES if any(p.search is not None for p in scheme.parameters)]


@pytest.mark.parametrize("scheme", TUNABLE, ids=lambda scheme: f"{scheme.name}-{scheme.predicts}")
def test_every_scheme_with_a_range_can_be_tuned(scheme: Scheme) -> None:
    table = (IRIS if scheme.predicts == "category" else SERVO).take(np.arange(0, 150, 2))
    few = {"n_estimators": 2} if any(p.name == "n_estimators" for p in scheme.parameters) else {}
    found = tune(scheme.load()(**few), table, tries=2, folds=2)
    assert 2 <= len(found.trials) <= 3
    assert all(trial.problem is None for trial in found.trials)
    assert found.estimator.fit(table).predict(table).shape == (75,)


def test_warnings_are_kept_and_told_once() -> None:
    with pytest.warns(match="rows per parameter"):
        hornbeam.M5Regressor().fit(SERVO)
    found = tune("m5", SERVO, ["min_samples_leaf"], folds=2, finer=0)
    assert found.remarks
    assert len(set(found.remarks)) == len(found.remarks)
