"""Linear leaves of the open recipe: each leaf's equation is that of its own rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.learn.trees.model_trees.linear_leaves import ROWS_A_PARAMETER

if TYPE_CHECKING:
    from pathlib import Path


def test_pieces_of_straight_lines_are_found_again() -> None:
    rng = np.random.default_rng(0)
    features = rng.uniform(-1, 1, (400, 3))
    target = np.where(features[:, 0] <= 0, 9 + 2 * features[:, 1], -1 - 4 * features[:, 2])
    learner = hornbeam.TreeRegressor(leaf="linear", max_depth=1).fit(features, target)
    assert np.allclose(learner.predict(features), target)
    assert np.allclose(learner.model_.term_coefficient, [2, -4])


@pytest.mark.parametrize("name", ["cpu", "servo", "auto-mpg"])
def test_the_equation_of_a_lone_leaf_is_the_linear_regression(name: str) -> None:
    table = hornbeam.read(name)
    tree = hornbeam.TreeRegressor(leaf="linear", max_depth=0).fit(table)
    assert tree.model_.n_leaves == 1
    assert np.allclose(tree.predict(table), hornbeam.LinearRegressor().fit(table).predict(table), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:LinearRegressor learned")
def test_each_leaf_answers_by_the_regression_of_its_rows() -> None:
    table = hornbeam.read("cpu")
    learner = hornbeam.TreeRegressor(leaf="linear", min_samples_leaf=30).fit(table)
    ends = learner.model_.apply(table)
    answers = learner.predict(table)
    assert learner.model_.n_leaves > 1
    for leaf in np.unique(ends):
        part = table.take(ends == leaf)
        apart = hornbeam.LinearRegressor().fit(part)
        assert np.allclose(answers[ends == leaf], apart.predict(part), rtol=1e-7)


def test_a_leaf_with_few_rows_answers_with_their_mean() -> None:
    table = hornbeam.read("cpu").take(range(ROWS_A_PARAMETER * 7 - 1))  # six columns and an intercept
    learner = hornbeam.TreeRegressor(leaf="linear", max_depth=0).fit(table)
    assert np.allclose(learner.predict(table), table.target_values().mean())


def test_it_is_kept_in_a_file_and_shown(tmp_path: Path) -> None:
    table = hornbeam.read("servo")
    learner = hornbeam.TreeRegressor(leaf="linear", max_depth=2, min_samples_leaf=20).fit(table)
    learner.save(tmp_path / "tree.hornbeam")
    again = hornbeam.load(tmp_path / "tree.hornbeam")
    assert np.array_equal(again.predict(table), learner.predict(table))
    assert "equation 1: class = " in hornbeam.show.text(learner)


def test_limits_and_equations_do_not_go_together() -> None:
    learner = hornbeam.TreeRegressor(leaf="linear", monotonic_cst={"MMAX": 1})
    with pytest.raises(ValueError, match="an equation may violate the limits"):
        learner.fit(hornbeam.read("cpu"))
