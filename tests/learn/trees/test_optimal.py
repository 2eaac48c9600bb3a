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
from hornbeam.core.base.interrupt import stop_after
from hornbeam.data.schema import Nominal
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
    assert expected is not None
    cost, nodes = solved(problem)
    assert cost == expected[0]
    tree, right = found_tree(problem, nodes), found_tree(problem, np.array(expected[1], np.int32))
    tree.validate()
    assert tree.same_as(right)
    _, greedy = greedy_start(problem, 1)
    assert greedy >= expected[0]
    # with a limit, as from the greedy tree
    assert solved(problem, expected[0])[0] == expected[0]
    assert solved(problem, expected[0] - 1)[0] is None


@pytest.mark.parametrize("target", ["nominal", "numeric"])
@given(data=st.data())
def test_the_objective_is_the_cost_of_the_predictions(target: str, data: st.DataObject) -> None:
    table, goal = data.draw(goals(target=target))
    if table.n_rows == 0:
        return
    given: dict[str, Any] = {"max_depth": goal.max_depth, "penalty": goal.penalty, "min_samples_leaf": goal.least}
    given |= {"nominal": goal.nominal, "missing": goal.missing}
    learner = hornbeam.OptimalTreeRegressor(**given)
    if target == "nominal":
        learner = hornbeam.OptimalTreeClassifier(**given, costs=goal.loss)
    try:
        learner.fit(table)
    except ValueError:  # one class, or costs that are all zero
        return
    assert learner.optimal_
    truth, weights = table.target_values(), table.row_weights
    predicted = learner.model_.predict_codes(table)
    error, root = weights * (predicted != truth), float(weights.sum())
    if target == "numeric":
        error, root = weights * np.square(predicted - truth), float(learner.model_.error[0])
    elif goal.loss is not None:
        error = weights * goal.loss[truth, predicted]
    expected = error.sum() + goal.penalty * root * learner.model_.n_leaves
    assert learner.objective_ == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert learner.bound_ == learner.objective_
    assert learner.gap_ == 0.0


def drawn(rows: int, columns: int, seed: int = 0, classes: int = 2) -> tuple[Any, Any]:
    """Numbers, and classes that depend on three of the columns."""
    source = np.random.default_rng(seed)
    X = source.normal(size=(rows, columns))  # noqa: N806 - the name of scikit-learn
    score = 2 * X[:, 0] + X[:, 1] * X[:, 2] + 0.7 * source.normal(size=rows)
    return X, np.digitize(score, np.quantile(score, np.arange(1, classes) / classes))


@pytest.mark.parametrize("classes", [2, 4])
def test_deeper_trees_are_never_worse_and_the_order_of_rows_is_irrelevant(classes: int) -> None:
    X, y = drawn(120, 3, classes=classes)  # noqa: N806
    costs = [hornbeam.OptimalTreeClassifier(max_depth=depth).fit(X, y).objective_ for depth in range(5)]
    assert costs == sorted(costs, reverse=True)
    mixed = np.random.default_rng(3).permutation(len(y))
    one, other = (hornbeam.OptimalTreeClassifier(max_depth=3).fit(X[rows], y[rows]) for rows in (slice(None), mixed))
    assert hornbeam.show.text(one) == hornbeam.show.text(other)


def test_a_row_of_weight_two_counts_as_two_rows() -> None:
    X, y = drawn(60, 3)  # noqa: N806
    weights = np.random.default_rng(5).integers(1, 4, 60)
    one = hornbeam.OptimalTreeClassifier(max_depth=3).fit(X, y, weights)
    other = hornbeam.OptimalTreeClassifier(max_depth=3).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert one.objective_ == other.objective_
    assert (one.predict(X) == other.predict(X)).all()


@pytest.mark.parametrize("learner", [hornbeam.OptimalTreeClassifier, hornbeam.OptimalTreeRegressor])
def test_a_search_that_runs_out_of_time_keeps_the_best_tree_and_a_bound(learner: Any) -> None:
    X, y = drawn(400, 6)  # noqa: N806
    shortest = learner(max_depth=4, time_limit=1e-6).fit(X, y)
    best = learner(max_depth=2).fit(X, y)
    assert not shortest.optimal_
    assert 0 <= shortest.bound_ <= best.objective_
    assert 0 < shortest.gap_ <= 1
    assert shortest.get_depth() <= 4
    begun = hornbeam.TreeClassifier if learner is hornbeam.OptimalTreeClassifier else hornbeam.TreeRegressor
    greedy = begun(max_depth=4, nominal="one-vs-rest").fit(X, y).model_
    assert shortest.objective_ <= greedy.error[greedy.n_children == 0].sum() * (1 + 1e-12)


def test_a_callback_sees_the_gap_close_and_can_end_the_search() -> None:
    X, y = drawn(150, 4)  # noqa: N806
    seen: list[tuple[int, int]] = []

    def note(step: int, total: int) -> bool:
        seen.append((step, total))
        return False

    fitted = hornbeam.OptimalTreeClassifier(max_depth=3).set_callbacks(note).fit(X, y)
    assert fitted.optimal_
    assert [step for step, _ in seen] == list(range(1, 101))
    assert {total for _, total in seen} == {100}


def test_ctrl_c_keeps_the_best_tree_only_if_wanted() -> None:
    X, y = drawn(150, 4)  # noqa: N806
    with_tree = hornbeam.OptimalTreeClassifier(max_depth=3, keep_on_interrupt=True)
    for polls in (400, 2000):
        stop_after(polls)
        with_tree.fit(X, y)
        stop_after(-1)
        assert not with_tree.optimal_
        assert with_tree.bound_ <= hornbeam.OptimalTreeClassifier(max_depth=3).fit(X, y).objective_
        assert with_tree.objective_ >= with_tree.bound_
        stop_after(polls)
        with pytest.raises(KeyboardInterrupt):
            hornbeam.OptimalTreeClassifier(max_depth=3).fit(X, y)
        stop_after(-1)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_depth": 7}, "max_depth is 7; expected at most 6"),
        ({"penalty": -1}, "penalty is -1; expected a number of at least 0"),
        ({"time_limit": 0}, "time_limit is 0; expected None or a number of seconds above 0"),
        ({"nominal": "subset"}, "nominal is 'subset'; expected one of"),
        ({"missing": "surrogate"}, "missing is 'surrogate'; expected one of"),
    ],
)
def test_wrong_parameters(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        hornbeam.OptimalTreeClassifier(**given).fit(hornbeam.read("iris"))


def test_no_other_program_finds_a_better_tree() -> None:
    contree = pytest.importorskip("pycontree", reason="pycontree is not installed: nothing to compare with")
    for seed, classes in ((1, 2), (2, 3), (3, 5)):
        X, y = drawn(200, 4, seed, classes)  # noqa: N806
        for depth in (1, 2, 3):
            theirs = contree.ConTree(max_depth=depth, time_limit=600)
            theirs.fit(X, y)
            ours = hornbeam.OptimalTreeClassifier(max_depth=depth).fit(X, y)
            assert ours.objective_ == (theirs.predict(X) != y).sum()


def test_no_other_program_finds_a_better_tree_on_switches() -> None:
    streed = pytest.importorskip("pystreed", reason="pystreed is not installed: nothing to compare with")
    for seed, classes in ((1, 2), (2, 3)):
        X, y = drawn(200, 8, seed, classes)  # noqa: N806
        switches = (X > 0.3).astype(int)
        for depth in (1, 2, 3):
            theirs = streed.STreeDClassifier("accuracy", max_depth=depth)
            theirs.fit(switches, y)
            ours = hornbeam.OptimalTreeClassifier(max_depth=depth).fit(switches, y)
            assert ours.objective_ == (theirs.predict(switches) != y).sum()
