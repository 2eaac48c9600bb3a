"""Compiled trees equal the naive ones, for any small table and any choice of options."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import c45, id3
from reference.rows import Rows, from_table

from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.estimator import unweighted
from hornbeam.learn.compat.weka import grow_and_prune_parts
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.id3 import ID3Classifier
from hornbeam.model.trees.split import CODE_SETS, CODES, CUTS
from hornbeam.show import text

if TYPE_CHECKING:
    from hornbeam.model.trees.tree import Tree

NEAR = 1e-9
BUDGET = settings(max_examples=max(300, settings().max_examples))  # this is the test of the compiled trees
CATEGORIES = tuple("abcdefgh")
# Two are too near each other to be cut between; and 0.561 is the midpoint of its neighbors but for rounding.
GRID = (-3.0, 0.56, 0.561, 0.562, 1.0, 1.000004, 2.0, 5.0)
WEIGHTS = {"none": (), "whole": (1.0, 2.0, 3.0), "fractions": (0.25, 0.5, 1.0, 1.7), "with zeros": (0.0, 1.0, 2.0)}


@dataclass(frozen=True)
class Case:
    """A table to learn from, and the choices to learn with."""

    table: Table
    parameters: dict[str, Any]
    options: c45.Options


@st.composite
def mixed_tables(
    draw: st.DrawFn, *, nominal_only: bool = False, weights: str | None = None, least_rows: int = 1
) -> Table:
    """Draw up to 60 rows with ties, missing values, categories and classes that do not occur, and weights."""
    random = draw(st.randoms(use_true_random=False))
    n_rows, n_classes = random.randint(least_rows, 60), random.choice((1, 2, 2, 3, 4))
    columns: list[Column] = []
    arrays: list[Any] = []
    hidden = 0.0 if nominal_only else random.choice((0.0, 0.1, 0.4))
    target = np.array([random.randrange(n_classes) for _ in range(n_rows)], np.int32)
    for place in range(random.randint(1, 5)):
        missing = np.array([random.random() < hidden for _ in range(n_rows)])
        # Most columns follow the class in part, or most trees would be a single leaf.
        loyalty = random.choice((0.0, 0.3, 0.6, 0.9))
        follows = [random.random() < loyalty for _ in range(n_rows)]
        if nominal_only or random.random() < 0.5:
            size = random.randint(1, 6)
            used = random.randint(1, size)
            codes = [int(target[row]) % used if follows[row] else random.randrange(used) for row in range(n_rows)]
            columns.append(Nominal(f"n{place}", CATEGORIES[:size]))
            arrays.append(np.where(missing, -1, codes).astype(np.int32))
        else:
            values = [GRID[int(target[row])] if follows[row] else random.choice(GRID) for row in range(n_rows)]
            columns.append(Numeric(f"x{place}"))
            arrays.append(np.where(missing, np.nan, values))
    features: list[Role] = ["feature" for _ in columns]
    roles: list[Role] = [*features, "target"]
    columns.append(Nominal("class", CATEGORIES[: n_classes + random.randint(0, 1)]))
    arrays.append(target)
    choice = WEIGHTS[random.choice(tuple(WEIGHTS)) if weights is None else weights]
    if choice:
        drawn = [random.choice(choice) for _ in range(n_rows)]
        drawn[random.randrange(n_rows)] = 1.0  # a table without weight is an error, tested elsewhere
        columns.append(Numeric("weight"))
        arrays.append(np.array(drawn))
        roles.append("weight")
    return Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """Draw a table with the parameters of an estimator, and the same choices in the reference's words."""
    random = draw(st.randoms(use_true_random=False))
    prune = random.choice(("pessimistic", "pessimistic", "reduced-error", None))
    # Reduced-error pruning needs a row for each part, and parts rows without regard to weight.
    special: dict[str, Any] = {"weights": "none", "least_rows": 3} if prune == "reduced-error" else {}
    table = draw(mixed_tables(**special))
    parameters: dict[str, Any] = {
        "confidence": random.choice((0.05, 0.25, 0.4)),
        "min_samples_leaf": random.choice((1, 2, 2.5, 5)),
        "prune": prune,
        "subtree_raising": random.random() < 0.7,
        "nominal": random.choice(("multiway", "one-vs-rest")),
        "mdl": random.random() < 0.5,
        "collapse": random.random() < 0.5,
        "leaf": random.choice(("distribution", "laplace")),
        "folds": random.choice((2, 3)),
        "compat": random.choice(("weka", "weka-3.9")),
    }
    options = c45.Options(
        confidence=parameters["confidence"],
        minimum=float(parameters["min_samples_leaf"]),
        prune=prune,
        raising=parameters["subtree_raising"],
        one_vs_rest=parameters["nominal"] == "one-vs-rest",
        mdl=parameters["mdl"],
        collapse=parameters["collapse"],
        laplace=parameters["leaf"] == "laplace",
        cut_slack=c45.SLACK if parameters["compat"] == "weka" else 0.0,
    )
    if prune == "reduced-error":
        grow, held_out = grow_and_prune_parts(table.target_values(), parameters["folds"], seed=1)
        options = replace(options, grow_rows=grow.tolist(), prune_rows=held_out.tolist())
    return Case(table, parameters, options)


def weighted_rows(table: Table) -> Rows:
    """Copy a table's rows, without those of weight 0."""
    rows = from_table(table)
    return rows.take([row for row, weight in enumerate(rows.weights) if weight > 0])


def check_split(tree: Tree, node: int, split: c45.Split) -> None:
    number = int(tree.split[node])
    assert tree.schema.features[split.column] == tree.splits.column[number]
    if split.cut is not None:
        assert tree.splits.kind[number] == CUTS
        assert tree.splits.equal_low[number]
        cuts = tree.splits.cuts[tree.splits.cut_start[number] : tree.splits.cut_start[number + 1]]
        assert cuts.tolist() == [split.cut]
        return
    codes = tree.splits.codes[tree.splits.code_start[number] : tree.splits.code_start[number + 1]].tolist()
    if split.category is not None:
        assert tree.splits.kind[number] in {CODE_SETS, CODES}
        if tree.splits.kind[number] == CODE_SETS:
            assert codes == [split.category]
        else:
            assert [code for code, branch in enumerate(codes) if branch == 0] == [split.category]
        return
    assert tree.splits.kind[number] == CODES
    assert codes == list(range(len(codes)))


def check_node(tree: Tree, node: int, expected: c45.Node, label: int) -> None:
    """Compare a node and all below it; `label` is the class the reference gives it."""
    np.testing.assert_allclose(tree.value[node], expected.counts.classes, rtol=NEAR, atol=NEAR)
    assert tree.weight[node] == pytest.approx(expected.counts.total, rel=NEAR, abs=NEAR)
    assert tree.label[node] == label
    assert tree.n_children[node] == len(expected.children)
    if expected.split is None:
        return
    check_split(tree, node, expected.split)
    weights, total = expected.counts.branches, expected.counts.total
    for branch, child in enumerate(expected.children):
        place = int(tree.first_child[node]) + branch
        assert tree.share[place] == pytest.approx(weights[branch] / total, rel=NEAR, abs=NEAR)
        here = expected.counts.branch(branch)
        check_node(tree, place, child, (here if c45.greater(here.total, 0) else expected.counts).majority())


@BUDGET
@given(cases())
def test_c45_is_the_naive_one(case: Case) -> None:
    model = C45Classifier(**case.parameters).fit(case.table)
    rows = weighted_rows(case.table)
    expected = c45.fit(rows, case.options)
    check_node(model.model_, 0, expected, expected.counts.majority())
    every = from_table(case.table)
    answers = [c45.probabilities(expected, every, row, case.options) for row in range(len(every))]
    np.testing.assert_allclose(model.model_.predict_proba(case.table), answers, rtol=NEAR, atol=NEAR)


@BUDGET
@given(cases())
def test_the_classic_text_is_the_naive_one(case: Case) -> None:
    rows = weighted_rows(case.table)
    if any(None in column.values for column in rows.columns) or any(weight % 1 for weight in rows.weights):
        return  # a weight that ends in exactly half a hundredth may be printed either way
    model = C45Classifier(**case.parameters).fit(case.table)
    assert text(model, style="weka") == c45.text(c45.fit(rows, case.options), rows, case.options)


def check_id3_node(tree: Tree, node: int, expected: id3.Node, rows: Rows, chosen: list[int]) -> None:
    np.testing.assert_allclose(tree.value[node], expected.counts, rtol=NEAR, atol=NEAR)
    assert tree.n_children[node] == len(expected.children)
    if expected.column is None:
        label = int(tree.label[node])
        assert (label < 0) is (expected.label is None)
        if expected.label is not None:  # sums of fractions may tie up to rounding: either may be the label
            assert expected.counts[label] == pytest.approx(expected.counts[expected.label], abs=NEAR)
        return
    column = tree.schema.features.index(int(tree.splits.column[tree.split[node]]))
    gains = [id3.gain(rows, chosen, place) for place in (column, expected.column)]
    assert gains[0] == pytest.approx(gains[1], abs=NEAR)
    if column != expected.column:
        return  # a tie up to rounding: either may win
    inside = id3.divided(rows, chosen, column)
    for branch, child in enumerate(expected.children):
        check_id3_node(tree, int(tree.first_child[node]) + branch, child, rows, inside[branch])


@BUDGET
@given(mixed_tables(nominal_only=True))
def test_id3_is_the_naive_one(table: Table) -> None:
    table = unweighted(table)  # with compat the rows count once, whatever they weigh
    model = ID3Classifier(compat="weka").fit(table)
    rows = weighted_rows(table)
    check_id3_node(model.model_, 0, id3.fit(rows), rows, list(range(len(rows))))
