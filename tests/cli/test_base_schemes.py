"""Schemes built on another scheme: bagging, discretized and locally-weighted take every one that can be named."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.schemes import SCHEMES, find, named

if TYPE_CHECKING:
    from pathlib import Path

CLASSIFIERS = [scheme.name for scheme in SCHEMES if scheme.predicts == "category"]
REGRESSORS = [scheme.name for scheme in SCHEMES if scheme.predicts == "number"]
WITHOUT_WEIGHTS = {"ib2", "ib3", "ib5"}
NOT_SAVED = {"bagging", "forest", "boosting", "locally-weighted"}  # as learners for every row asked about


def choices(name: str, predicts: Any) -> set[Any]:
    return {*next(p.choices for p in find(name, predicts).parameters if p.name == "estimator")} - {None}


@pytest.fixture
def flowers(tmp_path: Path) -> Path:
    """Thirty rows of iris as CSV, of numbers and a category."""
    table = hornbeam.read("iris").take(np.arange(0, 150, 5))
    lines = ["length,width,size,kind"]
    for length, width, petal, _, kind in zip(*table.columns, strict=True):
        lines.append(f"{length},{width},{'small' if petal < 4 else 'large'},{'abc'[kind]}")
    path = tmp_path / "flowers.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_every_scheme_is_among_the_choices() -> None:
    assert choices("bagging", "category") == choices("discretized", "number") == {*CLASSIFIERS}
    assert choices("bagging", "number") == {*REGRESSORS}
    assert choices("locally-weighted", "category") == {*CLASSIFIERS} - WITHOUT_WEIGHTS


def test_which_schemes_take_weights_is_as_their_signatures_say() -> None:
    for scheme in SCHEMES:
        assert scheme.takes_weights == ("sample_weight" in inspect.signature(scheme.load().fit).parameters), scheme.name


def learned(good: Any, path: Path, *options: str) -> None:
    """Learn, save, show and predict on the command line."""
    model = path.with_name("m.hornbeam")
    told = good("learn", path, "--cv", "0", "--save", model, "--seed", "1", *options)
    assert good("show", model).out.strip() in told.out
    assert len(good("predict", model, path).out.splitlines()) == 31  # a line of names, and thirty rows


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_bagging_of_every_classifier(name: str, flowers: Path, good: Any) -> None:
    learned(good, flowers, "--scheme", "bagging", "--estimator", name, "--n-estimators", "2")


@pytest.mark.parametrize("name", REGRESSORS)
def test_bagging_of_every_regressor(name: str, flowers: Path, good: Any) -> None:
    options = ("--scheme", "bagging", "--estimator", name, "--n-estimators", "2", "--target", "length")
    learned(good, flowers, *options)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_intervals_by_every_classifier(name: str, flowers: Path, good: Any) -> None:
    learned(good, flowers, "--scheme", "discretized", "--classifier", name, "--bins", "3", "--target", "length")


@pytest.mark.parametrize("name", sorted({*CLASSIFIERS} - WITHOUT_WEIGHTS - NOT_SAVED))
def test_every_classifier_may_learn_from_the_rows_near_by(name: str, flowers: Path, good: Any) -> None:
    learned(good, flowers, "--scheme", "locally-weighted", "--estimator", name, "--n-neighbors", "15")


@pytest.mark.parametrize("name", sorted(NOT_SAVED))
def test_ensembles_learn_from_the_rows_near_by_but_are_not_saved(
    name: str, flowers: Path, good: Any, bad: Any, tmp_path: Path
) -> None:
    options = (
        "learn",
        flowers,
        "--scheme",
        "locally-weighted",
        "--estimator",
        name,
        "--n-neighbors",
        "15",
        "--cv",
        "0",
    )
    assert "right" in good(*options).out
    assert "save the table" in bad(*options, "--save", tmp_path / "m.hornbeam").err


@pytest.mark.parametrize("name", sorted(WITHOUT_WEIGHTS))
def test_schemes_without_weights_are_not_offered_to_locally_weighted(name: str, flowers: Path, bad: Any) -> None:
    told = bad("learn", flowers, "--scheme", "locally-weighted", "--estimator", name).err
    assert "not one of" in told
    with pytest.raises(TypeError, match="takes no weights"):
        hornbeam.LocallyWeightedClassifier(name).fit(hornbeam.read(flowers, target="kind"))


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_arrays_in_python(name: str) -> None:
    x = np.random.default_rng(0).normal(size=(40, 3))
    y = x[:, 0] + 0.1 * x[:, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        by_classes = hornbeam.DiscretizedRegressor(name, bins=3).fit(x, y)
        bagged = hornbeam.BaggingClassifier(name, n_estimators=2, random_state=0).fit(x, y > 0)
    shares = by_classes.model_.classifier.predict_proba(x)
    assert by_classes.predict(x) == pytest.approx(shares @ by_classes.model_.values)
    assert bagged.predict_proba(x).sum(axis=1) == pytest.approx(np.ones(40))


@pytest.mark.parametrize("name", sorted(WITHOUT_WEIGHTS))
def test_members_that_take_no_weights_see_rows_as_often_as_they_were_drawn(name: str) -> None:
    table = hornbeam.read("iris")
    seen = [
        member.recipe["rows_seen"]
        for member in hornbeam.BaggingClassifier(name, n_estimators=3, random_state=0).fit(table).model_.members
    ]
    assert seen == [150, 150, 150]


@pytest.mark.parametrize("name", ["forest", "boosting", "bagging", "ripper", "irep", "svm", "cart"])
def test_the_same_seed_gives_the_same_model(name: str, flowers: Path, good: Any) -> None:
    def told(*options: str) -> Any:
        found = good("learn", flowers, "--cv", "2", "--json", "--seed", "3", *options).json
        return {key: value for key, value in found.items() if key != "seconds"}

    by_classes = ("--scheme", "discretized", "--classifier", name, "--bins", "3", "--target", "length")
    assert told(*by_classes) == told(*by_classes)
    near = ("--scheme", "locally-weighted", "--estimator", name, "--n-neighbors", "12")
    assert told(*near) == told(*near)


def test_seeds_are_handed_to_the_learner_inside() -> None:
    iris = hornbeam.read("iris")
    found = hornbeam.LocallyWeightedClassifier("forest", random_state=5)._learner()
    assert found.get_params()["random_state"] == 5
    by_classes = hornbeam.DiscretizedRegressor("forest", random_state=5).fit(iris.with_target("petalwidth"))
    assert by_classes.estimator_.random_state == 5
    own = hornbeam.DiscretizedRegressor(hornbeam.RandomForestClassifier(random_state=2))
    assert own.fit(iris.with_target("petalwidth")).estimator_.random_state == 2


def test_help_names_the_schemes(good: Any) -> None:
    told = good("learn", "--scheme", "discretized", "--help").out
    assert "ripper" in told
    assert "neighbors" in told
    assert len(named("bagging")) == 2
