"""Certify a tree: walk it with its training rows, and hold everything it says against the definitions.

No second tree is grown: where two splits tie but for rounding, either is right, and the walk goes on with the rows as
the tree divides them. Where they do not, there is one right split, and the tree must have it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reference.best_first import expand
from reference.choose import outcomes
from reference.division import KNOWN_ROWS_ONLY, Division, Place, route
from reference.grower import labels, places_below
from reference.mass import costs, mean, medians, squared_error
from reference.route import branch_of
from reference.sample import NEAR, SLACK, Pieces, Sample, make_sample

if TYPE_CHECKING:
    from reference.choose import Outcome

    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree


def certify(tree: Tree, table: Table, recipe: Recipe) -> None:
    """Assert that a tree is what the recipe makes of the table, before any pruning.

    Parameters
    ----------
    tree : Tree
        As grown.
    table : Table
        The rows it was grown from, each with a target and a weight above zero.
    recipe : Recipe
        What it was grown by.

    Raises
    ------
    AssertionError
        A sentence on the first node that is not right.
    """
    tree.validate()
    Walk(tree, make_sample(table, recipe), recipe).certify()


def near(a: float, b: float, scale: float = 0.0) -> bool:
    """Whether two numbers are equal but for rounding."""
    return bool(abs(a - b) <= NEAR * max(1.0, abs(a), abs(b), scale))


class Walk:
    """A walk down a tree with the training rows."""

    def __init__(self, tree: Tree, sample: Sample, recipe: Recipe) -> None:
        self.tree, self.sample, self.recipe = tree, sample, recipe
        self.gains: dict[int, float] = {}  # of nodes that can be split
        self.branches: dict[int, int] = {}
        self.maybe_leaves: set[int] = set()  # nodes that rounding may leave unsplit

    def certify(self) -> None:
        """Check every node, then which of them are split where leaves are limited."""
        places = {0: Place(self.sample.all_pieces())}
        waiting, next_number = [0], 1
        while waiting:
            node = waiting.pop()
            place = places.pop(node)
            self.check_answer(node, place)
            children = self.check_split(node, place)
            if children:
                first = int(self.tree.first_child[node])
                assert first == next_number, f"node {node}: its children start at {first}, expected {next_number}"
                next_number += len(children)
                numbers = range(first, first + len(children))
                assert all(self.tree.parent[n] == node for n in numbers), f"node {node} is not its children's parent"
                places.update(zip(numbers, children, strict=True))
                waiting += reversed(numbers)
                self.check_shares(node, children)
        assert next_number == self.tree.n_nodes, f"{self.tree.n_nodes} nodes, {next_number} reached"
        if self.recipe.max_leaf_nodes is not None:
            self.check_best_first(self.recipe.max_leaf_nodes)

    # ---- what a node says of its rows -----------------------------------------------------------------------------

    def check_answer(self, node: int, place: Place) -> None:
        """Rows, weight, value, label, error."""
        tree, sample, pieces = self.tree, self.sample, place.pieces
        assert tree.rows[node] == len(pieces), f"node {node} has {tree.rows[node]} rows, expected {len(pieces)}"
        assert near(tree.weight[node], place.weight), f"node {node} weighs {tree.weight[node]}, expected {place.weight}"
        if sample.n_classes == 0:
            self.check_number(node, pieces)
            return
        counts = sample.class_weights(pieces)
        found = tree.value[node].tolist()
        assert all(map(near, found, counts)), f"node {node}: class weights {found}, expected {counts}"
        cost = min(costs(self.recipe, counts))
        assert near(tree.error[node], cost), f"node {node}: error {tree.error[node]!r}, expected {cost!r}"
        label, parent = int(tree.label[node]), int(tree.parent[node])
        if place.weight > SLACK or parent < 0:
            right = labels(sample, self.recipe, pieces)
        else:
            right = [-1 if self.recipe.empty_branch == "none" else int(tree.label[parent])]
        assert label in right, f"node {node}: label {label}, expected {right} by class weights {counts}"

    def check_number(self, node: int, pieces: Pieces) -> None:
        """Weight, mean or median, squared error."""
        weight, middle, squares = self.tree.value[node].tolist()
        assert near(weight, self.tree.weight[node]), f"node {node}: weight in its value {weight!r}"
        assert self.tree.label[node] == -1, f"node {node}: label {self.tree.label[node]} of a number"
        if not pieces:
            return
        right = medians(self.sample, pieces) if self.recipe.leaf == "median" else [mean(self.sample, pieces)]
        assert any(near(middle, one) for one in right), f"node {node}: answer {middle!r}, expected {right}"
        expected = squared_error(self.sample, pieces, middle)
        scale = weight * max(self.sample.target[row] ** 2 for row, _ in pieces)
        assert near(squares, expected, scale), f"node {node}: squared error {squares!r}, expected {expected!r}"
        assert near(self.tree.error[node], expected, scale), f"node {node}: error {self.tree.error[node]!r}"

    def check_shares(self, node: int, children: list[Place]) -> None:
        """Each child's share of the rows that go on from its parent."""
        first, total = int(self.tree.first_child[node]), math.fsum(child.weight for child in children)
        for number, child in enumerate(children, first):
            share, expected = float(self.tree.share[number]), child.weight / total
            assert near(share, expected), f"node {number}: share {share!r} of node {node}, expected {expected!r}"

    # ---- what becomes of a node -----------------------------------------------------------------------------------

    def check_split(self, node: int, place: Place) -> list[Place]:
        """Check that the node's split is the best, or that it must be a leaf; give the children's rows."""
        possible = outcomes(self.sample, self.recipe, place)
        splits = [outcome for outcome in possible if outcome is not None]
        if splits:
            self.gains[node], self.branches[node] = splits[0].difference, splits[0].n_branches
        if None in possible:
            self.maybe_leaves.add(node)
        if self.tree.first_child[node] < 0:
            limited = self.recipe.max_leaf_nodes is not None
            assert None in possible or limited, f"node {node} is a leaf, but could be split: {told(possible)}"
            return []
        assert splits, f"node {node} is split by {self.told_split(node)}, but must be a leaf"
        branch = self.branches_of(node, place)
        split = next((s for s in splits if self.is_split(node, s, branch)), None)
        assert split is not None, f"node {node} is split by {self.told_split(node)} {branch}, expected {told(possible)}"
        self.gains[node], self.branches[node] = split.difference, split.n_branches
        self.check_stored(node, split)
        if self.recipe.missing == "surrogate":
            branch = self.by_surrogates(node, place, branch)
        parts = route(place, branch, split.n_branches, int(self.tree.missing[node]))
        return places_below(self.sample, self.recipe, place, split.feature.number, parts)

    def branches_of(self, node: int, place: Place) -> list[int | None]:
        """The branch each row takes by the tree's split; None where a split is judged without rows of no value."""
        split, policy = int(self.tree.split[node]), int(self.tree.missing[node])
        found: list[int | None] = []
        for row, _ in place.pieces:
            branch = branch_of(self.tree, split, self.sample.table, row)
            judged = self.recipe.missing not in KNOWN_ROWS_ONLY and policy >= 0
            found.append(policy if branch is None and judged else branch)
        return found

    def by_surrogates(self, node: int, place: Place, branch: list[int | None]) -> list[int | None]:
        """Where rows without a value go by the tree's surrogates; which these ought to be is not asked here."""
        assert self.tree.surrogates is not None
        assert self.tree.surrogate_start is not None
        mine = self.tree.surrogates[self.tree.surrogate_start[node] : self.tree.surrogate_start[node + 1]]
        assert len(mine) <= self.recipe.max_surrogates, f"node {node} has {len(mine)} surrogates"
        found = list(branch)
        for number, (row, _) in enumerate(place.pieces):
            for surrogate in mine:
                if found[number] is None:
                    found[number] = branch_of(self.tree, int(surrogate), self.sample.table, row)
        return found

    def is_split(self, node: int, split: Division, branch: list[int | None]) -> bool:
        """Whether the tree's split is this one: the same column, the same rows in every branch."""
        number = int(self.tree.split[node])
        return (
            split.feature.position == self.tree.splits.column[number]
            and split.n_branches == self.tree.splits.n_branches[number] == self.tree.n_children[node]
            and split.branch == branch
        )

    def check_stored(self, node: int, split: Division) -> None:
        """Where cuts are put, what is stored for rows without a value, the score."""
        number, store = int(self.tree.split[node]), self.tree.splits
        cuts = tuple(store.cuts[store.cut_start[number] : store.cut_start[number + 1]].tolist())
        same = len(cuts) == len(split.cuts) and all(a == b or near(a, b) for a, b in zip(cuts, split.cuts, strict=True))
        assert same, f"node {node}: cuts {cuts}, expected {split.cuts}"
        if split.cuts:
            assert store.equal_low[number] == self.recipe.equal_low, f"node {node}: equal_low"
            flipped = store.flipped is not None and bool(store.flipped[number])
            assert flipped == split.flipped, f"node {node}: flipped is {flipped}"
        policy = int(self.tree.missing[node])
        right = sorted(split.defaults)
        assert not right or policy in right, f"node {node}: missing {policy}, expected {right}"
        score = float(store.score[number])
        scale = 1.0 if math.isinf(score) else abs(score)
        assert near(score, split.score, scale), f"node {node}: score {score!r}, expected {split.score!r}"

    def check_best_first(self, most_leaves: int) -> None:
        """Replay which leaf was split next."""
        tree = self.tree
        inner = {node for node in range(tree.n_nodes) if tree.first_child[node] >= 0}

        def children(node: int) -> list[int]:
            # nodes the tree does not have stand for those below a leaf that could have been split
            first = int(tree.first_child[node]) if node in inner else tree.n_nodes
            return list(range(first, first + self.branches[node]))

        def choose(best: list[int]) -> int:
            right = [node for node in best if node in inner]
            assert right, f"nodes {best} gain most and should have been split before others; {most_leaves} leaves"
            return right[0]

        gains = {n: gain for n, gain in self.gains.items() if n in inner or n not in self.maybe_leaves}
        split = expand(children, gains, most_leaves, choose)
        assert split == inner, f"nodes {sorted(inner - split)} are split, but {most_leaves} leaves were reached before"

    def told_split(self, node: int) -> str:
        """The tree's split in words for messages."""
        store, number = self.tree.splits, int(self.tree.split[node])
        cuts = store.cuts[store.cut_start[number] : store.cut_start[number + 1]].tolist()
        codes = store.codes[store.code_start[number] : store.code_start[number + 1]].tolist()
        branches = store.code_branch[store.code_start[number] : store.code_start[number + 1]].tolist()
        name = self.tree.schema.columns[int(store.column[number])].name
        return (
            f"{name}: kind {store.kind[number]}, cuts {cuts}, codes {codes} to {branches}, "
            f"other {store.other[number]}, missing {self.tree.missing[node]}, score {float(store.score[number])!r}"
        )


def told(possible: list[Outcome]) -> str:
    """Outcomes in words for messages."""
    return "; or ".join("a leaf" if outcome is None else outcome.describe() for outcome in possible[:4])
