"""Trees are joined as they come, whatever room the first ones let expect."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from hornbeam.learn.forests.grow_forest import JoinedTrees


def tree_of(n_nodes: int, random: np.random.Generator, *, sets: bool) -> dict[str, np.ndarray]:
    """Numbers of the kinds that a tree has; column 1 is nominal, and a node's set is a piece of the codes."""
    feature = random.integers(-1, 2, n_nodes).astype(np.int32)
    tree = {
        "feature": feature,
        "cut": random.integers(1, 4, n_nodes).astype(np.int32),
        "threshold": random.random(n_nodes),
        "first_child": random.integers(-1, n_nodes, n_nodes).astype(np.int32),
        "missing": random.integers(0, 2, n_nodes).astype(np.int8),
        "weight": random.random(n_nodes).astype(np.float32),
        "value": random.random(2 * n_nodes).astype(np.float32),
        "gain": random.normal(size=n_nodes).astype(np.float32),
        "codes": np.empty(0, np.int32),
    }
    if sets:
        named = feature == 1
        tree["set_stop"] = np.cumsum(np.where(named, tree["cut"], 0))
        tree["codes"] = random.permutation(100)[: tree["set_stop"][-1]].astype(np.int32)
    return tree


@pytest.mark.parametrize("sizes", [[5], [3, 3, 3], [3, 9, 1, 40], [20, 1, 1]])
@pytest.mark.parametrize("sets", [False, True])
def test_joined_is_one_after_another(sizes: list[int], sets: bool) -> None:
    random = np.random.default_rng(len(sizes))
    trees = [tree_of(size, random, sets=sets and number != 1) for number, size in enumerate(sizes)]
    joined = JoinedTrees(len(sizes), np.array([False, True]), 2)
    for tree in trees:
        joined.add(tree)
    assert joined.roots == [0, *np.cumsum(sizes)]
    for name in ("feature", "threshold", "missing", "weight"):
        assert np.array_equal(joined.nodes(name), np.concatenate([tree[name] for tree in trees]))
    children = [
        np.where(tree["first_child"] >= 0, tree["first_child"] + root, tree["first_child"])
        for tree, root in zip(trees, joined.roots[:-1], strict=True)
    ]
    assert np.array_equal(joined.nodes("first_child"), np.concatenate(children))
    values = np.concatenate([tree["value"] for tree in trees]).reshape(-1, 2)
    assert np.array_equal(joined.nodes("value"), values)
    assert np.array_equal(joined.nodes("gain"), np.maximum(np.concatenate([tree["gain"] for tree in trees]), 0))
    start, codes = joined.sets()
    if not sets:
        assert start is None
        assert codes is None
        return
    assert start is not None
    assert codes is not None
    expected = []
    for tree in trees:
        for node, feature in enumerate(tree["feature"]):
            stop = tree["set_stop"][node] if feature == 1 and "set_stop" in tree else 0
            expected.append(sorted(tree["codes"][stop - tree["cut"][node] : stop].tolist()) if stop else [])
    assert [codes[a:b].tolist() for a, b in pairwise(start)] == expected


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.learn.forests.grow_forest.MOST_NODES", 7)
    joined = JoinedTrees(2, np.array([False, True]), 2)
    joined.add(tree_of(5, np.random.default_rng(0), sets=False))
    with pytest.raises(ValueError, match="more than 7 nodes: set max_depth, or min_samples_leaf"):
        joined.add(tree_of(3, np.random.default_rng(0), sets=False))
