"""The best tree of a given depth, by trying every tree.

The splits of a column are tried in their canonical order, and a later one must cost less, so the first of the best
trees is found: the lowest column at the root, then the lowest split, and the same below.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.learn.trees.optimal.problem import CUT, EACH, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

Rows = tuple[int, ...]
Entry = tuple[int, int, int]  # column, code, branch of missing values
Best = tuple[int, list[Entry]]  # cost, and the nodes of the tree


def best_tree(problem: Problem) -> Best | None:
    """The cost of the best tree and its nodes, each before its branches; None if no tree has leaves heavy enough."""
    return _best(problem, tuple(range(problem.table.n_rows)), problem.goal.max_depth, {})


def _best(problem: Problem, rows: Rows, depth: int, known: dict[Any, Best | None]) -> Best | None:
    if (rows, depth) in known:
        return known[rows, depth]
    total = problem.sums[list(rows)].sum(axis=0)
    best: Best | None = None
    if total[-1] >= problem.options["least"]:
        best = int(problem.leaf_costs(total[None, :])[0]), [(-1, -1, 0)]
    for entry, branches in _splits(problem, rows) if depth else ():
        cost, nodes = 0, [entry]
        for branch in branches:
            below = _best(problem, branch, depth - 1, known)
            if below is None:
                break
            cost += below[0]
            nodes += below[1]
        else:
            if best is None or cost < best[0]:
                best = cost, nodes
    known[rows, depth] = best
    return best


def _splits(problem: Problem, rows: Rows) -> Iterator[tuple[Entry, list[Rows]]]:
    for feature in range(len(problem.kind)):
        code = {row: int(problem.code[feature, row]) for row in rows}
        there = sorted({own for own in code.values() if own >= 0})
        gone = tuple(row for row in rows if code[row] < 0)
        own_branch = problem.options["own_branch"]
        sides = ((1,) if own_branch else (0, 1)) if gone else (0,)
        if problem.kind[feature] == EACH:
            yield from _each(feature, code, there, gone, own_branch=own_branch)
            continue
        for chosen in there:
            is_cut = problem.kind[feature] == CUT
            low = [row for row in rows if code[row] >= 0 and (code[row] <= chosen if is_cut else code[row] == chosen)]
            high = [row for row in rows if code[row] >= 0 and row not in low]
            for side in sides:
                first, second = [*low, *gone] if side == 0 else low, [*high, *gone] if side == 1 else high
                if first and second:
                    yield (feature, chosen, side), [tuple(sorted(first)), tuple(sorted(second))]
        if problem.kind[feature] != CUT and gone and there:
            yield (feature, -1, 0), [gone, tuple(row for row in rows if code[row] >= 0)]


def _each(
    feature: int, code: dict[int, int], there: list[int], gone: Rows, *, own_branch: bool
) -> Iterator[tuple[Entry, list[Rows]]]:
    groups = {chosen: [row for row, own in code.items() if own == chosen] for chosen in there}
    if own_branch or not gone:
        branches = [tuple(groups[chosen]) for chosen in there] + ([gone] if gone else [])
        if len(branches) > 1:
            yield (feature, -1, 0), branches
        return
    for target in there if len(there) > 1 else ():  # missing values go with each category in turn
        yield (
            (feature, target, 0),
            [tuple(sorted([*groups[c], *gone])) if c == target else tuple(groups[c]) for c in there],
        )
    if there:
        yield (feature, -1, 0), [*(tuple(groups[chosen]) for chosen in there), gone]
