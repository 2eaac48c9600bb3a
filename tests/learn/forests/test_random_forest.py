"""Random forests: what is drawn, out-of-bag answers, limits, quantiles, bad parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from reference.forest_growing import ForestReference
from sklearn.datasets import make_classification, make_friedman1

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.forests.binned import Binned, choose_cuts
from hornbeam.learn.forests.grow_forest import grow_forest
from hornbeam.learn.forests.random_forest import RandomForestClassifier, RandomForestRegressor, columns_wanted

if TYPE_CHECKING:
    from numpy.typing import NDArray


def classes(n_rows: int = 600, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_classification(n_rows, 12, n_informative=6, flip_y=0.05, random_state=seed)  # type: ignore[no-any-return]


def many_categories(n_rows: int = 4000, n_categories: int = 700) -> Table:
    """A category of many decides the target; some are missing, which decides too."""
    random = np.random.default_rng(1)
    code = random.integers(-1, n_categories, n_rows).astype(np.int32)
    good = random.random(n_categories + 1) < 0.5
    names = tuple(f"c{i}" for i in range(n_categories))
    columns = (Nominal("code", names), Numeric("noise"), Nominal("y", ("no", "yes")))
    schema = Schema(columns, ("feature", "feature", "target"), "many")
    return Table(schema, [code, random.normal(size=n_rows), good[code].astype(np.int32)])


@pytest.mark.parametrize(
    "parameters", [{}, {"max_leaf_nodes": 9}, {"extremely_randomized": True, "numeric": "one-cut"}]
)
def test_a_forest_does_not_depend_on_threads(parameters: dict[str, Any]) -> None:
    rows, y = classes()
    one = RandomForestClassifier(12, random_state=3, oob_score=True, **parameters).fit(rows, y)
    two = RandomForestClassifier(12, random_state=3, oob_score=True, n_jobs=2, **parameters).fit(rows, y)
    assert one.model_.same_as(two.model_)
    assert np.array_equal(one.oob_decision_function_, two.oob_decision_function_, equal_nan=True)
    assert np.array_equal(one.predict_proba(rows), two.predict_proba(rows))
    other = RandomForestClassifier(12, random_state=4, **parameters).fit(rows, y)
    assert not one.model_.same_as(other.model_)


def test_the_first_trees_are_the_same_for_any_number_of_trees() -> None:
    rows, y = classes()
    few = RandomForestClassifier(3, random_state=0).fit(rows, y).model_
    many = RandomForestClassifier(5, random_state=0).fit(rows, y).model_
    size = few.n_nodes
    assert np.array_equal(few.cut, many.cut[:size])
    assert np.array_equal(few.value, many.value[:size])


def test_out_of_bag_answers_are_those_of_trees_that_did_not_draw_the_row() -> None:
    rows, y = classes(150)
    forest = RandomForestClassifier(9, random_state=2, oob_score=True).fit(rows, y)
    seed = int(np.random.RandomState(2).randint(2**63 - 1, dtype=np.int64))
    drawn = ForestReference([], [], [], [], y.tolist(), 2, None, {"seed": seed, "bootstrap": True, "n_drawn": len(y)})
    sums, asked = np.zeros((len(y), 2)), np.zeros(len(y))
    for number in range(9):
        drawn.draw(number)
        left_out = np.array(drawn.counts) == 0
        sums[left_out] += forest.model_.tree(number).predict_proba(rows[left_out])
        asked += left_out
    with np.errstate(invalid="ignore"):
        expected = sums / asked[:, None]
    assert np.allclose(forest.oob_decision_function_, expected, equal_nan=True, atol=1e-6)
    known = asked > 0
    assert forest.oob_score_ == pytest.approx((expected[known].argmax(axis=1) == y[known]).mean())


def test_out_of_bag_tells_the_accuracy_on_new_rows() -> None:
    rows, y = classes(4000)
    forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(rows[:2000], y[:2000])
    assert forest.oob_score_ == pytest.approx(forest.score(rows[2000:], y[2000:]), abs=0.03)
    rows, y = make_friedman1(3000, noise=1.0, random_state=0)
    numbers = RandomForestRegressor(60, oob_score=True, random_state=0).fit(rows[:1500], y[:1500])
    assert numbers.oob_score_ == pytest.approx(numbers.score(rows[1500:], y[1500:]), abs=0.03)
    assert numbers.oob_prediction_.shape == (1500,)


def test_few_values_are_cut_exactly() -> None:
    rows, y = classes()
    rows = np.round(rows)
    by_bins = RandomForestClassifier(8, random_state=1).fit(rows, y).model_
    anywhere = RandomForestClassifier(8, random_state=1, numeric="one-cut").fit(rows, y).model_
    assert np.array_equal(by_bins.cut, anywhere.cut)
    assert np.array_equal(by_bins.value, anywhere.value)


def test_one_cut_stands_between_any_two_values() -> None:
    """Two rows among 5000 differ from all others; bins would put them with their neighbors."""
    rows = np.arange(5000.0)[:, None]
    y = np.isin(rows[:, 0], [2000.0, 2001.0]).astype(int)
    exact = RandomForestClassifier(1, bootstrap=False, numeric="one-cut").fit(rows, y)
    assert (exact.predict(rows) == y).all()
    assert sorted(exact.model_.cut[exact.model_.feature >= 0].tolist()) == [1999.5, 2001.5]
    binned = RandomForestClassifier(1, bootstrap=False).fit(rows, y)  # the best cut between bins is moved
    assert (binned.predict(rows) == y).all()
    random = RandomForestClassifier(1, bootstrap=False, extremely_randomized=True, max_depth=3).fit(rows, y)
    assert (random.predict(rows) != y).any()


def test_many_categories_and_missing_values_are_split_by_name() -> None:
    table = many_categories()
    forest = RandomForestClassifier(30, random_state=0, max_features=None).fit(table)
    assert forest.score(table) > 0.99
    forest.model_.validate()
    assert forest.feature_importances_[0] > 0.9
    few = many_categories(1000, 5)
    assert RandomForestClassifier(20, random_state=0, max_features=None).fit(few).score(few) == 1.0


def test_a_column_that_never_varies_does_not_count_as_drawn() -> None:
    rows, y = classes(300)
    padded = np.hstack([np.zeros((300, 200)), rows[:, :2]])
    forest = RandomForestClassifier(5, max_features=2, random_state=0).fit(padded, y)
    assert forest.model_.feature.max() == 201
    assert set(forest.model_.feature.tolist()) == {-1, 200, 201}
    assert forest.model_.n_leaves > 5


def test_limits() -> None:
    rows, y = classes()
    assert RandomForestClassifier(4, max_leaf_nodes=7, random_state=0).fit(rows, y).model_.n_leaves == 28
    shallow = RandomForestClassifier(4, max_depth=2, random_state=0).fit(rows, y).model_
    assert max(shallow.tree(i).depth for i in range(4)) == 2
    large = RandomForestClassifier(4, min_samples_leaf=20, random_state=0).fit(rows, y).model_
    assert large.weight.min() >= 20
    alone = RandomForestClassifier(3, max_features=1, features_per="tree", random_state=0).fit(rows, y).model_
    for first, stop in zip(alone.roots[:-1], alone.roots[1:], strict=True):
        assert len(set(alone.feature[first:stop].tolist()) - {-1}) == 1


def test_best_first_takes_the_splits_that_gain_most() -> None:
    rows, y = classes()
    whole = RandomForestClassifier(1, max_features=None, bootstrap=False, random_state=0).fit(rows, y).model_
    opened = RandomForestClassifier(1, max_features=None, bootstrap=False, max_leaf_nodes=6, random_state=0).fit(
        rows, y
    )
    gains = opened.model_.gain[opened.model_.feature >= 0]
    assert len(gains) == 5
    assert gains[0] == pytest.approx(whole.gain[0])


def test_class_weights_change_what_is_answered() -> None:
    rows, y = make_classification(2000, 8, weights=[0.9], class_sep=0.3, flip_y=0.1, random_state=0)
    plain = RandomForestClassifier(30, min_samples_leaf=20, random_state=0).fit(rows, y)
    balanced = RandomForestClassifier(30, min_samples_leaf=20, class_weight="balanced", random_state=0).fit(rows, y)
    assert balanced.predict(rows).mean() > 1.5 * plain.predict(rows).mean()


def test_weights_of_rows_are_those_of_repeated_rows_where_nothing_is_drawn() -> None:
    rows, y = make_friedman1(200, random_state=0)
    weights = np.random.default_rng(0).integers(1, 4, 200)
    weighted = RandomForestRegressor(1, bootstrap=False, max_features=None, numeric="one-cut", random_state=0)
    weighted.fit(rows, y, sample_weight=weights)
    repeated = RandomForestRegressor(1, bootstrap=False, max_features=None, numeric="one-cut", random_state=0)
    repeated.fit(np.repeat(rows, weights, axis=0), np.repeat(y, weights))
    assert np.allclose(weighted.predict(rows), repeated.predict(rows))


def test_quantiles_are_those_of_the_targets_in_the_leaves() -> None:
    rows, y = make_friedman1(300, noise=1.0, random_state=0)
    forest = RandomForestRegressor(7, min_samples_leaf=5, keep_targets=True, random_state=1).fit(rows, y)
    model = forest.model_
    assert model.target_start is not None
    assert model.targets is not None
    levels = [0.0, 0.1, 0.5, 0.93, 1.0]
    found = forest.predict_quantiles(rows[:40], levels)
    table = forest._features(rows[:40], reset=False)
    for row, leaves in enumerate(model.apply(table)):
        values, weights = [], []
        for leaf in leaves:
            own = model.targets[model.target_start[leaf] : model.target_start[leaf + 1]].astype(float) + y.mean()
            assert own.mean() == pytest.approx(model.node_values()[leaf, 0], rel=1e-4)
            values += own.tolist()
            weights += [1 / len(own)] * len(own)
        order = np.argsort(values, kind="stable")
        reached = np.cumsum(np.array(weights)[order]) / 7
        expected = [values[order[np.argmax(reached >= level - 1e-9)]] for level in levels]
        assert found[row].tolist() == pytest.approx(expected)


def test_quantiles_cover_what_they_say() -> None:
    rows, y = make_friedman1(4000, noise=2.0, random_state=0)
    forest = RandomForestRegressor(50, min_samples_leaf=10, max_features="third", keep_targets=True, random_state=1)
    low, high = forest.fit(rows[:2000], y[:2000]).predict_quantiles(rows[2000:], [0.1, 0.9]).T
    assert 0.75 < ((y[2000:] >= low) & (y[2000:] <= high)).mean() < 0.95


def test_a_forest_without_targets_says_so() -> None:
    rows, y = make_friedman1(50, random_state=0)
    with pytest.raises(ValueError, match="keep_targets=True"):
        RandomForestRegressor(3).fit(rows, y).predict_quantiles(rows, [0.5])
    with pytest.raises(ValueError, match=r"a quantile is 1\.5"):
        RandomForestRegressor(3, keep_targets=True).fit(rows, y).predict_quantiles(rows, [1.5])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_estimators": 0}, "n_estimators is 0; expected a whole number of at least 1"),
        ({"max_features": "half"}, "max_features is 'half'; expected 'sqrt'"),
        ({"max_features": 0}, "max_features is 0; expected a fraction"),
        ({"max_samples": 1.5}, "max_samples is 1.5"),
        ({"numeric": "exact"}, "numeric is 'exact'; expected one of"),
        ({"max_bins": 1000}, "max_bins is 1000; expected at most 256"),
        ({"features_per": "row"}, "features_per is 'row'"),
        ({"criterion": "variance"}, "criterion is 'variance'"),
        ({"max_leaf_nodes": 1}, "max_leaf_nodes is 1"),
        ({"bootstrap": False, "oob_score": True}, "oob_score needs rows that trees did not see"),
    ],
)
def test_parameters_are_checked(parameters: dict[str, Any], message: str) -> None:
    rows, y = classes(60)
    with pytest.raises(ValueError, match=message):
        RandomForestClassifier(**{"n_estimators": 2, **parameters}).fit(rows, y)


def test_how_many_columns() -> None:
    assert [columns_wanted(wanted, 28) for wanted in ("sqrt", "log2", "third", 0.5, 7, None, 100)] == [
        6,
        5,
        10,
        14,
        7,
        28,
        28,
    ]
    assert columns_wanted("log2", 1) == 1


def test_one_row_one_class_and_a_table_without_a_split() -> None:
    table = hornbeam.read("weather")
    alone = RandomForestClassifier(3, random_state=0).fit(table.take([0]))
    assert alone.predict(table).tolist() == [table.schema.target_column.categories[table.target_values()[0]]] * 14  # type: ignore[union-attr]
    same = RandomForestClassifier(3, random_state=0).fit(np.zeros((10, 2)), [0, 1] * 5)
    assert same.model_.n_nodes == 3
    assert same.predict_proba([[0.0, 0.0]]).sum() == pytest.approx(1.0)


def test_bins_hold_about_equal_weight_and_keep_heavy_values_apart() -> None:
    random = np.random.default_rng(0)
    values = np.where(random.random(50_000) < 0.3, 0.0, random.normal(size=50_000))
    values[::10] = np.nan
    cuts, missing = choose_cuts(values, 64)
    assert missing
    assert 55 < len(cuts) <= 62
    known = values[~np.isnan(values)]
    bins = np.searchsorted(cuts, known)
    zero = np.unique(bins[known == 0.0])
    assert len(zero) == 1
    counts = np.bincount(bins, minlength=63)
    others = np.delete(counts, zero)
    assert (known[bins == zero[0]] == 0.0).mean() > 0.95
    assert others.min() > 0.4 * others.mean()


def test_the_code_of_a_missing_value_is_one_more_than_the_bins() -> None:
    table = many_categories()
    binned = Binned.of(table, 16)
    assert binned.n_bins.tolist() == [700, 16]
    assert binned.has_missing.tolist() == [True, False]
    assert (binned.wide[0] == 700).sum() == (table.columns[0] < 0).sum()
    assert binned.codes.shape == (2, table.n_rows)


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, y = classes(100)
    monkeypatch.setattr("hornbeam.learn.forests.grow_forest.MOST_NODES", 50)
    with pytest.raises(ValueError, match="set max_depth, or min_samples_leaf"):
        RandomForestClassifier(5, max_depth=40).fit(rows, y)


def test_choices_are_kept_with_the_forest() -> None:
    table = hornbeam.read("iris")
    learner = RandomForestClassifier(2, random_state=0)
    choices = replace(learner._choices(table), n_trees=4)
    forest, out_of_bag = grow_forest(table, choices, 1)
    assert forest.n_trees == 4
    assert out_of_bag is None
    assert forest.recipe["criterion"] == "gini"
