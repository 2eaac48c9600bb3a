"""`SVMClassifier`: mixed tables, invariants, chances, sparse rows, planes, files, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC, LinearSVC

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from pathlib import Path


def drawn(n: int = 200, classes: int = 2, seed: int = 0) -> tuple[Any, Any]:
    x, y = make_classification(
        n, 6, n_informative=5, n_redundant=0, n_classes=classes, n_clusters_per_class=1, flip_y=0.1, random_state=seed
    )
    return x, y


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial"])
def test_three_classes_are_answered_as_by_scikit_learn(kernel: str) -> None:
    x, y = drawn(300, 3)
    test, _ = drawn(2000, 3, seed=1)
    ours = SVMClassifier(kernel=kernel, gamma=0.1, scale=None, tol=1e-6).fit(x, y)
    theirs = SVC(kernel={"polynomial": "poly"}.get(kernel, kernel), gamma=0.1, coef0=1.0, tol=1e-6).fit(x, y)
    both = np.mean(ours.predict(test) == theirs.predict(test))
    assert both >= 0.999
    assert sorted(ours.support_.tolist()) == sorted(theirs.support_.tolist())


@given(seed=st.integers(0, 500), kernel=st.sampled_from(["linear", "rbf"]))
@settings(max_examples=15, deadline=None)
def test_a_row_twice_is_a_row_of_weight_two(seed: int, kernel: str) -> None:
    x, y = drawn(60, 3, seed)
    times = np.random.default_rng(seed).integers(0, 3, len(x))
    if len(np.unique(y[times > 0])) < 3:
        return
    one = SVMClassifier(kernel=kernel, tol=1e-9).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    other = SVMClassifier(kernel=kernel, tol=1e-9).fit(x, y, sample_weight=times)
    np.testing.assert_allclose(one.decision_function(x), other.decision_function(x), atol=1e-5)


@given(seed=st.integers(0, 500), factor=st.sampled_from([0.1, 3.0]))
@settings(max_examples=10, deadline=None)
def test_weights_multiply_the_bound(seed: int, factor: float) -> None:
    x, y = drawn(80, 2, seed)
    one = SVMClassifier(C=factor, tol=1e-9).fit(x, y)
    other = SVMClassifier(C=1.0, tol=1e-9).fit(x, y, sample_weight=np.full(len(x), factor))
    np.testing.assert_allclose(one.decision_function(x), other.decision_function(x), atol=1e-5)


@given(seed=st.integers(0, 500), kernel=st.sampled_from(["linear", "rbf", "polynomial"]))
@settings(max_examples=15, deadline=None)
def test_classes_swapped_turn_the_sign(seed: int, kernel: str) -> None:
    x, y = drawn(80, 2, seed)
    one = SVMClassifier(kernel=kernel, tol=1e-8).fit(x, y)
    other = SVMClassifier(kernel=kernel, tol=1e-8).fit(x, 1 - y)
    np.testing.assert_allclose(one.decision_function(x), -other.decision_function(x), atol=1e-5)


@given(seed=st.integers(0, 500), factor=st.sampled_from([0.125, 3.0, 8.0]), degree=st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_kernel_values_times_a_number_are_a_bound_times_it(seed: int, factor: float, degree: int) -> None:
    """Rows of another size, and C divided by what that makes of kernel values: coefficients are, answers stay."""
    x, y = drawn(80, 2, seed)
    kernel: Any = {"kernel": "polynomial", "degree": degree, "coef0": 0.0, "gamma": 0.25, "scale": None, "tol": 1e-8}
    times = factor ** (2 * degree)
    one = SVMClassifier(**kernel, C=1.0).fit(x, y)
    other = SVMClassifier(**kernel, C=1.0 / times).fit(factor * x, y)
    np.testing.assert_allclose(one.decision_function(x), other.decision_function(factor * x), atol=1e-4)
    free = np.abs(one.solutions_[0].coefficients) < 0.999
    np.testing.assert_allclose(
        one.solutions_[0].coefficients[~free], times * other.solutions_[0].coefficients[~free], rtol=1e-6
    )


def test_columns_scaled_by_hand_need_no_scale() -> None:
    x, y = drawn()
    low, high = x.min(axis=0), x.max(axis=0)
    scaled = (x - low) / (high - low)
    one = SVMClassifier(tol=1e-8).fit(x, y).decision_function(x)
    np.testing.assert_allclose(
        one, SVMClassifier(scale=None, tol=1e-8).fit(scaled, y).decision_function(scaled), atol=1e-5
    )


def test_a_table_of_numbers_and_categories_with_gaps() -> None:
    table = hornbeam.read("labor")
    svm = SVMClassifier(kernel="linear").fit(table)
    assert svm.score(table) > 0.9
    said = hornbeam.show.text(svm)
    assert "wage-increase-first-year" in said
    intercept, terms = svm.model_.equation()
    by_hand = intercept + sum(term.coefficient * term.values(table) for term in terms)
    np.testing.assert_allclose(by_hand, svm.decision_function(table), atol=1e-6)


def test_two_categories_need_one_axis_and_constant_columns_none() -> None:
    two, three, target = Nominal("two", ("a", "b")), Nominal("three", ("a", "b", "c")), Nominal("y", ("n", "p"))
    schema = Schema((two, three, Numeric("same"), Numeric("x"), target), (*("feature",) * 4, "target"))  # type: ignore[arg-type]
    table = Table(schema, [[0, 1, -1, 0], [0, 1, 2, 1], [5.0, 5.0, 5.0, 5.0], [0.0, 10.0, np.nan, 5.0], [0, 1, 1, 0]])
    model = SVMClassifier(kernel="linear", C=10).fit(table).model_
    assert model.axes is not None
    np.testing.assert_allclose(
        model.axes.matrix(table), [[0, 1, 0, 0, 0], [1, 0, 1, 0, 1], [0, 0, 0, 1, 0.5], [0, 0, 1, 0, 0.5]]
    )


def test_chances_are_near_the_shares_and_add_up() -> None:
    x, y = drawn(600, 3)
    svm = SVMClassifier(probability=True, random_state=0).fit(x[:300], y[:300])
    shares = svm.predict_proba(x[300:])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares > 0).all()
    truth = np.eye(3)[y[300:]]
    assert np.mean((shares - truth) ** 2) < np.mean((1 / 3 - truth) ** 2) / 2
    assert np.array_equal(svm.predict(x[300:]), shares.argmax(axis=1))
    again = SVMClassifier(probability=True, random_state=0, n_jobs=2).fit(x[:300], y[:300])
    assert np.array_equal(again.predict_proba(x[300:]), shares)


def test_chances_of_pairs_are_coupled_so_that_the_truth_is_found() -> None:
    from hornbeam.model.svm.coupling import couple

    truth = np.array([[0.2, 0.5, 0.3], [0.7, 0.1, 0.2]])
    pairs = np.array([[0, 1], [0, 2], [1, 2]], np.int32)
    chances = np.column_stack([truth[:, j] / (truth[:, i] + truth[:, j]) for i, j in pairs])
    np.testing.assert_allclose(couple(chances, pairs, 3), truth, atol=1e-6)


def test_the_sigmoid_is_that_of_most_likelihood() -> None:
    from hornbeam.learn.svm.machines import fit_sigmoid

    random = np.random.default_rng(0)
    values = random.normal(size=20000)
    second = random.random(20000) < 1 / (1 + np.exp(-2.0 * values + 0.5))
    a, b = fit_sigmoid(values, second)
    assert (a, b) == (pytest.approx(-2.0, abs=0.1), pytest.approx(0.5, abs=0.1))


def test_a_sigmoid_of_values_that_are_all_alike() -> None:
    from hornbeam.learn.svm.machines import fit_sigmoid

    second = np.arange(10) < 4
    a, b = fit_sigmoid(np.full(10, 1e9), second)
    assert np.isfinite([a, b]).all()


@pytest.mark.parametrize("kernel", ["linear", "rbf", "polynomial", "sigmoid"])
def test_sparse_rows_are_answered_as_dense_ones(kernel: str) -> None:
    x, y = drawn(150, 3)
    x[np.random.default_rng(0).random(x.shape) < 0.5] = 0.0
    thin = SVMClassifier(kernel=kernel, gamma=0.1, tol=1e-6).fit(sparse.csr_array(x), y)
    dense = SVMClassifier(kernel=kernel, gamma=0.1, tol=1e-6, scale=None).fit(x, y)
    assert np.array_equal(thin.predict(x), thin.predict(sparse.csr_array(x)))
    if kernel == "sigmoid":  # not definite: there is more than one optimum
        assert np.mean(thin.predict(x) == dense.predict(x)) > 0.97
    else:
        np.testing.assert_allclose(thin.model_.decisions(x), dense.model_.decisions(x), atol=2e-5)


def test_given_kernel_values() -> None:
    x, y = drawn(120, 3)
    gram = x @ x.T
    given_values = SVMClassifier(kernel="precomputed", tol=1e-6).fit(gram, y)
    linear = SVMClassifier(kernel="linear", scale=None, tol=1e-6).fit(x, y)
    np.testing.assert_allclose(given_values.decision_function(gram[:50]), linear.decision_function(x[:50]), atol=1e-3)
    uneven = gram.copy()
    uneven[2, 7] += 0.1
    with pytest.raises(ValueError, match=r"row 3 with row 8 is .* expected them to be the same"):
        SVMClassifier(kernel="precomputed").fit(uneven, y)
    asked = gram[:5].copy()
    asked[3, given_values.support_[0]] = np.nan
    with pytest.raises(ValueError, match=f"row 4 with training row {given_values.support_[0] + 1} is nan"):
        given_values.predict(asked)
    gram[3, 4] = np.nan
    with pytest.raises(ValueError, match="row 4 with row 5 is nan"):
        SVMClassifier(kernel="precomputed").fit(gram, y)
    with pytest.raises(ValueError, match="expected a square matrix"):
        SVMClassifier(kernel="precomputed").fit(gram[:, :50], y)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("thin", [False, True])
def test_planes_are_those_of_scikit_learn(loss: str, thin: bool) -> None:
    x, y = drawn(300, 3)
    rows = sparse.csr_array(x) if thin else x
    ours = SVMClassifier(
        kernel="linear", solver="planes", loss=loss, scale=None, tol=1e-6, random_state=0, max_iter=100_000
    ).fit(rows, y)
    theirs = LinearSVC(loss=loss, tol=1e-6, random_state=0, dual=True, max_iter=100_000).fit(x, y)
    np.testing.assert_allclose(ours.decision_function(rows), theirs.decision_function(x), atol=1e-3)
    assert ours.model_.weights is not None
    many = SVMClassifier(kernel="linear", solver="planes", tol=1e-12, max_iter=2)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 passes"):
        many.fit(rows, y)


def test_a_warm_start_takes_fewer_steps() -> None:
    x, y = drawn(300)
    svm = SVMClassifier(warm_start=True, C=1.0).fit(x, y)
    first = int(svm.n_iter_.sum())
    svm.set_params(C=1.2).fit(x, y)
    assert svm.n_iter_.sum() < first
    assert svm.fit(x, y).n_iter_.sum() == 0  # at the optimum already
    cold = SVMClassifier(C=1.2).fit(x, y)
    np.testing.assert_allclose(svm.decision_function(x), cold.decision_function(x), atol=1e-2)


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({}, "dense"),
        ({"kernel": "linear", "products": 2}, "dense"),
        ({"probability": True, "random_state": 0}, "dense"),
        ({"kernel": "linear", "solver": "planes"}, "dense"),
        ({"kernel": "rbf"}, "sparse"),
        ({"kernel": "linear", "solver": "planes", "C": 0.01}, "sparse"),
        ({"kernel": "precomputed"}, "given"),
        ({"C": float("inf"), "kernel": "rbf", "gamma": 50.0}, "dense"),
    ],
)
def test_a_file_gives_the_same_model(options: dict[str, Any], kind: str, tmp_path: Path) -> None:
    x, y = drawn(90, 3)
    rows = {"dense": x, "sparse": sparse.csr_array(x), "given": x @ x.T}[kind]
    svm = SVMClassifier(**options).fit(rows, y)
    svm.save(tmp_path / "svm.hb")
    model = hornbeam.load(tmp_path / "svm.hb")
    assert model.same_as(svm.model_)
    other = SVMClassifier.from_model(model)
    other.classes_ = svm.classes_
    del other.feature_names_in_
    assert np.array_equal(other.predict(rows), svm.predict(rows))
    assert hornbeam.show.text(model) == hornbeam.show.text(svm)


def test_a_damaged_model_is_refused() -> None:
    from dataclasses import replace

    x, y = drawn(60)
    model = SVMClassifier().fit(x, y).model_
    for wrong in (
        {"runs": model.runs + 1000},
        {"coefficients": model.coefficients[:, 1:]},
        {"intercepts": np.array([np.nan])},
        {"limits": -model.limits},
        {"pairs": np.array([[0, 5]], np.int32)},
        {"kept": None},
    ):
        with pytest.raises(ModelError):
            replace(model, **wrong).validate()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"C": 0}, "C is 0"),
        ({"C": -1.0}, "C is -1.0"),
        ({"kernel": "cubic"}, "kernel is 'cubic'"),
        ({"gamma": -1.0}, "gamma is -1.0"),
        ({"gamma": "wide"}, "gamma is 'wide'"),
        ({"degree": 0}, "degree is 0"),
        ({"tol": 0}, "tol is 0"),
        ({"max_iter": -2}, "max_iter is -2"),
        ({"cache_size": -1}, "cache_size is -1"),
        ({"scale": "range"}, "scale is 'range'"),
        ({"products": 2}, "products=2 makes columns for the linear kernel"),
        ({"solver": "planes"}, "solver='planes' is for the linear kernel"),
        ({"loss": "log"}, "loss is 'log'"),
        ({"n_jobs": 0}, "n_jobs is 0"),
        ({"kernel": "linear", "products": 40}, "products of 40 columns"),
    ],
)
def test_wrong_parameters_are_refused(options: dict[str, Any], match: str) -> None:
    x, y = drawn(40)
    with pytest.raises(ValueError, match=match):
        SVMClassifier(**options).fit(x, y)


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="all rows have one class, '1'"):
        SVMClassifier().fit([[0.0], [1.0]], [1, 1])


def test_rows_that_are_all_the_same_have_no_plane() -> None:
    svm = SVMClassifier(kernel="linear").fit(np.ones((6, 2)), [0, 1, 0, 1, 1, 1])
    assert svm.predict([[1.0, 1.0], [7.0, 2.0]]).tolist() == [1, 1]


def test_a_class_without_rows_is_never_the_answer() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("none", "low", "high"))), ("feature", "target"))
    table = Table(schema, [[0.0, 1.0, 5.0, 6.0], [1, 1, 2, 2]])
    svm = SVMClassifier(kernel="linear", probability=True, random_state=0).fit(table)
    assert svm.predict(table).tolist() == ["low", "low", "high", "high"]
    assert (svm.predict_proba(table)[:, 0] == 0).all()


def test_a_row_gets_the_same_shares_whatever_rows_are_asked_about_with_it() -> None:
    table = hornbeam.read("glass")
    learned = hornbeam.SVMClassifier(probability=True).fit(table)
    together = learned.predict_proba(table)
    alone = np.vstack([learned.predict_proba(table.take([row])) for row in range(table.n_rows)])
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-14)
