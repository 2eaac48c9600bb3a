"""PMML files predict as the models they are made of, in JPMML-Evaluator and in PMML4S (pypmml)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from export.exported import is_refused, learned, quick_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from node_answers import other_rows
from strategies import fill_table, seeded_or_shrinking, trees

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.export import pmml
from hornbeam.export.judges import JUDGES
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

RUN = [judge.name for judge in JUDGES if judge.format == "pmml"]
LACKING = [missing for judge in JUDGES if judge.format == "pmml" and (missing := judge.missing())]
needs_java = pytest.mark.skipif(bool(LACKING), reason=f"{', '.join(LACKING)} is missing: exported PMML is not run")
NO_PMML = {"neighbors", "ib2", "ib3", "ib5"}
QUICK = ("labor", "glass", "servo")


def _agrees(path: Path, model: Any, rows: Table, **options: Any) -> str:
    text = pmml(model, **options)
    (path / "model.pmml").write_text(text, "utf-8")
    for runtime in RUN:
        found = check(path / "model.pmml", model, rows, runtime=runtime)
        assert found.is_equal, f"{runtime}: {found}"
    return text


@needs_java
@pytest.mark.parametrize(("scheme", "name"), quick_cases(QUICK))
def test_every_scheme_on_every_example_set(scheme: Any, name: str, tmp_path: Path) -> None:
    estimator = learned(scheme, name)
    if is_refused(scheme) or scheme.name in NO_PMML:
        with pytest.raises(TypeError, match="as PMML"):
            pmml(estimator)
        return
    _agrees(tmp_path, estimator, other_rows(hornbeam.read(name), 40, seed=5))


@needs_java
@settings(max_examples=60)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    """Every kind of split, surrogates, fractions, and rows that end at inner nodes."""
    target = random.choice(("nominal", "numeric"))
    model = data.draw(trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=target))
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3, 0.8)))
    _agrees(tmp_path_factory.mktemp("pmml"), model, rows)


HOSTILE = [
    'a"b',
    "it's",
    "<&>]]>",
    "x.y",
    "--><!--",
    "ü 漢字",
    "back\\slash",
    "%s ${x} &amp;",
    "hb_1",
    "a\nb\t",
    " a ",
    "",
]


@needs_java
def test_hostile_names_and_values(tmp_path: Path) -> None:
    names = [*HOSTILE[:-1], "prediction", "probability(it's)"]
    columns = (*map(Numeric, names), Nominal("kind", tuple(HOSTILE)), Nominal("y", (*HOSTILE[:4], "")))
    random = np.random.default_rng(0)
    n = 200
    values: list[Any] = [np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)) for _ in names]
    values += [random.integers(-1, len(HOSTILE), n).astype(np.int32)]
    values += [((values[0] > 0).astype(np.int32) + (values[-1] % 3 == 0)).astype(np.int32)]
    table = Table(Schema(columns, name="rows"), values).with_target("y")
    rows = other_rows(table, 100, seed=1)
    for estimator in (
        hornbeam.C45Classifier(min_samples_leaf=2),
        hornbeam.RandomForestClassifier(n_estimators=3, random_state=0),
        hornbeam.RipperClassifier(),
    ):
        _agrees(tmp_path, estimator.fit(table), rows)


@needs_java
def test_hostile_values_decide(tmp_path: Path) -> None:
    """Splits, sets and equations on such values, with rows that are divided."""
    random = np.random.default_rng(0)
    n = 600
    codes = random.integers(-1, len(HOSTILE), n).astype(np.int32)
    noise = random.integers(0, 2, n).astype(np.int32)
    schema = Schema((Nominal("kind", tuple(HOSTILE)), Nominal("z", ("p", "q")), Nominal("y", ("no", "yes", "maybe"))))
    table = Table(schema, [codes, noise, np.where(codes < 0, noise, codes % 3).astype(np.int32)]).with_target("y")
    for estimator in (hornbeam.C45Classifier(), hornbeam.CartClassifier(), hornbeam.TreeClassifier()):
        _agrees(tmp_path, estimator.fit(table), table.take(np.arange(200)))
    goal = np.where(codes < 0, 0.0, np.sqrt(codes + 1.0)) + noise
    schema = Schema((Nominal("kind", tuple(HOSTILE)), Nominal("z", ("p", "q")), Numeric("y")))
    table = Table(schema, [codes, noise, goal]).with_target("y")
    for estimator in (hornbeam.LinearRegressor(), hornbeam.M5Regressor()):
        _agrees(tmp_path, estimator.fit(table), table.take(np.arange(200)))


@needs_java
def test_leaves_in_single_precision(tmp_path: Path) -> None:
    """JPMML-Evaluator divides the probabilities of a leaf by their sum, which single precision keeps from being 1."""
    codes = np.repeat(np.arange(6), 50).astype(np.int32)
    schema = Schema((Nominal("x", tuple("abcdef")), Nominal("y", ("no", "yes"))))
    goal = (np.arange(300) % (codes + 2) == 0).astype(np.int32)
    table = Table(schema, [codes, goal]).with_target("y")
    forest = hornbeam.RandomForestClassifier(n_estimators=3, max_depth=2, random_state=0).fit(table)
    assert (forest.model_.value[forest.model_.first_child < 0].astype(np.float64).sum(axis=1) != 1).any()
    _agrees(tmp_path, forest, table.take(np.arange(0, 300, 7)))


@needs_java
def test_ten_thousand_categories(tmp_path: Path) -> None:
    names = tuple(f"category {i}" for i in range(10_000))
    random = np.random.default_rng(0)
    codes = random.integers(0, 10_000, 20_000).astype(np.int32)
    table = Table(Schema((Nominal("c", names), Nominal("y", ("a", "b"))), name="rows"), [codes, codes % 2])
    tree = hornbeam.CartClassifier(max_depth=3).fit(table.with_target("y"))
    _agrees(tmp_path, tree, table.take(np.arange(500)))


@needs_java
def test_costs_thresholds_and_clusters(tmp_path: Path) -> None:
    table = hornbeam.read("credit-g")
    rows = other_rows(table, 100, seed=2)
    costs = {"bad": {"good": 5}}
    for estimator in (hornbeam.C45Classifier, hornbeam.RipperClassifier, hornbeam.CartClassifier):
        _agrees(tmp_path, estimator(costs=costs).fit(table), rows)
        _agrees(tmp_path, estimator(decision_threshold=0.3).fit(table), rows)
    boosted = hornbeam.GradientBoostingClassifier(n_estimators=3, costs=costs).fit(table)
    _agrees(tmp_path, boosted, rows)
    for k in (2, 4):
        assert "<ClusteringModel" in _agrees(tmp_path, hornbeam.KMeans(k, random_state=0).fit(table), rows)


@needs_java
@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_support_vector_machines(kernel: str, tmp_path: Path) -> None:
    """Two classes with probabilities, several that vote, and numbers."""
    for estimator, name in (
        (hornbeam.SVMClassifier(kernel=kernel, probability=True, random_state=0), "labor"),
        (hornbeam.SVMClassifier(kernel=kernel), "glass"),
        (hornbeam.SVMRegressor(kernel=kernel), "servo"),
    ):
        table = hornbeam.read(name)
        text = _agrees(tmp_path, estimator.fit(table), other_rows(table, 40, seed=3))
        assert ("<SupportVectorMachineModel" in text) == (kernel != "linear")


@needs_java
def test_rows_without_any_value(tmp_path: Path) -> None:
    for estimator, name in (
        (hornbeam.KMeans(3, random_state=0), "labor"),
        (hornbeam.C45Classifier(), "labor"),
        (hornbeam.M5Regressor(), "servo"),
        (hornbeam.RandomForestClassifier(n_estimators=3, random_state=0), "labor"),
    ):
        table = hornbeam.read(name)
        empty = [
            np.full(3, -1, np.int32) if isinstance(c, Nominal) else np.full(3, np.nan) for c in table.schema.columns
        ]
        _agrees(tmp_path, estimator.fit(table), Table(Schema(table.schema.columns), empty))


def test_the_kind_of_model_is_chosen_by_what_it_is() -> None:
    """Other programs find a tree where there is one: TreeModel, RegressionModel, MiningModel."""
    expected = {
        "TreeModel": (hornbeam.C45Classifier(), hornbeam.CartClassifier(), hornbeam.RipperClassifier()),
        "MiningModel": (hornbeam.RandomForestClassifier(n_estimators=2), hornbeam.BaggingClassifier(n_estimators=2)),
    }
    for kind, estimators in expected.items():
        for estimator in estimators:
            assert re.search(rf"^<{kind}", pmml(estimator.fit(hornbeam.read("labor"))), re.MULTILINE)
    equation = pmml(hornbeam.LinearRegressor().fit(hornbeam.read("cpu")))
    assert re.search(r"^<RegressionModel.*<RegressionTable.*<NumericPredictor", equation, re.MULTILINE)
    surrogates = pmml(hornbeam.CartClassifier().fit(hornbeam.read("labor")))
    assert 'booleanOperator="surrogate"' in surrogates


def test_what_pmml_cannot_hold_is_said() -> None:
    machine = hornbeam.SVMClassifier(probability=True, random_state=0).fit(hornbeam.read("glass"))
    with pytest.raises(
        TypeError, match="as PMML: the probabilities of more than two classes are computed by iteration"
    ):
        pmml(machine)
    with pytest.raises(TypeError, match="the kernel 'sigmoid' as PMML"):
        pmml(hornbeam.SVMClassifier(kernel="sigmoid").fit(hornbeam.read("glass")))
    with pytest.raises(TypeError, match="as PMML: it compares each row with all kept rows"):
        pmml(hornbeam.NeighborsClassifier().fit(hornbeam.read("glass")))


def test_what_xml_cannot_hold_is_said() -> None:
    table = Table(Schema((Numeric("a\x01"), Nominal("y", ("b", "c")))), [[1.0, 2.0] * 5, [0, 1] * 5])
    with pytest.raises(ValueError, match=r"'a\\x01' has the character U\+0001, which XML does not allow"):
        pmml(hornbeam.C45Classifier().fit(table.with_target("y")))
