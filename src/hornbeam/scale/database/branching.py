"""Splits as SQL expressions: from the value of a column to the number of a branch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.scale.database.columns import number_literal
from hornbeam.scale.trees.along import branches
from hornbeam.scale.trees.coded import Fork

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.database.columns import Described
    from hornbeam.scale.trees.bins import Coding

LOST = -1  # the branch of a row with a missing value that is divided or stops


def branch_expression(fork: Fork, coding: Coding, described: Described) -> str:
    """The branch of the value of a column; LOST if it is missing and takes no branch."""
    value, table = f"r.f{fork.feature}", fork.branches[:-1]
    lost = fork.missing if fork.missing >= 0 else LOST
    whens = [f"WHEN {value} IS NULL THEN {lost}"]
    if described.literals:
        for branch in np.unique(table):
            chosen = ", ".join(described.literals[code] for code in np.flatnonzero(table == branch))
            whens.append(f"WHEN {value} IN ({chosen}) THEN {branch if branch >= 0 else lost}")
        return f"CASE {' '.join(whens)} ELSE {lost} END"
    ends = np.flatnonzero(np.diff(table))  # the last code of every sequence of codes with one branch
    whens += [f"WHEN {value} <= {number_literal(coding.upper[end])} THEN {table[end]}" for end in ends]
    return f"CASE {' '.join(whens)} ELSE {table[-1]} END"


def forks_of(tree: Tree, codings: tuple[Coding, ...]) -> dict[int, Fork]:
    """The splits of a tree, all of which are between codes, as tables from codes to branches."""
    feature = {coding.position: number for number, coding in enumerate(codings)}
    found = {}
    for node in np.flatnonzero(tree.n_children).tolist():
        split, first = int(tree.split[node]), int(tree.first_child[node])
        number = feature[int(tree.splits.column[split])]
        coding = codings[number]
        values = coding.upper.astype(np.int32) if coding.nominal else coding.upper
        table = np.append(branches(tree, split, values), -1).astype(np.int32)
        shares = tree.share[first : first + tree.n_children[node]]
        found[node] = Fork(number, table, first, int(tree.missing[node]), shares)
    return found
