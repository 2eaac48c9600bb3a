"""Compiled trees are what the definitions say, for any recipe and any small table.

Each tree is walked with its training rows by a naive program (tests/reference), which works out everything anew at
every node: no other split is better, no figure is wrong.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.categories import divide as divide_codes
from reference.categories import every_subset
from reference.division import Place, measure
from reference.sample import make_sample
from strategies import CLASS_CRITERIA, NUMBER_CRITERIA, POLICIES, Random, entropy_cases, open_cases

from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees import columns
from hornbeam.learn.trees import grow as grower
from hornbeam.learn.trees.build import build_tree
from hornbeam.learn.trees.recipe import Recipe

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

BUDGET = settings(max_examples=max(100, settings().max_examples))  # these are the tests of the compiled trees
Case = tuple[Table, Recipe]
# Small tables would always be counted by code, and never be cut into problems of their own.
CONTAINERS = {"codes": (64, grower.ZOOM_FROM), "lists": (0, grower.ZOOM_FROM), "zoomed lists": (0, 4)}


def compiled(case: Case, container: str = "codes", *, n_threads: int = 1) -> Tree:
    table, recipe = case
    few_values, zoom_from = CONTAINERS[container]
    with patch.object(columns, "FEW_VALUES", few_values), patch.object(grower, "ZOOM_FROM", zoom_from):
        return build_tree(table, recipe, n_threads=n_threads).tree


containers = st.sampled_from(sorted(CONTAINERS))


@BUDGET
@given(entropy_cases(), containers)
def test_entropy_recipes(case: Case, container: str) -> None:
    reference.certify(compiled(case, container), *case)


@pytest.mark.parametrize("criterion", CLASS_CRITERIA + NUMBER_CRITERIA)
def test_every_criterion(criterion: str) -> None:
    @BUDGET
    @given(open_cases(criterion=criterion), containers)
    def run(case: Case, container: str) -> None:
        reference.certify(compiled(case, container), *case)

    run()


@pytest.mark.parametrize("policy", [*POLICIES, "surrogate"])
def test_every_policy_for_missing_values(policy: str) -> None:
    @BUDGET
    @given(open_cases(policy=policy), containers)
    def run(case: Case, container: str) -> None:
        reference.certify(compiled(case, container), *case)

    run()


@given(open_cases(most_rows=150), containers)
def test_threads_change_nothing(case: Case, container: str) -> None:
    assert compiled(case, container, n_threads=3).same_as(compiled(case, container))


def of_categories(random: Random, n_codes: int, n_classes: int, n_rows: int) -> Table:
    """One nominal column, and classes (or numbers) that its categories differ in."""
    codes = [random.randrange(n_codes) for _ in range(n_rows)]
    values = [random.randrange(max(n_classes, 5)) if random.random() < 0.5 else 3 * c % 7 for c in codes]
    target = [value % n_classes if n_classes else value for value in values]
    goal: Column = Nominal("y", tuple("abcd")[:n_classes]) if n_classes else Numeric("y")
    names = tuple(f"c{code}" for code in range(n_codes))
    return Table(Schema((Nominal("x", names), goal), ("feature", "target")), [codes, target])


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, "variance"])
@given(st.randoms(use_true_random=False), st.sampled_from((2, 3, 4)))
def test_exact_subsets_are_the_best_of_all(criterion: Any, random: Random, n_classes: int) -> None:
    table = of_categories(random, random.randint(2, 7), 0 if criterion == "variance" else n_classes, 40)
    recipe = Recipe(criterion=criterion, nominal="subset", missing="error", tolerance=0.0, max_depth=1)
    tree = compiled((table, recipe))
    sample = make_sample(table, recipe)
    place = Place(sample.all_pieces())
    present = sorted({int(code) for code in table.columns[0]})
    every = [
        measure(sample, recipe, place, divide_codes(place, sample.features[0], [low, high]))
        for low, high in every_subset(present)
        if low
    ]
    most = max((division.gain for division in every), default=0.0)
    if tree.n_leaves == 1:
        assert most == pytest.approx(0.0, abs=1e-6)
        return
    left = set(tree.splits.codes[tree.splits.code_branch == 0].tolist())
    chosen = next(d for d in every if set(d.groups[0]) == left or set(d.groups[1]) == left)
    assert chosen.gain == pytest.approx(most)
    if criterion != "gain-ratio":  # the set is chosen by its gain
        assert tree.splits.score[0] == pytest.approx(max(division.score for division in every))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_number_of_categories_is_too_great(seed: int) -> None:
    # Which of 2^299 subsets is best nobody can tell; but the split must be a cut along the first principal component of
    # the class shares, and better than any one category alone.
    table = of_categories(Random(seed), 300, 4, 900)
    recipe = Recipe(criterion="gini", nominal="subset", missing="error", tolerance=1e-9, max_depth=1)
    tree, alone = compiled((table, recipe)), compiled((table, replace(recipe, nominal="one-vs-rest")))
    assert tree.splits.score[0] >= alone.splits.score[0] - 1e-9
    counts = np.zeros((300, 4))
    np.add.at(counts, (table.columns[0], table.target_values()), 1)
    weights = counts.sum(axis=1)
    present = np.flatnonzero(weights)
    shares = counts[present] / weights[present, None]
    centered = shares - counts.sum(axis=0) / counts.sum()
    values, vectors = np.linalg.eigh((centered.T * weights[present]) @ centered)
    assert values[-1] - values[-2] > 1e-3 * values[-1]
    along = dict(zip(present.tolist(), centered @ vectors[:, -1], strict=True))
    sides = [
        [along[c] for c, b in zip(tree.splits.codes, tree.splits.code_branch, strict=True) if b == side]
        for side in (0, 1)
    ]
    low, high = sorted(sides, key=np.mean)
    assert max(low) <= min(high) + 1e-7


def one_nominal(codes: list[int], target: list[int], weights: list[float], n_classes: int) -> Table:
    columns = (Nominal("x", tuple("pqrst")), Nominal("y", tuple("abcd")[:n_classes]), Numeric("w"))
    return Table(Schema(columns, ("feature", "target", "weight")), [codes, target, weights])


def test_a_component_is_found_from_any_start() -> None:
    # The first component of these shares tells class 1 from both others; it is at right angles to the classes' order.
    table = one_nominal([0, 2, 1, 1], [0, 2, 1, 1], [1.0] * 4, 3)
    recipe = Recipe(criterion="gini", nominal="subset", missing="error", exhaustive_up_to=2, tolerance=1e-9)
    reference.certify(compiled((table, recipe)), table, recipe)


def test_boundary_points_are_of_values_not_of_categories() -> None:
    # Only a division of the three pure categories leaves both branches with enough weight.
    table = one_nominal([4, 1, 0, 0, 3], [0, 1, 0, 0, 0], [1.0, 1.0, 2.0, 0.25, 0.5], 2)
    recipe = Recipe(criterion="gini", nominal="subset", missing="error", boundary_points=True, min_branch=2.0)
    reference.certify(compiled((table, recipe)), table, recipe)


def test_rows_without_a_value_may_be_low_though_no_cut_has_them_high() -> None:
    # With three rows a branch only one cut is left, and only with both rows of no value below it.
    schema = Schema((Numeric("x"), Numeric("y")), ("feature", "target"))
    table = Table(schema, [[0.0, 1.0, 1.0, 1.0, np.nan, np.nan], [1.0, 5.0, 5.0, 6.0, 1.0, 2.0]])
    recipe = Recipe(
        criterion="variance", missing="default-direction", min_branch=3.0, tolerance=1e-9, max_depth=1, leaf="mean"
    )
    for container in CONTAINERS:
        tree = compiled((table, recipe), container)
        assert tree.splits.cuts.tolist() == [0.5]
        assert tree.missing[0] == 0
        reference.certify(tree, table, recipe)
