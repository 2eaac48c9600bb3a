"""Learning a model tree (M5') from a source."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.learn.base.parameters import threads
from hornbeam.learn.trees.model_trees.grow import Grown
from hornbeam.learn.trees.model_trees.model_tree import inputs_of, recipe_of, smoothed
from hornbeam.learn.trees.prune.rebuild import rebuild
from hornbeam.model.trees.equation import errors_at_leaves
from hornbeam.scale.gather import all_rows
from hornbeam.scale.linear.exact import as_number, exact_sums
from hornbeam.scale.model_trees.columns import examine, ranked
from hornbeam.scale.model_trees.equations import Everywhere, fit_top, paths
from hornbeam.scale.model_trees.subtrees import Equations, fit_subtrees
from hornbeam.scale.trees.bins import fingerprint
from hornbeam.scale.trees.choose import problem_of, weighted_rows
from hornbeam.scale.trees.coded import Way
from hornbeam.scale.trees.counter import PartitionCounter
from hornbeam.scale.trees.finish import finish_small
from hornbeam.scale.trees.join import join, numbering
from hornbeam.scale.trees.learn import leaf_of
from hornbeam.scale.trees.numbers import Span, with_values
from hornbeam.scale.trees.top import grow_top

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import Floats
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.model_trees.model_tree import ModelChoices
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.linear.exact import Counts
    from hornbeam.scale.model_trees.columns import Columns, Spread
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source
    from hornbeam.scale.trees.bins import Summary
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.finish import Finished
    from hornbeam.scale.trees.top import Top

LOGGER = logging.getLogger("hornbeam.scale")


def learn_model_tree(source: Source, estimator: Any, _sizes: Mapping[Key, int]) -> tuple[Tree | Table, str]:
    """Return the model tree learned from a source, or the rows with a target if they are few; and a digest."""
    choices: ModelChoices = estimator._scanned_choices()
    LOGGER.info("means and deviations of %s", plural(len(source.schema.columns), "column"))
    columns = examine(source)
    own = ranked(source, columns)
    counter = own.counter()
    assert isinstance(counter, PartitionCounter)
    n_threads = threads(getattr(estimator, "n_jobs", None))
    try:
        summary = counter.summary(source.bins)
        digest = hashlib.sha256(fingerprint(own.schema, summary).encode())
        digest.update(repr(sorted(columns.spreads.items())).encode())
        if summary.n_rows <= source.local_rows:
            rows = source.executor.load(source.typed, source.keys)
            return all_rows(source, source.executor, rows), digest.hexdigest()
        problem, top, finished = _grown(own, counter, summary, choices, columns, n_threads)
        tree, parameters = _with_equations(source, counter, summary, problem, top, finished, columns, choices)
    finally:
        counter.close()
    estimator._warn_of_leaves(tree, parameters)
    return rebuild(tree, {}), digest.hexdigest()


def _grown(
    source: Source, counter: PartitionCounter, summary: Summary, choices: ModelChoices, columns: Columns,
    n_threads: int,
) -> tuple[Problem, Top, dict[int, Finished]]:  # fmt: skip
    """Grow the tree without equations."""
    schema = source.schema
    codings = counter.codings(summary, source.bins)
    span = Span.of(*summary.extent)
    root = counter.sums(Way(), span)[0].values(span)
    assert schema.target is not None
    spread = columns.spreads[schema.target]
    recipe = recipe_of(choices, spread.unit if spread.low < spread.high else 0.0)
    problem = problem_of(schema, recipe, codings, weighted_rows(schema, summary, root), span)
    top = grow_top(counter, problem, source.local_rows)
    LOGGER.info("finishing %s with at most %d rows in memory", plural(len(top.small), "node"), source.local_rows)
    finished = finish_small(counter.executor, counter.rows, problem, top, n_threads)
    return problem, top, finished


def _with_equations(
    source: Source, counter: PartitionCounter, summary: Summary, problem: Problem, top: Top,
    finished: dict[int, Finished], columns: Columns, choices: ModelChoices,
) -> tuple[Tree, Floats]:  # fmt: skip
    """The tree with equations, pruned and smoothed, and the number of parameters by node."""
    assert problem.span is not None
    assert source.schema.target is not None
    if top.pieces:
        tree = join(top.pieces, {node: one.tree for node, one in finished.items()}, top.rows)
    else:
        tree = leaf_of(problem, summary)
    tree = with_values(tree, counter.sums(top.way, problem.span), top.n_nodes, problem.span)
    grown = Grown(tree, np.empty(0, np.int32), columns.orders)
    inputs = inputs_of(grown)
    path = paths(tree, inputs.of_split, top.n_nodes, len(inputs.factors), above=choices.above)
    equations = Equations(source.schema, columns, inputs, columns.places(inputs.factors), choices, path)
    LOGGER.info("equations of %s", plural(tree.n_nodes, "node"))
    several = {node: one.tree for node, one in finished.items() if one.tree.n_nodes > 1}
    numbers = list(numbering({**top.pieces, **several}))[len(top.pieces) :]
    subtrees = {node: (one.tree, np.array([node])) for node, one in finished.items()}
    subtrees |= {node: (one, number) for (node, one), number in zip(several.items(), numbers, strict=True)}
    fits = fit_subtrees(counter.executor, counter.rows, problem, top, subtrees, equations)
    below = {}
    for node, (_, number) in subtrees.items():
        below[node] = np.zeros(len(inputs.factors) + 1, np.uint8)
        asked = inputs.of_split[number]
        below[node][asked[asked >= 0]] = 1
    everywhere = Everywhere(tree.n_nodes)
    for node, (subtree, number) in subtrees.items():
        everywhere.add_subtree(subtree, number, fits[node])
    everywhere.add_top(
        tree, fit_top(counter.executor, counter.rows, problem, top, tree, fits, below, equations), equations
    )
    found = everywhere.found()
    spread = columns.spreads[source.schema.target]
    done, kept = smoothed(grown, source.schema, inputs, equations.places, found, (spread.middle, spread.unit), choices)
    return _with_errors(source, done, spread), found["parameters"][kept]


def _with_errors(source: Source, tree: Tree, spread: Spread) -> Tree:
    """The tree with the errors of its predictions at the leaves, as `with_errors` finds them in memory."""
    assert tree.residual is not None
    rows = source.executor.load(source.typed, source.keys)
    largest = max(abs(spread.low), abs(spread.high))
    totals: Counts = source.executor.map_reduce(rows, _errors, (tree, largest, spread.unit), _add)
    errors = np.array([as_number(int(total)) for total in totals]) * spread.unit**2
    return replace(tree, error=np.where(tree.n_children == 0, errors, tree.residual**2 * tree.weight))


def _errors(rows: Rows, tree: Tree, largest: float, unit: float) -> Counts:
    table = rows.table(rows.usable)
    if not table.n_rows:
        return np.zeros(tree.n_nodes, object)
    leaves, errors = errors_at_leaves(tree, table, largest)
    return exact_sums(errors / unit**2, leaves, tree.n_nodes)


def _add(one: Counts, other: Counts) -> Counts:
    return np.asarray(one + other)
