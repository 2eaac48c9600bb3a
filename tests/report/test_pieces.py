"""The parts of a report: the list of leaves and rules, the form's fields, small pictures, rows to trace."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hostile import hostile

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.rules.exceptions import decided_by
from hornbeam.model.trees.tree import Tree
from hornbeam.report import build, markup
from hornbeam.report.content.model import depth_drawn
from hornbeam.report.content.sparks import class_indices, spark
from hornbeam.report.examples import examples
from hornbeam.report.form import form, form_data, used_columns
from hornbeam.report.listing import listing
from hornbeam.schemes import find

CLASSIFIERS = ("one-r", "c45", "cart", "ripper", "part", "exceptions", "id3")
REGRESSORS = ("cart", "m5", "m5-rules", "linear")


@pytest.mark.parametrize("scheme", CLASSIFIERS)
@pytest.mark.parametrize("name", ["iris", "vote", "contact-lenses"])
def test_the_line_that_decides_says_the_answer(name: str, scheme: str) -> None:
    table = hornbeam.read(name)
    whole = table.take(
        np.all([column >= 0 if column.dtype == np.int32 else ~np.isnan(column) for column in table.columns], axis=0)
    )
    estimator = find(scheme, "category").load()().fit(whole)
    model = estimator.model_
    lines = {line.key: line for line in listing(model)}
    if isinstance(model, Tree):
        keys = [str(node) for node in model.apply(whole)]
    elif model.decide == "first":
        keys = [".".join(map(str, place)) for place in decided_by(model, whole) if place is not None]
    else:
        keys = [str(fired) for fired in model.fired(whole)]
    answers = estimator.predict(whole)
    assert len(keys) == len(answers)
    for key, answer in zip(keys, answers, strict=True):
        assert lines[key].prediction == answer
    if isinstance(model, Tree):
        assert sum(line.weight for line in lines.values()) == pytest.approx(whole.n_rows)
        counts = {key: keys.count(key) for key in lines}
        assert {key: line.weight for key, line in lines.items()} == pytest.approx(counts)


@pytest.mark.parametrize(
    ("name", "scheme"), [*(("labor", one) for one in CLASSIFIERS[:-1]), *(("auto-mpg", one) for one in REGRESSORS)]
)
def test_other_columns_than_those_asked_for_change_nothing(name: str, scheme: str) -> None:
    table = hornbeam.read(name)
    estimator = find(scheme, "number" if name == "auto-mpg" else "category").load()().fit(table)
    asked = used_columns(estimator.model_)
    assert asked is not None
    assert asked <= set(table.schema.features)
    rng = np.random.default_rng(1)
    mixed = [
        column if place in asked or place == table.schema.target else rng.permutation(column)
        for place, column in enumerate(table.columns)
    ]
    assert (estimator.predict(Table(table.schema, mixed)) == estimator.predict(table)).all()


@pytest.mark.parametrize("most", [2, 5, 20, 60])
def test_no_more_leaves_are_drawn_than_wanted(most: int) -> None:
    tree = hornbeam.C45Classifier(prune=None, min_samples_leaf=1).fit(hornbeam.read("credit-g")).model_

    def drawn(depth: int) -> int:
        """Nodes at that depth, and leaves above it."""
        level = [0] * tree.n_nodes
        for node in range(1, tree.n_nodes):
            level[node] = level[tree.parent[node]] + 1
        return sum(at == depth or (at < depth and tree.n_children[node] == 0) for node, at in enumerate(level))

    depth = depth_drawn(tree, most)
    assert depth is not None
    assert drawn(depth) <= most or depth == 1
    assert drawn(depth + 1) > most
    assert depth_drawn(tree, tree.n_leaves) is None


def test_a_forest_may_ask_for_anything() -> None:
    assert used_columns(hornbeam.RandomForestClassifier(3).fit(hornbeam.read("iris")).model_) is None


@pytest.mark.parametrize("name", ["iris", "vote", "credit-g", "cpu"])
def test_bars_hold_every_known_row_once(name: str) -> None:
    table = hornbeam.read(name)
    classes, names = class_indices(table)
    for position, column in enumerate(table.columns):
        drawn = spark(table, position, classes, len(names))
        known = column >= 0 if column.dtype == np.int32 else ~np.isnan(column)
        assert sum(map(int, re.findall(r": (\d+)</title>", drawn))) == known.sum()


def test_many_classes_share_a_color() -> None:
    rng = np.random.default_rng(2)
    codes = np.concatenate([np.repeat(np.arange(12), np.arange(12) + 1), [-1, -1]])
    schema = Schema((Numeric("x"), Nominal("y", tuple("abcdefghijkl"))), ("feature", "target"))
    table = Table(schema, [rng.normal(size=len(codes)), codes])
    places, names = class_indices(table)
    assert names == (*"fghijkl", "other classes")
    assert places is not None
    assert (places[codes == 11] == 6).all()
    assert (places[codes == 0] == 7).all()
    assert (places[codes < 0] == -1).all()


def test_fields_begin_with_typical_values() -> None:
    report = build(hornbeam.read("labor"), schemes=["one-r"], scheme="c45", folds=3)
    table, data = report.table, form_data(report)
    for field, position in zip(data["fields"], table.schema.features, strict=True):
        column, values = table.schema.columns[position], table.columns[position]
        if isinstance(column, Nominal):
            assert int(field["typical"]) == np.bincount(values[values >= 0]).argmax()
        else:
            known = np.sort(values[~np.isnan(values)])
            assert float(field["typical"]) == known[(len(known) - 1) // 2]
    written = form(report)
    asked = used_columns(report.estimator.model_)
    assert asked is not None
    first, _, rest = written.partition("<details>")
    for place, position in enumerate(table.schema.features):
        assert (f'id="f{place}"' in first) == (position in asked)
        assert (f'id="f{place}"' in rest) != (position in asked)


def test_dates_are_fields_of_dates() -> None:
    rng = np.random.default_rng(3)
    days = 86400.0 * rng.integers(0, 9000, 80)
    schema = Schema(
        (Numeric("day", "%Y-%m-%d"), Numeric("moment", "%d.%m.%Y %H:%M"), Nominal("y", ("a", "b"))),
        ("feature", "feature", "target"),
    )
    table = Table(schema, [days, days + 3600.0, (days > np.median(days)).astype(int)])
    written = form(build(table, schemes=["one-r"], scheme="c45", folds=3))
    assert re.search(r'id="f0" type="date" step="any" value="\d{4}-\d\d-\d\d"', written)
    assert re.search(r'id="f1" type="datetime-local" step="any" value="\d{4}-\d\d-\d\dT01:00:00"', written)


def test_many_categories_are_typed() -> None:
    rng = np.random.default_rng(4)
    names = tuple(f"<{place}>" for place in range(400))
    schema = Schema((Nominal("code", names), Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "feature", "target"))
    codes = rng.integers(0, 400, 900)
    table = Table(schema, [codes, rng.normal(size=900), codes % 2])
    report = build(table, schemes=["one-r"], folds=3)
    written = form(report)
    assert 'type="text" list="d0"' in written
    assert written.count("<option value=") - len(report.examples) - 1 == 300
    assert form_data(report)["fields"][0]["kind"] == "text"


def test_the_surest_wrong_answers_come_first() -> None:
    table = hostile(rows=40)
    truth = table.target_values()
    answers = np.where(np.arange(40) % 5 == 0, (truth + 1) % 3, truth)
    shares = np.tile([0.5, 0.3, 0.2], (40, 1))
    shares[20] = [0.9, 0.1, 0.0]
    errors = (answers != truth).astype(float)
    errors[3] = np.nan
    found = examples(table, answers, shares, errors, 10)
    assert found[0].row == 21
    assert [one.error for one in found] == [1.0] * 6 + [0.0] * 4
    assert 4 not in [one.row for one in found]
    assert len({one.row for one in found}) == 10


def test_what_the_description_leaves_out_is_said() -> None:
    values = np.arange(60.0)
    known = np.where(values < 6, np.nan, values % 7)
    numbers = Schema((Numeric("x"), Numeric("y")), ("feature", "target"), "gaps")
    told = build(Table(numbers, [values, known]), schemes=["linear"], folds=3).markdown()
    assert "none of their values is missing. 6 rows without a target are left out below." in told
    assert "In no slice are there significantly larger errors than elsewhere." in told
    classes = Nominal("y", tuple(f"k{number}" for number in range(25)))
    schema = Schema((Numeric("x"), classes), ("feature", "target"), "many")
    many = Table(schema, [np.arange(50.0), np.arange(50, dtype=np.int32) % 25])
    page = build(many, schemes=["one-r"], folds=2).html()
    assert "The 20 most common of 25 classes." in page


def test_rows_of_wide_tables_become_blocks_on_phones_and_a_matrix_does_not() -> None:
    head = ("a", "b", "c", "d", "'<e>'")
    rows = [("one", "1", "2", "3", "4"), ("two", "5", "6", "7", "8")]
    wide = markup.table("wide", head, rows)
    assert '<table class="stacked"' in wide
    assert wide.count('data-head="b"') == 2
    assert wide.count('data-head="&#x27;&lt;e&gt;&#x27;"') == 2
    matrix = markup.table("matrix", ("true", "x", "y", "z", "w"), [(name, "1", "2", "3", "4") for name in "xyzw"])
    assert '<table class="many"' in matrix
    assert "data-head" not in matrix
    assert "class" not in markup.table("small", ("a", "b"), [("one", "1")]).partition("<table")[2].partition(">")[0]


def test_rows_with_equations_become_blocks_too() -> None:
    head, keys = ("where", "y", "rows"), ('data-key="a"', 'data-key="b"')
    long = markup.table(
        "rules",
        head,
        [("x <= 1", " + ".join(f"{i}.5 x{i}" for i in range(12)), "3")] * 2,
        numbers=(2,),
        attributes=keys,
    )
    assert '<table class="stacked"' in long
    short = markup.table("rules", head, [("x <= 1", "4.5 + 2 x", "3")] * 2, numbers=(2,), attributes=keys)
    assert "stacked" not in short
    # the numbers of wrong rows were outside the screen
    many = markup.table(
        "rules", ("where", "y", "rows", "fraction", "wrong"), [("x <= 1", *"abcd")] * 2, attributes=keys
    )
    assert '<table class="stacked"' in many
