"""The naive router: a row down a tree, one piece at a time, by the words of ARCHITECTURE.md."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.trees.split import CODES, CUTS, SUMS
from hornbeam.model.trees.tree import FRACTIONAL, STOP, Tree

if TYPE_CHECKING:
    from hornbeam.data.table import Table


def branch_of(tree: Tree, split: int, table: Table, row: int) -> int | None:
    """The branch that a row takes by one split; None where it counts as missing."""
    store = tree.splits
    if store.kind[split] == SUMS:
        assert store.term_start is not None
        assert store.term_column is not None
        assert store.term_coefficient is not None
        total = 0.0
        for term in range(store.term_start[split], store.term_start[split + 1]):
            total += store.term_coefficient[term] * table.columns[store.term_column[term]][row]
        if math.isnan(total):
            return None
        cut = store.cuts[store.cut_start[split]]
        low = total <= cut if store.equal_low[split] else total < cut
        return int(bool(low) == (store.flipped is not None and bool(store.flipped[split])))
    value = table.columns[int(store.column[split])][row]
    numeric = not isinstance(tree.schema.columns[int(store.column[split])], Nominal)
    if (numeric and math.isnan(value)) or (not numeric and value < 0):
        return None
    if store.kind[split] == CUTS:
        cuts = store.cuts[store.cut_start[split] : store.cut_start[split + 1]]
        branch = sum(bool(value > cut or (value == cut and not store.equal_low[split])) for cut in cuts)
        return len(cuts) - branch if store.flipped is not None and store.flipped[split] else branch
    codes = list(store.codes[store.code_start[split] : store.code_start[split + 1]])
    if store.kind[split] == CODES:
        branch = codes[value]
    elif value in codes:
        branch = store.code_branch[store.code_start[split] + codes.index(value)]
    else:
        branch = store.other[split]
    return None if branch < 0 else int(branch)


def visits(tree: Tree, table: Table, row: int, node: int = 0, weight: float = 1.0) -> list[tuple[int, float, bool]]:
    """Every node visited, depth first: node, weight, whether (a piece of) the row ends there."""
    if tree.first_child[node] < 0:
        return [(node, weight, True)]
    first, count = int(tree.first_child[node]), int(tree.n_children[node])
    candidates = [int(tree.split[node])]
    if tree.surrogates is not None and tree.surrogate_start is not None:
        candidates += [int(s) for s in tree.surrogates[tree.surrogate_start[node] : tree.surrogate_start[node + 1]]]
    for split in candidates:
        branch = branch_of(tree, split, table, row)
        if branch is not None:
            return [(node, weight, False), *visits(tree, table, row, first + branch, weight)]
    policy = int(tree.missing[node])
    if policy >= 0:
        return [(node, weight, False), *visits(tree, table, row, first + policy, weight)]
    taken = [first + branch for branch in range(count) if tree.share[first + branch] > 1e-6]
    if policy == STOP or not taken:
        return [(node, weight, True)]
    assert policy == FRACTIONAL
    below = [part for child in taken for part in visits(tree, table, row, child, weight * float(tree.share[child]))]
    return [(node, weight, False), *below]


def answer_of(tree: Tree, node: int) -> list[float]:
    """Class shares (or the mean) of a node, or of its nearest ancestor with weight."""
    while tree.weight[node] <= 0 and node > 0:
        node = int(tree.parent[node])
    if tree.task == "regression":
        return [float(tree.value[node, 1])]
    n_classes = tree.value.shape[1]
    shares = [1.0] * n_classes if tree.prior is None else tree.prior.tolist()
    added = [tree.pseudo_count * share for share in shares]
    total = tree.weight[node] + sum(added)
    if total <= 0:
        return [1.0 / n_classes] * n_classes
    return [float((value + more) / total) for value, more in zip(tree.value[node], added, strict=True)]


def shares(tree: Tree, table: Table, row: int) -> list[float]:
    """What the pieces of a row say together."""
    ends = [(node, weight) for node, weight, ended in visits(tree, table, row) if ended]
    total = sum(weight for _, weight in ends)
    sums = np.zeros(1 if tree.task == "regression" else tree.value.shape[1])
    for node, weight in ends:
        sums += weight * np.array(answer_of(tree, node))
    return list(sums / total)


def label(tree: Tree, table: Table, row: int) -> int:
    """The label of the one leaf, or the class with the greatest share (first on a tie)."""
    ends = [node for node, _, ended in visits(tree, table, row) if ended]
    if len(ends) == 1:
        return int(tree.label[ends[0]])
    best = 0
    found = shares(tree, table, row)
    for code, share in enumerate(found):
        if share > found[best] + 1e-6:
            best = code
    return best


def leaf(tree: Tree, table: Table, row: int) -> int:
    """Where the largest piece ends, first on a tie."""
    ends = [(weight, node) for node, weight, ended in visits(tree, table, row) if ended]
    greatest = max(weight for weight, _ in ends)
    return next(node for weight, node in ends if weight == greatest)
