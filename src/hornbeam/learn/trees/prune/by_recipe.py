"""Pruning as a recipe asks for it: which inner nodes of a grown tree become leaves, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.prune.cut_back import greatest_below
from hornbeam.learn.trees.prune.by_estimate import (
    complexity_factor_estimate,
    description_length_estimate,
    minimum_error_estimate,
)
from hornbeam.learn.trees.prune.by_threshold import chance_figures, score_figures, weak
from hornbeam.learn.trees.prune.held_out import reduced_error_steps
from hornbeam.learn.trees.prune.steps import steps_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree

# Methods that only make leaves, from figures at the nodes.
BY_FIGURES = (
    "reduced-error", "chi-square", "critical-value", "minimum-error", "description-length", "complexity-factor"
)  # fmt: skip


def leaves_by_recipe(tree: Tree, recipe: Recipe, held_out: Table | None) -> tuple[NDArray[np.intp], Any]:
    """Inner nodes that become leaves, and a record of every decision.

    Parameters
    ----------
    tree : Tree
        As grown.
    recipe : Recipe
        With `prune` one of `BY_FIGURES`.
    held_out : Table or None
        Rows to prune with, for reduced-error pruning.
    """
    if recipe.prune == "reduced-error":
        assert held_out is not None
        nodes, steps = reduced_error_steps(tree, held_out)
    elif recipe.prune == "minimum-error":
        nodes, steps = minimum_error_estimate(tree, recipe.m).steps(tree)
    elif recipe.prune == "description-length":
        nodes, steps = description_length_estimate(tree).steps(tree)
    elif recipe.prune == "complexity-factor":
        nodes, steps = complexity_factor_estimate(tree).steps(tree)
    else:
        return _by_threshold(tree, recipe)
    return nodes, steps


def _by_threshold(tree: Tree, recipe: Recipe) -> tuple[NDArray[np.intp], Any]:
    """What does not reach the threshold; the record tells what is needed, and the greatest figure at or below."""
    if recipe.prune == "chi-square":
        figure, needed = chance_figures(tree, recipe.prune_threshold, recipe.confidence)
    else:
        assert recipe.prune == "critical-value"
        assert recipe.prune_threshold is not None
        figure, needed = score_figures(tree), recipe.prune_threshold
    nodes = weak(tree, figure, needed)
    greatest = greatest_below(tree.first_child, tree.n_children, figure)
    return nodes, steps_of(tree, nodes, np.full(tree.n_nodes, needed), greatest)
