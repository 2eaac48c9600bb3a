"""Graphs predict as the models they are made of, in ONNX Runtime and in the reference evaluator."""

from __future__ import annotations

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
from hornbeam.export import onnx
from hornbeam.export.judges.check import check

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")
JUDGES = ("onnxruntime", "onnx")
QUICK = ("labor", "glass", "servo")
KEEPS_ROWS = {"neighbors", "ib2", "ib3", "ib5", "svm"}


def _agrees(path: Path, model: Any, rows: Table) -> None:
    (path / "model.onnx").write_bytes(onnx(model))
    for judge in JUDGES:
        found = check(path / "model.onnx", model, rows, judge)
        assert found.is_equal, f"{judge}: {found}"


@pytest.mark.parametrize(("scheme", "name"), quick_cases(QUICK))
def test_every_scheme_on_every_example_set(scheme: Any, name: str, tmp_path: Path) -> None:
    estimator = learned(scheme, name)
    if is_refused(scheme) or scheme.name in KEEPS_ROWS:
        with pytest.raises(TypeError, match="as ONNX"):
            onnx(estimator)
        return
    _agrees(tmp_path, estimator, other_rows(hornbeam.read(name), 60, seed=5))


@settings(max_examples=25)
@given(data=st.data(), random=seeded_or_shrinking())
def test_drawn_trees(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, random: Any) -> None:
    """Every kind of split, surrogates, fractions, and rows that end at inner nodes."""
    target = random.choice(("nominal", "numeric"))
    model = data.draw(trees(surrogates=random.random() < 0.5, sums=random.random() < 0.5, target=target))
    rows = fill_table(random, model.schema, 20, random.choice((0.0, 0.3, 0.8)))
    _agrees(tmp_path_factory.mktemp("onnx"), model, rows)


HOSTILE = ['a"b', "it's", "int", "x.y", "*/ #error", "ü 漢字", "back\\slash", "%s ??/ \\n", "hb_0", "a\nb", ""]


def test_hostile_names_and_values(tmp_path: Path) -> None:
    columns = (*map(Numeric, HOSTILE[:-1]), Nominal("kind", tuple(HOSTILE)), Nominal("y", (*HOSTILE[:3], "")))
    random = np.random.default_rng(0)
    n = 200
    values: list[Any] = [np.where(random.random(n) < 0.1, np.nan, random.normal(size=n)) for _ in HOSTILE[:-1]]
    values += [random.integers(-1, len(HOSTILE), n).astype(np.int32)]
    values += [((values[0] > 0).astype(np.int32) + (values[-1] % 3 == 0)).astype(np.int32)]
    table = Table(Schema(columns, name="rows"), values).with_target("y")
    for estimator in (hornbeam.C45Classifier(), hornbeam.RandomForestClassifier(n_estimators=3, random_state=0)):
        _agrees(tmp_path, estimator.fit(table), other_rows(table, 100, seed=1))


def test_ten_thousand_categories(tmp_path: Path) -> None:
    names = tuple(f"category {i}" for i in range(10_000))
    random = np.random.default_rng(0)
    codes = random.integers(0, 10_000, 20_000).astype(np.int32)
    table = Table(Schema((Nominal("c", names), Nominal("y", ("a", "b"))), name="rows"), [codes, codes % 2])
    for estimator in (hornbeam.CartClassifier(max_depth=3), hornbeam.GradientBoostingClassifier(n_estimators=3)):
        _agrees(tmp_path, estimator.fit(table.with_target("y")), table.take(np.arange(500)))


def test_costs_thresholds_and_clusters(tmp_path: Path) -> None:
    table = hornbeam.read("credit-g")
    rows = other_rows(table, 100, seed=2)
    _agrees(tmp_path, hornbeam.C45Classifier(costs={"bad": {"good": 5}}).fit(table), rows)
    _agrees(tmp_path, hornbeam.C45Classifier(decision_threshold=0.3).fit(table), rows)
    _agrees(tmp_path, hornbeam.SVMClassifier(kernel="linear", probability=True, random_state=0).fit(table), rows)
    with pytest.raises(TypeError, match="unless its kernel is linear; use C"):
        onnx(hornbeam.SVMClassifier(probability=True, random_state=0).fit(table))
    _agrees(tmp_path, hornbeam.KMeans(3, random_state=0).fit(table), rows)


def test_large_trees(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    table = Table(Schema((Numeric("x"), Numeric("y")), name="rows"), [random.random(2000), random.random(2000)])
    deep = hornbeam.RandomForestRegressor(n_estimators=2, random_state=0).fit(table.with_target("y"))
    assert deep.model_.tree(0).n_leaves > 64
    _agrees(tmp_path, deep, table.take(np.arange(100)))
