"""The naive grower: any recipe's tree, node by node, in the arrays of a Tree."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from reference.best_first import expand
from reference.choose import outcomes
from reference.division import Division, Place, route
from reference.limits import bounds_of_branches
from reference.mass import costs, lower_median, mean, squared_error
from reference.possible import possible_bests
from reference.sample import SLACK, Sample, make_sample, weight_of

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree

if TYPE_CHECKING:
    from reference.sample import Pieces

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe


@dataclass(eq=False)
class Grown:
    """A node, with its split and what lies below it."""

    place: Place
    parent: Grown | None = None
    split: Division | None = None
    children: list[Grown] = field(default_factory=list)


def grow(table: Table, recipe: Recipe) -> Tree:
    """Grow a tree, without pruning it; of outcomes that rounding decides between, the first."""
    sample = make_sample(table, recipe)
    root = grow_below(sample, recipe, Grown(Place(sample.all_pieces())))
    if recipe.max_leaf_nodes is not None:
        cut_back(root, recipe.max_leaf_nodes)
    return as_tree(sample, recipe, numbered(root))


def grow_below(sample: Sample, recipe: Recipe, node: Grown) -> Grown:
    """Split a node, and the nodes below it."""
    split = outcomes(sample, recipe, node.place)[0]
    if split is None:
        return node
    node.split = split
    parts = route(node.place, split.branch, split.n_branches, default_of(split))
    for place in places_below(sample, recipe, node.place, split.feature.number, parts):
        node.children.append(grow_below(sample, recipe, Grown(place, node)))
    return node


def default_of(split: Division) -> int:
    """What is stored for rows without a value."""
    return min(split.defaults, default=FRACTIONAL)


def places_below(sample: Sample, recipe: Recipe, place: Place, feature: int, parts: list[Pieces]) -> list[Place]:
    """The children's rows, depth and limits."""
    bounds = bounds_of_branches(sample, recipe, place, feature, parts)
    return [
        Place(part, place.depth + 1, low, high, place.used | {feature})
        for part, (low, high) in zip(parts, bounds, strict=True)
    ]


def numbered(root: Grown) -> list[Grown]:
    """Nodes as a depth-first walk expands them: a node's children get their numbers together."""
    nodes, waiting = [root], [root]
    while waiting:
        node = waiting.pop()
        nodes += node.children
        waiting += reversed(node.children)
    return nodes


def cut_back(root: Grown, most_leaves: int) -> None:
    """Keep the splits that a best-first walk makes."""
    nodes = numbered(root)
    number = {id(node): i for i, node in enumerate(nodes)}
    gains = {i: node.split.difference for i, node in enumerate(nodes) if node.split is not None}
    kept = expand(lambda i: [number[id(c)] for c in nodes[i].children], gains, most_leaves, lambda best: best[0])
    for i, node in enumerate(nodes):
        if i not in kept:
            node.split, node.children = None, []


# ---- arrays --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """A class with what speaks for it."""

    code: int
    weight: float
    doubtful: bool = False


def labels(sample: Sample, recipe: Recipe, pieces: Pieces) -> list[int]:
    """Classes that may be a node's answer: the heaviest, or the cheapest where wrong answers differ in cost."""
    counts = sample.class_weights(pieces)
    if recipe.loss is None:
        choices = [Choice(code, weight) for code, weight in enumerate(counts)]
        bests = possible_bests(choices, lambda c: c.weight, start=0.0, tolerance=(SLACK, SLACK), scale=0.0)
        return [0 if best is None else best.code for best in bests]
    prices = costs(recipe, counts)
    leeway = 1e-9 * sum(counts)
    cheap = [code for code, price in enumerate(prices) if price <= min(prices) + leeway]
    return [prices.index(min(prices)), *cheap]


def leaf_value(sample: Sample, recipe: Recipe, pieces: Pieces) -> list[float]:
    """Class weights; or weight, answer and squared error."""
    if sample.n_classes:
        return sample.class_weights(pieces)
    if not pieces:
        return [0.0, 0.0, 0.0]
    middle = lower_median(sample, pieces) if recipe.leaf == "median" else mean(sample, pieces)
    return [weight_of(pieces), middle, squared_error(sample, pieces, middle)]


def as_tree(sample: Sample, recipe: Recipe, nodes: list[Grown]) -> Tree:
    """Put nodes into arrays."""
    number = {id(node): i for i, node in enumerate(nodes)}
    inner = [node.split for node in nodes if node.split is not None]
    split_of = {id(split): i for i, split in enumerate(inner)}
    value = np.array([leaf_value(sample, recipe, node.place.pieces) for node in nodes], np.float64)
    label: list[int] = []
    for node in nodes:
        if sample.n_classes == 0:
            label.append(-1)
        elif node.place.weight > SLACK or node.parent is None:
            label.append(labels(sample, recipe, node.place.pieces)[0])
        else:
            label.append(-1 if recipe.empty_branch == "none" else label[number[id(node.parent)]])
    if sample.n_classes == 0:
        error = value[:, 2]
    else:
        error = np.array([min(costs(recipe, sample.class_weights(node.place.pieces))) for node in nodes])
    return Tree(
        schema=sample.table.schema,
        splits=as_store(sample, recipe, inner),
        parent=np.array([-1 if n.parent is None else number[id(n.parent)] for n in nodes], np.int32),
        first_child=np.array([number[id(n.children[0])] if n.children else -1 for n in nodes], np.int32),
        n_children=np.array([len(n.children) for n in nodes], np.int32),
        split=np.array([-1 if n.split is None else split_of[id(n.split)] for n in nodes], np.int32),
        missing=np.array([FRACTIONAL if n.split is None else default_of(n.split) for n in nodes], np.int32),
        rows=np.array([len(n.place.pieces) for n in nodes], np.int64),
        weight=np.array([n.place.weight for n in nodes]),
        value=value,
        label=np.array(label, np.int32),
        error=np.ascontiguousarray(error),
        share=np.array([1.0 if n.parent is None else n.place.weight / n.parent.place.weight for n in nodes]),
        pseudo_count=1.0 if recipe.leaf == "laplace" else 0.0,
        recipe=asdict(recipe),
    )


def as_store(sample: Sample, recipe: Recipe, splits: list[Division]) -> SplitStore:
    """Put splits into arrays."""
    kinds: list[int] = []
    codes: list[list[int]] = []
    branches: list[list[int]] = []
    for split in splits:
        column = sample.table.schema.columns[split.feature.position]
        home = {code: branch for branch, group in enumerate(split.groups) for code in group}
        n_categories = len(column.categories) if isinstance(column, Nominal) else 0
        listed = sorted(code for code in home if code < n_categories)
        dense = not split.cuts and recipe.nominal == "multiway"
        kinds.append(CUTS if split.cuts else CODES if dense else CODE_SETS)
        codes.append([home[code] for code in range(n_categories)] if dense else listed)
        branches.append([0] * n_categories if dense else [home[code] for code in listed])
    return SplitStore(
        column=np.array([split.feature.position for split in splits], np.int32),
        kind=np.array(kinds, np.int8),
        n_branches=np.array([split.n_branches for split in splits], np.int32),
        score=np.array([split.score for split in splits], np.float64),
        equal_low=np.full(len(splits), recipe.equal_low, np.bool_),
        cut_start=np.cumsum([0, *(len(split.cuts) for split in splits)]).astype(np.int64),
        cuts=np.array([cut for split in splits for cut in split.cuts], np.float64),
        code_start=np.cumsum([0, *map(len, codes)]).astype(np.int64),
        codes=np.array([code for some in codes for code in some], np.int32),
        code_branch=np.array([branch for some in branches for branch in some], np.int32),
        other=np.array([split.other for split in splits], np.int32),
        flipped=np.array([split.flipped for split in splits], np.bool_) if recipe.order_by_target else None,
    )
