"""What is refused before any learning: weights, numbers and categories that no sum or matrix can hold."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.data.weights import positive_weights
from hornbeam.learn.base.limits import LearnError, SmallWeightsWarning

RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(40, 2))
CLASSES = np.where(X[:, 0] + 0.3 * RANDOM.normal(size=40) > 0, "yes", "no")
NUMBERS = X[:, 0] * 2 + X[:, 1]
CLASSIFIERS = [
    hornbeam.C45Classifier(),
    hornbeam.CartClassifier(folds=0),
    hornbeam.PrismClassifier(),
    hornbeam.RipperClassifier(),
    hornbeam.NeighborsClassifier(),
    hornbeam.KStarClassifier(),
    hornbeam.SVMClassifier(probability=True),
    hornbeam.RandomForestClassifier(5),
    hornbeam.GradientBoostingClassifier(5),
]
BY_CLASS = [model for model in CLASSIFIERS if "class_weight" in model.get_params()]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_weights_whose_sum_is_not_finite_are_refused(model: Any) -> None:
    weights = np.ones(40)
    weights[7] = 1.7e308
    with pytest.raises(ValueError, match=r"row 8 has the weight 1\.7e\+308, and the weights add up to 1\.7e\+308"):
        model.fit(X, CLASSES, sample_weight=weights)
    with pytest.raises(ValueError, match=r"row 1 has the weight 1\.7e\+308, and the weights add up to inf"):
        model.fit(X, CLASSES, sample_weight=np.full(40, 1.7e308))
    with pytest.raises(ValueError, match=r"row 1 has the weight 1e-300.*multiply all weights by a constant"):
        model.fit(X, CLASSES, sample_weight=np.full(40, 1e-300))
    weights[7] = 1e-20
    with pytest.raises(ValueError, match=r"row 8 has the weight 1e-20, which is lost in the sum"):
        model.fit(X, CLASSES, sample_weight=weights)


@pytest.mark.parametrize("model", BY_CLASS, ids=lambda model: type(model).__name__)
def test_class_weights_count_in_the_sum(model: Any) -> None:
    with pytest.raises(ValueError, match=r"add up to .*weights of rows and of classes are multiplied"):
        model.__class__(**{**model.get_params(), "class_weight": {"yes": 1e308}}).fit(X, CLASSES)


@pytest.mark.parametrize("model", BY_CLASS, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"yse": 5}, "class_weight names the class 'yse'; the classes are 'no', 'yes'"),
        ({"yes": 2, "no": 1, "maybe": 1}, "names the class 'maybe'"),
        ({"yes": -1}, "class_weight of 'yes' is -1; expected a number of at least 0"),
        ({"yes": np.nan}, "class_weight of 'yes' is nan"),
        ({"yes": "much"}, "class_weight of 'yes' is 'much'"),
        ("x", "class_weight is 'x'; expected None, 'balanced' or"),
        (5, "class_weight is 5; expected None"),
        ([1, 2], r"class_weight is \[1, 2\]; expected None"),
    ],
)
def test_class_weights_are_checked(model: Any, wrong: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        model.__class__(**{**model.get_params(), "class_weight": wrong}).fit(X, CLASSES)


def test_class_weights_name_classes_as_they_are_or_as_texts() -> None:
    numbers = (CLASSES == "yes").astype(int)
    as_numbers = hornbeam.C45Classifier(class_weight={1: 3}).fit(X, numbers)
    as_texts = hornbeam.C45Classifier(class_weight={"1": 3}).fit(X, numbers)
    unweighted = hornbeam.C45Classifier().fit(X, numbers)
    assert np.array_equal(as_numbers.model_.value, as_texts.model_.value)
    assert as_numbers.model_.weight[0] == unweighted.model_.weight[0] + 2 * numbers.sum()


@pytest.mark.filterwarnings("ignore::hornbeam.learn.base.limits.SmallWeightsWarning")
@pytest.mark.parametrize("model", CLASSIFIERS, ids=lambda model: type(model).__name__)
def test_weights_at_the_limits_are_learned_from(model: Any) -> None:
    for weights in (np.full(40, 2.0**90), np.full(40, 2.0**-90)):
        if isinstance(model, hornbeam.SVMClassifier) and weights[0] > 1:
            continue  # weights multiply C
        shares = model.fit(X, CLASSES, sample_weight=weights).predict_proba(X)
        np.testing.assert_allclose(shares.sum(axis=1), 1, atol=1e-9)


def test_other_weights_are_refused_by_row() -> None:
    for wrong, words in (([1.0, -2.0], "row 2 has the weight -2.0"), ([np.nan, 1.0], "row 1 has the weight nan")):
        with pytest.raises(ValueError, match=words):
            positive_weights(np.array(wrong))
    assert positive_weights(np.zeros(2)).tolist() == [False, False]


def test_covering_ends_however_weights_are_rounded() -> None:
    for model in (hornbeam.PrismClassifier(), hornbeam.InductClassifier(), hornbeam.ExceptionRulesClassifier()):
        weights = np.resize([1e-6, 1e6, 0.1, 1 / 3], 40)
        fitted = model.fit(X, CLASSES, sample_weight=weights)
        assert (fitted.predict(X) == CLASSES).mean() > 0.5


def test_small_weights_are_covered_as_large_ones_are() -> None:
    """Before, what was left of a class counted as nothing below 1e-9."""
    large = hornbeam.PrismClassifier().fit(X, CLASSES, sample_weight=np.ones(40) * 2.0)
    small = hornbeam.PrismClassifier().fit(X, CLASSES, sample_weight=np.ones(40) * 2.0**-40)
    assert [rule.conditions for rule in small.model_.rules] == [rule.conditions for rule in large.model_.rules]


REGRESSORS = [
    hornbeam.CartRegressor(folds=0),
    hornbeam.LinearRegressor(),
    hornbeam.M5Regressor(),
    hornbeam.RandomForestRegressor(5),
    hornbeam.GradientBoostingRegressor(5),
    hornbeam.NeighborsRegressor(),
    hornbeam.SVMRegressor(),
]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("model", REGRESSORS, ids=lambda model: type(model).__name__)
def test_targets_and_features_out_of_range_are_refused_by_name(model: Any) -> None:
    with pytest.raises(LearnError, match=r"target 'target' reaches -?\d.*e\+30\d in row \d+: too large.*another unit"):
        model.fit(X, NUMBERS * 1e300)
    with pytest.raises(LearnError, match=r"target 'target' is at most .*e-3\d\d \(row \d+\): too small.*another unit"):
        model.fit(X, NUMBERS * 1e-320)
    large = X.copy()
    large[3, 1] = 1.7e308
    with pytest.raises(LearnError, match=r"column 'x1' reaches 1\.7e\+308 in row 4"):
        model.fit(large, NUMBERS)
    unused = np.ones(40)
    unused[3] = 0  # not learned from
    assert np.isfinite(model.fit(large, NUMBERS, sample_weight=unused).predict(X)).all()


def identified(rows: int, declared: int, *, numbers: bool) -> Table:
    """A table in which every row has a category of its own."""
    columns = (
        Nominal("id", tuple(f"c{i}" for i in range(declared))),
        Numeric("x"),
        Numeric("y") if numbers else Nominal("y", ("a", "b")),
    )
    random = np.random.default_rng(0)
    y = random.normal(size=rows) if numbers else random.integers(0, 2, rows)
    codes = np.arange(rows) * (declared // rows)
    return Table(Schema(columns, ("feature", "feature", "target")), [codes, random.normal(size=rows), y])


@pytest.mark.parametrize(
    "model",
    [
        hornbeam.LinearRegressor(),
        hornbeam.LinearRegressor(compat="weka"),
        hornbeam.PolynomialRegressor(),
        hornbeam.SVMRegressor(),
        hornbeam.LocallyWeightedRegressor(),
        hornbeam.SVMClassifier(),
    ],
    ids=str,
)
def test_a_category_per_row_is_refused_by_name(model: Any) -> None:
    table = identified(5000, 5000, numbers=not isinstance(model, hornbeam.SVMClassifier))
    with pytest.raises(LearnError, match=r"column 'id' has 5000 different categories in 5000 rows.*ignore the column"):
        model.fit(table)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_categories_that_do_not_occur_cost_nothing() -> None:
    few, many = identified(100, 100, numbers=True), identified(100, 300_000, numbers=True)
    for model in (hornbeam.KStarRegressor(), hornbeam.LocallyWeightedRegressor(), hornbeam.SVMRegressor()):
        expected = model.fit(few).predict(few)
        np.testing.assert_allclose(model.fit(many).predict(many), expected, rtol=1e-6, atol=1e-6)
    with pytest.raises(LearnError, match="column 'id' declares 300000 categories, of which 100 occur"):
        hornbeam.LinearRegressor().fit(many)
    assert len(hornbeam.OneRClassifier().fit(identified(100, 300_000, numbers=False)).model_.rules) == 100


def test_covariances_that_need_too_much_memory_are_refused() -> None:
    rows = np.random.default_rng(0).normal(size=(10, 5000))
    for form in ("full", "tied"):
        with pytest.raises(ValueError, match=r"covariances of 5000 columns in 1 components take about 0\.9 GiB"):
            hornbeam.MixtureModel(covariance_type=form).fit(rows)


def test_rows_too_far_to_count_are_left_out_of_local_models() -> None:
    """Weights by distance may be as far apart as they will: those that a sum would lose are not learned from."""
    rows = np.concatenate([np.linspace(0, 1, 20), np.linspace(100, 101, 20)])[:, np.newaxis]
    classes = np.repeat(["near", "far"], 20)
    model = hornbeam.LocallyWeightedClassifier(kernel="gaussian", bandwidth=0.12, scale="as-is")
    assert (model.fit(rows, classes).predict(rows) == classes).all()


def test_weights_are_checked_wherever_rows_come_in() -> None:
    from scipy import sparse

    weights = np.full(40, 1.7e308)
    words = r"row 1 has the weight 1\.7e\+308"
    with pytest.raises(ValueError, match=words):
        hornbeam.SVMClassifier().fit(sparse.csr_matrix(X), CLASSES, sample_weight=weights)
    with pytest.raises(ValueError, match=words):
        hornbeam.Discretizer("mdl").fit(X, CLASSES, sample_weight=weights)
    with pytest.raises(ValueError, match=words):
        hornbeam.KMeans(2).fit(X, sample_weight=weights)
    with pytest.raises(ValueError, match=words):
        hornbeam.ExceptionRulesClassifier().partial_fit(X, CLASSES, sample_weight=weights)


def test_numbers_are_checked_in_later_rows_too() -> None:
    later = X[:3] * 1e302
    concepts = hornbeam.Cobweb().partial_fit(X)
    with pytest.raises(LearnError, match=r"column 'x0' reaches .* too large"):
        concepts.partial_fit(later)
    kept = hornbeam.IB2Classifier().partial_fit(X, CLASSES)
    with pytest.raises(LearnError, match=r"column 'x0' reaches .* too large"):
        kept.partial_fit(later, CLASSES[:3])


def test_weights_far_below_one_are_warned_of() -> None:
    small = np.full(40, 1 / 40_000)  # as weights that add up to 1 have it
    for model in (hornbeam.C45Classifier(), hornbeam.RipperClassifier(), hornbeam.RandomForestClassifier(3)):
        with pytest.warns(SmallWeightsWarning, match=r"weights are 2\.5e-05 on average.*multiply all weights"):
            model.fit(X, CLASSES, sample_weight=small)
    with warnings.catch_warnings():
        warnings.simplefilter("error", SmallWeightsWarning)
        hornbeam.C45Classifier().fit(X, CLASSES, sample_weight=np.full(40, 0.01))
        hornbeam.C45Classifier().fit(X, CLASSES, sample_weight=np.where(np.arange(40) < 20, 0.0, 1.0))
        # proportions alone matter
        for model in (hornbeam.KStarClassifier(), hornbeam.LocallyWeightedClassifier(), hornbeam.PrismClassifier()):
            found = model.fit(X, CLASSES, sample_weight=small).predict_proba(X)
            np.testing.assert_allclose(found, model.fit(X, CLASSES).predict_proba(X), atol=1e-9)
