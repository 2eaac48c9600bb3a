"""Checks of a forest's arrays before a kernel reads them; see `hornbeam.model.trees.invariants`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.schema import Column, Nominal, SchemaError
from hornbeam.model.base.plain import ModelError
from hornbeam.model.trees.invariants import MOST_NODES, check_offsets, refuse, refuse_at

if TYPE_CHECKING:
    from hornbeam.model.forests.forest import Forest

COMBINE = ("mean", "sum")
LINKS = {"classification": ("identity", "logistic", "softmax"), "regression": ("identity", "exp")}


def set_size(column: Column) -> int:
    """The number of categories of each column that is split by sets; -1 for one that is cut: numeric or ordered."""
    return len(column.categories) if isinstance(column, Nominal) and not column.ordered else -1


def check_forest(forest: Forest) -> None:
    """Raise an error if the arrays do not form binary trees over the schema."""
    n_nodes, n_trees = len(forest.feature), len(forest.roots) - 1
    if not 1 <= n_trees <= n_nodes <= MOST_NODES:
        msg = f"the forest has {n_trees} trees and {n_nodes} nodes; expected at least 1 tree, each of at least 1 node"
        raise ModelError(msg)
    outputs, width = _check_kind(forest)
    forest.check_arrays(nodes=n_nodes, trees=n_trees, outputs=outputs, width=width, one=1)
    _check_shape(forest)
    _check_questions(forest)
    _check_content(forest)
    _check_targets(forest)


def _check_kind(forest: Forest) -> tuple[int, int]:
    """Check how the trees are combined; return the number of outputs, and the number of values of a node."""
    try:
        target = forest.schema.target_column
    except SchemaError as error:
        raise ModelError(str(error)) from None
    if forest.combine not in COMBINE:
        msg = f"the trees are combined by {forest.combine!r}; expected one of {', '.join(COMBINE)}"
        raise ModelError(msg)
    task = "classification" if isinstance(target, Nominal) else "regression"
    if forest.link not in LINKS[task]:
        msg = f"the link is {forest.link!r}; expected one of {', '.join(LINKS[task])} for {task}"
        raise ModelError(msg)
    n_classes = len(target.categories) if isinstance(target, Nominal) else 1
    if n_classes == 0:
        msg = f"the target {target.name!r} has no categories; expected at least one"
        raise ModelError(msg)
    if forest.link == "logistic":
        if n_classes != 2:  # noqa: PLR2004 - the link's nature
            msg = f"the link is logistic, but the target {target.name!r} has {n_classes} categories; expected 2"
            raise ModelError(msg)
        n_classes = 1
    return n_classes, 1 if forest.output is not None else n_classes


def _check_shape(forest: Forest) -> None:
    """Check that two adjacent children follow their parent in its tree, and every node except the roots is a child."""
    n_nodes = len(forest.feature)
    check_offsets("roots", forest.roots, n_nodes)
    size = np.diff(forest.roots)
    refuse("tree", [(size < 1, "has no node")])
    nodes = np.arange(n_nodes, dtype=np.int64)
    first = forest.first_child.astype(np.int64)
    leaf = first < 0
    stop = np.repeat(forest.roots[1:], size)
    refuse(
        "node",
        [
            (first < -1, "has a first child below -1"),
            (leaf & (forest.feature != -1), "is a leaf, but has a feature"),
            (~leaf & (first <= nodes), "has children that do not come after it"),
            (~leaf & (first + 1 >= stop), "has children beyond the last node of its tree"),
            ((forest.missing != 0) & (forest.missing != 1), "sends missing values to a branch that it does not have"),
        ],
    )
    children = np.concatenate([first[~leaf], first[~leaf] + 1])
    times = np.bincount(children, minlength=n_nodes)
    times[forest.roots[:-1]] += 1  # roots must not be children
    refuse("node", [(times > 1, "is the child of two nodes, or is a root and a child")])
    refuse("node", [(times < 1, "is not a child of any node")])


def _check_questions(forest: Forest) -> None:
    """Check that features, cuts and codes exist."""
    columns = [forest.schema.columns[position] for position in forest.schema.features]
    inner = forest.first_child >= 0
    feature = forest.feature
    refuse("node", [(inner & ((feature < 0) | (feature >= len(columns))), "has a feature that does not exist")])
    by_set = np.zeros(len(feature), np.bool_)
    if columns:
        by_set = inner & (np.array([set_size(column) for column in columns]) >= 0)[feature]
    refuse(
        "node",
        [
            (np.isnan(forest.cut) | (forest.cut == -np.inf), "has a cut that is not a number, or below every number"),
            ((~inner | by_set) & (forest.cut != 0), "has a cut, but no numeric split"),
        ],
    )
    if (forest.set_start is None) != (forest.codes is None):
        raise ModelError("the forest has only one of set_start and codes; expected both or neither")
    if forest.set_start is None or forest.codes is None:
        refuse("node", [(by_set, "splits by categories, but lists none")])
        return
    check_offsets("set_start", forest.set_start, len(forest.codes))
    n_codes = np.diff(forest.set_start)
    refuse(
        "node",
        [
            (by_set & (n_codes == 0), "splits by categories, but lists none"),
            (~by_set & (n_codes != 0), "lists categories, but does not split by them"),
        ],
    )
    owner = np.repeat(np.arange(len(feature)), n_codes)
    n_categories = np.array([set_size(column) for column in columns], np.int64)
    codes = forest.codes.astype(np.int64)
    if len(codes):
        outside = (codes < 0) | (codes >= n_categories[feature[owner]])
        refuse_at("node", owner, outside, "lists an unknown code")
    falls = (codes[1:] <= codes[:-1]) & (owner[1:] == owner[:-1])
    refuse_at("node", owner[1:], falls, "lists codes that are not in rising order")


def _check_content(forest: Forest) -> None:
    """Check that numbers are in their ranges."""
    refuse(
        "node",
        [
            (~(np.isfinite(forest.weight) & (forest.weight >= 0)), "has a weight that is negative or not a number"),
            (~np.isfinite(forest.value).all(axis=1), "has a value that is not a number"),
            (~np.isfinite(forest.gain), "has a gain that is not a number"),
        ],
    )
    if isinstance(forest.schema.target_column, Nominal) and forest.link == "identity":
        refuse("node", [((forest.value < 0).any(axis=1), "has a negative class probability")])
        if forest.output is None and forest.combine == "mean":
            total = forest.value.sum(axis=1, dtype=np.float64)
            refuse("node", [(np.abs(total - 1) > 10 * SLACK, "has class probabilities that do not add up to 1")])
    if not np.isfinite(forest.base).all():
        raise ModelError("the base of the sums is not a number")
    if forest.rest is not None:
        refuse("node", [(~np.isfinite(forest.rest).all(axis=1), "has the rest of a value that is not a number")])
    if forest.unit is not None and not 0 < forest.unit[0] < np.inf:
        raise ModelError("the unit of the values is not a number above 0")
    if forest.unit is None and forest.combine == "mean" and (forest.base != 0).any():
        raise ModelError("the trees are averaged, but there is a base other than 0")
    if forest.output is not None:
        outside = (forest.output < 0) | (forest.output >= len(forest.base))
        refuse("tree", [(outside, "adds to an output that does not exist")])
        if forest.combine == "mean":
            raise ModelError("the trees are averaged, but each adds to one output only")


def _check_targets(forest: Forest) -> None:
    if (forest.target_start is None) != (forest.targets is None):
        raise ModelError("the forest has only one of target_start and targets; expected both or neither")
    if forest.target_start is None or forest.targets is None:
        return
    check_offsets("target_start", forest.target_start, len(forest.targets))
    if isinstance(forest.schema.target_column, Nominal):
        raise ModelError("the forest keeps training targets, but its target is nominal")
    count = np.diff(forest.target_start)
    leaf = forest.first_child < 0
    refuse("node", [((count > 0) & ~leaf, "keeps training targets, but is not a leaf")])
    owner = np.repeat(np.arange(len(count)), count)
    refuse_at("node", owner, ~np.isfinite(forest.targets), "keeps a training target that is not a number")
