"""Neighbors answer as documented; whatever the way to them, they are the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import fill_table, randoms, schemas

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.neighbors import screen, search
from hornbeam.learn.neighbors.nearest import NeighborsClassifier, NeighborsRegressor
from hornbeam.learn.neighbors.search import Search
from hornbeam.model.neighbors.distance import MISSING, NOMINAL, Distance
from hornbeam.model.neighbors.scales import NUMERIC


def drawn(seed: int, n: int, p: int, steps: int) -> Table:
    values = np.random.default_rng(seed).integers(0, steps, (p, n)) / steps
    return Table(Schema(tuple(Numeric(f"x{i}") for i in range(p))), list(values))


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([3, 20, 10**6]), st.integers(1, 9), st.booleans(),
    st.booleans(), st.sampled_from(["kd-tree", "ball-tree"]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_every_way_finds_the_same(
    seed: int, p: int, steps: int, k: int, squared: bool, tied: bool, way: Any, rooted: bool, mean: bool
) -> None:
    table, others = drawn(seed, 120, p, steps), drawn(seed + 1, 30, p, steps)
    missing: Any = ["farthest", "ignore"][seed % 2]
    learned = Distance.of(table, squared=squared, mean=mean, missing=missing, weights={"x0": 0.7})
    points, asking = learned.points(table), learned.points(others)
    blocks = learned.nearest(asking, points, k, all_tied=tied, rooted=rooted)
    tree = Search(learned, points, way, all_tied=tied, rooted=rooted).nearest(asking, k)
    np.testing.assert_array_equal(blocks.start, tree.start)
    np.testing.assert_array_equal(blocks.rows, tree.rows)
    np.testing.assert_array_equal(blocks.distances, tree.distances)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(1, 20), st.sampled_from([3, 20, 10**6]), st.integers(1, 9), st.booleans(),
    st.sampled_from([1.0, 1e-9, 1e9]), st.booleans(),
)  # fmt: skip
def test_screening_finds_the_same(
    seed: int, p: int, steps: int, k: int, tied: bool, scale: float, in_order: bool
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MANY_PAIRS", 0)
        patch.setattr(search, "FEWER_ASKING", 10**6 if in_order else 0)
        patch.setattr(screen, "ROOM", 32)
        patch.setattr(screen, "ASKING", 18)
        table, others = drawn(seed, 2700, p, steps), drawn(seed + 1, 40, p, steps)
        shifted = Table(table.schema, [scale * (column + 100) for column in table.columns])
        asking_table = Table(table.schema, [scale * (column + 100) for column in others.columns])
        learned = Distance.of(shifted, numeric=["range", "as-is"][seed % 2], squared=seed % 3 > 0)  # type: ignore[arg-type]
        points, asking = learned.points(shifted), learned.points(asking_table)
        blocks = learned.nearest(asking, points, k, all_tied=tied)
        found = Search(learned, points, "brute", all_tied=tied, n_threads=1 + seed % 2).nearest(asking, k)
    np.testing.assert_array_equal(blocks.start, found.start)
    np.testing.assert_array_equal(blocks.rows, found.rows)
    np.testing.assert_array_equal(blocks.distances, found.distances)


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_screening_of_mixed_columns_finds_the_same(data: st.DataObject) -> None:
    schema, random = data.draw(schemas()), data.draw(randoms())
    table = fill_table(random, schema, 100, data.draw(st.sampled_from([0.0, 0.2])))
    batches = [fill_table(random, schema, 30, share) for share in (0.0, 0.3, 0.1)]
    nominal, missing = data.draw(st.sampled_from(NOMINAL)), data.draw(st.sampled_from(MISSING))
    numeric, tied = data.draw(st.sampled_from(NUMERIC)), data.draw(st.booleans())
    squared = data.draw(st.booleans())
    names = [schema.columns[place].name for place in schema.features]
    weights = {name: data.draw(st.sampled_from([0.0, 0.3, 1.0, 5.0])) for name in names}
    learned = Distance.of(table, numeric=numeric, nominal=nominal, missing=missing, squared=squared, weights=weights)
    points, k = learned.points(table), data.draw(st.integers(1, 8))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MANY_PAIRS", 0)
        way = Search(learned, points, "brute", all_tied=tied)
        for batch in batches:
            asking = learned.points(batch)
            blocks, found = learned.nearest(asking, points, k, all_tied=tied), way.nearest(asking, k)
            np.testing.assert_array_equal(blocks.start, found.start)
            np.testing.assert_array_equal(blocks.rows, found.rows)
            np.testing.assert_array_equal(blocks.distances, found.distances)


@pytest.mark.parametrize("missing", MISSING)
def test_screening_leaves_few_rows_of_mixed_columns(missing: Any) -> None:
    table = hornbeam.read("credit-g")
    learned = Distance.of(table, missing=missing)
    points = learned.points(table)
    rows, sure = screen.Screen(learned, points).candidates(points, 3, 2)
    assert sure.mean() > 0.99
    assert (rows >= 0).sum(axis=1).mean() < 10


def test_rows_in_order_are_found_as_others_are() -> None:
    random = np.random.default_rng(4)
    heaps = random.normal(size=(12, 6)) * 3
    values = heaps[random.integers(0, 12, 6000)] + random.normal(size=(6000, 6)) * 0.2
    values[5000:5200] = values[:200]  # rows that are the same
    asking = heaps[random.integers(0, 12, 300)] + random.normal(size=(300, 6)) * 0.2
    asking[:20] += 50  # far from all
    asking[20:24] = np.nan
    table = Table(Schema(tuple(Numeric(f"x{i}") for i in range(6))), list(values.T))
    learned = Distance.of(table, numeric="as-is")
    points = learned.points(table)
    for gaps in (False, True):
        asked = learned.points(Table(table.schema, list(asking[0 if gaps else 24 :].T)))
        blocks = learned.nearest(asked, points, 7)
        way = Search(learned, points, "brute", n_threads=2)
        found = way.nearest(asked, 7)
        assert way._screen is not None
        assert way._screen.order is not None
        assert sorted(way._screen.order.tolist()) == list(range(6000))
        np.testing.assert_array_equal(blocks.start, found.start)
        np.testing.assert_array_equal(blocks.rows, found.rows)
        np.testing.assert_array_equal(blocks.distances, found.distances)
    few = Search(learned, points, "brute")
    first = few.nearest(learned.points(table.take(np.arange(180))), 2)
    assert few._screen is not None
    assert few._screen.order is None  # not worth it
    again = few.nearest(points, 2)
    assert few._screen.order is not None
    np.testing.assert_array_equal(first.rows, again.rows[: len(first.rows)])


def test_the_way_is_chosen_by_what_the_columns_are() -> None:
    table = drawn(0, 600, 3, 1000)
    learned = Distance.of(table)
    assert Search(learned, learned.points(table)).way == "kd-tree"
    wide = drawn(0, 600, 40, 1000)
    assert Search(Distance.of(wide), Distance.of(wide).points(wide)).way == "brute"
    labor = hornbeam.read("labor")
    with pytest.raises(ValueError, match="missing values"):
        NeighborsClassifier(algorithm="kd-tree").fit(labor)
    with pytest.raises(ValueError, match="nominal"):
        NeighborsClassifier(algorithm="ball-tree").fit(hornbeam.read("weather.nominal"))


def test_a_row_with_missing_values_may_ask_a_tree() -> None:
    values = np.random.default_rng(0).random((600, 2))
    trees = NeighborsRegressor().fit(values, values[:, 0])
    blocks = NeighborsRegressor(algorithm="brute").fit(values, values[:, 0])
    asking = np.array([[0.2, np.nan], [0.3, 0.4], [np.nan, np.nan]])
    assert trees._search[0].way == "kd-tree"
    np.testing.assert_array_equal(trees.predict(asking), blocks.predict(asking))


def test_as_scikit_learn_where_nothing_is_tied() -> None:
    neighbors = pytest.importorskip("sklearn.neighbors")
    random = np.random.default_rng(0)
    values, classes = random.random((300, 6)), random.integers(0, 3, 300)
    asking = random.random((50, 6))
    theirs = neighbors.KNeighborsClassifier(7).fit(values, classes)
    ours = NeighborsClassifier(7, numeric="as-is").fit(values, classes)
    np.testing.assert_allclose(ours.predict_proba(asking), theirs.predict_proba(asking))
    number = neighbors.KNeighborsRegressor(4, p=1).fit(values, values[:, 0])
    mine = NeighborsRegressor(4, numeric="as-is", metric="manhattan").fit(values, values[:, 0])
    np.testing.assert_allclose(mine.predict(asking), number.predict(asking))


def test_ties_and_weighting_by_hand() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b", "c"))), ("feature", "target"))
    table = Table(schema, [[0.0, 1.0, 3.0, 8.0], [1, 0, 0, 2]])
    asking = Table(Schema((Numeric("x"),)), [[2.0]])
    assert NeighborsClassifier(1).fit(table).predict_proba(asking)[0].tolist() == [1.0, 0.0, 0.0]  # 1 and 3 are as far
    assert NeighborsClassifier(1, ties="first").fit(table).neighbors(asking).rows.tolist() == [1]
    assert NeighborsClassifier(1).fit(table).neighbors(asking).rows.tolist() == [1, 2]
    inverse = NeighborsClassifier(3, weights="inverse").fit(table).predict_proba(asking)[0]
    says = np.array([2 / 0.126, 1 / 0.251])
    np.testing.assert_allclose(inverse[:2], says / says.sum())
    similar = NeighborsClassifier(3, weights="similarity").fit(table).predict_proba(asking)[0]
    np.testing.assert_allclose(similar[:2], np.array([1.75, 0.75]) / 2.5)


def test_k_is_chosen_by_leaving_out() -> None:
    random = np.random.default_rng(2)
    values = random.random((200, 2))
    classes = (values[:, 0] + 0.3 * random.standard_normal(200) > 0.5).astype(int)
    learner = NeighborsClassifier(n_neighbors=30, choose_k=True).fit(values, classes)
    errors = []
    for k in range(1, 31):
        wrong = 0
        for row in range(200):
            others = np.arange(200) != row
            # scales are those of all rows
            low, width = values.min(axis=0), np.ptp(values, axis=0)
            far = (((values[others] - low) / width - (values[row] - low) / width) ** 2).sum(axis=1)
            counts = np.bincount(classes[others][np.argsort(far)[:k]], minlength=2)
            wrong += int(counts.argmax() != classes[row])
        errors.append(wrong / 200)
    np.testing.assert_allclose(learner.k_errors_, errors)
    assert learner.model_.k == int(np.argmin(errors)) + 1
    assert NeighborsClassifier(choose_k=True).fit([[1.0]], ["a"]).model_.k == 1


def test_weights_are_repeated_rows() -> None:
    table = hornbeam.read("labor")
    counts = np.random.default_rng(0).integers(0, 4, table.n_rows)
    learner = NeighborsClassifier(4, weights="inverse", numeric="rank", missing="average")
    weighted = learner.fit(table, sample_weight=counts).predict_proba(table)
    repeated = learner.fit(table.take(np.repeat(np.arange(table.n_rows), counts))).predict_proba(table)
    np.testing.assert_allclose(weighted, repeated)
    light = learner.fit(table, sample_weight=np.full(table.n_rows, 0.5)).predict_proba(table)
    assert not np.allclose(light, weighted)  # eight rows make up the weight of four


# ---- bad input ----


def test_more_neighbors_than_rows() -> None:
    table = hornbeam.read("weather.numeric")
    shares = NeighborsClassifier(n_neighbors=1000).fit(table).predict_proba(table)
    np.testing.assert_allclose(shares, np.tile([9 / 14, 5 / 14], (14, 1)))


@pytest.mark.parametrize("missing", ["farthest", "ignore", "average"])
@pytest.mark.parametrize("weights", ["uniform", "inverse", "similarity"])
def test_a_row_without_any_value(missing: str, weights: str) -> None:
    schema = Schema((Numeric("x"), Nominal("c", ("u", "v")), Numeric("y")), ("feature", "feature", "target"))
    table = Table(schema, [[0.0, 1.0, 2.0], [0, 1, 1], [1.0, 2.0, 6.0]])
    asking = Table(schema, [[np.nan], [-1], [np.nan]])
    answer = NeighborsRegressor(missing=missing, weights=weights).fit(table).predict(asking)
    assert 1.0 <= answer[0] <= 6.0
    if missing == "ignore":
        assert answer[0] == pytest.approx(3.0)  # no row is nearer than another


def test_constant_and_empty_columns_and_duplicates() -> None:
    schema = Schema((Numeric("same"), Numeric("none"), Numeric("y")), ("feature", "feature", "target"))
    nan = np.nan
    table = Table(schema, [[7.0, 7.0, 7.0, 7.0], [nan, nan, nan, nan], [1.0, 1.0, 3.0, 3.0]])
    for numeric in ("range", "deviation", "rank", "as-is"):
        learner = NeighborsRegressor(1, numeric=numeric).fit(table)
        assert learner.predict(table).tolist() == [2.0] * 4  # all are duplicates, and all answer
        learner.predict(Table(schema, [[nan, 9.0], [3.0, nan], [nan, nan]]))
    assert NeighborsRegressor(1, ties="first").fit(table).predict(table).tolist() == [1.0] * 4


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"n_neighbors": 0}, "n_neighbors is 0"),
        ({"n_neighbors": 1.5}, "n_neighbors is 1.5"),
        ({"weights": "x"}, "weights is 'x'"),
        ({"ties": "x"}, "ties is 'x'"),
        ({"metric": "x"}, "metric is 'x'"),
        ({"algorithm": "x"}, "algorithm is 'x'"),
        ({"column_weights": {"nothing": 1}}, "'nothing'"),
        ({"compat": "x"}, "compat is 'x'"),
    ],
)
def test_bad_parameters_are_named(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        NeighborsClassifier(**wrong).fit(hornbeam.read("iris"))


def test_saved_and_loaded(tmp_path: Any) -> None:
    table = hornbeam.read("labor")
    for learner in (
        NeighborsClassifier(3, numeric="rank", nominal="value-difference", missing="ignore"),
        NeighborsClassifier(1, ties="first", compat="weka"),
        hornbeam.IB5Classifier(by_class=True),
    ):
        learner.fit(table).save(tmp_path / "model")
        again = hornbeam.load(tmp_path / "model")
        assert again.same_as(learner.model_)
        wrapped = type(learner).from_model(again)
        np.testing.assert_array_equal(wrapped.predict(table), learner.predict(table))
        assert "rows kept" in repr(again)
