"""What a new user meets in the first hour in Python: one test for each defect that a review found.

The numbers are those of the review; tests/cli/test_first_hour.py has those of the command line.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest

import hornbeam
from hornbeam import distill, evaluate, show

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

N = 150
ONE_PREDICTS = ("IB2Classifier", "IB3Classifier", "IB5Classifier", "ExemplarsClassifier")  # a row or a box


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    chance = np.random.default_rng(0)
    kinds = np.repeat(["Gentoo", "Adelie", "Chinstrap"], N // 3)
    size = chance.normal(40, 2, N) + 6 * (kinds == "Gentoo") - 5 * (kinds == "Adelie")
    return pd.DataFrame(
        {"size": size, "island": chance.choice(["Dream", "Biscoe"], N), "mass": size * 90, "species": kinds}
    )


@pytest.fixture(scope="module")
def split(frame: pd.DataFrame) -> tuple[pd.DataFrame, pd.Series]:
    return frame.drop(columns="species"), frame["species"]


CALLS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    "cross_validate": lambda tree, _, x, y: evaluate.cross_validate(tree, x, y, folds=2),
    "explain": lambda tree, _, x, __: show.explain(tree, x, 1),
    "contributions": lambda _, forest, x, __: hornbeam.contributions(forest, x),
    "permutation_importance": lambda _, forest, x, y: hornbeam.permutation_importance(forest, x, y),
    "compare": lambda tree, _, x, y: evaluate.compare({"a": tree, "b": hornbeam.OneRClassifier()}, x, y, folds=2),
    "tune": lambda _, __, x, y: evaluate.tune(
        hornbeam.CartClassifier(), x, y, folds=2, parameters=["min_samples_leaf"]
    ),
    "as_tree": lambda _, forest, x, __: distill.as_tree(forest, x),
    "decision_regions": lambda tree, _, x, __: show.decision_regions(tree, x, columns=("size", "mass")),
    "explain a forest": lambda _, forest, x, __: show.explain(forest, x, 0),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_10_functions_take_data_frames(split: tuple[pd.DataFrame, pd.Series], name: str) -> None:
    x, y = split
    tree = hornbeam.C45Classifier().fit(x, y)
    forest = hornbeam.RandomForestClassifier(n_estimators=5, random_state=0).fit(x, y)
    assert CALLS[name](tree, forest, x, y) is not None


@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_10_models_keep_the_name_of_y_and_predict_names(
    split: tuple[pd.DataFrame, pd.Series], frame: pd.DataFrame, tmp_path: Path
) -> None:
    x, y = split
    tree = hornbeam.C45Classifier().fit(x, y)
    assert tree.model_.schema.target_column.name == "species"
    hornbeam.save(tree, tmp_path / "m.hornbeam")
    loaded = hornbeam.load(tmp_path / "m.hornbeam")
    assert loaded.predict(x).tolist() == tree.predict(x).tolist()
    assert loaded.predict(hornbeam.read(frame, target="species")).tolist() == tree.predict(x).tolist()


@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_17_results_show_themselves(split: tuple[pd.DataFrame, pd.Series], frame: pd.DataFrame) -> None:
    x, y = split
    tree = hornbeam.C45Classifier().fit(x, y)
    assert show.svg(tree)._repr_svg_().startswith("<svg")
    assert repr(show.text(tree)) == str(show.text(tree))
    assert len(repr(evaluate.cross_validate(tree, x, y, folds=2))) < 1000
    assert len(repr(evaluate.tune(tree, x, y, folds=2, parameters=["confidence"]))) < 1500
    table = hornbeam.read(frame, target="species")
    for shown in (table, tree.model_):
        assert "<" in shown._repr_html_()
    assert hornbeam.C45Classifier().fit(table).classes_.tolist() == tree.classes_.tolist()


@pytest.mark.parametrize("name", ["CartClassifier", "LocallyWeightedClassifier", *ONE_PREDICTS])
@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_24_classifiers_have_class_weights(split: tuple[pd.DataFrame, pd.Series], name: str) -> None:
    learner = getattr(hornbeam, name)(class_weight="balanced").fit(*split)
    assert set(learner.predict(split[0])) <= {"Adelie", "Chinstrap", "Gentoo"}


@pytest.mark.parametrize("cls", [hornbeam.IB2Classifier, hornbeam.ExemplarsClassifier])
def test_24_repeated_rows_change_nothing_there(cls: Any) -> None:
    table = hornbeam.read("credit-g")
    often = table.take(np.repeat(np.arange(table.n_rows), np.where(table.target_values() == 1, 3, 1)))
    assert np.array_equal(cls().fit(table).predict(table), cls().fit(often).predict(table))


def test_26_names_of_scikit_learn_are_known() -> None:
    assert hornbeam.NeighborsClassifier(n_neighbors=3).get_params()["n_neighbors"] == 3
    assert hornbeam.RandomForestClassifier(criterion="entropy") is not None
    assert (
        hornbeam.GradientBoostingRegressor(l2_regularization=1.0, n_iter_no_change=5, validation_fraction=0.2)
        is not None
    )
    assert hornbeam.TreeClassifier(monotonic_cst={"x": 1}) is not None


def test_27_at_most_the_first_parameter_has_a_place() -> None:
    """As in scikit-learn: ``RandomForestClassifier(100)``, but trees by keywords only."""
    for name in dir(hornbeam):
        cls = getattr(hornbeam, name)
        if inspect.isclass(cls) and name.endswith(("Classifier", "Regressor")):
            parameters = list(inspect.signature(cls).parameters.values())
            assert all(one.kind is one.KEYWORD_ONLY for one in parameters[1:]), name


def test_28_trees_have_the_methods_of_scikit_learn(split: tuple[pd.DataFrame, pd.Series]) -> None:
    x, y = split
    tree = hornbeam.CartClassifier().fit(x, y)
    assert len(tree.apply(x)) == N
    assert tree.decision_path(x).shape[0] == N
    assert tree.get_n_leaves() > tree.get_depth() > 0
    assert tree.predict_log_proba(x).shape == (N, 3)
    assert len(hornbeam.RandomForestClassifier(n_estimators=3).fit(x, y).estimators_) == 3


def test_36_fit_takes_the_name_of_the_target_and_warns(frame: pd.DataFrame) -> None:
    tree = hornbeam.C45Classifier().fit(frame, "species")
    assert set(tree.predict(frame.drop(columns="species"))) == {"Adelie", "Chinstrap", "Gentoo"}
    named = frame.assign(name=[f"row {i}" for i in range(N)])
    with pytest.warns(hornbeam.DataWarning, match="'name' has a different category in nearly every row"):
        hornbeam.C45Classifier().fit(named, "species")


def test_38_forests_of_scikit_learn_are_imported() -> None:
    from sklearn.datasets import load_iris
    from sklearn.ensemble import RandomForestClassifier

    x, y = load_iris(return_X_y=True)
    forest = RandomForestClassifier(n_estimators=3, random_state=0).fit(x, y)
    imported = hornbeam.model.from_sklearn(forest)
    assert imported.predict(x).tolist() == [str(label) for label in forest.predict(x)] or (
        imported.predict(x).tolist() == forest.predict(x).tolist()
    )


@pytest.mark.filterwarnings("ignore::hornbeam.DataWarning")
def test_a_frame_with_dates_and_the_target_can_be_predicted_as_it_was_learned(frame: pd.DataFrame) -> None:
    rows = frame.assign(
        when=pd.Timestamp("2023-01-02") + pd.to_timedelta(np.arange(N), unit="D"), number=np.arange(N) * 3 + 7
    )
    learner = hornbeam.CartClassifier(random_state=0).fit(rows, "species")
    assert "month of when" in learner.feature_names_in_
    found = learner.predict(rows)
    assert np.array_equal(found, learner.predict(rows.drop(columns="species")))
    assert np.array_equal(found, learner.predict(rows[rows.columns[::-1]]))
    assert np.array_equal(found, learner.predict(hornbeam.read(rows, target="species")))
    right = float((found == rows["species"]).mean())
    assert learner.score(rows, "species") == learner.score(rows.drop(columns="species"), rows["species"]) == right
    with pytest.raises(ValueError, match="the model needs the column 'size'"):
        learner.predict(rows.drop(columns="size"))
    two = rows[["size", "mass"]]
    strict = learner.fit(two, rows["species"])  # as scikit-learn asks: the columns of `fit`, in their order
    with pytest.raises(ValueError, match="feature names should match"):
        strict.predict(rows)


@pytest.mark.parametrize("options", [{}, {"costs": [[0, 1, 1], [5, 0, 1], [1, 1, 0]]}])
def test_loaded_models_have_scores(frame: pd.DataFrame, tmp_path: Path, options: dict[str, Any]) -> None:
    learner = hornbeam.C45Classifier(**options).fit(frame, "species")
    learner.save(tmp_path / "m.hornbeam")
    loaded = hornbeam.load(tmp_path / "m.hornbeam")
    scores = [evaluate.score_estimator(one, frame, target="species").to_json() for one in (learner, loaded)]
    assert scores[0] == scores[1]
