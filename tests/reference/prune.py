"""Pruning by the words: naive programs over a tree's nodes, for small trees."""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from reference.route import branch_of

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.criteria import chi_square
from hornbeam.learn.trees.prune.estimates import extra_errors
from hornbeam.learn.trees.prune.rebuild import loss_of
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS
from hornbeam.model.trees.tree import STOP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hornbeam.data.table import Table
    from hornbeam.model.trees.tree import Tree

Closed = frozenset[int]


def children(tree: Tree, node: int) -> range:
    first = int(tree.first_child[node])
    return range(first, first + int(tree.n_children[node]))


def leaves(tree: Tree, closed: Closed, node: int = 0) -> list[int]:
    """Leaves of the tree in which the nodes `closed` are leaves."""
    if node in closed or not tree.n_children[node]:
        return [node]
    return [leaf for child in children(tree, node) for leaf in leaves(tree, closed, child)]


def inner(tree: Tree, closed: Closed, node: int = 0) -> list[int]:
    """Its inner nodes."""
    if node in closed or not tree.n_children[node]:
        return []
    return [node, *(each for child in children(tree, node) for each in inner(tree, closed, child))]


def all_pruned(tree: Tree, node: int = 0) -> Iterator[Closed]:
    """Every pruned form of a tree, by the nodes that become leaves."""
    if not tree.n_children[node]:
        yield frozenset()
        return
    yield frozenset({node})
    for parts in product(*(list(all_pruned(tree, child)) for child in children(tree, node))):
        yield frozenset().union(*parts)


def n_pruned(tree: Tree, node: int = 0) -> int:
    """How many pruned forms there are."""
    if not tree.n_children[node]:
        return 1
    return 1 + math.prod(n_pruned(tree, child) for child in children(tree, node))


# ---- held-out rows -------------------------------------------------------------------------------------------------


def ends(tree: Tree, table: Table, row: int, closed: Closed, node: int = 0, weight: float = 1.0) -> dict[int, float]:
    """Where a row ends in a pruned tree, and which share of it."""
    if node in closed or not tree.n_children[node]:
        return {node: weight}
    candidates = [int(tree.split[node])]
    if tree.surrogates is not None and tree.surrogate_start is not None:
        candidates += [int(s) for s in tree.surrogates[tree.surrogate_start[node] : tree.surrogate_start[node + 1]]]
    below = list(children(tree, node))
    for split in candidates:
        branch = branch_of(tree, split, table, row)
        if branch is not None:
            return ends(tree, table, row, closed, below[branch], weight)
    policy = int(tree.missing[node])
    if policy >= 0:
        return ends(tree, table, row, closed, below[policy], weight)
    taken = [child for child in below if tree.share[child] > 1e-6]
    if policy == STOP or not taken:
        return {node: weight}
    found: dict[int, float] = {}
    for child in taken:
        found |= ends(tree, table, row, closed, child, weight * float(tree.share[child]))
    return found


def held_out_cost(tree: Tree, table: Table, closed: Closed) -> float:
    """What a pruned tree costs on rows, by their pieces."""
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    truth, loss, total = table.target_values(), loss_of(tree), 0.0
    for row in range(table.n_rows):
        for node, share in ends(tree, table, row, closed).items():
            if tree.task == "regression":
                answering = node
                while tree.weight[answering] <= 0 and answering:
                    answering = int(tree.parent[answering])
                cost = (truth[row] - tree.value[answering, 1]) ** 2
            elif loss is None or tree.label[node] < 0:
                cost = float(truth[row] != tree.label[node]) if loss is None else loss[truth[row]].max()
            else:
                cost = loss[truth[row], tree.label[node]]
            total += float(weights[row]) * share * float(cost)
    return total


def greedy(tree: Tree, table: Table, *, prune_ties: bool, slack: float) -> list[int]:
    """Remove the node whose removal saves most, the first of equals, until none saves anything (or costs nothing)."""
    closed: Closed = frozenset()
    removed = []
    now = held_out_cost(tree, table, closed)
    while nodes := inner(tree, closed):
        saves = {node: now - held_out_cost(tree, table, closed | {node}) for node in nodes}
        most = max(saves.values())
        if not (most > slack or (prune_ties and most >= -slack)):
            break
        chosen = next(node for node in sorted(nodes) if saves[node] >= most - slack / 2)
        removed.append(chosen)
        closed |= {chosen}
        now -= saves[chosen]
    return removed


# ---- estimates -----------------------------------------------------------------------------------------------------


def bottom_up(
    tree: Tree, leaf: Callable[[int], float], split: Callable[[int], float], margin: float, node: int = 0
) -> tuple[float, set[int]]:
    """The estimate of what is left below a node, and the nodes that become leaves."""
    if not tree.n_children[node]:
        return leaf(node), set()
    below, cut = split(node), set()
    for child in children(tree, node):
        estimate, more = bottom_up(tree, leaf, split, margin, child)
        below += estimate
        cut |= more
    if leaf(node) <= below + margin:
        return leaf(node), {node}
    return below, cut


def kept(tree: Tree, node: int) -> float:
    """Which share of an inner node's weight goes to none of its children."""
    if tree.weight[node] <= 0:
        return 0.0
    share = 1.0 - sum(tree.weight[child] for child in children(tree, node)) / tree.weight[node]
    return max(float(share), 0.0) if share > 1e-6 else 0.0


def wrong(tree: Tree, node: int) -> float:
    label = int(tree.label[node])
    return float(tree.weight[node] - (tree.value[node, label] if label >= 0 else 0.0))


def pessimistic(tree: Tree, node: int, confidence: float) -> float:
    weight = float(tree.weight[node])
    errors = min(max(wrong(tree, node), 0.0), weight)
    return errors + extra_errors(weight, errors, confidence)


def minimum_error(tree: Tree, node: int, m: float | None) -> float:
    n_classes = tree.value.shape[1]
    weight, label = float(tree.weight[node]), int(tree.label[node])
    total = sum(tree.value[0])
    prior = [1 / n_classes] * n_classes if m is None or total <= 0 else [value / total for value in tree.value[0]]
    rows = n_classes if m is None else m
    if weight + rows <= 0:
        return 0.0
    shares = [(value + rows * p) / (weight + rows) for value, p in zip(tree.value[node], prior, strict=True)]
    loss = loss_of(tree)
    if loss is not None:
        return weight * sum(share * loss[k, max(label, 0)] for k, share in enumerate(shares))
    return weight * (1.0 - (shares[label] if label >= 0 else 0.0))


def complexity_factor(tree: Tree, node: int) -> float:
    rows, weight = int(tree.rows[node]), float(tree.weight[node])
    if rows <= 1 or weight <= 0:
        above = int(tree.parent[node])
        if above < 0 or tree.rows[above] <= 1 or tree.weight[above] <= 0:
            return 0.0
        return weight * complexity_factor(tree, above) / float(tree.weight[above])
    return weight * math.sqrt(max(float(tree.error[node]), 0.0) / weight) * (rows + 1) / (rows - 1)


def bits_of_leaf(counts: list[float]) -> float:
    """One bit, and the classes of the rows: whole counts, by factorials."""
    n, k = round(sum(counts)), len(counts)
    ways = math.factorial(n)
    for count in counts:
        ways //= math.factorial(round(count))
    return 1.0 + math.log2(math.comb(n + k - 1, k - 1)) + math.log2(ways)


def bits_of_split(tree: Tree, node: int) -> float:
    """One bit, the column, and the test (single columns)."""
    store, split, n = tree.splits, int(tree.split[node]), max(int(tree.rows[node]), 1)
    bits = 1.0 + math.log2(len(tree.schema.features))
    column, branches = tree.schema.columns[int(store.column[split])], int(store.n_branches[split])
    m = len(column.categories) if isinstance(column, Nominal) else 0
    if store.kind[split] == CUTS:
        places = max((min(n, m) if m else n) - 1, branches - 1)
        return bits + math.log2(math.comb(places, branches - 1))
    assert store.kind[split] in (CODES, CODE_SETS)
    if branches >= m:
        return bits
    if branches > 2:
        return bits + m * math.log2(branches)
    first = sum(_branch_of_code(tree, split, code) == 0 for code in range(m))
    return bits + math.log2(max(m - 1, 1)) + math.log2(math.comb(m, first))


def _branch_of_code(tree: Tree, split: int, code: int) -> int:
    store = tree.splits
    codes = store.codes[store.code_start[split] : store.code_start[split + 1]].tolist()
    if store.kind[split] == CODES:
        return int(codes[code])
    if code in codes:
        return int(store.code_branch[store.code_start[split] + codes.index(code)])
    return int(store.other[split])


# ---- thresholds and complexity -------------------------------------------------------------------------------------


def by_threshold(tree: Tree, goes: Callable[[int], bool]) -> Closed:
    """Again and again remove splits that may go and whose children are all leaves."""
    closed: Closed = frozenset()
    while True:
        left = inner(tree, closed)
        found = {n for n in left if goes(n) and not any(child in left for child in children(tree, n))}
        if not found:
            return frozenset(leaf for leaf in leaves(tree, closed) if tree.n_children[leaf])
        closed |= found


def statistic(tree: Tree, node: int) -> tuple[float, float]:
    below = children(tree, node)
    found = chi_square(tree.value[below.start : below.stop])
    return found.statistic, found.p_value


def weakest_links(tree: Tree, cost: np.ndarray) -> list[tuple[float, Closed]]:
    """By definition: cut the subtrees that save least for each leaf more, until only the root is left."""
    closed: Closed = frozenset()
    found: list[tuple[float, Closed]] = []
    scale = abs(float(cost[0])) * 1e-9
    while nodes := inner(tree, closed):
        saves = {}
        for node in nodes:
            below = leaves(tree, closed, node)
            saves[node] = float(cost[node] - sum(cost[leaf] for leaf in below)) / (len(below) - 1)
        least = min(saves.values())
        closed |= {node for node, saved in saves.items() if saved <= least + scale}
        level = max(least, 0.0)
        if found and level <= found[-1][0] + scale:
            found[-1] = (found[-1][0], closed)
        else:
            found.append((level, closed))
    return found
