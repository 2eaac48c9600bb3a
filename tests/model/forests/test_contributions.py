"""Contributions along the paths add up to the prediction, for any tree, forest and ensemble of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from drawn_forests import forests
from hypothesis import given
from hypothesis import strategies as st
from strategies import Random, fill_table, randoms, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.plain import ModelError
from hornbeam.model.forests import contributions as module
from hornbeam.model.forests.contributions import contributions
from hornbeam.model.forests.ensemble import Ensemble

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest
    from hornbeam.model.trees.tree import Tree

SHOULD_BE = {"rtol": 1e-9, "atol": 1e-6}


@given(
    st.tuples(st.booleans(), st.sampled_from(["nominal", "numeric"])).flatmap(
        lambda drawn: trees(surrogates=True, sums=drawn[0], target=drawn[1])
    ),
    randoms(),
)
def test_steps_in_a_tree_add_up(tree: Tree, random: Random) -> None:
    table = fill_table(random, tree.schema, random.choice((0, 1, 12)), random.choice((0.0, 0.4)))
    found = contributions(tree, table)
    assert found.values.shape == (table.n_rows, len(tree.schema.features), len(found.outputs))
    if tree.task == "classification":
        np.testing.assert_allclose(found.prediction, tree.predict_proba(table), **SHOULD_BE)
        assert found.outputs == tree.schema.target_column.categories
    else:
        np.testing.assert_allclose(found.prediction[:, 0], tree.predict(table), **SHOULD_BE)


@given(forests(), randoms())
def test_steps_in_a_forest_add_up(forest: Forest, random: Random) -> None:
    table = fill_table(random, forest.schema, random.choice((0, 1, 12)), random.choice((0.0, 0.4)))
    found = contributions(forest, table)
    np.testing.assert_allclose(found.prediction, forest.scores(table), rtol=1e-6, atol=1e-6)
    asked = set(forest.feature[forest.feature >= 0].tolist())
    for number in range(len(found.names)):
        assert number in asked or not found.values[:, number].any()


@pytest.mark.parametrize("name", ["vote", "labor", "glass", "auto-mpg"])
def test_steps_in_what_was_learned_add_up(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK_ROWS", 100)  # several blocks
    table = hornbeam.read(name)
    if isinstance(table.schema.target_column, Nominal):
        models = [
            hornbeam.C45Classifier(prune=None, leaf="laplace").fit(table),
            hornbeam.CartClassifier(folds=0).fit(table),
            hornbeam.BaggingClassifier(max_features=0.5, random_state=0).fit(table),
            hornbeam.RandomForestClassifier(n_estimators=5, random_state=0).fit(table),
        ]
    else:
        models = [
            hornbeam.TreeRegressor(max_depth=4).fit(table),
            hornbeam.BaggingRegressor(random_state=0).fit(table),
            hornbeam.RandomForestRegressor(n_estimators=5, random_state=0).fit(table),
        ]
    for model in models:
        found = contributions(model, table)
        if hasattr(model, "predict_proba"):
            np.testing.assert_allclose(found.prediction, model.predict_proba(table), atol=1e-6)
        else:
            np.testing.assert_allclose(found.prediction[:, 0], model.predict(table), rtol=1e-6)
        assert not np.isnan(found.values).any()


def by_hand() -> tuple[Tree, Table]:
    """a is asked at the root; where a is small, b is."""
    schema = Schema((Numeric("a"), Numeric("b"), Numeric("y")), ("feature", "feature", "target"), "rows")
    a, b = [0.0, 0.0, 0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 0.0, 2.0, 2.0, 2.0]
    table = Table(schema, [np.array(a), np.array(b), np.array([1.0, 1.0, 1.0, 4.0, 10.0, 10.0])])
    return hornbeam.TreeRegressor().fit(table).model_, table


def test_figures_by_hand() -> None:
    tree, table = by_hand()
    found = contributions(tree, table)
    assert found.bias.tolist() == pytest.approx([4.5])
    assert tree.schema.names[int(tree.splits.column[tree.split[0]])] == "a"
    assert dict(found.of(0)) == pytest.approx({"a": 1.75 - 4.5, "b": 1.0 - 1.75})
    assert dict(found.of(3)) == pytest.approx({"a": 1.75 - 4.5, "b": 4.0 - 1.75})
    assert dict(found.of(4)) == pytest.approx({"a": 5.5})
    lines = found.text(4).splitlines()
    assert lines[0].split() == ["before", "any", "split", "+4.5"]
    assert lines[1].split() == ["a", "+5.5"]
    assert lines[2].split() == ["y", "10"]


def test_a_class_is_asked_for_by_name() -> None:
    iris = hornbeam.read("iris")
    found = contributions(hornbeam.C45Classifier().fit(iris), iris)
    assert found.of(0, "Iris-setosa") == found.of(0)
    assert found.of(0, 2) == found.of(0, "Iris-virginica")
    assert sum(amount for _, amount in found.of(0, 2)) == pytest.approx(-1 / 3)


def test_what_is_no_sum_along_paths_is_refused() -> None:
    cpu, iris = hornbeam.read("cpu"), hornbeam.read("iris")
    with pytest.raises(ModelError, match="equations"):
        contributions(hornbeam.M5Regressor().fit(cpu), cpu)
    with pytest.raises(TypeError, match="RuleList"):
        contributions(hornbeam.RipperClassifier().fit(iris), iris)
    bagged = hornbeam.BaggingClassifier(decide="vote", n_estimators=2, random_state=0).fit(iris)
    with pytest.raises(ModelError, match="votes"):
        contributions(bagged, iris)
    forest = hornbeam.RandomForestClassifier(n_estimators=2, random_state=0).fit(iris).model_
    together = Ensemble(iris.schema, (replace(forest, combine="sum"),), np.full(3, 1 / 3))
    with pytest.raises(ModelError, match="scores"):
        contributions(together, iris)


def test_contributions_show_themselves() -> None:
    """The `repr` listed all numbers of the arrays."""
    iris = hornbeam.read("iris")
    found = contributions(hornbeam.RandomForestClassifier(n_estimators=3, random_state=0).fit(iris), iris)
    lines = repr(found).splitlines()
    assert lines[0] == "Contributions: of 4 columns to the predictions of 3 classes, 150 rows"
    assert lines[1].split() == ["mean", "absolute", "contribution", *found.outputs]
    sizes = np.abs(found.values).mean(axis=0)
    order = np.argsort(-sizes.sum(axis=1))
    for line, i in zip(lines[2:], order, strict=True):
        assert line.split() == [found.names[i], *(f"{size:.4g}" for size in sizes[i])]
    assert "<pre" in found._repr_html_()
    one = found.text(output="Iris-setosa").splitlines()
    assert [len(line.split()) for line in one[1:]] == [2] * 4
    many = replace(found, outputs=("a", "b", "c", "d", "e", "f"), values=np.repeat(found.values, 2, axis=2))
    assert "sum over 6 classes" in many.text()
    none = contributions(hornbeam.C45Classifier().fit(iris), iris.take(np.arange(0)))
    assert none.text().splitlines()[1].split()[1:] == ["0", "0", "0"]
