"""Trees of numbers that were pruned on held-out rows predict the means of all their training rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.table import Table


def rows(name: str, *, lacking: bool) -> Table:
    table = hornbeam.read(name)
    columns, random = list(table.columns), np.random.default_rng(3)
    for place in table.schema.features if lacking else ():
        none: Any = np.nan if columns[place].dtype.kind == "f" else -1
        columns[place] = np.where(random.random(table.n_rows) < 0.2, none, columns[place]).astype(columns[place].dtype)
    return Table(table.schema, columns)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lacking", [False, True])
@pytest.mark.parametrize("missing", ["default-direction", "surrogate"])
def test_leaves_have_the_means_of_all_training_rows(missing: str, lacking: bool, weighted: bool) -> None:
    table = rows("cpu", lacking=lacking)
    weights = np.random.default_rng(1).uniform(0.5, 2, table.n_rows) if weighted else np.ones(table.n_rows)
    learner = hornbeam.TreeRegressor(prune="reduced-error", missing=missing, random_state=2)
    tree = learner.fit(table, sample_weight=weights if weighted else None).model_
    tree.validate()
    assert tree.n_leaves > 3
    assert tree.rows[0] == table.n_rows
    ends, truth = tree.apply(table), table.target_values()
    whole = tree.decision_path(table)[2].min() == 1.0  # no row in parts
    for leaf in np.unique(ends) if whole else ():
        mean = np.average(truth[ends == leaf], weights=weights[ends == leaf])
        assert tree.value[leaf, 1] == pytest.approx(mean)
        assert tree.weight[leaf] == pytest.approx(weights[ends == leaf].sum())


def test_rows_in_parts_count_by_their_parts() -> None:
    table = rows("cpu", lacking=True)
    tree = hornbeam.TreeRegressor(prune="reduced-error", missing="fractional", random_state=2).fit(table).model_
    start, nodes, parts = tree.decision_path(table)
    truth = np.repeat(table.target_values(), np.diff(start))
    for leaf in np.flatnonzero(tree.n_children == 0):
        here = nodes == leaf
        assert tree.weight[leaf] == pytest.approx(parts[here].sum())
        assert tree.value[leaf, 1] == pytest.approx(np.average(truth[here], weights=parts[here]))


def test_equal_numbers_stay_exact() -> None:
    x = np.arange(90.0)
    y = np.where(x < 40, 0.1, 1 / 3)
    tree = hornbeam.TreeRegressor(prune="reduced-error", random_state=0).fit(x[:, None], y)
    assert (tree.predict(x[:, None]) == y).all()


def test_classes_keep_the_figures_of_the_rows_that_they_were_grown_on() -> None:
    iris = hornbeam.read("iris")
    assert hornbeam.C45Classifier(prune="reduced-error").fit(iris).model_.rows[0] == 100


def test_bagged_members_that_prune_on_held_out_rows_see_rows_repeated() -> None:
    cpu = hornbeam.read("cpu")
    learner = hornbeam.TreeRegressor(prune="reduced-error")
    members = hornbeam.BaggingRegressor(learner, n_estimators=3, random_state=0).fit(cpu).model_.members
    assert [int(member.rows[0]) for member in members] == [209] * 3
    weighed = hornbeam.BaggingRegressor(n_estimators=3, random_state=0).fit(cpu).model_.members
    assert all(member.rows[0] < 209 == member.weight[0] for member in weighed)
