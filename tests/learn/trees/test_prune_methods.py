"""Every pruning method on drawn trees, against naive programs; and what no method may break."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import prune as naive
from strategies import open_cases, trees

import hornbeam
from hornbeam import prune
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised
from hornbeam.learn.trees.prune.rebuild import costs_of
from hornbeam.model.trees.split import SUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.prune import PruningPath
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree

Case = tuple["Table", "Recipe"]
CASES = st.one_of(open_cases(), open_cases(policy="fractional"), open_cases(policy="surrogate"))
CLASS_CASES = st.one_of(open_cases(criterion="gini"), open_cases(criterion="gain-ratio", policy="fractional"))
NUMBER_CASES = open_cases(criterion="variance")
ONLY_CLASSES = ("pessimistic", "minimum_error", "description_length", "chi_square")


def grown(case: Case) -> Tree:
    return grow(*case)[0]


def shape_of(tree: Tree, closed: set[int] | frozenset[int]) -> tuple[int, int]:
    """Leaves and nodes of the tree with these nodes closed."""
    cut = frozenset(closed)
    leaves = len(naive.leaves(tree, cut))
    return leaves, leaves + len(naive.inner(tree, cut))


def same_tree(path: PruningPath, tree: Tree, closed: set[int] | frozenset[int]) -> None:
    """The chosen tree is the one with these nodes closed, and the path's figures of it are its own."""
    chosen = path.best
    chosen.validate()
    kept = sorted(naive.leaves(tree, frozenset(closed)) + naive.inner(tree, frozenset(closed)))
    assert (chosen.n_leaves, chosen.n_nodes) == shape_of(tree, closed)
    assert chosen.value.sum(axis=0) == pytest.approx(tree.value[kept].sum(axis=0))
    assert path.n_leaves[path.chosen] == chosen.n_leaves
    assert path.size[path.chosen] == chosen.n_nodes


@given(CASES, trees(surrogates=True))
def test_every_tree_of_every_path(case: Case, drawn: Tree) -> None:
    for tree in (grown(case), drawn):
        for name, method in methods(tree).items():
            path = method(tree)
            assert path.trees[0] is tree
            assert len(path) == len(path.trees) == len(path.estimate) == len(path.strength)
            assert (np.diff(path.n_leaves) < 0).all()
            assert (np.diff(path.size) < 0).all()
            assert not np.isfinite(path.held_out_error).any()
            for step in {0, len(path) // 2, path.chosen, len(path) - 1}:
                pruned = path.trees[step]
                pruned.validate()
                assert (pruned.n_leaves, pruned.n_nodes) == (path.n_leaves[step], path.size[step])
                error = pruned.error[pruned.n_children == 0].sum() / (tree.weight[0] or 1.0)
                assert path.train_error[step] == pytest.approx(error, abs=1e-9)
            if name != "cost_complexity" and not np.isnan(path.estimate).any():
                slack = 0.1 + 2e-6 if name == "pessimistic" else 1e-8
                scale = 1.0 if name == "description_length" else float(tree.weight[0] or 1.0)
                assert (np.diff(path.estimate) <= slack / scale + 1e-9).all()


def methods(tree: Tree) -> dict[str, Callable[[Tree], PruningPath]]:
    found: dict[str, Callable[[Tree], PruningPath]] = {"cost_complexity": prune.cost_complexity}
    scores = tree.splits.score[tree.split[tree.split >= 0]]
    if not np.isnan(scores).any():
        found["critical_value"] = lambda given: prune.critical_value(given, threshold=0.2)
    if tree.task == "regression":
        return found | {"complexity_factor": prune.complexity_factor}
    return found | {
        "pessimistic": prune.pessimistic,
        "minimum_error": prune.minimum_error,
        "description_length": prune.description_length,
        "chi_square": prune.chi_square,
    }


@given(CASES)
def test_pruning_again_changes_nothing(case: Case) -> None:
    tree = grown(case)
    for method in methods(tree).values():
        pruned = method(tree).best
        assert method(pruned).best.same_as(pruned)


@given(CASES)
def test_untouched_subtrees_answer_as_before(case: Case) -> None:
    tree = grown(case)
    table = case[0]
    whole = tree.predict(table)
    for method in methods(tree).values():
        pruned = method(tree).best
        untouched = {
            tuple(tree.value[leaf]) for leaf in np.flatnonzero(tree.n_children == 0) if tree.weight[leaf] > 0
        }  # rows that end whole in a leaf with the figures of one of the tree's leaves
        start, nodes, _ = pruned.decision_path(table)
        last = nodes[start[1:] - 1]
        one = (np.diff(start) == 1 + depth_of(pruned)[last]) & np.array(
            [
                tuple(pruned.value[leaf]) in untouched and len(leaves_with(tree, pruned.value[leaf])) == 1
                for leaf in last
            ]
        )
        same = pruned.predict(table)[one] == whole[one]
        assert same.all()


def depth_of(tree: Tree) -> np.ndarray:
    depth = np.zeros(tree.n_nodes, int)
    for node in range(1, tree.n_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    return depth


def leaves_with(tree: Tree, value: np.ndarray) -> np.ndarray:
    """Nodes with these figures."""
    return np.flatnonzero((tree.value == value).all(axis=1))


# ---- by estimates --------------------------------------------------------------------------------------------------


@given(CLASS_CASES, st.sampled_from([0.01, 0.1, 0.25, 0.5]))
def test_pessimistic(case: Case, confidence: float) -> None:
    tree = grown(case)
    estimate, closed = naive.bottom_up(
        tree,
        lambda node: naive.pessimistic(tree, node, confidence),
        lambda node: naive.kept(tree, node) * naive.pessimistic(tree, node, confidence),
        0.1,
    )
    path = prune.pessimistic(tree, confidence=confidence)
    same_tree(path, tree, closed)
    assert path.estimate[-1] * tree.weight[0] == pytest.approx(estimate, rel=1e-5)
    replaced, _ = replaced_and_raised(tree, case[0], confidence, subtree_raising=False)
    assert replaced.n_nodes == path.best.n_nodes


def test_pessimistic_with_raising_is_the_compiled_one() -> None:
    table = hornbeam.read("labor")
    tree = hornbeam.C45Classifier(prune=None).fit(table).model_
    path = prune.pessimistic(tree, table, subtree_raising=True)
    assert path.best.same_as(replaced_and_raised(tree, table)[0])
    assert len(path) == 2
    assert path.trees[0] is tree
    assert path.estimate[1] < path.estimate[0]


def test_raising_with_surrogates_sends_rows_as_the_tree_does() -> None:
    table = hornbeam.read("vote")
    tree = hornbeam.TreeClassifier(missing="surrogate", min_samples_leaf=3).fit(table).model_
    raised, _ = replaced_and_raised(tree, table, 0.1)
    raised.validate()
    reached = np.bincount(raised.apply(table), minlength=raised.n_nodes)
    leaf = raised.n_children == 0
    assert raised.rows[leaf].tolist() == reached[leaf].tolist()


@given(CLASS_CASES, st.sampled_from([None, 0.0, 0.5, 2.0, 20.0]))
def test_minimum_error(case: Case, m: float | None) -> None:
    tree = grown(case)
    estimate, closed = naive.bottom_up(
        tree,
        lambda node: naive.minimum_error(tree, node, m),
        lambda node: naive.kept(tree, node) * naive.minimum_error(tree, node, m),
        1e-9,
    )
    path = prune.minimum_error(tree, m=m)
    same_tree(path, tree, closed)
    assert path.estimate[-1] * tree.weight[0] == pytest.approx(estimate)


@given(CLASS_CASES)
def test_description_length(case: Case) -> None:
    tree = grown(case)
    assume((tree.value == np.round(tree.value)).all())
    assume(not (tree.splits.kind == SUMS).any())
    estimate, closed = naive.bottom_up(
        tree,
        lambda node: naive.bits_of_leaf(tree.value[node].tolist()),
        lambda node: naive.bits_of_split(tree, node),
        1e-9,
    )
    path = prune.description_length(tree)
    same_tree(path, tree, closed)
    assert path.estimate[-1] == pytest.approx(estimate)


@given(NUMBER_CASES)
def test_complexity_factor(case: Case) -> None:
    tree = grown(case)
    estimate, closed = naive.bottom_up(
        tree,
        lambda node: naive.complexity_factor(tree, node),
        lambda node: naive.kept(tree, node) * naive.complexity_factor(tree, node),
        1e-9,
    )
    path = prune.complexity_factor(tree)
    same_tree(path, tree, closed)
    assert path.estimate[-1] * tree.weight[0] == pytest.approx(estimate, abs=1e-9)


# ---- by thresholds -------------------------------------------------------------------------------------------------


@given(CLASS_CASES, st.sampled_from([0.5, 0.9, 0.95, 0.999]), st.sampled_from([0.0, 0.5, 1.0, 2.7, 3.84, 10.0]))
def test_chi_square(case: Case, confidence: float, threshold: float) -> None:
    tree = grown(case)
    needed = max(threshold - 1e-9, 0.0)
    by_k = naive.by_threshold(tree, lambda node: naive.statistic(tree, node)[0] < needed)
    same_tree(prune.chi_square(tree, threshold=needed), tree, by_k)
    by_p = naive.by_threshold(tree, lambda node: naive.statistic(tree, node)[1] > 1 - confidence)
    same_tree(prune.chi_square(tree, confidence=confidence), tree, by_p)


@given(CASES, st.floats(0, 1.5))
def test_critical_value(case: Case, threshold: float) -> None:
    tree = grown(case)
    closed = naive.by_threshold(tree, lambda node: bool(tree.splits.score[tree.split[node]] < threshold))
    path = prune.critical_value(tree, threshold=threshold)
    same_tree(path, tree, closed)
    assert (np.diff(path.strength[1:]) > 0).all()
    assert path.n_leaves[-1] == 1


# ---- cost-complexity -----------------------------------------------------------------------------------------------


@given(CASES, st.sampled_from(["error", "impurity"]))
def test_cost_complexity_by_its_definition(case: Case, cost: Any) -> None:
    tree = grown(case)
    own = costs_of(tree, cost)
    expected = naive.weakest_links(tree, own)
    path = prune.cost_complexity(tree, cost=cost)
    weight = float(tree.weight[0])
    assert path.n_leaves[1:].tolist() == [len(naive.leaves(tree, closed)) for _, closed in expected]
    assert path.strength[1:].tolist() == pytest.approx([level / weight for level, _ in expected], abs=1e-9)
    whole = [sum(own[leaf] for leaf in naive.leaves(tree, closed)) / weight for _, closed in expected]
    assert path.estimate[1:].tolist() == pytest.approx(whole, abs=1e-9)


@given(CASES, st.floats(0, 0.5))
def test_the_chosen_tree_is_the_cheapest_at_its_price(case: Case, strength: float) -> None:
    tree = grown(case)
    path = prune.cost_complexity(tree, strength=strength)
    assert path.estimate[path.chosen] <= path.estimate.min() + 1e-9
    cheapest = np.flatnonzero(path.estimate <= path.estimate.min() + 1e-12)
    assert path.chosen == cheapest[-1] or path.estimate[path.chosen] == pytest.approx(path.estimate[cheapest[-1]])
    if naive.n_pruned(tree) <= 200:
        costs = [
            sum(tree.error[leaf] for leaf in naive.leaves(tree, closed)) / tree.weight[0]
            + strength * len(naive.leaves(tree, closed))
            for closed in naive.all_pruned(tree)
        ]
        assert path.estimate[path.chosen] == pytest.approx(min(costs), abs=1e-9)


@given(CASES, st.integers(1, 12), st.integers(0, 4))
def test_to_a_size_and_by_levels(case: Case, n_leaves: int, k: int) -> None:
    tree = grown(case)
    small = prune.to_size(tree, n_leaves)
    sizes = [tree.n_leaves, *prune.cost_complexity(tree, cost="impurity").n_leaves.tolist()]
    assert small.n_leaves == max(size for size in sizes if size <= n_leaves)
    lower = prune.levels(tree, k)
    lower.validate()
    assert lower.depth == max(tree.depth - k, 0)
    assert prune.levels(prune.levels(tree, 1), k).same_as(prune.levels(tree, k + 1)) or tree.depth == 0


# ---- errors --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ONLY_CLASSES)
def test_methods_for_classes_refuse_numbers(name: str) -> None:
    tree = hornbeam.TreeRegressor(max_depth=2).fit(hornbeam.read("cpu")).model_
    with pytest.raises(ValueError, match="for a target of classes, and 'class' is numeric"):
        getattr(prune, name)(tree)


def test_methods_for_numbers_refuse_classes() -> None:
    tree = hornbeam.TreeClassifier(max_depth=2).fit(hornbeam.read("iris")).model_
    with pytest.raises(ValueError, match="for a target of numbers, and 'class' holds classes"):
        prune.complexity_factor(tree)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: prune.to_size(tree, 0), "n_leaves is 0; expected a whole number of at least 1"),
        (lambda tree: prune.levels(tree, -1), "k is -1"),
        (lambda tree: prune.chi_square(tree, threshold=-1), "threshold is -1; expected a number of at least 0"),
        (lambda tree: prune.chi_square(tree, confidence=1), "confidence is 1; expected a number between 0 and 1"),
        (lambda tree: prune.pessimistic(tree, confidence=0), "confidence is 0; expected a number between 0 and 1"),
        (lambda tree: prune.pessimistic(tree, subtree_raising=True), "no table was given; give the training rows"),
        (lambda tree: prune.minimum_error(tree, m=-1), "m is -1; expected a number of at least 0"),
        (lambda tree: prune.critical_value(tree, threshold=np.nan), "expected a finite number"),
        (lambda tree: prune.cost_complexity(tree, strength=-1), "strength is -1; expected a number of at least 0"),
        (lambda tree: prune.cost_complexity(tree, cost="entropy"), "expected one of 'error', 'impurity'"),
        (lambda tree: prune.cost_complexity(tree).trees[99], "no step 99"),
    ],
)
def test_what_is_out_of_range_is_refused(call: Callable[[Tree], Any], message: str) -> None:
    tree = hornbeam.TreeClassifier(max_depth=2).fit(hornbeam.read("iris")).model_
    with pytest.raises((ValueError, IndexError), match=message):
        call(tree)


@given(trees(most_inner=3).filter(lambda tree: tree.n_nodes > 1))
def test_splits_without_a_score_have_no_critical_value(tree: Tree) -> None:
    with pytest.raises(ValueError, match="that of node 0 is not known"):
        prune.critical_value(tree, threshold=0.1)


def test_a_path_tells_itself() -> None:
    tree = hornbeam.TreeClassifier().fit(hornbeam.read("iris")).model_
    path = prune.cost_complexity(tree, strength=1.0)
    assert repr(path) == "PruningPath('cost-complexity': 6 trees of 9 to 1 leaves; chosen: 5, 1 leaf)"
    assert [pruned.n_leaves for pruned in path.trees[1:4]] == path.n_leaves[1:4].tolist()
    assert path.trees[-1].n_nodes == 1
    assert path.best.same_as(path.trees[5])
