"""Support vector machines as text, explanations and pictures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import hornbeam
from hornbeam.model.base.plain import ModelError

IRIS = hornbeam.read("iris")


def test_text_tells_margins_planes_and_support_vectors() -> None:
    svm = hornbeam.SVMClassifier(kernel="linear").fit(IRIS)
    said = hornbeam.show.text(svm)
    assert said.count("margin ") == 3
    for machine in range(3):
        count, bound = len(svm.model_.support(machine)), len(svm.model_.at_bound(machine))
        assert f"{count} support vectors, {bound} of them at the bound" in said
    assert "Iris-virginica where 0 < " in said
    assert "alpha 1* Iris-setosa: sepallength 5.1" in said
    with pytest.raises(ValueError, match="a support vector machine can be printed in these styles"):
        hornbeam.show.text(svm, style="weka")


def test_explanation_adds_up() -> None:
    svm = hornbeam.SVMClassifier(kernel="linear").fit(IRIS.take(np.arange(100)))
    lines = hornbeam.show.explain(svm, IRIS, 60).splitlines()
    value = float(svm.model_.decisions(IRIS.take([60]))[0, 0])
    assert sum(float(line.split()[0]) for line in lines[2:-1]) == pytest.approx(value, abs=2e-3)
    assert lines[-1] == "so class = Iris-versicolor"
    curved = hornbeam.SVMClassifier().fit(IRIS)
    assert "support vector" in hornbeam.show.explain(curved, IRIS, 60)


def test_sparse_rows_and_planes_tell_their_heaviest_columns() -> None:
    x = np.column_stack(list(IRIS.columns[:4]))
    y = IRIS.target_values()
    thin = hornbeam.SVMClassifier(kernel="linear").fit(sparse.csr_array(x), y)
    assert "x3" in hornbeam.show.text(thin)
    planes = hornbeam.SVMClassifier(kernel="linear", solver="planes").fit(IRIS)
    assert "Iris-setosa or another" in hornbeam.show.text(planes)
    assert "so class" in hornbeam.show.explain(planes, IRIS, 0)
    with pytest.raises(ModelError, match="not an equation with names"):
        thin.model_.equation()
    with pytest.raises(ModelError, match="no plane"):
        _ = hornbeam.SVMClassifier().fit(IRIS).model_.planes


def test_names_are_made_harmless() -> None:
    from hornbeam.data.schema import Nominal, Numeric, Schema
    from hornbeam.data.table import Table

    schema = Schema((Numeric("a\x1b[31m"), Nominal("y\n", ("p\x07", "q"))), ("feature", "target"))
    svm = hornbeam.SVMClassifier(kernel="linear").fit(Table(schema, [[0.0, 1.0], [0, 1]]))
    said = hornbeam.show.text(svm) + hornbeam.show.explain(svm, svm.model_.kept, 0)
    assert "\x1b" not in said
    assert "\x07" not in said


def test_the_margin_is_drawn_with_its_support_vectors() -> None:
    pytest.importorskip("matplotlib")
    svm = hornbeam.SVMClassifier(kernel="linear").fit(IRIS)
    axes = hornbeam.show.plot.margin(svm, ["petallength", "petalwidth"], IRIS, machine=2)
    ringed = [each for each in axes.collections if each.get_label() == "support vectors"]
    assert len(ringed[0].get_offsets()) == len(svm.model_.support(2))
    cpu = hornbeam.read("cpu")
    assert hornbeam.show.plot.margin(hornbeam.SVMRegressor(C=100.0).fit(cpu), ["MMAX", "CACH"]).get_xlabel() == "MMAX"
    with pytest.raises(ModelError, match="two numeric features"):
        hornbeam.show.plot.margin(svm, ["petallength"])
    with pytest.raises(TypeError, match="support vector machine"):
        hornbeam.show.plot.margin(hornbeam.C45Classifier().fit(IRIS))
