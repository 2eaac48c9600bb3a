"""Optimal trees: the tree that trying every tree finds, on tables with every kind of column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st
from reference.optimal import best_tree

import hornbeam
from hornbeam.data.schema import Nominal
from hornbeam.learn.base.limits import LearnError
from hornbeam.learn.trees.optimal.found import found_tree
from hornbeam.learn.trees.optimal.problem import Goal, Problem, make_problem
from hornbeam.learn.trees.optimal.start import greedy_start

if TYPE_CHECKING:
    from hornbeam.data.table import Table

FOREVER = 1e9


@st.composite
def goals(draw: st.DrawFn, *, target: str, deepest: int = 3) -> tuple[Table, Goal]:
    """A small table with a target and weights, and a goal."""
    table = draw(strategies.tables(target=target, weighted=draw(st.booleans()), most_rows=14, most_features=3))
    if table.weights is not None:
        table = table.take(np.flatnonzero(table.weights > 0))
    column = table.schema.target_column
    loss = None
    if isinstance(column, Nominal) and draw(st.booleans()):
        count = len(column.categories)
        costs = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 0.3]), min_size=count**2, max_size=count**2))
        loss = np.array(costs).reshape(count, count) * (1 - np.eye(count))
    goal = Goal(
        max_depth=draw(st.integers(0, deepest)),
        penalty=draw(st.sampled_from([0.0, 0.0, 0.05, 0.3])),
        least=draw(st.sampled_from([0.0, 1.0, 2.0, 3.5])),
        nominal=draw(st.sampled_from(["one-vs-rest", "multiway"])),
        missing=draw(st.sampled_from(["default-direction", "own-category"])),
        loss=loss,
    )
    return table, goal


def solved(problem: Problem, limit: int = 1 << 60) -> tuple[int | None, Any]:
    """The cost and the nodes of the tree that the search finds."""
    search = problem.search()
    while search.advance(FOREVER, limit, 0.0):
        pass
    assert search.finished
    return search.value, search.tree


@pytest.mark.parametrize("target", ["nominal", "numeric"])
@given(data=st.data())
def test_the_tree_is_the_first_of_the_best(target: str, data: st.DataObject) -> None:
    table, goal = data.draw(goals(target=target))
    if table.n_rows == 0:
        return
    problem = make_problem(table, goal)
    expected = best_tree(problem)
    cost, nodes = solved(problem)
    assert cost == (None if expected is None else expected[0])
    if expected is None:
        return
    tree, right = found_tree(problem, nodes), found_tree(problem, np.array(expected[1], np.int32))
    tree.validate()
    assert tree.same_as(right)
    _, greedy = greedy_start(problem, 1)
    assert greedy is None or greedy >= expected[0]
    # with a limit, as from the greedy tree
    assert solved(problem, expected[0])[0] == expected[0]
    assert solved(problem, expected[0] - 1)[0] is None
