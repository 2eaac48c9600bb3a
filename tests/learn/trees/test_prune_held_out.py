"""Pruning by held-out rows: what they cost, the best of all pruned trees, the greedy way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import prune as naive
from strategies import fill_table, open_cases, randoms, trees

import hornbeam
from hornbeam import prune
from hornbeam.data.schema import SchemaError
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.prune.held_out import held_out
from hornbeam.model.trees.split import LEAST_SHARE

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

MOST = 300  # pruned forms of a tree that are all tried
Ties = Literal["prune", "keep"]


@st.composite
def grown_cases(draw: st.DrawFn) -> tuple[Tree, Table]:
    """A tree grown from half of a table, and the other half."""
    policy = draw(st.sampled_from([None, "fractional", "surrogate", "default-direction"]))
    table, recipe = draw(open_cases(policy=policy))
    even = np.arange(table.n_rows) % 2 == 0
    assume(even.any() and not even.all())
    tree = grow(table.take(even), recipe)[0]
    return tree, table.take(~even)


@st.composite
def drawn_cases(draw: st.DrawFn) -> tuple[Tree, Table]:
    """Any tree at all, and any rows."""
    target = draw(st.sampled_from(["nominal", "numeric"]))
    tree = draw(trees(surrogates=True, sums=True, most_inner=5, target=target))
    assume(not ((tree.share > 0) & (tree.share <= LEAST_SHARE)).any())  # such pieces of rows are lost
    random = draw(randoms())
    return tree, fill_table(random, tree.schema, random.randint(1, 12), random.choice((0.0, 0.3)))


CASES = st.one_of(grown_cases(), drawn_cases())


@given(CASES)
def test_what_rows_cost(case: tuple[Tree, Table]) -> None:
    tree, table = case
    found = held_out(tree, table)
    path = prune.cost_complexity(tree, table=table)
    steps = sorted({0, len(path) // 2, len(path) - 1})
    for step in steps:
        pruned = path.trees[step]
        expected = naive.held_out_cost(pruned, table, frozenset())
        assert path.held_out_error[step] * found.weight == pytest.approx(expected, abs=1e-6)
    least = path.held_out_error.min()
    assert path.held_out_error[path.chosen] == pytest.approx(least, abs=1e-9)
    assert not (path.held_out_error[path.chosen + 1 :] <= least - 1e-9).any()


@given(CASES)
def test_from_the_leaves_up_finds_the_smallest_of_the_best(case: tuple[Tree, Table]) -> None:
    tree, table = case
    assume(naive.n_pruned(tree) <= MOST)
    costs = {closed: naive.held_out_cost(tree, table, closed) for closed in naive.all_pruned(tree)}
    least = min(costs.values())
    best = [closed for closed, cost in costs.items() if cost <= least + 1e-6]
    path = prune.reduced_error(tree, table)
    weight = float(table.n_rows if table.weights is None else table.weights.sum())
    assert path.held_out_error[-1] * weight == pytest.approx(least, abs=1e-5)
    assert path.best.n_leaves == min(len(naive.leaves(tree, closed)) for closed in best)
    assert path.estimate.tolist() == path.held_out_error.tolist()
    keeping = prune.reduced_error(tree, table, ties="keep")
    assert keeping.held_out_error[-1] * weight == pytest.approx(least, abs=1e-5)
    assert keeping.best.n_leaves >= path.best.n_leaves
    assert prune.reduced_error(path.best, table).best.n_nodes == path.best.n_nodes


@given(CASES, st.sampled_from(["prune", "keep"]))
def test_the_greedy_way(case: tuple[Tree, Table], ties: Ties) -> None:
    tree, table = case
    slack = 1e-6
    if tree.task == "regression":
        slack = 1e-10 * naive.held_out_cost(tree, table, frozenset({0}))
        assume(slack > 0)
    expected = naive.greedy(tree, table, prune_ties=ties == "prune", slack=slack)
    path = prune.reduced_error(tree, table, order="greedy", ties=ties)
    closed = frozenset(expected)
    assert path.best.n_leaves == len(naive.leaves(tree, closed))
    assert len(path) == len(expected) + 1
    assert (np.diff(path.held_out_error) <= 1e-9).all()
    best = prune.reduced_error(tree, table, ties=ties)
    assert path.held_out_error[-1] >= best.held_out_error[-1] - 1e-9


def test_the_greedy_way_removes_what_helps_most_first() -> None:
    table = hornbeam.read("credit-g")
    rows = np.arange(table.n_rows)
    tree = hornbeam.TreeClassifier().fit(table.take(rows % 3 > 0)).model_
    path = prune.reduced_error(tree, table.take(rows % 3 == 0), order="greedy")
    saved = -np.diff(path.held_out_error)
    assert (np.diff(saved) <= 1e-12).all()
    assert path.best.n_leaves < tree.n_leaves / 2


# ---- tables --------------------------------------------------------------------------------------------------------


def iris() -> tuple[Tree, Table]:
    table = hornbeam.read("iris")
    return hornbeam.TreeClassifier().fit(table).model_, table


def test_columns_are_found_by_name() -> None:
    tree, table = iris()
    turned = table.select(list(reversed(table.schema.names)))
    assert prune.reduced_error(tree, turned).n_leaves.tolist() == prune.reduced_error(tree, table).n_leaves.tolist()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda table: table.select([0, 1, 2, 3]), "needs its target 'class'"),
        (lambda table: table.select([0, 1, 2, 4]), "'petalwidth'"),
        (lambda table: table.take([]), "has no row with a target"),
    ],
)
def test_tables_that_will_not_do(change: Any, message: str) -> None:
    tree, table = iris()
    with pytest.raises((SchemaError, ValueError), match=message):
        prune.reduced_error(tree, change(table))


@pytest.mark.parametrize(
    ("option", "message"),
    [({"order": "top-down"}, "order is 'top-down'; expected"), ({"ties": "toss"}, "ties is 'toss'; expected")],
)
def test_unknown_ways_are_refused(option: dict[str, Any], message: str) -> None:
    tree, table = iris()
    with pytest.raises(ValueError, match=message):
        prune.reduced_error(tree, table, **option)
