"""Splits that cut a weighted sum of columns: what a store may hold, where rows go, and who must refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from show.planting import Fork, Leaf, Other, plant
from strategies import Random, fill_table, randoms, trees

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.columns import fill
from hornbeam.learn.trees.importance import importance
from hornbeam.learn.trees.prune.by_estimate import replaced_and_raised
from hornbeam.learn.trees.prune.held_out import reduced_error_steps
from hornbeam.model.base.plain import ModelError
from hornbeam.model.files import storage
from hornbeam.model.rules.rule import rules_from_tree
from hornbeam.model.trees.split import CUTS, SUMS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree

SCHEMA = Schema(
    (Numeric("a"), Nominal("c", ("p", "q")), Numeric("b"), Nominal("y", ("no", "yes"))),
    ("feature", "feature", "feature", "target"),
)
ROWS = Table(
    SCHEMA,
    [
        [0.0, 1.0, 0.0, 2.0, np.nan, 9.0, np.nan],
        [0, 0, 0, 0, 0, 0, 0],
        [0.0, 0.5, 1.0, 1.0, 9.0, np.nan, np.nan],
        [0, 0, 1, 1, 1, 0, 1],
    ],
)


def aslant(**options: Any) -> Tree:
    """Where a + 2 b is at most 2, no; else yes."""
    fork = Fork(0, SUMS, ({0: 1.0, 2: 2.0}, 2.0), [Leaf([3, 1]), Leaf([0, 4])], **options)
    return plant(SCHEMA, fork)


def test_rows_go_by_the_sum_and_lack_it_where_one_term_is_missing() -> None:
    assert aslant(missing=1).apply(ROWS).tolist() == [1, 1, 1, 2, 2, 2, 2]
    assert aslant(missing=0).apply(ROWS).tolist() == [1, 1, 1, 2, 1, 1, 1]
    assert aslant(missing=0, equal_low=False).apply(ROWS).tolist() == [1, 2, 2, 2, 1, 1, 1]
    assert aslant(missing=0, flipped=True).apply(ROWS).tolist() == [2, 2, 2, 1, 1, 1, 1]
    np.testing.assert_allclose(aslant(missing=FRACTIONAL).predict_proba(ROWS)[6], [3 / 8, 5 / 8])


def test_a_surrogate_is_asked_for_rows_that_lack_a_term() -> None:
    tree = aslant(missing=0, surrogates=[Other(0, CUTS, [5.0])])
    assert tree.apply(ROWS).tolist() == [1, 1, 1, 2, 1, 2, 1]
    # A sum may stand in for another split as well: where a is missing, 3 b.
    stand_in = Other(2, SUMS, ({2: 3.0}, 10.0))
    tree = plant(SCHEMA, Fork(0, CUTS, [1.5], [Leaf([3, 1]), Leaf([0, 4])], missing=0, surrogates=[stand_in]))
    assert tree.apply(ROWS).tolist() == [1, 1, 1, 2, 2, 2, 1]


def test_rules_and_conditions_are_refused() -> None:
    with pytest.raises(ModelError, match=r"cuts sums of columns at 1 of its nodes, the first of them node 0"):
        rules_from_tree(aslant())
    with pytest.raises(ModelError, match=r"node 0 compares a sum of columns \('a', 'b'\)"):
        _ = aslant().node(1).conditions


def changes(splits: SplitStore) -> list[tuple[dict[str, Any], str]]:
    assert splits.term_start is not None
    return [
        ({"term_column": None}, "only some of term_start"),
        ({"term_start": None, "term_column": None, "term_coefficient": None}, "splits by a sum, but has no terms"),
        ({"term_start": np.array([0, 0], np.int64)}, "term_start does not rise from 0 to 2"),
        ({"term_start": np.array([0, 2, 2], np.int64)}, "shape"),
        ({"term_column": np.array([0, 7], np.int32)}, "term for a column that the schema does not have"),
        ({"term_column": np.array([0, -1], np.int32)}, "term for a column that the schema does not have"),
        ({"term_column": np.array([0, 1], np.int32)}, "not a numeric feature"),
        ({"term_column": np.array([2, 0], np.int32)}, "terms out of order"),
        ({"term_column": np.array([0, 0], np.int32)}, "terms out of order"),
        ({"column": np.array([2], np.int32)}, "names another column"),
        ({"term_coefficient": np.array([1.0, 0.0])}, "coefficient that is 0"),
        ({"term_coefficient": np.array([np.inf, 1.0])}, "coefficient that is 0"),
        ({"term_coefficient": np.array([1.0])}, "shape \\(1,\\); expected \\(2,\\)"),
        ({"cuts": np.array([np.inf])}, "its cut is infinite"),
        ({"kind": np.array([CUTS], np.int8)}, "has terms, but does not split by a sum"),
    ]


@pytest.mark.parametrize("number", range(15))
def test_unsound_terms_are_refused(number: int) -> None:
    tree = aslant()
    changed, words = changes(tree.splits)[number]
    with pytest.raises(ModelError, match=words):
        replace(tree, splits=replace(tree.splits, **changed)).validate()


def test_a_sum_has_two_branches() -> None:
    splits = replace(aslant().splits, n_branches=np.array([3], np.int32), cuts=np.array([1.0, 2.0]))
    splits = replace(splits, cut_start=np.array([0, 2], np.int64))
    with pytest.raises(ModelError, match="more than two branches"):
        replace(aslant(), splits=splits).validate()


@given(trees(sums=True), trees(), randoms())
def test_splits_are_taken_and_joined_with_their_terms(tree: Tree, other: Tree, random: Random) -> None:
    splits = tree.splits
    chosen = np.array([random.randrange(len(splits)) for _ in range(5)] if len(splits) else [], np.int64)
    taken = splits.take(chosen)
    for joined, where in ((other.splits.join(taken), len(other.splits)), (taken.join(other.splits), 0)):
        assert len(joined) == len(other.splits) + len(chosen)
        for place, split in enumerate(chosen.tolist()):
            before, after = splits.terms_of(split), joined.terms_of(where + place)
            assert (before is None) == (after is None)
            assert joined.columns_of(where + place).tolist() == splits.columns_of(split).tolist()
            if before is not None and after is not None:
                assert after[1].tolist() == before[1].tolist()
                at = joined.cut_start[where + place]
                assert joined.cuts[at] == splits.cuts[splits.cut_start[split]]


def test_files_without_terms_are_as_before() -> None:
    plain = plant(SCHEMA, Fork(0, CUTS, [1.0], [Leaf([3, 1]), Leaf([0, 4])]))
    assert b"term_" not in storage.to_bytes(plain)
    assert b"splits/term_start" in storage.to_bytes(aslant())


def grown_aslant(random: Random, *, missing: int) -> tuple[Tree, Table]:
    """A tree whose figures are those of its training rows, of sums and cuts."""
    table = fill_table(random, SCHEMA, 60, 0.2)
    inner = Fork(2, CUTS, [0.0], [Leaf([1, 0]), Leaf([1, 0])], missing=missing)
    fork = Fork(0, SUMS, ({0: 1.0, 2: -2.0}, 0.3), [inner, Leaf([1, 0])], missing=missing, flipped=True)
    tree = plant(SCHEMA, fork)
    table = table.take(table.target_values() >= 0)
    start, nodes, weights = tree.decision_path(table)
    value = np.zeros((tree.n_nodes, 2))
    np.add.at(value, (nodes, np.repeat(table.target_values(), np.diff(start))), weights)
    weight = value.sum(axis=1)
    rows, label = np.ceil(weight).astype(np.int64), value.argmax(axis=1).astype(np.int32)
    return replace(tree, value=value, weight=weight, rows=rows, label=label, error=value.min(axis=1)), table


@given(randoms())
def test_pruning_sends_rows_as_predicting_does(random: Random) -> None:
    """Held-out errors that reduced-error pruning counts are those of the tree on the same rows."""
    tree, table = grown_aslant(random, missing=random.randrange(2))
    if table.n_rows == 0:
        return
    held_out = table.take(np.arange(table.n_rows) % 2 == 0)
    _, steps = reduced_error_steps(tree, held_out)
    truth, leaves = held_out.target_values(), tree.apply(held_out)
    below = np.isin(leaves, (3, 4))
    wrong = (tree.label[leaves] != truth)[below].sum()
    inner = steps[steps["node"] == 1]
    assert inner["subtree"].tolist() == [pytest.approx(wrong)]
    assert inner["leaf"].tolist() == [pytest.approx((tree.label[1] != truth)[below].sum())]


@given(randoms())
def test_pessimistic_pruning_raises_branches_over_sums(random: Random) -> None:
    tree, table = grown_aslant(random, missing=random.choice((0, 1)))
    if table.n_rows == 0:
        return
    pruned, _ = replaced_and_raised(tree, table)
    pruned.validate()
    start, nodes, weights = pruned.decision_path(table)
    value = np.zeros_like(pruned.value)
    np.add.at(value, (nodes, np.repeat(table.target_values(), np.diff(start))), weights)
    np.testing.assert_allclose(pruned.value, value, atol=1e-9)


def test_importance_is_shared_among_the_terms() -> None:
    tree = aslant()
    alone = plant(SCHEMA, Fork(0, CUTS, [1.0], [Leaf([3, 1]), Leaf([0, 4])]))
    whole = importance(alone)[0]
    assert whole > 1
    np.testing.assert_allclose(importance(tree), [whole / 2, 0, whole / 2])


def test_a_filled_in_value_goes_where_its_sum_goes() -> None:
    filled = fill(ROWS)  # a: 2.4, b: 2.3, so a + 2 b is 7
    assert filled.route(aslant(missing=0)).missing[0] == 1
    assert filled.route(aslant(missing=1, flipped=True)).missing[0] == 0
