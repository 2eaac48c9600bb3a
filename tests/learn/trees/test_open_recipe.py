"""The open recipe through its estimators: any combination learns a sound tree or is refused, and limits hold."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import schemas, tables

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.prune.complexity import complexities, prune_at
from hornbeam.learn.trees.prune.held_out import reduced_error
from hornbeam.learn.trees.tree_classifier import TreeClassifier
from hornbeam.learn.trees.tree_recipe import CHOOSE, CUTS_BY, DISCRETIZE, MISSING, NOMINAL, NUMERIC
from hornbeam.learn.trees.tree_regressor import TreeRegressor
from hornbeam.learn.trees.valid import CLASS_CRITERIA, CLASS_LEAVES, NUMBER_CRITERIA, NUMBER_LEAVES
from hornbeam.model.trees.criterion import CRITERIA

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

SHARED: dict[str, st.SearchStrategy[Any]] = {
    "numeric": st.sampled_from(NUMERIC),
    "max_cuts": st.integers(1, 3),
    "cuts_by": st.sampled_from(CUTS_BY),
    "discretize": st.sampled_from(DISCRETIZE),
    "bins": st.integers(2, 5),
    "nominal": st.sampled_from(NOMINAL),
    "missing": st.sampled_from(MISSING),
    "max_surrogates": st.integers(0, 3),
    "min_samples_leaf": st.sampled_from([0, 1, 1.5, 3]),
    "min_samples_split": st.sampled_from([0, 2, 5]),
    "max_depth": st.sampled_from([None, 0, 1, 3]),
    "max_leaf_nodes": st.sampled_from([None, 1, 2, 4]),
    "min_gain": st.sampled_from([0.0, -1.0, 0.1]),
    "min_gain_share": st.sampled_from([0.0, 0.1]),
    "min_impurity": st.sampled_from([0.0, 0.2]),
    "folds": st.sampled_from([None, 2, 3]),
    "cp": st.sampled_from([0.0, 0.05]),
    "choose": st.sampled_from(CHOOSE),
    "random_state": st.integers(0, 3),
    "keep_alternatives": st.integers(0, 2),
    "keep_trace": st.booleans(),
}
CLASSES = SHARED | {
    "criterion": st.sampled_from([name for name in CLASS_CRITERIA if CRITERIA[name].most_classes is None]),
    "boundary_points": st.booleans(),
    "exhaustive_up_to": st.integers(1, 6),
    "merge_significance": st.sampled_from([0.05, 0.5]),
    "significance": st.sampled_from([None, 0.05, 0.5]),
    "prune": st.sampled_from([None, "pessimistic", "reduced-error", "cost-complexity"]),
    "confidence": st.sampled_from([0.1, 0.4]),
    "leaf": st.sampled_from(CLASS_LEAVES),
    "m": st.sampled_from([0.0, 2.0]),
    "class_weight": st.sampled_from([None, "balanced"]),
}
NUMBERS = SHARED | {
    "criterion": st.sampled_from(NUMBER_CRITERIA),
    "prune": st.sampled_from([None, "reduced-error", "cost-complexity"]),
    "leaf": st.sampled_from([None, *NUMBER_LEAVES]),
}
REFUSED = "conflicts with|is for a target of|cannot be held out|is missing|needs a cross-validated|no rows to learn"


def fitted(learner: Any, table: Table) -> Any:
    """The learner fitted, or None where it refused in a sentence."""
    try:
        return learner.fit(table)
    except ValueError as error:
        if not re.search(REFUSED, str(error)):
            raise
        return None


@settings(max_examples=150)
@given(st.fixed_dictionaries(CLASSES), schemas(weighted=True), st.data())
def test_any_recipe_for_classes_learns_a_sound_tree(
    parameters: dict[str, Any], schema: Any, data: st.DataObject
) -> None:
    table = data.draw(tables(schema, most_rows=40))
    learner = fitted(TreeClassifier(**parameters), table)
    if learner is None:
        return
    learner.model_.validate()
    shares = learner.predict_proba(table)
    assert np.allclose(shares.sum(axis=1), 1)
    assert (shares >= 0).all()
    assert np.isin(learner.predict(table), learner.classes_).all()
    assert np.isfinite(learner.feature_importances_).all()
    if parameters["max_leaf_nodes"] is not None:
        assert learner.model_.n_leaves <= parameters["max_leaf_nodes"]
    if parameters["max_depth"] is not None:
        assert learner.model_.depth <= parameters["max_depth"]


@pytest.mark.parametrize("numeric", ["one-cut", "discretized"])
def test_a_cut_between_known_and_missing_values_is_infinite(numeric: str) -> None:
    schema = Schema((Nominal("y", ("red", "green")), Numeric("x")), ("target", "feature"))
    table = Table(schema, (np.array([0, 0, 1, 1], np.int32), np.array([-1.0, 2.0, np.nan, np.nan])))
    learner = TreeClassifier(
        criterion="information-gain", numeric=numeric, discretize="equal-width", bins=2, missing="own-category"
    )
    tree = learner.fit(table).model_
    assert tree.splits.cuts.tolist() == [np.inf]
    beyond = Table(schema, (np.zeros(2, np.int32), np.array([99.0, np.nan])))
    assert tree.predict_codes(beyond).tolist() == [0, 1]


@settings(max_examples=100)
@given(st.fixed_dictionaries(NUMBERS), schemas(weighted=True, target="numeric"), st.data())
def test_any_recipe_for_numbers_learns_a_sound_tree(
    parameters: dict[str, Any], schema: Any, data: st.DataObject
) -> None:
    table = data.draw(tables(schema, most_rows=40))
    learner = fitted(TreeRegressor(**parameters), table)
    if learner is None:
        return
    learner.model_.validate()
    answers, truth = learner.predict(table), table.target_values()
    assert truth.min() - 1e-9 <= answers.min()
    assert answers.max() <= truth.max() + 1e-9
    assert np.isfinite(learner.feature_importances_).all()


def varied(table: Table, name: str) -> list[Table]:
    """The table with one column set to every tenth of its values, rising."""
    place = table.schema.position(name)
    known = table.columns[place][~np.isnan(table.columns[place])]
    found = []
    for value in np.quantile(known, np.linspace(0, 1, 11)):
        columns = list(table.columns)
        columns[place] = np.full(table.n_rows, value)
        found.append(Table(table.schema, columns))
    return found


@pytest.mark.parametrize("missing", ["default-direction", "impute"])
def test_answers_are_monotone(missing: str) -> None:
    table = hornbeam.read("auto-mpg")
    limits = {"weight": -1, "horsepower": -1, "acceleration": 1}
    tree = TreeRegressor(monotonic_cst=limits, missing=missing, min_samples_leaf=3).fit(table)
    free = TreeRegressor(missing=missing, min_samples_leaf=3).fit(table)
    broken = 0
    for name, direction in limits.items():
        steps = np.array([tree.predict(rows) for rows in varied(table, name)])
        assert (direction * np.diff(steps, axis=0) >= -1e-9).all(), name
        loose = np.array([free.predict(rows) for rows in varied(table, name)])
        broken += int((direction * np.diff(loose, axis=0) < -1e-9).sum())
    assert broken > 0  # the limits did something


def test_shares_are_monotone() -> None:
    table = hornbeam.read("credit-g")
    tree = TreeClassifier(monotonic_cst={"duration": 1}, min_samples_leaf=5).fit(table)
    steps = np.array([tree.predict_proba(rows)[:, 1] for rows in varied(table, "duration")])
    assert (np.diff(steps, axis=0) >= -1e-9).all()


@pytest.mark.parametrize("learner", [TreeRegressor, TreeClassifier])
def test_interactions_are_kept(learner: Any) -> None:
    table = hornbeam.read("auto-mpg" if learner is TreeRegressor else "glass")
    names = [table.schema.columns[c].name for c in table.schema.features]
    groups = [names[:2], names[1:4]]
    rest = set(names[4:])
    tree = learner(interactions=groups, max_depth=6).fit(table).model_
    allowed = [set(group) for group in groups] + [rest]
    seen = set()
    for leaf in np.flatnonzero(tree.n_children == 0):
        used, node = set(), int(tree.parent[leaf])
        while node >= 0:
            used.add(table.schema.columns[tree.splits.column[tree.split[node]]].name)
            node = int(tree.parent[node])
        assert any(used <= group for group in allowed), used
        seen |= used
    assert len(seen) > 1


@pytest.mark.parametrize("nominal", ["subset", "one-vs-rest"])
def test_both_branches_hold_the_minimum(nominal: str) -> None:
    tree = TreeClassifier(nominal=nominal, min_samples_leaf=25).fit(hornbeam.read("credit-g")).model_
    assert tree.n_leaves > 3
    assert tree.weight[tree.n_children == 0].min() >= 25


def test_more_cuts_gain_no_less() -> None:
    table = hornbeam.read("iris")
    errors = [
        TreeClassifier(numeric="multi-cut", cuts_by=by, max_cuts=n, max_depth=1).fit(table).model_
        for by in CUTS_BY
        for n in (1, 3)
    ]
    impurity = [
        sum(tree.value[i].sum() - (tree.value[i] ** 2).sum() / tree.value[i].sum() for i in leaves(tree))
        for tree in errors
    ]
    assert impurity[1] <= impurity[0]
    assert impurity[3] <= impurity[2]
    assert impurity[3] <= impurity[1] + 1e-9  # the best set of cuts is no worse than a greedy one


def leaves(tree: Any) -> Any:
    return np.flatnonzero(tree.n_children == 0)


def test_discretized_columns_are_cut_at_edges_only() -> None:
    table = hornbeam.read("glass")
    tree = TreeClassifier(numeric="discretized", discretize="equal-width", bins=4).fit(table).model_
    for place in np.unique(tree.splits.column[tree.split[tree.split >= 0]]):
        values = table.columns[place]
        edges = np.linspace(values.min(), values.max(), 5)[1:-1]
        mine = tree.splits.column == place
        cuts = np.concatenate(
            [
                tree.splits.cuts[a:b]
                for a, b in zip(tree.splits.cut_start[:-1][mine], tree.splits.cut_start[1:][mine], strict=True)
            ]
        )
        for cut in cuts:
            below = values[values <= cut].max()
            above = values[values > cut].min()
            assert ((edges >= below - 1e-9) & (edges <= above + 1e-9)).any()


def test_significance_refuses_what_chance_could_do() -> None:
    random = np.random.default_rng(5)
    rows = random.normal(size=(200, 3))
    answers = random.integers(0, 2, 200)
    strict = TreeClassifier(significance=1e-6).fit(rows, answers)
    assert strict.model_.n_nodes == 1
    assert TreeClassifier().fit(rows, answers).model_.n_nodes > 20


def test_leaf_shares() -> None:
    table = hornbeam.read("vote")
    counted = TreeClassifier(max_leaf_nodes=2).fit(table)
    laplace = TreeClassifier(max_leaf_nodes=2, leaf="laplace").fit(table)
    estimate = TreeClassifier(max_leaf_nodes=2, leaf="m-estimate", m=10).fit(table)
    value = counted.model_.value[counted.model_.apply(table)]
    n = value.sum(axis=1, keepdims=True)
    prior = counted.model_.value[0] / counted.model_.value[0].sum()
    assert np.allclose(counted.predict_proba(table), value / n)
    assert np.allclose(laplace.predict_proba(table), (value + 1) / (n + 2))
    assert np.allclose(estimate.predict_proba(table), (value + 10 * prior) / (n + 10))


def test_columns_of_every_kind_are_used() -> None:
    table = hornbeam.read("credit-g")
    used = TreeClassifier().fit(table).model_.splits.column
    kinds = {type(table.schema.columns[c]) for c in used}
    assert kinds == {Numeric, Nominal}


def test_pruning_on_held_out_numbers() -> None:
    table = hornbeam.read("auto-mpg")
    rows = np.arange(table.n_rows)
    growing, pruning = table.take(rows % 3 > 0), table.take(rows % 3 == 0)
    grown = TreeRegressor(missing="majority").fit(growing).model_
    pruned = reduced_error(grown, pruning).best
    pruned.validate()

    def error(tree: Tree) -> float:
        return float(((tree.predict(pruning) - pruning.target_values()) ** 2).sum())

    assert 1 < pruned.n_leaves < grown.n_leaves
    assert error(pruned) <= error(grown)
    assert reduced_error(pruned, pruning).best.n_leaves == pruned.n_leaves
    for cp in complexities(grown):  # no tree that cost-complexity leaves does better on these rows
        assert error(pruned) <= error(prune_at(grown, float(cp))) + 1e-6
