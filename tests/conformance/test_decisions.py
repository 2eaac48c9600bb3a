"""What every classifier predicts: the greatest probability, or the least expected cost; before saving and after."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from conformance.every import CLASSIFIERS as SETTINGS
from conformance.every import SCHEMES_OF, of_scheme, random_table
from sklearn.base import clone

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.cart import CartClassifier
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.model.trees.tree import FRACTIONAL

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.schemes.scheme import Scheme

pytestmark = pytest.mark.filterwarnings("ignore")  # few rows: not what this is about

NAME = attrgetter("estimator")
CLASSIFIERS = SCHEMES_OF["category"]
NO_MISSING = {"ID3Classifier"}
TIE = 1e-9
COSTS = [[0.0, 4.0, 1.0], [1.0, 0.0, 6.0], [9.0, 1.0, 0.0]]
OPEN = {
    "m-estimate": TreeClassifier(leaf="m-estimate", m=20, min_samples_leaf=5),
    "m-estimate, pruned": TreeClassifier(leaf="m-estimate", m=20, prune="cost-complexity", random_state=0),
    "m-estimate, pieces": TreeClassifier(leaf="m-estimate", m=20, missing="fractional"),
    "m-estimate, costs": TreeClassifier(leaf="m-estimate", m=20, costs=COSTS),
    "laplace": TreeClassifier(leaf="laplace", min_samples_leaf=3),
    "rules": TreeClassifier(prune="rules"),
    "priors": CartClassifier(priors=[0.1, 0.1, 0.8], min_samples_leaf=3),
    "loss": CartClassifier(loss=COSTS, min_samples_leaf=3),
}


def takes(scheme: Scheme, name: str) -> bool:
    return any(parameter.name == name for parameter in scheme.parameters)


def table_for(scheme: Scheme, seed: int) -> Table:
    return random_table(seed, "category", missing=scheme.estimator not in NO_MISSING)


def two_classes(table: Table) -> Table:
    """The same rows, with the classes low and higher."""
    at = table.schema.target
    assert at is not None
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[at], arrays[at] = Nominal("target", ("low", "higher")), (table.target_values() > 0).astype(np.int32)
    return Table(Schema(tuple(columns), table.schema.roles), arrays)


def with_an_empty_class(table: Table) -> Table:
    """The same rows, with one more class in the first place that no row has."""
    at = table.schema.target
    assert at is not None
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    columns, arrays = list(table.schema.columns), list(table.columns)
    columns[at], arrays[at] = Nominal("target", ("empty", *target.categories)), table.target_values() + 1
    return Table(Schema(tuple(columns), table.schema.roles), arrays)


def expected_costs(model: Any, table: Table, costs: Any) -> Any:
    return model.predict_proba(table) @ np.asarray(costs)


def chosen(model: Any, table: Table, figures: Any) -> Any:
    """The figure of the class that is predicted, for each row."""
    place = {name: code for code, name in enumerate(model.classes_)}
    return figures[np.arange(len(figures)), [place[name] for name in model.predict(table)]]


@pytest.mark.parametrize("scheme", CLASSIFIERS, ids=NAME)
def test_the_greatest_probability_is_predicted(scheme: Scheme) -> None:
    for seed in range(3):
        table = table_for(scheme, seed)
        model = of_scheme(scheme).fit(table)
        shares = model.predict_proba(table)
        assert np.allclose(shares.sum(axis=1), 1)
        assert (chosen(model, table, shares) >= shares.max(axis=1) - TIE).all()


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("data", ["glass", "drawn"])
def test_smoothing_priors_and_losses_do_not_change_that(name: str, data: str) -> None:
    table = hornbeam.read("glass") if data == "glass" else random_table(5, "category", rows=150)
    model = clone(OPEN[name])
    if data == "glass":
        model.set_params(**dict.fromkeys({"costs", "loss", "priors"} & set(model.get_params())))
    model.fit(table)
    costs = model.cost_matrix_
    if costs is None:
        shares = model.predict_proba(table)
        assert (chosen(model, table, shares) >= shares.max(axis=1) - TIE).all()
    else:
        expected = expected_costs(model, table, costs)
        assert (chosen(model, table, expected) <= expected.min(axis=1) + TIE).all()
    figure = getattr(model.model_, "label", None)
    if figure is not None and not (model.model_.missing == FRACTIONAL).any():  # what is printed is what is predicted
        ends = model.model_.apply(table)
        assert (model.classes_[figure[ends]] == model.predict(table)).all()


@pytest.mark.parametrize("scheme", [each for each in CLASSIFIERS if takes(each, "costs")], ids=NAME)
def test_the_least_expected_cost_is_predicted(scheme: Scheme) -> None:
    table = table_for(scheme, 1)
    model = of_scheme(scheme, costs=COSTS).fit(table)
    expected = expected_costs(model, table, COSTS)
    assert (chosen(model, table, expected) <= expected.min(axis=1) + TIE).all()


@pytest.mark.parametrize("scheme", [each for each in CLASSIFIERS if takes(each, "costs")], ids=NAME)
def test_a_class_without_rows_is_never_predicted(scheme: Scheme, tmp_path: Path) -> None:
    table = with_an_empty_class(table_for(scheme, 2))
    costs = {"low": {"middle": 5, "high": 5}, "middle": {"low": 5, "high": 5}, "high": {"low": 5, "middle": 5}}
    model = of_scheme(scheme, costs=costs).fit(table)
    assert "empty" not in model.predict(table)
    model.save(tmp_path / "model.hb")
    assert "empty" not in type(model).from_model(hornbeam.load(tmp_path / "model.hb")).predict(table)


def test_neither_is_it_by_losses() -> None:
    table = with_an_empty_class(random_table(2, "category"))
    loss = {"low": {"middle": 5, "high": 5}, "middle": {"low": 5, "high": 5}, "high": {"low": 5, "middle": 5}}
    for model in (CartClassifier(loss=loss), CartClassifier(loss=loss, criterion="misclassification", cp=0)):
        fitted = model.fit(table)
        assert "empty" not in fitted.predict(table)
        assert (fitted.model_.label > 0).all()
    assert (TreeClassifier(costs=loss).fit(table).model_.label > 0).all()


@pytest.mark.parametrize("place", [0, 1])
def test_nor_by_a_threshold(place: int) -> None:
    table = two_classes(random_table(2, "category", rows=200))
    only = table.take(table.target_values() == place)
    for threshold in (0.0, 1.0):
        model = TreeClassifier(decision_threshold=threshold, leaf="laplace").fit(only)
        assert set(model.predict(table)) == {("low", "higher")[place]}


@pytest.mark.parametrize("scheme", [each for each in CLASSIFIERS if takes(each, "costs")], ids=NAME)
def test_a_loaded_model_decides_as_its_estimator_did(scheme: Scheme, tmp_path: Path) -> None:
    table = table_for(scheme, 3)
    path = tmp_path / "model.hb"
    model = of_scheme(scheme, costs=COSTS).fit(table)
    model.save(path)
    loaded = type(model).from_model(hornbeam.load(path))
    assert (loaded.predict(table) == model.predict(table)).all()
    assert np.asarray(loaded.costs).tolist() == COSTS
    other = [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert type(model).from_model(hornbeam.load(path), costs=other).costs == other
    loaded.save(path)  # and once more
    assert (type(model).from_model(hornbeam.load(path)).predict(table) == model.predict(table)).all()


@pytest.mark.parametrize(
    "scheme",
    [each for each in CLASSIFIERS if takes(each, "decision_threshold")],
    ids=NAME,
)
def test_so_it_does_with_a_threshold(scheme: Scheme, tmp_path: Path) -> None:
    table = two_classes(table_for(scheme, 4))
    path = tmp_path / "model.hb"
    model = of_scheme(scheme, decision_threshold=0.9).fit(table)
    model.save(path)
    loaded = type(model).from_model(hornbeam.load(path))
    assert loaded.decision_threshold == 0.9
    assert (loaded.predict(table) == model.predict(table)).all()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_class_may_end_in_a_null_character(name: str) -> None:
    """NumPy's strings drop it, which would make two classes of these the same."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(3, dtype=np.int32), 40)
    schema = Schema((Numeric("x"), Nominal("y", ("a", "a\0", "b"))), ("feature", "target"))
    table = Table(schema, [codes + random.uniform(0.0, 0.5, 120), codes])
    learner = clone(SETTINGS[name]).fit(table)
    assert learner.classes_.tolist() == ["a", "a\0", "b"]
    assert set(learner.predict(table).tolist()) == {"a", "a\0", "b"}
    assert learner.model_.predict(table).tolist() == learner.predict(table).tolist()
