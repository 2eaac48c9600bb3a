"""The nodes with many rows, level by level: one pass counts a level, then every node of it is split or is a leaf."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hornbeam.core.base.tolerance import SLACK
from hornbeam.data.in_words import plural
from hornbeam.scale.trees.choose import branches_of, split_of
from hornbeam.scale.trees.coded import UNIT_BITS, Fork, Way
from hornbeam.scale.trees.counter import Sizes
from hornbeam.scale.trees.deviations import N_SUMS, split_by_deviation

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.counter import Counter

LOGGER = logging.getLogger("hornbeam.scale")
PASS_BYTES = 64 << 20  # maximum size of the counts of one pass


@dataclass
class Top:
    """The nodes that were split from counts, and those that are left to finish."""

    pieces: dict[int, Tree] = field(default_factory=dict)  # a split, by node
    way: Way = field(default_factory=Way)
    depth: dict[int, int] = field(default_factory=lambda: {0: 0})
    rows: dict[int, int] = field(default_factory=dict)  # number of rows
    small: dict[int, int] = field(default_factory=dict)  # nodes to finish, with their rows
    n_nodes: int = 1


def grow_top(counter: Counter, problem: Problem, local_rows: int) -> Top:
    """Split nodes from counts until each has at most `local_rows` rows or is a leaf."""
    lacking = problem.recipe.missing == "fractional" and any(coding.lacking for coding in problem.codings)
    top = Top(way=Way(units=1 << UNIT_BITS if lacking else 1), rows={0: problem.n_rows})
    by_deviation = problem.recipe.criterion == "sd-reduction"
    split, per_code = (split_by_deviation, N_SUMS) if by_deviation else (split_of, problem.n_classes)
    codes = tuple(coding.n_codes + 1 for coding in problem.codings)
    sizes = Sizes(codes, problem.n_classes, problem.span, squares=by_deviation)
    at_once = max(PASS_BYTES // (8 * sum(codes) * per_code), 1)
    level = [0]
    while level:
        depth, rows = top.depth[level[0]], sum(top.rows[node] for node in level)
        LOGGER.info("level %d: %s with %s", depth, plural(len(level), "node"), plural(rows, "row"))
        following: list[int] = []
        for start in range(0, len(level), at_once):
            nodes = level[start : start + at_once]
            tallies = counter.nodes(top.way, nodes, sizes)
            for node in nodes:
                top.rows[node] = tallies[node].rows
                if tallies[node].rows <= local_rows:
                    top.small[node] = tallies[node].rows
                else:
                    following += _split(top, node, split(problem, tallies[node], top.way.units), problem)
        level = [node for node in following if not _is_small(top, node, local_rows)]
    if lacking:
        top.rows |= counter.arrivals(top.way)
    return top


def _split(top: Top, node: int, tree: Tree | None, problem: Problem) -> list[int]:
    """Record the split of a node; return the children that may be split."""
    if tree is None:
        return []
    first, count, depth = top.n_nodes, int(tree.n_children[0]), top.depth[node] + 1
    column = int(tree.splits.column[tree.split[0]])
    feature = problem.schema.features.index(column)
    top.pieces[node] = tree
    top.n_nodes += count
    shares: Floats = tree.share[1:]
    table = branches_of(tree, problem.codings[feature])
    top.way.forks[node] = Fork(feature, table, first, int(tree.missing[0]), shares)
    may_split = []
    for b in range(count):
        child = first + b
        top.depth[child] = depth
        weight = float(tree.weight[1 + b])
        pure = problem.span is None and weight - float(tree.value[1 + b].max()) < SLACK
        top.rows[child] = round(weight)  # an estimate until they are counted, if rows are divided
        limit = problem.recipe.max_depth
        if not pure and weight >= problem.recipe.min_node - SLACK and depth != limit:
            may_split.append(child)
    return may_split


def _is_small(top: Top, node: int, local_rows: int) -> bool:
    """Whether a node has few rows, if that is known without counting; then it is recorded."""
    if top.way.units > 1 or top.rows[node] > local_rows:
        return False
    top.small[node] = top.rows[node]
    return True
