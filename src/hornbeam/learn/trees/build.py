"""Build a tree by a recipe: grow it, collapse it, prune it, and keep the trace if wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.base import enums
from hornbeam.core.trees.prune.cut_back import greatest_below, nodes_below, sum_over_leaves
from hornbeam.data.indices import offsets
from hornbeam.learn.trees.as_tree import Arrays, feature_kinds, split_store
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.prune.rebuild import childless, collapsible, with_leaves
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats, Indices
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.trace import Trace
    from hornbeam.model.trees.tree import Tree

    Parts = Callable[[Table], tuple[Indices, Indices]]

# Pruning methods that only turn nodes into leaves, by values at the nodes.
MAKES_LEAVES = (
    "reduced-error", "chi-square", "critical-value", "minimum-error", "description-length", "complexity-factor"
)  # fmt: skip


@dataclass(frozen=True)
class Built:
    """A tree, and the trace of how it was made if that was kept."""

    tree: Tree
    trace: Trace | None


def build_tree(
    table: Table,
    recipe: Recipe,
    *,
    parts: Parts | None = None,
    reference: Table | None = None,
    n_threads: int = 1,
    keep_trace: bool = False,
    keep_alternatives: int = 0,
) -> Built:
    """Grow and prune a tree.

    Parameters
    ----------
    table : Table
        Training rows, each with a target and a weight above zero.
    recipe : Recipe
        How to grow and prune.
    parts : callable, optional
        For reduced-error pruning: divides a table into row numbers to grow on and row numbers to prune with.
    reference : Table, optional
        The table in which values of cuts are looked up and rows are counted; by default the training rows.
    n_threads : int
        Number of threads for growing.
    keep_trace : bool
        Keep every candidate split and every pruning step.
    keep_alternatives : int
        How many runner-up splits to keep at each node, best first.
    """
    growing = table
    if recipe.prune == "reduced-error":
        assert parts is not None
        grow_rows, prune_rows = parts(table)
        growing = table.take(grow_rows)
    grown, candidates = grow(
        growing,
        recipe,
        reference=table if reference is None else reference,
        n_threads=n_threads,
        keep_candidates=keep_trace or keep_alternatives > 0,
    )
    if keep_alternatives:
        assert candidates is not None
        grown = _with_alternatives(grown, candidates, keep_alternatives, recipe)
    tree, steps, collapsed = grown, None, np.zeros(0, np.intp)
    if recipe.collapse and recipe.prune != "reduced-error":
        collapsed = collapsible(grown)
    if recipe.prune == "pessimistic":
        from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised  # noqa: PLC0415 - not for every tree

        # collapsed nodes keep their numbers, so that the steps refer to nodes of the tree as grown
        tree, steps = replaced_and_raised(
            replace(grown, **childless(grown, collapsed)),
            growing,
            recipe.confidence,
            subtree_raising=recipe.subtree_raising,
            keep_steps=keep_trace,
            n_threads=n_threads,
            use_up=not keep_trace,
        )
    elif recipe.prune in MAKES_LEAVES:
        held_out = table.take(prune_rows) if recipe.prune == "reduced-error" else None
        leaves, steps = nodes_to_cut(grown, recipe, held_out)
        tree = with_leaves(grown, np.concatenate([collapsed, leaves]))
    elif len(collapsed):
        tree = with_leaves(grown, collapsed)
    if not keep_trace:
        return Built(tree, None)
    assert candidates is not None
    return Built(tree, _trace(grown, candidates, collapsed, steps))


def _with_alternatives(tree: Tree, candidates: Arrays, most: int, recipe: Recipe) -> Tree:
    """The tree with each inner node's best candidates that were not chosen, best first."""
    node, column = candidates["node"], np.asarray(tree.schema.features)
    kinds = feature_kinds(tree.schema)
    losing = (
        (candidates["verdict"] > enums.NO_GAIN) & (candidates["verdict"] < enums.CHOSEN) & (candidates["score"] > 0)
    )
    examined, feature = np.nonzero(losing & (tree.n_children[node] > 0)[:, None])
    order = np.lexsort((feature, -candidates["score"][examined, feature], node[examined]))
    owner, feature, examined = node[examined[order]], feature[order], examined[order]
    rank = np.arange(len(owner)) - np.searchsorted(owner, owner)
    keep = rank < most
    owner, feature, examined = owner[keep], feature[keep], examined[keep]
    part = {
        name: candidates[name][examined, feature] for name in ("cut", "code", "n_branches", "extra_start", "n_extra")
    }
    scores = _in_split_units(tree, candidates) if recipe.row_by_row else candidates["score"]
    part["score"] = scores[examined, feature]
    category = part["code"]
    in_sets = (kinds[feature] == CODES) & (recipe.nominal != "multiway")
    kind = np.where(in_sets, CODE_SETS, kinds[feature])
    n_categories = np.array([len(getattr(tree.schema.columns[c], "categories", ())) for c in column])
    part |= {
        "column": column[feature].astype(np.int32), "kind": kind, "category": category,
        "flipped": np.zeros(len(kind), np.int32),
        "n_branches": np.where(
            part["n_branches"] > 0, part["n_branches"], np.where(kind == CODES, n_categories[feature], 2)
        ),
    }  # fmt: skip
    store, _ = split_store(tree.schema, part, candidates["extra"], recipe)
    start = offsets(np.bincount(owner, minlength=tree.n_nodes))
    numbers = len(tree.splits) + np.arange(len(store), dtype=np.int32)
    return replace(tree, splits=tree.splits.join(store), alternative_start=start, alternatives=numbers)


def _in_split_units(tree: Tree, candidates: Arrays) -> Floats:
    """Scores of candidates in the unit of the splits, for recipes that rank candidates row by row in another unit."""
    score, node = candidates["score"], candidates["node"]
    chosen, feature = np.nonzero((candidates["verdict"] == enums.CHOSEN) & (tree.split[node] >= 0)[:, None])
    ranked, stored = np.ones(len(node)), np.ones(len(node))
    ranked[chosen] = score[chosen, feature]
    stored[chosen] = tree.splits.score[tree.split[node[chosen]]]
    return np.where(score == ranked[:, None], stored[:, None], score * (stored / ranked)[:, None])


def _trace(grown: Tree, candidates: Arrays, collapsed: Indices, steps: Any) -> Trace:
    order = np.argsort(candidates["node"], kind="stable")
    flat = {
        name: candidates[name][order].ravel() for name in candidates if name not in ("node", "average_gain", "extra")
    }
    none = flat["verdict"] == enums.NO_SPLIT
    for name in ("gain", "charge", "split_information", "score"):
        flat[name] = np.where(none, np.nan, flat[name])
    n_features = len(grown.schema.features)
    cut_by = np.tile(feature_kinds(grown.schema) == CUTS, len(order))
    chosen = np.zeros(grown.n_nodes, np.uint8)
    chosen[collapsed] = 1
    collapsed = collapsed[~nodes_below(grown.parent, chosen)[collapsed]]
    nothing = np.full(len(collapsed), np.nan)
    empty = np.zeros(0)
    names = ("node", "action", "leaf", "subtree", "branch")
    step = {name: empty if steps is None else steps[name] for name in names}
    below = sum_over_leaves(grown.first_child, grown.n_children, grown.error)
    averaged = bool(grown.recipe["average_gain_filter"])
    from hornbeam.model.trees.trace import Trace  # noqa: PLC0415 - only where a trace is kept

    return Trace(
        grown=grown,
        node=np.repeat(candidates["node"][order], n_features).astype(np.int32),
        column=np.tile(np.asarray(grown.schema.features, np.int32), len(order)),
        verdict=flat["verdict"],
        gain=flat["gain"],
        charge=flat["charge"],
        split_information=flat["split_information"],
        score=flat["score"],
        cut=np.where(none, np.nan, np.where(cut_by, flat["cut"], np.where(flat["code"] < 0, np.nan, flat["code"]))),
        n_cuts=flat["n_cuts"],
        average_gain=np.where(averaged & (grown.n_children > 0), candidates["average_gain"], np.nan),
        step_node=np.concatenate([collapsed, step["node"]]).astype(np.int32),
        step_action=np.concatenate([np.full(len(collapsed), enums.COLLAPSED), step["action"]]).astype(np.int8),
        step_leaf=np.concatenate([grown.error[collapsed], step["leaf"]]),
        step_subtree=np.concatenate([below[collapsed], step["subtree"]]),
        step_branch=np.concatenate([nothing, step["branch"]]),
    )


def nodes_to_cut(tree: Tree, recipe: Recipe, held_out: Table | None) -> tuple[Indices, Any]:
    """Inner nodes that become leaves, and a record of every decision; `held_out` is for reduced-error pruning."""
    if recipe.prune == "reduced-error":
        assert held_out is not None
        from hornbeam.learn.trees.prune.held_out import reduced_error_steps  # noqa: PLC0415 - rarely needed

        return reduced_error_steps(tree, held_out)
    if recipe.prune in ("chi-square", "critical-value"):
        return _below_threshold(tree, recipe)
    from hornbeam.learn.trees.prune import by_estimate  # noqa: PLC0415 - not for every tree

    if recipe.prune == "minimum-error":
        return by_estimate.minimum_error_estimate(tree, recipe.m).steps(tree)
    if recipe.prune == "description-length":
        return by_estimate.description_length_estimate(tree).steps(tree)
    return by_estimate.complexity_factor_estimate(tree).steps(tree)


def _below_threshold(tree: Tree, recipe: Recipe) -> tuple[Indices, Any]:
    """Nodes that do not reach the threshold; the record has the threshold and the greatest value at or below."""
    from hornbeam.learn.trees.prune.by_threshold import significances, split_scores, weak  # noqa: PLC0415 - rarely used
    from hornbeam.learn.trees.prune.path import steps_of  # noqa: PLC0415 - rarely used

    if recipe.prune == "chi-square":
        value, needed = significances(tree, recipe.prune_threshold, recipe.confidence)
    else:
        assert recipe.prune == "critical-value"
        assert recipe.prune_threshold is not None
        value, needed = split_scores(tree), recipe.prune_threshold
    nodes = weak(tree, value, needed)
    greatest = greatest_below(tree.first_child, tree.n_children, value)
    return nodes, steps_of(tree, nodes, np.full(tree.n_nodes, needed), greatest)
