"""The compiled routers against the naive one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import route
from strategies import Random, fill_table, grow_tree, randoms, trees

from hornbeam.core.trees.route import Rows
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.tree import FRACTIONAL, Tree

DEEP = 16_384  # as in descend.pxd
KINDS = st.sampled_from(
    [
        {"single_cuts": True},
        {"single_cuts": True, "surrogates": True},
        {"most_inner": 12},
        {"surrogates": True},
        {"target": "numeric"},
        {"sums": True},
        {"sums": True, "single_cuts": True, "surrogates": True},
    ]
)


@st.composite
def cases(draw: st.DrawFn, **options: bool) -> tuple[Tree, Table]:
    tree = draw(trees(**options) if options else KINDS.flatmap(lambda kind: trees(**kind)))
    random: Random = draw(randoms())
    return tree, fill_table(random, tree.schema, random.choice((0, 1, 5, 40)), random.choice((0.0, 0.1, 0.5)))


@given(cases())
def test_every_answer_is_that_of_the_naive_router(case: tuple[Tree, Table]) -> None:
    tree, table = case
    tree.validate()
    rows = range(table.n_rows)
    assert tree.apply(table).tolist() == [route.leaf(tree, table, row) for row in rows]
    expected = np.array([route.shares(tree, table, row) for row in rows])
    if tree.task == "regression":
        np.testing.assert_allclose(tree.predict(table), expected.ravel(), rtol=1e-12, atol=1e-12)
    else:
        assert tree.predict_codes(table).tolist() == [route.label(tree, table, row) for row in rows]
        np.testing.assert_allclose(
            tree.predict_proba(table), expected.reshape(-1, tree.value.shape[1]), rtol=1e-12, atol=1e-15
        )
    start, nodes, weights = tree.decision_path(table)
    assert len(start) == table.n_rows + 1
    for row in rows:
        visited = [(node, weight) for node, weight, _ in route.visits(tree, table, row)]
        part = slice(start[row], start[row + 1])
        assert list(zip(nodes[part].tolist(), weights[part].tolist(), strict=True)) == visited


@given(st.booleans().flatmap(lambda sums: cases(single_cuts=True, sums=sums)))
def test_a_matrix_gives_what_the_table_gives_in_every_layout(case: tuple[Tree, Table]) -> None:
    tree, table = case
    features = [table.columns[i] for i in tree.schema.features]
    matrix = np.column_stack(features)
    wide = np.full((table.n_rows * 2, len(features) * 3), np.nan)
    wide[::2, ::3] = matrix
    padded = np.pad(matrix, ((0, 0), (0, 2)))[:, : len(features)]
    for layout in (matrix, np.asfortranarray(matrix), wide[::2, ::3], padded, matrix[::-1][::-1], matrix.astype(">f8")):
        assert tree.predict_codes(layout).tolist() == tree.predict_codes(table).tolist()
        assert np.array_equal(tree.predict_proba(layout), tree.predict_proba(table))
    # The grid's 0.1 is another number in 32 bits, so ask for what those numbers get as a table.
    small = matrix.astype(np.float32)
    columns = list(table.columns)
    for place, position in enumerate(tree.schema.features):
        columns[position] = small[:, place].astype(np.float64)
    rounded = Table(tree.schema, columns)
    for layout in (small, np.asfortranarray(small), np.repeat(small, 2, axis=1)[:, ::2]):
        assert tree.predict_codes(layout).tolist() == tree.predict_codes(rounded).tolist()


@given(cases(single_cuts=True))
def test_one_row_alone_gets_the_answer_it_gets_among_others(case: tuple[Tree, Table]) -> None:
    tree, table = case
    together = tree.predict_codes(table)
    assert [tree.predict_codes(table.take([row]))[0] for row in range(table.n_rows)] == together.tolist()


def test_a_matrix_of_the_wrong_width_is_refused() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    tree = grow_tree(Random(1), schema)
    with pytest.raises(ValueError, match=r"shape \(3, 5\).*rows x 1 features"):
        tree.predict_codes(np.zeros((3, 5)))
    with pytest.raises(ValueError, match=r"shape \(3,\)"):
        tree.predict_codes(np.zeros(3))


def test_a_matrix_cannot_give_categories(weather: Tree) -> None:
    with pytest.raises(ValueError, match="'outlook' is nominal"):
        weather.predict_codes(np.zeros((1, 2)))


def test_class_shares_are_refused_for_numbers() -> None:
    tree = grow_tree(Random(1), Schema((Numeric("x"), Numeric("y")), ("feature", "target")))
    with pytest.raises(ModelError, match="'y' is numeric"):
        tree.predict_proba(Table(tree.schema, [[1.0], [2.0]]))


def test_the_kernels_refuse_what_is_not_a_column_of_theirs() -> None:
    with pytest.raises(TypeError, match="expected float64"):
        Rows(columns=[np.zeros(2, np.int64)], n_rows=2)
    with pytest.raises(ValueError, match="not an array of 3 values"):
        Rows(columns=[np.zeros(2)], n_rows=3)


def test_a_piece_too_small_for_a_number_does_not_divide_by_zero() -> None:
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    depth = 70  # shares of 2e-6, seventy times: less than the least double
    parent = np.array([-1, *np.repeat([0, *range(1, 2 * depth - 2, 2)], 2)], np.int32)
    n_nodes = len(parent)
    inner = np.unique(parent[1:])
    first_child, split = np.full(n_nodes, -1, np.int32), np.full(n_nodes, -1, np.int32)
    first_child[inner] = [int(np.argmax(parent == node)) for node in inner]
    split[inner] = np.arange(depth)
    share = np.where(np.arange(n_nodes) % 2 == 1, 2e-6, 0.0)
    share[0] = 1.0
    share[-1] = share[-2] = 2e-6  # two pieces at the end
    value = np.tile([1.0, 3.0], (n_nodes, 1))
    tree = replace(
        grow_tree(Random(1), schema, most_inner=0),
        splits=replace(
            grow_tree(Random(1), schema, most_inner=0).splits,
            column=np.zeros(depth, np.int32),
            kind=np.zeros(depth, np.int8),
            n_branches=np.full(depth, 2, np.int32),
            score=np.zeros(depth),
            equal_low=np.ones(depth, np.bool_),
            cut_start=np.arange(depth + 1),
            cuts=np.zeros(depth),
            code_start=np.zeros(depth + 1, np.int64),
            other=np.full(depth, -1, np.int32),
        ),
        parent=parent,
        first_child=first_child,
        n_children=np.where(first_child >= 0, 2, 0).astype(np.int32),
        split=split,
        missing=np.full(n_nodes, FRACTIONAL, np.int32),
        rows=np.ones(n_nodes, np.int64),
        weight=value.sum(axis=1),
        value=value,
        label=np.ones(n_nodes, np.int32),
        error=np.zeros(n_nodes),
        share=share,
        pseudo_count=0.0,
    )
    assert tree.depth == depth
    np.testing.assert_array_equal(tree.predict_proba(np.array([[np.nan]])), [[0.25, 0.75]])


def test_deep_trees_route_as_one_row_after_another_goes() -> None:
    random = np.random.default_rng(3)
    n_rows, n_columns = 12_000, 4
    numbers = random.random((n_rows, n_columns))
    numbers[:, 0] **= 8  # so that rows end at depths that differ
    tree = TreeRegressor(min_samples_leaf=1, missing="majority").fit(numbers, random.random(n_rows)).model_
    assert tree.n_nodes > DEEP
    asked = random.random((1_300, n_columns))
    asked[random.random(asked.shape) < 0.005] = np.nan
    expected = []
    for row in asked:
        node = 0
        while tree.n_children[node]:
            value, cut = row[tree.splits.column[tree.split[node]]], tree.splits.cuts[tree.split[node]]
            node = int(tree.first_child[node] + (tree.missing[node] if np.isnan(value) else value > cut))
        expected.append(node)
    table = Table(tree.schema, [*asked.T, np.zeros(len(asked))])
    assert tree.apply(table).tolist() == expected
    answers = tree.value[expected, 1].tolist()
    assert tree.predict(table).tolist() == answers
    assert tree.predict_codes(asked).tolist() == answers
    assert tree.predict_codes(np.asfortranarray(asked)).tolist() == answers


@pytest.mark.parametrize("seed", range(6))
def test_cuts_between_codes_of_ordered_columns_go_the_short_way_too(seed: int) -> None:
    random = Random(seed)
    sizes = tuple("abcdefghi")
    schema = Schema(
        (Numeric("x"), Nominal("size", sizes, ordered=True), Nominal("grade", sizes[:3], ordered=True), Numeric("y")),
        ("feature", "feature", "feature", "target"),
    )
    table = fill_table(random, schema, 60, 0.0)
    tree = TreeRegressor(min_samples_leaf=1).fit(table).model_
    assert {1, 2} & set(tree.splits.column.tolist())
    for share in (0.0, 0.2):
        others = fill_table(random, schema, 700, share)
        assert tree.apply(others).tolist() == [route.leaf(tree, others, row) for row in range(700)]
