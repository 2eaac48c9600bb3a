"""The nodes with few rows: their rows are collected, and subtrees are grown and pruned as in memory."""

from __future__ import annotations

import logging
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.grow.grower import Grower
from hornbeam.core.trees.prune.cut_back import sum_over_leaves
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import with_weight_column
from hornbeam.learn.trees.as_tree import as_tree
from hornbeam.learn.trees.cart import with_exact_leaves
from hornbeam.learn.trees.columns import add_columns
from hornbeam.learn.trees.model_trees.grow import grow_model_tree, lacks_values
from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised
from hornbeam.learn.trees.prune.rebuild import collapse
from hornbeam.scale.trees.bring import bring, join_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import IO

    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.trees.bring import Pieces
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.top import Top

BATCH_CELLS = 32 << 20  # rows times columns that are collected at once
LOGGER = logging.getLogger("hornbeam.scale")


@dataclass(frozen=True)
class Finished:
    """A subtree, pruned if the recipe requires it, and the training errors of its leaves before pruning."""

    tree: Tree
    errors: float


def finish_small(executor: Executor, rows: Handle, problem: Problem, top: Top, n_threads: int) -> dict[int, Finished]:
    """Grow all nodes with few rows."""
    return {
        node: _grow(problem, table, top.depth[node], n_threads)
        for node, table in collected(executor, rows, problem, top)
    }


def collected(executor: Executor, rows: Handle, problem: Problem, top: Top) -> Iterator[tuple[int, Table]]:
    """All nodes with few rows, each with its rows.

    If the rows of all these nodes together are many, they are written to temporary files, one for each batch of nodes,
    so that partitions are read once, and only the rows of a batch are in memory.
    """
    most = max(BATCH_CELLS // len(problem.schema.columns), 1)
    batches = list(_batches(top.small, most))
    at_once = max(most * len(rows.keys) // max(sum(top.small.values()), 1), 1)  # partitions
    if len(batches) <= 1:
        for nodes in batches:
            found = _brought(executor, rows, problem, top, rows.keys)
            for node in nodes:
                yield node, _table(problem, found.pop(node), top.way.units)
        return
    batch_of = {node: number for number, nodes in enumerate(batches) for node in nodes}
    with tempfile.TemporaryDirectory(prefix="hornbeam-") as name:
        for start in range(0, len(rows.keys), at_once):
            some = rows.keys[start : start + at_once]
            _append(Path(name), _brought(executor, rows, problem, top, some), batch_of)
            LOGGER.info("collected the rows of %d of %d partitions", start + len(some), len(rows.keys))
        for number, nodes in enumerate(batches):
            found = _read(Path(name) / str(number))
            for node in nodes:
                yield node, _table(problem, found.pop(node), top.way.units)


def _brought(executor: Executor, rows: Handle, problem: Problem, top: Top, keys: Sequence[Key]) -> Pieces:
    """The rows of all nodes with few rows in some partitions, in the order of the partitions."""
    handle = rows if keys is rows.keys else executor.load(rows.loader, keys)
    arguments = (top.way, problem.codings, frozenset(top.small))
    found: Pieces = executor.map_reduce(handle, bring, arguments, join_pieces) or {}
    place = {key: number for number, key in enumerate(keys)}
    for pieces in found.values():
        pieces.sort(key=lambda piece: place[piece[0]])
    return found


def _append(folder: Path, found: Pieces, batch_of: Mapping[int, int]) -> None:
    """Append rows to the files of their batches."""
    with ExitStack() as opened:
        files: dict[int, IO[bytes]] = {}
        for node, pieces in found.items():
            number = batch_of[node]
            if number not in files:
                files[number] = opened.enter_context((folder / str(number)).open("ab"))
            for _, columns, weight in pieces:
                weights = np.zeros(0, np.int64) if weight is None else weight
                of_codes = [column.dtype.kind != "f" for column in columns]
                numbers = [column for column, codes in zip(columns, of_codes, strict=True) if not codes]
                codes = [column for column, codes in zip(columns, of_codes, strict=True) if codes]
                # few arrays: writing many small ones is slow
                for array in (np.array([node, *of_codes]), weights, np.array(numbers), np.array(codes, np.int32)):
                    np.save(files[number], array, allow_pickle=False)


def _read(path: Path) -> Pieces:
    """The rows that were appended to a file; the file is removed."""
    found: Pieces = {}
    with path.open("rb") as file:
        while file.peek(1):
            node, *of_codes = np.load(file, allow_pickle=False).tolist()
            weights, numbers, codes = (np.load(file, allow_pickle=False) for _ in range(3))
            both = (iter(numbers), iter(codes))
            columns = [next(both[kind]) for kind in of_codes]
            own = weights if len(weights) else None
            found.setdefault(node, []).append((("", 0), columns, own))
    path.unlink()
    return found


def _batches(small: dict[int, int], most: int) -> Iterator[list[int]]:
    batch: list[int] = []
    total = 0
    for node, count in small.items():
        if batch and total + count > most:
            yield batch
            batch, total = [], 0
        batch.append(node)
        total += count
    if batch:
        yield batch


def _table(problem: Problem, pieces: Any, units: int) -> Table:
    """The rows of a node, in an order that does not depend on the partitions."""
    columns = [np.concatenate(parts) for parts in zip(*(piece[1] for piece in pieces), strict=True)]
    table = Table(problem.schema, columns, copy=False)
    if problem.span is not None:  # sums of numbers are rounded, as those of weights below
        return table.take(np.lexsort([np.nan_to_num(column, nan=np.inf) for column in columns]))
    if units == 1:
        return table
    weights = np.concatenate([np.full(len(p[1][0]), units, np.int64) if p[2] is None else p[2] for p in pieces])
    if (weights == units).all():
        return table
    # sums of weights are rounded, so the order of rows must not depend on the order in the files
    order = np.lexsort([weights, *(np.nan_to_num(column, nan=np.inf) for column in columns)])
    columns = [*(column[order] for column in columns), weights[order] / units]
    return Table(with_weight_column(problem.schema), columns, copy=False)


def _grow(problem: Problem, table: Table, depth: int, n_threads: int) -> Finished:
    recipe = problem.recipe
    if recipe.criterion == "sd-reduction" and lacks_values(table):
        tree = grow_model_tree(table, recipe, {}, recipe.tolerance, closely=False).tree
        return Finished(replace(tree, schema=problem.schema), float(tree.error[tree.n_children == 0].sum()))
    left = -1 if recipe.max_depth is None else recipe.max_depth - depth
    unit = table.weights is None
    chosen = {**problem.chosen, "max_depth": left, "count_alike": unit}
    n_classes = 0 if problem.span is not None else problem.n_classes
    grower = Grower(table.target_values(), n_classes, table.weights, chosen, max(len(problem.codings), 1))
    reference: Any = SimpleNamespace(n_rows=problem.n_rows, weights=None)  # only the number of rows is used
    add_columns(grower, table, recipe, n_threads, reference=reference)
    tree = as_tree(grower.grow(n_threads), problem.schema, recipe, problem.factors)
    if problem.span is not None:
        tree = with_exact_leaves(replace(tree, schema=table.schema), table)
    errors = float(sum_over_leaves(tree.first_child, tree.n_children, tree.error)[0])
    if recipe.collapse:
        tree = collapse(tree)
    if recipe.prune == "pessimistic":
        tree, _ = replaced_and_raised(
            tree, table, recipe.confidence, subtree_raising=recipe.subtree_raising, n_threads=n_threads
        )
    return Finished(replace(tree, schema=problem.schema), errors)
