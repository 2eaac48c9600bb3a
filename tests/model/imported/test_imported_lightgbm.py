"""Trees of LightGBM, read as ours: the same raw scores; what cannot be said is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model import from_lightgbm
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.lightgbm_trees import ZERO
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


QUIET = {"verbose": -1, "num_threads": 1, "num_leaves": 9, "min_data_in_leaf": 5, "seed": 1}


def leaf(value: float, weight: float = 1.0) -> dict[str, Any]:
    return {"leaf_value": value, "leaf_weight": weight, "leaf_count": int(weight)}


def dump_of(split: dict[str, Any] | None = None, **others: Any) -> dict[str, Any]:
    """What a booster of one tree with one split tells."""
    told = {
        "split_feature": 0,
        "split_gain": 1.0,
        "threshold": 0.5,
        "decision_type": "<=",
        "default_left": True,
        "missing_type": "None",
        "internal_count": 5,
        "left_child": leaf(1.0, 2.0),
        "right_child": leaf(2.0, 3.0),
    }
    structure = told | (split or {})
    return {"feature_names": ["a", "b"], "tree_info": [{"tree_structure": structure}], **others}


def first_tree(booster: Any, **names: Any) -> Tree:
    tree = from_lightgbm(booster, 0, **names)
    assert isinstance(tree, Tree)
    return tree


def answer(tree: Tree, value: float) -> float:
    return float(tree.predict_codes(np.array([[value, 0.0]]))[0])


def test_a_missing_value_is_zero_where_nothing_was_missing() -> None:
    assert answer(first_tree(dump_of({"threshold": 0.5})), np.nan) == 1.0
    assert answer(first_tree(dump_of({"threshold": 0.0, "default_left": False})), np.nan) == 1.0
    assert answer(first_tree(dump_of({"threshold": -0.5})), np.nan) == 2.0


@pytest.mark.parametrize("low", [True, False])
def test_a_missing_value_has_its_side(low: bool) -> None:
    tree = first_tree(dump_of({"missing_type": "NaN", "default_left": low}))
    assert answer(tree, np.nan) == (1.0 if low else 2.0)
    assert [answer(tree, value) for value in (0.5, np.nextafter(0.5, 1))] == [1.0, 2.0]


@pytest.mark.parametrize("low", [True, False])
@pytest.mark.parametrize("cut", [-2.0, -1.5 * ZERO, -ZERO, 0.0, ZERO / 3, ZERO, 1.5 * ZERO, 2.0])
def test_zero_as_missing(cut: float, low: bool) -> None:
    dump = dump_of({"missing_type": "Zero", "default_left": low, "threshold": cut})
    if (low and cut < -ZERO) or (not low and cut > ZERO):
        with pytest.raises(ModelError, match="'a': zero counts as missing"):
            first_tree(dump)
        return
    tree = first_tree(dump)
    steps = [value for place in (-2.0, -ZERO, 0.0, ZERO, 2.0, cut) for value in beside(place)]
    for value in [*steps, np.nan]:
        zero = bool(np.isnan(value)) or abs(value) <= ZERO
        assert answer(tree, value) == (1.0 if (low if zero else value <= cut) else 2.0)


def beside(place: float) -> tuple[float, ...]:
    return float(np.nextafter(place, -np.inf)), place, float(np.nextafter(place, np.inf))


def test_categories_by_code_and_by_name() -> None:
    split = {"decision_type": "==", "threshold": "3||7"}
    infos = {"a": {"values": [-1, 7, 0, 3]}}
    tree = first_tree(dump_of(split, feature_infos=infos))
    assert tree.schema.columns[0] == Nominal("a", ("0", "3", "7"))
    table = Table(Schema((Nominal("a", ("7", "0", "5")), Numeric("b"))), [[0, 1, -1], np.zeros(3)])
    assert tree.predict(table).tolist() == [1.0, 2.0, 2.0]
    named = first_tree(dump_of({"decision_type": "==", "threshold": "1"}, pandas_categorical=[["x", "y", 2.0, True]]))
    assert named.schema.columns[0] == Nominal("a", ("x", "y", "2", "true"))
    given = first_tree(dump_of({"decision_type": "==", "threshold": "0"}), categories={"a": ["x", "y"]})
    assert hornbeam.show.text(given).splitlines()[1].startswith("├─ a = x")
    assert hornbeam.show.text(given).splitlines()[2].startswith("└─ a != x")
    with pytest.raises(ModelError, match="its category 5, which has no name"):
        first_tree(dump_of({"decision_type": "==", "threshold": "0||5"}), categories={"a": ["x", "y"]})
    with pytest.raises(ModelError, match="categories were given for 'c'"):
        first_tree(dump_of(), categories={"c": ["x"]})
    with pytest.raises(ModelError, match="2 categorical pandas columns, and treats 1 as categories"):
        first_tree(dump_of(split, pandas_categorical=[["x"], ["y"]]))


def test_an_ordered_column_is_cut_between_its_categories() -> None:
    tree = first_tree(dump_of({"threshold": 1.5}), categories={"a": ["small", "medium", "large"]})
    assert tree.schema.columns[0] == Nominal("a", ("small", "medium", "large"), ordered=True)
    assert "a <= medium" in hornbeam.show.text(tree)
    assert tree.predict(Table(tree.schema.select([0, 1]), [[0, 1, 2, -1], np.zeros(4)])).tolist() == [
        1.0,
        1.0,
        2.0,
        1.0,
    ]


def test_an_endless_cut_parts_known_from_missing() -> None:
    tree = first_tree(dump_of({"threshold": 1e300, "missing_type": "NaN", "default_left": False}))
    assert [answer(tree, value) for value in (-1e299, 1e299, np.nan)] == [1.0, 1.0, 2.0]
    assert "a is known" in hornbeam.show.text(tree)


def test_values_of_inner_nodes_are_those_of_their_leaves() -> None:
    tree = first_tree(dump_of())
    assert tree.value[0].tolist() == pytest.approx([5.0, 1.6, 2 * 0.6**2 + 3 * 0.4**2])
    assert tree.value[1:].tolist() == [[2.0, 1.0, 0.0], [3.0, 2.0, 0.0]]
    assert tree.share.tolist() == [1.0, 0.4, 0.6]
    assert tree.rows.tolist() == [5, 2, 3]
    assert tree.splits.score.tolist() == [1.0]


def test_a_leaf_without_weight_answers_for_itself() -> None:
    tree = first_tree(dump_of({"left_child": {"leaf_value": 9.0}}))
    assert answer(tree, 0.0) == 9.0
    lone = dump_of()
    lone["tree_info"] = [{"tree_structure": {"leaf_value": 4.0}}]
    assert answer(first_tree(lone), 0.0) == 4.0


@pytest.mark.parametrize(
    ("thing", "number", "message"),
    [
        (3, 0, "found an object of type int"),
        ({}, 0, "has no 'tree_info'"),
        (dump_of(), 1, "no tree 1; the booster has 1 trees"),
        (dump_of(), -1, "no tree -1"),
        (dump_of(), "0", "expected a whole number"),
        (dump_of({"decision_type": "<"}), 0, "decides by '<'"),
        (dump_of({"missing_type": "?"}), 0, "missing values as '\\?'"),
        (dump_of({"left_child": {}}), 0, "not the result of a booster's dump_model"),
        (dump_of({"left_child": leaf(1.0) | {"leaf_coeff": [1.0]}}), 0, "linear models"),
        (dump_of(feature_infos=3), 0, "not the result of a booster's dump_model"),
    ],
)
def test_what_is_refused(thing: Any, number: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        from_lightgbm(thing, number)


def test_names_may_be_given() -> None:
    tree = first_tree(dump_of(), features=["age", "score"], name="people")
    assert tree.schema.names == ("age", "score", "score_")
    with pytest.raises(ModelError, match="1 names were given for 2 features"):
        first_tree(dump_of(), features=["age"])


# --- with the program itself ---


def numbers(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    matrix = random.normal(size=(400, 3))
    matrix[:, 2] = random.integers(-2, 3, 400)
    goal = matrix[:, 0] + (matrix[:, 2] > 0) * matrix[:, 1] + random.normal(size=400) * 0.1
    return matrix, goal


@pytest.mark.parametrize("missing", ["none", "nan"])
@pytest.mark.parametrize("objective", ["regression", "binary", "l1"])
def test_raw_scores_are_the_boosters(objective: str, missing: str) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    if objective == "binary":
        goal = (goal > 0).astype(float)
    if missing == "nan":
        matrix[np.random.default_rng(1).random(matrix.shape) < 0.2] = np.nan
    booster = lightgbm.train(QUIET | {"objective": objective}, lightgbm.Dataset(matrix, goal), 4)
    asked = np.vstack([matrix, np.full((1, 3), np.nan), np.zeros((1, 3)), [[np.nan, 0.0, 1.0]]])
    for number in range(4):
        tree = from_lightgbm(booster, number)
        cuts = [row for cut in tree.splits.cuts for row in np.repeat(beside(cut), 3).reshape(-1, 3)]
        for rows in (asked, np.array(cuts)):
            expected = booster.predict(rows, raw_score=True, start_iteration=number, num_iteration=1)
            assert np.array_equal(tree.predict_codes(rows), expected)
        assert from_lightgbm(booster.dump_model(), number).same_as(tree)
        assert tree.rows[0] == 400
    total = sum(from_lightgbm(booster, number).predict_codes(matrix) for number in range(4))
    assert total == pytest.approx(booster.predict(matrix, raw_score=True))


def test_zeros_as_missing_are_kept_or_refused() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    matrix[np.random.default_rng(2).random(matrix.shape) < 0.3] = 0.0
    booster = lightgbm.train(QUIET | {"zero_as_missing": True, "num_leaves": 3}, lightgbm.Dataset(matrix, goal), 12)
    read = refused = 0
    for number in range(12):
        try:
            tree = from_lightgbm(booster, number)
        except ModelError as error:
            assert "zero counts as missing" in str(error)  # noqa: PT017 - either outcome is right, for some tree each
            refused += 1
            continue
        read += 1
        expected = booster.predict(matrix, raw_score=True, start_iteration=number, num_iteration=1)
        assert np.array_equal(tree.predict_codes(matrix), expected)
    assert read
    assert refused


def test_several_classes_have_a_tree_each() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    truth = np.digitize(goal, [-0.5, 0.5])
    settings = QUIET | {"objective": "multiclass", "num_class": 3}
    booster = lightgbm.train(settings, lightgbm.Dataset(matrix, truth), 2)
    assert booster.num_trees() == 6
    for iteration in range(2):
        expected = booster.predict(matrix, raw_score=True, start_iteration=iteration, num_iteration=1)
        for place in range(3):
            tree = from_lightgbm(booster, iteration * 3 + place)
            assert np.array_equal(tree.predict_codes(matrix), expected[:, place])
    with pytest.raises(ModelError, match="no tree 6"):
        from_lightgbm(booster, 6)


def test_pandas_categories_by_name(tmp_path: Path) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    pandas = pytest.importorskip("pandas")
    matrix, goal = numbers()
    random = np.random.default_rng(3)
    color = random.choice(["red", "green", "blue", "gray", None], 400)
    frame = pandas.DataFrame(matrix, columns=["a", "b", "c"]).assign(color=pandas.Categorical(color))
    goal = goal + 3 * (frame["color"].isin(["red", "gray"])) + 5 * frame["color"].isna()
    settings = QUIET | {"min_data_per_group": 1, "cat_smooth": 0, "max_cat_to_onehot": 1}
    booster = lightgbm.LGBMRegressor(n_estimators=3, **settings).fit(frame, goal).booster_
    table = hornbeam.read(frame)
    shown = ""
    for number in range(3):
        tree = from_lightgbm(booster, number)
        expected = booster.predict(frame, raw_score=True, start_iteration=number, num_iteration=1)
        assert np.array_equal(tree.predict(table), expected)
        hornbeam.save(tree, tmp_path / "tree.hornbeam")
        loaded = hornbeam.load(tmp_path / "tree.hornbeam")
        assert np.array_equal(loaded.predict(table), expected)
        rules = rules_from_tree(tree)
        assert rules.predict(table) == pytest.approx(expected)
        shown += hornbeam.show.text(tree)
        assert hornbeam.export.json(tree)
    assert "color in {" in shown
    with pytest.warns(UserWarning, match="not seen in training"):
        strange = tree.predict(hornbeam.read(frame.assign(color="mauve")))
    new = frame.assign(color=pandas.Categorical(["mauve"] * 400))
    assert np.array_equal(strange, booster.predict(new, raw_score=True, start_iteration=2, num_iteration=1))


def test_categories_that_are_whole_numbers() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    matrix[:, 2] = np.random.default_rng(5).integers(0, 6, 400) * 2
    goal = goal + 3 * np.isin(matrix[:, 2], [2, 8])
    settings = QUIET | {"min_data_per_group": 1, "cat_smooth": 0, "max_cat_to_onehot": 1}
    booster = lightgbm.train(settings, lightgbm.Dataset(matrix, goal, categorical_feature=[2]), 3)
    for number in range(3):
        tree = from_lightgbm(booster, number)
        assert tree.schema.columns[2] == Nominal("Column_2", ("0", "2", "4", "6", "8", "10"))
        codes = np.where(np.isnan(matrix[:, 2]), -1, matrix[:, 2] / 2)
        table = Table(tree.schema.select([0, 1, 2]), [matrix[:, 0], matrix[:, 1], codes])
        expected = booster.predict(matrix, raw_score=True, start_iteration=number, num_iteration=1)
        assert np.array_equal(tree.predict(table), expected)


def test_the_wrapper_is_a_booster_too() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    model = lightgbm.LGBMClassifier(n_estimators=2, **QUIET).fit(matrix, goal > 0)
    expected = model.booster_.predict(matrix, raw_score=True, start_iteration=1, num_iteration=1)
    assert np.array_equal(from_lightgbm(model, 1).predict_codes(matrix), expected)


def test_linear_leaves_are_refused() -> None:
    lightgbm = pytest.importorskip("lightgbm")
    matrix, goal = numbers()
    booster = lightgbm.train(QUIET | {"linear_tree": True}, lightgbm.Dataset(matrix, goal), 2)
    with pytest.raises(ModelError, match="linear models"):
        from_lightgbm(booster, 1)
