"""Nodes of a model tree while it is made, and how they become a Tree.

A split and a term both use an *input*: a numeric column, or an indicator of the upper categories of a nominal column in
the order of their mean target. A cut of an indicator at 1/2 is a split of the categories.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODE_SETS, CUTS, FRACTIONAL, SplitStore
from hornbeam.model.trees.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.core.base.arrays import AnyArray, Floats, Indices, Ints32
    from hornbeam.data.schema import Schema
    from hornbeam.model.linear.linear import Factor


@dataclass(eq=False, slots=True)
class ModelNode:
    """A node: its rows, its split by an input, and its equation."""

    weight: float
    rows: int
    mean: float
    squares: float  # squared error around the mean
    input: int = -1  # -1 at a leaf
    cut: float = 0.0
    gain: float = 0.0
    children: list[ModelNode] = field(default_factory=list)  # below the cut, above it
    intercept: float = 0.0
    terms: Indices = field(default_factory=lambda: np.empty(0, np.intp))  # inputs, rising
    coefficients: Floats = field(default_factory=lambda: np.empty(0))
    residual: float = 0.0


def smooth(root: ModelNode, strength: float) -> None:
    """Blend the equations above into that of each leaf.

    Going up from the leaf, the equation so far counts with the weight n of its node, the equation of the node above
    with `strength` k (Wang & Witten 1997): p' = (n p + k q) / (n + k).
    """
    waiting: list[tuple[ModelNode, tuple[ModelNode, ...]]] = [(root, ())]
    found: list[tuple[ModelNode, float, dict[int, float]]] = []
    while waiting:
        node, above = waiting.pop()
        if node.children:
            waiting.extend((child, (*above, node)) for child in node.children)
            continue
        blend = dict(zip(node.terms.tolist(), node.coefficients.tolist(), strict=True))
        intercept, below = node.intercept, node
        for upper in reversed(above):
            whole = below.weight + strength
            blend = {term: value * below.weight / whole for term, value in blend.items()}
            intercept = intercept * below.weight / whole + strength * upper.intercept / whole
            for term, value in zip(upper.terms.tolist(), upper.coefficients.tolist(), strict=True):
                blend[term] = blend.get(term, 0.0) + strength * value / whole
            below = upper
        found.append((node, intercept, blend))
    for node, intercept, blend in found:
        node.intercept = intercept
        node.terms = np.array(sorted(blend), np.intp)
        node.coefficients = np.array([blend[term] for term in node.terms.tolist()])


def as_tree(root: ModelNode, schema: Schema, inputs: Sequence[Factor], recipe: Mapping[str, Any]) -> Tree:
    """The tree of these nodes, numbered in the order in which a depth-first walk expands them.

    Parameters
    ----------
    root : ModelNode
        The root, with everything below it.
    schema : Schema
        The schema of the table.
    inputs : sequence of Factor
        The inputs of splits and terms; a missing value takes the branch of its `fill`.
    recipe : mapping
        The choices by which it was learned, as plain values.
    """
    nodes, parent, first_child = _numbered(root)
    n_nodes = len(nodes)
    inner = [place for place, node in enumerate(nodes) if node.children]
    split = np.full(n_nodes, -1, np.int32)
    split[inner] = np.arange(len(inner), dtype=np.int32)
    missing = np.full(n_nodes, FRACTIONAL, np.int32)
    missing[inner] = [int(inputs[nodes[i].input].fill > nodes[i].cut) for i in inner]
    weight = np.array([node.weight for node in nodes])
    share = np.ones(n_nodes)
    share[1:] = weight[1:] / np.maximum(weight[parent[1:]], np.finfo(float).tiny)
    value = np.array([[node.weight, node.mean, node.squares] for node in nodes])
    return Tree(
        schema=schema,
        splits=_splits([nodes[i] for i in inner], schema, inputs),
        parent=parent,
        first_child=first_child,
        n_children=np.where(first_child >= 0, 2, 0).astype(np.int32),
        split=split,
        missing=missing,
        rows=np.array([node.rows for node in nodes], np.int64),
        weight=weight,
        value=value,
        label=np.full(n_nodes, -1, np.int32),
        error=value[:, 2].copy(),
        share=np.minimum(share, 1.0),
        recipe={**recipe, "category_order": category_order(longest_codes(inputs))},
        intercept=np.array([node.intercept for node in nodes]),
        residual=np.array([node.residual for node in nodes]),
        **_terms(nodes, inputs),
    )


def longest_codes(inputs: Sequence[Factor]) -> dict[int, tuple[int, ...]]:
    """The longest list of codes of the inputs of each nominal column; the others are ends of it."""
    found: dict[int, tuple[int, ...]] = {}
    for factor in inputs:
        if factor.codes is not None and len(factor.codes) > len(found.get(factor.column, ())):
            found[factor.column] = factor.codes
    return found


def category_order(orders: Mapping[int, Sequence[int] | AnyArray]) -> str | None:
    """The order of categories by mean target, for each column, as the recipe of a tree stores it for display."""
    return json.dumps({str(column): [int(code) for code in order] for column, order in orders.items()}) or None


def _numbered(root: ModelNode) -> tuple[list[ModelNode], Ints32, Ints32]:
    """The nodes in their order, with the parent and the first child of each."""
    nodes, parent, first_child = [root], [-1], [-1]
    waiting = [0]
    while waiting:
        place = waiting.pop()
        node = nodes[place]
        if not node.children:
            continue
        first_child[place] = len(nodes)
        waiting.extend(range(len(nodes) + len(node.children) - 1, len(nodes) - 1, -1))
        nodes += node.children
        parent += [place] * len(node.children)
        first_child += [-1] * len(node.children)
    return nodes, np.array(parent, np.int32), np.array(first_child, np.int32)


def _splits(inner: list[ModelNode], schema: Schema, inputs: Sequence[Factor]) -> SplitStore:
    column = np.array([inputs[node.input].column for node in inner], np.int32)
    by_codes = np.array([inputs[node.input].codes is not None for node in inner], np.bool_)
    codes: list[AnyArray] = []
    branches: list[AnyArray] = []
    lengths = np.zeros(len(inner), np.int64)
    for place in np.flatnonzero(by_codes):
        factor = inputs[inner[place].input]
        kind = schema.columns[factor.column]
        assert isinstance(kind, Nominal)
        branch = np.zeros(len(kind.categories), np.int32)
        branch[list(factor.codes or ())] = 1
        codes.append(np.arange(len(branch), dtype=np.int32))
        branches.append(branch)
        lengths[place] = len(branch)
    return SplitStore(
        column=column,
        kind=np.where(by_codes, CODE_SETS, CUTS).astype(np.int8),
        n_branches=np.full(len(inner), 2, np.int32),
        score=np.array([node.gain for node in inner], np.float64),
        equal_low=np.ones(len(inner), np.bool_),
        cut_start=offsets(~by_codes),
        cuts=np.array([node.cut for node, coded in zip(inner, by_codes, strict=True) if not coded], np.float64),
        code_start=offsets(lengths),
        codes=np.concatenate(codes) if codes else np.empty(0, np.int32),
        code_branch=np.concatenate(branches) if branches else np.empty(0, np.int32),
        other=np.full(len(inner), -1, np.int32),
    )


def _terms(nodes: list[ModelNode], inputs: Sequence[Factor]) -> dict[str, Any]:
    listed = np.concatenate([node.terms for node in nodes])
    factors = [inputs[term] for term in listed.tolist()]
    arrays: dict[str, Any] = {
        "term_start": offsets([len(node.terms) for node in nodes]),
        "term_column": np.array([factor.column for factor in factors], np.int32),
        "term_coefficient": np.concatenate([node.coefficients for node in nodes]),
        "term_fill": np.array([factor.fill for factor in factors], np.float64),
    }
    if any(factor.codes is not None for factor in factors):
        codes = [factor.codes or () for factor in factors]
        arrays["term_code_start"] = offsets([len(each) for each in codes])
        arrays["term_codes"] = np.array([code for each in codes for code in each], np.int32)
    return arrays
