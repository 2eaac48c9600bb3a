"""Distances are those of the naive program, whatever the blocks, threads and types; neighbors are the nearest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.distance import distance as naive
from strategies import fill_table, randoms, schemas

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base import kept_predictions
from hornbeam.model.base.plain import ModelError
from hornbeam.model.neighbors.distance import MISSING, Distance


def numbers(*columns: list[float]) -> Table:
    return Table(Schema(tuple(Numeric(f"x{i}") for i in range(len(columns)))), [np.array(c) for c in columns])


@settings(deadline=None)
@given(st.data())
def test_equals_the_naive_distance(data: st.DataObject) -> None:
    schema, random = data.draw(schemas()), data.draw(randoms())
    rows = fill_table(random, schema, random.randint(1, 20), 0.2)
    others = fill_table(random, schema, random.randint(1, 5), 0.3)
    names = [schema.columns[place].name for place in schema.features]
    learned = Distance.of(
        rows,
        missing=data.draw(st.sampled_from(["farthest", "ignore"])),  # type: ignore[arg-type]
        squared=data.draw(st.booleans()),
        mean=data.draw(st.booleans()),
        weights={names[0]: data.draw(st.sampled_from([0.5, 1.0, 2.0]))},
    )
    found = learned.between(learned.points(others), learned.points(rows))
    for i in range(others.n_rows):
        for j in range(rows.n_rows):
            assert found[i, j] == pytest.approx(naive(learned, rows, others, i, rows, j), nan_ok=True, abs=1e-12)


@settings(deadline=None, max_examples=50)
@given(st.data())
def test_nearest_are_the_least_distances(data: st.DataObject) -> None:
    schema, random = data.draw(schemas()), data.draw(randoms())
    rows, others = fill_table(random, schema, random.randint(1, 40), 0.2), fill_table(random, schema, 20, 0.2)
    learned = Distance.of(
        rows,
        numeric=data.draw(st.sampled_from(["range", "deviation", "rank", "as-is"])),
        nominal=data.draw(st.sampled_from(["overlap", "value-difference"])),
        missing=data.draw(st.sampled_from(MISSING)),
        squared=data.draw(st.booleans()),
    )
    k, all_tied = data.draw(st.integers(1, 8)), data.draw(st.booleans())
    a, b = learned.points(others), learned.points(rows)
    matrix = learned.between(a, b)
    matrix = np.where(np.isnan(matrix), np.inf, matrix)
    found = learned.nearest(a, b, k, all_tied=all_tied, rooted=True)
    for i in range(others.n_rows):
        order = np.lexsort((np.arange(rows.n_rows), matrix[i]))
        last = matrix[i, order[min(k, rows.n_rows) - 1]]
        wanted = [j for j in order if matrix[i, j] <= last] if all_tied else order[:k].tolist()
        got, far = found.of(i)
        assert got.tolist() == wanted
        np.testing.assert_array_equal(far, matrix[i, wanted])


def test_threads_and_types_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    table = hornbeam.read("labor")
    learned = Distance.of(table)
    points = learned.points(table)
    one, found = learned.between(points, points), learned.nearest(points, points, 3)
    monkeypatch.setattr(kept_predictions, "FEW_PAIRS", 0)
    np.testing.assert_array_equal(one, learned.between(points, points, n_threads=3))
    again = learned.nearest(points, points, 3, n_threads=3)
    np.testing.assert_array_equal(found.rows, again.rows)
    np.testing.assert_array_equal(found.start, again.start)
    np.testing.assert_array_equal(one.astype(np.float32), learned.between(points, points, np.float32))
    with pytest.raises(ValueError, match="float16"):
        learned.between(points, points, np.float16)


def test_more_rows_than_a_block() -> None:
    values = np.random.default_rng(1).integers(0, 50, (2, 1500)).astype(float)
    table = numbers(*values.tolist())
    learned = Distance.of(table, squared=False)
    points = learned.points(table)
    matrix = np.abs(points.numbers[:, :, None] - points.numbers[:, None]).sum(axis=0)
    np.testing.assert_allclose(learned.between(points, points), matrix, atol=1e-12)
    found = learned.nearest(points, points, 4, all_tied=False, skip=np.arange(1500))
    np.fill_diagonal(matrix, np.inf)
    np.testing.assert_allclose(np.sort(matrix, axis=1)[:, :4].ravel(), found.distances, atol=1e-12)
    assert (found.rows.reshape(-1, 4) != np.arange(1500)[:, np.newaxis]).all()


def test_gower_by_hand() -> None:
    schema = Schema((Numeric("age"), Nominal("job", ("a", "b", "c"))))
    table = Table(schema, [[20.0, 40.0, np.nan], [0, 1, -1]])
    found = hornbeam.distance(table)
    assert found[0, 1] == 1.0  # the range, and another job
    assert np.isnan(found[0, 2])
    assert np.isnan(found[2, 2])
    assert hornbeam.distance(table, missing="farthest")[0, 2] == 1.0
    assert hornbeam.distance(table, weights={"age": 0.0})[0, 1] == 1.0
    assert hornbeam.distance(table, metric="euclidean")[0, 1] == pytest.approx(np.sqrt(2))


def test_of_frames_and_arrays() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [0.0, 1.0, 4.0], "b": ["x", "y", "x"]})
    np.testing.assert_allclose(hornbeam.distance(frame, n_jobs=-1)[0], [0.0, 0.625, 0.5])
    np.testing.assert_allclose(hornbeam.distance(np.array([[0.0], [2.0]]), np.array([[1.0]])).ravel(), [0.5, 0.5])
    assert hornbeam.distance(frame, dtype=np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="n_jobs is 0"):
        hornbeam.distance(frame, n_jobs=0)
    with pytest.raises(ValueError, match="metric is 'cosine'"):
        hornbeam.distance(frame, metric="cosine")


def test_scales() -> None:
    table = numbers([1.0, 2.0, 2.0, 10.0])
    assert Distance.of(table, numeric="rank").points(table).numbers[0].tolist() == pytest.approx([0, 0.5, 0.5, 1])
    places = Distance.of(table, numeric="deviation").points(table).numbers[0]
    assert places.mean() == pytest.approx(0)
    assert places.std() == pytest.approx(1)
    assert Distance.of(table, numeric="as-is").points(table).numbers[0].tolist() == [1, 2, 2, 10]


def test_average_differences() -> None:
    values = [1.0, 2.0, 5.0, 9.0]
    table = numbers([*values, np.nan])
    pairs = np.abs(np.subtract.outer(values, values)) / 8
    straight = Distance.of(table, missing="average", squared=False)
    points = straight.points(table)
    assert straight.between(points, points)[0, 4] == pytest.approx(pairs.mean())
    squared = Distance.of(table, missing="average")
    assert squared.between(points, points)[4, 4] == pytest.approx(np.sqrt((pairs**2).mean()))


def test_value_differences() -> None:
    schema = Schema((Nominal("c", ("a", "b", "none")), Nominal("y", ("no", "yes"))), ("feature", "target"))
    table = Table(schema, [[0, 0, 1, 1, -1], [0, 1, 1, 1, 0]])
    learned = Distance.of(table, nominal="value-difference", squared=False)
    points = learned.points(table)
    found = learned.between(points, points)
    assert found[0, 2] == pytest.approx(0.5)  # half of |1/2 - 0| + |1/2 - 1|
    assert found[0, 1] == 0
    assert found[0, 4] == found[4, 4] == pytest.approx(0.5)


def test_columns_add_up() -> None:
    table = hornbeam.read("labor")
    learned = Distance.of(table)
    points = learned.points(table)
    parts = learned.differences(points.take([0]), points)
    np.testing.assert_allclose(np.sqrt((parts**2).sum(axis=0)), learned.between(points.take([0]), points))


def test_bad_choices_are_named() -> None:
    table = numbers([1.0, 2.0])
    with pytest.raises(ValueError, match="numeric is 'z'"):
        Distance.of(table, numeric="z")  # type: ignore[arg-type]
    with pytest.raises(SchemaError, match="'no such'"):
        Distance.of(table, weights={"no such": 1.0})
    with pytest.raises(ValueError, match="'x0' is -1"):
        Distance.of(table, weights={"x0": -1.0})
    learned = Distance.of(table)
    with pytest.raises(ValueError, match="k is 0"):
        learned.nearest(learned.points(table), learned.points(table), 0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"weight": np.array([-1.0])},
        {"weight": np.array([1.0, 1.0])},
        {"center": np.array([np.nan])},
        {"missing": "never"},
        {"squared": 1},
        {"tables": np.zeros(4), "table_start": np.array([0, 4])},
        {"knots": np.zeros(1)},
    ],
)
def test_unsound_distances_are_refused(wrong: dict[str, object]) -> None:
    learned = Distance.of(numbers([1.0, 2.0]))
    learned.validate()
    with pytest.raises(ModelError):
        replace(learned, **wrong).validate()  # type: ignore[arg-type]
