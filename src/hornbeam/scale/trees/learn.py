"""Learning a tree from a source."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.errors import DataError
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.parameters import threads
from hornbeam.learn.trees.build import nodes_to_cut
from hornbeam.learn.trees.cart import OMITTED
from hornbeam.learn.trees.prune.complexity import stop_at
from hornbeam.learn.trees.prune.rebuild import childless, rebuild, with_leaves
from hornbeam.learn.trees.tree_complexity import without_negligible
from hornbeam.model.trees.split import CUTS
from hornbeam.scale.gather import all_rows
from hornbeam.scale.trees.bins import fingerprint
from hornbeam.scale.trees.choose import problem_of, weighted_rows
from hornbeam.scale.trees.coded import Way
from hornbeam.scale.trees.counter import PartitionCounter, largest_of
from hornbeam.scale.trees.finish import finish_small
from hornbeam.scale.trees.join import join
from hornbeam.scale.trees.numbers import Span, with_values
from hornbeam.scale.trees.pruning import Pruning, collapsed
from hornbeam.scale.trees.supported import check_supported
from hornbeam.scale.trees.top import grow_top

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.schema import Schema
    from hornbeam.learn.trees.recipe import Recipe
    from hornbeam.model.trees.tree import Tree
    from hornbeam.scale.source import Source
    from hornbeam.scale.trees.bins import Summary
    from hornbeam.scale.trees.choose import Problem
    from hornbeam.scale.trees.counter import Counter
    from hornbeam.scale.trees.top import Top

MOST_AS_ROWS = 200_000  # with more rows, CART's splits are chosen from weighted counts, and not as if from single rows
LOGGER = logging.getLogger("hornbeam.scale")


def learn_tree(source: Source, estimator: Any) -> tuple[Table | Tree, str]:
    """Return the tree learned from a source, or all its rows if they are few; and a digest of the data."""
    schema = source.schema
    if source.in_database:
        check_supported(estimator, estimator.recipe(schema), schema, numbers=False)
    counter = source.counter(drop_empty=estimator._drops_empty_rows)
    try:
        return _learned(source, estimator, counter)
    finally:
        counter.close()


def _learned(source: Source, estimator: Any, counter: Counter) -> tuple[Table | Tree, str]:
    schema = source.schema
    LOGGER.info("counting the classes and values of %s", plural(len(source.keys), "partition"))
    summary = counter.summary(source.bins)
    digest = fingerprint(schema, summary)
    local = source.local_rows if isinstance(counter, PartitionCounter) else 0
    if isinstance(counter, PartitionCounter) and summary.n_rows + summary.omitted <= local:
        return all_rows(source, counter.executor, counter.rows), digest
    recipe = estimator.recipe(schema)
    as_rows = isinstance(schema.target_column, Nominal) and summary.n_rows <= MOST_AS_ROWS
    recipe = replace(recipe, row_by_row=recipe.row_by_row and as_rows)
    check_supported(estimator, recipe, schema)
    problem = _problem(counter, schema, recipe, summary, source.bins)
    _refuse_missing(problem)
    top = grow_top(counter, problem, local)
    if not top.pieces:
        return _noting(_with_values(counter, problem, leaf_of(problem, summary), top), summary), digest
    finished = {}
    if isinstance(counter, PartitionCounter):
        LOGGER.info("finishing %s with at most %d rows in memory", plural(len(top.small), "node"), local)
        n_threads = threads(getattr(estimator, "n_jobs", None))
        finished = finish_small(counter.executor, counter.rows, problem, top, n_threads)
    tree = join(top.pieces, {node: one.tree for node, one in finished.items()}, top.rows)
    tree = _with_values(counter, problem, tree, top)
    if recipe.threshold == "data-value":
        tree = _at_data_values(counter, problem, tree)
    LOGGER.info("pruning %s", plural(tree.n_nodes, "node"))
    errors = {node: one.errors for node, one in finished.items()}
    return _noting(_pruned(counter, problem, tree, top, errors), summary), digest


def _noting(tree: Tree, summary: Summary) -> Tree:
    """Add the number of rows that were left out to a tree, as in memory."""
    return replace(tree, recipe={**tree.recipe, OMITTED: summary.omitted}) if summary.omitted else tree


# ---- many rows ----


def _problem(counter: Counter, schema: Schema, recipe: Recipe, summary: Summary, most: int) -> Problem:
    codings = counter.codings(summary, most)
    if isinstance(schema.target_column, Nominal):
        return problem_of(schema, recipe, codings, weighted_rows(schema, summary, repeated=recipe.row_by_row))
    assert isinstance(counter, PartitionCounter)
    span = Span.of(*summary.extent)
    root = counter.sums(Way(), span)[0].values(span)
    return problem_of(schema, recipe, codings, weighted_rows(schema, summary, root), span)


def _with_values(counter: Counter, problem: Problem, tree: Tree, top: Top) -> Tree:
    """The tree with exact means and errors at nodes that were split from counts, if the target is numeric."""
    if problem.span is None:
        return tree
    assert isinstance(counter, PartitionCounter)
    return with_values(tree, counter.sums(top.way, problem.span), top.n_nodes, problem.span)


def _refuse_missing(problem: Problem) -> None:
    if problem.recipe.missing != "error":
        return
    for coding in problem.codings:
        if coding.lacking:
            msg = 'some values are missing, and missing values are refused (missing="error")'
            raise DataError(msg, column=problem.schema.columns[coding.position].name)


def leaf_of(problem: Problem, summary: Summary) -> Tree:
    """A tree of one leaf, grown from one row per class."""
    from hornbeam.learn.trees.grow import grow

    schema = replace(problem.schema, roles=tuple("ignored" if r == "feature" else r for r in problem.schema.roles))
    rows = weighted_rows(schema, summary)
    tree, _ = grow(Table(schema, rows.columns[:-1], copy=False), replace(problem.recipe, max_depth=0))
    if problem.span is not None:
        return replace(tree, schema=problem.schema, recipe={**tree.recipe, "max_depth": problem.recipe.max_depth})
    classes, total = summary.classes, float(summary.n_rows)
    value = classes.astype(np.float64)[None, :]
    return replace(
        tree, schema=problem.schema, value=value, weight=np.array([total]), rows=np.array([int(total)]),
        label=np.array([int(classes.argmax())], np.int32), error=np.array([total - float(classes.max())]),
        recipe={**tree.recipe, "max_depth": problem.recipe.max_depth},
    )  # fmt: skip


def _at_data_values(counter: Counter, problem: Problem, tree: Tree) -> Tree:
    """Move every cut to the largest value of all rows that is not above it."""
    splits, slack = tree.splits, problem.recipe.threshold_slack
    cuts = splits.cuts.copy()
    owner = np.repeat(np.arange(len(splits)), np.diff(splits.cut_start))
    by_pass: dict[int, Floats] = {}
    own: dict[int, AnyArray] = {}
    for coding in problem.codings:
        own[coding.position] = np.flatnonzero((splits.column[owner] == coding.position) & (splits.kind[owner] == CUTS))
        middle = cuts[own[coding.position]]
        if not len(middle):
            continue
        if isinstance(problem.schema.columns[coding.position], Nominal):
            cuts[own[coding.position]] = np.floor(middle)
        elif coding.exact:
            cuts[own[coding.position]] = largest_of(coding.upper, middle, slack)
        else:
            by_pass[coding.position] = middle
    for position, values in (counter.largest(by_pass, slack) if by_pass else {}).items():
        cuts[own[position]] = values
    return replace(tree, splits=replace(splits, cuts=cuts))


def _pruned(counter: Counter, problem: Problem, tree: Tree, top: Top, errors: dict[int, float]) -> Tree:
    recipe, units = problem.recipe, top.way.units
    gone = collapsed(tree, top.n_nodes, errors) if recipe.collapse else []
    tree = replace(tree, **childless(tree, np.array(gone, np.intp)))
    if recipe.prune == "pessimistic":
        count = partial(counter.along, units=units) if recipe.subtree_raising else None
        return Pruning(tree, top.n_nodes, recipe.confidence, count, units).run()
    tree = rebuild(tree, {})
    if recipe.prune == "cost-complexity":
        tree = without_negligible(tree) if recipe.row_by_row else tree
        return replace(stop := stop_at(tree, recipe.cp), recipe={**stop.recipe, "prune": recipe.prune})
    if recipe.prune is not None:
        return with_leaves(tree, nodes_to_cut(tree, recipe, None)[0])
    return tree
