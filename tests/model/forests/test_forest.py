"""The forest: its answers against the naive ones, in every layout and for any number of threads; what it can tell."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from drawn_forests import forests, grow_forest
from hypothesis import given
from hypothesis import strategies as st
from reference import forest as naive
from strategies import Random, fill_table, randoms

from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base.align import rows_of_matrix, rows_of_table
from hornbeam.model.base.plain import ModelError, UnseenCategoryWarning
from hornbeam.model.forests import forest as module
from hornbeam.model.forests.forest import Forest
from hornbeam.model.trees.tree import Tree


@st.composite
def cases(draw: st.DrawFn, **options: Any) -> tuple[Forest, Table]:
    forest = draw(forests(**options))
    random: Random = draw(randoms())
    n_rows = random.choice((0, 1, 5, 17, 70, 150))
    return forest, fill_table(random, forest.schema, n_rows, random.choice((0.0, 0.1, 0.5)))


def matrix_of(forest: Forest, table: Table) -> np.ndarray[Any, Any]:
    return np.column_stack([table.columns[i] for i in forest.schema.features])


@given(cases())
def test_every_answer_is_that_of_the_naive_forest(case: tuple[Forest, Table]) -> None:
    forest, table = case
    forest.validate()
    rows, trees = range(table.n_rows), range(forest.n_trees)
    ends = [[naive.end_of(forest, table, row, tree) for tree in trees] for row in rows]
    assert forest.apply(table).tolist() == ends
    sums = np.array([naive.scores_of(forest, table, row) for row in rows]).reshape(-1, forest.n_outputs)
    assert np.array_equal(forest.scores(table), sums)  # tree after tree in double precision: not a bit apart
    expected = naive.answers_of(forest, table)
    if forest.task == "classification":
        np.testing.assert_allclose(forest.predict_proba(table), expected, rtol=1e-12, atol=1e-15)
        assert forest.predict_codes(table).tolist() == forest.predict_proba(table).argmax(axis=1).tolist()
        assert forest.predict_codes(table).dtype == np.int32
    else:
        np.testing.assert_allclose(forest.predict(table), expected[:, 0], rtol=1e-12)


WAYS = [(width, most_leaves) for width in (16, 32, 64) for most_leaves in (0, 40, 10_000)]


@pytest.mark.parametrize("ways", WAYS, ids=str)
@given(cases())
def test_every_way_through_a_tree_leads_to_the_same_leaf(ways: tuple[int, int], case: tuple[Forest, Table]) -> None:
    forest, table = case
    expected = forest.apply(table)
    router = forest._made_ready(ways)
    rows = rows_of_table(forest.schema, table)
    found = np.full_like(expected, -1)
    router.leaves(rows, found, 0, table.n_rows)
    assert np.array_equal(found, expected)
    if forest.all_numeric:
        small = matrix_of(forest, table).astype(np.float32)
        rows = rows_of_matrix(forest.schema, small, None)
        wide = rows_of_matrix(forest.schema, small.astype(np.float64), None)
        router.leaves(rows, found, 0, table.n_rows)
        forest._router.leaves(wide, expected, 0, table.n_rows)
        assert np.array_equal(found, expected)


@given(cases(numeric_only=True))
def test_a_matrix_gives_what_the_table_gives_in_every_layout(case: tuple[Forest, Table]) -> None:
    forest, table = case
    matrix = matrix_of(forest, table)
    wide = np.full((table.n_rows * 2, matrix.shape[1] * 3), np.nan)
    wide[::2, ::3] = matrix
    for layout in (matrix, np.asfortranarray(matrix), wide[::2, ::3], matrix[::-1][::-1], matrix.astype(">f8")):
        assert np.array_equal(forest.predict_codes(layout), forest.predict_codes(table))
        if forest.task == "classification":
            assert np.array_equal(forest.predict_proba(layout), forest.predict_proba(table))
    # The grid's 0.1 is another number in 32 bits, so ask for what those numbers get as a table.
    small = matrix.astype(np.float32)
    columns = list(table.columns)
    for place, position in enumerate(forest.schema.features):
        columns[position] = small[:, place].astype(np.float64)
    rounded = Table(forest.schema, columns)
    for layout in (small, np.asfortranarray(small), np.repeat(small, 2, axis=1)[:, ::2]):
        assert np.array_equal(forest.predict_codes(layout), forest.predict_codes(rounded))


@pytest.mark.parametrize("short", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_next_to_a_cut_and_beyond_all_numbers_go_the_right_way(dtype: type, *, short: bool) -> None:
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    cuts = [0.1, float(np.float32(0.1)), 0.0, -0.0, 1e-46, -1e-46, 1e300, -1e300, 1.5, np.inf, 5e-324, 16777217.0]
    cuts = [*cuts, float(np.finfo(np.float32).max), 3.5e38]
    if short:  # then 32 bits do for numbers of 64, too
        with np.errstate(over="ignore"):
            cuts = [cut for cut in cuts if np.float32(cut) == cut]
    for missing in (0, 1):
        forest = Forest(
            schema,
            roots=np.arange(0, 3 * len(cuts) + 1, 3, dtype=np.int64),
            feature=np.tile([0, -1, -1], len(cuts)).astype(np.int32),
            cut=np.ravel([[cut, 0.0, 0.0] for cut in cuts]),
            first_child=np.ravel([[3 * i + 1, -1, -1] for i in range(len(cuts))]).astype(np.int32),
            missing=np.tile([missing, 0, 0], len(cuts)).astype(np.int8),
            weight=np.ones(3 * len(cuts), np.float32),
            value=np.tile([0.0, 0.0, 1.0], len(cuts)).astype(np.float32)[:, None],
            gain=np.zeros(3 * len(cuts), np.float32),
            base=np.zeros(1),
        )
        with np.errstate(over="ignore"):
            near = np.array(cuts).astype(dtype)
            values = np.concatenate([near, np.nextafter(near, dtype(-np.inf)), np.nextafter(near, dtype(np.inf))])
        values = np.concatenate([values, np.array([np.inf, -np.inf, np.nan], dtype)])
        above = values[:, None].astype(np.float64) > np.array(cuts)
        above[-1] = missing
        expected = above.sum(axis=1) / len(cuts)
        assert np.array_equal(forest.predict_codes(np.tile(values, 7)[:, None]), np.tile(expected, 7))


@given(cases(large=False), st.integers(2, 5))
def test_answers_do_not_depend_on_threads(case: tuple[Forest, Table], n_threads: int) -> None:
    forest, table = case
    table = table.take(np.arange(2000) % max(table.n_rows, 1) if table.n_rows else np.arange(0))
    assert np.array_equal(forest.predict_codes(table), forest.predict_codes(table, n_threads))
    assert np.array_equal(forest.scores(table), forest.scores(table, n_threads))
    assert np.array_equal(forest.apply(table), forest.apply(table, n_threads))


def test_rows_are_sent_down_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    forest = grow_forest(Random(2), schema, "mean", n_trees=3, most_inner=20)
    matrix = np.linspace(-3, 4, 1003)[:, None]
    whole, ends = forest.predict_proba(matrix), forest.apply(Table(schema, [matrix[:, 0], [0] * 1003]))
    monkeypatch.setattr(module, "MOST_ROWS", 100)
    monkeypatch.setattr(module, "LEAST_ROWS", 10)
    for n_threads in (1, 3):
        assert np.array_equal(forest.predict_proba(matrix, n_threads), whole)
        assert np.array_equal(forest.apply(Table(schema, [matrix[:, 0], [0] * 1003]), n_threads), ends)


@given(cases(large=False), st.integers(1, 4))
def test_stages_are_the_answers_of_the_first_trees(case: tuple[Forest, Table], every: int) -> None:
    forest, table = case
    stages = list(forest.staged(table, every))
    counts = [min(first + every, forest.n_trees) for first in range(0, forest.n_trees, every)]
    assert len(stages) == len(counts)
    for stage, count in zip(stages, counts, strict=True):
        scores = [naive.scores_of(forest, table, row, count) for row in range(table.n_rows)]
        expected = [naive.answer_of(forest, row) for row in scores]
        assert stage.ndim == 2 - (forest.task == "regression")
        np.testing.assert_allclose(stage.ravel(), np.ravel(expected), rtol=1e-12, atol=1e-15)


@given(cases(large=False), st.data())
def test_one_tree_ends_rows_where_it_does_in_the_forest(case: tuple[Forest, Table], data: st.DataObject) -> None:
    forest, table = case
    number = data.draw(st.integers(0, forest.n_trees - 1))
    tree = forest.tree(number)
    assert isinstance(tree, Tree)
    tree.validate()
    rows = Table(tree.schema, [table.columns[i] if i in table.schema.features else np.zeros(table.n_rows) for i in
                               range(len(table.columns))])  # fmt: skip
    ends = tree.apply(rows) + forest.roots[number]
    assert ends.tolist() == forest.apply(table)[:, number].tolist()
    reached = forest.weight[ends] > 0
    if tree.task == "regression":
        np.testing.assert_allclose(tree.predict(rows)[reached], forest.node_values()[ends, 0][reached], rtol=1e-12)
    else:
        np.testing.assert_allclose(tree.predict_proba(rows)[reached], forest.value[ends][reached], atol=1e-6)
    with pytest.raises(IndexError, match="the forest has trees 0 to"):
        forest.tree(forest.n_trees)


@given(forests(large=False))
def test_importance_is_each_features_share_of_the_gain(forest: Forest) -> None:
    expected = np.zeros(len(forest.schema.features))
    for node in range(forest.n_nodes):
        if forest.feature[node] >= 0:
            expected[forest.feature[node]] += forest.gain[node]
    if expected.sum() > 0:
        expected /= expected.sum()
    np.testing.assert_allclose(forest.importance(), expected, rtol=1e-12)


@given(forests(large=False))
def test_a_forest_is_the_same_as_its_copy_and_no_other(forest: Forest) -> None:
    copy = pickle.loads(pickle.dumps(forest))  # noqa: S301 - our own
    assert forest.same_as(copy)
    assert not forest.same_as(replace(forest, gain=forest.gain + 1))
    assert not forest.same_as(replace(forest, recipe={}))
    assert not forest.same_as(forest.tree(0))
    assert "trees" in repr(forest)


def test_unknown_categories_go_the_way_of_missing_values() -> None:
    random = Random(1)
    schema = Schema((Nominal("x", ("a", "b")), Numeric("y")), ("feature", "target"))
    forest = grow_forest(random, schema, "regression", n_trees=3, most_inner=3)
    other = Schema((Nominal("x", ("b", "new", "a")), Numeric("y")), ("feature", "target"))
    rows = Table(other, [[0, 1, 2, -1], [0.0] * 4])
    known = Table(schema, [[1, -1, 0, -1], [0.0] * 4])
    with pytest.warns(UnseenCategoryWarning, match="'new'"):
        assert np.array_equal(forest.predict(rows), forest.predict(known))


def test_what_cannot_be_asked_is_refused() -> None:
    schema = Schema((Nominal("x", ("a", "b")), Numeric("y")), ("feature", "target"))
    forest = grow_forest(Random(1), schema, "regression", n_trees=2, most_inner=3)
    table = Table(schema, [[0], [0.0]])
    assert not forest.all_numeric
    with pytest.raises(ModelError, match="the target 'y' is numeric"):
        forest.predict_proba(table)
    with pytest.raises(SchemaError, match="column 'x' is nominal"):
        forest.predict_codes(np.zeros((1, 1)))
    numeric = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    forest = grow_forest(Random(1), numeric, "regression", n_trees=2, most_inner=3)
    assert forest.all_numeric
    with pytest.raises(ModelError, match="the target 'y' is numeric"):
        forest.predict_proba(np.zeros((1, 1)))
    with pytest.raises(ValueError, match="expected rows x 1 features"):
        forest.predict_codes(np.zeros((1, 2)))
