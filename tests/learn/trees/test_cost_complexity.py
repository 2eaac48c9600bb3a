"""Cost-complexity pruning: the sequence of trees against its definition, and what every tree of it must keep."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.cart import Grower, Options, complexity_table, sample_of
from show.planting import Fork, Leaf, plant

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.cart import CartRegressor
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.prune.complexity import complexities, cp_table, prune_at, stop_at
from hornbeam.learn.trees.prune.rebuild import costs_of
from hornbeam.learn.trees.recipe import Recipe
from hornbeam.learn.trees.tree_complexity import Fold, _summed_row_by_row, _summed_tree_by_tree
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

CLASSES = Schema((Numeric("x"), Nominal("y", ("a", "b", "c"))), ("feature", "target"))
COUNTS = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(lambda counts: sum(counts) > 0)


def forks(children: st.SearchStrategy[Leaf | Fork]) -> st.SearchStrategy[Fork]:
    return st.builds(
        lambda parts: Fork(0, CUTS, list(range(len(parts) - 1)), parts, missing=0, counts=total(parts)),
        st.lists(children, min_size=2, max_size=3),
    )


def total(parts: list[Leaf | Fork]) -> list[float]:
    return [float(sum(column)) for column in zip(*(part.counts for part in parts), strict=True)]


LEAVES = st.builds(lambda counts: Leaf([float(count) for count in counts]), COUNTS)
TREES = st.recursive(LEAVES, forks, max_leaves=12).map(lambda root: plant(CLASSES, root))
SHALLOW = forks(st.one_of(LEAVES, forks(LEAVES))).map(lambda root: plant(CLASSES, root))


def children(tree: Tree, node: int) -> range:
    return range(tree.first_child[node], tree.first_child[node] + tree.n_children[node])


def leaves_and_cost(tree: Tree, node: int, closed: set[int]) -> tuple[int, float]:
    if node in closed or tree.n_children[node] == 0:
        return 1, float(tree.error[node])
    parts = [leaves_and_cost(tree, child, closed) for child in children(tree, node)]
    return sum(part[0] for part in parts), sum(part[1] for part in parts)


def splits_below(tree: Tree, node: int, closed: set[int]) -> int:
    if node in closed or tree.n_children[node] == 0:
        return 0
    return 1 + sum(splits_below(tree, child, closed) for child in children(tree, node))


def weakest_links(tree: Tree) -> list[tuple[float, int, float]]:
    """By definition: again and again cut the subtrees that save least for each split, until only the root is left."""
    closed: set[int] = set()
    found = [(0.0, splits_below(tree, 0, closed), leaves_and_cost(tree, 0, closed)[1])]
    while splits_below(tree, 0, closed):
        saves = {
            node: (tree.error[node] - leaves_and_cost(tree, node, closed)[1]) / splits_below(tree, node, closed)
            for node in range(tree.n_nodes)
            if splits_below(tree, node, closed) and not any(above in closed for above in ancestors(tree, node))
        }
        least = min(saves.values())
        closed |= {node for node, saved in saves.items() if saved <= least + 1e-9}
        found.append((least, splits_below(tree, 0, closed), leaves_and_cost(tree, 0, closed)[1]))
    merged: dict[float, tuple[float, int, float]] = {}
    for level, splits, cost in found:
        merged[round(level, 9)] = (level, splits, cost)
    return sorted(merged.values(), reverse=True)


def ancestors(tree: Tree, node: int) -> list[int]:
    found = []
    while node:
        node = int(tree.parent[node])
        found.append(node)
    return found


@given(SHALLOW)
def test_two_levels_are_cut_as_the_definition_says(tree: Tree) -> None:
    root = float(tree.error[0])
    if root == 0:
        return
    expected = weakest_links(tree)
    found = cp_table(tree)
    assert found.n_splits.tolist() == [splits for _, splits, _ in expected]
    assert found.cp.tolist() == pytest.approx([level / root for level, _, _ in expected])
    assert found.error.tolist() == pytest.approx([cost / root for _, _, cost in expected])


@given(TREES, st.floats(0, 0.3))
def test_table_tells_the_pruned_trees(tree: Tree, cp: float) -> None:
    root = float(tree.error[0])
    whole = stop_at(tree, cp)
    found = cp_table(tree, cp)
    assert (np.diff(found.cp) < 0).all()
    assert found.n_splits[0] == 0
    assert found.error[0] == 1.0
    assert found.n_splits[-1] == (whole.n_children > 0).sum()
    assert np.isnan(found.cv_error).all()
    for level, splits, error in zip(found.cp, found.n_splits, found.error, strict=True):
        pruned = prune_at(whole, float(level))
        pruned.validate()
        assert (pruned.n_children > 0).sum() == splits
        if root > 0:
            assert pruned.error[pruned.n_children == 0].sum() / root == pytest.approx(error)


@given(TREES)
def test_a_node_goes_with_its_parent_at_the_latest(tree: Tree) -> None:
    found = complexities(tree)
    assert (found[1:] <= found[tree.parent[1:]]).all()
    assert (found[tree.n_children == 0] == 0).all()
    assert (found >= -1e-12).all()


@given(TREES, st.floats(0, 1), st.floats(0, 1))
def test_pruning_harder_gives_a_smaller_tree(tree: Tree, one: float, other: float) -> None:
    large, small = prune_at(tree, min(one, other)), prune_at(tree, max(one, other))
    assert small.n_nodes <= large.n_nodes
    assert prune_at(tree, 1.0).n_nodes == 1
    assert (small.missing[small.n_children == 0] <= 0).all()


@given(TREES)
def test_impurity_is_never_less_than_below(tree: Tree) -> None:
    cost = costs_of(tree, "impurity")
    below = np.bincount(tree.parent[1:], cost[1:], tree.n_nodes)
    inner = tree.n_children > 0
    assert (cost[inner] >= below[inner] - 1e-9).all()
    assert (cost[tree.value.max(axis=1) == tree.weight] < 1e-9).all()
    assert (complexities(tree, cost="impurity")[inner] >= -1e-12).all()


def test_a_hand_made_tree() -> None:
    # The root saves 3 errors with 2 splits; its second child saves 1 with one.
    inner = Fork(0, CUTS, [2.0], [Leaf([4, 0, 0]), Leaf([1, 2, 0])], missing=0, counts=[5, 2, 0])
    tree = plant(CLASSES, Fork(0, CUTS, [1.0], [Leaf([0, 3, 0]), inner], missing=0, counts=[5, 5, 0]))
    assert tree.error.tolist() == [5, 0, 2, 0, 1]
    assert complexities(tree).tolist() == pytest.approx([0.6, 0, 0.2, 0, 0])
    found = cp_table(tree, 0.01)
    assert found.cp.tolist() == pytest.approx([0.6, 0.2, 0.01])
    assert found.n_splits.tolist() == [0, 1, 2]
    assert found.error.tolist() == pytest.approx([1.0, 0.4, 0.2])
    pruned = prune_at(tree, 0.2)
    assert pruned.n_nodes == 3
    assert pruned.missing[2] < 0
    assert prune_at(tree, 0.19) is tree
    assert stop_at(tree, 0.25).n_nodes == 3


def test_what_does_not_pay_tells_its_complexity() -> None:
    tree = plant(CLASSES, Fork(0, CUTS, [1.0], [Leaf([5, 2, 0]), Leaf([2, 3, 0])], missing=0, counts=[7, 5, 0]))
    assert cp_table(tree, 0.5).cp.tolist() == pytest.approx([0.2])
    idle = plant(CLASSES, Fork(0, CUTS, [1.0], [Leaf([5, 2, 0]), Leaf([3, 2, 0])], missing=0, counts=[8, 4, 0]))
    assert cp_table(idle, 0.5).cp.tolist() == [0.0]
    assert cp_table(plant(CLASSES, Leaf([3, 1, 0])), 0.5).cp.tolist() == [0.5]


def test_a_root_without_error() -> None:
    tree = plant(CLASSES, Fork(0, CUTS, [1.0], [Leaf([5, 0, 0]), Leaf([2, 0, 0])], missing=0, counts=[7, 0, 0]))
    assert complexities(tree).tolist() == [0, 0, 0]
    assert cp_table(tree, 0.1).n_splits.tolist() == [0]
    assert prune_at(tree, 0.0).n_nodes == 1


def test_unknown_costs_are_refused() -> None:
    with pytest.raises(ValueError, match="expected 'error' or 'impurity'"):
        complexities(plant(CLASSES, Leaf([3, 1, 0])), cost="entropy")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("cp", [0.0, 0.01, 0.05])
def test_stopping_afterwards_is_stopping_while_growing(seed: int, cp: float) -> None:
    random = np.random.default_rng(seed)
    x = random.normal(size=(120, 3))
    y = np.sin(2 * x[:, 0]) + x[:, 1] ** 2 + 0.5 * random.normal(size=120)
    schema = Schema((Numeric("a"), Numeric("b"), Numeric("c"), Numeric("y")), ("feature",) * 3 + ("target",))
    table = Table(schema, [*x.T, y])
    grown = CartRegressor(cp=0.0, folds=0, min_samples_split=4, min_samples_leaf=2).fit(table).model_
    naive = Grower(sample_of(table, Options(cp=cp, min_split=4, min_bucket=2)))
    assert stop_at(grown, cp).n_nodes == sum(1 for _ in naive.root.walk())
    rows = complexity_table(naive)
    found = cp_table(grown, cp)
    assert found.n_splits.tolist() == [splits for _, splits, _ in rows]
    assert found.cp.tolist() == pytest.approx([level for level, _, _ in rows])
    assert found.error.tolist() == pytest.approx([error for _, _, error in rows])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["classes", "costs", "numbers"])
def test_errors_by_ranges_of_levels_are_those_of_every_pruned_tree(kind: str, weighted: bool) -> None:
    rng = np.random.default_rng(8)
    n_rows = 240
    values = np.round(rng.normal(size=(3, n_rows)), 1)
    truth = values[0] + rng.normal(size=n_rows)
    columns: list[Any] = [Numeric("a"), Numeric("b"), Numeric("c"), Numeric("y")]
    arrays: list[Any] = [*values, truth]
    if kind != "numbers":
        columns[3], arrays[3] = Nominal("y", ("u", "v", "w")), np.digitize(truth, [-0.5, 0.5]).astype(np.int32)
    roles = ["feature"] * 3 + ["target"]
    if weighted:
        columns, arrays, roles = [*columns, Numeric("n")], [*arrays, rng.random(n_rows) + 0.1], [*roles, "weight"]
    table = Table(Schema(tuple(columns), tuple(roles)), arrays)  # type: ignore[arg-type]
    recipe = Recipe(criterion="variance" if kind == "numbers" else "gini", missing="majority", nominal="subset")
    costs = rng.random((3, 3)) * (1.0 - np.eye(3)) if kind == "costs" else None
    folds = []
    for part in np.array_split(rng.permutation(n_rows), 3):
        tree = grow(table.take(np.setdiff1d(np.arange(n_rows), part)), recipe)[0]
        levels = np.unique(complexities(tree)[tree.n_children > 0])[::-1][:20]
        folds.append(Fold(part, tree, table.take(part), np.r_[10.0, np.sqrt(levels[1:] * levels[:-1])]))
    folds = [replace(fold, levels=fold.levels[: min(len(f.levels) for f in folds)]) for fold in folds]
    for one, other in zip(
        _summed_row_by_row(table, folds, costs), _summed_tree_by_tree(table, folds, costs), strict=True
    ):
        assert np.array_equal(one, other)
