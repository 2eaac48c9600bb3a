"""The trees of a forest, against a naive grower with the same random numbers."""

from __future__ import annotations

import random as random_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.forest_growing import ForestReference, Node, as_nested

from hornbeam.core.base.interrupt import stop_after
from hornbeam.core.forests.grow.grower import Forester


def drawn_problem(random: random_module.Random, *, large: bool = False) -> tuple[dict[str, Any], dict[str, Any], bool]:
    """Columns, target and choices; and whether sums are whole numbers, so that ties are decided alike.

    A large one has more rows than are looked at one by one, and more columns of two codes than a word has bits.
    """
    n_rows, n_features = random.choice((*random.choices(range(1, 41), k=9), 140)), random.randint(1, 11)
    if large:
        n_rows, n_features = random.randint(500, 1000), n_features + 70
    n_classes = random.choice((0, 2, 2, 3, 10))
    columns, n_bins, nominal, wide = [], [], [], set()
    for feature in range(n_features):
        n_codes = 2 if feature > 10 else random.choice((1, 2, 2, 3, 6, 200, 256, 300))
        n_bins.append(n_codes)
        nominal.append(random.random() < 0.4)
        if n_codes == 300 or random.random() < 0.15:
            wide.add(feature)
        codes = random.sample(range(n_codes), min(n_codes, random.randint(1, 8)))
        missing = 0.0 if n_codes == 256 or random.random() < 0.5 else 0.15  # of 256 codes, a byte holds no more
        columns.append([n_codes if random.random() < missing else random.choice(codes) for _ in range(n_rows)])
    if n_classes:
        target: list[Any] = [random.randrange(n_classes) for _ in range(n_rows)]
    else:
        target = [random.choice((-2.0, -1.0, 0.0, 0.5, 4.0)) for _ in range(n_rows)]
    weights = [random.choice((0.5, 1.0, 2.0)) for _ in range(n_rows)] if random.random() < 0.3 else None
    entropy = bool(n_classes) and random.random() < 0.2
    choices = {
        "n_candidates": random.randint(1, n_features),
        "n_pool": n_features,
        "random_cut": random.random() < 0.3,
        "entropy": entropy,
        "bootstrap": random.random() < 0.7,
        "n_drawn": random.choice((n_rows, max(1, n_rows // 2))),
        "min_leaf": random.choice((0.0, 1.0, 3.0)),
        "min_split": random.choice((2.0, 5.0)),
        "max_depth": random.choice((1, 3, 1000)),
        "max_leaves": random.choice((0, 0, 2, 5)),
        "seed": random.randrange(2**40),
    }
    if random.random() < 0.3:
        choices["n_pool"] = choices["n_candidates"]
    cuts = [[random.random() + code for code in range(count - 1)] for count in n_bins]
    within = random.choice((0.0, 0.0, 0.4))  # values of a bin that holds several
    values = {
        feature: [code + within * random.choice((0.0, 1.0, 2.0)) / 2 for code in columns[feature]]
        for feature in range(n_features)
        if feature not in wide and not choices["random_cut"] and within
    }
    problem = {
        "values": values, "columns": columns, "n_bins": n_bins, "nominal": nominal, "cuts": cuts, "target": target,
        "n_classes": n_classes, "weights": weights, "wide": wide,
    }  # fmt: skip
    return problem, choices, bool(n_classes) and not entropy


def compiled(problem: dict[str, Any], choices: dict[str, Any]) -> Forester:
    n_rows = len(problem["target"])
    codes = np.zeros((len(problem["columns"]), n_rows), np.uint8)
    wide = {}
    for feature, column in enumerate(problem["columns"]):
        if feature in problem["wide"]:
            wide[feature] = np.array(column, np.int32)
        else:
            codes[feature] = column
    kind = np.int32 if problem["n_classes"] else np.float64
    return Forester(
        codes,
        wide,
        np.array(problem["n_bins"], np.int32),
        np.array(problem["nominal"], np.uint8),
        [np.array(cuts) for cuts in problem["cuts"]],
        {feature: np.array(numbers) for feature, numbers in problem.get("values", {}).items()},
        np.array(problem["target"], kind),
        problem["n_classes"],
        None if problem["weights"] is None else np.array(problem["weights"]),
        choices,
    )


def assert_same(ours: Node, theirs: Node, values: dict[int, Any], *, exactly: bool, by_score: bool) -> None:
    """Compare nodes in the order in which they were split: where rounding decides a tie, what comes later differs."""
    waiting = [(ours, theirs)]
    while waiting:
        ours, theirs = waiting.pop(min(range(len(waiting)), key=lambda i: min(node.turn for node in waiting[i])))
        assert np.isclose(ours.weight, theirs.weight)
        assert np.allclose(ours.value, theirs.value, atol=1e-6)
        if by_score and not exactly and ours.turn != theirs.turn:
            return
        assert ours.turn == theirs.turn
        if ours.split is None or theirs.split is None:
            continue
        assert np.isclose(ours.split.score, theirs.split.score, atol=1e-4)
        same = (ours.split.feature, ours.split.cut, ours.split.codes, ours.split.missing) == (
            theirs.split.feature, theirs.split.cut, theirs.split.codes, theirs.split.missing,
        )  # fmt: skip
        if ours.split.feature in values and theirs.split.codes is None:
            same = same and ours.split.threshold == theirs.split.threshold
        if not same and not exactly:
            return
        assert same
        assert ours.children is not None
        assert theirs.children is not None
        waiting += zip(ours.children, theirs.children, strict=True)


def reference(problem: dict[str, Any], choices: dict[str, Any]) -> ForestReference:
    """The naive grower; columns of two codes are bits where rows are counted by class."""
    bits = frozenset(
        feature
        for feature, column in enumerate(problem["columns"])
        if problem["n_classes"] and problem["weights"] is None and problem["n_bins"][feature] == 2
        and feature not in problem["wide"] and feature not in problem["values"] and max(column) < 2
    )  # fmt: skip
    given = {key: value for key, value in problem.items() if key != "wide"}
    return ForestReference(**given, choices=choices, bits=bits)


def assert_grown_alike(problem: dict[str, Any], choices: dict[str, Any], tree: int, *, exactly: bool) -> None:
    arrays = compiled(problem, choices).grow(tree, True)
    naive = reference(problem, choices)
    expected = naive.grow(tree)
    found = as_nested(arrays, problem["nominal"], max(problem["n_classes"], 1))
    assert_same(found, expected, problem["values"], exactly=exactly, by_score=choices["max_leaves"] > 0)
    assert arrays["count"].tolist() == naive.counts


@settings(max_examples=80, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 5))
def test_trees_are_those_of_the_naive_grower(random: random_module.Random, tree: int) -> None:
    problem, choices, exactly = drawn_problem(random)
    assert_grown_alike(problem, choices, tree, exactly=exactly)


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_more_rows_and_bits_are_those_of_the_naive_grower(seed: int) -> None:
    problem, choices, exactly = drawn_problem(random_module.Random(seed), large=True)  # noqa: S311 - no secret
    choices["n_candidates"] = 6
    assert_grown_alike(problem, choices | {"max_depth": 6, "max_leaves": 0}, 0, exactly=exactly)


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False))
def test_rows_end_where_the_splits_send_them(random: random_module.Random) -> None:
    problem, choices, _ = drawn_problem(random)
    arrays = compiled(problem, choices).grow(0, True)
    naive = reference(problem, choices)
    root = as_nested(arrays, problem["nominal"], max(problem["n_classes"], 1))
    values = arrays["value"].reshape(-1, max(problem["n_classes"], 1))
    for row, leaf in enumerate(arrays["leaf"].tolist()):
        node = root
        while node.split is not None and node.children is not None:
            node = node.children[naive.side(row, node.split)]
        assert node.value == values[leaf].tolist()
        assert arrays["first_child"][leaf] < 0


def big_problem(n_rows: int) -> tuple[dict[str, Any], dict[str, Any]]:
    random = np.random.default_rng(3)
    columns = random.integers(0, 250, (9, n_rows))
    target = (columns[0] > 100) ^ (columns[1] > 50) ^ (random.random(n_rows) < 0.1)
    problem = {
        "columns": columns.tolist(), "n_bins": [250] * 9, "nominal": [False] * 9, "wide": {8},
        "cuts": [list(np.arange(249.0))] * 9, "target": target.astype(int).tolist(), "n_classes": 2, "weights": None,
    }  # fmt: skip
    choices = {
        "n_candidates": 3, "n_pool": 9, "random_cut": False, "entropy": False, "bootstrap": True, "n_drawn": n_rows,
        "min_leaf": 1.0, "min_split": 2.0, "max_depth": 1000, "max_leaves": 0, "seed": 5,
    }  # fmt: skip
    return problem, choices


def test_trees_of_many_rows_fit_the_rows_they_were_grown_on() -> None:
    """Records are sent from node to node; at the end every leaf is pure."""
    problem, choices = big_problem(60_000)
    arrays = compiled(problem, choices).grow(7, True)
    drawn = arrays["count"] > 0
    shares = arrays["value"].reshape(-1, 2)[arrays["leaf"][drawn]]
    same = np.all(np.diff(np.array(problem["columns"])[:, drawn], axis=0) == 0, axis=0)  # rows all of one value: none
    assert not same.any()
    assert (shares.argmax(axis=1) == np.array(problem["target"])[drawn]).mean() > 0.999
    reached = np.bincount(arrays["leaf"], arrays["count"], minlength=len(arrays["feature"]))
    leaves = arrays["first_child"] < 0
    assert np.array_equal(reached[leaves], arrays["weight"][leaves])
    inner = np.flatnonzero(~leaves)
    first = arrays["first_child"][inner]
    assert np.array_equal(arrays["weight"][first] + arrays["weight"][first + 1], arrays["weight"][inner])


def test_a_cancelled_growing_ends() -> None:
    grower = compiled(*big_problem(5000))
    stop_after(5)
    with pytest.raises(KeyboardInterrupt):
        grower.grow(0)
    stop_after(-1)
