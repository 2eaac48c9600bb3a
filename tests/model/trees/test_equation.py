"""Linear models on a tree: read off, answered by, stored, and refused where they contradict the schema."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.table import Table
from hornbeam.learn.trees.prune.rebuild import childless, rebuild
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files.storage import from_bytes, to_bytes
from hornbeam.model.trees.equation import equation_of, terms_of
from hornbeam.model.trees.split import FRACTIONAL
from hornbeam.model.trees.tree import Tree

pytestmark = pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")


@pytest.fixture(scope="module")
def cars() -> Table:
    return hornbeam.read("auto-mpg")


@pytest.fixture(scope="module")
def tree(cars: Table) -> Tree:
    model = hornbeam.M5Regressor(min_samples_leaf=10).fit(cars).model_
    assert model.n_leaves > 2
    assert model.term_codes is not None
    return model


def test_a_row_is_answered_by_the_equation_of_its_leaf(tree: Tree, cars: Table) -> None:
    leaves, answers = tree.apply(cars), tree.predict(cars)
    for leaf in np.unique(leaves):
        here = np.flatnonzero(leaves == leaf)
        assert equation_of(tree, int(leaf)).predict(cars.take(here)) == pytest.approx(answers[here], rel=1e-12)


def test_a_matrix_is_answered_as_a_table() -> None:
    table = hornbeam.read("cpu")
    tree = hornbeam.M5Regressor().fit(table).model_
    matrix = table.select(table.schema.features).to_numpy()
    assert (tree.predict_codes(matrix) == tree.predict(table)).all()
    matrix[::3, 0] = np.nan
    holes = Table(table.schema.select(table.schema.features), list(matrix.T))
    assert (tree.predict_codes(matrix) == tree.predict(holes)).all()
    assert (tree.predict_codes(np.asfortranarray(matrix)) == tree.predict(holes)).all()


def test_a_row_in_pieces_gets_the_mean_of_its_equations(tree: Tree, cars: Table) -> None:
    root = int(tree.splits.column[tree.split[0]])
    arrays = list(cars.columns)
    arrays[root] = np.full(cars.n_rows, np.nan if cars.columns[root].dtype == np.float64 else -1)
    lacking = Table(cars.schema, arrays)
    pieces = tree.missing.copy()
    pieces[0] = FRACTIONAL
    found = replace(tree, missing=pieces).predict(lacking)
    sides = [
        replace(tree, missing=np.where(np.arange(tree.n_nodes) == 0, b, tree.missing).astype(np.int32)) for b in (0, 1)
    ]
    low, high = (side.predict(lacking) for side in sides)
    assert found == pytest.approx(tree.share[1] * low + tree.share[2] * high)


def test_it_is_stored_and_read_back(tree: Tree) -> None:
    again = from_bytes(to_bytes(tree))
    assert isinstance(again, Tree)
    assert again.same_as(tree)


def test_a_sum_that_is_no_number_is_the_mean(cars: Table) -> None:
    tree = hornbeam.M5Regressor(min_samples_leaf=100).fit(cars).model_
    arrays = list(cars.columns)
    for place in cars.schema.features:
        if arrays[place].dtype == np.float64:
            arrays[place] = np.full(cars.n_rows, 1.7e308)
    found = tree.predict(Table(cars.schema, arrays))
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"intercept": None}, "only some of the arrays of linear models"),
        ({"term_codes": None}, "only some of the arrays of linear models"),
        ({"term_column": 99}, "of a column that does not exist"),
        ({"term_column": "target"}, "is of a column that is not a feature"),
        ({"term_column": "numeric"}, "has a code that does not exist|has codes for a number"),
        ({"term_coefficient": np.inf}, "a coefficient or a fill that is not a number"),
        ({"term_fill": np.nan}, "a coefficient or a fill that is not a number"),
        ({"residual": -1.0}, "has a residual that is not a number of at least 0"),
        ({"intercept": np.nan}, "has an intercept that is not a number"),
        ({"term_codes": 1000}, "has a code that does not exist"),
        ({"term_start": 10**6}, "term_start does not rise"),
    ],
)
def test_what_contradicts_itself_is_refused(tree: Tree, change: dict[str, Any], words: str) -> None:
    assert tree.term_column is not None
    assert tree.term_code_start is not None
    nominal = int(np.flatnonzero(np.diff(tree.term_code_start) > 0)[0])
    changed: dict[str, Any] = {}
    for name, value in change.items():
        if value is None:
            changed[name] = None
            continue
        array = getattr(tree, name).copy()
        columns = {"target": tree.schema.target, "numeric": tree.schema.position("weight")}
        chosen = columns[value] if isinstance(value, str) else value
        array[nominal if name.startswith("term_c") and name != "term_codes" else -1] = chosen
        changed[name] = array
    with pytest.raises(ModelError, match=words):
        replace(tree, **changed).validate()


def test_terms_come_in_the_order_they_are_shown(tree: Tree) -> None:
    for node in range(tree.n_nodes):
        columns = [term.factors[0].column for term in terms_of(tree, node)]
        assert columns == sorted(columns)


def test_a_tree_cut_back_keeps_its_equations(tree: Tree, cars: Table) -> None:
    inner = np.flatnonzero(tree.n_children > 0)
    cut = rebuild(tree, childless(tree, inner[inner > 0][:1]))
    assert cut.n_nodes < tree.n_nodes
    cut.validate()
    leaves = cut.apply(cars)
    for leaf in np.unique(leaves):
        here = np.flatnonzero(leaves == leaf)
        assert equation_of(cut, int(leaf)).predict(cars.take(here)) == pytest.approx(cut.predict(cars)[here])
    alone = rebuild(tree, childless(tree, np.array([0])))
    assert terms_of(alone, 0) == terms_of(tree, 0)
