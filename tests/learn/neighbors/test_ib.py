"""IB2, IB3 and IB5 keep the rows that the naive program keeps, at once and in pieces."""

from __future__ import annotations

import copy
import pickle
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.keeping import Keeper
from strategies import fill_table, randoms, schemas

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.neighbors.ib import IB2Classifier, IB3Classifier, IB5Classifier

LEARNERS = [
    IB2Classifier(),
    IB3Classifier(),
    IB3Classifier(accept=0.3, reject=0.4),
    IB5Classifier(accept=0.3, reject=0.4),
    IB5Classifier(by_class=True, noise=False),
    IB5Classifier(by_class=True, noise=False, rate=0.3),
    IB5Classifier(noise=False, rate=0.3),
]


def keeper(learner: Any, table: Table) -> Keeper:
    """The naive program after the rows of a table."""
    schema = table.schema
    columns = [schema.columns[place] for place in schema.features]
    nominal = [isinstance(column, Nominal) and not column.ordered for column in columns]
    target = schema.target_column
    assert isinstance(target, Nominal)
    found = Keeper(nominal, len(target.categories))
    keeping = learner._keeping()
    found.records, found.by_class, found.rate = keeping.records, keeping.learned == "class", keeping.rate
    found.learned = keeping.learned != "none"
    normal = NormalDist()
    found.accept, found.reject = normal.inv_cdf(1 - keeping.accept), normal.inv_cdf(1 - keeping.reject)
    found.__post_init__()
    for row in range(table.n_rows):
        values = []
        for place, column in zip(schema.features, columns, strict=True):
            x = float(table.columns[place][row])
            values.append(None if np.isnan(x) or (isinstance(column, Nominal) and x < 0) else x)
        found.see(values, int(table.target_values()[row]))
    return found


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_keeps_what_the_naive_program_keeps(data: st.DataObject) -> None:
    schema, random = data.draw(schemas()), data.draw(randoms())
    table = fill_table(random, schema, random.randint(1, 120), 0.15)
    learner = data.draw(st.sampled_from(LEARNERS))
    learner.fit(table)
    wanted = keeper(learner, table)
    assert learner.kept_rows_.tolist() == [kept.number for kept in wanted.kept]
    assert learner.memory_.tried.tolist() == [kept.tried for kept in wanted.kept]
    assert learner.memory_.right.tolist() == [kept.right for kept in wanted.kept]
    assert learner.memory_.noisy.tolist() == sorted(wanted.dropped)
    np.testing.assert_allclose(learner.memory_.weight, wanted.weights)
    assert learner.memory_.predicts.tolist() == [wanted.accepted(kept) for kept in wanted.kept]
    learner.model_.validate()


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("name", ["iris", "glass", "labor"])
def test_in_pieces_as_at_once(learner: Any, name: str) -> None:
    table = hornbeam.read(name)
    order = np.random.default_rng(3).permutation(table.n_rows)
    table = table.take(order)
    whole = type(learner)(**learner.get_params()).fit(table)
    pieces = type(learner)(**learner.get_params())
    for start in range(0, table.n_rows, 13):
        pieces.partial_fit(table.take(np.arange(start, min(start + 13, table.n_rows))))
    assert pieces.model_.same_as(whole.model_)
    assert pieces.kept_rows_.tolist() == whole.kept_rows_.tolist()
    np.testing.assert_array_equal(pieces.predict(table), whole.predict(table))


def test_many_rows_go_by_the_tree() -> None:
    random = np.random.default_rng(5)
    values = random.integers(0, 40, (1500, 3)).astype(float)
    values[random.random(values.shape) < 0.02] = np.nan
    classes = (np.nansum(values, axis=1) > 55).astype(int) + (random.random(1500) < 0.2)
    learner = IB2Classifier().fit(values, classes)
    table = Table(learner.schema_, [*values.T, np.asarray(np.searchsorted(learner.classes_, classes), np.int32)])
    assert len(learner.kept_rows_) > 300
    assert learner.kept_rows_.tolist() == [kept.number for kept in keeper(learner, table).kept]


@settings(deadline=None, max_examples=30)
@given(st.data())
def test_ties_and_classes_in_a_tree_of_many_leaves(data: st.DataObject) -> None:
    random = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    rows, n_columns = data.draw(st.integers(150, 350)), data.draw(st.integers(1, 5))
    n_classes = data.draw(st.sampled_from([2, 3, 12]))  # of 12, a leaf has too many to be parted by class
    n_values, missing = data.draw(st.sampled_from([3, 12, 1000])), data.draw(st.sampled_from([0.0, 0.1]))
    nominal = random.random(n_columns) < data.draw(st.sampled_from([0.0, 0.5]))
    columns: list[Any] = []
    arrays: list[Any] = []
    for f in range(n_columns):
        codes, gone = random.integers(0, n_values, rows), random.random(rows) < missing
        name = f"x{f}"
        columns.append(Nominal(name, tuple(str(code) for code in range(n_values))) if nominal[f] else Numeric(name))
        arrays.append(np.where(gone, -1, codes).astype(np.int32) if nominal[f] else np.where(gone, np.nan, codes * 0.1))
    target = Nominal("y", tuple(str(code) for code in range(n_classes)))
    near = np.nan_to_num(arrays[0]) * n_classes // max(1.0, np.nanmax(arrays[0]) + 1)  # neighbors are often alike
    classes = np.where(random.random(rows) < 0.5, near, random.integers(0, n_classes, rows)).astype(np.int32)
    classes[classes < 0] = 0
    table = Table(Schema((*columns, target), (*["feature"] * n_columns, "target")), [*arrays, classes])
    wanted = [kept.number for kept in keeper(IB2Classifier(), table).kept]
    assert IB2Classifier().fit(table).kept_rows_.tolist() == wanted
    pieces, start = IB2Classifier(), 0
    while start < rows:
        stop = start + int(random.integers(1, 100))
        pieces.partial_fit(table.take(np.arange(start, min(stop, rows))))
        start = stop
    assert pieces.kept_rows_.tolist() == wanted


def test_memory_can_be_gone_on_from_more_than_once() -> None:
    table = heaps(9000, mixed=True)
    start, one, other = (table.take(np.arange(3000 * i, 3000 * i + 3000)) for i in range(3))
    fresh = [IB2Classifier().partial_fit(start).partial_fit(more).kept_rows_.tolist() for more in (one, other)]
    learner = IB2Classifier().partial_fit(start)
    copies = [copy.copy(learner), copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))]  # noqa: S301 - our own
    assert learner.partial_fit(one).kept_rows_.tolist() == fresh[0]
    for again in copies:  # their memory may share its tree with the one that went on
        assert again.partial_fit(other).kept_rows_.tolist() == fresh[1]
    whole = IB2Classifier().partial_fit(start).partial_fit(one).partial_fit(other).kept_rows_.tolist()
    assert learner.partial_fit(other).kept_rows_.tolist() == whole


def heaps(rows: int, *, mixed: bool) -> Table:
    """Four heaps, apart, with seven rows in ten thousand of another class."""
    random = np.random.default_rng(7)
    heap = random.integers(0, 4, rows)
    middle = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1], [1, 0, 1, 0]])[heap]
    values = middle + random.normal(0, 0.08, (rows, 4))
    classes = np.where(random.random(rows) < 0.0007, random.integers(0, 4, rows), heap).astype(np.int32)
    columns: list[Any] = [Numeric(name) for name in "pqrs"]
    arrays: list[Any] = list(values.T)
    if mixed:
        columns[0] = Nominal("p", tuple("abcdefgh"))
        arrays[0] = np.clip(values[:, 0] * 5 + 1, 0, 7).astype(np.int32)
        arrays[0][random.random(rows) < 0.01] = -1
        arrays[1] = np.where(random.random(rows) < 0.01, np.nan, arrays[1])
    target = Nominal("heap", tuple("abcd"))
    return Table(Schema((*columns, target), (*["feature"] * 4, "target")), [*arrays, classes])


@pytest.mark.parametrize("mixed", [False, True])
def test_the_work_is_nearly_proportional_to_the_rows(mixed: bool) -> None:
    table = heaps(240_000, mixed=mixed)
    few, many = (IB2Classifier().fit(table.take(np.arange(rows))) for rows in (60_000, 240_000))
    assert len(many.kept_rows_) <= 0.01 * 240_000
    assert len(many.kept_rows_) > 3 * len(few.kept_rows_)  # one by one, a row would cost more than three times as much
    a_row = [learner.memory_.n_compared / learner.memory_.n_seen for learner in (few, many)]
    assert a_row[1] < 1.7 * a_row[0]
    assert a_row[1] < 0.05 * len(many.kept_rows_)
    assert many.memory_bytes_ == many.model_.n_bytes == sum(column.nbytes for column in many.model_.kept.columns)
    assert many.memory_bytes_ <= 0.01 * sum(column.nbytes for column in table.columns)


def test_the_same_rows_of_other_classes_do_not_burden_the_tree() -> None:
    random = np.random.default_rng(2)
    values, classes = random.integers(0, 3, (4000, 2)).astype(float), random.integers(0, 2, 4000)
    learner = IB2Classifier().fit(values, classes)
    assert len(learner.kept_rows_) > 1000  # each contradicts the first of its kind
    assert learner.memory_.n_compared <= 4 * 9 * 4000  # 9 kinds of rows, looked at four times at most
    pieces = IB2Classifier()
    for start in range(0, 4000, 500):
        pieces.partial_fit(values[start : start + 500], classes[start : start + 500])
    assert pieces.kept_rows_.tolist() == learner.kept_rows_.tolist()


def test_the_same_rows_do_not_burden_a_tree_parted_by_class() -> None:
    random = np.random.default_rng(2)
    values, classes = random.integers(0, 9, (16_000, 2)).astype(float), random.integers(0, 2, 16_000)
    few, many = (IB2Classifier().fit(values[:rows], classes[:rows]) for rows in (4000, 16_000))
    assert len(many.kept_rows_) > 3 * len(few.kept_rows_)
    a_row = [learner.memory_.n_compared / learner.memory_.n_seen for learner in (few, many)]
    assert a_row[1] < 1.1 * a_row[0]


def test_partial_fit_of_arrays() -> None:
    values, classes = np.array([[0.0], [1.0], [5.0]]), np.array(["a", "a", "b"])
    learner = IB2Classifier().partial_fit(values[:2], classes[:2], classes=["a", "b"])
    learner.partial_fit(values[2:], classes[2:])
    assert learner.kept_rows_.tolist() == [0, 2]
    assert learner.predict([[4.0]]).tolist() == ["b"]
    assert learner.memory_bytes_ == 2 * (8 + 4)
    with pytest.raises(ValueError, match="'c' was not known"):
        learner.partial_fit([[1.0]], ["c"])
    with pytest.raises(ValueError, match="requires y"):
        learner.partial_fit([[1.0]])
    with pytest.raises(ValueError, match="expected one per row"):
        learner.partial_fit([[1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="not among the given classes"):
        IB2Classifier().partial_fit(values, classes, classes=["a"])


def test_a_loaded_model_is_not_learned_on(tmp_path: Any) -> None:
    table = hornbeam.read("iris")
    IB3Classifier().fit(table).save(tmp_path / "ib3")
    again = IB3Classifier.from_model(hornbeam.load(tmp_path / "ib3"))
    assert (again.predict(table) == IB3Classifier().fit(table).predict(table)).all()
    with pytest.raises(ValueError, match="fit it again"):
        again.partial_fit(table)


def test_noise_is_found() -> None:
    random = np.random.default_rng(0)
    values = random.random((600, 2))
    classes = (values[:, 0] > 0.5).astype(int)
    noisy = np.flatnonzero(random.random(600) < 0.1)
    classes[noisy] = 1 - classes[noisy]
    learner = IB3Classifier().fit(values, classes)
    assert np.isin(learner.noisy_rows_, noisy).mean() > 0.5
    fresh = random.random((500, 2))
    truth = (fresh[:, 0] > 0.5).astype(int)
    assert (learner.predict(fresh) == truth).mean() > (
        IB2Classifier().fit(values, classes).predict(fresh) == truth
    ).mean()


def test_irrelevant_columns_lose_weight() -> None:
    random = np.random.default_rng(0)
    values = random.random((800, 4))
    values[:, 0] = values[:, 0] > 0.5
    learner = IB5Classifier().fit(values, values[:, 0])
    assert learner.column_weights_[0] > 1.05
    assert (learner.column_weights_[1:] < 1).all()
    assert learner.column_weights_.mean() == pytest.approx(1)
    assert IB5Classifier(by_class=True).fit(values, values[:, 0]).column_weights_.shape == (2, 4)


@pytest.mark.parametrize("seed", range(3))
def test_telling_categories_get_clearly_larger_weights(seed: int) -> None:
    """The class is the majority of the first three of eleven columns of zeros and ones."""
    bits = np.random.default_rng(seed).integers(0, 2, (1000, 11))
    truth = bits[:, :3].sum(axis=1) > 1
    learner = IB5Classifier().fit(bits.astype(str), truth)
    weights = learner.column_weights_
    assert weights[:3].mean() > 2 * weights[3:].mean()
    assert IB5Classifier(rate=0.05).fit(bits.astype(str), truth).column_weights_[:3].mean() < 1.3
    fresh = np.random.default_rng(seed + 10).integers(0, 2, (500, 11))
    right = (learner.predict(fresh.astype(str)) == (fresh[:, :3].sum(axis=1) > 1)).mean()
    without = IB3Classifier().fit(bits.astype(str), truth).predict(fresh.astype(str))
    assert right > 0.98 > (without == (fresh[:, :3].sum(axis=1) > 1)).mean() + 0.05


@pytest.mark.parametrize("seed", range(3))
def test_a_telling_number_gets_the_largest_weight(seed: int) -> None:
    for idle, least in ((6, 1.05), (20, 1.4)):
        values = np.random.default_rng(seed).random((3000, 1 + idle))
        weights = IB5Classifier().fit(values, values[:, 0] > 0.5).column_weights_
        assert weights.argmax() == 0
        assert weights[0] > least


def test_the_worked_step_of_the_page() -> None:
    """One kept row, then a row of the other class, then one of the first class: counted by hand."""
    values = np.array([[0.0, 0.0], [1.0, 1.0], [0.1, 0.7]])
    learner = IB5Classifier(noise=False).fit(values, ["a", "b", "a"])
    # Row 2 is wrong: only class a was seen before, so it counts by 1 - 1 = 0. Row 3: its nearest row is row 1, of its
    # class; classes a and b have a share of one half each, so it counts by 1/2.
    alike = np.array([1 + 0.5 * 0.9, 1 + 0.5 * 0.3])
    wanted = alike / 1.5 - 0.5
    assert learner.column_weights_ == pytest.approx(wanted / wanted.mean())


@pytest.mark.parametrize("wrong", [{"accept": 0.0}, {"reject": 0.7}, {"accept": "x"}])
def test_bad_parameters_are_named(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        IB3Classifier(**wrong).fit(hornbeam.read("iris"))
    with pytest.raises(ValueError, match="rate is 3"):
        IB5Classifier(rate=3).fit(hornbeam.read("iris"))


@pytest.mark.parametrize("name", ["IB2Classifier", "IB3Classifier"])
def test_predictions_by_search_are_those_of_the_model(name: str) -> None:
    rng = np.random.default_rng(5)
    n_rows = 4_000
    numbers = np.round(rng.normal(size=(4, n_rows)), 1)  # many ties
    target = ((numbers[0] + numbers[1] > 0) ^ (rng.random(n_rows) < 0.3)).astype(np.int32)
    numbers[rng.random(numbers.shape) < 0.05] = np.nan
    columns = [*(Numeric(f"x{i}") for i in range(4)), Nominal("c", ("u", "v", "w")), Nominal("y", ("a", "b"))]
    arrays = [*numbers, rng.integers(-1, 3, n_rows).astype(np.int32), target]
    table = Table(Schema(tuple(columns), ("feature",) * 5 + ("target",)), arrays)
    fitted = getattr(hornbeam, name)().fit(table.take(np.arange(2_500)))
    asked = table.take(np.arange(2_500, n_rows))
    assert np.array_equal(fitted.predict_proba(asked), fitted.model_.predict_proba(asked))
    fitted.partial_fit(table.take(np.arange(2_500, 3_000)))  # other rows, another search
    assert np.array_equal(fitted.predict_proba(asked), fitted.model_.predict_proba(asked))
