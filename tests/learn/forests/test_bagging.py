"""Bagging: what is drawn, what is left out, any learner of the project as a member."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import r2_score

import hornbeam
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import with_weights
from hornbeam.learn.forests.bagging import BaggingClassifier, BaggingRegressor
from hornbeam.learn.forests.draws import Draws, amount

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("error::hornbeam.learn.linear.few_rows.FewRowsWarning")

CLASSIFIERS: dict[str, Any] = {
    "c45": hornbeam.C45Classifier(),
    "c45 weka": hornbeam.C45Classifier(compat="weka"),
    "reduced-error": hornbeam.TreeClassifier(prune="reduced-error"),
    "surrogates": hornbeam.CartClassifier(folds=0),
    "ripper": hornbeam.RipperClassifier(),
    "prism": hornbeam.PrismClassifier(),
    "exceptions": hornbeam.ExceptionRulesClassifier(),
    "bagging": BaggingClassifier(n_estimators=2),
}
REGRESSORS: dict[str, Any] = {
    "tree": hornbeam.TreeRegressor(),
    "m5": hornbeam.M5Regressor(),
    "m5 weka": hornbeam.M5Regressor(compat="weka"),
    "m5 rules": hornbeam.M5RulesRegressor(),
    "linear": hornbeam.LinearRegressor(),
    "polynomial": hornbeam.PolynomialRegressor(),
    "discretized": hornbeam.DiscretizedRegressor(),
}


def learner_of(name: str, **parameters: Any) -> Any:
    if name in CLASSIFIERS:
        return BaggingClassifier(CLASSIFIERS[name], random_state=3, **parameters)
    return BaggingRegressor(REGRESSORS[name], random_state=3, **parameters)


def table_of(name: str) -> Table:
    return hornbeam.read("labor" if name in CLASSIFIERS else "auto-mpg")


@pytest.mark.parametrize("name", [*CLASSIFIERS, *REGRESSORS])
def test_any_learner_can_be_a_member(name: str, tmp_path: Path) -> None:
    table = table_of(name)
    learner = learner_of(name, n_estimators=4, oob_score=True).fit(table)
    assert len(learner.model_) == 4
    learner.model_.validate()
    other = learner_of(name, n_estimators=4, n_jobs=3).fit(table)
    assert other.model_.same_as(learner.model_)
    learner.save(tmp_path / "bag.hornbeam")
    loaded = hornbeam.load(tmp_path / "bag.hornbeam")
    assert loaded.same_as(learner.model_)
    assert np.array_equal(type(learner).from_model(loaded).predict(table), learner.predict(table))
    assert learner.score(table) > (0.6 if name in CLASSIFIERS else 0.5)
    assert learner.oob_score_ > 0.2


def test_a_member_is_what_its_sample_teaches() -> None:
    table = hornbeam.read("glass")
    bagged = BaggingClassifier(hornbeam.C45Classifier(), n_estimators=3, random_state=5).fit(table)
    seed = np.random.RandomState(5).randint(2**31 - 1, size=3)[1]
    counts = Draws.of(table).counts(np.random.default_rng(int(seed)), table.n_rows, replace=True)
    assert counts.sum() == table.n_rows
    alone = hornbeam.C45Classifier().fit(table.take(np.repeat(np.arange(table.n_rows), counts))).model_
    assert np.allclose(alone.value, bagged.model_.members[1].value)
    assert np.array_equal(alone.parent, bagged.model_.members[1].parent)
    answers = np.mean([member.predict_proba(table) for member in bagged.model_.members], axis=0)
    assert np.allclose(bagged.predict_proba(table), answers)


def test_the_first_members_do_not_depend_on_how_many_there_are() -> None:
    table = hornbeam.read("iris")
    few, many = (BaggingClassifier(n_estimators=n, random_state=1).fit(table).model_ for n in (3, 6))
    assert all(one.same_as(other) for one, other in zip(few.members, many.members, strict=False))
    assert not few.members[0].same_as(few.members[1])


def test_nothing_depends_on_the_order_of_rows() -> None:
    table = hornbeam.read("glass")
    shuffled = table.take(np.random.default_rng(0).permutation(table.n_rows))
    one, other = (BaggingClassifier(random_state=1).fit(rows) for rows in (table, shuffled))
    assert np.allclose(one.predict_proba(table), other.predict_proba(table))


def test_a_row_of_weight_two_is_two_rows() -> None:
    table = hornbeam.read("auto-mpg")
    weights = np.random.default_rng(0).integers(1, 4, table.n_rows)
    repeated = table.take(np.repeat(np.arange(table.n_rows), weights))
    one = BaggingRegressor(random_state=1).fit(table, sample_weight=weights)
    assert np.allclose(one.predict(table), BaggingRegressor(random_state=1).fit(repeated).predict(table))
    weighted = with_weights(table, weights.astype(np.float64))
    assert np.array_equal(BaggingRegressor(random_state=1).fit(weighted).predict(table), one.predict(table))


def test_fractional_weights_stay_with_their_rows() -> None:
    table = hornbeam.read("iris")
    weights = np.where(table.target_values() == 2, 0.25, 1.5)
    bagged = BaggingClassifier(n_estimators=5, random_state=0).fit(table, sample_weight=weights)
    shares = np.array([member.value[0] for member in bagged.model_.members])
    assert (np.abs(shares[:, :2] / 1.5 - np.round(shares[:, :2] / 1.5)) < 1e-9).all()
    assert shares[:, 2].max() < shares[:, :2].min()
    assert bagged.model_.default == pytest.approx([0.75 / 1.625, 0.75 / 1.625, 0.125 / 1.625])


def test_left_out_rows_are_judged_by_the_others() -> None:
    table = hornbeam.read("labor")
    bagged = BaggingClassifier(n_estimators=8, oob_score=True, random_state=2).fit(table)
    draws = Draws.of(table)
    sums, count = np.zeros((table.n_rows, 2)), np.zeros(table.n_rows)
    for seed, member in zip(np.random.RandomState(2).randint(2**31 - 1, size=8), bagged.model_.members, strict=True):
        out = draws.counts(np.random.default_rng(int(seed)), table.n_rows, replace=True) == 0
        assert 0.2 < out.mean() < 0.55
        sums[out] += member.predict_proba(table)[out]
        count += out
    seen = count > 0
    assert np.allclose(bagged.oob_decision_function_[seen], sums[seen] / count[seen, np.newaxis])
    assert np.isnan(bagged.oob_decision_function_[~seen]).all()
    right = sums[seen].argmax(axis=1) == table.target_values()[seen]
    assert bagged.oob_score_ == pytest.approx(right.mean())


def test_left_out_numbers_are_judged_by_their_variance_explained() -> None:
    table = hornbeam.read("auto-mpg")
    bagged = BaggingRegressor(n_estimators=30, oob_score=True, random_state=2).fit(table)
    assert not np.isnan(bagged.oob_prediction_).any()
    assert bagged.oob_score_ == pytest.approx(r2_score(table.target_values(), bagged.oob_prediction_))
    assert bagged.score(table) > bagged.oob_score_ > 0.7


def test_rows_that_teach_nothing_are_answered_too() -> None:
    table = hornbeam.read("iris")
    target = table.target_values().copy()
    target[[3, 77]] = -1
    columns = [*table.columns[:-1], target]
    weights = np.ones(table.n_rows)
    weights[10] = 0.0
    bagged = BaggingClassifier(n_estimators=20, oob_score=True, random_state=0)
    bagged.fit(Table(table.schema, columns), sample_weight=weights)
    assert bagged.oob_decision_function_.shape == (150, 3)
    assert bagged.oob_decision_function_[3].argmax() == 0
    assert bagged.oob_decision_function_[10].argmax() == 0
    assert bagged.oob_score_ > 0.9
    bagged.set_params(oob_score=False).fit(table)
    assert not hasattr(bagged, "oob_score_")


def test_columns_are_drawn_for_each_member() -> None:
    table = hornbeam.read("glass")
    bagged = BaggingClassifier(n_estimators=6, max_features=3, random_state=0).fit(table)
    chosen = [member.schema.features for member in bagged.model_.members]
    assert {len(features) for features in chosen} == {3}
    assert len(set(chosen)) > 2
    assert len(bagged.schema_.features) == 9
    matrix = np.column_stack([table.columns[place] for place in table.schema.features])
    assert np.array_equal(bagged.model_.predict_codes(matrix), bagged.model_.predict_codes(table))
    importances = bagged.feature_importances_
    assert importances.sum() == pytest.approx(1.0)
    assert (importances[[i for i in range(9) if not any(i in features for features in chosen)]] == 0).all()


def test_without_putting_back_no_row_is_drawn_twice() -> None:
    table = hornbeam.read("iris")
    bagged = BaggingClassifier(bootstrap=False, max_samples=60, oob_score=True, random_state=0).fit(table)
    assert {float(member.weight[0]) for member in bagged.model_.members} == {60.0}
    assert {int(member.rows[0]) for member in bagged.model_.members} == {60}
    whole = BaggingClassifier(bootstrap=False, n_estimators=2, random_state=0).fit(table).model_
    alone = hornbeam.C45Classifier(prune=None).fit(table).model_
    assert all(np.array_equal(member.value, alone.value) for member in whole.members)


def test_votes_and_costs_decide() -> None:
    table = hornbeam.read("credit-g").take(np.arange(300))
    voting = BaggingClassifier(decide="vote", random_state=0).fit(table)
    shares = voting.predict_proba(table)
    assert np.allclose(shares * 10, np.round(shares * 10))
    careful = BaggingClassifier(random_state=0, costs={"bad": {"good": 5}}).fit(table)
    plain = BaggingClassifier(random_state=0).fit(table)
    assert (careful.predict(table) == "bad").sum() > (plain.predict(table) == "bad").sum()
    balanced = BaggingClassifier(random_state=0, class_weight="balanced").fit(table)
    assert balanced.model_.default == pytest.approx([0.5, 0.5])


def test_a_name_of_a_scheme_is_a_learner() -> None:
    for bagging, name, learner, data in (
        (BaggingClassifier, "ripper", hornbeam.RipperClassifier(), "labor"),
        (BaggingClassifier, "c45", hornbeam.C45Classifier(), "labor"),
        (BaggingRegressor, "tree", hornbeam.TreeRegressor(), "cpu"),
    ):
        table = hornbeam.read(data)
        by_name = bagging(name, n_estimators=3, random_state=0).fit(table).model_
        by_learner = bagging(learner, n_estimators=3, random_state=0).fit(table).model_
        assert by_name.same_as(by_learner)


@pytest.mark.parametrize(
    ("parameters", "error", "told"),
    [
        ({"n_estimators": 0}, ValueError, "n_estimators is 0"),
        ({"max_samples": 0.0}, ValueError, "max_samples is 0.0"),
        ({"max_samples": 1.5}, ValueError, "max_samples is 1.5"),
        ({"max_features": 5}, ValueError, "from 1 to 4"),
        ({"max_features": True}, ValueError, "max_features is True"),
        ({"decide": "first"}, ValueError, "decide is 'first'"),
        ({"estimator": hornbeam.M5Regressor()}, TypeError, "expected a classifier"),
        ({"estimator": "linear"}, ValueError, "does not predict categories"),
        ({"oob_score": True, "bootstrap": False}, ValueError, "oob_score needs"),
        ({"n_jobs": 0}, ValueError, "n_jobs is 0"),
    ],
)
def test_what_cannot_be_is_refused(parameters: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        BaggingClassifier(**parameters).fit(hornbeam.read("iris"))


def test_amounts() -> None:
    assert [amount("x", value, 10) for value in (1.0, 0.25, 0.01, 1, 10, np.int64(3))] == [10, 2, 1, 1, 10, 3]


def test_importance_needs_trees() -> None:
    bagged = BaggingClassifier("ripper", n_estimators=2, random_state=0).fit(hornbeam.read("iris"))
    with pytest.raises(AttributeError, match="trees"):
        _ = bagged.feature_importances_


def test_nested_seeds_are_set() -> None:
    table = hornbeam.read("glass")
    inner = BaggingClassifier(hornbeam.TreeClassifier(prune="reduced-error"), n_estimators=2)
    one, other = (clone(BaggingClassifier(inner, n_estimators=2, random_state=4)).fit(table).model_ for _ in range(2))
    assert one.same_as(other)


def test_many_weak_trees_beat_one() -> None:
    # The reason for it all: unstable trees on noisy classes, judged on other rows.
    table = hornbeam.read("glass")
    assert isinstance(table.schema.target_column, Nominal)
    one = hornbeam.evaluate.cross_validate(hornbeam.C45Classifier(prune=None), table, seed=1).score
    many = hornbeam.evaluate.cross_validate(BaggingClassifier(n_estimators=25, random_state=1), table, seed=1).score
    assert many.accuracy > one.accuracy + 0.02
