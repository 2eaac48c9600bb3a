"""What a model answers over two columns; importance of columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from show.gallery import table
from show.pictures.test_svg import tooltips, words

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.show import decision_regions, importances
from hornbeam.show.charts.plane import held_value
from hornbeam.show.pictures.regions_svg import FADED, _plane, _Predictor

if TYPE_CHECKING:
    from collections.abc import Sequence

CLASSES, NUMBERS = table("", "class"), table("", "number")


def areas_and_answers(fitted: Any, rows: Table, columns: Sequence[str]) -> tuple[bool, int]:
    """Ask the model itself at random points of the plane; give whether areas are exact, and how many points differ."""
    asked = _Predictor(fitted, rows)
    plane = _plane(asked, rows, columns, {}, None)
    schema = rows.schema
    places = [schema.position(column) for column in columns]
    random = np.random.default_rng(5)
    count = 400
    points = [
        random.integers(0, len(schema.columns[place].categories), count).astype(float)
        if isinstance(schema.columns[place], Nominal)
        else random.uniform(*plane.limits[side], count)
        for side, place in enumerate(places)
    ]
    arrays: list[Any] = []
    for place in schema.features:
        values = points[places.index(place)] if place in places else np.full(count, held_value(schema, rows, place, {}))
        arrays.append(values.astype(np.int32) if isinstance(schema.columns[place], Nominal) else values)
    answers = fitted.model_.predict_codes(Table(schema.select(schema.features), arrays))
    found = np.full(count, np.nan)
    for (left, right), (low, high), answer in plane.areas:
        inside = (points[0] >= left) & (points[0] <= right) & (points[1] >= low) & (points[1] <= high)
        found[inside] = answer
    assert not np.isnan(found).any()  # the areas are the whole plane
    return plane.exact, int((~np.isclose(found, answers)).sum())


@pytest.mark.parametrize("columns", [("x", "z"), ("c", "x"), ("z", "c")])
@pytest.mark.parametrize("estimator", [hornbeam.C45Classifier(), hornbeam.ID3Classifier(), hornbeam.CartClassifier()])
def test_the_areas_of_a_tree_are_exact(estimator: Any, columns: Sequence[str]) -> None:
    assert areas_and_answers(estimator.fit(CLASSES), CLASSES, columns) == (True, 0)


@pytest.mark.parametrize("columns", [("x", "z"), ("c", "x")])
def test_so_are_those_of_a_tree_of_numbers(columns: Sequence[str]) -> None:
    fitted = hornbeam.CartRegressor(folds=0).fit(NUMBERS)
    assert areas_and_answers(fitted, NUMBERS, columns) == (True, 0)


def test_other_models_are_asked_on_a_grid() -> None:
    for fitted in (hornbeam.RandomForestClassifier(10, random_state=1), hornbeam.NeighborsClassifier(3)):
        exact, differing = areas_and_answers(fitted.fit(CLASSES), CLASSES, ("x", "z"))
        assert not exact
        assert differing < 40  # points between those asked about, near a border


def test_the_picture_says_at_what_others_are_held() -> None:
    tree = hornbeam.C45Classifier().fit(CLASSES)
    median = np.median(CLASSES.column("z"))
    held = f"at z = {median:.4g}; faded rows differ in that; exact areas of the tree"
    assert held in words(decision_regions(tree, CLASSES, ("x", "c")))
    given = decision_regions(tree, CLASSES, ("x", "z"), given={"c": "q"})
    assert "at c = q; faded rows differ in that; exact areas of the tree" in words(given)
    column = CLASSES.schema.columns[CLASSES.schema.position("c")]
    same = int((CLASSES.column("c") == column.categories.index("q")).sum())  # type: ignore[union-attr]
    assert given.count(f'opacity="{FADED}"') == CLASSES.n_rows - same
    iris = hornbeam.read("iris")
    two = hornbeam.C45Classifier().fit(iris)  # it uses no other column
    assert "faded" not in decision_regions(two, iris, ("petallength", "petalwidth"))
    forest = hornbeam.RandomForestClassifier(3, random_state=1).fit(CLASSES)
    assert any("computed on a grid" in told for told in words(decision_regions(forest, CLASSES, ("x", "z"))))


def test_areas_and_rows_say_what_they_are() -> None:
    tree = hornbeam.C45Classifier().fit(CLASSES)
    told = tooltips(decision_regions(tree, CLASSES, ("x", "z")))
    assert {"a", "b"} <= set(told)
    names = CLASSES.schema.target_column.categories
    for row in (0, 7):
        assert f"row {row + 1}: {names[CLASSES.target_values()[row]]}" in told


def test_many_classes_and_categories_have_room() -> None:
    count = 30
    schema = Schema(
        (Nominal("c", tuple(f"category {n}" for n in range(count))), Numeric("x"),
         Nominal("y", tuple(f"class {n}" for n in range(count)))), ("feature", "feature", "target"),
    )  # fmt: skip
    rows = Table(schema, [np.arange(count), np.linspace(0, 1, count), np.arange(count)])
    forest = hornbeam.RandomForestClassifier(5, random_state=1).fit(rows)
    for columns in (("c", "x"), ("x", "c")):
        drawn = words(decision_regions(forest, rows, columns))
        assert "23 other classes" in drawn
        assert 3 < sum(told.startswith("category") for told in drawn) < count


def test_estimators_of_other_libraries_are_asked() -> None:
    class Above:
        """Answers by name, from a matrix."""

        def predict(self, X: np.ndarray) -> np.ndarray:  # noqa: N803 - scikit-learn's
            return np.where(X[:, 0] > 0, "a", "d")

    rows = CLASSES.select(["x", "z", "y"])
    plane = _plane(_Predictor(Above(), rows), rows, (), {}, None)
    low, high = plane.limits[0]
    for (left, right), _, answer in plane.areas:
        assert answer == (0.0 if (left + right) / 2 > 0 else 2.0)
        assert abs(right) < 0.02 * (high - low) or right == high
    with pytest.raises(ValueError, match="predicts from numbers; the column 'c' has categories"):
        decision_regions(Above(), CLASSES, ("x", "z"))


def test_costs_are_heeded() -> None:
    """The areas are those of the estimator, which decides otherwise than its tree."""
    rows = CLASSES.take(CLASSES.target_values() < 2)
    plain = hornbeam.C45Classifier().fit(rows)
    careful = hornbeam.C45Classifier(decision_threshold=None).fit(rows)
    assert _Predictor(plain, rows).tree is not None
    careful.decision_threshold = 0.01
    assert _Predictor(careful, rows).tree is None


def test_what_cannot_be_drawn_is_refused() -> None:
    tree = hornbeam.C45Classifier().fit(CLASSES)
    for columns, told in [
        ((), "3 columns .*; name the two"),
        (("x", "x"), "1 columns"),
        (("x", "y"), "'y' is not a feature"),
    ]:
        with pytest.raises(ValueError, match=told):
            decision_regions(tree, CLASSES, columns)
    with pytest.raises(ValueError, match="column 'c' has no category 'no'"):
        decision_regions(tree, CLASSES, ("x", "z"), given={"c": "no"})
    with pytest.raises(TypeError, match="cannot predict with a dict"):
        decision_regions({}, CLASSES, ("x", "z"))


def test_importances_are_drawn_from_the_greatest() -> None:
    forest = hornbeam.RandomForestClassifier(5, random_state=1).fit(CLASSES)
    told = words(importances(forest))
    shares = forest.feature_importances_
    names = [CLASSES.schema.columns[place].name for place in np.argsort(-shares)]
    assert [word for word in told if word in names] == names
    assert f"{shares.max():.4g}" in told
    tree = hornbeam.CartClassifier(folds=0).fit(CLASSES)
    assert f"{tree.feature_importances_.max():.4g}" in words(importances(tree))
    assert "2 more columns, of less importance" in words(importances({"a": 1.0, "b": 3.0, "c": 2.0}, most=1))
    with pytest.raises(TypeError, match="no importance of columns is known for a Tree"):
        importances(tree.model_)
