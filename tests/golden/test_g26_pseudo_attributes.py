"""G26 and G31: products of columns, and the kernel that stands for them; support vectors alone make the margin."""

from __future__ import annotations

import numpy as np
import pytest

import hornbeam
from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.model.svm.kernel import Kernel
from hornbeam.model.svm.products import count_products, exponents, products


def test_ten_columns_and_five_factors_have_2002_coefficients() -> None:
    assert count_products(10, 5) == 2002
    assert len(exponents(10, 5)) == 2002
    assert (exponents(10, 5).sum(axis=1) == 5).all()


def test_two_columns_and_three_factors_have_four_terms() -> None:
    assert exponents(2, 3).tolist() == [[3, 0], [2, 1], [1, 2], [0, 3]]


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_power_of_a_product_is_the_product_of_powers(n: int) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(size=(20, 4)), random.normal(size=(15, 4))
    kernel = Kernel("polynomial", degree=n, gamma=1.0, coef0=0.0)
    np.testing.assert_allclose(products(a, n) @ products(b, n).T, kernel.values(a, b), atol=1e-6 * 4**n)


def test_products_and_the_kernel_give_the_same_answer() -> None:
    table = hornbeam.read("iris")
    explicit = SVMClassifier(kernel="linear", products=3, tol=1e-7).fit(table)
    trick = SVMClassifier(kernel="polynomial", degree=3, coef0=0.0, tol=1e-7).fit(table)
    np.testing.assert_allclose(explicit.model_.decisions(table), trick.model_.decisions(table), atol=1e-4)


@pytest.mark.parametrize("price", [1.0, 10.0])
def test_support_vectors_alone_make_the_same_plane(price: float) -> None:
    table = hornbeam.read("iris")
    two = table.take(np.flatnonzero(table.target_values() != 0))
    whole = SVMClassifier(C=price, kernel="linear", tol=1e-10, scale=None).fit(two)
    fewer = SVMClassifier(C=price, kernel="linear", tol=1e-10, scale=None).fit(two.take(whole.support_))
    assert len(whole.support_) < two.n_rows
    np.testing.assert_allclose(fewer.model_.planes, whole.model_.planes, atol=1e-6)
    np.testing.assert_allclose(fewer.model_.intercepts, whole.model_.intercepts, atol=1e-6)


def test_a_hard_margin_is_made_by_the_rows_nearest_to_it() -> None:
    table = hornbeam.read("iris")
    two = table.take(np.flatnonzero(table.target_values() != 2))
    hard = SVMClassifier(C=np.inf, kernel="linear", tol=1e-10, scale=None).fit(two)
    said = hard.model_.decisions(two)[:, 0] * np.where(two.target_values() == 1, 1, -1)
    assert said.min() == pytest.approx(1.0, abs=1e-5)
    np.testing.assert_allclose(said[hard.support_], 1.0, atol=1e-5)
    away = np.setdiff1d(np.arange(two.n_rows), hard.support_)[::2]
    fewer = SVMClassifier(C=np.inf, kernel="linear", tol=1e-10, scale=None).fit(
        two.take(np.setdiff1d(np.arange(two.n_rows), away))
    )
    np.testing.assert_allclose(fewer.model_.planes, hard.model_.planes, atol=1e-6)
    assert hard.model_.margin_width() == pytest.approx(2 / np.linalg.norm(hard.model_.planes))
