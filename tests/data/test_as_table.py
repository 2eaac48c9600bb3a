"""Rows of any sort as a table: targets by name and by values, order of classes, and what is refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import hornbeam
from hornbeam.data.as_table import as_table, codes_of, name_of
from hornbeam.data.schema import Nominal, Numeric, SchemaError
from hornbeam.evaluate import compare, cross_validate, score, tune

if TYPE_CHECKING:
    from pathlib import Path

KINDS = ["gentoo", "adelie", "chinstrap"] * 12
FRAME = pd.DataFrame({"bill": np.arange(36) % 3 + np.linspace(0, 0.4, 36), "sex": ["m", "f"] * 18, "species": KINDS})
X, Y = FRAME[["bill", "sex"]], FRAME["species"]
TREE = hornbeam.C45Classifier


def test_a_table_stays_as_it_is() -> None:
    table = hornbeam.read("weather")
    assert as_table(table) is table
    assert as_table(table, "outlook").schema.target_column.name == "outlook"
    with pytest.raises(ValueError, match="a Table carries its own target"):
        as_table(table, [1] * 14)
    with pytest.raises(ValueError, match="both y and target='species'"):
        as_table(X, Y, "species")


@pytest.mark.parametrize(
    ("y", "name"),
    [(Y, "species"), (pl.Series("kind", KINDS), "kind"), (FRAME[["species"]], "species"), (KINDS, "target"),
     (pl.Series(KINDS), "target"), (pd.Series(KINDS, name=3), "3")],
)  # fmt: skip
def test_the_name_of_a_target_is_kept(y: Any, name: str) -> None:
    assert name_of(y) == name
    assert TREE().fit(X, y).schema_.target_column.name == name
    assert name_of(y, [name]) == f"{name}_"


@pytest.mark.parametrize("kind", ["text", "category", "declared", "filtered", "polars", "int", "float", "bool"])
def test_classes_have_one_order(kind: str) -> None:
    """`fit(X, y)`, `fit(frame, column)` and `fit(read(frame, target))` agree in classes, colors and probabilities."""
    frame: Any = FRAME
    if kind == "category":
        frame = FRAME.assign(species=FRAME["species"].astype("category"))
    elif kind == "declared":
        frame = FRAME.assign(species=pd.Categorical(KINDS, ["gentoo", "chinstrap", "adelie", "none"]))
    elif kind == "filtered":
        frame = FRAME.assign(species=Y.astype("category"))[FRAME["species"] != "chinstrap"]
    elif kind in ("int", "float", "bool"):
        frame = FRAME.assign(
            species=Y.map({"gentoo": 10, "adelie": 9, "chinstrap": 100}).astype(kind.replace("bool", "int"))
        )
        if kind == "bool":
            frame["species"] = frame["species"] > 9
    if kind == "polars":
        frame = pl.from_pandas(FRAME)
    rows, y = frame[["bill", "sex"]], frame["species"]
    nominal = ["species"] if kind in ("int", "float") else []
    by_values, by_name = TREE().fit(rows, y), TREE().fit(frame, "species")
    by_table = TREE().fit(hornbeam.read(frame, target="species", nominal=nominal))
    names = by_values.schema_.target_column.categories
    assert by_name.schema_.target_column.categories == by_table.schema_.target_column.categories == names
    assert by_values.classes_.tolist() == sorted(set(y.to_list()))
    for other in (by_name, by_table):
        assert np.array_equal(other.predict_proba(rows), by_values.predict_proba(rows))
        assert hornbeam.show.svg(other) == hornbeam.show.svg(by_values)
        assert hornbeam.show.text(other) == hornbeam.show.text(by_values)
    for fitted in (by_values, by_name, by_table):  # each works with the rows of the others
        assert fitted.score(hornbeam.read(frame, target="species", nominal=nominal)) == 1.0
        assert hornbeam.evaluate.score_estimator(fitted, rows, y).accuracy == 1.0
        assert hornbeam.evaluate.score_estimator(fitted, frame).accuracy == 1.0


def test_files_keep_the_order_of_their_classes(tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    assert classes(hornbeam.read(tmp_path / "a.csv", target="species")) == ("gentoo", "adelie", "chinstrap")
    assert classes(hornbeam.read("iris")) == ("Iris-setosa", "Iris-versicolor", "Iris-virginica")
    declared = hornbeam.read(tmp_path / "a.csv", target="species")
    assert classes(hornbeam.read(declared.to_arrow(), target="species")) == ("gentoo", "adelie", "chinstrap")
    ordered = FRAME.assign(species=pd.Categorical(KINDS, ["gentoo", "chinstrap", "adelie"], ordered=True))
    assert classes(hornbeam.read(ordered, target="species")) == ("gentoo", "chinstrap", "adelie")


def classes(table: hornbeam.Table) -> tuple[str, ...]:
    column = table.schema.target_column
    assert isinstance(column, Nominal)
    return column.categories


def test_the_estimator_says_whether_numbers_are_classes() -> None:
    y = pd.Series(np.arange(36) % 3, name="grade")
    assert isinstance(as_table(X, y, like=TREE()).schema.target_column, Nominal)
    assert isinstance(as_table(X, y, like=hornbeam.CartRegressor()).schema.target_column, Numeric)
    assert isinstance(as_table(X, y).schema.target_column, Numeric)
    assert cross_validate(TREE(), X, y, folds=3).score.categories == ("0", "1", "2")
    assert cross_validate(hornbeam.CartRegressor(), X, y, folds=3).score.n_rows == 36
    assert compare([TREE(), hornbeam.OneRClassifier()], X, y, folds=3).methods == ("C45Classifier", "OneRClassifier")
    texts = as_table(X, pd.Series(["1", "2"] * 18), like=hornbeam.CartRegressor())
    assert texts.target_values().tolist() == [1.0, 2.0] * 18


def test_a_model_says_what_its_columns_are() -> None:
    frame = FRAME.assign(code=[7, 8, 9] * 12)
    model = TREE().fit(hornbeam.read(frame, target="species", nominal=["code"], ignore=["bill"])).model_
    assert model.predict(frame).tolist() == KINDS  # the codes are numbers in the frame, and categories in the model
    table = as_table(frame.iloc[:1], like=model)
    assert table.schema.target_column == model.schema.target_column  # with classes that the rows do not have
    assert as_table(X.to_numpy(), like=TREE().fit(X, Y)).schema.names == ("bill", "sex")
    with pytest.raises(ValueError, match=re.escape("an array of shape (36, 1) was given; expected rows x 2 features")):
        as_table(X[["bill"]].to_numpy(), like=TREE().fit(X, Y))


def test_positions_of_arguments() -> None:
    expected = cross_validate(TREE(), hornbeam.read(FRAME, target="species"), 3).predictions.tolist()
    calls = [
        cross_validate(TREE(), X, Y, 3),
        cross_validate(TREE(), X, Y.to_numpy(), folds=3),
        cross_validate(TREE(), X, list(Y), folds=3),
        cross_validate(TREE(), FRAME, "species", 3),
        cross_validate(TREE(), FRAME, 3, target="species"),
        cross_validate(TREE(), table=X, y=Y, folds=3),
        cross_validate(TREE().fit(FRAME, "sex"), X, Y, 3),  # an earlier target does not matter
    ]
    assert [found.predictions.tolist() for found in calls] == [expected] * len(calls)
    assert tune(TREE(), X, Y, {"min_samples_leaf": (2, 3)}, folds=3).chosen.setting["min_samples_leaf"] in (2, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_validate(TREE(), FRAME), "as in cross_validate(estimator, data, target='species'), or give its"),
        (lambda: cross_validate(TREE(), X, Y[:5]), "y has 5 values for 36 rows; expected one per row"),
        (lambda: cross_validate(TREE(), FRAME, "kind"), "no column is called 'kind'"),
        (lambda: compare(hornbeam.read("iris"), {"a": TREE()}), "expected estimators first, then the data"),
        (lambda: as_table(X, np.zeros((36, 2))), "y has the shape (36, 2); expected one value per row"),
        (lambda: TREE().fit(FRAME, "kind"), "no column is called 'kind'; the columns are 'bill', 'sex', 'species'"),
    ],
)  # fmt: skip
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError, SchemaError), match=re.escape(message)):
        call()


def test_methods_of_a_list_have_different_names() -> None:
    found = compare([TREE(), TREE(confidence=0.1), TREE()], X, Y, folds=2)
    assert found.methods == ("C45Classifier()", "C45Classifier(confidence=0.1)", "C45Classifier()_")


def test_score_takes_labels_beside_a_frame() -> None:
    fitted = TREE().fit(X, Y)
    assert score(fitted.predict(X), X, Y).accuracy == 1.0
    assert score(fitted.predict(X)[::-1], FRAME, target="species").accuracy < 1.0
    assert codes_of(["b", "z", "a"], Nominal("c", ("a", "b"))).tolist() == [1, -1, 0]


def test_saved_and_loaded_models_give_labels(tmp_path: Path) -> None:
    for y in (Y, Y.map({"gentoo": 5, "adelie": 3, "chinstrap": 4}), Y == "adelie", Y.map(len).astype(float)):
        fitted = TREE().fit(X, y)
        hornbeam.save(fitted, tmp_path / "m.hornbeam")
        loaded = hornbeam.load(tmp_path / "m.hornbeam")
        assert loaded.predict(X).tolist() == fitted.predict(X).tolist() == y.tolist()
        assert loaded.predict(hornbeam.read(FRAME)).tolist() == y.tolist()
    costs = {True: {False: 9}, False: {True: 1}}
    assert TREE(costs=costs).fit(X, Y == "adelie").cost_matrix_.tolist() == [[0, 1], [9, 0]]
