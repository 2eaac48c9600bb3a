from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import TimeFolds, compare, cross_validate, schemes_by_name, tune
from hornbeam.evaluate.folds import assign_folds, assign_groups


def table_of(truth: Any, when: Any, group: Any) -> Table:
    schema = Schema(
        (Numeric("when"), Nominal("who", tuple("abcdefgh")), Nominal("y", ("no", "yes"))),
        ("feature", "group", "target"),
        "small",
    )
    return Table(schema, [np.array(when, float), np.array(group, np.int32), np.array(truth, np.int32)])


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=60), st.integers(2, 12), st.data()
)
def test_a_group_is_in_one_fold(rows: list[tuple[int, int]], folds: int, data: st.DataObject) -> None:
    names, groups = np.unique([group for group, _ in rows], return_inverse=True)
    classes = np.array([code for _, code in rows])
    fold = assign_groups(groups, classes, folds, data.draw(st.integers(0, 5)))
    assert all(len(np.unique(fold[groups == group])) == 1 for group in range(len(names)))
    assert sorted(set(fold.tolist())) == list(range(min(folds, len(names))))


def test_groups_spread_rows_and_classes() -> None:
    random = np.random.default_rng(2)
    groups = random.integers(0, 80, 2000)
    classes = (random.random(2000) < 0.2).astype(int)
    assignments = [assign_groups(groups, classes, 5, seed) for seed in range(10)]
    for fold in assignments:
        counts = np.array([np.bincount(classes[fold == number], minlength=2) for number in range(5)])
        assert (np.abs(counts / counts.sum(axis=0) - 0.2) < 0.04).all()
    assert len({tuple(fold.tolist()) for fold in assignments}) == 10  # another seed assigns rows anew


def test_cross_validation_keeps_groups_together() -> None:
    table = table_of([0, 1] * 20, range(40), np.arange(40) // 5)
    found = cross_validate(hornbeam.C45Classifier(), table, 4)
    for group in range(8):
        assert len(set(found.fold[5 * group : 5 * group + 5].tolist())) == 1


def test_comparing_keeps_groups_together_and_does_not_learn_from_them() -> None:
    # The column "who" tells the class; a model that could look at it would be right.
    table = table_of([0, 1] * 20, range(40), np.arange(40) % 2).assign({"who": "feature"})
    assert table.schema.features == (0, 1)
    seen = compare(schemes_by_name(["tree"]), table, folds=2, keep=True)
    assert seen.tables[0].outcome("tree").score.mean == 1.0  # type: ignore[union-attr]
    kept = compare(schemes_by_name(["tree"]), table, folds=5, groups="who", keep=True)
    assert kept.tables[0].folds == 2  # as many as there are groups
    assert kept.tables[0].outcome("tree").score.mean == 0.0  # type: ignore[union-attr]
    (held,) = kept.tables[0].outcome("tree").held_out
    assert sorted({tuple(held.fold[place::2].tolist()) for place in (0, 1)}) == [(0,) * 20, (1,) * 20]
    assert "2-fold cross-validation, rows of one who together" in kept.text()
    assert kept.to_json()["groups"] == "who"
    by_role = compare(schemes_by_name(["tree"]), table.assign({"who": "group"}), folds=5)
    assert by_role.to_json() == kept.to_json()


def test_tuning_keeps_groups_together() -> None:
    table = table_of([0, 1] * 20, range(40), np.arange(40) // 20)
    assert tune(hornbeam.C45Classifier(), table, {"min_samples_leaf": (2, 5)}, folds=5).folds == 2


@given(
    st.lists(st.tuples(st.integers(0, 15), st.integers(-1, 1)), min_size=3, max_size=50).filter(
        lambda rows: len({when for when, code in rows if code >= 0}) > 1
    ),
    st.integers(2, 8),
)
def test_nothing_is_learned_from_later_rows(rows: list[tuple[int, int]], folds: int) -> None:
    when, truth = np.array([one for one, _ in rows]), np.array([code for _, code in rows])
    table = table_of(truth, when, np.zeros(len(rows))).assign({"who": "ignored"})
    found = assign_folds(table, folds, 1, "when")
    times = len(np.unique(when[truth >= 0]))
    assert found.n_folds == min(folds, times - 1)
    tested: list[int] = []
    for number in range(found.n_folds):
        train, test = found.train(number), found.test(number)
        assert len(train)
        assert len(test)
        assert when[train].max() < when[test].min()
        # Everything known before the test is learned from.
        assert sorted(train.tolist()) == np.flatnonzero((when < when[test].min()) & (truth >= 0)).tolist()
        tested += test.tolist()
    assert len(tested) == len(set(tested))
    known = np.flatnonzero(truth >= 0)
    assert sorted([*tested, *found.train(0).tolist()]) == known.tolist()


def test_blocks_of_time_are_even_where_times_differ() -> None:
    table = table_of([0, 1] * 30, np.random.default_rng(1).permutation(60), np.zeros(60)).assign({"who": "ignored"})
    found = assign_folds(table, 5, 1, "when")
    assert [(len(found.train(number)), len(found.test(number))) for number in range(5)] == [
        (10, 10),
        (20, 10),
        (30, 10),
        (40, 10),
        (50, 10),
    ]


def test_ordered_categories_are_an_order() -> None:
    schema = Schema(
        (Nominal("size", ("s", "m", "l"), ordered=True), Nominal("y", ("no", "yes"))), ("feature", "target")
    )
    table = Table(schema, [np.repeat([0, 1, 2], 4), np.array([0, 1] * 6)])
    found = assign_folds(table, 10, 1, "size")
    assert [found.test(number).tolist() for number in range(found.n_folds)] == [[4, 5, 6, 7], [8, 9, 10, 11]]


def test_comparing_in_the_order_of_time() -> None:
    # What was learned early is wrong later: assigned at random nobody would see it.
    when = np.arange(60.0)
    table = table_of((when % 2 == 0) ^ (when >= 30), when, (when % 2).astype(int)).assign({"who": "feature"})
    found = compare(schemes_by_name(["tree"]), table, folds=5, order="when", keep=True)
    (held,) = found.tables[0].outcome("tree").held_out
    assert (held.fold[:10] == -1).all()
    assert (held.predictions[:10] == -1).all()
    assert held.probabilities is not None
    assert np.isnan(held.probabilities[:10]).all()
    assert found.tables[0].outcome("tree").score.folds[2] == 0.0  # type: ignore[union-attr]
    assert found.tables[0].n_rows == 60
    assert found.tables[0].test_share == pytest.approx(np.mean([1, 1 / 2, 1 / 3, 1 / 4, 1 / 5]))
    assert "5 folds in the order of when, each trained on all rows before it" in found.text()
    assert found.to_json()["order"] == "when"


PLAIN = table_of([0, 1] * 6, range(12), np.arange(12) % 3)


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (PLAIN, {"groups": "whom"}, "small: no column is called 'whom'"),
        (PLAIN, {"groups": "y"}, "the column 'y' is the target; expected another one for the groups"),
        (PLAIN.take([0, 3, 6, 9]), {}, "small: all rows are of one group"),
        (
            table_of([0, 1], [1, 2], [-1, 0]),
            {},
            r"small: column 'who', row 1: no value; expected the group of every row",
        ),
        (PLAIN, {"order": "when"}, "the table has groups, and an order .'when'. was given too"),
        (PLAIN.assign({"who": "ignored"}), {"order": "who"}, "'who' holds categories without an order"),
        (PLAIN.assign({"who": "ignored"}), {"order": "when", "folds": 0}, "folds is 0; expected at least 1"),
        (PLAIN.assign({"who": "ignored"}), {"order": "y"}, "'y' is the target"),
        (PLAIN.assign({"who": "ignored"}), {"order": "year"}, "small: no column is called 'year'"),
        (PLAIN.assign({"who": "ignored"}), {"order": "when", "repeats": 3}, "repeats is 3; folds in time order"),
        (PLAIN.assign({"who": "ignored"}), {"order": "when", "folds": [0, 1] * 6}, "folds were given row by row"),
        (
            table_of([0, 1, 1], [1, np.nan, 2], [0, 0, 0]).assign({"who": "ignored"}),
            {"order": "when"},
            "column 'when', row 2: no value",
        ),
        (
            table_of([0, 1, 1], [1, 1, 1], [0, 0, 0]).assign({"who": "ignored"}),
            {"order": "when"},
            "'when' does not vary over the 3 rows with a target; expected two values or more",
        ),
        (
            table_of([1, 1, -1, 1], range(4), [0, 1, 2, 3]),
            {},
            r"small: all rows are of one class, 'yes' \(column 'y'\); expected two classes or more",
        ),
    ],
)
def test_folds_that_there_are_not(table: Table, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(schemes_by_name(["tree"]), table, **options)


def test_folds_in_time_order_wherever_folds_are_taken() -> None:
    iris = hornbeam.read("iris")
    by_time = TimeFolds("petallength", 3)
    tree = hornbeam.C45Classifier()
    expected = cross_validate(tree, iris, 3, order="petallength")
    assert (cross_validate(tree, iris, by_time).predictions == expected.predictions).all()
    methods = {"tree": tree, "other": hornbeam.OneRClassifier()}
    one, other = (
        compare(methods, iris, **given) for given in ({"folds": by_time}, {"folds": 3, "order": "petallength"})
    )
    assert one.to_json() == other.to_json()
    tuned = tune(tree, iris, {"min_samples_leaf": (2, 5)}, folds=by_time, nested=4)
    assert (tuned.order, tuned.folds, tuned.nested.validation.folds) == ("petallength", 3, 4)  # type: ignore[union-attr]
    assert (tuned.nested.validation.fold == assign_folds(iris, 4, 1, "petallength").fold).all()  # type: ignore[union-attr]
    assert "3 folds in the order of petallength" in tuned.text()
