"""The table of split criteria: what reads it refuses a criterion that is not in it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import hornbeam
from hornbeam.learn.trees.importance import importance
from hornbeam.learn.trees.prune.rebuild import costs_of
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.criterion import CRITERIA, criterion_of, impurity_of, sums_entropy
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def tree() -> Tree:
    model = hornbeam.TreeClassifier(criterion="gini", max_depth=2).fit(hornbeam.read("iris")).model_
    assert isinstance(model, Tree)
    return model


def learned_by(tree: Tree, criterion: str | None) -> Tree:
    return replace(tree, recipe={**tree.recipe, "criterion": criterion})


@pytest.mark.parametrize(
    "reader", [criterion_of, impurity_of, sums_entropy, importance, lambda tree: costs_of(tree, "impurity")]
)
def test_an_unknown_criterion_is_an_error(tree: Tree, reader: Callable[[Tree], object]) -> None:
    with pytest.raises(ModelError, match="learned by the criterion 'twoing'; expected one of information-gain"):
        reader(learned_by(tree, "twoing"))


def test_a_criterion_for_numbers_sums_no_impurity_of_classes(tree: Tree) -> None:
    with pytest.raises(ModelError, match="expected a criterion for classes"):
        sums_entropy(learned_by(tree, "variance"))


def test_a_recipe_without_a_criterion_has_the_usual_impurity(tree: Tree) -> None:
    assert impurity_of(learned_by(tree, None)).name == "entropy"
    assert not sums_entropy(learned_by(tree, None))


def test_every_impurity_is_zero_for_a_pure_node() -> None:
    for criterion in CRITERIA.values():
        pure = [4.0, 0.0, 0.0] if criterion.target == "classes" else [4.0, 1.5, 0.0]
        assert criterion.impurity.of(np.array(pure)) == 0.0
