"""One tree of a forest as a `Tree`, for display, explanation and export."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Numeric
from hornbeam.model.trees.split import CODE_SETS, CUTS, FRACTIONAL, SplitStore
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.schema import Schema
    from hornbeam.model.forests.forest import Forest


def tree_of(forest: Forest, number: int) -> Tree:
    """Return tree `number` of a forest.

    Class weights are probabilities times weight; if trees add up to a score, the target is the score, a number. A
    forest does not keep the squared errors of training rows; they are 0.
    """
    if not 0 <= number < forest.n_trees:
        msg = f"no tree {number}; the forest has trees 0 to {forest.n_trees - 1}"
        raise IndexError(msg)
    if not forest.is_known_sound:
        forest.validate()
    first, stop = int(forest.roots[number]), int(forest.roots[number + 1])
    part = slice(first, stop)
    n_nodes = stop - first
    inner = np.flatnonzero(forest.first_child[part] >= 0)
    first_child = np.full(n_nodes, -1, np.int32)
    first_child[inner] = forest.first_child[part][inner] - first
    parent = np.full(n_nodes, -1, np.int32)
    parent[first_child[inner]] = parent[first_child[inner] + 1] = inner
    split = np.full(n_nodes, -1, np.int32)
    split[inner] = np.arange(len(inner))
    missing = np.full(n_nodes, FRACTIONAL, np.int32)
    missing[inner] = forest.missing[part][inner]
    as_classes = forest.task == "classification" and forest.combine == "mean"
    weight = forest.weight[part].astype(np.float64)
    values = forest.node_values(part)
    if as_classes:
        schema = forest.schema
        value = values * weight[:, None]
        weight = value.sum(axis=1)
        label = values.argmax(axis=1).astype(np.int32)
        error = weight - value.max(axis=1)
    else:
        schema = _of_score(forest, number)
        label = np.zeros(n_nodes, np.int32)
        error = np.zeros(n_nodes)
        value = np.stack([weight, values[:, 0], error], axis=1)
    return Tree(
        schema=schema,
        splits=_splits_of(forest, first + inner),
        parent=parent,
        first_child=first_child,
        n_children=np.where(first_child < 0, 0, 2).astype(np.int32),
        split=split,
        missing=missing,
        rows=np.rint(weight).astype(np.int64),
        weight=weight,
        value=value,
        label=label,
        error=error,
        share=_shares(first_child, weight),
        recipe={"tree": number, **({} if as_classes else {"leaf": "mean"})},
    )


def _splits_of(forest: Forest, inner: Ints64) -> SplitStore:
    """Return the splits of the inner nodes."""
    n_splits = len(inner)
    n_codes = np.zeros(n_splits, np.int64)
    codes = np.empty(0, np.int32)
    if forest.set_start is not None and forest.codes is not None:
        n_codes = forest.set_start[inner + 1] - forest.set_start[inner]
        offset = np.arange(int(n_codes.sum())) - np.repeat(np.cumsum(n_codes) - n_codes, n_codes)
        codes = forest.codes[np.repeat(forest.set_start[inner], n_codes) + offset]
    by_set = n_codes > 0
    features = np.array(forest.schema.features, np.int32)
    return SplitStore(
        column=features[forest.feature[inner]],
        kind=np.where(by_set, CODE_SETS, CUTS).astype(np.int8),
        n_branches=np.full(n_splits, 2, np.int32),
        score=forest.gain[inner].astype(np.float64),
        equal_low=~by_set,
        cut_start=offsets(~by_set),
        cuts=forest.cut[inner][~by_set],
        code_start=offsets(n_codes),
        codes=codes,
        code_branch=np.zeros(len(codes), np.int32),
        other=np.where(by_set, 1, -1).astype(np.int32),
    )


def _of_score(forest: Forest, number: int) -> Schema:
    """The schema, with the score that the tree adds to as the target if trees add up to a score."""
    schema = forest.schema
    target = schema.target_column
    assert schema.target is not None
    if isinstance(target, Numeric):
        return schema
    of = target.categories[-1]
    if forest.output is not None and forest.link != "logistic":
        of = target.categories[int(forest.output[number])]
    name = f"score of {target.name} = {of}"
    while name in schema.names:
        name += "'"
    columns = list(schema.columns)
    columns[schema.target] = Numeric(name)
    return replace(schema, columns=tuple(columns))


def _shares(first_child: Ints32, weight: Floats) -> Floats:
    """The weight of each node as a fraction of that of it and its sibling; one half if neither has any."""
    share = np.ones(len(weight))
    inner = np.flatnonzero(first_child >= 0)
    one, two = first_child[inner], first_child[inner] + 1
    total = weight[one] + weight[two]
    share[one] = np.divide(weight[one], total, out=np.full(len(inner), 0.5), where=total > 0)
    share[two] = 1.0 - share[one]
    return share
