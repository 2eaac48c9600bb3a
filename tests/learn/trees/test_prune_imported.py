"""Pruning trees of another program: the same cost-complexity sequence as it finds itself, and every other method."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import hornbeam
from hornbeam import prune
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model import from_sklearn


def rows(seed: int, n_rows: int, *, classes: bool) -> tuple[Any, Any, Any]:
    random = np.random.default_rng(seed)
    matrix = np.round(random.normal(size=(n_rows, 3)), random.integers(0, 3))
    score = matrix[:, 0] + np.abs(matrix[:, 1]) + random.normal(size=n_rows)
    weights = random.choice([0.5, 1.0, 2.0], n_rows) if seed % 2 else None
    return matrix, np.digitize(score, [0.3, 1.5]) if classes else np.round(score, 1), weights


def merged(alphas: Any, totals: Any) -> tuple[list[float], list[float]]:
    """Steps of one price as one step, with the last total; rounding makes equal prices differ a little."""
    found: list[tuple[float, float]] = []
    for alpha, total in zip(np.maximum(alphas, 0.0), totals, strict=True):
        if found and alpha <= found[-1][0] + 1e-9:
            found[-1] = (found[-1][0], total)
        else:
            found.append((float(alpha), float(total)))
    return [alpha for alpha, _ in found], [total for _, total in found]


@given(
    st.integers(0, 10_000),
    st.sampled_from([8, 30, 120]),
    st.sampled_from(["gini", "entropy", "squared_error"]),
    st.sampled_from([1, 3]),
)
def test_the_sequence_is_that_of_the_program_that_grew_the_tree(
    seed: int, n_rows: int, criterion: str, smallest: int
) -> None:
    classes = criterion in ("gini", "entropy")
    matrix, truth, weights = rows(seed, n_rows, classes=classes)
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    learner = kind(criterion=criterion, min_samples_leaf=smallest, random_state=0)
    theirs = learner.cost_complexity_pruning_path(matrix, truth, sample_weight=weights)
    tree = from_sklearn(learner.fit(matrix, truth, sample_weight=weights))
    path = prune.cost_complexity(tree, cost="impurity")
    alphas, impurities = merged(theirs.ccp_alphas, theirs.impurities)
    ours, totals = merged(path.strength, path.estimate)
    assert ours == pytest.approx(alphas, abs=1e-8)
    assert totals == pytest.approx(impurities, abs=1e-8)
    for alpha in [0.0, *(np.array(alphas[1:]) + np.array(alphas[:-1])) / 2]:
        pruned = kind(criterion=criterion, min_samples_leaf=smallest, random_state=0, ccp_alpha=alpha)
        pruned.fit(matrix, truth, sample_weight=weights)
        chosen = prune.cost_complexity(tree, cost="impurity", strength=float(alpha)).best
        if alpha > 0:
            assert chosen.n_leaves == pruned.get_n_leaves()


def test_every_method_takes_an_imported_tree() -> None:
    matrix, truth, _ = rows(3, 200, classes=True)
    learner = DecisionTreeClassifier(random_state=0).fit(matrix, truth)
    tree = from_sklearn(learner, target="y")
    features = tuple(Numeric(f"x{i}") for i in range(3))
    names = tuple(str(label) for label in learner.classes_)
    schema = Schema((Nominal("y", names), *features), ("target", "feature", "feature", "feature"))
    table = Table(schema, [truth.astype(np.int32), *matrix.T])
    paths = [
        prune.pessimistic(tree),
        prune.pessimistic(tree, table, subtree_raising=True),
        prune.minimum_error(tree),
        prune.description_length(tree),
        prune.chi_square(tree),
        prune.critical_value(tree, threshold=0.05),
        prune.cost_complexity(tree, strength=0.01),
        prune.reduced_error(tree, table.take(range(0, 200, 2))),
        prune.reduced_error(tree, table, order="greedy"),
    ]
    for path in paths:
        path.best.validate()
        assert path.best.n_leaves <= tree.n_leaves
        assert path.best.predict(table).shape == (200,)
    assert paths[-1].held_out_error[0] == pytest.approx(1 - learner.score(matrix, truth))
    assert prune.to_size(tree, 5).n_leaves <= 5


def test_trees_of_numbers_too() -> None:
    matrix, truth, _ = rows(4, 200, classes=False)
    tree = from_sklearn(DecisionTreeRegressor(random_state=0).fit(matrix, truth))
    assert prune.complexity_factor(tree).best.n_leaves < tree.n_leaves
    assert 1 < prune.to_size(tree, 9).n_leaves <= 9


def test_the_open_recipe_prunes_by_every_method() -> None:
    vote = hornbeam.read("vote")
    whole = hornbeam.TreeClassifier().fit(vote).model_
    names = ("pessimistic", "reduced-error", "cost-complexity", "chi-square", "minimum-error", "description-length")
    for name in names:
        learner = hornbeam.TreeClassifier(prune=name, random_state=1, keep_trace=name != "cost-complexity").fit(vote)
        assert learner.model_.n_leaves < whole.n_leaves
        assert learner.model_.recipe["prune"] == name
        learner.model_.validate()
        if learner.trace_ is not None:
            assert len(learner.trace_.step_node)
    chi = hornbeam.TreeClassifier(prune="chi-square", prune_threshold=20.0).fit(vote).model_
    assert chi.n_leaves == prune.chi_square(whole, threshold=20.0).best.n_leaves
    assert (
        prune.chi_square(whole).best.n_leaves == hornbeam.TreeClassifier(prune="chi-square").fit(vote).model_.n_leaves
    )
    score = hornbeam.TreeClassifier(prune="critical-value", prune_threshold=0.4).fit(vote).model_
    assert score.n_leaves == prune.critical_value(whole, threshold=0.4).best.n_leaves
    flat = hornbeam.TreeClassifier(prune="pessimistic", subtree_raising=False).fit(vote).model_
    assert flat.n_leaves == prune.pessimistic(whole).best.n_leaves


def test_the_open_recipe_prunes_numbers_by_every_method() -> None:
    cpu = hornbeam.read("cpu")
    whole = hornbeam.TreeRegressor().fit(cpu).model_
    for name in ("reduced-error", "cost-complexity", "complexity-factor"):
        learner = hornbeam.TreeRegressor(prune=name, random_state=1).fit(cpu)
        assert learner.model_.n_leaves < whole.n_leaves
        assert learner.model_.recipe["prune"] == name
    factor = hornbeam.TreeRegressor(prune="complexity-factor").fit(cpu).model_
    assert factor.n_leaves == prune.complexity_factor(whole).best.n_leaves
    score = hornbeam.TreeRegressor(prune="critical-value", prune_threshold=500.0).fit(cpu).model_
    assert score.n_leaves == prune.critical_value(whole, threshold=500.0).best.n_leaves


def test_a_critical_value_must_be_given() -> None:
    with pytest.raises(ValueError, match="prune='critical-value' needs prune_threshold, and it is None"):
        hornbeam.TreeClassifier(prune="critical-value").fit(hornbeam.read("iris"))
