"""The certifier itself: what the naive grower grows passes, and whatever is changed is found."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st
from reference.categories import by_code, every_subset
from reference.categories import divide as divide_codes
from reference.division import Place, measure
from reference.mass import chi_square, impurity, log_p_value
from reference.sample import make_sample
from scipy import stats
from strategies import open_cases

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees import criteria
from hornbeam.learn.trees.recipe import Recipe

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.model.trees.tree import Tree

GINI = Recipe(criterion="gini", nominal="subset", missing="default-direction", tolerance=1e-9)
VARIANCE = Recipe(criterion="variance", nominal="subset", missing="majority", tolerance=1e-9, leaf="mean")


@given(open_cases())
def test_the_naive_tree_is_certified(case: tuple[Table, Recipe]) -> None:
    table, recipe = case
    reference.certify(reference.grow(table, recipe), table, recipe)


def fixed(task: str) -> Table:
    """A table on which every choice of a recipe matters."""
    random = np.random.default_rng(3)
    target = random.integers(0, 4, 60)
    number = np.where(random.random(60) < 0.5, target, random.integers(0, 7, 60)) / 2
    code = np.where(random.random(60) < 0.5, (2 * target + 1) % 5, random.integers(0, 5, 60))
    number[random.random(60) < 0.2] = np.nan
    code[random.random(60) < 0.2] = -1
    goal = Nominal("y", tuple("abcd")) if task == "classification" else Numeric("y")
    schema = Schema((Numeric("x"), Nominal("z", tuple("pqrst")), goal), ("feature", "feature", "target"))
    return Table(schema, [number, code, target])


def changed(tree: Tree, name: str, node: int, value: Any) -> Tree:
    array = getattr(tree, name).copy()
    array[node] = value
    return replace(tree, **{name: array})


WRONG: dict[str, Callable[[Tree], Tree]] = {
    "rows": lambda tree: changed(tree, "rows", 1, tree.rows[1] + 1),
    "weigh": lambda tree: changed(tree, "weight", 1, tree.weight[1] + 1),
    "share": lambda tree: changed(tree, "share", 2, tree.share[2] * 0.9),
    "error": lambda tree: changed(tree, "error", 0, tree.error[0] + 0.5),
    "missing|expected": lambda tree: changed(tree, "missing", 0, 1 - tree.missing[0]),
    "score": lambda tree: replace(tree, splits=replace(tree.splits, score=tree.splits.score * 1.001)),
    "cuts|expected": lambda tree: replace(tree, splits=replace(tree.splits, cuts=tree.splits.cuts + 0.125)),
}


@pytest.mark.parametrize("task", ["classification", "regression"])
@pytest.mark.parametrize("message", WRONG)
def test_a_wrong_figure_is_found(task: str, message: str) -> None:
    table, recipe = fixed(task), GINI if task == "classification" else VARIANCE
    tree = reference.grow(table, recipe)
    assert tree.n_leaves > 4
    assert len(tree.splits.cuts) > 0
    reference.certify(tree, table, recipe)
    with pytest.raises((AssertionError, ValueError), match=message):
        reference.certify(WRONG[message](tree), table, recipe)


@pytest.mark.parametrize(
    "other",
    [
        {"criterion": "information-gain"},
        {"criterion": "chi-square"},
        {"criterion": "misclassification"},
        {"nominal": "multiway"},
        {"missing": "majority"},
        {"missing": "own-category"},
        {"missing": "impute"},
        {"missing": "fractional"},
        {"numeric": "multi-cut"},
        {"min_branch": 4.0},
        {"min_node": 6.0},
        {"min_impurity": 0.45},
        {"min_gain": 0.1},
        {"min_gain_share": 0.1},
        {"significance": 0.05},
        {"max_depth": 2},
        {"max_leaf_nodes": 4},
        {"interactions": ((0,), (1,))},
        {"loss": ((0, 1, 1, 1), (9, 0, 1, 1), (9, 1, 0, 1), (9, 1, 1, 0))},
    ],
    ids=str,
)
def test_a_tree_of_another_recipe_is_found(other: dict[str, Any]) -> None:
    table, wrong = fixed("classification"), replace(GINI, **other)
    reference.certify(reference.grow(table, wrong), table, wrong)
    with pytest.raises(AssertionError):
        reference.certify(reference.grow(table, wrong), table, GINI)
    with pytest.raises(AssertionError):
        reference.certify(reference.grow(table, GINI), table, wrong)


def small(codes: list[int], target: list[float], *, n_classes: int) -> Table:
    goal = Nominal("y", tuple("abcd")[:n_classes]) if n_classes else Numeric("y")
    return Table(Schema((Nominal("x", tuple("pqrstu")), goal), ("feature", "target")), [codes, target])


@pytest.mark.parametrize("criterion", ["information-gain", "gini", "misclassification"])
@given(counts=st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any))
def test_impurities_are_those_of_the_textbook(criterion: Any, counts: list[int]) -> None:
    target = [float(k) for k, count in enumerate(counts) for _ in range(count)]
    table = small([0] * len(target), target, n_classes=3)
    sample = make_sample(table, Recipe(criterion=criterion))
    measures = {
        "information-gain": criteria.entropy,
        "gini": criteria.gini,
        "misclassification": criteria.misclassification,
    }
    found = impurity(sample, Recipe(criterion=criterion), sample.all_pieces())
    assert found == pytest.approx(measures[criterion](counts), abs=1e-12)


@given(st.lists(st.lists(st.integers(1, 9), min_size=3, max_size=3), min_size=2, max_size=4))
def test_the_statistic_is_scipys(table: list[list[int]]) -> None:
    statistic, df = chi_square([[float(n) for n in row] for row in table])
    expected = stats.chi2_contingency(np.array(table), correction=False)
    assert statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert df == expected.dof
    assert math.exp(log_p_value(statistic, df)) == pytest.approx(expected.pvalue)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-3, 3)), min_size=2, max_size=30), st.randoms())
def test_along_the_order_lies_the_best_of_all_subsets(rows: list[tuple[int, int]], random: Any) -> None:
    # For two classes and a concave impurity, and for squared error, the best division is a cut in the order of shares
    # or means (Breiman, Friedman, Olshen and Stone 1984, theorem 4.5); the brute force here knows nothing of orders.
    criterion = random.choice(("information-gain", "gini", "misclassification", "chi-square", "variance"))
    n_classes = 0 if criterion == "variance" else 2
    target = [float(y if n_classes == 0 else y > 0) for _, y in rows]
    table = small([code for code, _ in rows], target, n_classes=n_classes)
    recipe = Recipe(criterion=criterion, nominal="subset", missing="error", tolerance=0.0, max_depth=1)
    sample = make_sample(table, recipe)
    place = Place(sample.all_pieces())
    codes = list(by_code(place, sample.features[0]))
    scores = [
        measure(sample, recipe, place, divide_codes(place, sample.features[0], [low, high])).score
        for low, high in every_subset(codes)
        if low
    ]
    tree = reference.grow(table, recipe)
    found = 0.0 if tree.n_leaves == 1 else float(tree.splits.score[0])
    assert found == pytest.approx(max(scores, default=0.0), abs=1e-9)
